/*
 * verdict: is the I/O of a program worth changing at all? The share of its run that it takes, and which class of calls
 * takes most of that: that class has a finding, or a sentence says why there is none.
 *
 * The share is that of the busiest rank; without ranks, of the time in which at least one process was in a call
 * on storage. Threads beside each other count once.
 */
#ifndef PARIO_PROFILE_FINDINGS_VERDICT_H
#define PARIO_PROFILE_FINDINGS_VERDICT_H

#include "profile/findings/findings.h"

struct pario_verdict {
	double run_ns, io_ns; /* io: of the busiest rank, or of all processes together */
	uint32_t ranks, rank; /* rank: the busiest */
	double mean_ns;	      /* of the ranks */
	bool worth;	      /* takes enough of the run */
	uint8_t class;	      /* of calls, that takes most of the I/O time */
	uint32_t finding;     /* the first about it, from 1; 0: none, or about too little of it */
};

struct pario_verdict pario_verdict_of(const struct pario_profile *p,
				      const struct pario_profile_findings *f);

static inline double pario_verdict_share(const struct pario_verdict *v)
{
	return v->run_ns > 0 ? v->io_ns / v->run_ns : 0;
}

/* The share, and where it is small, that nothing is worth changing; then about the class. */
void pario_verdict_says(const struct pario_verdict *v, const struct pario_profile *p,
			struct pario_text *text);

#endif
