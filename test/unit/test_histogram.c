/*
 * test_histogram: quantiles within 1 % of the sorted sample, and merging that changes nothing.
 */
#include "base/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "unit.h"

enum { SAMPLES = 20000 };

static int64_t sample[SAMPLES];
static struct pario_histogram h;

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Log-uniform from 1 ns to 2^43 ns: every octave takes part. */
static void draw(uint64_t seed)
{
	for (uint64_t i = 0; i < SAMPLES; i++) {
		double u = (double)(pario_random_join(seed, i) >> 11) * 0x1p-53;

		sample[i] = (int64_t)exp2(43 * u);
	}
}

static void buckets_are_contiguous(void **state)
{
	(void)state;
	for (uint64_t v = 0; v < 1000000; v++) {
		unsigned step = pario_histogram_index(v + 1) - pario_histogram_index(v);

		assert_true(step <= 1);
	}
	for (unsigned bit = 7; bit < 44; bit++)
		assert_int_equal(pario_histogram_index(1ull << bit),
				 pario_histogram_index((1ull << bit) - 1) + 1);
	assert_int_equal(pario_histogram_index((1ull << 44) - 1), PARIO_HISTOGRAM_BUCKETS - 1);
	assert_int_equal(pario_histogram_index(1ull << 44), PARIO_HISTOGRAM_BUCKETS - 1);
	assert_int_equal(pario_histogram_index(UINT64_MAX), PARIO_HISTOGRAM_BUCKETS - 1);
}

static void quantiles_are_close(void **state)
{
	static const double shares[] = { 0, 0.001, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1 };

	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		draw(seed);
		memset(&h, 0, sizeof(h));
		for (size_t i = 0; i < SAMPLES; i++)
			pario_histogram_add(&h, sample[i]);
		qsort(sample, SAMPLES, sizeof(*sample), by_value);
		for (size_t i = 0; i < COUNT_OF(shares); i++) {
			double position = fmax(ceil(shares[i] * SAMPLES), 1);
			double exact = (double)sample[(size_t)position - 1];

			assert_true(fabs(pario_histogram_quantile(&h, shares[i]) - exact) <=
				    0.01 * exact);
		}
		assert_true(h.min_ns == (uint64_t)sample[0]);
		assert_true(h.max_ns == (uint64_t)sample[SAMPLES - 1]);
	}
}

static void edges(void **state)
{
	(void)state;
	memset(&h, 0, sizeof(h));
	assert_true(isnan(pario_histogram_quantile(&h, 0.5)));
	pario_histogram_add(&h, -5);
	assert_true(h.count == 1 && h.min_ns == 0 && h.max_ns == 0);
	assert_true(pario_histogram_quantile(&h, 0.5) == 0);
	memset(&h, 0, sizeof(h));
	for (int i = 0; i < 9; i++)
		pario_histogram_add(&h, INT64_MAX);
	assert_true(pario_histogram_quantile(&h, 0.5) == (double)INT64_MAX);
	pario_histogram_add(&h, 1000);
	assert_true(h.min_ns == 1000);
	assert_true(pario_histogram_quantile(&h, -1) == 1000);
	assert_true(pario_histogram_quantile(&h, 2) == (double)INT64_MAX);
	assert_true(isnan(pario_histogram_quantile(&h, NAN)));
}

static void small_values_are_exact(void **state)
{
	(void)state;
	memset(&h, 0, sizeof(h));
	for (int64_t v = 0; v < 128; v++)
		pario_histogram_add(&h, v);
	for (int64_t v = 0; v < 128; v++)
		assert_true(pario_histogram_quantile(&h, (double)(v + 1) / 128) == (double)v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_are_contiguous),
		cmocka_unit_test(quantiles_are_close),
		cmocka_unit_test(edges),
		cmocka_unit_test(small_values_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
