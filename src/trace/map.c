/*
 * map: open addressing, half full at most; beyond its limit every new key is number 0.
 */
#include "trace/map.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

static uint32_t place(const struct pario_map *map, struct pario_map_key key)
{
	uint32_t at = (uint32_t)XXH64(&key, sizeof(key), 0) & (2 * map->capacity - 1);

	while (map->table[at] && memcmp(&map->keys[map->table[at]], &key, sizeof(key)) != 0)
		at = (at + 1) & (2 * map->capacity - 1);
	return at;
}

uint32_t pario_map_find(const struct pario_map *map, struct pario_map_key key)
{
	return map->capacity ? map->table[place(map, key)] : 0;
}

static bool enlarge(struct pario_map *map)
{
	uint32_t capacity = map->capacity ? 2 * map->capacity : 64;
	struct pario_map_key *keys = realloc(map->keys, (capacity + 1ul) * sizeof(*keys));
	uint32_t *table;

	if (!keys)
		return false;
	map->keys = keys;
	table = calloc(2ul * capacity, sizeof(*table));
	if (!table)
		return false;
	free(map->table);
	map->table = table;
	map->capacity = capacity;
	for (uint32_t i = 1; i <= map->count; i++)
		map->table[place(map, map->keys[i])] = i;
	return true;
}

uint32_t pario_map_add(struct pario_map *map, struct pario_map_key key, bool *is_new)
{
	uint32_t at;

	*is_new = false;
	if (map->capacity) {
		at = map->table[place(map, key)];
		if (at)
			return at;
	}
	if (map->count >= map->limit || (map->count == map->capacity && !enlarge(map)))
		return 0;
	*is_new = true;
	map->keys[++map->count] = key;
	map->table[place(map, key)] = map->count;
	return map->count;
}

void pario_map_release(struct pario_map *map)
{
	free(map->keys);
	free(map->table);
	*map = (struct pario_map){ .limit = map->limit };
}

void *pario_map_grow(void *array, uint32_t *capacity, uint32_t index, uint64_t size)
{
	uint32_t more = *capacity ? *capacity : 16;
	char *bigger;

	if (index < *capacity)
		return array;
	while (more <= index)
		more *= 2;
	bigger = realloc(array, more * size);
	if (!bigger)
		return NULL;
	memset(bigger + *capacity * size, 0, (more - *capacity) * size);
	*capacity = more;
	return bigger;
}
