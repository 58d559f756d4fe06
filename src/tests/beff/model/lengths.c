/*
 * lengths: computes the 21 message lengths, and the memory that the largest of them needs.
 */
#include "tests/beff/model/lengths.h"

#include <math.h>

/* Powers of two up to here; the steps beyond are equal on the logarithmic scale. */
enum { FIXED = 13, FIXED_LAST = 4096 };

static const uint64_t most = (uint64_t)128 << 20;

uint64_t pario_beff_lmax(uint64_t memory_bytes)
{
	return memory_bytes / 128 < most ? memory_bytes / 128 : most;
}

double pario_beff_lengths(uint64_t lmax, uint64_t lengths[PARIO_BEFF_LENGTHS])
{
	double a = pow((double)lmax / FIXED_LAST, 1.0 / (PARIO_BEFF_LENGTHS - FIXED));
	double length = FIXED_LAST;

	for (unsigned i = 0; i < FIXED; i++)
		lengths[i] = (uint64_t)1 << i;
	for (unsigned i = FIXED; i < PARIO_BEFF_LENGTHS; i++) {
		length *= a;
		lengths[i] = (uint64_t)(length + 0.5);
	}
	return a;
}

uint64_t pario_beff_buffer_bytes(uint64_t lmax)
{
	return (lmax + 16) * 6;
}
