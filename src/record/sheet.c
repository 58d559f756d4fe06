/*
 * sheet: rows are turned into JSON as they come; nothing else of them is kept.
 */
#include "record/sheet.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct pario_sheet *sheet_of(struct pario_sheets *sheets, const char *name,
				    const char *columns)
{
	struct pario_sheet *sheet;

	for (size_t i = 0; i < sheets->count; i++)
		if (strcmp(sheets->sheet[i].name, name) == 0)
			return &sheets->sheet[i];
	assert(sheets->count < PARIO_SHEETS);
	if (sheets->count == PARIO_SHEETS)
		return NULL;
	sheet = &sheets->sheet[sheets->count++];
	snprintf(sheet->name, sizeof(sheet->name), "%s", name);
	sheet->columns = columns;
	pario_json_open(&sheet->rows, NULL, '[');
	return sheet;
}

/* The next word of `text` from *at on; its length, 0 at the end. */
static size_t word(const char *text, size_t *at)
{
	*at += strspn(text + *at, " ");
	return strcspn(text + *at, " ");
}

void pario_sheets_row(struct pario_sheets *sheets, const char *name, const char *columns,
		      const struct pario_datum *cells)
{
	struct pario_sheet *sheet = sheet_of(sheets, name, columns);
	size_t length;

	if (!sheet)
		return;
	pario_json_open(&sheet->rows, NULL, '[');
	for (size_t at = 0; (length = word(sheet->columns, &at)); at += length, cells++) {
		if (cells->text)
			pario_json_string(&sheet->rows, NULL, cells->text);
		else
			pario_json_real(&sheet->rows, NULL, cells->number);
	}
	pario_json_close(&sheet->rows, ']');
}

static void write_columns(struct pario_json *json, const char *columns)
{
	char name[64];
	size_t length;

	pario_json_open(json, "columns", '[');
	for (size_t at = 0; (length = word(columns, &at)); at += length) {
		snprintf(name, sizeof(name), "%.*s", (int)length, columns + at);
		pario_json_string(json, NULL, name);
	}
	pario_json_close(json, ']');
}

void pario_sheets_write(struct pario_json *json, const struct pario_sheets *sheets)
{
	pario_json_open(json, "sheets", '{');
	for (size_t i = 0; i < sheets->count; i++) {
		const struct pario_sheet *sheet = &sheets->sheet[i];

		pario_json_open(json, sheet->name, '{');
		write_columns(json, sheet->columns);
		/* The rows are JSON already: an array that still lacks its closing bracket. */
		pario_text_add(&json->text, ",\"rows\":%s]", pario_text_string(&sheet->rows.text));
		pario_json_close(json, '}');
	}
	pario_json_close(json, '}');
}

void pario_sheets_release(struct pario_sheets *sheets)
{
	for (size_t i = 0; i < sheets->count; i++)
		pario_json_release(&sheets->sheet[i].rows);
	memset(sheets, 0, sizeof(*sheets));
}

int pario_sheet_find(const json_t *line, const char *name, struct pario_sheet_view *view,
		     struct pario_err *err)
{
	const json_t *sheet = json_object_get(json_object_get(line, "sheets"), name);

	view->columns = json_object_get(sheet, "columns");
	view->rows = json_object_get(sheet, "rows");
	view->row_count = json_array_size(view->rows);
	if (!json_is_array(view->columns) || !json_is_array(view->rows))
		return pario_err_set(
			err, PARIO_SYSTEM,
			"A result line holds no sheet named \"%.60s\"; it is from another version of "
			"pario or the phase failed. Measure again with this one.",
			name);
	return 0;
}

int pario_sheet_column(const struct pario_sheet_view *view, const char *name, struct pario_err *err)
{
	for (size_t i = 0; i < json_array_size(view->columns); i++) {
		const char *column = json_string_value(json_array_get(view->columns, i));

		if (column && strcmp(column, name) == 0)
			return (int)i;
	}
	return pario_err_set(err, PARIO_SYSTEM,
			     "A sheet of the journal has no column \"%.60s\"; it was written by "
			     "another version of pario. Measure again with this one.",
			     name);
}

static const json_t *cell(const struct pario_sheet_view *view, size_t row, int column)
{
	return column < 0 ? NULL : json_array_get(json_array_get(view->rows, row), (size_t)column);
}

double pario_sheet_number(const struct pario_sheet_view *view, size_t row, int column)
{
	const json_t *value = cell(view, row, column);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *pario_sheet_text(const struct pario_sheet_view *view, size_t row, int column)
{
	const char *text = json_string_value(cell(view, row, column));

	return text ? text : "";
}
