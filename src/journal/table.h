/*
 * table: the single measurements behind a result, as a table with named columns.
 *
 * A benchmark whose number is an average of many measurements keeps them here, so that the number can be worked out
 * again from the journal alone. A table stands in a result line as
 *
 *	"tables":{"NAME":{"columns":["pattern","length",...],"rows":[["ring-1",4096,...],...]}}
 *
 * Numbers are written so that they read back to the last digit; a number that was not measured is NaN and null.
 */
#ifndef PARIO_JOURNAL_TABLE_H
#define PARIO_JOURNAL_TABLE_H

#include <stddef.h>

#include <jansson.h>

#include "base/err.h"
#include "base/json.h"

/* A cell is a text, or a number where `text` is NULL. */
struct pario_datum {
	const char *text;
	double number;
};

#define PARIO_TEXT(text_)     ((struct pario_datum){ .text = (text_) })
#define PARIO_NUMBER(number_) ((struct pario_datum){ .number = (double)(number_) })

enum { PARIO_RESULT_TABLES = 24 };

/* The tables of one result. All zero is an empty set. */
struct pario_result_tables {
	struct pario_result_table {
		char name[32];
		const char *columns; /* words; the caller keeps them */
		struct pario_json rows;
	} table[PARIO_RESULT_TABLES];
	size_t count;
};

/*
 * Adds a row to the table `name`, which begins with its first row. `columns` are the names of the cells, separated by
 * blanks; there are as many cells as words. Silently keeps the first PARIO_RESULT_TABLES tables (asserted in debug
 * builds).
 */
void pario_result_tables_row(struct pario_result_tables *tables, const char *name,
			     const char *columns, const struct pario_datum *cells);

void pario_result_tables_write(struct pario_json *json, const struct pario_result_tables *tables);
void pario_result_tables_release(struct pario_result_tables *tables);

/* ---- reading ---- */

/* A table of a result line; `rows` belongs to the line. */
struct pario_result_table_view {
	const json_t *columns, *rows;
	size_t row_count;
};

/* Looks a table up; -1 when the line has none of this name or it is malformed. */
int pario_result_table_find(const json_t *line, const char *name,
			    struct pario_result_table_view *view, struct pario_err *err);

/* The place of a column; -1 when there is none. */
int pario_result_table_column(const struct pario_result_table_view *view, const char *name,
			      struct pario_err *err);

/* A cell as a number (NaN for null, text and what is not there) or as text ("" likewise). */
double pario_result_table_number(const struct pario_result_table_view *view, size_t row,
				 int column);
const char *pario_result_table_text(const struct pario_result_table_view *view, size_t row,
				    int column);

#endif
