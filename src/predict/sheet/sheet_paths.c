/*
 * sheet_paths: which path calls went, as their times tell.
 *
 * The times of a class, of all phases together, come from one source or from two (base/mixture.h). Of two the faster
 * one is taken for memory, a hit or an absorbed write, and the slower one for the device, a miss or a write that had to
 * wait. Every phase is then divided at the border between them. Where there is one, nothing is told apart: whether all
 * of them met memory or none did is not to be seen from times alone.
 *
 * It misleads where something else makes some calls slower: locks, other programs, a journal's commit.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mixture.h"
#include "predict/sheet/sheet_cells.h"

struct inferring {
	struct pario_sheet *sheet;
	const struct pario_sheet_cells *cells;
	struct pario_map group_of; /* classes but for the phase */
	uint32_t *groups;	   /* by cell */
	double logs[PARIO_SHEET_BINS], seen[PARIO_SHEET_BINS];
};

static bool group(struct inferring *f)
{
	uint32_t count = f->cells->map.count;
	bool is_new;

	f->groups = calloc(count + 1ul, sizeof(*f->groups));
	f->group_of.limit = PARIO_SHEET_ROWS;
	for (uint32_t i = 1; f->groups && i <= count; i++) {
		struct pario_map_key key = f->cells->map.keys[i];

		key.c = 0;
		f->groups[i] = pario_map_add(&f->group_of, key, &is_new);
	}
	for (unsigned b = 0; b < PARIO_SHEET_BINS; b++)
		f->logs[b] = pario_sheet_bin_log(b);
	return f->groups;
}

static struct pario_mixture fit(struct inferring *f, uint32_t number)
{
	memset(f->seen, 0, sizeof(f->seen));
	for (uint32_t i = 1; i <= f->cells->map.count; i++) {
		const struct pario_sheet_bin *bins = f->cells->list[i].bins;

		for (unsigned b = 0; f->groups[i] == number && bins && b < PARIO_SHEET_BINS; b++)
			f->seen[b] += bins[b].seen;
	}
	return pario_mixture_fit(f->logs, f->seen, PARIO_SHEET_BINS);
}

static bool put(struct pario_sheet *s, const struct pario_sheet_cell *cell)
{
	struct pario_sheet_row *row = pario_sheet_add(s);

	if (!row)
		return false;
	*row = cell->row;
	row->key.distance_bytes =
		cell->row.calls ? (uint64_t)(cell->distance / (double)cell->row.calls) : 0;
	return true;
}

/* Of the bytes and companions each call has as much as any other. */
static bool divide(struct pario_sheet *s, const struct pario_sheet_cell *cell, size_t border)
{
	bool read = cell->row.key.op == PARIO_SYSTEM_READ;
	struct pario_sheet_cell fast = *cell, slow = *cell;
	double calls = 0, seconds = 0, share;

	for (size_t b = border; b < PARIO_SHEET_BINS; b++) {
		calls += cell->bins[b].calls;
		seconds += cell->bins[b].seconds;
	}
	share = calls / (double)cell->row.calls;
	slow.row.calls = (uint64_t)calls;
	slow.row.bytes = (uint64_t)(share * (double)cell->row.bytes);
	slow.row.seconds = seconds;
	slow.row.clients *= share;
	slow.distance *= share;
	fast.row.calls -= slow.row.calls;
	fast.row.bytes -= slow.row.bytes;
	fast.row.seconds = fmax(0, fast.row.seconds - seconds);
	fast.row.clients -= slow.row.clients;
	fast.distance -= slow.distance;
	fast.row.inferred = slow.row.inferred = true;
	fast.row.key.path = read ? PARIO_SYSTEM_HIT : PARIO_SYSTEM_ABSORBED;
	slow.row.key.path = read ? PARIO_SYSTEM_MISS : PARIO_SYSTEM_THROTTLED;
	return (!fast.row.calls || put(s, &fast)) && (!slow.row.calls || put(s, &slow));
}

static bool infer_group(struct inferring *f, uint32_t number)
{
	const struct pario_sheet_cells *c = f->cells;
	struct pario_mixture m = fit(f, number);

	for (uint32_t i = 1; i <= c->map.count; i++) {
		if (f->groups[i] != number)
			continue;
		if (!(m.two && c->list[i].bins ? divide(f->sheet, &c->list[i], m.border)
					       : put(f->sheet, &c->list[i])))
			return false;
	}
	return true;
}

int pario_sheet_infer(struct pario_sheet *s, const struct pario_sheet_cells *c)
{
	struct inferring *f = calloc(1, sizeof(*f));
	bool good = f;

	if (f) {
		f->sheet = s;
		f->cells = c;
		good = group(f);
		for (uint32_t i = 1; good && i <= f->group_of.count; i++)
			good = infer_group(f, i);
		pario_map_release(&f->group_of);
		free(f->groups);
	}
	free(f);
	return good ? 0 : -1;
}
