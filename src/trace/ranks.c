/*
 * ranks: a mark for each rank that was seen, and which are missing of those that the program had.
 */
#include "trace/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "trace/unpack.h"

enum { RANGES = 8 }; /* named before the rest is left out */

void pario_ranks_add(struct pario_ranks *ranks, uint32_t rank, uint32_t world)
{
	uint32_t capacity = ranks->capacity ? ranks->capacity : 64;
	uint8_t *seen;

	if (rank >= PARIO_RANKS_MOST || world > PARIO_RANKS_MOST || rank >= world)
		return;
	while (capacity <= rank)
		capacity *= 2;
	if (capacity > ranks->capacity) {
		seen = realloc(ranks->seen, capacity);
		if (!seen)
			return;
		memset(seen + ranks->capacity, 0, capacity - ranks->capacity);
		ranks->seen = seen;
		ranks->capacity = capacity;
	}
	ranks->seen[rank] = 1;
	if (world > ranks->world)
		ranks->world = world;
}

void pario_ranks_read(struct pario_ranks *ranks, const char *path)
{
	char text[PARIO_TRACE_TEXT_MAX + 1];
	struct pario_trace_record note;
	struct pario_pack_end end;
	struct pario_unpack u;
	int kind;

	if (pario_unpack_open(&u, path, NULL) < 0)
		return;
	ranks->calls = ranks->processes = 0;
	while ((kind = pario_unpack_next(&u, true)) > 0) {
		size_t at = 0;

		if (kind == PARIO_PACK_SEGMENT)
			pario_ranks_add(ranks, u.segment.rank, u.segment.ranks);
		while (kind == PARIO_PACK_NOTES && pario_unpack_note(&u, &at, &note, text) > 0) {
			if (note.op == PARIO_TRACE_RANK)
				pario_ranks_add(ranks, note.file, (uint32_t)note.size);
			ranks->processes += note.op == PARIO_TRACE_PROGRAM;
		}
		if (kind == PARIO_PACK_END) {
			memcpy(&end, u.plain, sizeof(end));
			ranks->calls += end.calls;
		}
	}
	pario_unpack_close(&u);
}

bool pario_ranks_has(const struct pario_ranks *ranks, uint32_t rank)
{
	return rank < ranks->capacity && ranks->seen[rank];
}

uint32_t pario_ranks_count(const struct pario_ranks *ranks)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < ranks->world; i++)
		count += pario_ranks_has(ranks, i);
	return count;
}

void pario_ranks_missing(const struct pario_ranks *ranks, struct pario_text *text)
{
	uint32_t last, named = 0;

	for (uint32_t i = 0; i < ranks->world; i = last + 1) {
		last = i;
		if (pario_ranks_has(ranks, i))
			continue;
		while (last + 1 < ranks->world && !pario_ranks_has(ranks, last + 1))
			last++;
		if (named == RANGES) {
			pario_text_add(text, " and others");
			return;
		}
		pario_text_add(text, "%s%u", named++ ? ", " : "", i);
		if (last > i)
			pario_text_add(text, "-%u", last);
	}
}

void pario_ranks_release(struct pario_ranks *ranks)
{
	free(ranks->seen);
	*ranks = (struct pario_ranks){ 0 };
}
