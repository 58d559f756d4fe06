/*
 * change: which statements of two surveys differ.
 */
#ifndef PARIO_SURVEY_CHANGE_H
#define PARIO_SURVEY_CHANGE_H

#include "survey/record.h"

/*
 * Adds a line for every statement of either: the same, slower, faster, new or gone. It is the same when the
 * intervals meet. Returns how many are new or slower.
 */
unsigned pario_changes_add(const struct pario_finding_set *first,
			   const struct pario_finding_set *second, struct pario_text *out);

#endif
