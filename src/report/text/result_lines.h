/*
 * result_lines: one number with its proof, for a terminal: the results of one point and phase over its repetitions.
 */
#ifndef PARIO_REPORT_TEXT_RESULT_LINES_H
#define PARIO_REPORT_TEXT_RESULT_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "journal/result.h"
#include "report/text/style.h"

/*
 * Median and interval of the numbers of the repetitions that have one; the best of them and their deviation are the
 * consortium's own terms (docs/methodology.md).
 */
struct pario_summary {
	size_t all;	/* repetitions */
	size_t count;	/* with a number */
	size_t suspect; /* of them */
	size_t failed;
	const char *reason; /* of the first that failed; "" */
	double median, low, high, coverage;
	double maximum, minimum, mean, deviation;
};

struct pario_summary pario_summary_of(const struct pario_result *results, size_t count);

/*
 * The number with its interval and at most one mark, what proves it, and why it is suspect or missing; with `verbose`
 * also how it came about.
 */
void pario_result_lines_add(struct pario_text *out, const struct pario_style *style,
			    const struct pario_result *results, size_t count, bool verbose);

/* "write, transfer_size=1m, 2 clients: 8 of 200, 192 failed: pwrite failed ...": nothing when none has. */
void pario_result_failures_add(struct pario_text *out, const struct pario_result *results,
			       size_t count);

#endif
