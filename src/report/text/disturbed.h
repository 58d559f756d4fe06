/*
 * disturbed: who else used the machine while a number was measured, in words. Nothing is said where nobody did.
 */
#ifndef PARIO_REPORT_TEXT_DISTURBED_H
#define PARIO_REPORT_TEXT_DISTURBED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "journal/result.h"

/* An interval wider than this share of its number is unsteady. */
#define PARIO_WIDE 0.2

/* The mean over results of the share that others used; NaN where it is not known. */
double pario_disturbed_others(const struct pario_result *results, size_t count);

/*
 * "others used the processors of this node for 12 % of the time": the sentence without its full stop; `wide` adds that
 * this may explain a wide interval.
 */
void pario_disturbed_add(struct pario_text *out, const struct pario_result *results, size_t count,
			 bool wide);

/* "others 12 %", for a column. */
void pario_disturbed_mark(struct pario_text *out, double others);

#endif
