/*
 * tour: one repetition at each visit, so that what is measured again is measured at another time.
 *
 * Each part of the tour has its share of the time; what one leaves is the next one's. Points are visited in an order
 * without pattern: what disturbs the storage for a while falls on all levels of all axes.
 */
#include "survey/walk/tour.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "base/stats.h"
#include "engine/watch.h"
#include "session/sink.h"
#include "survey/choose.h"

/* Each part ends when this share of the time is over. */
#define LEARNT	  0.68
#define CONFIRMED 0.9

/* A pair agrees when at least this part of what the statement says is there. */
#define AGREES 0.5
/* Standard errors by which the pairs must show a difference. */
#define CLEARLY 2.0

enum {
	BATCH_LEAST = 8,
	BATCH_SHARE = 5, /* of what is measured already */
	PAIRS = 4,	 /* of one statement */
	VISITS = 4,	 /* of a pair: in, out, out, in */
};

/* ---- one visit ---- */

static struct pario_tour *touring; /* the sink knows nothing of tours */
static uint64_t numbered;

static int number(struct pario_sink *sink, const struct pario_bound *bound,
		  const struct pario_result *result, struct pario_err *err)
{
	struct pario_result copy = *result;

	copy.repetition += numbered;
	return touring->hand_on(sink, bound, &copy, err);
}

static uint64_t times_visited(const struct pario_space *space, size_t cell)
{
	uint64_t most = 0;

	for (unsigned m = 0; m < space->measures; m++)
		most = space->cell[cell].samples[m] > most ? space->cell[cell].samples[m] : most;
	return most;
}

static int take(struct pario_tour *t, size_t cell, double costs[PARIO_SPACE_MEASURES],
		struct pario_err *err)
{
	struct pario_space *space = &t->walk->space;

	for (unsigned m = 0; m < space->measures; m++)
		costs[m] = NAN;
	space->cell[cell].tried = true;
	for (size_t i = 0; i < t->session->result_count; i++) {
		const struct pario_result *r = &t->session->results[i];

		for (unsigned m = 0; m < space->measures; m++) {
			if (strcmp(r->phase, space->measure[m]) != 0)
				continue;
			costs[m] = log(pario_walk_cost(r));
			if (pario_space_take(space, cell, m, pario_walk_cost(r), err) < 0)
				return -1;
		}
	}
	return 0;
}

static int visit(struct pario_tour *t, size_t cell, double costs[PARIO_SPACE_MEASURES],
		 struct pario_err *err)
{
	struct pario_err reason = { 0 };
	struct pario_bound bound;
	int status;

	t->session->result_count = 0;
	numbered = times_visited(&t->walk->space, cell);
	pario_walk_bind(t->walk, cell, &bound, &reason);
	status = pario_session_point(t->session, &bound, &reason, err);
	pario_bound_release(&bound);
	t->visits++;
	return status < 0 ? -1 : take(t, cell, costs, err);
}

static double spent(const struct pario_tour *t)
{
	return pario_clock_s(pario_clock_ns() - t->session->start_ns) /
	       (t->walk->params.minutes * 60);
}

/* Would another visit end after this share of the time? */
static bool is_over(const struct pario_tour *t, double share)
{
	double each = t->visits ? spent(t) / (double)t->visits : 0;

	return spent(t) + each > share || pario_watch_interrupted();
}

/* For the progress line: as many as fit into the time. */
static void plan(struct pario_tour *t, size_t more)
{
	uint64_t phases = pario_times(t->walk->space.measures, t->walk->frame.settings.repetitions);

	t->session->planned = t->session->done + pario_times(more, phases);
}

/* Visits points while there is time; returns how many, negative on failure. */
static int visit_all(struct pario_tour *t, const size_t *list, size_t count, double share,
		     struct pario_err *err)
{
	double costs[PARIO_SPACE_MEASURES];
	int visited = 0;

	plan(t, count);
	for (size_t i = 0; i < count && !is_over(t, share); i++, visited++) {
		if (visit(t, list[i], costs, err) < 0)
			return -1;
	}
	return visited;
}

/* ---- the model ---- */

static int fit(const struct pario_tour *t, struct pario_survey_model *model, struct pario_err *err)
{
	uint64_t seed = t->walk->frame.settings.seed;
	struct pario_rows rows;
	int status = pario_rows_of(&t->walk->space, seed, &rows, err);

	if (status == 0)
		status = pario_model_search(model, &t->walk->space, &rows, PARIO_MODEL_TERMS - 2,
					    NULL, 0, err);
	pario_rows_release(&rows);
	return status;
}

static int refit(const struct pario_tour *t, struct pario_survey_model *model,
		 struct pario_err *err)
{
	struct pario_rows rows;
	int status = pario_rows_of(&t->walk->space, t->walk->frame.settings.seed, &rows, err);

	if (status == 0)
		pario_model_fit(model, &t->walk->space, &rows, PARIO_FOLDS);
	pario_rows_release(&rows);
	return status;
}

static int say(const struct pario_tour *t, const struct pario_survey_model *model,
	       struct pario_statement *found, struct pario_err *err)
{
	uint64_t seed = t->walk->frame.settings.seed;
	struct pario_rows rows;
	int status = pario_rows_of(&t->walk->space, seed, &rows, err);

	if (status == 0)
		status = pario_statements_of(&t->walk->space, model, &rows, seed, found, err);
	pario_rows_release(&rows);
	return status;
}

/* ---- parts of the tour ---- */

static int begin(struct pario_tour *t, size_t *list, struct pario_err *err)
{
	size_t count = pario_choose_start(&t->walk->space, t->walk->frame.settings.seed, list, err);
	int visited;

	if (err->code)
		return -1;
	visited = visit_all(t, list, count, LEARNT, err);
	t->short_of_time = visited >= 0 && (size_t)visited < count;
	return visited < 0 ? -1 : 0;
}

static int learn(struct pario_tour *t, size_t *list, struct pario_err *err)
{
	struct pario_space *space = &t->walk->space;

	while (!is_over(t, LEARNT)) {
		struct pario_survey_model model;
		size_t most = pario_space_tried(space) / BATCH_SHARE, count;

		if (fit(t, &model, err) < 0)
			return -1;
		count = pario_choose_next(space, &model, t->walk->frame.settings.seed,
					  most > BATCH_LEAST ? most : BATCH_LEAST, list, err);
		if (err->code || visit_all(t, list, count, LEARNT, err) < 0)
			return -1;
		if (count == 0)
			break;
	}
	return 0;
}

/* A pair that is measured again. */
struct trial {
	struct pario_beside pair;
	size_t statement;
	unsigned visits;
	double sum; /* of ln(in / out) over both halves of in, out, out, in */
};

static int alternate(struct pario_tour *t, struct trial *trial, struct pario_err *err)
{
	static const bool in[VISITS] = { true, false, false, true };
	double sum = 0;

	for (unsigned i = 0; i < VISITS && !is_over(t, CONFIRMED); i++) {
		double costs[PARIO_SPACE_MEASURES];

		if (visit(t, in[i] ? trial->pair.in : trial->pair.out, costs, err) < 0)
			return -1;
		if (!isfinite(costs[trial->pair.measure]))
			return 0;
		sum += (in[i] ? 0.5 : -0.5) * costs[trial->pair.measure];
		trial->visits = i + 1;
	}
	trial->sum = sum;
	return 0;
}

/* How much of the statement was there in its pairs: median and standard error; false where too few were measured. */
static bool weigh(const struct trial *trials, size_t count, size_t statement, double *median,
		  double *error)
{
	double parts[PAIRS], sum = 0, squares = 0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct pario_beside *p = &trials[i].pair;

		if (trials[i].statement != statement || trials[i].visits < VISITS)
			continue;
		parts[n] = (trials[i].sum - p->says + p->effect) / p->effect;
		sum += parts[n];
		squares += parts[n] * parts[n];
		n++;
	}
	if (n < 2)
		return false;
	*median = pario_stats_median(parts, n);
	*error = sqrt(fmax(squares - sum * sum / (double)n, 0) / (double)(n - 1) / (double)n);
	return true;
}

/* Statements, tried where they could be wrong. */
static int confirm(struct pario_tour *t, struct pario_finding_set *found, struct pario_err *err)
{
	struct trial trials[PARIO_STATEMENTS * PAIRS] = { 0 };
	struct pario_beside pairs[PARIO_STATEMENTS][PAIRS];
	size_t of[PARIO_STATEMENTS] = { 0 }, count = 0;
	const struct pario_survey_model *model = &found->model;
	int said = say(t, model, found->statement, err);

	for (int i = 0; i < said; i++)
		of[i] = pario_choose_pairs(&t->walk->space, model, &found->statement[i],
					   t->walk->frame.settings.seed, PAIRS, pairs[i]);
	for (unsigned k = 0; k < PAIRS; k++) {
		for (int i = 0; i < said; i++) {
			if (k < of[i])
				trials[count++] = (struct trial){ .pair = pairs[i][k],
								  .statement = (size_t)i };
		}
	}
	plan(t, count * VISITS);
	for (size_t i = 0; i < count && !is_over(t, CONFIRMED); i++) {
		if (alternate(t, &trials[i], err) < 0)
			return -1;
	}
	for (int i = 0; i < said; i++) {
		struct pario_statement *s = &found->statement[i];
		double share, error;

		if (s->standing == PARIO_STANDS_LAW ||
		    !weigh(trials, count, (size_t)i, &share, &error))
			continue;
		if (share >= AGREES && share > CLEARLY * error)
			s->standing = PARIO_STANDS_CONFIRMED;
		if (share < AGREES)
			s->standing = PARIO_STANDS_NOT;
	}
	found->count = said < 0 ? 0 : (size_t)said;
	return said < 0 ? -1 : 0;
}

/* What was found when it was tried holds when everything is fitted once more: confirmed, or not to be said. */
static int conclude(struct pario_tour *t, struct pario_finding_set *found, struct pario_err *err)
{
	struct pario_statement before[PARIO_STATEMENTS];
	size_t count = found->count;
	int said;

	memcpy(before, found->statement, sizeof(before));
	if (refit(t, &found->model, err) < 0)
		return -1;
	said = say(t, &found->model, found->statement, err);
	found->count = 0;
	for (int i = 0; i < said; i++) {
		struct pario_statement *s = &found->statement[found->count];

		*s = found->statement[i];
		for (size_t k = 0; k < count; k++) {
			if (pario_term_same(&before[k].where, &s->where) &&
			    s->standing != PARIO_STANDS_LAW)
				s->standing = before[k].standing;
		}
		found->count += s->standing != PARIO_STANDS_NOT;
	}
	for (size_t k = 0; k < count; k++)
		found->dropped += before[k].standing == PARIO_STANDS_NOT;
	return said < 0 ? -1 : 0;
}

static int test(struct pario_tour *t, size_t *list, struct pario_err *err)
{
	struct pario_permutation order;
	struct pario_space *space = &t->walk->space;
	size_t count = 0;

	pario_permutation_init(&order, space->cells, t->walk->frame.settings.seed);
	for (size_t i = 0; i < space->cells; i++) {
		size_t cell = pario_permutation_at(&order, i);

		if (space->cell[cell].exists && space->cell[cell].held && !space->cell[cell].tried)
			list[count++] = cell;
	}
	return visit_all(t, list, count, 1, err) < 0 ? -1 : 0;
}

int pario_tour_make(struct pario_tour *t, struct pario_finding_set *found, struct pario_err *err)
{
	struct pario_space *space = &t->walk->space;
	size_t *list = malloc(space->cells * sizeof(*list));
	struct pario_guesser guesser;
	int status = list ? 0 : pario_err_memory(err, "the points");

	memset(found, 0, sizeof(*found));
	touring = t;
	t->hand_on = t->session->sink.result;
	t->session->sink.result = number;
	pario_space_hold(space, t->walk->frame.settings.seed);
	if (status < 0 || begin(t, list, err) < 0 || learn(t, list, err) < 0 ||
	    fit(t, &found->model, err) < 0 || confirm(t, found, err) < 0 ||
	    conclude(t, found, err) < 0 || test(t, list, err) < 0)
		status = -1;
	t->session->sink.result = t->hand_on;
	free(list);
	if (status == 0 && pario_guesser_init(&guesser, space, &found->model, err) == 0) {
		found->test = pario_guess_test(&guesser);
		pario_guesser_release(&guesser);
	}
	found->noise = pario_space_noise(space);
	return err->code ? -1 : status;
}
