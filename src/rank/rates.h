/*
 * rates: the numbers of runs that are compared with those of others: rates, higher being better. Of several client
 * counts of one measurement the best total counts, as in lists of results.
 */
#ifndef PARIO_RANK_RATES_H
#define PARIO_RANK_RATES_H

#include "base/text.h"
#include "rank/rank.h"
#include "report/page/group.h"

struct pario_rate {
	const struct pario_group *group;
	const char *world; /* the phase of io500 that does the same; NULL = none */
	const char *unit;
	double value, nodes, clients; /* NaN where it is not known */
};

/* The rates of all runs of an archive; `rates` has room for all groups. Returns how many there are. */
size_t pario_rates_of(struct pario_groups *groups, struct pario_rate *rates);

/* The value for one node or client; that of the whole for PARIO_RANK_WHOLE. */
double pario_rate_per(const struct pario_rate *rate, enum pario_rank_per per);

/* Do both measure the same? */
bool pario_rate_alike(const struct pario_rate *a, const struct pario_rate *b);

/* "mdtest-easy-stat" of io500, else "transfer write, part=large". */
void pario_rate_name(const struct pario_rate *rate, struct pario_text *out);

/* The share of sorted values that lies below one, between two of them on a log scale. */
double pario_rank_share(const double *sorted, size_t count, double value);
int pario_rank_ascending(const void *a, const void *b);

#endif
