/*
 * search: which terms does the model need?
 *
 * Greedily: of all terms there can be, the one that lessens what is left unexplained the most, as far as a step of the
 * fit can tell. It is kept when that is more than the best of so many would by chance, when the rows of each fold are
 * predicted better by what the others say with it than without it, and when it slows down: what is fast is what is not
 * slow. When nothing more is found, each term is taken out once to see whether another would now do better, because the
 * first were chosen while the later ones were not there. Where that leaves rows out, once more with the terms of one
 * axis before others: two effects that multiply look at first like one of both axes together, and no single step
 * leads from there to the two.
 *
 * Misleads where an effect has a shape that no term has; then several terms stand for it, or it stays in the scatter.
 */
#include "base/grow.h"
#include "survey/model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	SUBSETS_UP_TO =
		4, /* levels of a choice whose every subset is tried; of more, single ones and all others */
	SETS_MOST = 48, /* of levels of one axis */
	TRIES = 12,	/* of the best terms, when one does not predict */
	LEAST_ROWS = 4, /* on either side of a term */
	LAW = 2 * PARIO_SPACE_MEASURES,
	PARTS = PARIO_PART_BYTES + 1,
	ROUNDS = 3, /* of growing and exchanging */
};

#define CLIP	      2.0 /* a row further off than a factor of e^2 counts no more for a term than that */
#define LEAST_FACTOR  1.08 /* what is smaller is no term */
#define COMPLEXITY    3.0  /* that an axis more must explain, in squares of the scatter */
#define LEAST_SCATTER 0.01
#define FAR	      6.0 /* deviations from the model */
#define LEFT_OUT \
	0.08	    /* share of the rows so far off from which another way to the model is tried */
#define CLEARLY 2.0 /* standard errors by which predictions must be better */

struct search {
	const struct pario_space *space;
	const struct pario_rows *rows;
	const struct pario_term *barred;
	size_t barred_count;
	struct pario_term *list; /* all terms there can be */
	double *gain;		 /* what each would explain, in squares of the scatter */
	size_t count, capacity;
	double *slope; /* of each row, by number of the model */
	double *left;  /* of each row, clipped */
	struct sums
		*table; /* of the rows, by their levels on the two axes below: terms add these up */
	unsigned table_a, table_b;
	bool plain; /* only terms of one axis */
	bool failed;
};

/* Over some rows, of one part of the law: what a term that holds there is made of. */
struct sums {
	double own, says, shared[PARIO_MODEL_NUMBERS];
	size_t rows;
};

/* ---- all terms there can be ---- */

static void add_term(struct search *s, const struct pario_term *term)
{
	for (size_t i = 0; i < s->barred_count; i++) {
		if (memcmp(s->barred[i].levels, term->levels, sizeof(term->levels)) == 0)
			return;
	}
	if (!pario_grow(s->list, s->count, s->capacity))
		return;
	s->list[s->count++] = *term;
}

/* The sets of levels of an axis that make sense; returns how many. */
static unsigned sets_of(const struct pario_space *space, unsigned axis, uint64_t *sets)
{
	const struct pario_axis *a = &space->axes[axis];
	uint64_t all = pario_levels_all(space, axis);
	unsigned count = 0;

	if (a->count < 2)
		return 0;
	if (a->kind == PARIO_AXIS_CHOICE && a->count <= SUBSETS_UP_TO) {
		for (uint64_t set = 1; set < all; set++)
			sets[count++] = set;
		return count;
	}
	for (unsigned l = 0; l < a->count && count + 2 <= SETS_MOST; l++) {
		uint64_t one = (uint64_t)1 << l;

		if (a->kind == PARIO_AXIS_CHOICE) {
			sets[count++] = one;
			sets[count++] = all & ~one;
		} else if (l > 0) {
			sets[count++] = all & ~(one - 1);
			if (a->kind == PARIO_AXIS_SIZE)
				sets[count++] = one - 1;
		}
	}
	return count;
}

/* The term for each direction and both, and for each part of the law it may slow down. */
static void add_everywhere(struct search *s, struct pario_term *term, bool whole)
{
	uint64_t all = pario_levels_all(s->space, s->space->axis_count);

	for (uint64_t directions = 1; directions <= all; directions++) {
		term->levels[s->space->axis_count] = directions;
		for (int part = PARIO_PART_ALL; part <= (whole ? PARIO_PART_ALL : PARIO_PART_BYTES);
		     part++) {
			term->part = (enum pario_survey_part)part;
			add_term(s, term);
		}
	}
}

static struct pario_term everywhere(const struct pario_space *space)
{
	struct pario_term term = { 0 };

	for (unsigned a = 0; a <= space->axis_count; a++)
		term.levels[a] = pario_levels_all(space, a);
	return term;
}

static bool is_size(const struct pario_space *space, unsigned axis)
{
	return space->axes[axis].kind == PARIO_AXIS_SIZE;
}

/* Those of the same two axes follow each other, as their table is made once. */
static void add_pairs(struct search *s, struct pario_term *term, unsigned a, unsigned b)
{
	uint64_t sets[SETS_MOST], others[SETS_MOST];
	unsigned count = sets_of(s->space, a, sets), other_count = sets_of(s->space, b, others);

	for (unsigned i = 0; i < count * other_count; i++) {
		term->levels[a] = sets[i / other_count];
		term->levels[b] = others[i % other_count];
		add_everywhere(s, term, is_size(s->space, a) || is_size(s->space, b));
	}
	term->levels[a] = pario_levels_all(s->space, a);
	term->levels[b] = pario_levels_all(s->space, b);
}

static void list_terms(struct search *s)
{
	struct pario_term term = everywhere(s->space);
	uint64_t sets[SETS_MOST];

	for (unsigned a = 0; a < s->space->axis_count; a++) {
		unsigned count = sets_of(s->space, a, sets);

		for (unsigned i = 0; i < count; i++) {
			term.levels[a] = sets[i];
			add_everywhere(s, &term, is_size(s->space, a));
		}
		term.levels[a] = pario_levels_all(s->space, a);
		for (unsigned b = a + 1; b < s->space->axis_count; b++)
			add_pairs(s, &term, a, b);
		if (s->space->axes[a].kind == PARIO_AXIS_COUNT && s->space->axes[a].count > 1) {
			term.sharing = true;
			add_everywhere(s, &term, false);
			term.sharing = false;
		}
	}
}

/* ---- what a term would explain ---- */

/* The model's own equations, factored, and what is left of each row. */
struct equations {
	double factor[PARIO_MODEL_NUMBERS][PARIO_MODEL_NUMBERS];
	unsigned n;
	double known
		[PARIO_MODEL_NUMBERS]; /* of what is left, what they would still explain, by squares */
	double left2;		       /* mean square of the rest */
};

/* Of a vector of sums over the rows: its coordinates along what the model's numbers can stand for. */
static void project(const struct equations *e, double *sums)
{
	for (unsigned a = 0; a < e->n; a++) {
		for (unsigned k = 0; k < a; k++)
			sums[a] -= e->factor[a][k] * sums[k];
		sums[a] /= e->factor[a][a];
	}
}

static void factor(struct equations *e)
{
	for (unsigned i = 0; i < e->n; i++) {
		e->factor[i][i] = (e->factor[i][i] + 1e-9) * (1 + 1e-9);
		for (unsigned j = 0; j <= i; j++) {
			double rest = e->factor[i][j];

			for (unsigned k = 0; k < j; k++)
				rest -= e->factor[i][k] * e->factor[j][k];
			e->factor[i][j] = i == j ? sqrt(fmax(rest, 1e-12)) : rest / e->factor[j][j];
		}
	}
	project(e, e->known);
}

static void set_up(struct search *s, const struct pario_survey_model *model, struct equations *e)
{
	double sum = 0, weights = 0;

	memset(e, 0, sizeof(*e));
	e->n = LAW + model->terms;
	for (size_t i = 0; i < s->rows->count; i++) {
		double *slope = &s->slope[i * PARIO_MODEL_NUMBERS], w = s->rows->weight[i];

		pario_model_slope(model, &s->rows->place[i], slope);
		s->left[i] = s->rows->cost[i] - pario_model_cost(model, &s->rows->place[i], 0);
		s->left[i] = fmax(-CLIP, fmin(CLIP, s->left[i]));
		sum += w * s->left[i] * s->left[i];
		weights += w;
		for (unsigned a = 0; a < e->n; a++) {
			e->known[a] += w * slope[a] * s->left[i];
			for (unsigned b = 0; b <= a; b++)
				e->factor[a][b] += w * slope[a] * slope[b];
		}
	}
	factor(e);
	for (unsigned a = 0; a < e->n; a++)
		sum -= e->known[a] * e->known[a];
	e->left2 = sum / fmax(weights - e->n, 1);
}

static void add_row(const struct search *s, const struct equations *e, size_t row, double x,
		    struct sums *sums)
{
	const double *slope = &s->slope[row * PARIO_MODEL_NUMBERS];
	double w = s->rows->weight[row];

	sums->rows++;
	sums->own += w * x * x;
	sums->says += w * x * s->left[row];
	for (unsigned a = 0; a < e->n; a++)
		sums->shared[a] += w * x * slope[a];
}

/* How much a row has of what a term on one part of the law multiplies. */
static double share_of(const struct search *s, size_t row, int part)
{
	return part == PARIO_PART_ALL
		       ? 1
		       : s->slope[row * PARIO_MODEL_NUMBERS + 2 * s->rows->place[row].measure +
				  (part == PARIO_PART_BYTES)];
}

static struct sums *sums_at(const struct search *s, int part, unsigned measure, unsigned a,
			    unsigned b)
{
	return &s->table[((size_t)(part * PARIO_SPACE_MEASURES + (int)measure) * PARIO_AXIS_LEVELS +
			  a) * PARIO_AXIS_LEVELS +
			 b];
}

static void clear_table(struct search *s)
{
	for (int part = 0; part < PARTS; part++) {
		for (unsigned m = 0; m < s->space->measures; m++) {
			for (unsigned l = 0; l < s->space->axes[s->table_a].count; l++)
				memset(sums_at(s, part, m, l, 0), 0,
				       s->space->axes[s->table_b].count * sizeof(struct sums));
		}
	}
}

static void make_table(struct search *s, const struct equations *e, unsigned a, unsigned b)
{
	s->table_a = a;
	s->table_b = b;
	clear_table(s);
	for (size_t i = 0; i < s->rows->count; i++) {
		const struct pario_spot *place = &s->rows->place[i];

		for (int part = 0; part < PARTS && s->rows->weight[i] > 0; part++)
			add_row(s, e, i, share_of(s, i, part),
				sums_at(s, part, place->measure,
					(unsigned)__builtin_ctzll(place->at[a]),
					(unsigned)__builtin_ctzll(place->at[b])));
	}
}

/* A term's two axes, the same one twice where it has only one. */
static void axes_of(const struct pario_space *space, const struct pario_term *term, unsigned *a,
		    unsigned *b)
{
	*a = *b = space->axis_count;
	for (unsigned k = 0; k < space->axis_count; k++) {
		if (term->levels[k] == pario_levels_all(space, k))
			continue;
		*a = *a < space->axis_count ? *a : k;
		*b = k;
	}
}

static void add_sums(const struct equations *e, const struct sums *from, struct sums *to)
{
	to->rows += from->rows;
	to->own += from->own;
	to->says += from->says;
	for (unsigned n = 0; n < e->n; n++)
		to->shared[n] += from->shared[n];
}

static void add_up(struct search *s, const struct equations *e, const struct pario_term *term,
		   struct sums *sum)
{
	unsigned a, b;

	memset(sum, 0, sizeof(*sum));
	axes_of(s->space, term, &a, &b);
	if (a == s->space->axis_count) {
		for (size_t i = 0; i < s->rows->count; i++) {
			if (s->rows->weight[i] > 0 && pario_term_holds(term, &s->rows->place[i]))
				add_row(s, e, i, s->rows->place[i].log_clients, sum);
		}
		return;
	}
	if (a != s->table_a || b != s->table_b)
		make_table(s, e, a, b);
	for (unsigned m = 0; m < s->space->measures; m++) {
		for (uint64_t x = term->levels[a]; x; x &= x - 1) {
			uint64_t row = a == b ? x & -x : term->levels[b];

			for (uint64_t y = term->levels[s->space->axis_count] >> m & 1 ? row : 0; y;
			     y &= y - 1)
				add_sums(e,
					 sums_at(s, (int)term->part, m,
						 (unsigned)__builtin_ctzll(x),
						 (unsigned)__builtin_ctzll(y)),
					 sum);
		}
	}
}

/* Of the part of the term that the model's other numbers could not stand for. */
static double gain_of(struct search *s, const struct equations *e, const struct pario_term *term)
{
	struct sums sum;
	double kept, says;

	add_up(s, e, term, &sum);
	if (sum.rows < LEAST_ROWS || sum.rows + LEAST_ROWS > s->rows->count)
		return 0;
	kept = sum.own;
	says = sum.says;
	project(e, sum.shared);
	for (unsigned a = 0; a < e->n; a++) {
		kept -= sum.shared[a] * sum.shared[a];
		says -= sum.shared[a] * e->known[a];
	}
	/* what is fast is what is not slow */
	if (kept < 0.02 * sum.own || kept < 1e-6 || says / kept < log(LEAST_FACTOR) / 2)
		return 0;
	return says * says / kept / fmax(e->left2, 1e-6);
}

static unsigned directions_of(const struct pario_space *space, const struct pario_term *term)
{
	return term->levels[space->axis_count] != pario_levels_all(space, space->axis_count);
}

/* What a term must explain beyond another to be the better one. */
static double complexity(const struct pario_space *space, const struct pario_term *term)
{
	double sum = pario_term_axes(space, term) + 0.5 * directions_of(space, term) +
		     0.4 * (term->part != PARIO_PART_ALL) - term->sharing;

	for (unsigned a = 0; a < space->axis_count; a++) {
		if (space->axes[a].kind == PARIO_AXIS_CHOICE &&
		    term->levels[a] != pario_levels_all(space, a))
			sum += 0.1 * (__builtin_popcountll(term->levels[a]) - 1);
	}
	return COMPLEXITY * sum;
}

/* The only axis on which a term does not hold everywhere; axis_count when there are none or several. */
static unsigned only_axis(const struct pario_space *space, const struct pario_term *term)
{
	unsigned only = space->axis_count;

	for (unsigned a = 0; a < space->axis_count; a++) {
		if (term->levels[a] == pario_levels_all(space, a))
			continue;
		if (only < space->axis_count)
			return space->axis_count;
		only = a;
	}
	return only;
}

/* Would every level of an axis be slow, and the law that of nothing? One must be left that others are slower than. */
static bool unanchored(const struct pario_space *space, const struct pario_survey_model *model,
		       const struct pario_term *term)
{
	unsigned axis = only_axis(space, term), direction = space->axis_count;
	uint64_t slow = term->levels[axis];

	for (unsigned t = 0; t < model->terms; t++) {
		const struct pario_term *other = &model->term[t];

		if (axis < direction && only_axis(space, other) == axis &&
		    other->levels[direction] & term->levels[direction])
			slow |= other->levels[axis];
	}
	return axis < direction && slow == pario_levels_all(space, axis);
}

static void rate_all(struct search *s, const struct pario_survey_model *model)
{
	struct equations e;

	set_up(s, model, &e);
	s->table_a = s->table_b = s->space->axis_count;
	for (size_t i = 0; i < s->count; i++) {
		s->gain[i] = gain_of(s, &e, &s->list[i]) - complexity(s->space, &s->list[i]);
		if (s->plain && pario_term_axes(s->space, &s->list[i]) > 1)
			s->gain[i] = 0;
		if (s->gain[i] > 0 && unanchored(s->space, model, &s->list[i]))
			s->gain[i] = 0;
		for (unsigned t = 0; t < model->terms; t++)
			s->gain[i] = pario_term_same(&model->term[t], &s->list[i]) ? 0 : s->gain[i];
	}
}

static size_t best_of(const struct search *s)
{
	size_t best = 0;

	for (size_t i = 1; i < s->count; i++) {
		if (s->gain[i] > s->gain[best])
			best = i;
	}
	return best;
}

/* ---- does it predict? ---- */

static double misses(const struct search *s, const struct pario_survey_model *model)
{
	double sum = 0;

	for (size_t i = 0; i < s->rows->count; i++) {
		double off = s->rows->cost[i] - pario_model_cost(model, &s->rows->place[i], 0);
		double far = fabs(off) / model->scatter;

		sum += s->rows->weight[i] * (far < 1.5 ? far * far / 2 : 1.5 * (far - 0.75)) *
		       model->scatter * model->scatter;
	}
	return sum;
}

/* Each fold by what the others say, with the last term and without it. */
static bool predicts(const struct search *s, const struct pario_survey_model *with)
{
	double sum = 0, squares = 0, mean;
	size_t n = 0;

	for (unsigned fold = 0; fold < PARIO_FOLDS; fold++) {
		struct pario_survey_model more = *with, less = *with;

		less.terms--;
		pario_model_fit(&more, s->space, s->rows, fold);
		pario_model_fit(&less, s->space, s->rows, fold);
		for (size_t i = 0; i < s->rows->count; i++) {
			const struct pario_spot *place = &s->rows->place[i];
			double better;

			if (s->rows->fold[i] != fold || s->rows->weight[i] <= 0 ||
			    !pario_term_holds(&with->term[with->terms - 1], place))
				continue;
			better = fabs(s->rows->cost[i] - pario_model_cost(&less, place, 0)) -
				 fabs(s->rows->cost[i] - pario_model_cost(&more, place, 0));
			sum += better;
			squares += better * better;
			n++;
		}
	}
	mean = n ? sum / (double)n : 0;
	return n > 1 &&
	       mean > CLEARLY * sqrt(fmax(squares / (double)n - mean * mean, 0) / (double)n);
}

static void drop(struct pario_survey_model *model, unsigned t)
{
	memmove(&model->term[t], &model->term[t + 1],
		(model->terms - t - 1) * sizeof(model->term[0]));
	model->terms--;
}

/* Terms that became nothing, or that came to speed things up. */
static void drop_small(struct search *s, struct pario_survey_model *model)
{
	bool dropped = false;

	for (unsigned t = model->terms; t-- > 0;) {
		if (model->term[t].beta >= log(LEAST_FACTOR))
			continue;
		drop(model, t);
		dropped = true;
	}
	if (dropped)
		pario_model_fit(model, s->space, s->rows, PARIO_FOLDS);
}

static bool try_term(struct search *s, struct pario_survey_model *model,
		     const struct pario_term *term, bool check)
{
	struct pario_survey_model with = *model;

	with.term[with.terms] = *term;
	with.term[with.terms++].beta = 0;
	pario_model_fit(&with, s->space, s->rows, PARIO_FOLDS);
	if (with.term[with.terms - 1].beta < log(LEAST_FACTOR) || (check && !predicts(s, &with)))
		return false;
	*model = with;
	return true;
}

/* Adds the term that explains most; false when none is left that does. */
static bool grow(struct search *s, struct pario_survey_model *model, bool check)
{
	double chance = 2 * log((double)s->count + 1) + COMPLEXITY;

	rate_all(s, model);
	for (unsigned i = 0; i < TRIES; i++) {
		size_t best = best_of(s);

		if (s->gain[best] < chance)
			return false;
		if (try_term(s, model, &s->list[best], check)) {
			drop_small(s, model);
			return true;
		}
		s->gain[best] = 0;
	}
	return false;
}

/* Takes each term out and puts in what then does best, where that is better or simpler. */
static bool exchange(struct search *s, struct pario_survey_model *model)
{
	bool changed = false;

	for (unsigned t = 0; t < model->terms; t++) {
		struct pario_survey_model other = *model;
		struct pario_term old = model->term[t];
		double before = misses(s, model), after;

		drop(&other, t);
		pario_model_fit(&other, s->space, s->rows, PARIO_FOLDS);
		rate_all(s, &other);
		if (pario_term_same(&s->list[best_of(s)], &old) ||
		    !try_term(s, &other, &s->list[best_of(s)], false))
			continue;
		after = misses(s, &other);
		after += (complexity(s->space, &other.term[other.terms - 1]) -
			  complexity(s->space, &old)) *
			 model->scatter * model->scatter / 2;
		if (after < before * 0.995) {
			*model = other;
			changed = true;
		}
	}
	return changed;
}

/* Clients that share are part of the law; what of it is not needed goes later. */
static void add_sharing(struct search *s, struct pario_survey_model *model)
{
	for (size_t i = 0; i < s->count && model->terms < PARIO_SPACE_MEASURES; i++) {
		const struct pario_term *term = &s->list[i];

		if (term->sharing && __builtin_popcountll(term->levels[s->space->axis_count]) == 1)
			model->term[model->terms++] = *term;
	}
	pario_model_fit(model, s->space, s->rows, PARIO_FOLDS);
	drop_small(s, model);
}

/* Terms until none is left that does; with `plain`, those of one axis first. */
static void build(struct search *s, struct pario_survey_model *model, unsigned most, bool plain)
{
	s->plain = plain;
	while (plain && model->terms < most && grow(s, model, true))
		;
	s->plain = false;
	for (unsigned round = 0; round < ROUNDS; round++) {
		while (model->terms < most && grow(s, model, true))
			;
		if (!exchange(s, model))
			break;
		drop_small(s, model);
	}
}

/*
 * How well a model does, for models of different scatter: by distances, and by what its terms are worth. A part of the
 * rows that it does not explain at all costs as much as it is away.
 */
static double loss(const struct search *s, const struct pario_survey_model *model)
{
	double sum = 0, terms = 0;

	for (size_t i = 0; i < s->rows->count; i++)
		sum += s->rows->weight[i] *
		       fabs(s->rows->cost[i] - pario_model_cost(model, &s->rows->place[i], 0));
	for (unsigned t = 0; t < model->terms; t++)
		terms += complexity(s->space, &model->term[t]);
	return sum + terms * fmax(model->scatter, LEAST_SCATTER);
}

/* Are more rows than single disturbed ones far off? */
static bool leaves_out(const struct search *s, const struct pario_survey_model *model)
{
	double far = 0, all = 0;

	for (size_t i = 0; i < s->rows->count; i++) {
		double off = s->rows->cost[i] - pario_model_cost(model, &s->rows->place[i], 0);

		all += s->rows->weight[i];
		far += fabs(off) > FAR * model->scatter ? s->rows->weight[i] : 0;
	}
	return far > LEFT_OUT * all;
}

int pario_model_search(struct pario_survey_model *model, const struct pario_space *space,
		       const struct pario_rows *rows, unsigned most,
		       const struct pario_term *barred, size_t barred_count, struct pario_err *err)
{
	struct search s = {
		.space = space, .rows = rows, .barred = barred, .barred_count = barred_count
	};
	size_t room = rows->count + 1;

	pario_model_begin(model, space, rows);
	list_terms(&s);
	s.slope = malloc(room * PARIO_MODEL_NUMBERS * sizeof(*s.slope));
	s.left = malloc(room * sizeof(*s.left));
	s.gain = malloc((s.count + 1) * sizeof(*s.gain));
	s.table = malloc(sizeof(*s.table) * PARTS * PARIO_SPACE_MEASURES * PARIO_AXIS_LEVELS *
			 PARIO_AXIS_LEVELS);
	s.failed |= !s.slope || !s.left || !s.gain || !s.table;
	if (!s.failed)
		add_sharing(&s, model);
	if (!s.failed && s.count > 0) {
		struct pario_survey_model first = *model;

		build(&s, &first, most, false);
		if (leaves_out(&s, &first))
			build(&s, model, most, true);
		if (!leaves_out(&s, &first) || loss(&s, &first) <= loss(&s, model))
			*model = first;
	}
	free(s.list);
	free(s.slope);
	free(s.left);
	free(s.gain);
	free(s.table);
	return s.failed ? pario_err_memory(err, "the model") : 0;
}
