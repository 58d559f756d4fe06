/*
 * difference: is b another number than a, or the same one measured twice?
 *
 * The ratio is that of the medians, its interval comes from resampling both sides (bootstrap), and the Mann-Whitney
 * test asks whether values of one side tend to be larger. Neither assumes a distribution. A difference is
 * reported only if both agree: the 95 % interval excludes 1, and p is below 5 %.
 *
 * Few repetitions cannot show a difference whatever their values: 3 and 3 reach p = 0.1 at best, 4 and 4 reach 0.03.
 */
#ifndef PARIO_REPORT_COMPARE_DIFFERENCE_H
#define PARIO_REPORT_COMPARE_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#define PARIO_DIFFERENCE_LEVEL 0.05

struct pario_difference {
	double ratio, low, high; /* median of b over median of a; NaN where there is none */
	double p;		 /* Mann-Whitney, two-sided */
	bool decidable;		 /* enough values that p could be below the level */
	bool differs;
	bool apart; /* every value of b is above, or every one below, all values of a */
	bool grows; /* the median of b is above that of a */
};

/*
 * Where a value is not positive there is no ratio, and the test alone decides. The same values give the same answer:
 * the resampling starts from a fixed seed.
 */
struct pario_difference pario_difference_of(const double *a, size_t a_count, const double *b,
					    size_t b_count);

/* Two-sided p; exact (by counting, ties included) up to 40 values in all, normal approximation beyond. */
double pario_difference_mann_whitney(const double *a, size_t a_count, const double *b,
				     size_t b_count);

/* The smallest p that so many values can give: 2 over the number of ways to deal them out. */
double pario_difference_least_p(size_t a_count, size_t b_count);

#endif
