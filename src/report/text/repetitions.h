/*
 * repetitions: how many of a point's repetitions have a number, and why the others have none.
 */
#ifndef PARIO_REPORT_TEXT_REPETITIONS_H
#define PARIO_REPORT_TEXT_REPETITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* "5 repetitions", or "8 of 200, 192 failed: ENOSPC"; `reason` is the whole sentence of the first that failed. */
void pario_repetitions_add(struct pario_text *out, size_t numbers, size_t all, size_t failed,
			   const char *reason);

/* Two reasons are one when they differ in their numbers only. */
bool pario_reasons_alike(const char *a, const char *b);

#endif
