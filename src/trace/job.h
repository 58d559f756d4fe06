/*
 * job: who took part and what things are called: processes, their clocks, ranks, files and modules. Read in a first
 * pass over a trace, which leaves the calls out.
 */
#ifndef PARIO_TRACE_JOB_H
#define PARIO_TRACE_JOB_H

#include "base/text.h"
#include "trace/align.h"
#include "trace/map.h"
#include "trace/ranks.h"
#include "trace/unpack.h"

enum {
	PARIO_JOB_FILES = 1 << 17,
	PARIO_JOB_PROCESSES = 1 << 16,
	PARIO_JOB_PLACES = 1 << 19,
	PARIO_JOB_COMMS = 1 << 18
};

/* What is mapped into a process. Modules with the same name and build-id are the same thing. */
struct pario_job_mapping {
	uint32_t process, module;
	uint64_t from, to, base;
};

struct pario_job_module {
	char *path, *build_id;
};

struct pario_job_process {
	uint32_t machine, pid, ppid, rank, ranks;
	bool told_by_mpi;   /* the rank is MPI's own word, so a shim records its calls */
	char *program;	    /* path, newline, arguments separated by blanks; NULL when unknown */
	uint32_t directory; /* its working directory at first, a file of its own; 0 = not known */
	uint64_t io_first[2], io_last[2];
	uint32_t
		io_notes; /* how often the kernel's counts were written down: two are needed to compare */
	uint64_t faults[2]; /* page faults of its threads, as far as known: major, minor */
	uint32_t mapping_first, mapping_count; /* into mappings, once these are sorted */
	uint32_t
		shares; /* whose names and mappings it uses: its own, or its parent's after vfork */
};

/* One boot of one computer: its processes share their clocks. */
struct pario_job_machine {
	char boot[40], host[64];
	bool counter;
	struct pario_pack_anchor first, last; /* the anchors farthest apart */
	double ns_per_tick;
	double start_ns, end_ns;  /* of its anchors, by its own clocks */
	struct pario_align align; /* against the machine of the lowest rank */
};

enum pario_count {
	PARIO_COUNT_READ,
	PARIO_COUNT_WRITTEN,
	PARIO_COUNT_MAJOR,
	PARIO_COUNT_MINOR,
	PARIO_COUNTS
};

/* What the kernel counted for the threads of a segment, as far as it was written down when they ended. */
struct pario_job_counts {
	uint32_t process;
	uint64_t first[PARIO_COUNTS], last[PARIO_COUNTS], sum[PARIO_COUNTS];
	bool open, ended;      /* a thread runs; its last counts are known */
	bool known, unchecked; /* one ended with them, one without */
};

struct pario_job {
	struct pario_map process_of, file_of, place_of; /* place: a file as one process knows it */
	struct pario_map comm_of; /* communicators that were made, by process and number there */
	uint64_t *comms;	  /* their identities, the same in all members */
	uint32_t comm_capacity;
	struct pario_map child_of; /* children of vfork, by their parent and number */
	uint32_t *children;	   /* process numbers */
	uint32_t child_capacity;
	struct pario_job_process *processes; /* by number, from 1 */
	uint32_t process_capacity;
	char **files; /* names by number, from 1; 0 = unknown */
	uint32_t file_capacity;
	uint32_t *places; /* file number by place number */
	uint32_t place_capacity;
	struct pario_job_machine *machines;
	uint32_t machine_count;
	struct pario_job_module *modules;
	uint32_t module_count, module_capacity;
	struct pario_job_mapping *mappings;
	uint32_t mapping_count, mapping_capacity;
	struct pario_job_counts *counts; /* by segment, in the order of the file, from 1 */
	uint32_t counts_capacity;
	struct pario_ranks ranks;
	struct pario_pack_end losses;
	uint64_t segments, unended;	/* segments without their last block */
	uint64_t requests[PARIO_RINGS]; /* asynchronous ones that were not seen */
	struct pario_text unseen;	/* programs that were not traced, a line each */
	uint64_t start_ns;		/* of the first anchor, by its wall clock */
	double origin_ns;		/* where time 0 lies, once the clocks are aligned */
	bool stacks;			/* there are deeper stacks than the call site */
	bool no_memory;
};

/* Are the kernel's counts known for all of a segment? */
bool pario_job_checked(const struct pario_job *job, uint32_t segment);

/* Reads everything but the calls; u is rewound afterwards. */
int pario_job_read(struct pario_job *job, struct pario_unpack *u, struct pario_err *err);
void pario_job_release(struct pario_job *job);

/* The process of the segment u is in; 0 = unknown. */
uint32_t pario_job_process(const struct pario_job *job, const struct pario_trace_segment *segment);
/* The process whose thread wrote into a segment of `process`: that one, or a child of its vfork. */
uint32_t pario_job_writer(const struct pario_job *job, uint32_t process, uint32_t thread);
/* Place number of a file of a process, 0 = unknown; its file number is job->places[it]. */
uint32_t pario_job_place(const struct pario_job *job, uint32_t process, uint32_t file);
/* The identity of a communicator by its number in a process, the same in all members; 0 = unknown. */
uint64_t pario_job_comm(const struct pario_job *job, uint32_t process, int32_t comm);
/* Can one be somewhere in this file? Pipes, sockets and the like have no places. */
bool pario_job_has_places(const struct pario_job *job, uint32_t file);
/* Nanoseconds since the job's first moment, with the clocks of its machines aligned. */
static inline double pario_job_ns(const struct pario_job *job,
				  const struct pario_job_process *process, uint64_t ticks)
{
	const struct pario_job_machine *m = &job->machines[process->machine];

	/*
	 * Machines are laid beside each other by their wall clocks at their first anchors, and then by their barriers.
	 */
	double ns = (double)(int64_t)(ticks - m->first.ticks) * m->ns_per_tick + m->start_ns;

	if (m->align.applied)
		ns -= pario_align_ahead(&m->align, ns);
	return ns - job->origin_ns;
}
/* The mapping an address lies in, or NULL. */
const struct pario_job_mapping *pario_job_mapping(const struct pario_job *job, uint32_t process,
						  uint64_t address);

/* Sentences about asynchronous requests that were not seen, a line each; nothing when there are none. */
void pario_job_requests(const uint64_t requests[PARIO_RINGS], struct pario_text *text);

#endif
