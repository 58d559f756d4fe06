/*
 * scan: what a replay must know before it starts, from one pass over the calls of a trace in the order of their starts:
 * which files have to be there, which calls of other threads each call has to wait for, and what the original took.
 * Memory grows with files, threads and orderings between threads, not with calls.
 */
#ifndef PARIO_TESTS_REPLAY_MODEL_SCAN_H
#define PARIO_TESTS_REPLAY_MODEL_SCAN_H

#include "trace/stream.h"

enum { PARIO_REPLAY_THREADS = 1 << 16, PARIO_REPLAY_NOBODY = -1 };

/* Records that are put in order by their starts: more than one call of a library has within it (MPI_Init: 1500). */
enum { PARIO_REPLAY_AHEAD = 8192 };

/* Which calls are made again: those of the program, or the lowest that were recorded. */
enum pario_replay_layer { PARIO_REPLAY_PROGRAM, PARIO_REPLAY_POSIX };

/* A call's nested ones are part of it. One of these per thread, all zero at first. */
struct pario_replay_nest {
	double until_ns;
	unsigned depth;
	bool library; /* it is a call of MPI-IO, which may submit requests of its own */
};

/* Is this call made again, or is it part of one that is (or of a library whose own calls are)? */
static inline bool pario_replay_wanted(struct pario_replay_nest *nest,
				       const struct pario_trace_call *call,
				       enum pario_replay_layer layer)
{
	if (call->start_ns < nest->until_ns &&
	    (call->depth > nest->depth || (nest->library && call->asynchronous)))
		return false;
	if (call->layer == PARIO_TRACE_HDF5 || call->layer == PARIO_TRACE_PNETCDF)
		return false;
	if (layer == PARIO_REPLAY_POSIX &&
	    (call->layer == PARIO_TRACE_STDIO || call->layer == PARIO_TRACE_MPIIO))
		return false;
	nest->until_ns = call->end_ns;
	nest->depth = call->depth;
	nest->library = call->layer == PARIO_TRACE_MPIIO;
	return true;
}

/* MPI_Init and MPI_Finalize: a replay has its own. */
static inline bool pario_replay_own(uint16_t op)
{
	return op == PARIO_OP_MPI_Init || op == PARIO_OP_MPI_Init_thread ||
	       op == PARIO_OP_MPI_Finalize;
}

/* Is it by a shared file pointer of MPI-IO? */
bool pario_replay_by_pointer(uint16_t op);

enum pario_replay_kind { PARIO_REPLAY_FILE, PARIO_REPLAY_DIRECTORY };

/* A file of the trace, by its number. */
struct pario_replay_file {
	uint32_t same;	/* the first file with its place: "a/" and "b/../a" are "a" */
	uint32_t state; /* the one of these whose state before is in the trace; 0 = none */
	bool storage;	/* and not a pipe, a device ... */
	bool used;	/* a call that is made again names it */
	bool exists;	/* it was there before */
	bool settled;	/* that is known */
	bool made;	/* by a call of the trace */
	bool link;	/* it was a link before, to what `kind` says, */
	bool followed;	/* which was there */
	bool warm;	/* its first reads came from the page cache */
	enum pario_replay_kind kind;
	uint64_t size, allocated;
	uint64_t grown;	 /* largest size that the trace shows */
	uint64_t sequel; /* its end, as the pass goes on */
	uint32_t mode;
	uint32_t first_reads;
	double first_read_ns;
	uint64_t first_read_bytes;
	uint32_t
		parent; /* number of its directory, or the nearest one above that a call names; 0 = none */
};

/* Before call `at` of its thread, call `number` of `thread` must be over. */
struct pario_replay_edge {
	uint64_t at, number;
	uint32_t thread;
};

struct pario_replay_thread {
	int32_t client; /* the rank that makes its calls, PARIO_REPLAY_NOBODY = left out */
	bool created;	/* by a pthread_create of the trace */
	bool first;	/* of its process */
	uint32_t process;
	struct pario_replay_edge *edges;
	uint32_t edge_count, edge_capacity;
	double begun_ns; /* its first call; 0 where no other thread had its pthread_t */
	double last_ns;	 /* the end of its last call but MPI_Finalize */
	uint64_t reads;	 /* the most that it reads at once */
	uint32_t ahead;	 /* records that its stream must look ahead */
};

/*
 * What one client makes again, by when it began. MPI_Init and MPI_Finalize are not part of it: ranks leave MPI_Init at
 * the same time, however long each of them was in it.
 */
struct pario_replay_client {
	double first_ns, init_ns, ready_ns; /* its first call; MPI_Init, from and to */
	double leave_ns, left_ns;	    /* MPI_Finalize, from and to */
	bool any, init, final;
	uint32_t thread; /* the one of the rank that calls MPI, 0 = none */
};

struct pario_replay_scan {
	struct pario_replay_file *files;     /* by number, from 1 */
	struct pario_replay_thread *threads; /* by number, from 1 */
	struct pario_replay_client *clients; /* as many as ranks, at least one */
	uint32_t file_count, thread_count, ranks;
	uint64_t calls, edges;
	uint64_t largest;    /* transfer */
	uint32_t slots;	     /* descriptors: one more than the highest */
	uint64_t peak_bytes; /* resident memory of the processes of a client, the largest */
	double before_ns;    /* from the first call of a rank to its MPI_Init, the longest */
	double makespan_ns;  /* from the first call to the last */
	bool meets;	     /* all ranks call MPI_Init */
	bool pointers;	     /* shared file pointers are used */
	uint64_t bytes;	     /* that the files hold before, or at most in the end */
};

/* Does the call move data or names on storage (and not through a pipe or between ranks)? */
static inline bool pario_replay_storage(const struct pario_replay_scan *scan,
					const struct pario_trace_call *call)
{
	return call->file && call->file <= scan->file_count && scan->files[call->file].storage &&
	       call->layer != PARIO_TRACE_PROCESS && call->layer != PARIO_TRACE_MPI;
}

/* A moment of the trace as time since the beginning, without MPI_Init and MPI_Finalize. */
static inline double pario_replay_when(const struct pario_replay_scan *scan, int32_t client,
				       double ns)
{
	const struct pario_replay_client *c = &scan->clients[client];

	/* what MPI does within it is not made again either */
	if (c->final && ns > c->leave_ns)
		ns -= (ns < c->left_ns ? ns : c->left_ns) - c->leave_ns;
	return c->init && ns >= c->ready_ns ? ns - c->ready_ns + scan->before_ns : ns - c->first_ns;
}

/*
 * The thread that a pthread_create made, or a pthread_join waited for; 0 = none that made calls. A pthread_t comes
 * again when its thread has ended.
 */
uint32_t pario_replay_thread_meant(const struct pario_replay_scan *scan,
				   const struct pario_trace *trace,
				   const struct pario_trace_call *call);

int pario_replay_scan(struct pario_replay_scan *scan, const struct pario_trace *trace,
		      enum pario_replay_layer layer, struct pario_err *err);
void pario_replay_scan_release(struct pario_replay_scan *scan);

#endif
