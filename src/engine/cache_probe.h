/*
 * cache_probe: is what is about to be read in a cache of this node that pario cannot empty?
 *
 * Some pieces of the file are read through the cache, then the same again, then as many others by O_DIRECT where
 * that goes past the cache; the page cache is emptied before each. Reading again tells how fast the cache answers,
 * the direct way how fast what is behind it does: pieces nearer to the first came from the cache. Without a direct
 * way nothing shows that they did, but pieces that took much longer than again did not. They lie far apart, so
 * that nobody reads ahead. It misleads where the cache holds only a small part of the file, and where others use
 * it meanwhile.
 */
#ifndef PARIO_ENGINE_CACHE_PROBE_H
#define PARIO_ENGINE_CACHE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARIO_PROBE_PIECES = 16, PARIO_PROBE_BYTES = 65536, PARIO_PROBE_LEAST = 4 };

/* Hits among more than this share of the pieces count. */
#define PARIO_PROBE_SHARE 0.25

/* The worst of several counts. */
enum pario_probe_finding {
	PARIO_PROBE_EMPTY,   /* the cache held nothing of it, or makes no difference */
	PARIO_PROBE_NOTHING, /* shown neither way */
	PARIO_PROBE_HITS,
};

struct pario_cache_probe {
	size_t pieces,
		direct_pieces; /* read; 0 direct ones: that way is closed, or ends in the same cache */
	double first_s[PARIO_PROBE_PIECES], again_s[PARIO_PROBE_PIECES],
		direct_s[PARIO_PROBE_PIECES];
};

/* Reads the pieces; none where the file is too small or cannot be read. `passed`: O_DIRECT goes past the cache. */
void pario_cache_probe(int dirfd, const char *name, bool passed, uint64_t seed,
		       struct pario_cache_probe *probe);

/* What that shows, and how many pieces came from the cache. Sorts the times. */
enum pario_probe_finding pario_cache_probe_judge(struct pario_cache_probe *probe, size_t *hits);

#endif
