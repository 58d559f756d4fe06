/*
 * hide: a traced program's tables without paths and hosts. Source files and libraries keep their last name, since a
 * function means nothing without; data files and hosts become numbers.
 */
#include "report/trace/trace.h"

#include <stdio.h>
#include <string.h>

/* The cells of a column of a table. */
static json_t *cell_of(json_t *line, const char *table, const char *column, size_t row)
{
	json_t *of = json_object_get(json_object_get(line, "sheets"), table), *name;
	json_t *cells = json_array_get(json_object_get(of, "rows"), row);
	size_t i;

	json_array_foreach(json_object_get(of, "columns"), i, name)
	{
		if (json_is_string(name) && strcmp(json_string_value(name), column) == 0)
			return json_array_get(cells, i);
	}
	return NULL;
}

static size_t rows_of(json_t *line, const char *table)
{
	return json_array_size(
		json_object_get(json_object_get(json_object_get(line, "sheets"), table), "rows"));
}

static void keep_last_name(json_t *line, const char *table, const char *column)
{
	for (size_t i = 0; i < rows_of(line, table); i++) {
		json_t *cell = cell_of(line, table, column, i);
		const char *text = json_string_value(cell),
			   *slash = text ? strrchr(text, '/') : NULL;

		if (slash) {
			json_t *last = json_string(slash + 1);

			json_string_set(cell, last ? json_string_value(last) : "");
			json_decref(last);
		}
	}
}

/* "file 1" for the first, and so on; equal names keep equal numbers only where `same` looks for them. */
static void number(json_t *line, const char *table, const char *column, const char *word, bool same)
{
	char name[48];
	size_t next = 1;
	json_t *seen = json_object();

	for (size_t i = 0; i < rows_of(line, table); i++) {
		json_t *cell = cell_of(line, table, column, i);
		const char *text = json_string_value(cell);
		json_t *known = same && text ? json_object_get(seen, text) : NULL;
		size_t n = known ? (size_t)json_integer_value(known) : next++;

		if (same && text && !known)
			json_object_set_new(seen, text, json_integer((json_int_t)n));
		snprintf(name, sizeof(name), "%s %zu", word, n);
		if (text)
			json_string_set(cell, name);
	}
	json_decref(seen);
}

/* A sentence without the name it has. */
static void without(json_t *says, const char *name)
{
	const char *text = json_string_value(says), *at = text && *name ? strstr(text, name) : NULL;
	struct pario_text plain = { 0 };

	if (!at)
		return;
	pario_text_bytes(&plain, text, (size_t)(at - text));
	pario_text_add(&plain, "a file%s", at + strlen(name));
	json_string_set(says, pario_text_string(&plain));
	pario_text_release(&plain);
}

static void hide_findings(json_t *line)
{
	for (size_t i = 0; i < rows_of(line, "findings"); i++) {
		json_t *about = cell_of(line, "findings", "about", i);

		if (json_is_string(about)) {
			without(cell_of(line, "findings", "says", i), json_string_value(about));
			json_string_set(about, "");
		}
	}
	keep_last_name(line, "findings", "file");
	keep_last_name(line, "findings", "module");
}

/* Of a command its program's last name. */
static void hide_command(json_t *line)
{
	json_t *cell = cell_of(line, "program", "command", 0);
	char name[256];

	if (!json_is_string(cell))
		return;
	snprintf(name, sizeof(name), "%s", json_string_value(cell));
	name[strcspn(name, " ")] = '\0';
	json_string_set(cell, name);
	keep_last_name(line, "program", "command");
}

/* What the trace lacks names programs. */
static void hide_lacks(json_t *line)
{
	json_t *cell = cell_of(line, "call_job", "lacks", 0);

	if (json_is_string(cell))
		json_string_set(cell, "");
}

void pario_trace_anonymize(json_t *line)
{
	hide_command(line);
	hide_lacks(line);
	hide_findings(line);
	keep_last_name(line, "sites", "file");
	keep_last_name(line, "sites", "module");
	number(line, "files", "file", "file", false);
	number(line, "failures", "file", "failed file", true);
	number(line, "processes", "host", "host", true);
	number(line, "clocks", "host", "host", true);
}
