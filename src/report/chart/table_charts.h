/*
 * table_charts: what pictures of tests whose results carry tables (journal/table.h) share. Such a picture shows the
 * measurements behind a number, so it is drawn from the result's line and not from the number.
 */
#ifndef PARIO_REPORT_CHART_TABLE_CHARTS_H
#define PARIO_REPORT_CHART_TABLE_CHARTS_H

#include "journal/history.h"
#include "report/chart/pictures.h"

/* The results of the section's test that carry tables, in the order of the journals: after `last`, or the first. */
const struct pario_reading *pario_table_chart_next(const struct pario_section *section,
						   const struct pario_reading *last);

/* Adds "run A, 4 clients, api=posix, repetition 2": what sets a result apart from the section's others. */
void pario_table_chart_name(const struct pario_section *section,
			    const struct pario_reading *reading, struct pario_text *out);

/* Begins a chart titled "TITLE: what sets the result apart". */
void pario_table_chart_chart(struct pario_chart *chart, enum pario_chart_kind kind,
			     const struct pario_section *section,
			     const struct pario_reading *reading, const char *title,
			     const char *text);

/* A mark of a result that is suspect or failed says so. */
void pario_table_chart_doubt(struct pario_chart *chart, struct pario_mark *mark,
			     const struct pario_reading *reading);

/* The test's results of one run as the test's own documents read them; pario_history_release ends it. */
int pario_table_chart_history(const struct pario_section *section, size_t volume,
			      struct pario_history *history);

/* ---- several pictures of one kind: the first `shown` are in view, the others one press away ---- */

void pario_table_chart_turn(struct pario_section *section, size_t *drawn, size_t shown);
void pario_table_chart_done(struct pario_section *section, size_t drawn, size_t shown);

/* ---- a table of one row per result ---- */

/* `heads` ends with NULL; a column that names the result stands in front and one for remarks at the end. */
void pario_table_chart_table(struct pario_section *section, const char *title, const char *text,
			     const char *const *heads);
void pario_table_chart_row(struct pario_section *section, const struct pario_reading *reading,
			   const char *name);
void pario_table_chart_cell(struct pario_section *section, double value);
void pario_table_chart_bytes(struct pario_section *section, double value);
/* `remark` may be NULL; why the result is suspect follows it. */
void pario_table_chart_row_end(struct pario_section *section, const struct pario_reading *reading,
			       const char *remark);
void pario_table_chart_table_end(struct pario_section *section);

#endif
