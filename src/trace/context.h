/*
 * context: what a trace says beside its calls: the state of files, communicators, views, hints, what processes used and
 * how they ended, which thread is which. Read in a pass over the notes; calls are only counted, and where their blocks
 * lie is remembered.
 */
#ifndef PARIO_TRACE_CONTEXT_H
#define PARIO_TRACE_CONTEXT_H

#include "trace/job.h"

enum { PARIO_CONTEXT_THREADS = 1 << 20, PARIO_CONTEXT_LISTS = 1 << 20 };

/* A file before it was first opened by any process; by file number of the job. */
struct pario_trace_file {
	const char *name;
	int32_t exists; /* 1, 0, or -1 = not known */
	uint32_t mode, fs_type;
	uint64_t size, allocated, device, inode;
	double at_ns; /* when it was looked at; NaN: never */
};

struct pario_trace_process {
	uint32_t pid, ppid, rank, ranks, machine; /* rank: UINT32_MAX = none */
	uint32_t parent;     /* number of the process that started it, 0 = not in the trace */
	uint32_t before;     /* number of the program that this process was before exec, 0 = none */
	bool vfork;	     /* a child of vfork, which runs in its parent's memory */
	const char *program; /* path, newline, arguments; NULL = unknown */
	uint32_t directory;  /* the file that its working directory was at first, 0 = not known */
	double start_ns;
	uint64_t peak_bytes; /* 0 = not known */
	uint64_t memory_bytes,
		limit_bytes; /* of the machine and of the cgroup; 0, UINT64_MAX = not known, none */
	uint64_t user_ns, system_ns;
	int status; /* 0..255; -1: it was killed, or nobody knows */
};

/* A block of calls. */
struct pario_trace_block {
	uint64_t at;
	uint32_t calls, first, segment; /* segment: number of it in the file, from 1 */
	uint32_t length;
	uint8_t *plain; /* what is in it, of so many bytes; NULL: it has to be read from the file */
};

struct pario_trace_thread {
	uint32_t process, tid;
	uint64_t pthread; /* pthread_t, 0 = not known */
	uint64_t calls;	  /* gaps included */
	struct pario_trace_block *blocks;
	uint32_t block_count, block_capacity;
};

struct pario_trace_comm {
	uint64_t id, parent; /* the same in all members */
	uint32_t process, number, sequence, op;
	int32_t rank; /* of this process */
	struct pario_trace_members *members, *remote;
	uint32_t member_runs, remote_runs, size, remote_size; /* size: how many members */
	bool whole;					      /* all parts were there */
};

struct pario_trace_view {
	int64_t lower, extent;
	uint32_t etype; /* bytes */
	struct pario_trace_run *runs;
	uint32_t run_count;
	bool whole;
};

/* A block of notes. */
struct pario_trace_notes {
	uint64_t at;
	uint32_t segment;
};

struct pario_context {
	struct pario_trace_file *files;	       /* by file number, from 1 */
	struct pario_trace_process *processes; /* by process number, from 1 */
	struct pario_map thread_of;	       /* process, tid */
	struct pario_trace_thread *threads;    /* by number, from 1 */
	uint32_t thread_capacity;
	struct pario_map comm_of, view_of, hints_of; /* process, number */
	struct pario_trace_comm *comms;
	struct pario_trace_view *views;
	char **hints;
	uint32_t comm_capacity, view_capacity, hint_capacity;
	struct pario_trace_notes
		*notes; /* blocks with lists of requests, in the order of the file */
	uint32_t note_count, note_capacity;
	bool no_memory;
};

/* After pario_job_read; u is rewound afterwards. */
int pario_context_read(struct pario_context *c, const struct pario_job *job, struct pario_unpack *u,
		       struct pario_err *err);
void pario_context_release(struct pario_context *c);

/* Rank in MPI_COMM_WORLD of a member; UINT32_MAX when it is not of that world, or beyond the end. */
uint32_t pario_trace_member(const struct pario_trace_members *runs, uint32_t count, uint32_t index);

#endif
