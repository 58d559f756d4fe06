/*
 * grow: arrays that double when they are full; who releases them is their owners' matter.
 */
#ifndef PARIO_BASE_GROW_H
#define PARIO_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>

/* The array, moved where that was necessary, with room for one more element; NULL where there is no memory. */
void *pario_grown(void *array, size_t count, size_t *capacity, size_t size);

/* The same in place: is there room for one more? The array is as it was where there is not. */
#define pario_grow(array, count, capacity)                                               \
	({                                                                               \
		void *grown_ = pario_grown(array, count, &(capacity), sizeof(*(array))); \
		if (grown_)                                                              \
			(array) = grown_;                                                \
		grown_ != NULL;                                                          \
	})

#endif
