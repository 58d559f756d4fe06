/*
 * findings_text: findings for people, and as the table "findings" of a journal.
 */
#ifndef PARIO_PROFILE_FINDINGS_FINDINGS_TEXT_H
#define PARIO_PROFILE_FINDINGS_FINDINGS_TEXT_H

#include "journal/table.h"
#include "profile/findings/findings.h"

enum { PARIO_FINDINGS_ROWS = 50 };

/* What a profile begins with: is its I/O worth changing? */
void pario_profile_verdict_show(const struct pario_profile *p,
				const struct pario_profile_findings *f, struct pario_text *text);

/*
 * A numbered list under "What stands out"; nothing when nothing does. Their titles alone where all of the I/O is too
 * little to be worth a change, unless `verbose` asks for more.
 */
void pario_profile_findings_show(const struct pario_profile *p,
				 const struct pario_profile_findings *f,
				 struct pario_symbols *symbols, unsigned rows, bool verbose,
				 struct pario_text *text);

/* With the table "verdict". false: no memory. */
bool pario_profile_findings_table(const struct pario_profile *p, struct pario_symbols *symbols,
				  struct pario_result_tables *tables);

#endif
