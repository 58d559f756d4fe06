/*
 * survey: what a survey says about its storage, on the page: the statements, the law of the size, the effects, the map.
 */
#ifndef PARIO_REPORT_PAGE_SURVEY_H
#define PARIO_REPORT_PAGE_SURVEY_H

#include "report/chart/figure.h"
#include "report/page/archive.h"
#include "survey/change.h"

/* The last line of the run that holds what a survey found; NULL when there is none. */
const json_t *pario_volume_survey(const struct pario_volume *volume);

/* Nothing for a run that is no survey or has not come to its end. */
void pario_page_survey(struct pario_canvas *canvas, const struct pario_volume *volume, bool alone);

/* What it says in one sentence. */
void pario_page_survey_answer(struct pario_text *out, const struct pario_volume *volume);

/* Are all runs surveys that have something to say? Then pictures of single points come second. */
bool pario_page_surveys_only(const struct pario_archive *archive);

/* A page of its own: which statements of two surveys changed. */
void pario_page_changes(const struct pario_archive *archive, const struct pario_survey_change *list,
			size_t count, const char *program, struct pario_text *out);

#endif
