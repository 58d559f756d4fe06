/*
 * budget: shares of the time that is left, and what visits cost here.
 */
#include "session/budget.h"

#include <math.h>

#include "base/clock.h"

/*
 * Of what was announced: until then parts are measured, the rest writes tables and page; then what is under way is
 * ended; and how much of it what is expected of the timed share weighs against what is seen.
 */
#define MEASURING 0.92
#define STOPS	  1.12
#define PRIOR	  0.02

/* The least that is left of a phase's limit. */
#define LEAST_LIMIT 0.5

void pario_budget_begin(struct pario_budget *budget, double whole_s, double ago_s)
{
	*budget = (struct pario_budget){
		.begun_ns = pario_clock_ns() - (int64_t)(ago_s * 1e9),
		.whole_s = whole_s,
		.timed_s = PRIOR * whole_s * PARIO_BUDGET_TIMED,
		.spent_s = PRIOR * whole_s,
		.part_end_s = MEASURING * whole_s,
	};
}

double pario_budget_elapsed(const struct pario_budget *budget)
{
	return pario_clock_s(pario_clock_ns() - budget->begun_ns);
}

void pario_budget_part(struct pario_budget *budget, double share, double untimed_s)
{
	double now = pario_budget_elapsed(budget);

	budget->part_end_s = now + fmax(0, MEASURING * budget->whole_s - now) * share;
	budget->untimed_s = untimed_s;
}

static double timed_share(const struct pario_budget *b)
{
	return b->timed_s / b->spent_s;
}

/* How long the first visit of a point may take, judging by others. */
static double expected(const struct pario_budget *b, double limits)
{
	double slowness = fmax(1, PARIO_BUDGET_TIMED / timed_share(b));

	return limits > 0 ? limits / timed_share(b) : b->untimed_s * slowness;
}

/* A visit has a part that its limit does not change. */
static double again(const struct pario_budget_visit *last, double limit)
{
	return last->limit > 0 ? last->seconds * (1 + limit / last->limit) / 2 : last->seconds;
}

bool pario_budget_grants(const struct pario_budget *budget, const struct pario_budget_visit *last,
			 uint64_t visits, unsigned phases, double *limit)
{
	double now = pario_budget_elapsed(budget);
	double share = fmax(0, budget->part_end_s - now) / (double)(visits ? visits : 1);

	if (*limit > 0 && phases > 0)
		*limit = fmin(*limit,
			      fmax(LEAST_LIMIT * *limit, share * timed_share(budget) / phases));
	if (!budget->begun)
		return true;
	if (last->seconds > 0)
		return now + again(last, *limit) <= budget->part_end_s;
	return now + expected(budget, *limit * phases) <= MEASURING * budget->whole_s;
}

void pario_budget_took(struct pario_budget *budget, unsigned phases,
		       const struct pario_budget_visit *visit)
{
	budget->begun = true;
	if (!(visit->limit > 0))
		return;
	budget->timed_s += visit->limit * phases;
	budget->spent_s += visit->seconds;
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
