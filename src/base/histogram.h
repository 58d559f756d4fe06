/*
 * histogram: the distribution of operation times in fixed memory.
 *
 * Log-linear: values below 2^SUB_BITS have a bucket each, every octave above is cut into
 * 2^SUB_BITS equal buckets, so that a quantile is off by less than 1 % (half a bucket of 1/64).
 * Merging is adding arrays, so the result does not depend on how the clients were grouped. Minimum
 * and maximum are exact.
 */
#ifndef PARIO_BASE_HISTOGRAM_H
#define PARIO_BASE_HISTOGRAM_H

#include <stdint.h>

enum {
	PARIO_HISTOGRAM_SUB_BITS = 6,
	PARIO_HISTOGRAM_TOP_BIT = 44, /* values from 2^44 ns (4.9 hours) on share the last bucket */
	PARIO_HISTOGRAM_BUCKETS = (PARIO_HISTOGRAM_TOP_BIT - PARIO_HISTOGRAM_SUB_BITS + 1)
				  << PARIO_HISTOGRAM_SUB_BITS,
};

struct pario_histogram {
	uint64_t count;
	uint64_t min_ns, max_ns; /* 0 and 0 while count is 0 */
	uint64_t bucket[PARIO_HISTOGRAM_BUCKETS];
};

static inline unsigned pario_histogram_index(uint64_t ns)
{
	unsigned top, shift;

	if (ns < (1u << PARIO_HISTOGRAM_SUB_BITS))
		return (unsigned)ns;
	if (ns >> PARIO_HISTOGRAM_TOP_BIT)
		return PARIO_HISTOGRAM_BUCKETS - 1;
	top = 63 - (unsigned)__builtin_clzll(ns);
	shift = top - PARIO_HISTOGRAM_SUB_BITS;
	return ((shift + 1) << PARIO_HISTOGRAM_SUB_BITS) + (unsigned)(ns >> shift) -
	       (1u << PARIO_HISTOGRAM_SUB_BITS);
}

static inline void pario_histogram_add(struct pario_histogram *h, int64_t ns)
{
	uint64_t v = ns > 0 ? (uint64_t)ns : 0;

	if (v < h->min_ns || !h->count)
		h->min_ns = v;
	if (v > h->max_ns)
		h->max_ns = v;
	h->count++;
	h->bucket[pario_histogram_index(v)]++;
}

/* The smallest value that falls into a bucket. */
uint64_t pario_histogram_from(unsigned index);

/*
 * The value below which a share q (0..1) of the entries lies: middle of the bucket, kept within
 * min and max.
 */
double pario_histogram_quantile(const struct pario_histogram *h, double q);

#endif
