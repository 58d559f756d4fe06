/*
 * region: one line of the at-a-glance table: a region of the access space, its number, its spread, its scaling.
 */
#ifndef PARIO_REPORT_TEXT_REGION_H
#define PARIO_REPORT_TEXT_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "journal/result.h"
#include "report/text/style.h"

/* A number that rests on fewer values proves nothing. */
enum { PARIO_REGION_COUNTS = 16, PARIO_REGION_LEAST = 3, PARIO_REGION_LIMIT = 32 };

enum pario_region_value {
	PARIO_REGION_RATE, /* MiB/s */
	PARIO_REGION_OPS,  /* operations per second */
	PARIO_REGION_TIME, /* seconds, a metric of the test: less is better */
	PARIO_REGION_VALUE, /* a metric of the test of which more is better: MB/s (10^6), or `unit` */
};

/* Medians over the repetitions, one per client count in rising order. */
struct pario_region {
	const char *id, *region, *what;
	enum pario_region_value value;
	const char *metric; /* with PARIO_REGION_TIME and PARIO_REGION_VALUE */
	const char *unit;   /* of PARIO_REGION_VALUE; NULL = MB/s */
	size_t count;
	uint64_t clients[PARIO_REGION_COUNTS];
	double median[PARIO_REGION_COUNTS], low[PARIO_REGION_COUNTS], high[PARIO_REGION_COUNTS];
	size_t numbers[PARIO_REGION_COUNTS],
		all[PARIO_REGION_COUNTS]; /* repetitions with one, and in all */
	double p99_ns;			  /* at the largest count */
	double op_bytes;		  /* moved by one operation, or 0 */
	double share; /* of what `limit` says the machine could do (limit.h); NaN = not known */
	const char *limit; /* in a word */
	double others; /* likewise: the share of the processors that others used; NaN = not known */
	size_t failures;
	bool suspect, failed, unofficial;
	bool in_memory; /* of the file system: nothing was measured that holds data for long */
	char reason[256];
	char not_excluded
		[160]; /* caches that may have held what was read: then `named` stands for `what` */
	char named[48];
};

/* Takes the results of one phase (any repetitions and client counts) in. */
void pario_region_take(struct pario_region *region, const struct pario_result *results,
		       size_t count, const char *phase);

/* The cells of a line behind its name: number, interval (or "one value"), share of the limit, what else there is. */
struct pario_region_cells {
	char number[64], interval[96], limit[PARIO_REGION_LIMIT];
	struct pario_text look; /* the caller releases it */
};
void pario_region_cells(const struct pario_region *region, struct pario_region_cells *cells);

/* The table with its header, then the reasons of what is suspect or failed. */
void pario_region_table(struct pario_text *out, const struct pario_style *style,
			const struct pario_region *regions, size_t count);

/* Every number rests on enough values and none is suspect. */
bool pario_region_proves(const struct pario_region *region);

/* Largest median and where it is; NaN when there is none. */
double pario_region_best(const struct pario_region *region, uint64_t *clients);
/* The median at the largest client count; NaN when there is none. */
double pario_region_last(const struct pario_region *region);

#endif
