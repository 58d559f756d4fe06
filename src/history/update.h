/*
 * update: brings an index up to date with the journals below some directories.
 */
#ifndef PARIO_HISTORY_UPDATE_H
#define PARIO_HISTORY_UPDATE_H

#include "base/text.h"
#include "history/index.h"

/* `*read` counts the journals that were new or had changed. */
int pario_index_update(struct pario_index *index, const char *const *directories, size_t count,
		       const char *across, size_t *read, struct pario_err *err);

/* The parameters and facts of a run that may change by themselves, as "name\tvalue" lines. */
struct pario_archive;
void pario_facts_of(const struct pario_archive *archive, struct pario_text *out);

/* What differs between two such texts, as "name: before → after" lines. */
void pario_facts_differ(const char *before, const char *after, struct pario_text *out);

#endif
