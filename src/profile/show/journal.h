/*
 * journal: a profile as a journal: the program as a whole with its tables (test "trace"), and one result per call class
 * (test "profile").
 */
#ifndef PARIO_PROFILE_SHOW_JOURNAL_H
#define PARIO_PROFILE_SHOW_JOURNAL_H

#include "profile/analyse/profile.h"
#include "trace/symbols.h"

/* Into `directory`, which is made when it is not there. */
int pario_profile_journal(const char *directory, const struct pario_profile *p,
			  struct pario_symbols *symbols, const char *trace, struct pario_err *err);

#endif
