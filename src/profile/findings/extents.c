/*
 * extents: a sorted array; the usual way, onwards, looks at its end alone.
 */
#include "profile/findings/extents.h"

#include <stdlib.h>
#include <string.h>

/* The first that ends at `from` or behind it. */
static uint32_t find(const struct pario_extents *x, uint64_t from)
{
	uint32_t low = 0, high = x->count;

	if (high && x->items[high - 1].from <= from)
		return x->items[high - 1].to >= from ? high - 1 : high;
	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (x->items[middle].to < from)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool insert(struct pario_extents *x, uint32_t at, uint64_t from, uint64_t to, uint64_t *all)
{
	if (x->count == x->capacity) {
		uint32_t capacity = x->capacity ? 2 * x->capacity : 4;
		struct pario_extent *items;

		if (capacity > PARIO_EXTENTS || *all + capacity > PARIO_ALL_EXTENTS) {
			x->inexact = true;
			return true;
		}
		items = realloc(x->items, capacity * sizeof(*items));
		if (!items)
			return false;
		*all += capacity - x->capacity;
		x->items = items;
		x->capacity = capacity;
	}
	memmove(&x->items[at + 1], &x->items[at], (x->count - at) * sizeof(*x->items));
	x->items[at] = (struct pario_extent){ from, to };
	x->count++;
	return true;
}

static uint64_t shared(const struct pario_extent *x, uint64_t from, uint64_t to)
{
	uint64_t low = x->from > from ? x->from : from, high = x->to < to ? x->to : to;

	return high > low ? high - low : 0;
}

bool pario_extents_add(struct pario_extents *x, uint64_t from, uint64_t to, uint64_t *all,
		       uint64_t *before)
{
	uint32_t at, last;

	*before = 0;
	if (x->inexact || from >= to)
		return true;
	at = find(x, from);
	for (last = at; last < x->count && x->items[last].from <= to; last++)
		*before += shared(&x->items[last], from, to);
	if (last == at)
		return insert(x, at, from, to, all);
	if (x->items[at].from < from)
		from = x->items[at].from;
	if (x->items[last - 1].to > to)
		to = x->items[last - 1].to;
	x->items[at] = (struct pario_extent){ from, to };
	memmove(&x->items[at + 1], &x->items[last], (x->count - last) * sizeof(*x->items));
	x->count -= last - at - 1;
	return true;
}

void pario_extents_clear(struct pario_extents *x)
{
	x->count = 0;
	x->inexact = false;
}

void pario_extents_release(struct pario_extents *x)
{
	free(x->items);
	*x = (struct pario_extents){ 0 };
}

uint64_t pario_extents_within(const struct pario_extents *x, uint64_t from, uint64_t to)
{
	uint64_t bytes = 0;

	for (uint32_t i = find(x, from); i < x->count && x->items[i].from < to; i++)
		bytes += shared(&x->items[i], from, to);
	return bytes;
}

uint64_t pario_extents_common(const struct pario_extents *a, const struct pario_extents *b)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < a->count; i++)
		bytes += pario_extents_within(b, a->items[i].from, a->items[i].to);
	return bytes;
}

uint64_t pario_extents_bytes(const struct pario_extents *x)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < x->count; i++)
		bytes += x->items[i].to - x->items[i].from;
	return bytes;
}

uint32_t pario_extents_turns(const struct pario_extents *a, const struct pario_extents *b)
{
	uint32_t turns = 0, i = 0, k = 0;
	int of = 0;

	while (i < a->count || k < b->count) {
		bool first =
			k == b->count || (i < a->count && a->items[i].from <= b->items[k].from);
		int next = first ? 1 : 2;

		turns += of && of != next;
		of = next;
		i += first;
		k += !first;
	}
	return turns;
}
