/*
 * history: a whole journal in memory, for whatever is worked out from it after the run.
 */
#ifndef PARIO_JOURNAL_HISTORY_H
#define PARIO_JOURNAL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/err.h"

struct pario_history {
	json_t *begin;	  /* the first line */
	json_t *end;	  /* NULL when the run was cut short */
	json_t **results; /* in the order of the journal */
	size_t result_count, result_capacity;
	json_t **notes;
	size_t note_count, note_capacity;
	bool torn; /* the last line was incomplete and is left out */
	char path[4096];
};

/* `path` is a journal file or a run directory. On failure nothing is held. */
int pario_history_load(struct pario_history *history, const char *path, struct pario_err *err);
void pario_history_release(struct pario_history *history);

/* The results and notes of `from` go behind those of `history`; `from` holds nothing afterwards, in any case. */
int pario_history_join(struct pario_history *history, struct pario_history *from,
		       struct pario_err *err);

/* Results of a line by name; "" or NaN where it is not there. */
const char *pario_history_text(const json_t *line, const char *name);
double pario_history_metric(const json_t *line, const char *name);

/* A parameter of the run as it was given, or NULL. */
const char *pario_history_param(const struct pario_history *history, const char *name);

#endif
