/*
 * test_stats: moments, medians, intervals; distributions against values computed with 30 digits.
 */
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "unit.h"

static void near(double value, double expected, double relative)
{
	if (!(fabs(value - expected) <= relative * fabs(expected)))
		fail_msg("%.17g is not within %g of %.17g", value, relative, expected);
}

static void moments(void **state)
{
	const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	struct pario_stats s = pario_stats_of(values, COUNT_OF(values));

	(void)state;
	assert_int_equal(s.count, 8);
	assert_true(s.min == 2 && s.max == 9 && s.mean == 5 && s.variance == 4);
	s = pario_stats_of(values, 1);
	assert_true(s.min == 2 && s.max == 2 && s.mean == 2 && s.variance == 0);
	s = pario_stats_of(values, 0);
	assert_true(s.count == 0 && isnan(s.min) && isnan(s.mean) && isnan(s.variance));
}

static void variance_survives_an_offset(void **state)
{
	double values[1000];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(values); i++)
		values[i] = 1e9 + (double)(i % 2);
	near(pario_stats_of(values, COUNT_OF(values)).variance, 0.25, 1e-9);
}

static void medians(void **state)
{
	double odd[] = { 5, 1, 4 }, even[] = { 8, 1, 4, 2 }, gaps[] = { NAN, 3, 1, 2, NAN };

	(void)state;
	assert_true(pario_stats_median(odd, 3) == 4);
	assert_true(pario_stats_median(even, 4) == 3);
	assert_true(even[0] == 1 && even[3] == 8);
	assert_true(isnan(pario_stats_median(odd, 0)));
	assert_true(pario_stats_median(gaps, 5) == 3 && isnan(gaps[4]));
}

/* Binomial(n, 1/2) up to k - 1, added term by term. */
static double tail(unsigned k, unsigned n)
{
	double term = pow(0.5, n), sum = 0;

	for (unsigned i = 0; i < k; i++) {
		sum += term;
		term *= (double)(n - i) / (double)(i + 1);
	}
	return sum;
}

static void median_intervals(void **state)
{
	static const unsigned table[][2] = { { 6, 1 },	{ 8, 1 },   { 9, 2 },
					     { 10, 2 }, { 15, 4 },  { 20, 6 },
					     { 25, 8 }, { 50, 18 }, { 100, 40 } };
	double values[100], low, high;

	(void)state;
	for (size_t t = 0; t < COUNT_OF(table); t++) {
		unsigned n = table[t][0], k = table[t][1];

		for (unsigned i = 0; i < n; i++)
			values[i] = n - i;
		near(pario_stats_median_interval(values, n, &low, &high), 1 - 2 * tail(k, n),
		     1e-12);
		assert_true(low == k && high == n + 1 - k);
	}
	for (unsigned n = 1; n <= 100; n++) {
		double coverage;

		for (unsigned i = 0; i < n; i++)
			values[i] = n - i;
		coverage = pario_stats_median_interval(values, n, &low, &high);
		assert_true(low <= high && low + high == n + 1);
		if (n < 6)
			near(coverage + 1, 2 - ldexp(1, 1 - (int)n), 1e-12);
		else
			assert_true(coverage >= 0.95 && 1 - 2 * tail((unsigned)low + 1, n) < 0.95);
	}
	assert_true(pario_stats_median_interval(values, 0, &low, &high) == 0 && isnan(low));
}

static void large_median_interval(void **state)
{
	const size_t n = 1000000;
	double *values = malloc(n * sizeof(*values)), low, high, coverage;

	(void)state;
	assert_non_null(values);
	for (size_t i = 0; i < n; i++)
		values[i] = (double)i;
	coverage = pario_stats_median_interval(values, n, &low, &high);
	assert_true(coverage >= 0.95 && coverage < 0.9521);
	/* normal approximation: n/2 -+ 1.96 sqrt(n)/2 = 499020 */
	assert_true(fabs(low - 499020) < 3);
	free(values);
}

static void student_quantiles(void **state)
{
	static const struct {
		double freedom, p975, p995;
	} table[] = {
		{ 1, 12.7062047361747, 63.65674116287158 },
		{ 2, 4.302652729749464, 9.924843200918293 },
		{ 3, 3.18244630528371, 5.840909309733357 },
		{ 4, 2.776445105197794, 4.604094871349993 },
		{ 5, 2.570581835636316, 4.032142983555228 },
		{ 9, 2.262157162798206, 3.249835541592126 },
		{ 10, 2.228138851986275, 3.169272672616951 },
		{ 30, 2.042272456301238, 2.749995653567225 },
		{ 120, 1.979930405082441, 2.617421145106866 },
		{ 1000, 1.962339080826408, 2.580754698065951 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(table); i++) {
		near(pario_stats_student(0.975, table[i].freedom), table[i].p975, 1e-11);
		near(pario_stats_student(0.995, table[i].freedom), table[i].p995, 1e-11);
		near(pario_stats_student(0.025, table[i].freedom), -table[i].p975, 1e-11);
		assert_true(pario_stats_student(0.5, table[i].freedom) == 0);
	}
	near(pario_stats_student(0.6, 5), 0.2671808657041451, 1e-11);
	near(pario_stats_student(0.999999, 1), 318309.8861827435, 1e-9);
	near(pario_stats_student(0.975, 1e12), 1.9599639845400542, 1e-9);
	assert_true(isnan(pario_stats_student(0.9, 0)) && isnan(pario_stats_student(2, 3)));
	assert_true(isinf(pario_stats_student(1, 3)) && pario_stats_student(0, 3) < 0);
}

static void normal_quantiles(void **state)
{
	(void)state;
	near(pario_stats_normal(0.975), 1.9599639845400542, 1e-13);
	near(pario_stats_normal(0.995), 2.5758293035489008, 1e-13);
	near(pario_stats_normal(0.6), 0.2533471031357998, 1e-13);
	near(pario_stats_normal(1e-10), -6.3613409024040562, 1e-13);
	assert_true(pario_stats_normal(0.5) == 0);
	assert_true(isnan(pario_stats_normal(-0.1)) && isnan(pario_stats_normal(NAN)));
}

static void beta_function(void **state)
{
	(void)state;
	near(pario_stats_beta(2, 3, 0.4), 0.5248, 1e-14);
	near(pario_stats_beta(0.5, 0.5, 0.3), 0.36901011956554538, 1e-13);
	near(pario_stats_beta(10, 0.5, 0.99), 0.65792817515678447, 1e-13);
	near(pario_stats_beta(500, 400, 0.55), 0.36785761969962107, 1e-11);
	near(pario_stats_beta(0.1, 20, 0.001), 0.70799700842341538, 1e-13);
	near(pario_stats_beta(50000, 50000, 0.5), 0.5, 1e-9);
	for (double x = 0.05; x < 1; x += 0.05)
		near(pario_stats_beta(3.5, 7.25, x), 1 - pario_stats_beta(7.25, 3.5, 1 - x), 1e-12);
	assert_true(pario_stats_beta(2, 3, 0) == 0 && pario_stats_beta(2, 3, 1) == 1);
	assert_true(isnan(pario_stats_beta(0, 1, 0.5)) && isnan(pario_stats_beta(1, 1, NAN)));
}

static void halfwidths(void **state)
{
	const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };

	(void)state;
	/* sample deviation sqrt(32 / 7), t(0.975, 7) = 2.364624251592785 */
	near(pario_stats_mean_halfwidth(values, 8), 2.364624251592785 * sqrt(32.0 / 7 / 8), 1e-11);
	assert_true(isnan(pario_stats_mean_halfwidth(values, 1)));
	assert_true(isnan(pario_stats_mean_halfwidth(values, 0)));
}

/* A 95 % interval must hold the true value in about 95 % of many samples; the seed is fixed. */
static void intervals_cover(void **state)
{
	enum { TRIALS = 4000, SIZE = 12 };
	unsigned mean_hits = 0, median_hits = 0;
	double values[SIZE], low, high, coverage = 0;

	(void)state;
	for (uint64_t trial = 0; trial < TRIALS; trial++) {
		double mean, half;

		for (uint64_t i = 0; i < SIZE; i++)
			values[i] = pario_stats_normal(
				((double)(pario_random_join(trial, i) >> 12) + 0.5) * 0x1p-52);
		mean = pario_stats_of(values, SIZE).mean;
		half = pario_stats_mean_halfwidth(values, SIZE);
		mean_hits += fabs(mean) <= half;
		coverage = pario_stats_median_interval(values, SIZE, &low, &high);
		median_hits += low <= 0 && high >= 0;
	}
	/* four standard errors of a binomial share */
	assert_true(fabs(mean_hits / (double)TRIALS - 0.95) < 4 * sqrt(0.95 * 0.05 / TRIALS));
	assert_true(fabs(median_hits / (double)TRIALS - coverage) <
		    4 * sqrt(coverage * (1 - coverage) / TRIALS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moments),
		cmocka_unit_test(variance_survives_an_offset),
		cmocka_unit_test(medians),
		cmocka_unit_test(median_intervals),
		cmocka_unit_test(large_median_interval),
		cmocka_unit_test(student_quantiles),
		cmocka_unit_test(normal_quantiles),
		cmocka_unit_test(beta_function),
		cmocka_unit_test(halfwidths),
		cmocka_unit_test(intervals_cover),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
