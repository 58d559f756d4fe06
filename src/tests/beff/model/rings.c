/*
 * rings: the sizes and names of the rings, and the neighbours of a position.
 */
#include "tests/beff/model/rings.h"

#include <stdio.h>

static unsigned standard(unsigned n, unsigned pattern)
{
	const unsigned sizes[PARIO_BEFF_RINGS] = {
		2, 4, 8, n / 4 > 16 ? n / 4 : 16, n / 2 > 32 ? n / 2 : 32, n
	};

	return sizes[pattern] < n ? sizes[pattern] : n;
}

struct pario_beff_rings pario_beff_rings(unsigned n, unsigned pattern,
					 enum pario_beff_release release)
{
	unsigned count = (unsigned)((double)n / standard(n, pattern) + 0.4), low, high_count;

	if (count > n / 2)
		count = n / 2;
	/* The paper: up to 7 processes the second pattern is one ring. */
	if (count < 1 || (release == PARIO_BEFF_PAPER && pattern == 1 && n <= 7))
		count = 1;
	low = n / count;
	high_count = n - low * count;
	if (low % 2 && high_count > 0)
		return (struct pario_beff_rings){ count, high_count, low + 1, low };
	return (struct pario_beff_rings){ count, count - high_count, low, low + 1 };
}

void pario_beff_rings_name(const struct pario_beff_rings *rings, char *name, size_t capacity)
{
	const char *rest = rings->rest_size > rings->first_size ? "&+1" : "&-1";

	snprintf(name, capacity, "ring-%u*%u%s", rings->count, rings->first_size,
		 rings->first_count == rings->count ? "fix" : rest);
}

unsigned pario_beff_rings_neighbours(const struct pario_beff_rings *rings, unsigned position,
				     unsigned *next, unsigned *prev)
{
	unsigned border = rings->first_count * rings->first_size, size = rings->first_size;
	unsigned start = 0, place;

	if (position >= border) {
		start = border;
		size = rings->rest_size;
	}
	place = (position - start) % size;
	start = position - place;
	*next = start + (place + 1) % size;
	*prev = start + (place + size - 1) % size;
	return size;
}
