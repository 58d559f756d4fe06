/*
 * budget: what is left of the time, and what visits cost here.
 */
#include "session/budget.h"

#include <math.h>

#include "base/clock.h"

/*
 * Of what was announced: until then there are measurements, the rest writes tables and page; then what is under way is
 * ended; and how much of it what is usual weighs against what is seen.
 */
#define MEASURING 0.92
#define STOPS	  1.12
#define PRIOR	  0.02

/* The least that is left of the limits. */
#define LEAST_SCALE 0.5

void pario_budget_begin(struct pario_budget *budget, double whole_s, double ago_s, double usual_s)
{
	*budget = (struct pario_budget){
		.begun_ns = pario_clock_ns() - (int64_t)(ago_s * 1e9),
		.whole_s = whole_s,
		.left_s = usual_s,
		.usual_s = PRIOR * whole_s,
		.spent_s = PRIOR * whole_s,
	};
}

double pario_budget_elapsed(const struct pario_budget *budget)
{
	return pario_clock_s(pario_clock_ns() - budget->begun_ns);
}

/* The first visit of a point takes longer as others did; a later one as it did itself, less what limits change. */
static double expected(const struct pario_budget *b, const struct pario_budget_visit *v)
{
	double slowness = b->spent_s / b->usual_s;

	if (v->took_s > 0)
		return v->took_s * (1 + v->scale / v->at_scale) / 2;
	return v->usual_s * v->scale * (v->limits_s > 0 ? slowness : fmax(1, slowness));
}

bool pario_budget_grants(const struct pario_budget *budget, struct pario_budget_visit *visit)
{
	double end = MEASURING * budget->whole_s, now = pario_budget_elapsed(budget);
	double wanted = budget->left_s * budget->spent_s / budget->usual_s;

	visit->scale = 1;
	if (visit->limits_s > 0 && wanted > end - now)
		visit->scale = fmax(LEAST_SCALE, (end - now) / wanted);
	return !budget->begun || now + expected(budget, visit) <= end;
}

void pario_budget_took(struct pario_budget *budget, struct pario_budget_visit *visit,
		       double seconds)
{
	budget->begun = true;
	budget->left_s = fmax(0, budget->left_s - visit->usual_s);
	visit->took_s = seconds;
	visit->at_scale = visit->scale;
	if (!(visit->limits_s > 0))
		return;
	budget->usual_s += visit->usual_s * visit->scale;
	budget->spent_s += seconds;
}

double pario_budget_stops(const struct pario_budget *budget)
{
	return fmax(STOPS * budget->whole_s - pario_budget_elapsed(budget), 0.01);
}

void pario_budget_part_done(struct pario_budget *budget, const char *part, uint64_t least,
			    uint64_t wanted)
{
	if (least == 0)
		pario_text_add(&budget->left_out, "%s%s", budget->left_out.length ? ", " : "",
			       part);
	else if (least < wanted)
		pario_text_add(&budget->fewer, "%s%s %llu of %llu",
			       budget->fewer.length ? ", " : "", part, (unsigned long long)least,
			       (unsigned long long)wanted);
}

void pario_budget_say(const struct pario_budget *budget, struct pario_text *out)
{
	const struct pario_text *none = &budget->left_out, *fewer = &budget->fewer;

	if (!none->length && !fewer->length)
		return;
	pario_text_add(out, "the time was not enough for everything here:");
	if (none->length)
		pario_text_add(out, " left out, wholly or at some client counts: %s%s",
			       pario_text_string(none), fewer->length ? ";" : "");
	if (fewer->length)
		pario_text_add(out, " fewer repetitions: %s", pario_text_string(fewer));
}

void pario_budget_release(struct pario_budget *budget)
{
	pario_text_release(&budget->left_out);
	pario_text_release(&budget->fewer);
}
