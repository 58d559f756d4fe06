/*
 * cache: are the data about to be read really only on storage?
 *
 * What we wrote is made durable and evicted from the node's page cache (posix_fadvise on our own files; the whole
 * machine's cache only on request). Then residency is counted with cachestat, or mincore on older kernels. Caches of
 * servers, controllers and disks cannot be seen from here.
 */
#ifndef PARIO_ENGINE_CACHE_H
#define PARIO_ENGINE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "engine/workspace.h"
#include "journal/result.h"

/* Writes back and evicts one file's pages on this node. A file that is not there is no error. */
int pario_cache_evict(int dirfd, const char *name, bool ours, struct pario_err *err);

/* Adds one file's pages on this node to the state. */
void pario_cache_count(int dirfd, const char *name, struct pario_cache_state *state);

/* Drops the clean caches of the whole node; needs root. */
int pario_cache_drop_all(struct pario_err *err);

/* True when the file system keeps its data in memory (tmpfs, ramfs): nothing there can be cold or durable. */
bool pario_cache_in_memory(int dirfd);

/*
 * 1 = O_DIRECT goes past the page cache here, as a page written shows; 0 = it does not, or there is only memory behind
 * it. Client 0 alone.
 */
int pario_cache_direct(struct pario_workspace *workspace, struct pario_err *err);

#endif
