/*
 * order: permutations of the processes, random or with neighbours far apart.
 */
#include "tests/beff/model/order.h"

#include <limits.h>

/* As POSIX defines them. */
#define MULTIPLIER 0x5DEECE66Du
#define INCREMENT  0xBu
#define LOW_BITS   0x330Eu

static const uint64_t mask = ((uint64_t)1 << 48) - 1;

void pario_beff_draw_seed(struct pario_beff_draw *draw, uint64_t seed)
{
	draw->state = ((seed << 16) + LOW_BITS) & mask;
}

double pario_beff_draw_next(struct pario_beff_draw *draw)
{
	draw->state = (MULTIPLIER * draw->state + INCREMENT) & mask;
	return (double)draw->state / (double)(mask + 1);
}

void pario_beff_order_random(struct pario_beff_draw *draw, unsigned n, unsigned *order)
{
	for (unsigned i = 0; i < n; i++)
		order[i] = UINT_MAX;
	for (unsigned i = 0; i < n; i++) {
		unsigned j = (unsigned)(pario_beff_draw_next(draw) * n);

		while (order[j] != UINT_MAX)
			j = (j + 1) % n;
		order[j] = i;
	}
}

void pario_beff_order_worst(unsigned n, unsigned *order)
{
	for (unsigned i = 0; i < n; i++)
		order[i] = i % 2 ? n - 1 - i / 2 : i / 2;
}
