/*
 * grow: the one place where an array is made larger, so that a list of n costs n copies at most and no size wraps.
 */
#include "base/grow.h"

#include <stdlib.h>

enum { FIRST = 64 };

void *pario_grown(void *array, size_t count, size_t *capacity, size_t size)
{
	size_t wide = *capacity ? 2 * *capacity : FIRST;

	if (count < *capacity)
		return array;
	array = reallocarray(array, wide, size);
	if (array)
		*capacity = wide;
	return array;
}
