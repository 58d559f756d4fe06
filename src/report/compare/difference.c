/*
 * difference: a bootstrap of the ratio of medians, beside the Mann-Whitney test.
 */
#include "report/compare/difference.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/stats.h"

enum { EXACT_MAX = 40, RESAMPLES = 2000 };

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

/* Ranks from 1; equal values share the mean. Returns the sum of t^3 - t over the ties. */
static double rank(struct ranked *all, size_t n)
{
	double ties = 0;

	qsort(all, n, sizeof(*all), by_value);
	for (size_t i = 0; i < n;) {
		size_t end = i;
		double t;

		while (end < n && all[end].value == all[i].value)
			end++;
		t = (double)(end - i);
		ties += t * t * t - t;
		for (size_t k = i; k < end; k++)
			all[k].rank2 = i + 1 + end;
		i = end;
	}
	return ties;
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

double pario_difference_mann_whitney(const double *a, size_t a_count, const double *b,
				     size_t b_count)
{
	size_t n = a_count + b_count, sum2 = 0;
	struct ranked *all = malloc((n + 1) * sizeof(*all));
	double ties, p;

	if (!all || !a_count || !b_count) {
		free(all);
		return 1;
	}
	for (size_t i = 0; i < n; i++)
		all[i] = (struct ranked){ i < a_count ? a[i] : b[i - a_count], i < a_count, 0 };
	ties = rank(all, n);
	for (size_t i = 0; i < n; i++)
		sum2 += all[i].of_a ? all[i].rank2 : 0;
	p = n <= EXACT_MAX ? exact(all, n, a_count, sum2)
			   : normal((double)a_count, (double)b_count, (double)sum2 / 2, ties);
	free(all);
	return p;
}

double pario_difference_least_p(size_t a_count, size_t b_count)
{
	double ways = 1;

	for (size_t i = 1; i <= a_count; i++)
		ways *= (double)(b_count + i) / (double)i;
	return fmin(1, 2 / ways);
}

static double resampled(const double *values, size_t count, double *scratch, uint64_t *state)
{
	for (size_t i = 0; i < count; i++)
		scratch[i] = values[pario_random_below(pario_random_mix(++*state), count)];
	return pario_stats_median(scratch, count);
}

static int by_size(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

static void bootstrap(struct pario_difference *d, const double *a, size_t a_count, const double *b,
		      size_t b_count)
{
	double *scratch = malloc((a_count + b_count) * sizeof(*scratch));
	double *ratios = malloc(RESAMPLES * sizeof(*ratios));
	uint64_t state = 0x9a1105eed;

	for (size_t i = 0; scratch && ratios && i < RESAMPLES; i++) {
		double under = resampled(a, a_count, scratch, &state);

		ratios[i] = resampled(b, b_count, scratch, &state) / under;
	}
	if (scratch && ratios) {
		qsort(ratios, RESAMPLES, sizeof(*ratios), by_size);
		d->low = ratios[(size_t)(RESAMPLES * 0.025)];
		d->high = ratios[(size_t)(RESAMPLES * 0.975)];
	}
	free(scratch);
	free(ratios);
}

static double median_of(const double *values, size_t count)
{
	double *copy = malloc((count + 1) * sizeof(*copy)), median = NAN;

	if (copy && count) {
		memcpy(copy, values, count * sizeof(*copy));
		median = pario_stats_median(copy, count);
	}
	free(copy);
	return median;
}

static double least(const double *values, size_t count)
{
	double least = values[0];

	for (size_t i = 1; i < count; i++)
		least = fmin(least, values[i]);
	return least;
}

static double most(const double *values, size_t count)
{
	double most = values[0];

	for (size_t i = 1; i < count; i++)
		most = fmax(most, values[i]);
	return most;
}

struct pario_difference pario_difference_of(const double *a, size_t a_count, const double *b,
					    size_t b_count)
{
	struct pario_difference d = { .ratio = NAN, .low = NAN, .high = NAN, .p = 1 };
	double before, after;
	bool positive;

	if (!a_count || !b_count)
		return d;
	before = median_of(a, a_count);
	after = median_of(b, b_count);
	positive = least(a, a_count) > 0 && least(b, b_count) > 0;
	d.grows = after > before;
	d.apart = least(b, b_count) > most(a, a_count) || most(b, b_count) < least(a, a_count);
	d.decidable = pario_difference_least_p(a_count, b_count) < PARIO_DIFFERENCE_LEVEL;
	if (positive)
		d.ratio = after / before;
	if (positive && a_count > 1 && b_count > 1)
		bootstrap(&d, a, a_count, b, b_count);
	d.p = pario_difference_mann_whitney(a, a_count, b, b_count);
	d.differs = d.decidable && d.p < PARIO_DIFFERENCE_LEVEL &&
		    (positive ? d.low > 1 || d.high < 1 : after != before);
	return d;
}
