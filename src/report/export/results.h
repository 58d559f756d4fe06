/*
 * results: the results of runs, and the points of a comparison, for other programs.
 */
#ifndef PARIO_REPORT_EXPORT_RESULTS_H
#define PARIO_REPORT_EXPORT_RESULTS_H

#include "report/compare/compare.h"
#include "report/page/archive.h"

/* What the table of results begins with, to know it again. */
#define PARIO_RESULTS_CSV "run,label,time,version,host,test,point,phase,clients,repetition"

/*
 * One row per result. Parameters that vary and metrics follow as columns param.NAME and metric.NAME. What has come
 * together in `out` is handed on now and then, and at the end: a million rows are no text to hold.
 */
int pario_results_csv(struct pario_archive *archive, struct pario_text *out,
		      int (*hand_on)(void *self, struct pario_text *out), void *self);

/* One row per point; one object with all of them. */
void pario_comparison_csv(const struct pario_comparison *comparison, struct pario_text *out);
void pario_comparison_json(const struct pario_comparison *comparison, struct pario_text *out);

/*
 * OpenMetrics text: for each point the medians over the repetitions, in base units. With one run its id is no label, so
 * that the next run of a series continues it.
 */
int pario_results_openmetrics(struct pario_archive *archive, struct pario_text *out,
			      struct pario_err *err);

#endif
