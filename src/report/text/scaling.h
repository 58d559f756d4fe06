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

enum pario_scaling {
	PARIO_SCALING_FEW,   /* a count has too few repetitions for an interval */
	PARIO_SCALING_KNEE,  /* beyond *knee clients every count adds less than 10 % */
	PARIO_SCALING_GROWS, /* every step adds more than 10 % */
	PARIO_SCALING_OPEN,  /* neither is larger than the intervals */
};
enum pario_scaling pario_scaling_of(const struct pario_region *region, uint64_t *knee);

/* One sentence, without a full stop; nothing for fewer than two counts. */
void pario_scaling_add(struct pario_text *out, const struct pario_region *region);

#endif
