/*
 * facts: the parameters and versions of a run that may change by themselves, and how those of two runs differ.
 */
#ifndef PARIO_HISTORY_FACTS_H
#define PARIO_HISTORY_FACTS_H

#include "base/text.h"

struct pario_archive;

/* As "name\tvalue" lines. */
void pario_facts_of(const struct pario_archive *archive, struct pario_text *out);

/* What differs between two such texts, as "name: before → after" lines. */
void pario_facts_differ(const char *before, const char *after, struct pario_text *out);

#endif
