/*
 * darshan_sums: what is made of Darshan's records, of logs and of dumps: the counters of a module summed over its
 * records, and the calls of DXT with their times. Reading, writing and metadata become a result each.
 */
#ifndef PARIO_IMPORT_DARSHAN_SUMS_H
#define PARIO_IMPORT_DARSHAN_SUMS_H

#include "base/histogram.h"
#include "import/darshan.h"

enum {
	PARIO_DARSHAN_SUMS = 40,
	PARIO_DARSHAN_NAME = 32,
	PARIO_DARSHAN_PHASES = 3,
	PARIO_DARSHAN_KNOWN = 192
};

struct pario_darshan_sum {
	double bytes, ops, seconds;
	double begin, end;	       /* seconds since the job's start; NaN while none is told */
	struct pario_histogram *times; /* of single calls; NULL: they are not told */
};

struct pario_darshan_sums {
	struct pario_darshan_of {
		char name[PARIO_DARSHAN_NAME];
		struct pario_darshan_sum sum[PARIO_DARSHAN_PHASES];
		double records;
		signed char known
			[PARIO_DARSHAN_KNOWN]; /* what a counter is for, by its place in a record, +2; 0: not yet known */
	} module[PARIO_DARSHAN_SUMS];
	size_t modules;
	bool no_memory;
};

/* Of the name; NULL where there are too many. */
struct pario_darshan_of *pario_darshan_sums_of(struct pario_darshan_sums *sums, const char *module);

/* A counter; `place` in its record, or PARIO_DARSHAN_KNOWN where that is not known. */
void pario_darshan_sums_counter(struct pario_darshan_of *module, const char *counter,
				unsigned place, double value);

/* A call of DXT: a write, or a read. */
void pario_darshan_sums_call(struct pario_darshan_sums *sums, const char *module, bool write,
			     double bytes, double begin, double end);

/* All of it as results. */
int pario_darshan_sums_harvest(const struct pario_darshan_sums *sums, struct pario_harvest *harvest,
			       const struct pario_darshan_job *job, struct pario_err *err);
void pario_darshan_sums_release(struct pario_darshan_sums *sums);

#endif
