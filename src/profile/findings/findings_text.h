/*
 * findings_text: findings for people, and as the table "findings" of a journal.
 */
#ifndef PARIO_PROFILE_FINDINGS_FINDINGS_TEXT_H
#define PARIO_PROFILE_FINDINGS_FINDINGS_TEXT_H

#include "journal/table.h"
#include "profile/findings/findings.h"

enum { PARIO_FINDINGS_ROWS = 50 };

/* A numbered list under "What stands out"; nothing when nothing does. */
void pario_profile_findings_show(const struct pario_profile *p, struct pario_symbols *symbols,
				 unsigned rows, struct pario_text *text);

/* false: no memory. */
bool pario_profile_findings_table(const struct pario_profile *p, struct pario_symbols *symbols,
				  struct pario_result_tables *tables);

#endif
