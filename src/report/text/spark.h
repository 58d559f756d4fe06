/*
 * spark: small bars in a line of text, for a first look at many numbers; the numbers stand beside them.
 */
#ifndef PARIO_REPORT_TEXT_SPARK_H
#define PARIO_REPORT_TEXT_SPARK_H

#include <stddef.h>

#include "base/text.h"

/* Small bars, one per value, the largest full; nothing for fewer than two values. */
void pario_spark_add(struct pario_text *out, const double *values, size_t count);

#endif
