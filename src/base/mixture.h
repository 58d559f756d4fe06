/*
 * mixture: do times come from one source or from two? A mixture of two normal distributions of their logarithms,
 * fitted to a histogram.
 *
 * The fit begins where a cut leaves the least variance on both sides, and takes a fixed number of steps, so that the
 * same histogram has the same answer. Two are believed only where they are clearly better than one (by the Bayesian
 * information criterion), far apart (a factor of 4), apart from each other's widths, and where both have a share that
 * is more than a few outliers.
 */
#ifndef PARIO_BASE_MIXTURE_H
#define PARIO_BASE_MIXTURE_H

#include <stdbool.h>
#include <stddef.h>

struct pario_mixture {
	bool two;
	double share; /* of the faster one: 1 when there is only one */
	double mean
		[2]; /* of the logarithms, the faster one first; both the same when there is one */
	double deviation[2]; /* of the logarithms */
	size_t border; /* bins from this one on are of the slower one; the count when there is one */
	double gain;   /* by how much two are better than one, in units of the criterion */
};

/* `logs` grow; `weights` are numbers of observations. */
struct pario_mixture pario_mixture_fit(const double *logs, const double *weights, size_t count);

#endif
