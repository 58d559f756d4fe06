/*
 * compute: a piece of computing of a chosen length, to be done while I/O is under way.
 *
 * Scalar: a chain of multiplications, each needing the one before it, so that it can be neither vectorised nor
 * hastened and touches no memory. Vector: a sum of two arrays into a third, far larger than the caches, which competes
 * with I/O for memory; the Cray-1 showed more overhead with it (docs/overlap.md).
 */
#ifndef PARIO_TESTS_OVERLAP_MEASURE_COMPUTE_H
#define PARIO_TESTS_OVERLAP_MEASURE_COMPUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pario_compute {
	bool vector;
	uint64_t length; /* multiplications, or elements */
	uint64_t x;
	double *array[3];
	size_t at;
};

int pario_compute_init(struct pario_compute *compute, bool vector, struct pario_err *err);
void pario_compute_release(struct pario_compute *compute);

/* Chooses the length that takes about so long. */
void pario_compute_tune(struct pario_compute *compute, double ns);

void pario_compute_once(struct pario_compute *compute);

#endif
