/*
 * missing: processes that were started and left nothing. Records of fork, posix_spawn and exec say who should be there;
 * whoever has no segment from then on was not traced.
 */
#ifndef PARIO_TRACE_MISSING_H
#define PARIO_TRACE_MISSING_H

#include <stddef.h>

#include "trace/map.h"
#include "trace/format.h"

enum { PARIO_MISSING_STARTS = 1 << 20 };

/* A process, or a program in one, that somebody started. */
struct pario_missing_start {
	uint32_t pid;
	uint64_t machine; /* where that number is its: several nodes may write to one directory */
	bool exec;	  /* with another program; otherwise a copy of its parent */
	uint32_t owner;	  /* pid of the segment that says so; knows the name */
	uint32_t file;	  /* number of the program's name there */
	uint64_t ticks;
};

struct pario_missing {
	struct pario_map pid_of;
	uint64_t *latest; /* by number of the pid: when its last segment began */
	uint32_t latest_capacity;
	struct pario_missing_start *starts;
	uint32_t count, capacity;
	uint64_t beyond; /* starts that found no place */
	/* the segment that is being read */
	uint32_t owner, writer;
	uint64_t machine;
	struct pario_missing_start last; /* its last exec; ticks 0 = none, or it failed */
};

/* A segment begins; then its records in their order; then its end. */
void pario_missing_begin(struct pario_missing *m, const struct pario_trace_segment *head);
void pario_missing_record(struct pario_missing *m, const struct pario_trace_record *record);
void pario_missing_end(struct pario_missing *m);

/* The next one that left nothing, from *at = 0 on; NULL behind the last. */
const struct pario_missing_start *pario_missing_next(const struct pario_missing *m, uint32_t *at);

/* The name of its program, "" when it is not known. Looked up in the segments, which must still be there. */
void pario_missing_name(const struct pario_missing_start *start, const char *directory, char *name,
			size_t capacity);

void pario_missing_release(struct pario_missing *m);

#endif
