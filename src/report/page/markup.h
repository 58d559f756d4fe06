/*
 * markup: text that came from outside, made inert for HTML and SVG.
 *
 * The same form is safe as element text and inside a quoted attribute. What could change how the rest of the page is
 * read or shown is written out: control bytes and invalid UTF-8 as \xNN, marks that turn the direction of writing and
 * invisible separators as \uNNNN.
 */
#ifndef PARIO_REPORT_PAGE_MARKUP_H
#define PARIO_REPORT_PAGE_MARKUP_H

#include "base/text.h"

/* Appends a string as text or attribute value. */
void pario_markup_text(struct pario_text *out, const char *string);

/* The same without HTML's own letters written out: for JSON and CSV, which the script shows as text. */
void pario_markup_plain(struct pario_text *out, const char *string);

/* Appends a number with seven digits as JSON and CSV take it; "null" for what is none. */
void pario_markup_number(struct pario_text *out, double value);

/* Appends a coordinate with one decimal, point as separator whatever the locale. */
void pario_markup_place(struct pario_text *out, double value);

/*
 * Appends ` name="value"` with the value escaped. For attributes of constant value plain text is simpler.
 */
void pario_markup_attribute(struct pario_text *out, const char *name, const char *value);

#endif
