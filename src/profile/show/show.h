/*
 * show: a profile as text for people, from the finished profile alone.
 */
#ifndef PARIO_PROFILE_SHOW_SHOW_H
#define PARIO_PROFILE_SHOW_SHOW_H

#include "profile/analyse/profile.h"
#include "trace/symbols.h"

/* At most `rows` rows in each table; `verbose`: all that stands out, also where I/O takes little of the run. */
void pario_profile_show(const struct pario_profile *p, struct pario_symbols *symbols, unsigned rows,
			bool verbose, struct pario_text *text);

/* The name of a site, through symbols. */
void pario_profile_site_name(const struct pario_profile *p, struct pario_symbols *symbols,
			     uint32_t module, uint64_t offset, struct pario_text *text);

#endif
