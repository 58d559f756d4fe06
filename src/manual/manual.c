/*
 * manual: which options people are told about, and what their values can be.
 */
#include "manual/manual.h"

#include <string.h>

#include "engine/run_options.h"

bool pario_docs_shown(const struct pario_option *row)
{
	return !(row->flags & PARIO_OPTION_HIDDEN);
}

bool pario_docs_any(const struct pario_table *table)
{
	for (const struct pario_option *row = table->rows; row && row->name; row++) {
		if (pario_docs_shown(row))
			return true;
	}
	return false;
}

/* The backend is a plain string to the parser, because only the plan knows the backends. */
static bool names_backend(const struct pario_option *row)
{
	for (const struct pario_option *a = pario_access_options; a->name; a++) {
		if (a == row)
			return strcmp(a->name, "api") == 0;
	}
	return false;
}

enum pario_docs_value pario_docs_value(const struct pario_option *row)
{
	static const char *const directories[] = { "dir", "output", "resume" };

	if (row->choices || row->type == PARIO_TYPE_BOOL || names_backend(row))
		return PARIO_DOCS_WORDS;
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
		if (strcmp(row->name, directories[i]) == 0)
			return PARIO_DOCS_DIRECTORY;
	}
	return strcmp(row->name, "plan") == 0 ? PARIO_DOCS_FILE : PARIO_DOCS_ANY;
}

void pario_docs_words(const struct pario_option *row, struct pario_text *out)
{
	if (names_backend(row)) {
		for (size_t i = 0; pario_backends[i]; i++)
			pario_text_add(out, "%s%s", i ? " " : "", pario_backends[i]->name);
	} else if (row->type == PARIO_TYPE_BOOL) {
		pario_text_add(out, "0 1");
	} else {
		for (size_t i = 0; row->choices && row->choices[i]; i++)
			pario_text_add(out, "%s%s", i ? " " : "", row->choices[i]);
	}
}

size_t pario_docs_tables(const struct pario_command *command,
			 struct pario_table tables[PARIO_DOCS_TABLES])
{
	size_t count = 0;

	if (command->options)
		tables[count++] = (struct pario_table){ command->name, command->options, 0 };
	if (command->run == pario_cmd_survey)
		tables[count++] = (struct pario_table){ "access", pario_access_options, 0 };
	if (command->run == pario_cmd_glance || command->run == pario_cmd_survey ||
	    command->run == pario_cmd_run || command->run == pario_cmd_replay ||
	    command->run == pario_cmd_characterize)
		tables[count++] = (struct pario_table){ "run", pario_settings_options, 0 };
	return count;
}
