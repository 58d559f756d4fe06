/*
 * The Mann-Whitney test against known values and against plain enumeration, and what is called a difference.
 */
#include "report/compare/difference.h"

#include <math.h>

#include "unit.h"

enum { MOST = 10 };

static double sum_of_ranks(const double *all, size_t n, unsigned chosen)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double below = 0, equal = 0;

		if (!(chosen >> i & 1))
			continue;
		for (size_t k = 0; k < n; k++) {
			below += all[k] < all[i];
			equal += all[k] == all[i];
		}
		sum += below + (equal + 1) / 2;
	}
	return sum;
}

/* All ways to choose a_count of the values, one by one. */
static double enumerated(const double *a, size_t a_count, const double *b, size_t b_count)
{
	double all[MOST], middle, seen, ways = 0, far = 0;
	size_t n = a_count + b_count;

	for (size_t i = 0; i < n; i++)
		all[i] = i < a_count ? a[i] : b[i - a_count];
	middle = (double)a_count * (double)(n + 1) / 2;
	seen = fabs(sum_of_ranks(all, n, (1u << a_count) - 1) - middle);
	for (unsigned chosen = 0; chosen < 1u << n; chosen++) {
		if ((size_t)__builtin_popcount(chosen) != a_count)
			continue;
		ways++;
		far += fabs(sum_of_ranks(all, n, chosen) - middle) >= seen - 1e-9;
	}
	return far / ways;
}

static void separate_samples(void **state)
{
	const double low[] = { 1, 2, 3, 4, 5 }, high[] = { 10, 11, 12, 13, 14 };

	(void)state;
	assert_float_equal(pario_difference_mann_whitney(low, 3, high, 3), 0.1, 1e-12);
	assert_float_equal(pario_difference_mann_whitney(low, 4, high, 4), 2.0 / 70, 1e-12);
	assert_float_equal(pario_difference_mann_whitney(low, 5, high, 5), 2.0 / 252, 1e-12);
	assert_float_equal(pario_difference_mann_whitney(high, 5, low, 5), 2.0 / 252, 1e-12);
	assert_float_equal(pario_difference_least_p(5, 5), 2.0 / 252, 1e-12);
	assert_float_equal(pario_difference_least_p(1, 1), 1, 1e-12);
}

static void as_enumerated(void **state)
{
	static const double samples[][2][5] = {
		{ { 1, 2, 2, 5, 9 }, { 2, 3, 4, 4, 8 } },
		{ { 5, 5, 5, 5, 5 }, { 5, 5, 5, 5, 5 } },
		{ { 1, 4, 6, 7, 10 }, { 2, 3, 5, 8, 9 } },
		{ { 3, 3, 3, 4, 4 }, { 4, 4, 5, 5, 5 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		for (size_t n = 1; n <= 5; n++)
			assert_float_equal(
				pario_difference_mann_whitney(samples[i][0], n, samples[i][1], 5),
				enumerated(samples[i][0], n, samples[i][1], 5), 1e-12);
	}
}

/* Beyond 40 values p comes from the normal distribution; one value more must not change the story. */
static void large_samples(void **state)
{
	double a[24], b[24], exact, approximate;

	(void)state;
	for (int i = 0; i < 24; i++) {
		a[i] = i * 7 % 24 + 0.1;
		b[i] = i * 7 % 24 + 6.3;
	}
	exact = pario_difference_mann_whitney(a, 20, b, 20);
	approximate = pario_difference_mann_whitney(a, 20, b, 21);
	assert_true(exact > 0 && exact < 1);
	assert_true(fabs(exact - approximate) < 0.02);
	assert_float_equal(pario_difference_mann_whitney(a, 24, a, 24), 1, 0.02);
}

static void verdicts(void **state)
{
	const double a[] = { 100, 101, 99, 102, 98 }, faster[] = { 130, 131, 129, 132, 128 };
	const double again[] = { 101, 99, 100, 98, 103 };
	struct pario_difference d = pario_difference_of(a, 5, faster, 5);

	(void)state;
	assert_true(d.decidable && d.differs);
	assert_float_equal(d.ratio, 1.3, 1e-12);
	assert_true(d.low > 1.2 && d.low <= 1.3 && d.high >= 1.3 && d.high < 1.4);
	d = pario_difference_of(a, 5, again, 5);
	assert_true(d.decidable && !d.differs && d.low <= 1 && d.high >= 1);
	/* Three and three never show anything, however far apart. */
	d = pario_difference_of(a, 3, faster, 3);
	assert_true(!d.decidable && !d.differs);
	d = pario_difference_of(a, 1, faster, 1);
	assert_true(!d.decidable && isnan(d.low));
	assert_true(isnan(pario_difference_of(a, 0, faster, 5).ratio));
}

/* NHT-1's zeta may be zero or below: no ratio, but the test still decides. */
static void not_positive(void **state)
{
	const double a[] = { 0.01, -0.02, 0, 0.02, 0.01 }, b[] = { 0.4, 0.41, 0.39, 0.42, 0.4 };
	struct pario_difference d = pario_difference_of(a, 5, b, 5);

	(void)state;
	assert_true(isnan(d.ratio) && isnan(d.low));
	assert_true(d.differs && d.grows && d.apart);
	d = pario_difference_of(a, 5, a, 5);
	assert_true(!d.differs && !d.apart && !d.grows);
}

static void apart(void **state)
{
	const double a[] = { 3, 4, 5 }, above[] = { 6, 7, 5.5 }, among[] = { 1, 2, 3 };

	(void)state;
	assert_true(pario_difference_of(a, 3, above, 3).apart);
	assert_true(pario_difference_of(above, 3, a, 3).apart);
	assert_false(pario_difference_of(above, 3, a, 3).grows);
	assert_false(pario_difference_of(a, 3, among, 3).apart);
}

static void same_answer_twice(void **state)
{
	const double a[] = { 3, 1, 4, 1.5, 9 }, b[] = { 2, 6, 5, 3.5, 8 };
	struct pario_difference x = pario_difference_of(a, 5, b, 5),
				y = pario_difference_of(a, 5, b, 5);

	(void)state;
	assert_true(x.low == y.low && x.high == y.high && x.p == y.p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(separate_samples),
		cmocka_unit_test(as_enumerated),
		cmocka_unit_test(large_samples),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(same_answer_twice),
		cmocka_unit_test(not_positive),
		cmocka_unit_test(apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
