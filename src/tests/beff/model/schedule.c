/*
 * schedule: the order of the measurements, their loop lengths, and what is left out when time is short.
 */
#include "tests/beff/model/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/beff/model/lengths.h"
#include "tests/beff/model/omitted.h"

/* What the levels of schedule.h leave out. */
enum { FULL, EXTRAS_BEST, ALL_BEST, NO_EXTRAS, FEWER_RANDOMS };

enum {
	SHORT_FROM = PARIO_BEFF_LENGTHS - 2, /* the two lengths that 3.6 may shorten */
	FIXED_LAST = 12,		     /* the last of the short lengths */
	ENOUGH = 12,			     /* measurements before anything is predicted */
};

/*
 * Without a whole first repetition there is no b_eff, so it is planned to end before the budget does: predictions are
 * not exact, and where the budget ends the run ends.
 */
#define FIRST_SHARE 0.9

static struct pario_beff_pace *pace_of(const struct pario_beff_schedule *c, unsigned pattern,
				       unsigned method)
{
	return &c->paces[pattern * PARIO_BEFF_METHODS + method];
}

int pario_beff_schedule_init(struct pario_beff_schedule *c, enum pario_beff_release release,
			     const struct pario_beff_scale *scale, uint64_t lmax, double budget_s,
			     const struct pario_beff_pattern *patterns, unsigned count,
			     struct pario_err *err)
{
	unsigned paces = count * PARIO_BEFF_METHODS;

	memset(c, 0, sizeof(*c));
	c->release = release;
	c->scale = scale;
	c->patterns = patterns;
	c->budget_s = budget_s > 0 ? budget_s : scale->budget_s;
	c->randoms = scale->randoms;
	c->a = pario_beff_lengths(lmax, c->lengths);
	if (pario_beff_table_init(&c->table, count, scale->repetitions, err) < 0)
		return -1;
	c->paces = malloc(paces * sizeof(*c->paces));
	c->best_rate = calloc(count, sizeof(*c->best_rate));
	c->best = calloc(count, sizeof(*c->best));
	c->sorted = calloc(paces, sizeof(*c->sorted));
	if (!c->sorted || !c->paces || !c->best_rate || !c->best) {
		pario_beff_schedule_release(c);
		return pario_err_memory(err, "the schedule of b_eff");
	}
	for (unsigned i = 0; i < paces; i++)
		pario_beff_pace_clear(&c->paces[i]);
	c->look = release == PARIO_BEFF_3_6;
	c->latest_s = NAN;
	return 0;
}

void pario_beff_schedule_release(struct pario_beff_schedule *c)
{
	pario_beff_table_release(&c->table);
	free(c->paces);
	free(c->best_rate);
	free(c->best);
	free(c->sorted);
	c->sorted = NULL;
	c->paces = NULL;
	c->best_rate = NULL;
	c->best = NULL;
}

/* ---- the budget ---- */

/* What an iteration will take; before a pattern was measured at all, what the last one of another did. */
static double expect(const struct pario_beff_schedule *c, unsigned pattern, unsigned method,
		     unsigned length)
{
	double s = pario_beff_pace_expect(pace_of(c, pattern, method), c->lengths, length);

	return isnan(s) ? c->latest_s : s;
}

static unsigned fastest(const struct pario_beff_schedule *c, unsigned pattern)
{
	double least = INFINITY;
	unsigned best = 0;

	for (unsigned m = 0; m < PARIO_BEFF_METHODS; m++) {
		double s = expect(c, pattern, m, c->length);

		if ((c->patterns[pattern].methods & 1u << m) && s < least) {
			least = s;
			best = m;
		}
	}
	return best;
}

static unsigned randoms_at(const struct pario_beff_schedule *c, unsigned level)
{
	unsigned left = c->scale->randoms;

	if (level >= FEWER_RANDOMS)
		left >>= level - FEWER_RANDOMS + 1;
	left = left ? left : 1;
	return left < c->randoms ? left : c->randoms;
}

static bool wanted(const struct pario_beff_schedule *c, unsigned level, unsigned pattern,
		   unsigned method)
{
	const struct pario_beff_pattern *p = &c->patterns[pattern];
	bool extra = p->kind > PARIO_BEFF_RANDOM;

	if (!(p->methods & 1u << method))
		return false;
	if (p->kind == PARIO_BEFF_RANDOM && pattern - PARIO_BEFF_RINGS >= randoms_at(c, level))
		return false;
	if (p->kind == PARIO_BEFF_PING_PONG)
		return true;
	if (extra && level >= NO_EXTRAS)
		return false;
	if (level >= (extra ? EXTRAS_BEST : ALL_BEST))
		return method == fastest(c, pattern);
	return true;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The mean without what stands out by more than ten times the median: one process that was held up is no trend. */
static double typical(double *values, unsigned count)
{
	double sum = 0, most;

	if (count == 0)
		return 0;
	qsort(values, count, sizeof(*values), ascending);
	most = 10 * values[count / 2];
	for (unsigned i = 0; i < count; i++)
		sum += values[i] < most ? values[i] : most;
	return sum / count;
}

/* An iteration at this length, as far as it was measured, else at the one before; *length says which. */
static double typical_pace(const struct pario_beff_schedule *c, unsigned *length)
{
	unsigned count = 0, places = c->table.patterns * PARIO_BEFF_METHODS;

	for (*length = c->length;; --*length) {
		for (unsigned k = 0; k < places; k++)
			if (!isnan(c->paces[k].seconds[*length]))
				c->sorted[count++] = c->paces[k].seconds[*length];
		if (count || *length == 0)
			return typical(c->sorted, count);
	}
}

static double typical_overhead(const struct pario_beff_schedule *c)
{
	unsigned count =
		c->measured < PARIO_BEFF_RECENT ? (unsigned)c->measured : PARIO_BEFF_RECENT;
	double recent[PARIO_BEFF_RECENT];

	memcpy(recent, c->overheads, sizeof(recent));
	return typical(recent, count);
}

/*
 * Seconds that the rest of this repetition will take. What long messages cost is unknown while short ones are measured:
 * then only the short ones are counted, and half of the budget is kept for the others.
 */
static double predict(const struct pario_beff_schedule *c, unsigned level)
{
	double aim = c->release == PARIO_BEFF_3_6 ? c->scale->target_s / c->table.patterns
						  : c->scale->loop_s;
	double around = typical_overhead(c), sum = 0, iteration;
	unsigned near, last = PARIO_BEFF_LENGTHS, each = 0;
	bool blind = c->length <= FIXED_LAST && c->repetition == 0;

	iteration = typical_pace(c, &near);
	if (blind)
		last = FIXED_LAST + 1;
	for (unsigned p = 0; p < c->table.patterns; p++)
		for (unsigned m = 0; m < PARIO_BEFF_METHODS; m++)
			each += wanted(c, level, p, m);
	for (unsigned i = c->length; i < last; i++) {
		double s = iteration;

		if (c->repetition > 0)
			s = c->typical_s[i];
		else if (i > FIXED_LAST)
			s *= (double)c->lengths[i] / (double)c->lengths[near];
		sum += each * (fmax(aim, s) + around);
	}
	return blind ? 2 * sum + c->spent_s : sum;
}

/* The last level of the first repetition: one random pattern, loops of one iteration. */
static unsigned last_level(const struct pario_beff_schedule *c)
{
	unsigned level = FEWER_RANDOMS;

	while (randoms_at(c, level) > 1)
		level++;
	return level + 1;
}

static void fit_budget(struct pario_beff_schedule *c)
{
	unsigned last = c->repetition ? ALL_BEST : last_level(c);
	double most = c->budget_s * (c->repetition ? 1 : FIRST_SHARE);

	if (c->measured < ENOUGH && c->spent_s < c->budget_s)
		return;
	/* What was left out altogether is not taken up again; a method may be. */
	if (c->level <= ALL_BEST)
		c->level = FULL;
	else if (c->level == last)
		c->level--;
	while (c->level < last && c->spent_s + predict(c, c->level) > most)
		c->level++;
	if (c->repetition > 0 && c->spent_s + predict(c, c->level) > most) {
		c->ended = true;
		return;
	}
	c->hurry = c->repetition == 0 && c->level == last;
	if (c->hurry)
		c->hurried |= 1u << c->length;
	if (c->repetition == 0)
		c->randoms = randoms_at(c, c->level);
}

/* ---- release 3.6 ---- */

static bool too_long(const struct pario_beff_schedule *c)
{
	for (unsigned m = 0; m < PARIO_BEFF_METHODS; m++) {
		double expected = c->least_s[m] * c->table.patterns * 4 * (c->a + c->a * c->a) *
				  c->table.repetitions * PARIO_BEFF_METHODS /
				  (double)c->loop36[m].loop;

		if (isfinite(c->least_s[m]) && expected > c->scale->limit_s)
			return true;
	}
	return false;
}

static void copy(struct pario_beff_schedule *c, unsigned pattern, unsigned from_method,
		 unsigned to_method, unsigned from, unsigned to, char mark)
{
	struct pario_beff_record *source =
		pario_beff_at(&c->table, pattern, c->length, from_method, from);
	struct pario_beff_record *target =
		pario_beff_at(&c->table, pattern, c->length, to_method, to);

	if (isnan(source->bandwidth) || !(c->patterns[pattern].methods & 1u << to_method))
		return;
	*target = *source;
	target->mark = mark;
}

/* Of the longest message only the first repetitions are measured; the first stands for the rest. */
static bool kept_enough(struct pario_beff_schedule *c)
{
	if (!c->shortened || c->length + 1 < PARIO_BEFF_LENGTHS || c->repetition < PARIO_BEFF_KEPT)
		return false;
	for (unsigned p = 0; p < c->table.patterns; p++)
		for (unsigned m = 0; m < PARIO_BEFF_METHODS; m++)
			copy(c, p, m, m, 0, c->repetition, 'R');
	return true;
}

static void enter_3_6(struct pario_beff_schedule *c)
{
	for (unsigned m = 0; c->look && m < PARIO_BEFF_METHODS; m++)
		pario_beff_loop36_init(&c->loop36[m], c->scale->target_s, c->a);
	if (c->look)
		return;
	if (c->length <= SHORT_FROM)
		c->shortened = c->length == SHORT_FROM && too_long(c);
	c->ever_shortened |= c->shortened;
	for (unsigned m = 0; m < PARIO_BEFF_METHODS; m++) {
		pario_beff_loop36_next(&c->loop36[m], c->length);
		c->least_s[m] = INFINITY;
	}
	for (unsigned p = 0; c->length + 1 == SHORT_FROM && p < c->table.patterns; p++)
		c->best_rate[p] = 0;
}

/* ---- one after the other ---- */

static void enter(struct pario_beff_schedule *c)
{
	c->entered = true;
	c->place = 0;
	if (c->length == 0)
		c->level = FULL;
	if (c->release == PARIO_BEFF_3_6)
		enter_3_6(c);
	if (kept_enough(c))
		c->place = c->table.patterns * PARIO_BEFF_METHODS;
}

static void leave(struct pario_beff_schedule *c)
{
	unsigned near;

	c->entered = false;
	if (!c->look)
		c->typical_s[c->length] = typical_pace(c, &near);
	if (c->look) {
		c->look = false;
		return;
	}
	if (++c->length < PARIO_BEFF_LENGTHS)
		return;
	c->length = 0;
	c->look = c->release == PARIO_BEFF_3_6;
	if (++c->repetition == c->table.repetitions)
		c->ended = true;
}

static bool due(const struct pario_beff_schedule *c, unsigned pattern, unsigned method)
{
	if (c->shortened && !c->look && c->length >= SHORT_FROM)
		return wanted(c, c->level >= NO_EXTRAS ? c->level : FULL, pattern, method) &&
		       method == c->best[pattern];
	return wanted(c, c->level, pattern, method);
}

/* The first loop of a pattern has only its predecessor to go by, and does not exceed the paper's first. */
static uint64_t paper_loop(const struct pario_beff_schedule *c, unsigned pattern, unsigned method)
{
	bool known =
		!isnan(pario_beff_pace_expect(pace_of(c, pattern, method), c->lengths, c->length));
	uint64_t loop =
		pario_beff_loop_paper(expect(c, pattern, method, c->length), c->scale->loop_s);

	return known || loop < PARIO_BEFF_FIRST ? loop : PARIO_BEFF_FIRST;
}

static uint64_t loop_of(const struct pario_beff_schedule *c, unsigned pattern, unsigned method)
{
	uint64_t loop = c->loop36[method].loop;

	if (c->hurry && !c->look)
		return 1;
	if (c->release == PARIO_BEFF_PAPER)
		return paper_loop(c, pattern, method);
	if (c->shortened && c->length >= SHORT_FROM)
		return 1;
	return loop ? loop : 1;
}

void pario_beff_schedule_next(struct pario_beff_schedule *c, struct pario_beff_step *step)
{
	unsigned places = c->table.patterns * PARIO_BEFF_METHODS;

	memset(step, 0, sizeof(*step));
	c->place -= c->again;
	c->ended |= c->spent_s >= c->budget_s;
	for (; !c->ended; leave(c)) {
		if (!c->entered)
			enter(c);
		while (!c->ended && c->place < places) {
			unsigned pattern = c->place / PARIO_BEFF_METHODS;
			unsigned method = c->place++ % PARIO_BEFF_METHODS;

			if (method == 0 && !c->look && !c->again)
				fit_budget(c);
			if (c->ended || (!c->again && !due(c, pattern, method)))
				continue;
			step->repetition = c->repetition;
			step->length = c->length;
			step->pattern = pattern;
			step->method = method;
			step->loop = loop_of(c, pattern, method);
			step->look = c->look;
			step->warm = c->length < PARIO_BEFF_WARM;
			return;
		}
		if (c->ended)
			break;
	}
	step->end = true;
}

static void note_3_6(struct pario_beff_schedule *c, const struct pario_beff_step *step,
		     const struct pario_beff_outcome *o)
{
	double own_s = o->own_ns * 1e-9, rate;

	c->loop36[step->method].spent_s += own_s;
	if (step->look)
		return;
	if (own_s < c->least_s[step->method])
		c->least_s[step->method] = own_s;
	if (step->length + 1 != SHORT_FROM)
		return;
	rate = (double)step->loop / own_s;
	if (rate >= c->best_rate[step->pattern]) {
		c->best_rate[step->pattern] = rate;
		c->best[step->pattern] = step->method;
	}
}

/*
 * A loop was planned from one in which a process was held up, and is over too soon to be timed well. The paper's first
 * loops are as long as they are.
 */
static bool too_short(const struct pario_beff_schedule *c, const struct pario_beff_step *step,
		      const struct pario_beff_outcome *o)
{
	return c->release == PARIO_BEFF_PAPER && !c->again && !c->hurry &&
	       step->repetition + step->length > 0 &&
	       o->record.max_ns * 1e-9 < c->scale->loop_s / 4;
}

void pario_beff_schedule_take(struct pario_beff_schedule *c, const struct pario_beff_step *step,
			      const struct pario_beff_outcome *o)
{
	c->spent_s += o->spent_ns * 1e-9;
	c->overheads[c->measured++ % PARIO_BEFF_RECENT] = (o->spent_ns - o->own_ns) * 1e-9;
	if (c->release == PARIO_BEFF_3_6)
		note_3_6(c, step, o);
	if (step->look)
		return;
	*pario_beff_at(&c->table, step->pattern, step->length, step->method, step->repetition) =
		o->record;
	c->latest_s = o->record.max_ns * 1e-9 / (double)step->loop;
	c->again = too_short(c, step, o);
	pace_of(c, step->pattern, step->method)->seconds[step->length] = c->latest_s;
	for (unsigned m = 0; c->shortened && m < PARIO_BEFF_METHODS; m++)
		if (step->length >= SHORT_FROM && m != step->method)
			copy(c, step->pattern, step->method, m, step->repetition, step->repetition,
			     'M');
}

void pario_beff_schedule_cautions(const struct pario_beff_schedule *c, struct pario_text *out)
{
	struct pario_beff_omitted omitted;

	if (c->ever_shortened)
		pario_text_add(
			out, "The two longest lengths were shortened as release 3.6 does: loops of "
			     "one iteration, only the best method; comparing methods is "
			     "meaningless there.\n");
	if (c->hurried) {
		pario_text_add(out, "To end within %g s, loops were cut to one iteration at ",
			       c->budget_s);
		pario_beff_length_ranges(c->hurried, c->lengths, out);
		pario_text_add(out,
			       ": the processes wait long for a processor or the network is "
			       "very slow. Look at the protocol before you use this number.\n");
	}
	pario_beff_omitted(&c->table, c->patterns, &omitted);
	if (omitted.made == omitted.planned)
		return;
	pario_text_add(out, "%llu of %llu measurements were made within %g s. Left out: ",
		       (unsigned long long)omitted.made, (unsigned long long)omitted.planned,
		       c->budget_s);
	pario_beff_omitted_list(&omitted, c->lengths, out);
	pario_text_add(out, ".\n");
}
