/*
 * scaling: what is said of more clients is said of all counts, and only where the intervals carry it. A single
 * repetition has none.
 */
#include "report/text/scaling.h"

#include <stdbool.h>

#include "report/text/region.h"
#include "report/text/quantity.h"

/* Rate per client at count i, against that at the smallest count. */
static double scaling_efficiency(const struct pario_region *region, size_t i)
{
	double first = region->median[0] / (double)region->clients[0];

	return region->median[i] / (double)region->clients[i] / first;
}

/* Every count after the i-th is surely less than 10 % above it. */
static bool is_knee(const struct pario_region *r, size_t i)
{
	for (size_t k = i + 1; k < r->count; k++) {
		if (r->high[k] >= PARIO_SCALING_PAYS * r->low[i])
			return false;
	}
	return i + 1 < r->count;
}

static bool every_step_pays(const struct pario_region *r)
{
	for (size_t i = 0; i + 1 < r->count; i++) {
		if (r->low[i + 1] < PARIO_SCALING_PAYS * r->high[i])
			return false;
	}
	return true;
}

enum pario_scaling pario_scaling_of(const struct pario_region *region, uint64_t *knee)
{
	*knee = 0;
	for (size_t i = 0; i < region->count; i++) {
		if (region->numbers[i] < PARIO_REGION_LEAST)
			return PARIO_SCALING_FEW;
	}
	for (size_t i = 0; i < region->count; i++) {
		if (is_knee(region, i)) {
			*knee = region->clients[i];
			return PARIO_SCALING_KNEE;
		}
	}
	return every_step_pays(region) ? PARIO_SCALING_GROWS : PARIO_SCALING_OPEN;
}

static void add_judgement(struct pario_text *out, const struct pario_region *region)
{
	uint64_t knee, best = 0;

	switch (pario_scaling_of(region, &knee)) {
	case PARIO_SCALING_KNEE:
		pario_text_add(out, "; beyond %llu, more clients add less than 10 %%",
			       (unsigned long long)knee);
		break;
	case PARIO_SCALING_GROWS:
		pario_text_add(out, "; every step added more than 10 %%");
		break;
	case PARIO_SCALING_OPEN:
		pario_region_best(region, &best);
		pario_text_add(out,
			       "; the most with %llu, but the intervals do not tell where it ends",
			       (unsigned long long)best);
		break;
	case PARIO_SCALING_FEW:
		pario_text_add(out, "; fewer than %d repetitions do not tell where it ends",
			       PARIO_REGION_LEAST);
	}
}

void pario_scaling_add(struct pario_text *out, const struct pario_region *region)
{
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
				       100 * scaling_efficiency(region, i));
	}
	add_judgement(out, region);
}
