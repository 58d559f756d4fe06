/*
 * map: from a key of three numbers to a small number, counted up as keys come. Grows up to a limit; beyond it every new
 * key gets number 0, which stands for "others".
 */
#ifndef PARIO_TRACE_MAP_H
#define PARIO_TRACE_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct pario_map_key {
	uint64_t a, b, c;
};

struct pario_map {
	struct pario_map_key *keys; /* by number */
	uint32_t *table;
	uint32_t count, capacity, limit; /* numbers 1..count are in use */
};

/* The key's number; 0 when it is unknown. */
uint32_t pario_map_find(const struct pario_map *map, struct pario_map_key key);
/* The same, and a new one for a new key; 0 when the limit is reached or memory ends. */
uint32_t pario_map_add(struct pario_map *map, struct pario_map_key key, bool *is_new);
void pario_map_release(struct pario_map *map);

/* Room for element number `index` in an array that grows by doubling and is filled with zeroes; NULL: no memory. */
void *pario_map_grow(void *array, uint32_t *capacity, uint32_t index, uint64_t size);

#endif
