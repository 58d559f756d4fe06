/*
 * manual: what man pages and the completion of shells are made of: the tables that the program itself runs on.
 */
#ifndef PARIO_MANUAL_MANUAL_H
#define PARIO_MANUAL_MANUAL_H

#include <stdbool.h>

#include "base/err.h"
#include "base/options.h"
#include "cmd/cmd.h"
#include "engine/plan.h"

/* Commands, tests, backends and their options as JSON. */
int pario_docs_json(struct pario_text *out, struct pario_err *err);

/* What may stand in the place of the last word behind `pario`: lines WORD<tab>HELP, or :directory or :file. */
int pario_completion(int argc, char **argv, struct pario_text *out, struct pario_err *err);

/* True for a row that people are told about. */
bool pario_docs_shown(const struct pario_option *row);

/* True when a table has a row that people are told about. */
bool pario_docs_any(const struct pario_table *table);

/* What a value can be, for completion. */
enum pario_docs_value {
	PARIO_DOCS_ANY,
	PARIO_DOCS_WORDS, /* one of, or a comma list of, pario_docs_words() */
	PARIO_DOCS_DIRECTORY,
	PARIO_DOCS_FILE,
};

enum pario_docs_value pario_docs_value(const struct pario_option *row);

/* Adds the words a value is made of, separated by blanks. */
void pario_docs_words(const struct pario_option *row, struct pario_text *out);

enum { PARIO_DOCS_TABLES = 3 };

/* The options of a command itself, without those of a test; returns how many tables, 0 when it has none. */
size_t pario_docs_tables(const struct pario_command *command,
			 struct pario_table tables[PARIO_DOCS_TABLES]);

#endif
