/*
 * stats: the few numbers that describe a sample. Deviations are population values (divide by n),
 * as the consortium defines them (docs/tests.md).
 */
#ifndef PARIO_BASE_STATS_H
#define PARIO_BASE_STATS_H

#include <stddef.h>

struct pario_stats {
	size_t count;
	double min, mean, max, variance;
};

struct pario_stats pario_stats_of(const double *values, size_t count);

/* Median of an unsorted sample; sorts `values` in place. NaN for an empty sample. */
double pario_stats_median(double *values, size_t count);

/*
 * 95 % interval of the median from order statistics, no distribution assumed; sorts `values` in
 * place. Samples below 6 cannot carry 95 %: then low and high are the extremes and the return
 * value is the coverage that the extremes really have (1 - 2^(1-n)).
 */
double pario_stats_median_interval(double *values, size_t count, double *low, double *high);

/* Half-width of the 95 % Student interval of the mean; NaN below two values. */
double pario_stats_mean_halfwidth(const double *values, size_t count);

/* Quantile of Student's t with `freedom` degrees, and of the normal distribution. */
double pario_stats_student(double p, double freedom);
double pario_stats_normal(double p);

/* Chance that Student's t with `freedom` degrees is as far from 0 as `t` or further: two-sided. */
double pario_stats_student_p(double t, double freedom);

/* Regularised incomplete beta function I_x(a, b). */
double pario_stats_beta(double a, double b, double x);

#endif
