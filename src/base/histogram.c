/*
 * histogram: merging and quantiles of the log-linear buckets.
 *
 * A quantile is the middle of a bucket, so it is off by up to half a bucket, 1/128 of the value.
 * It misleads above 2^44 ns, where everything shares one bucket and only the maximum is true.
 */
#include "base/histogram.h"

#include <math.h>
#include <string.h>

static uint64_t width(unsigned index)
{
	unsigned octave = index >> PARIO_HISTOGRAM_SUB_BITS;

	return octave ? 1ull << (octave - 1) : 1;
}

uint64_t pario_histogram_from(unsigned index)
{
	unsigned part = index & ((1u << PARIO_HISTOGRAM_SUB_BITS) - 1);

	if (!(index >> PARIO_HISTOGRAM_SUB_BITS))
		return index;
	return ((1ull << PARIO_HISTOGRAM_SUB_BITS) + part) * width(index);
}

/* Middle of the whole nanoseconds that fall into a bucket. */
static double middle(unsigned index)
{
	return (double)pario_histogram_from(index) + (double)(width(index) - 1) / 2;
}

/* Number of the entry (1 = smallest) that the share q points at. */
static uint64_t rank_of(const struct pario_histogram *h, double q)
{
	double position = ceil(q * (double)h->count);

	if (!(position >= 1))
		return 1;
	return position >= (double)h->count ? h->count : (uint64_t)position;
}

double pario_histogram_quantile(const struct pario_histogram *h, double q)
{
	uint64_t rank, seen = 0;
	unsigned i;

	if (!h->count || isnan(q))
		return NAN;
	rank = rank_of(h, q);
	if (rank == 1)
		return (double)h->min_ns;
	if (rank == h->count)
		return (double)h->max_ns;
	for (i = 0; i < PARIO_HISTOGRAM_BUCKETS - 1; i++) {
		seen += h->bucket[i];
		if (seen >= rank)
			break;
	}
	return fmin(fmax(middle(i), (double)h->min_ns), (double)h->max_ns);
}
