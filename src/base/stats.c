/*
 * stats: moments, medians and intervals of small samples.
 *
 * Student's t comes from the incomplete beta function (Abramowitz and Stegun 26.5 and 26.7);
 * quantiles are found by halving an interval, which is slow, exact to the last bits, and only done
 * once per result.
 */
#include "base/stats.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

struct pario_stats pario_stats_of(const double *values, size_t count)
{
	struct pario_stats s = {
		.count = count, .min = NAN, .mean = NAN, .max = NAN, .variance = NAN
	};
	double sum = 0, squares = 0, n = (double)count;

	if (!count)
		return s;
	s.min = s.max = values[0];
	for (size_t i = 0; i < count; i++) {
		s.min = fmin(s.min, values[i]);
		s.max = fmax(s.max, values[i]);
		sum += values[i];
	}
	s.mean = sum / n;
	for (size_t i = 0; i < count; i++)
		squares += (values[i] - s.mean) * (values[i] - s.mean);
	s.variance = squares / n;
	return s;
}

/* Ascending, with NaN at the end so that the order stays an order. */
static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

double pario_stats_median(double *values, size_t count)
{
	if (!count)
		return NAN;
	qsort(values, count, sizeof(*values), by_value);
	if (count % 2)
		return values[count / 2];
	return values[count / 2 - 1] + (values[count / 2] - values[count / 2 - 1]) / 2;
}

/* Chance that fewer than k of n values lie below the median: binomial(n, 1/2) up to k - 1. */
static double fewer_than(size_t k, size_t n)
{
	return k ? pario_stats_beta((double)(n - k + 1), (double)k, 0.5) : 0;
}

double pario_stats_median_interval(double *values, size_t count, double *low, double *high)
{
	size_t k = 1, above;

	if (!count) {
		*low = *high = NAN;
		return 0;
	}
	qsort(values, count, sizeof(*values), by_value);
	/* the largest k whose two tails together stay below 5 % */
	for (above = count / 2 + 1; above - k > 1;) {
		size_t mid = k + (above - k) / 2;

		if (fewer_than(mid, count) <= 0.025)
			k = mid;
		else
			above = mid;
	}
	*low = values[k - 1];
	*high = values[count - k];
	return 1 - 2 * fewer_than(k, count);
}

double pario_stats_mean_halfwidth(const double *values, size_t count)
{
	struct pario_stats s = pario_stats_of(values, count);

	if (count < 2)
		return NAN;
	/* variance divides by n, the interval of a mean needs n - 1 */
	return pario_stats_student(0.975, (double)(count - 1)) *
	       sqrt(s.variance / (double)(count - 1));
}

static double not_zero(double x)
{
	return fabs(x) < DBL_MIN ? DBL_MIN : x;
}

/*
 * The continued fraction of I_x(a, b) (A&S 26.5.8), evaluated from the front with ratios of
 * successive numerators and denominators. It needs of the order of sqrt(max(a, b)) steps.
 */
static double fraction(double a, double b, double x)
{
	double numerator = 1, denominator = 0, value = 1, change;
	int i = 1;

	do {
		double m = i / 2, d;

		if (i % 2)
			d = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		else
			d = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		denominator = 1 / not_zero(1 + d * denominator);
		numerator = not_zero(1 + d / numerator);
		change = numerator * denominator;
		value *= change;
	} while (fabs(change - 1) > 2 * DBL_EPSILON && i++ < 100000);
	return value;
}

static double log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

double pario_stats_beta(double a, double b, double x)
{
	double front;

	if (isnan(a) || isnan(b) || isnan(x) || a <= 0 || b <= 0)
		return NAN;
	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
	/* the fraction converges fast on this side of the mean only */
	if (x < (a + 1) / (a + b + 2))
		return front / a / fraction(a, b, x);
	return 1 - front / b / fraction(b, a, 1 - x);
}

/* Upper tails, for t >= 0. Each half of Student's is taken from the side where nothing cancels. */
static double student_tail(double t, double freedom)
{
	double square = t * t;

	if (square < freedom)
		return 0.5 - pario_stats_beta(0.5, freedom / 2, square / (freedom + square)) / 2;
	/* freedom / (freedom + t^2), written so that the square of a large t cannot overflow */
	return pario_stats_beta(freedom / 2, 0.5, 1 / (1 + t / freedom * t)) / 2;
}

static double normal_tail(double t, double unused)
{
	(void)unused;
	return erfc(t * M_SQRT1_2) / 2;
}

/* The t whose lower tail is p, for a distribution symmetric about 0. */
static double invert(double (*tail)(double, double), double p, double freedom)
{
	double q = fmin(p, 1 - p), low = 0, high = 1;

	if (isnan(p) || p < 0 || p > 1)
		return NAN;
	if (q <= 0)
		return p > 0.5 ? INFINITY : -INFINITY;
	if (p == 0.5)
		return 0;
	while (high < DBL_MAX / 2 && tail(high, freedom) > q) {
		low = high;
		high *= 2;
	}
	for (int i = 0; i < 200 && high - low > high * DBL_EPSILON; i++) {
		double mid = low + (high - low) / 2;

		if (tail(mid, freedom) > q)
			low = mid;
		else
			high = mid;
	}
	return p > 0.5 ? high : -high;
}

double pario_stats_normal(double p)
{
	return invert(normal_tail, p, 0);
}

double pario_stats_student(double p, double freedom)
{
	if (isnan(freedom) || freedom <= 0)
		return NAN;
	/* beyond this the two differ by less than the function's own rounding */
	if (freedom > 1e9)
		return pario_stats_normal(p);
	return invert(student_tail, p, freedom);
}

double pario_stats_student_p(double t, double freedom)
{
	if (isnan(t) || isnan(freedom) || freedom <= 0)
		return NAN;
	return isinf(t) ? 0 : 2 * student_tail(fabs(t), freedom);
}
