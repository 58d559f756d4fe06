/*
 * table: rows are turned into JSON as they come; nothing else of them is kept.
 */
#include "journal/table.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static struct pario_result_table *table_of(struct pario_result_tables *tables, const char *name,
					   const char *columns)
{
	struct pario_result_table *table;

	for (size_t i = 0; i < tables->count; i++)
		if (strcmp(tables->table[i].name, name) == 0)
			return &tables->table[i];
	assert(tables->count < PARIO_RESULT_TABLES);
	if (tables->count == PARIO_RESULT_TABLES)
		return NULL;
	table = &tables->table[tables->count++];
	snprintf(table->name, sizeof(table->name), "%s", name);
	table->columns = columns;
	pario_json_open(&table->rows, NULL, '[');
	return table;
}

/* The next word of `text` from *at on; its length, 0 at the end. */
static size_t word(const char *text, size_t *at)
{
	*at += strspn(text + *at, " ");
	return strcspn(text + *at, " ");
}

void pario_result_tables_row(struct pario_result_tables *tables, const char *name,
			     const char *columns, const struct pario_datum *cells)
{
	struct pario_result_table *table = table_of(tables, name, columns);
	size_t length;

	if (!table)
		return;
	pario_json_open(&table->rows, NULL, '[');
	for (size_t at = 0; (length = word(table->columns, &at)); at += length, cells++) {
		if (cells->text)
			pario_json_string(&table->rows, NULL, cells->text);
		else
			pario_json_real(&table->rows, NULL, cells->number);
	}
	pario_json_close(&table->rows, ']');
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

void pario_result_tables_write(struct pario_json *json, const struct pario_result_tables *tables)
{
	pario_json_open(json, "sheets", '{');
	for (size_t i = 0; i < tables->count; i++) {
		const struct pario_result_table *table = &tables->table[i];

		pario_json_open(json, table->name, '{');
		write_columns(json, table->columns);
		/* The rows are JSON already: an array that still lacks its closing bracket. */
		pario_text_add(&json->text, ",\"rows\":%s]", pario_text_string(&table->rows.text));
		pario_json_close(json, '}');
	}
	pario_json_close(json, '}');
}

void pario_result_tables_release(struct pario_result_tables *tables)
{
	for (size_t i = 0; i < tables->count; i++)
		pario_json_release(&tables->table[i].rows);
	memset(tables, 0, sizeof(*tables));
}

int pario_result_table_find(const json_t *line, const char *name,
			    struct pario_result_table_view *view, struct pario_err *err)
{
	const json_t *table = json_object_get(json_object_get(line, "sheets"), name);

	view->columns = json_object_get(table, "columns");
	view->rows = json_object_get(table, "rows");
	view->row_count = json_array_size(view->rows);
	if (!json_is_array(view->columns) || !json_is_array(view->rows))
		return pario_err_set(
			err, PARIO_SYSTEM,
			"a result line holds no table named \"%.60s\"; it is from another version of "
			"pario or the phase failed. Measure again with this one.",
			name);
	return 0;
}

int pario_result_table_column(const struct pario_result_table_view *view, const char *name,
			      struct pario_err *err)
{
	for (size_t i = 0; i < json_array_size(view->columns); i++) {
		const char *column = json_string_value(json_array_get(view->columns, i));

		if (column && strcmp(column, name) == 0)
			return (int)i;
	}
	return pario_err_set(err, PARIO_SYSTEM,
			     "a table of the journal has no column \"%.60s\"; it was written by "
			     "another version of pario. Measure again with this one.",
			     name);
}

static const json_t *cell(const struct pario_result_table_view *view, size_t row, int column)
{
	return column < 0 ? NULL : json_array_get(json_array_get(view->rows, row), (size_t)column);
}

double pario_result_table_number(const struct pario_result_table_view *view, size_t row, int column)
{
	const json_t *value = cell(view, row, column);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *pario_result_table_text(const struct pario_result_table_view *view, size_t row,
				    int column)
{
	const char *text = json_string_value(cell(view, row, column));

	return text ? text : "";
}
