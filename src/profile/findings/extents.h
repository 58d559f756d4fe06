/*
 * extents: parts of a file, in their order, apart from each other. Bounded: where there are too many, further ones are
 * left out, and it says so.
 */
#ifndef PARIO_PROFILE_FINDINGS_EXTENTS_H
#define PARIO_PROFILE_FINDINGS_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PARIO_EXTENTS = 256,	     /* parts of one file by one process */
	PARIO_ALL_EXTENTS = 4 << 20, /* 64 MiB of them in all */
};

struct pario_extent {
	uint64_t from, to;
};

struct pario_extents {
	struct pario_extent *items;
	uint32_t count, capacity;
	bool inexact; /* more parts than are kept */
};

/* One more part; how many of its bytes were there before. `all` counts the room of all lists. false: no memory. */
bool pario_extents_add(struct pario_extents *x, uint64_t from, uint64_t to, uint64_t *all,
		       uint64_t *before);
/* Empty again; its room is kept. */
void pario_extents_clear(struct pario_extents *x);
void pario_extents_release(struct pario_extents *x);

/* Bytes of from..to that are there. */
uint64_t pario_extents_within(const struct pario_extents *x, uint64_t from, uint64_t to);
/* Bytes in both. */
uint64_t pario_extents_common(const struct pario_extents *a, const struct pario_extents *b);
/* Bytes in all. */
uint64_t pario_extents_bytes(const struct pario_extents *x);
/* How often, from the beginning of the file to its end, a part of the one follows a part of the other. */
uint32_t pario_extents_turns(const struct pario_extents *a, const struct pario_extents *b);

#endif
