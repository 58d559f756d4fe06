/*
 * results: the results of runs, and the points of a comparison, for other programs.
 */
#ifndef PARIO_REPORT_EXPORT_RESULTS_H
#define PARIO_REPORT_EXPORT_RESULTS_H

#include "report/compare/compare.h"
#include "report/page/archive.h"

/* One row per result. Parameters that vary and metrics follow as columns param.NAME and metric.NAME. */
void pario_results_csv(struct pario_archive *archive, struct pario_text *out);

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
