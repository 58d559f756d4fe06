/*
 * result_lines: one number with its proof, for a terminal: the results of one point and phase over its repetitions.
 */
#ifndef PARIO_REPORT_TEXT_RESULT_LINES_H
#define PARIO_REPORT_TEXT_RESULT_LINES_H

#include <stddef.h>

#include "base/text.h"
#include "journal/result.h"
#include "report/text/style.h"

/* Median and interval of the rates of the repetitions that have one. */
struct pario_summary {
	size_t count;	/* repetitions with a number */
	size_t suspect; /* of them */
	double median, low, high, coverage;
};

struct pario_summary pario_summary_of(const struct pario_result *results, size_t count);

/* Three lines: the number, how it came about, what proves it. */
void pario_result_lines_add(struct pario_text *out, const struct pario_style *style,
			    const struct pario_result *results, size_t count);

#endif
