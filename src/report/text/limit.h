/*
 * limit: what this machine could do instead of what a line of the table says, as far as the same run has measured it.
 *
 * The limit is the fastest of the other ways to move the same bytes: with a file per client, through MPI-IO, past the
 * page cache (O_DIRECT), and for the fastest where that was not measured, a copy of memory. Creating, looking at and
 * removing names moves no bytes: there it is as many times what the smallest number of clients did as there are more
 * of them. It misleads where the limit was measured at a better moment.
 */
#ifndef PARIO_REPORT_TEXT_LIMIT_H
#define PARIO_REPORT_TEXT_LIMIT_H

#include <stddef.h>

#include "report/text/region.h"

#define PARIO_LIMIT_LINEAR "linear"

struct pario_way {
	const char *id;
	const char *others; /* ids of other ways to move the same bytes, separated by commas */
	const char
		*raw; /* of the storage itself; where it was not measured, memory stands for it */
	double times; /* slower than another way by this is worth a sentence; 0 = never */
	const char *brief, *name; /* in a cell, in a sentence */
	const char *advice;	  /* to whom is slower than this way */
};

/* NULL = nothing else moves the bytes of this line. */
const struct pario_way *pario_way_of(const char *id);

/* Fills in `limit` and `share` of all lines. */
void pario_limits_find(struct pario_region *regions, size_t count);

/*
 * The line of the fastest of `ways` (ids, separated by commas) whose numbers are trusted, or NULL; and how much a line
 * moves with all clients, in MiB/s, NaN where it moves nothing.
 */
const struct pario_region *pario_limit_fastest(const struct pario_region *regions, size_t count,
					       const char *ways);

#endif
