/*
 * stream: the calls of a trace, thread by thread, in bounded memory. For whoever wants to do them again, or to look at
 * them in the order in which they were made.
 *
 *	struct pario_trace trace;
 *	struct pario_trace_stream *s;
 *	struct pario_trace_call call;
 *
 *	pario_trace_load(&trace, path, &err);
 *	for (uint32_t t = 1; t <= pario_trace_threads(&trace); t++) {
 *		s = pario_trace_stream_open(&trace, t, PARIO_STREAM_AHEAD, &err);
 *		while (pario_trace_stream_next(s, &call, &err) > 0)
 *			...
 *		pario_trace_stream_close(s);
 *	}
 *	pario_trace_release(&trace);
 *
 * Loading reads everything but the calls: processes and who started whom, threads, files and their state before,
 * names, communicators, views, hints. A loaded trace does not change: streams of it may be used by several threads at
 * once, and by several processes after fork, since each has a descriptor of its own. A stream takes about a megabyte,
 * however long the thread's life was.
 */
#ifndef PARIO_TRACE_STREAM_H
#define PARIO_TRACE_STREAM_H

#include "base/json.h"
#include "trace/arguments.h"
#include "trace/context.h"
#include "trace/job.h"
#include "trace/operation.h"

struct pario_trace {
	struct pario_job job;	      /* machines, clocks, names, modules */
	struct pario_context context; /* see trace/context.h */
	unsigned version;	      /* of the trace: 1 or 2 */
	uint64_t damaged_bytes;	      /* that were stepped over */
	bool torn;		      /* the trace is cut off at its end */
	char path[4096];
};

/* Loads all but the calls. A sentence for what is no trace. */
int pario_trace_load(struct pario_trace *t, const char *path, struct pario_err *err);
void pario_trace_release(struct pario_trace *t);

/*
 * Unpacks the first blocks of a thread's calls and keeps them, up to so many bytes; returns how many it took. A stream
 * has less to do for these calls, and does not read the file before they are over. Before the first stream is opened.
 */
uint64_t pario_trace_keep(struct pario_trace *t, uint32_t thread, uint64_t bytes);

/*
 * What this trace cannot tell, a line each with its reason: what version 1 does not have, calls that were lost,
 * requests that were not seen, programs that were not traced, blocks that are damaged. "" when nothing is missing.
 */
void pario_trace_lacks(const struct pario_trace *t, struct pario_text *text);

/* All of the above and below but the calls, as one JSON object. */
void pario_trace_json(const struct pario_trace *t, struct pario_json *json);

/* How many there are; numbers begin with 1. */
uint32_t pario_trace_processes(const struct pario_trace *t);
uint32_t pario_trace_threads(const struct pario_trace *t);
uint32_t pario_trace_files(const struct pario_trace *t);

const struct pario_trace_process *pario_trace_process(const struct pario_trace *t, uint32_t number);
const struct pario_trace_thread *pario_trace_thread(const struct pario_trace *t, uint32_t number);
/* NULL for 0 and for what is not there. */
const struct pario_trace_file *pario_trace_file_of(const struct pario_trace *t, uint32_t number);

/*
 * By the numbers that calls of that process say. Fills `comm`, also for MPI_COMM_WORLD and MPI_COMM_SELF; its lists
 * stay the trace's. False when it is not known.
 */
bool pario_trace_comm_of(const struct pario_trace *t, uint32_t process, int32_t number,
			 struct pario_trace_comm *comm);
/* NULL when it is not known. Hints: key=value lines. */
const struct pario_trace_view *pario_trace_view_of(const struct pario_trace *t, uint32_t process,
						   uint32_t number);
const char *pario_trace_hints_of(const struct pario_trace *t, uint32_t process, uint32_t number);
/* The text of a name or argument by its number in a process, "" when it is not known. */
const char *pario_trace_name_of(const struct pario_trace *t, uint32_t process, uint32_t number);

/* ---- calls ---- */

/* What a receive from anybody got. */
struct pario_trace_match {
	uint32_t request, tag;
	int32_t from;
	uint64_t bytes;
};

struct pario_trace_call {
	uint32_t process, thread; /* numbers in the trace; thread: that of the stream */
	uint64_t number;	  /* within its thread, as they are delivered, from 0 */
	uint16_t op;
	uint8_t layer, class, depth; /* depth: 0 = called by the program itself */
	bool failed, direct;
	bool asynchronous; /* a request, from its submission until it was seen to be done */
	bool unfinished;   /* a request that was never seen to be done */
	bool late; /* began before one that was delivered earlier: the window was too short */
	double start_ns, end_ns; /* since the job's first moment */
	uint32_t file;		 /* number of the job, 0 = none */
	uint32_t
		other_file; /* the second name: of rename, link, symlink's text, an attribute; 0 = none */
	int32_t fd;	 /* descriptor, directory, or handle of MPI-IO; PARIO_TRACE_NO_FD = none */
	uint64_t offset; /* PARIO_TRACE_NOWHERE = none */
	uint64_t size;	 /* asked for */
	uint64_t moved;	 /* bytes that a read or write transferred */
	int32_t result;	 /* what it returned, or the errno when it failed */
	uint64_t site;	 /* address of the call site */
	struct pario_arguments arguments;
	/* Of a call that waits for several requests: those it saw done, and what receives from anybody got. */
	const uint32_t *requests;
	const struct pario_trace_match *matches;
	uint32_t request_count, match_count;
	/*
	 * The gap before it, when its processor time was looked at: from the end of the call before to the start of
	 * this one. `gap_cpu_ns` is the processor time the thread used in it, to the precision of the looks.
	 */
	bool gap_known;
	double gap_ns, gap_cpu_ns;
	double cpu_before_ns, cpu_after_ns; /* processor time of the thread at the two looks */
};

struct pario_trace_stream;

/* Calls in this many records are put in the order of their starts; 0: as they were written, when they ended. */
enum { PARIO_STREAM_AHEAD = 1024 };

struct pario_trace_stream *pario_trace_stream_open(const struct pario_trace *t, uint32_t thread,
						   uint32_t ahead, struct pario_err *err);
/* 1 and the next call, whose lists stay until the one after it; 0 at the end; -1 and a sentence. */
int pario_trace_stream_next(struct pario_trace_stream *s, struct pario_trace_call *call,
			    struct pario_err *err);
void pario_trace_stream_close(struct pario_trace_stream *s);

/* All threads of a process, or with 0 of the trace, merged by their starts. Memory grows with the number of threads. */
struct pario_trace_merge;
struct pario_trace_merge *pario_trace_merge_open(const struct pario_trace *t, uint32_t process,
						 uint32_t ahead, struct pario_err *err);
int pario_trace_merge_next(struct pario_trace_merge *m, struct pario_trace_call *call,
			   struct pario_err *err);
/* The same of one of its threads. */
uint32_t pario_trace_merge_overtaken(const struct pario_trace_merge *m, uint32_t thread);
void pario_trace_merge_close(struct pario_trace_merge *m);

#endif
