/*
 * sheet_cells: a table by key, with a histogram of times for each; it judges no path, sheet_paths.c does.
 */
#include "predict/sheet/sheet_cells.h"

#include <math.h>
#include <stdlib.h>

enum { DISTANCE_BITS = 4 }; /* distances within a factor of 16 are one */

unsigned pario_sheet_bin_of(double seconds)
{
	double ns = seconds * 1e9;

	return pario_histogram_index(ns > 0 ? ns < 0x1p62 ? (uint64_t)ns : 1ull << 62 : 0) >>
	       PARIO_SHEET_COARSE;
}

/* In the middle, as logarithms are. */
double pario_sheet_bin_log(unsigned bin)
{
	double from = (double)pario_histogram_from(bin << PARIO_SHEET_COARSE);
	double to = (double)pario_histogram_from((bin + 1) << PARIO_SHEET_COARSE);

	return (log(fmax(1, from)) + log(to)) / 2;
}

static struct pario_map_key key_of(const struct pario_sheet_row *r)
{
	uint64_t far = r->key.distance_bytes;
	unsigned distance = far ? (64 - (unsigned)__builtin_clzll(far)) / DISTANCE_BITS : 0;

	return (struct pario_map_key){
		(uint64_t)r->key.op << 32 | (uint64_t)r->key.path << 24 |
			(uint64_t)r->key.locality << 16 | (uint64_t)r->part << 8 | r->key.shared,
		(uint64_t)r->power << 32 | (uint64_t)r->concurrency << 16 | distance, r->phase
	};
}

/* Paths of reads and writes that are neither direct nor synchronous are not known. */
static bool unknown_path(const struct pario_cost_key *key)
{
	return key->path == PARIO_SYSTEM_ANY &&
	       (key->op == PARIO_SYSTEM_READ || key->op == PARIO_SYSTEM_WRITE);
}

uint32_t pario_sheet_cell_of(struct pario_sheet_cells *c, const struct pario_sheet_row *like)
{
	bool is_new = false;
	struct pario_sheet_cell *list, *cell;
	uint32_t number;

	c->map.limit = PARIO_SHEET_ROWS;
	number = pario_map_add(&c->map, key_of(like), &is_new);
	if (!number)
		return 0;
	list = pario_map_grow(c->list, &c->capacity, number, sizeof(*list));
	c->no_memory |= !list;
	if (!list)
		return 0;
	c->list = list;
	if (!is_new)
		return number;
	cell = &list[number];
	cell->row = *like;
	if (unknown_path(&like->key)) {
		cell->bins = calloc(PARIO_SHEET_BINS, sizeof(*cell->bins));
		c->no_memory |= !cell->bins;
	}
	return number;
}

void pario_sheet_cells_release(struct pario_sheet_cells *c)
{
	for (uint32_t i = 1; i <= c->map.count && i < c->capacity; i++)
		free(c->list[i].bins);
	pario_map_release(&c->map);
	free(c->list);
	*c = (struct pario_sheet_cells){ 0 };
}
