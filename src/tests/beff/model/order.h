/*
 * order: in which order processes form a ring: drawn at random, or so that neighbours are far apart (docs/beff.md).
 *
 * The generator is that of drand48, with its state in the caller's hands. order[position] is a process. Drawing by
 * linear probing is not quite uniform; that is the benchmark's definition.
 */
#ifndef PARIO_TESTS_BEFF_MODEL_ORDER_H
#define PARIO_TESTS_BEFF_MODEL_ORDER_H

#include <stdint.h>

struct pario_beff_draw {
	uint64_t state; /* 48 bits */
};

void pario_beff_draw_seed(struct pario_beff_draw *draw, uint64_t seed);
double pario_beff_draw_next(struct pario_beff_draw *draw); /* 0 <= x < 1 */

void pario_beff_order_random(struct pario_beff_draw *draw, unsigned n, unsigned *order);
void pario_beff_order_worst(unsigned n, unsigned *order);

#endif
