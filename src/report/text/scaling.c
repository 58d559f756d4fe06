/*
 * scaling: medians only: whether a step is larger than the noise shows in the table above it.
 */
#include "report/text/scaling.h"

#include <math.h>

#include "report/text/quantity.h"

double pario_scaling_efficiency(const struct pario_region *region, size_t i)
{
	double first = region->median[0] / (double)region->clients[0];

	return region->median[i] / (double)region->clients[i] / first;
}

uint64_t pario_scaling_knee(const struct pario_region *region)
{
	double best = -INFINITY; /* of all larger counts */
	uint64_t knee = 0;

	for (size_t i = region->count; i-- > 0; best = fmax(best, region->median[i])) {
		if (i + 1 < region->count && best < PARIO_SCALING_PAYS * region->median[i])
			knee = region->clients[i];
	}
	return knee;
}

void pario_scaling_add(struct pario_text *out, const struct pario_region *region)
{
	uint64_t knee = pario_scaling_knee(region);
	const char *unit = region->value == PARIO_REGION_OPS	 ? "ops/s"
			   : region->value != PARIO_REGION_VALUE ? "MiB/s"
			   : region->unit			 ? region->unit
								 : "MB/s";
	char number[PARIO_QUANTITY_CAPACITY];

	if (region->count < 2 || region->value == PARIO_REGION_TIME)
		return;
	pario_text_clean(out, region->what);
	pario_text_add(out, " with %llu", (unsigned long long)region->clients[0]);
	for (size_t i = 1; i < region->count; i++)
		pario_text_add(out, ", %llu", (unsigned long long)region->clients[i]);
	pario_text_add(out, " clients: ");
	for (size_t i = 0; i < region->count; i++) {
		pario_text_add(out, "%s%s", i ? ", " : "",
			       pario_quantity_text(number, region->median[i], unit));
		if (i > 0)
			pario_text_add(out, " (efficiency %.0f %%)",
				       100 * pario_scaling_efficiency(region, i));
	}
	if (knee)
		pario_text_add(out, "; beyond %llu, more clients add less than 10 %%",
			       (unsigned long long)knee);
	else
		pario_text_add(out, "; no end of it up to %llu",
			       (unsigned long long)region->clients[region->count - 1]);
}
