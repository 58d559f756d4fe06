/*
 * alternate: two ways of measuring the same, in turn, until what is asked for is known.
 */
#ifndef PARIO_CMD_ALTERNATE_H
#define PARIO_CMD_ALTERNATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum pario_alternate_end {
	PARIO_ALTERNATE_NARROW,	     /* every interval is narrow enough */
	PARIO_ALTERNATE_LATE,	     /* the time limit was over */
	PARIO_ALTERNATE_INTERRUPTED, /* by a signal */
	PARIO_ALTERNATE_FAILED,	     /* one of the measurements */
};

struct pario_alternate {
	const char *side[2];	   /* as the user wrote them */
	const char *const *common; /* words for both */
	size_t common_count;
	const char *output; /* "" = pario-results/TIME-compare-ID */
	double time_limit;
	uint64_t seed; /* of the order within pairs; 0 = a new one */
	bool quiet;    /* no line per pair */

	/* Asked after each pair from the fifth on: are all intervals narrow enough? 1, 0, or negative. */
	int (*enough)(void *self, const char *directory, struct pario_err *err);
	void *self;

	/* what came of it */
	char directory[4096]; /* a/001, b/001, a/002, ... lie in it */
	int place;	      /* the same, held open while it runs */
	size_t pairs;
	double seconds;
	enum pario_alternate_end end;
	int code; /* of the measurement that failed */
};

int pario_alternate_run(struct pario_alternate *alternate, struct pario_err *err);

#endif
