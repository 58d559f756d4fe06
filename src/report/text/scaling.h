/*
 * scaling: what do more clients bring? Rate and efficiency at each count, and the count from which more add little.
 */
#ifndef PARIO_REPORT_TEXT_SCALING_H
#define PARIO_REPORT_TEXT_SCALING_H

#include <stddef.h>

#include "base/text.h"
#include "report/text/region.h"

/* Adding clients that brings less than this factor has stopped to pay. */
#define PARIO_SCALING_PAYS 1.1

/* Rate per client at count i, against that at the smallest count. */
double pario_scaling_efficiency(const struct pario_region *region, size_t i);

/* The smallest count that no larger one exceeds by 10 %: where scaling ends; 0 when the largest one exceeds all. */
uint64_t pario_scaling_knee(const struct pario_region *region);

/* One sentence, without a full stop; nothing for fewer than two counts. */
void pario_scaling_add(struct pario_text *out, const struct pario_region *region);

#endif
