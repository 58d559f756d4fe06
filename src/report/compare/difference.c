/*
 * difference: Student's interval of the ratio of two sides, from the scatter of runs; and the Mann-Whitney test.
 */
#include "report/compare/difference.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"

/*
 * What runs of the same thing scatter by, where nothing tells: twice the deviation of a repetition, and at least the
 * floor. Measured with `bench/verdicts usual` (docs/methodology.md has the table): the ratio of the two lay between 0.3
 * and 2.0 over tests, file systems and loads.
 */
#define USUAL_SHARE (2.0 * 2.0)
#define USUAL_FLOOR (0.02 * 0.02)

/* Of a median of n normal values, as a share of theirs over n. */
#define MEDIAN_VARIANCE 1.5708

/*
 * The level at which pairs are looked at after each of them: with 0.97 the interval at stopping holds the truth in 95 %
 * or more, whatever the noise (test_difference.c, stopping).
 */
#define STOPPING_LEVEL 0.97

enum { EXACT_MAX = 40, PAST_LEAST = 5, DRIFT_POINTS = 20, DRIFT_LEAST = 3, RUNS_MOST = 1000 };

struct ranked {
	double value;
	bool of_a;
	size_t rank2; /* twice the mean rank: whole also for ties */
};

static int by_value(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;

	return (a->value > b->value) - (a->value < b->value);
}

/* Ranks from 1; equal values share the mean. */
static void rank(struct ranked *all, size_t n)
{
	qsort(all, n, sizeof(*all), by_value);
	for (size_t i = 0; i < n;) {
		size_t end = i;

		while (end < n && all[end].value == all[i].value)
			end++;
		for (size_t k = i; k < end; k++)
			all[k].rank2 = i + 1 + end;
		i = end;
	}
}

/* Share of all ways to choose `count` of the ranks whose sum is as far from the middle as `sum2` or further. */
static double exact(const struct ranked *all, size_t n, size_t count, size_t sum2)
{
	size_t most = n * (n + 1) + 1;
	double *ways = calloc((count + 1) * most, sizeof(*ways)), total = 0, far = 0, middle, away;

	if (!ways)
		return 1;
	ways[0] = 1;
	for (size_t i = 0; i < n; i++) {
		for (size_t c = count; c-- > 0;) {
			for (size_t s = 0; s + all[i].rank2 < most; s++)
				ways[(c + 1) * most + s + all[i].rank2] += ways[c * most + s];
		}
	}
	middle = (double)count * (double)(n + 1);
	away = fabs((double)sum2 - middle);
	for (size_t s = 0; s < most; s++) {
		total += ways[count * most + s];
		if (fabs((double)s - middle) >= away - 0.5)
			far += ways[count * most + s];
	}
	free(ways);
	return far / total;
}

static double normal(double n, double m, double sum, double ties)
{
	double all = n + m, mean = n * (all + 1) / 2;
	double variance = n * m / 12 * (all + 1 - ties / (all * (all - 1)));
	double z = (fabs(sum - mean) - 0.5) / sqrt(variance);

	return variance > 0 ? fmin(1, erfc(fmax(z, 0) / sqrt(2))) : 1;
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static double *sorted(const double *values, size_t count)
{
	double *copy = malloc((count + 1) * sizeof(*copy));

	if (copy) {
		memcpy(copy, values, count * sizeof(*copy));
		qsort(copy, count, sizeof(*copy), by_size);
	}
	return copy;
}

static size_t run_of(const double *sorted, size_t count, size_t from, double value)
{
	size_t end = from;

	while (end < count && sorted[end] <= value)
		end++;
	return end - from;
}

/* The same ranks as rank() gives, summed up while both are merged. */
static double p_of_many(const double *a, size_t a_count, const double *b, size_t b_count)
{
	double sum = 0, ties = 0;

	for (size_t i = 0, k = 0; i < a_count || k < b_count;) {
		double value = k >= b_count || (i < a_count && a[i] < b[k]) ? a[i] : b[k];
		size_t of_a = run_of(a, a_count, i, value), of_b = run_of(b, b_count, k, value);
		double t = (double)(of_a + of_b);

		sum += (double)of_a * ((double)(i + k) + (1 + t) / 2);
		ties += t * t * t - t;
		i += of_a;
		k += of_b;
	}
	return normal((double)a_count, (double)b_count, sum, ties);
}

static double p_of_few(const double *a, size_t a_count, const double *b, size_t b_count)
{
	struct ranked all[EXACT_MAX] = { 0 };
	size_t n = a_count + b_count, sum2 = 0;

	for (size_t i = 0; i < n; i++)
		all[i] = (struct ranked){ i < a_count ? a[i] : b[i - a_count], i < a_count, 0 };
	rank(all, n);
	for (size_t i = 0; i < n; i++)
		sum2 += all[i].of_a ? all[i].rank2 : 0;
	return exact(all, n, a_count, sum2);
}

double pario_difference_mann_whitney(const double *a, size_t a_count, const double *b,
				     size_t b_count)
{
	double *a_sorted, *b_sorted, p = 1;

	if (!a_count || !b_count)
		return 1;
	if (a_count + b_count <= EXACT_MAX)
		return p_of_few(a, a_count, b, b_count);
	a_sorted = sorted(a, a_count);
	b_sorted = sorted(b, b_count);
	if (a_sorted && b_sorted)
		p = p_of_many(a_sorted, a_count, b_sorted, b_count);
	free(a_sorted);
	free(b_sorted);
	return p;
}

double pario_difference_least_p(size_t a_count, size_t b_count)
{
	double ways = 1;

	for (size_t i = 1; i <= a_count; i++)
		ways *= (double)(b_count + i) / (double)i;
	return fmin(1, 2 / ways);
}

/* ---- runs ---- */

static double *logs_of(const struct pario_run_values *run, bool logarithm)
{
	double *copy = malloc((run->count + 1) * sizeof(*copy));

	for (size_t i = 0; copy && i < run->count; i++)
		copy[i] = logarithm ? log(run->value[i]) : run->value[i];
	return copy;
}

/* The run's number, and the squares of its repetitions about it. */
static double level_of(const struct pario_run_values *run, bool logarithm, double *squares)
{
	double *copy = logs_of(run, logarithm), level = NAN;

	if (copy && run->count) {
		struct pario_stats s = pario_stats_of(copy, run->count);

		level = pario_stats_median(copy, run->count);
		*squares += s.variance * (double)run->count;
	}
	free(copy);
	return level;
}

/* One side of the question, or the past: levels of runs, and what they scatter by. */
struct side {
	double *level;
	size_t runs;
	double mean, squares; /* of the levels, about their mean */
	double within, within_freedom;
};

static bool take_side(struct side *s, const struct pario_run_values *run, size_t count,
		      bool logarithm)
{
	double sum = 0;

	*s = (struct side){ .level = malloc((count + 1) * sizeof(double)), .runs = count };
	for (size_t i = 0; s->level && i < count; i++) {
		s->level[i] = level_of(&run[i], logarithm, &s->within);
		s->within_freedom += (double)(run[i].count - 1);
		sum += s->level[i];
	}
	s->mean = sum / (double)count;
	for (size_t i = 0; s->level && i < count; i++)
		s->squares += (s->level[i] - s->mean) * (s->level[i] - s->mean);
	return s->level && isfinite(s->mean);
}

struct pario_past pario_past_of(const struct pario_run_values *runs, size_t count)
{
	struct pario_past past = { .runs = count };
	struct side s;

	if (count < PAST_LEAST)
		return past;
	/* about the mean of all: the runs to compare may lie as far apart as any two of these */
	if (take_side(&s, runs, count, true)) {
		past.freedom = (double)(count - 1);
		past.between = s.squares / past.freedom;
		past.within = s.within_freedom > 0 ? s.within / s.within_freedom : 0;
	}
	free(s.level);
	return past;
}

void pario_drift_add(struct pario_drift *drift, const struct pario_run_values *run)
{
	double *value, steps = 0, far, squares;

	if (run->count < DRIFT_LEAST)
		return;
	value = logs_of(run, true);
	if (!value)
		return;
	squares = pario_stats_of(value, run->count).variance;
	for (size_t i = 1; i < run->count; i++)
		steps += (value[i] - value[i - 1]) * (value[i] - value[i - 1]);
	far = value[run->count - 1] - value[0];
	if (isfinite(squares) && squares > 0) {
		drift->far += far * far / squares;
		drift->near += steps / (double)(run->count - 1) / squares;
		drift->points++;
	}
	free(value);
}

/*
 * Neighbours differ by twice the variance of a repetition; the first and the last by that and twice the variance of
 * what changed between them.
 */
double pario_drift_share(const struct pario_drift *drift)
{
	if (!drift || drift->points < DRIFT_POINTS || !(drift->near > 0))
		return 0;
	return fmax(0, drift->far / drift->near - 1);
}

/* ---- the scatter of runs, and what follows from it ---- */

struct scatter {
	double variance, freedom; /* of one run's number */
	enum pario_spread_source source;
};

/* A machine that is noisier today than when the history was made also has runs that scatter further. */
static struct scatter by_past(const struct pario_past *past, double within)
{
	double factor = past->within > 0 && within > past->within ? within / past->within : 1;

	return (struct scatter){ past->between * factor, past->freedom, PARIO_SPREAD_HISTORY };
}

static struct scatter by_repetitions(const struct side *a, const struct side *b,
				     const struct pario_drift *drift, bool logarithm)
{
	double freedom = a->within_freedom + b->within_freedom;
	double within = freedom > 0 ? (a->within + b->within) / freedom : 0;
	double share = pario_drift_share(drift);
	bool drifts = logarithm && share > USUAL_SHARE;

	if (!(freedom > 0))
		return (struct scatter){ .source = PARIO_SPREAD_NONE };
	return (struct scatter){
		.variance = (drifts ? share : USUAL_SHARE) * within + (logarithm ? USUAL_FLOOR : 0),
		.freedom = freedom,
		.source = drifts ? PARIO_SPREAD_DRIFT : PARIO_SPREAD_USUAL,
	};
}

/*
 * A run's number is the median of its repetitions: it cannot scatter by less than they let it. Few runs that came to
 * lie near each other by chance would else tell a difference that is none.
 */
static double least_variance(const struct side *a, const struct side *b)
{
	double freedom = a->within_freedom + b->within_freedom;
	double repetitions = freedom / (double)(a->runs + b->runs) + 1;

	return freedom > 0 ? MEDIAN_VARIANCE * (a->within + b->within) / freedom / repetitions : 0;
}

/* With one run of each side nothing but the past or the repetitions tell; with three in all, these count as well. */
static struct scatter scatter_of(const struct pario_question *q, const struct side *a,
				 const struct side *b, bool logarithm)
{
	double runs = (double)(a->runs + b->runs - 2), squares = a->squares + b->squares;
	double freedom = a->within_freedom + b->within_freedom;
	double within = freedom > 0 ? (a->within + b->within) / freedom : 0;
	struct scatter s;

	if (runs >= 2)
		return (struct scatter){ fmax(squares / runs, least_variance(a, b)), runs,
					 PARIO_SPREAD_RUNS };
	if (logarithm && q->past && q->past->freedom > 0)
		s = by_past(q->past, within);
	else
		s = by_repetitions(a, b, q->drift, logarithm);
	if (runs > 0 && s.source != PARIO_SPREAD_NONE) {
		s.variance = (s.variance * s.freedom + squares) / (s.freedom + runs);
		s.freedom += runs;
	}
	return s;
}

static struct scatter scatter_of_pairs(const struct side *a, const struct side *b, double mean)
{
	struct scatter s = { .freedom = (double)(a->runs - 1), .source = PARIO_SPREAD_PAIRS };

	for (size_t i = 0; i < a->runs; i++) {
		double off = b->level[i] - a->level[i] - mean;

		s.variance += off * off / s.freedom;
	}
	return s;
}

static void decide(struct pario_difference *d, const struct side *a, const struct side *b,
		   const struct scatter *s, bool logarithm, double level)
{
	double parts = s->source == PARIO_SPREAD_PAIRS ? 1 / (double)a->runs
						       : 1 / (double)a->runs + 1 / (double)b->runs;
	double off = b->mean - a->mean, error = sqrt(s->variance * parts);
	double reach = pario_stats_student((1 + level) / 2, s->freedom) * error;

	d->source = s->source;
	d->scatter = sqrt(s->variance * (s->source == PARIO_SPREAD_PAIRS ? 0.5 : 1));
	d->p = off == 0 ? 1 : pario_stats_student_p(off / error, s->freedom);
	d->differs = fabs(off) > reach;
	d->blurred =
		!d->differs && logarithm && fabs(off) + reach > log(PARIO_DIFFERENCE_RESOLUTION);
	if (logarithm) {
		d->low = exp(off - reach);
		d->high = exp(off + reach);
	}
}

static void extremes(const struct pario_run_values *run, size_t count, double *least, double *most)
{
	*least = INFINITY;
	*most = -INFINITY;
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < run[i].count; k++) {
			*least = fmin(*least, run[i].value[k]);
			*most = fmax(*most, run[i].value[k]);
		}
	}
}

/* The number of a side as it is shown: the median as everywhere, where there is one run. */
static double number_of(const struct pario_run_values *run, const struct side *s, bool logarithm)
{
	double unused = 0;

	if (s->runs == 1)
		return level_of(run, false, &unused);
	return logarithm ? exp(s->mean) : s->mean;
}

struct pario_difference pario_difference_of(const struct pario_question *q)
{
	struct pario_difference d = { .before = NAN,
				      .after = NAN,
				      .ratio = NAN,
				      .low = NAN,
				      .high = NAN,
				      .p = 1,
				      .scatter = NAN };
	double least[2], most[2];
	struct side a = { 0 }, b = { 0 };
	struct scatter s;
	bool logarithm;

	if (!q->a_count || !q->b_count)
		return d;
	extremes(q->a, q->a_count, &least[0], &most[0]);
	extremes(q->b, q->b_count, &least[1], &most[1]);
	logarithm = least[0] > 0 && least[1] > 0;
	if (take_side(&a, q->a, q->a_count, logarithm) &&
	    take_side(&b, q->b, q->b_count, logarithm)) {
		d.before = number_of(q->a, &a, logarithm);
		d.after = number_of(q->b, &b, logarithm);
		d.grows = b.mean > a.mean;
		d.apart = least[1] > most[0] || most[1] < least[0];
		d.ratio = logarithm ? exp(b.mean - a.mean) : NAN;
		s = q->paired && a.runs >= 2 && a.runs == b.runs
			    ? scatter_of_pairs(&a, &b, b.mean - a.mean)
			    : scatter_of(q, &a, &b, logarithm);
		if (s.source != PARIO_SPREAD_NONE)
			decide(&d, &a, &b, &s, logarithm,
			       s.source == PARIO_SPREAD_PAIRS ? STOPPING_LEVEL
							      : 1 - PARIO_DIFFERENCE_LEVEL);
	}
	free(a.level);
	free(b.level);
	return d;
}

/* ---- how many more, and how many by chance ---- */

size_t pario_difference_runs(double scatter, double factor)
{
	size_t runs = 2;

	while (runs < RUNS_MOST &&
	       pario_stats_student(0.975, 2 * (double)runs - 2) * scatter * sqrt(2 / (double)runs) >
		       log(factor))
		runs++;
	return runs;
}

size_t pario_difference_discover(const double *p, size_t count, double rate, bool *marked)
{
	double *sorted = malloc((count + 1) * sizeof(*sorted)), limit = -1;
	size_t found = 0;

	if (sorted) {
		memcpy(sorted, p, count * sizeof(*p));
		qsort(sorted, count, sizeof(*sorted), by_size);
		for (size_t i = 0; i < count; i++) {
			if (sorted[i] <= rate * (double)(i + 1) / (double)count)
				limit = sorted[i];
		}
	}
	for (size_t i = 0; i < count; i++) {
		marked[i] = p[i] <= limit;
		found += marked[i];
	}
	free(sorted);
	return found;
}
