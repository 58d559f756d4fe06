/*
 * cache: the page cache of a system, as far as it decides what a call meets.
 *
 * Two lists as in Linux: what is touched once is inactive, what is touched again becomes active; memory is taken
 * from the end of the inactive list, and the active one gives to it when it is the longer. Blocks hold 32 pages
 * each, which are in memory or not, dirty or not, and read ahead or asked for. Dirty blocks stand in a list of their
 * own, the oldest first, from which they are cleaned; they are not evicted before.
 */
#ifndef PARIO_PREDICT_SIMULATE_CACHE_H
#define PARIO_PREDICT_SIMULATE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct pario_cache;

/* `capacity` may be infinite. Pages are 4 KiB or, where there would be too many blocks, larger. NULL: no memory. */
struct pario_cache *pario_cache_new(double capacity);
void pario_cache_free(struct pario_cache *c);

/* A read, in bytes: those that were in memory, those read ahead for it, and those that were not there. All are then. */
struct pario_cache_read {
	uint64_t hit, ahead, missing;
};
struct pario_cache_read pario_cache_read(struct pario_cache *c, uint32_t file, uint64_t offset,
					 uint64_t bytes);
/* Has these read ahead: in memory, but not asked for yet. */
void pario_cache_ahead(struct pario_cache *c, uint32_t file, uint64_t offset, uint64_t bytes);

/* Is all of it in memory? Of a file that is in memory at first, only what was asked for since counts. */
bool pario_cache_holds(struct pario_cache *c, uint32_t file, uint64_t offset, uint64_t bytes);

/* A write: returns how many bytes it made dirty that were not. */
uint64_t pario_cache_write(struct pario_cache *c, uint32_t file, uint64_t offset, uint64_t bytes);

/* Cleans the oldest dirty pages, up to so many bytes; returns how many. */
uint64_t pario_cache_clean(struct pario_cache *c, uint64_t bytes);
/* Cleans a file; returns how many bytes of it were dirty. */
uint64_t pario_cache_clean_file(struct pario_cache *c, uint32_t file);
/* A file is gone, with what was dirty of it. */
void pario_cache_forget(struct pario_cache *c, uint32_t file);
/* Has what is clean of a file no more in memory; what is dirty stays. */
void pario_cache_discard(struct pario_cache *c, uint32_t file);

/* Files are in memory at first, until one of their blocks is evicted. */
void pario_cache_warm(struct pario_cache *c, uint32_t file);

uint64_t pario_cache_dirty(const struct pario_cache *c);
uint64_t pario_cache_resident(const struct pario_cache *c);
bool pario_cache_failed(
	const struct pario_cache *c); /* memory ended: what it says is not to be used */

#endif
