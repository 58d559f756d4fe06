/*
 * disturbed: the repetitions of a point have one sentence; what they have in common is their mean.
 */
#include "report/text/disturbed.h"

#include <math.h>

static double mean(const struct pario_result *results, size_t count, size_t offset)
{
	double sum = 0, known = 0;

	for (size_t i = 0; i < count; i++) {
		double share = *(const double *)((const char *)&results[i].disturbance + offset);

		if (!results[i].disturbance.host[0] || !isfinite(share))
			continue;
		sum += share;
		known++;
	}
	return known > 0 ? sum / known : (double)NAN;
}

#define MEAN(results, count, member) \
	mean(results, count, offsetof(struct pario_disturbance, member))

double pario_disturbed_others(const struct pario_result *results, size_t count)
{
	return MEAN(results, count, others);
}

/* The node is named where there is more than one. */
static void add_node(struct pario_text *out, const struct pario_result *results, size_t count)
{
	const struct pario_result *worst = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct pario_disturbance *d = &results[i].disturbance;

		if (d->host[0] && pario_result_find(&results[i], "nodes_used") &&
		    (!worst || d->others > worst->disturbance.others))
			worst = &results[i];
	}
	pario_text_add(out, worst ? "node " : "this node");
	if (worst)
		pario_text_clean(out, worst->disturbance.host);
}

void pario_disturbed_add(struct pario_text *out, const struct pario_result *results, size_t count,
			 bool wide)
{
	double others = MEAN(results, count, others), steal = MEAN(results, count, steal);
	double throttled = MEAN(results, count, throttled), waited = MEAN(results, count, waited);
	size_t before = out->length;

	if (others >= PARIO_DISTURBANCE_OTHERS) {
		pario_text_add(out, "others used the processors of ");
		add_node(out, results, count);
		pario_text_add(out, " for %.0f %% of the time", 100 * others);
		if (waited >= PARIO_DISTURBANCE_OTHERS)
			pario_text_add(out, ", and clients waited for one %.0f %% of it",
				       100 * waited);
	}
	if (steal >= PARIO_DISTURBANCE_STEAL)
		pario_text_add(out, "%sthe hypervisor took %.0f %% of the processors' time",
			       out->length > before ? "; " : "", 100 * steal);
	if (throttled >= PARIO_DISTURBANCE_THROTTLED)
		pario_text_add(out,
			       "%sa cgroup's processor quota was used up for %.0f %% of the time",
			       out->length > before ? "; " : "", 100 * throttled);
	if (wide && out->length > before)
		pario_text_add(out, ": that may be why the interval is wide");
}

void pario_disturbed_mark(struct pario_text *out, double others)
{
	if (others >= PARIO_DISTURBANCE_OTHERS)
		pario_text_add(out, "%sothers %.0f %%", out->length ? "  " : "", 100 * others);
}
