/*
 * choose: a balanced start, then where a committee of models disagrees, then where a statement could be wrong.
 *
 * Everything depends only on the seed and on what was measured, so that a survey can go on where it was interrupted.
 */
#include "survey/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum {
	COMMITTEE = 5,
	COMMITTEE_TERMS = 8,
	POINTS_PER_LEVEL = 4, /* at the start */
	CANDIDATES = 48,      /* of which the one seen least is taken */
};

#define FAR 4.0 /* deviations from the model: measured again */
#define NOVELTY \
	0.02 /* of a point whose levels were never together, against the committee's variance */

/* ---- the start ---- */

/* How often levels, and pairs of levels, are measured or planned. */
struct balance {
	unsigned level[PARIO_AXES][PARIO_AXIS_LEVELS];
	unsigned pair[PARIO_AXES][PARIO_AXES][PARIO_AXIS_LEVELS][PARIO_AXIS_LEVELS];
};

static void count_cell(struct balance *b, const struct pario_space *space, size_t cell)
{
	for (unsigned a = 0; a < space->axis_count; a++) {
		unsigned own = pario_space_level(space, cell, a);

		b->level[a][own]++;
		for (unsigned c = 0; c < a; c++)
			b->pair[a][c][own][pario_space_level(space, cell, c)]++;
	}
}

static void count_tried(struct balance *b, const struct pario_space *space)
{
	for (size_t i = 0; i < space->cells; i++) {
		if (space->cell[i].exists && space->cell[i].tried && !space->cell[i].held)
			count_cell(b, space, i);
	}
}

/* Larger = its levels, and pairs of them, have been seen less than those of others. */
static double novelty(const struct balance *b, const struct pario_space *space, size_t cell)
{
	double sum = 0;

	for (unsigned a = 0; a < space->axis_count; a++) {
		unsigned own = pario_space_level(space, cell, a);

		sum += space->axes[a].count > 1 ? 2.0 / (1 + b->level[a][own]) : 0;
		for (unsigned c = 0; c < a; c++) {
			if (space->axes[a].count > 1 && space->axes[c].count > 1)
				sum += 1.0 /
				       (1 + b->pair[a][c][own][pario_space_level(space, cell, c)]);
		}
	}
	return sum;
}

static bool is_free(const struct pario_space *space, size_t cell)
{
	return space->cell[cell].exists && !space->cell[cell].tried && !space->cell[cell].held;
}

static size_t start_points(const struct pario_space *space)
{
	size_t levels = 0;

	for (unsigned a = 0; a < space->axis_count; a++)
		levels += space->axes[a].count;
	return POINTS_PER_LEVEL * levels;
}

/* Of some that are free, by chance, the one that brings most that is new; moves it to `to`. */
static void take_newest(const struct pario_space *space, const struct balance *b, uint64_t seed,
			size_t *list, size_t to, size_t count)
{
	size_t best = to, cell;
	double most = -1;

	for (size_t k = 0; k < CANDIDATES; k++) {
		uint64_t word = pario_random_join(pario_random_join(seed, to), k);
		size_t at = to + pario_random_below(word, count - to);
		double is = novelty(b, space, list[at]);

		if (is > most) {
			most = is;
			best = at;
		}
	}
	cell = list[to];
	list[to] = list[best];
	list[best] = cell;
}

size_t pario_choose_start(const struct pario_space *space, uint64_t seed, size_t *list,
			  struct pario_err *err)
{
	struct balance *b = calloc(1, sizeof(*b));
	size_t count = 0, wanted = start_points(space), tried = 0;

	if (!b) {
		pario_err_memory(err, "choosing the next points");
		return 0;
	}
	count_tried(b, space);
	for (size_t i = 0; i < space->cells; i++) {
		tried += space->cell[i].exists && space->cell[i].tried && !space->cell[i].held;
		if (is_free(space, i))
			list[count++] = i;
	}
	wanted = wanted > tried ? wanted - tried : 0;
	wanted = wanted < count ? wanted : count;
	for (size_t i = 0; i < wanted; i++) {
		take_newest(space, b, seed, list, i, count);
		count_cell(b, space, list[i]);
	}
	free(b);
	return wanted;
}

/* ---- the next ---- */

static void draw_anew(struct pario_rows *rows, uint64_t seed)
{
	/* weights of 0, 1 and 2 stand for drawing with replacement */
	for (size_t i = 0; i < rows->count; i++)
		rows->weight[i] =
			(double)pario_random_below(pario_random_join(seed, rows->cell[i]), 3);
}

struct wish {
	size_t cell;
	double worth;
};

static int dearest(const void *a, const void *b)
{
	const struct wish *x = a, *y = b;

	if (x->worth != y->worth)
		return x->worth < y->worth ? 1 : -1;
	return (x->cell > y->cell) - (x->cell < y->cell);
}

static double disagreement(const struct pario_space *space,
			   const struct pario_survey_model *committee, size_t cell)
{
	double variance = 0;

	for (unsigned m = 0; m < space->measures; m++) {
		struct pario_spot place = pario_spot_of(space, cell, m);
		double sum = 0, squares = 0;

		for (unsigned k = 0; k < COMMITTEE; k++) {
			double cost = pario_model_cost(&committee[k], &place, 0);

			sum += cost;
			squares += cost * cost;
		}
		variance += fmax(squares / COMMITTEE - sum * sum / COMMITTEE / COMMITTEE, 0);
	}
	return variance;
}

/* Is the point so far off that it may have been disturbed? The more often it was measured, the less. */
static double doubt(const struct pario_space *space, const struct pario_survey_model *model,
		    size_t cell)
{
	double worth = 0;

	for (unsigned m = 0; m < space->measures; m++) {
		struct pario_spot place = pario_spot_of(space, cell, m);
		double off, times = space->cell[cell].samples[m];

		if (!pario_space_known(space, cell, m))
			continue;
		off = fabs(space->cell[cell].cost[m] - pario_model_cost(model, &place, 0));
		if (off > FAR * model->scatter)
			worth += off * off / pow(times, 4);
	}
	return worth;
}

static int convene(const struct pario_space *space, uint64_t seed,
		   struct pario_survey_model *committee, struct pario_err *err)
{
	struct pario_rows rows;
	int status = pario_rows_of(space, seed, &rows, err);

	for (unsigned k = 0; k < COMMITTEE && status == 0; k++) {
		draw_anew(&rows, pario_random_join(seed, k));
		status = pario_model_search(&committee[k], space, &rows, COMMITTEE_TERMS, NULL, 0,
					    err);
	}
	pario_rows_release(&rows);
	return status;
}

static size_t weigh(const struct pario_space *space, const struct pario_survey_model *model,
		    const struct pario_survey_model *committee, const struct balance *b,
		    struct wish *wishes)
{
	size_t count = 0;

	for (size_t i = 0; i < space->cells; i++) {
		double worth;

		if (is_free(space, i))
			worth = disagreement(space, committee, i) + NOVELTY * novelty(b, space, i);
		else if (space->cell[i].exists && !space->cell[i].held)
			worth = doubt(space, model, i);
		else
			continue;
		if (worth > 0)
			wishes[count++] = (struct wish){ i, worth };
	}
	qsort(wishes, count, sizeof(*wishes), dearest);
	return count;
}

/* Do the two differ on one axis only? Then one of them will do for now. */
static bool alike(const struct pario_space *space, size_t a, size_t b)
{
	unsigned differ = 0;

	for (unsigned k = 0; k < space->axis_count; k++)
		differ += pario_space_level(space, a, k) != pario_space_level(space, b, k);
	return differ < 2;
}

static size_t pick(const struct pario_space *space, const struct wish *wishes, size_t count,
		   size_t most, size_t *list)
{
	size_t n = 0;

	for (size_t i = 0; i < count && n < most; i++) {
		size_t k = 0;

		while (k < n && !alike(space, wishes[i].cell, list[k]))
			k++;
		if (k == n)
			list[n++] = wishes[i].cell;
	}
	return n;
}

size_t pario_choose_next(const struct pario_space *space, const struct pario_survey_model *model,
			 uint64_t seed, size_t most, size_t *list, struct pario_err *err)
{
	struct pario_survey_model committee[COMMITTEE];
	struct balance *b = calloc(1, sizeof(*b));
	struct wish *wishes = calloc(space->cells, sizeof(*wishes));
	size_t count = 0;

	if (!b || !wishes) {
		pario_err_memory(err, "choosing the next points");
	} else if (convene(space, pario_random_join(seed, space->sample_count), committee, err) ==
		   0) {
		count_tried(b, space);
		count = pick(space, wishes, weigh(space, model, committee, b, wishes), most, list);
	}
	free(b);
	free(wishes);
	return count;
}

/* ---- pairs ---- */

struct candidate {
	struct pario_beside pair;
	double trust; /* how well what is known agrees with the statement; the least is tried first */
};

static int doubtful(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->trust != y->trust)
		return x->trust < y->trust ? -1 : 1;
	return (x->pair.in > y->pair.in) - (x->pair.in < y->pair.in);
}

/* The point beside it where the statement does not hold, across the nearest border; SIZE_MAX when there is none. */
static size_t across(const struct pario_space *space, const struct pario_statement *s, size_t cell,
		     unsigned axis, uint64_t word)
{
	const struct pario_axis *a = &space->axes[axis];
	unsigned own = pario_space_level(space, cell, axis), level = own;
	size_t other;

	if (s->where.levels[axis] == pario_levels_all(space, axis))
		return SIZE_MAX;
	if (a->kind == PARIO_AXIS_CHOICE) {
		level = (unsigned)pario_random_below(word, a->count);
	} else if (own > 0 && !(s->where.levels[axis] >> (own - 1) & 1)) {
		level = own - 1;
	} else if (own + 1 < a->count && !(s->where.levels[axis] >> (own + 1) & 1)) {
		level = own + 1;
	}
	other = pario_space_beside(space, cell, axis, level);
	if (s->where.levels[axis] >> level & 1 || !space->cell[other].exists ||
	    space->cell[other].held)
		return SIZE_MAX;
	return other;
}

static double left(const struct pario_space *space, const struct pario_survey_model *model,
		   size_t cell, unsigned m)
{
	struct pario_spot place = pario_spot_of(space, cell, m);

	return pario_space_known(space, cell, m)
		       ? space->cell[cell].cost[m] - pario_model_cost(model, &place, 0)
		       : 0;
}

static void consider(const struct pario_space *space, const struct pario_survey_model *model,
		     const struct pario_statement *s, size_t cell, unsigned m, uint64_t seed,
		     struct candidate *list, size_t *count)
{
	struct pario_spot in = pario_spot_of(space, cell, m), out;

	if (!pario_term_holds(&s->where, &in) ||
	    !(pario_statement_effect(space, model, s, cell, m) >= log(space->threshold)))
		return;
	for (unsigned a = 0; a < space->axis_count; a++) {
		uint64_t word = pario_random_join(pario_random_join(seed, cell),
						  a * PARIO_SPACE_MEASURES + m);
		size_t other = across(space, s, cell, a, word);
		double says;

		if (other == SIZE_MAX)
			continue;
		out = pario_spot_of(space, other, m);
		says = pario_model_cost(model, &in, 0) - pario_model_cost(model, &out, 0);
		if (says < log(space->threshold) / 2)
			continue;
		list[(*count)++] = (struct candidate){
			{ cell, other, m, says, pario_statement_effect(space, model, s, cell, m) },
			left(space, model, cell, m) - left(space, model, other, m) +
				model->scatter * (double)(word >> 40) / (1 << 24),
		};
	}
}

size_t pario_choose_pairs(const struct pario_space *space, const struct pario_survey_model *model,
			  const struct pario_statement *s, uint64_t seed, size_t most,
			  struct pario_beside *pairs)
{
	struct candidate *list =
		calloc(space->cells * space->measures * space->axis_count + 1, sizeof(*list));
	size_t count = 0, n = 0;

	for (size_t i = 0; list && s->standing != PARIO_STANDS_LAW && i < space->cells; i++) {
		for (unsigned m = 0;
		     m < space->measures && space->cell[i].exists && !space->cell[i].held; m++)
			consider(space, model, s, i, m, seed, list, &count);
	}
	if (list)
		qsort(list, count, sizeof(*list), doubtful);
	/* the most doubtful ones alone would speak for the edges of a set that is not the same all over */
	for (size_t i = 0; i < count && n < most; i++) {
		uint64_t word = pario_random_join(seed, i);
		const struct pario_beside *pair =
			&list[n % 2 ? pario_random_below(word, count) : i].pair;
		size_t k = 0;

		while (k < n && !alike(space, pair->in, pairs[k].in))
			k++;
		if (k == n)
			pairs[n++] = *pair;
	}
	free(list);
	return n;
}
