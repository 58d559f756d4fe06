/*
 * lead: the first screen of a page: the answer, then what it rests on.
 */
#ifndef PARIO_REPORT_PAGE_LEAD_H
#define PARIO_REPORT_PAGE_LEAD_H

#include <jansson.h>

#include "report/page/page.h"

/* One sentence about all results; of a set about the table that it made of itself (`table`, else NULL). */
void pario_lead_sentence(struct pario_text *out, const struct pario_groups *groups,
			 const json_t *table);

/* The lines of a set as bars against their limits, with their numbers. */
void pario_lead_bars(struct pario_text *out, const json_t *table);

/*
 * Findings beyond the third are folded away: before item number `shown` (from 0) of a list of findings, and at the
 * list's end what closes it.
 */
void pario_lead_more(struct pario_text *out, size_t shown);
const char *pario_lead_end(size_t shown);

/* Is a traced program among the results? */
bool pario_lead_trace(const struct pario_groups *groups);

#endif
