/*
 * derived: the lines that are the same in every journal of what pario did not measure in this run but read from a file:
 * imports, profiles, predictions. They name the file, and know nothing of the machine but its name.
 */
#ifndef PARIO_JOURNAL_DERIVED_H
#define PARIO_JOURNAL_DERIVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "journal/journal.h"

struct pario_derived {
	const char *command, *file; /* `pario COMMAND FILE` */
	const char *label, *test;
	const char *time; /* NULL: now */
};

/* The `begin` line up to its `params`, which the caller writes, and its end from `machine` on. */
void pario_derived_begin(struct pario_json *json, const struct pario_derived *what, uint64_t run);
void pario_derived_param(struct pario_json *json, const char *name, const char *value,
			 const char *origin);
void pario_derived_machine(struct pario_json *json, const char *host);

int pario_derived_note(struct pario_journal *journal, struct pario_json *json, const char *level,
		       const char *text, const char *next, struct pario_err *err);

/* `seconds` NaN: not known. */
int pario_derived_end(struct pario_journal *journal, struct pario_json *json, bool suspect,
		      uint64_t results, double seconds, struct pario_err *err);

/* A journal in a directory that is made for it. */
int pario_derived_create(struct pario_journal *journal, const char *directory,
			 struct pario_err *err);

#endif
