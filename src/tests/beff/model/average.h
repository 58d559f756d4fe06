/*
 * average: from single measurements to the published figures (docs/beff.md).
 *
 *	b_eff = logavg(logavg over rings of A, logavg over random patterns of A)
 *	A(pattern) = mean over the 21 lengths of the maximum over methods and repetitions
 *
 * with logavg the mean on the logarithmic scale. A repetition or method that was not measured takes no part in a
 * maximum. A random pattern that lacks a length takes no part at all; a ring pattern that lacks one leaves no b_eff.
 */
#ifndef PARIO_TESTS_BEFF_MODEL_AVERAGE_H
#define PARIO_TESTS_BEFF_MODEL_AVERAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/beff/model/pattern.h"
#include "tests/beff/model/table.h"

/* All in byte/s and seconds, NaN where it was not measured. */
struct pario_beff_figures {
	unsigned randoms; /* random patterns that are complete and count */
	double b_eff, rings, random;
	double lmax, lmax_rings, lmax_random; /* only the longest message */
	double latency_s, latency_rings_s, latency_ping_pong_s;
	double ping_pong; /* longest message */
	/* For information: the same average with its steps in another order. */
	double method_after_length;	      /* (2) logavg_pat max_mthd avg_L max_rep */
	double repetition_after_length;	      /* (3) logavg_pat max_rep avg_L max_mthd */
	double by_method[PARIO_BEFF_METHODS]; /* (4) logavg_pat avg_L max_rep */
	double by_length[PARIO_BEFF_LENGTHS]; /* (5) logavg_pat max_mthd max_rep */
	double rings_by_length[PARIO_BEFF_LENGTHS], random_by_length[PARIO_BEFF_LENGTHS];
};

/* Mean on the logarithmic scale; NaN when a value is not positive or there is none. */
double pario_beff_logavg(const double *values, size_t count);

/* The best of a pattern at a length; of one method or, with -1, of all. */
double pario_beff_best(const struct pario_beff_table *table, unsigned pattern, unsigned length,
		       int method);

/* A(pattern), NaN when a length lacks. */
double pario_beff_mean(const struct pario_beff_table *table, unsigned pattern);

/* Everything above. False when there is no b_eff; the other figures are set as far as they are known. */
bool pario_beff_average(const struct pario_beff_table *table,
			const struct pario_beff_pattern *patterns,
			struct pario_beff_figures *figures);

#endif
