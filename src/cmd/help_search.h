/*
 * help_search: where a word occurs in the help: commands, tests, options, backends, hints, findings and documents.
 */
#ifndef PARIO_CMD_HELP_SEARCH_H
#define PARIO_CMD_HELP_SEARCH_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"

/* Adds a line for each place; false = the word occurs nowhere. The word may be written as an option, --np. */
bool pario_help_search(const char *word, struct pario_text *out, struct pario_err *err);

#endif
