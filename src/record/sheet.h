/*
 * sheet: the single measurements behind a result, as a table with named columns.
 *
 * A benchmark whose number is an average of many measurements keeps them here, so that the number can be worked out
 * again from the journal alone. A sheet stands in a result line as
 *
 *	"sheets":{"NAME":{"columns":["pattern","length",...],"rows":[["ring-1",4096,...],...]}}
 *
 * Numbers are written so that they read back to the last digit; a number that was not measured is NaN and null.
 */
#ifndef PARIO_RECORD_SHEET_H
#define PARIO_RECORD_SHEET_H

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

enum { PARIO_SHEETS = 8 };

/* The sheets of one result. All zero is an empty set. */
struct pario_sheets {
	struct pario_sheet {
		char name[32];
		const char *columns; /* words; the caller keeps them */
		struct pario_json rows;
	} sheet[PARIO_SHEETS];
	size_t count;
};

/*
 * Adds a row to the sheet `name`, which begins with its first row. `columns` are the names of the cells, separated by
 * blanks; there are as many cells as words. Silently keeps the first PARIO_SHEETS sheets (asserted in debug builds).
 */
void pario_sheets_row(struct pario_sheets *sheets, const char *name, const char *columns,
		      const struct pario_datum *cells);

void pario_sheets_write(struct pario_json *json, const struct pario_sheets *sheets);
void pario_sheets_release(struct pario_sheets *sheets);

/* ---- reading ---- */

/* A sheet of a result line; `rows` belongs to the line. */
struct pario_sheet_view {
	const json_t *columns, *rows;
	size_t row_count;
};

/* Looks a sheet up; -1 when the line has none of this name or it is malformed. */
int pario_sheet_find(const json_t *line, const char *name, struct pario_sheet_view *view,
		     struct pario_err *err);

/* The place of a column; -1 when there is none. */
int pario_sheet_column(const struct pario_sheet_view *view, const char *name,
		       struct pario_err *err);

/* A cell as a number (NaN for null, text and what is not there) or as text ("" likewise). */
double pario_sheet_number(const struct pario_sheet_view *view, size_t row, int column);
const char *pario_sheet_text(const struct pario_sheet_view *view, size_t row, int column);

#endif
