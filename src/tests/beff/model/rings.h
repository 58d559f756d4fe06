/*
 * rings: how n processes are divided into rings of about the same size (docs/beff.md).
 *
 * Rings are blocks of consecutive positions. Their sizes differ by one at most.
 */
#ifndef PARIO_TESTS_BEFF_MODEL_RINGS_H
#define PARIO_TESTS_BEFF_MODEL_RINGS_H

#include <stddef.h>

#include "tests/beff/model/constants.h"

struct pario_beff_rings {
	unsigned count;			  /* rings in all */
	unsigned first_count, first_size; /* those that come first */
	unsigned rest_size;		  /* of the others, where there are any */
};

/* Pattern 0 to 5 of n processes. */
struct pario_beff_rings pario_beff_rings(unsigned n, unsigned pattern,
					 enum pario_beff_release release);

/* "ring-3*4&+1": three rings, the first of 4, others one larger. */
void pario_beff_rings_name(const struct pario_beff_rings *rings, char *name, size_t capacity);

/* The neighbours of a position in its ring; returns the size of the ring. */
unsigned pario_beff_rings_neighbours(const struct pario_beff_rings *rings, unsigned position,
				     unsigned *next, unsigned *prev);

#endif
