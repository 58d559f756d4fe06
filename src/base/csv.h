/*
 * csv: rows of comma-separated values, as RFC 4180 and every spreadsheet understand them.
 *
 * Numbers stand as numbers, with all their digits and a point whatever the locale; what is not known is empty. Text is
 * quoted where it must be; bytes that are no UTF-8 and control bytes are written as \xNN. What a spreadsheet would take
 * for a formula gets an apostrophe in front; a text that is a number, with its sign, is none.
 */
#ifndef PARIO_BASE_CSV_H
#define PARIO_BASE_CSV_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct pario_csv {
	struct pario_text *out;
	bool comma; /* one is due before the next cell */
};

/* A text as one cell, for whoever writes commas and ends of lines itself. */
void pario_csv_quote(struct pario_text *out, const char *text);

void pario_csv_text(struct pario_csv *csv, const char *text);
void pario_csv_real(struct pario_csv *csv, double value);
void pario_csv_count(struct pario_csv *csv, uint64_t value);
void pario_csv_end(struct pario_csv *csv);

#endif
