/*
 * The Mann-Whitney test against known values and against plain enumeration; what is called a difference, and whether
 * that chance comes true where runs scatter by more than their repetitions.
 */
#include "report/compare/difference.h"

#include <math.h>

#include "base/random.h"
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

static struct pario_difference ask(const double *a, size_t a_count, const double *b, size_t b_count)
{
	const struct pario_run_values x = { a, a_count }, y = { b, b_count };

	return pario_difference_of(&(struct pario_question){
		.a = &x, .b = &y, .a_count = a_count > 0, .b_count = b_count > 0 });
}

static void verdicts(void **state)
{
	const double a[] = { 100, 101, 99, 102, 98 }, faster[] = { 130, 131, 129, 132, 128 };
	const double again[] = { 101, 99, 100, 98, 103 };
	struct pario_difference d = ask(a, 5, faster, 5);

	(void)state;
	assert_int_equal(d.source, PARIO_SPREAD_USUAL);
	assert_true(d.differs && !d.blurred);
	assert_float_equal(d.ratio, 1.3, 1e-12);
	assert_true(d.low > 1.1 && d.low <= 1.3 && d.high >= 1.3 && d.high < 1.5);
	d = ask(a, 5, again, 5);
	assert_true(!d.differs && !d.blurred && d.low <= 1 && d.high >= 1);
	/* One repetition each says nothing of how far they scatter. */
	d = ask(a, 1, faster, 1);
	assert_int_equal(d.source, PARIO_SPREAD_NONE);
	assert_true(!d.differs && isnan(d.low) && d.p == 1);
	assert_true(isnan(ask(a, 0, faster, 5).ratio));
}

/* NHT-1's zeta may be zero or below: no ratio, but the test still decides. */
static void not_positive(void **state)
{
	const double a[] = { 0.01, -0.02, 0, 0.02, 0.01 }, b[] = { 0.4, 0.41, 0.39, 0.42, 0.4 };
	struct pario_difference d = ask(a, 5, b, 5);

	(void)state;
	assert_true(isnan(d.ratio) && isnan(d.low));
	assert_true(d.differs && d.grows && d.apart);
	d = ask(a, 5, a, 5);
	assert_true(!d.differs && !d.apart && !d.grows);
}

static void apart(void **state)
{
	const double a[] = { 3, 4, 5 }, above[] = { 6, 7, 5.5 }, among[] = { 1, 2, 3 };

	(void)state;
	assert_true(ask(a, 3, above, 3).apart);
	assert_true(ask(above, 3, a, 3).apart);
	assert_false(ask(above, 3, a, 3).grows);
	assert_false(ask(a, 3, among, 3).apart);
}

/* ---- does the chance come true? ---- */

enum { REPETITIONS = 5, RUNS = 200 };

static uint64_t chance = 1;

static double uniform(void)
{
	return ((double)(pario_random_mix(++chance) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* A made-up system: a run's luck and a repetition's, as deviations of logarithms; now and then a repetition is slow. */
struct world {
	double run, repetition;
	bool hiccups;
};

static double room[RUNS * REPETITIONS];

static void measure(const struct world *w, struct pario_run_values *runs, double *values,
		    size_t count, double factor)
{
	for (size_t i = 0; i < count; i++) {
		double luck = normal() * w->run;

		for (size_t k = 0; k < REPETITIONS; k++) {
			double off = normal() * w->repetition;

			if (w->hiccups && uniform() < 0.1)
				off -= 4 * w->repetition;
			values[i * REPETITIONS + k] = 100 * factor * exp(luck + off);
		}
		runs[i] = (struct pario_run_values){ &values[i * REPETITIONS], REPETITIONS };
	}
}

struct tally {
	double differ, calm; /* shares of those called different, and not different */
};

/* 1000 comparisons: `sides` runs each, and `past` earlier ones. */
static struct tally judge(const struct world *w, size_t sides, size_t past, double factor)
{
	struct tally t = { 0, 0 };

	for (int i = 0; i < 1000; i++) {
		struct pario_run_values runs[RUNS];
		struct pario_past earlier;
		struct pario_difference d;

		measure(w, runs, room, sides, 1);
		measure(w, runs + sides, room + sides * REPETITIONS, sides, factor);
		measure(w, runs + 2 * sides, room + 2 * sides * REPETITIONS, past, 1);
		earlier = pario_past_of(runs + 2 * sides, past);
		d = pario_difference_of(&(struct pario_question){ .a = runs,
								  .b = runs + sides,
								  .a_count = sides,
								  .b_count = sides,
								  .past = &earlier });
		t.differ += d.differs / 1000.0;
		t.calm += (!d.differs && !d.blurred) / 1000.0;
	}
	return t;
}

static double called(const struct world *w, size_t sides, size_t past, double factor)
{
	return judge(w, sides, past, factor).differ;
}

/* Three runs of each side that lie near each other by chance scatter as far as their repetitions let medians. */
static void lucky_runs(void **state)
{
	static const double values[2][3][REPETITIONS] = {
		{ { 80, 90, 100, 110, 120 },
		  { 81, 91, 100.1, 109, 121 },
		  { 79, 89, 99.9, 111, 119 } },
		{ { 81, 92, 102, 112, 122 },
		  { 82, 93, 102.1, 111, 123 },
		  { 80, 91, 101.9, 113, 121 } },
	};
	struct pario_run_values runs[2][3];
	struct pario_difference d;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		runs[i / 3][i % 3] = (struct pario_run_values){ values[i / 3][i % 3], REPETITIONS };
	d = pario_difference_of(
		&(struct pario_question){ .a = runs[0], .b = runs[1], .a_count = 3, .b_count = 3 });
	assert_int_equal(d.source, PARIO_SPREAD_RUNS);
	assert_false(d.differs);
	/* repetitions scatter by 0.16: medians of five by 0.09 */
	assert_true(d.scatter > 0.08 && d.scatter < 0.1);
}

/* Runs scatter three times as far as repetitions explain, and equal ones still differ in 5 % at most. */
static void equal_runs(void **state)
{
	const struct world worlds[] = {
		{ 0.1, 0.1, false }, { 0.3, 0.1, false }, { 0.02, 0.1, true }, { 0.3, 0.3, true }
	};

	(void)state;
	for (size_t i = 0; i < sizeof(worlds) / sizeof(worlds[0]); i++) {
		/* where repetitions alone let medians scatter further than runs do, less often */
		int least = worlds[i].run > 2 * worlds[i].repetition ? 20 : 0;

		assert_in_range((int)(1000 * called(&worlds[i], 3, 0, 1)), least, 75);
		assert_in_range((int)(1000 * called(&worlds[i], 2, 0, 1)), least, 75);
		assert_in_range((int)(1000 * called(&worlds[i], 1, 10, 1)), 15, 75);
	}
	/* where nothing tells: up to twice the scatter of repetitions */
	for (int i = 0; i <= 4; i++) {
		const struct world w = { 0.05 * i, 0.1, false };

		assert_true(called(&w, 1, 0, 1) <= 0.075);
	}
}

/* A fifth slower, with 10 % noise. */
static void planted(void **state)
{
	const struct world w = { 0.02, 0.1, false };

	(void)state;
	assert_true(called(&w, 4, 0, 0.8) > 0.9);
	assert_true(called(&w, 1, 20, 0.8) > 0.6);
	/* whatever the noise, it is not said that there is none */
	for (size_t sides = 1; sides <= 6; sides += 5) {
		for (double noise = 0.1; noise < 0.5; noise += 0.07) {
			const struct world noisy = { 0.05, noise, false };

			assert_true(judge(&noisy, sides, 0, 1 / 1.2).calm <= 0.04);
		}
	}
	/* with 31 % nothing can be said of single runs, and that is said */
	for (int i = 0; i < 200; i++) {
		const struct world noisy = { 0.05, 0.31, false };
		struct pario_run_values runs[2];
		struct pario_difference d;

		measure(&noisy, runs, room, 1, 1);
		measure(&noisy, runs + 1, room + REPETITIONS, 1, 0.8);
		d = ask(runs[0].value, REPETITIONS, runs[1].value, REPETITIONS);
		assert_true(d.blurred || (d.differs && !d.grows));
	}
}

/* Pairs until the interval is narrow enough: does it hold the truth where it stops? */
struct stopped {
	size_t right, found, pairs;
};

static struct stopped until(const struct world *w, double width, double factor, size_t tries)
{
	struct stopped s = { 0 };

	for (size_t i = 0; i < tries; i++) {
		static struct pario_run_values a[RUNS], b[RUNS];
		static double values[2][RUNS * REPETITIONS];
		struct pario_difference d;
		size_t n = 0;

		do {
			for (int side = 0; side < 2; side++)
				measure(w, (side ? b : a) + n, &values[side][n * REPETITIONS], 1,
					side ? factor : 1);
			n++;
			d = n < PARIO_PAIRS_LEAST
				    ? (struct pario_difference){ .low = 0, .high = INFINITY }
				    : pario_difference_of(
					      &(struct pario_question){ .a = a,
									.b = b,
									.a_count = n,
									.b_count = n,
									.paired = true });
		} while (n < RUNS && d.high - d.low > width * d.ratio);
		s.right += d.low <= factor && factor <= d.high;
		s.found += d.high < 1;
		s.pairs += n;
	}
	return s;
}

static void stopping(void **state)
{
	const double noise[] = { 0.01, 0.02, 0.04 };

	(void)state;
	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++) {
		const struct world w = { noise[i], noise[i], i % 2 };
		const struct stopped s = until(&w, 0.05, 1, 400);

		/* 95 % of 400, and what chance may take from it */
		assert_true(s.right >= 368);
		assert_true(s.pairs >= 400 * PARIO_PAIRS_LEAST);
	}
	/* a fifth slower with 10 % noise is found every time */
	assert_true(until(&(struct world){ 0.05, 0.1, false }, 0.1, 0.8, 100).found >= 98);
}

static void drift(void **state)
{
	struct pario_drift still = { 0 }, moving = { 0 };

	(void)state;
	for (int i = 0; i < 2000; i++) {
		double values[REPETITIONS], rising[REPETITIONS];
		const double slope = normal() * 0.1;

		for (int k = 0; k < REPETITIONS; k++) {
			values[k] = exp(normal() * 0.1);
			rising[k] = values[k] * exp(slope * k);
		}
		pario_drift_add(&still, &(struct pario_run_values){ values, REPETITIONS });
		pario_drift_add(&moving, &(struct pario_run_values){ rising, REPETITIONS });
	}
	assert_true(pario_drift_share(&still) < 1);
	assert_true(pario_drift_share(&moving) > 2);
	assert_true(pario_drift_share(NULL) == 0);
	assert_true(pario_drift_share(&(struct pario_drift){ 9, 1, 3 }) == 0);
}

/* Benjamini and Hochberg's own example (1995): 4 of 15 at 5 %. */
static void discoveries(void **state)
{
	const double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
			     0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000 };
	bool marked[15];

	(void)state;
	assert_int_equal(pario_difference_discover(p, 15, 0.05, marked), 4);
	assert_true(marked[3] && !marked[4]);
	assert_int_equal(pario_difference_discover(p + 9, 6, 0.05, marked), 0);
	assert_int_equal(pario_difference_discover(p, 0, 0.05, marked), 0);
}

static void runs_needed(void **state)
{
	(void)state;
	assert_true(pario_difference_runs(0.02, 1.1) < 5);
	assert_true(pario_difference_runs(0.1, 1.1) > 8 && pario_difference_runs(0.1, 1.1) < 15);
	assert_true(pario_difference_runs(0.3, 1.1) > 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(separate_samples),
		cmocka_unit_test(as_enumerated),
		cmocka_unit_test(large_samples),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(not_positive),
		cmocka_unit_test(apart),
		cmocka_unit_test(lucky_runs),
		cmocka_unit_test(equal_runs),
		cmocka_unit_test(planted),
		cmocka_unit_test(stopping),
		cmocka_unit_test(drift),
		cmocka_unit_test(discoveries),
		cmocka_unit_test(runs_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
