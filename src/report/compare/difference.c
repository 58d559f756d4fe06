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

/*
 * From so many values on the median of a resample is drawn at once, as the order statistic that it is: its place
 * among the sorted values follows a beta distribution, and that is near enough to a normal one.
 */
enum { EXACT_MAX = 40, RESAMPLES = 2000, MANY = 1000 };

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
	struct ranked all[EXACT_MAX];
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

static double resampled(const double *values, size_t count, double *scratch, uint64_t *state)
{
	for (size_t i = 0; i < count; i++)
		scratch[i] = values[pario_random_below(pario_random_mix(++*state), count)];
	return pario_stats_median(scratch, count);
}

/* Uniform, never 0. */
static double uniform(uint64_t *state)
{
	return ((double)(pario_random_mix(++*state) >> 11) + 0.5) * 0x1p-53;
}

/* The median of a resample of many sorted values, each of them as likely as it is by drawing them one by one. */
static double drawn(const double *sorted, size_t count, uint64_t *state)
{
	double n = (double)count, at;

	at = sqrt(-2 * log(uniform(state))) * cos(2 * M_PI * uniform(state));
	at = n / 2 + at * sqrt(n) / 2;
	return sorted[(size_t)fmin(fmax(at, 0), n - 1)];
}

/* Many values are sorted. */
static void bootstrap(struct pario_difference *d, const double *a, size_t a_count, const double *b,
		      size_t b_count)
{
	double *scratch = malloc(2 * (size_t)MANY * sizeof(*scratch));
	double *ratios = malloc(RESAMPLES * sizeof(*ratios));
	uint64_t state = 0x9a1105eed;

	for (size_t i = 0; scratch && ratios && i < RESAMPLES; i++) {
		double under = a_count < MANY ? resampled(a, a_count, scratch, &state)
					      : drawn(a, a_count, &state);
		double over = b_count < MANY ? resampled(b, b_count, scratch, &state)
					     : drawn(b, b_count, &state);

		ratios[i] = over / under;
	}
	if (scratch && ratios) {
		qsort(ratios, RESAMPLES, sizeof(*ratios), by_size);
		d->low = ratios[(size_t)(RESAMPLES * 0.025)];
		d->high = ratios[(size_t)(RESAMPLES * 0.975)];
	}
	free(scratch);
	free(ratios);
}

static double middle(const double *sorted, size_t count)
{
	double low = sorted[(count - 1) / 2];

	return low + (sorted[count / 2] - low) / 2;
}

static struct pario_difference judged(const double *a, size_t a_count, const double *b,
				      size_t b_count, const double *a_sorted,
				      const double *b_sorted)
{
	double before = middle(a_sorted, a_count), after = middle(b_sorted, b_count);
	bool positive = a_sorted[0] > 0 && b_sorted[0] > 0;
	struct pario_difference d = {
		.ratio = positive ? after / before : (double)NAN,
		.low = NAN,
		.high = NAN,
		.grows = after > before,
		.apart = b_sorted[0] > a_sorted[a_count - 1] || b_sorted[b_count - 1] < a_sorted[0],
		.decidable = pario_difference_least_p(a_count, b_count) < PARIO_DIFFERENCE_LEVEL,
	};

	if (positive && a_count > 1 && b_count > 1)
		bootstrap(&d, a_count < MANY ? a : a_sorted, a_count, b_count < MANY ? b : b_sorted,
			  b_count);
	d.p = pario_difference_mann_whitney(a, a_count, b, b_count);
	d.differs = d.decidable && d.p < PARIO_DIFFERENCE_LEVEL &&
		    (positive ? d.low > 1 || d.high < 1 : after != before);
	return d;
}

struct pario_difference pario_difference_of(const double *a, size_t a_count, const double *b,
					    size_t b_count)
{
	struct pario_difference d = { .ratio = NAN, .low = NAN, .high = NAN, .p = 1 };
	double *a_sorted = a_count && b_count ? sorted(a, a_count) : NULL;
	double *b_sorted = a_sorted ? sorted(b, b_count) : NULL;

	if (b_sorted)
		d = judged(a, a_count, b, b_count, a_sorted, b_sorted);
	free(a_sorted);
	free(b_sorted);
	return d;
}
