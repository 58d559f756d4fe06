/*
 * sky: the signal that MADbench2 looks for, pixels in random directions and Legendre polynomials of their distances.
 *
 * One element of a matrix depends on two pixels only, so any process makes any part, and all of them the same.
 * docs/madbench2.md
 */
#ifndef PARIO_TESTS_MADBENCH2_MODEL_SKY_H
#define PARIO_TESTS_MADBENCH2_MODEL_SKY_H

#include <stddef.h>
#include <stdint.h>

/* Unit vectors of the first `count` pixels: always the same. */
void pario_mad_pixels(double (*pixels)[3], uint64_t count);

/* The cosine of the angle between two pixels. */
static inline double pario_mad_cosine(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/*
 * The element of dS/dC in a bin of ten multipoles. `before` and `last` are the two last Legendre polynomials of x; they
 * begin as 0 and 1 and go on from bin to bin.
 */
double pario_mad_signal(double x, uint64_t bin, double *before, double *last);

/* What the trace of S, the sum over all bins, must be. */
double pario_mad_trace(uint64_t pixels, uint64_t bins);

/* Solves the symmetric system a x = b by Cholesky, in place, by the lower triangle; -1 when a is not positive. */
int pario_mad_solve(size_t n, double *a, double *b);

#endif
