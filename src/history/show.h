/*
 * show: a chronicle for a terminal and as a page.
 */
#ifndef PARIO_HISTORY_SHOW_H
#define PARIO_HISTORY_SHOW_H

#include "base/err.h"
#include "base/text.h"
#include "history/chronicle.h"
#include "report/text/style.h"

void pario_chronicle_text(const struct pario_chronicle *chronicle, const struct pario_style *style,
			  struct pario_text *out);
int pario_chronicle_page(const struct pario_chronicle *chronicle, const char *title,
			 const char *program, struct pario_text *out, struct pario_err *err);

/* One row per number: test, phase, clients, parameters, time, value, low, high, unit ... */
void pario_chronicle_csv(const struct pario_chronicle *chronicle, struct pario_text *out);

/* "transfer write, 4 clients, transfer_size=64k" */
void pario_line_name(const struct pario_line *line, struct pario_text *out);

/* "slower: 0.62 [0.58, 0.66] of before (p = 3e-09; 30 runs before, 12 after)" */
void pario_change_words(const struct pario_chronicle *chronicle, const struct pario_change *change,
			struct pario_text *out);

/* How many runs, of which time, what was left out, how it was judged: whole sentences. */
void pario_chronicle_words(const struct pario_chronicle *chronicle, struct pario_text *out);

/* Takes what all lines share out of their names into `common`. */
int pario_chronicle_shorten(struct pario_chronicle *chronicle, struct pario_err *err);

/* "2026-11-16" */
enum { PARIO_DATE = 16 };
char *pario_date(char buf[PARIO_DATE], int64_t time_s);

#endif
