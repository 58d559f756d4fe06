/*
 * trace: what the pictures of a traced program share. The tables they are drawn from are described in
 * profile/show/tables.h; a journal that lacks one, or has another version's, gives fewer pictures.
 */
#ifndef PARIO_REPORT_TRACE_TRACE_H
#define PARIO_REPORT_TRACE_TRACE_H

#include <string.h>

#include "journal/table.h"
#include "report/chart/table_charts.h"

/* A table of a result with its columns by name; cells of missing columns are NaN and "". */
struct pario_trace_table {
	struct pario_result_table_view view;
	size_t rows;
};

bool pario_trace_table(const struct pario_reading *reading, const char *name,
		       struct pario_trace_table *table);
double pario_trace_number(const struct pario_trace_table *table, size_t row, const char *column);
const char *pario_trace_cell(const struct pario_trace_table *table, size_t row, const char *column);

/* Is this what a trace gave, and no measurement that could be repeated? */
static inline bool pario_trace_is(const char *test)
{
	return strcmp(test, "trace") == 0 || strcmp(test, "profile") == 0;
}

/*
 * picture.c: who was busy when, from a table with the columns level row what from_s to_s calls bytes busy_s processes;
 * of one level, or with NULL of all, one below the other. `meaning` says what to look for.
 */
void pario_trace_timeline(struct pario_section *section, const struct pario_reading *reading,
			  const struct pario_trace_table *table, const char *level,
			  const char *title, const char *meaning);

/* ---- tables (trace_tables.c): columns of tables, or cells one by one ---- */

enum pario_trace_cell {
	PARIO_TRACE_TEXT,
	PARIO_TRACE_NUMBER,
	PARIO_TRACE_ID, /* a number that is a name */
	PARIO_TRACE_BYTES,
	PARIO_TRACE_SECONDS,
	PARIO_TRACE_WHERE,   /* file and line, as a link */
	PARIO_TRACE_APPLIED, /* yes or no */
	PARIO_TRACE_SHARE,   /* of 1, as per cent */
	PARIO_TRACE_PERCENT, /* by how much it differs */
};

struct pario_trace_column {
	const char *head, *name;
	enum pario_trace_cell kind;
};

/* `columns` end with an empty one; rows are begun and ended by the caller. */
void pario_trace_table_open(struct pario_section *section, const struct pario_reading *reading,
			    const char *title, const char *text,
			    const struct pario_trace_column *columns);
void pario_trace_table_close(struct pario_section *section, double left_out);
void pario_trace_table_number(struct pario_section *section, double value,
			      enum pario_trace_cell kind);

/* The table `name` of a result, if it has one. `left_out`: NULL, or the number that counts the rows it lacks. */
void pario_trace_table_add(struct pario_section *section, const struct pario_reading *reading,
			   const char *name, const char *left_out, const char *title,
			   const char *text, const struct pario_trace_column *columns);

/* tables.c: classes, call sites, stacks, files and failures; then processes, media, layers and clocks. */
void pario_trace_tables_of_calls(struct pario_section *section,
				 const struct pario_reading *reading);
void pario_trace_tables_of_rest(struct pario_section *section, const struct pario_reading *reading);

/* overview.c: the traced programs of an archive on the first screen, with what stands out; nothing without one. */
/* The command line of the only program; "" where there are several, or none. */
const char *pario_trace_program(const struct pario_archive *archive);
/* Is the I/O of the only program worth changing? Nothing where there are several. */
void pario_trace_verdict(struct pario_text *text, const struct pario_archive *archive);
void pario_trace_overview(struct pario_text *out, const struct pario_archive *archive);

/* A call site of a row with the columns file, line, module and offset, as a link where the path is whole. */
void pario_trace_where(struct pario_text *out, const struct pario_trace_table *table, size_t row);

/* trace_hide.c: takes paths and hosts out of a result's tables; what they were called becomes a number. */
void pario_trace_anonymize(json_t *line);

#endif
