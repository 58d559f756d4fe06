/*
 * grid: the extents of a grid, and the neighbours in it.
 */
#include "tests/beff/model/grid.h"

#include <stdbool.h>

/* The factorisation into non-increasing extents whose first is least, then whose second is. */
static bool factorise(unsigned count, unsigned dimensions, unsigned most, unsigned *extent)
{
	if (dimensions == 1) {
		extent[0] = count;
		return count <= most;
	}
	for (unsigned first = 1; first <= count && first <= most; first++) {
		if (count % first)
			continue;
		extent[0] = first;
		if (factorise(count / first, dimensions - 1, first, extent + 1))
			return true;
	}
	return false;
}

unsigned pario_beff_grid(unsigned n, unsigned dimensions, unsigned extent[PARIO_BEFF_DIMENSIONS])
{
	for (unsigned count = n; count > 0; count--) {
		for (unsigned d = 0; d < PARIO_BEFF_DIMENSIONS; d++)
			extent[d] = 1;
		factorise(count, dimensions, count, extent);
		if (extent[dimensions - 1] > 1 || (count < 8 && count % 2 == 0) || count < 4)
			return count;
	}
	return 0;
}

int pario_beff_grid_neighbour(const unsigned extent[PARIO_BEFF_DIMENSIONS], unsigned position,
			      unsigned direction, int step, int periodic)
{
	unsigned stride = 1, place, moved;

	for (unsigned d = PARIO_BEFF_DIMENSIONS - 1; d > direction; d--)
		stride *= extent[d];
	place = position / stride % extent[direction];
	if (!periodic && (step > 0 ? place + 1 == extent[direction] : place == 0))
		return -1;
	moved = (place + (step > 0 ? 1 : extent[direction] - 1)) % extent[direction];
	return (int)(position - place * stride + moved * stride);
}
