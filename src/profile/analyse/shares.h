/*
 * shares: how the time of the program's own calls on storage is shared out to classes: reading, writing, opening,
 * syncing and so on.
 */
#ifndef PARIO_PROFILE_ANALYSE_SHARES_H
#define PARIO_PROFILE_ANALYSE_SHARES_H

#include "journal/table.h"
#include "profile/analyse/profile.h"

extern const char *const pario_class_names[PARIO_CLASSES];

void pario_shares_show(const struct pario_profile *p, struct pario_text *text);

/* As the table "classes" of a journal; false: no memory. */
bool pario_shares_table(const struct pario_profile *p, struct pario_result_tables *tables);

#endif
