/*
 * statement: terms of the model that are about the same points make one statement. Its factor at a size is the mean
 * over the points there, measured or not, of what the model says with its terms over what it says without them.
 *
 * Intervals come from points drawn anew with replacement and fits to those. They contain what the model cannot explain,
 * since that differs between points; they do not contain that the storage may be another one tomorrow.
 */
#include "survey/statement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/stats.h"

enum { DRAWS = 80, MOST = PARIO_MODEL_TERMS + 1 };

#define LEAST_LOW  1.1	/* an interval that comes nearer to 1 says nothing */
#define LEAST_HALF 0.03 /* half an interval, as a logarithm: clocks and machines are not better */
#define NONE_BELOW 1.25 /* a factor that counts as none */
#define BEATEN	   0.7	/* share of measured pairs in which a remedy is faster */

static size_t sizes_of(const struct pario_space *space)
{
	unsigned a = pario_space_axis(space, PARIO_AXIS_SIZE);

	return a < space->axis_count ? space->axes[a].count : 1;
}

static unsigned size_level(const struct pario_space *space, size_t cell)
{
	unsigned a = pario_space_axis(space, PARIO_AXIS_SIZE);

	return a < space->axis_count ? pario_space_level(space, cell, a) : 0;
}

double pario_statement_effect(const struct pario_survey_model *model,
			      const struct pario_statement *s, const struct pario_spot *place)
{
	if (s->standing == PARIO_STANDS_LAW)
		return 0;
	return pario_model_cost(model, place, 0) - pario_model_cost(model, place, s->terms);
}

/* Factors by size; returns the mean logarithm over all points of the space. */
static double effects(const struct pario_space *space, const struct pario_survey_model *model,
		      const struct pario_statement *s, double by_size[PARIO_AXIS_LEVELS])
{
	double sum[PARIO_AXIS_LEVELS] = { 0 }, all = 0;
	size_t count[PARIO_AXIS_LEVELS] = { 0 }, points = 0;

	for (size_t i = 0; i < space->cells; i++) {
		for (unsigned m = 0; m < space->measures && space->cell[i].exists; m++) {
			struct pario_spot place = pario_spot_of(space, i, m);
			double effect;

			points++;
			if (!pario_term_holds(&s->where, &place))
				continue;
			effect = pario_statement_effect(model, s, &place);
			sum[size_level(space, i)] += effect;
			count[size_level(space, i)]++;
			all += effect;
		}
	}
	for (size_t l = 0; l < sizes_of(space); l++)
		by_size[l] = count[l] ? sum[l] / (double)count[l] : (double)NAN;
	return points ? all / (double)points : 0;
}

/* ---- intervals ---- */

/* Each draw's numbers: of every statement, by size. */
struct draws {
	double (*value)[MOST][PARIO_AXIS_LEVELS];
};

static void draw_rows(struct pario_rows *rows, uint64_t seed)
{
	size_t cells = 0;

	/* both directions of a point come or stay away together */
	for (size_t i = 0; i < rows->count; i++) {
		cells += i == 0 || rows->cell[i] != rows->cell[i - 1];
		rows->weight[i] = 0;
	}
	for (size_t k = 0; k < cells; k++) {
		size_t at = pario_random_below(pario_random_join(seed, k), rows->count);
		size_t cell = rows->cell[at];

		while (at > 0 && rows->cell[at - 1] == cell)
			at--;
		for (; at < rows->count && rows->cell[at] == cell; at++)
			rows->weight[at]++;
	}
}

static double half_size(const struct pario_survey_model *model, unsigned direction)
{
	return model->call[direction] - model->byte[direction];
}

static void draw(const struct pario_space *space, const struct pario_survey_model *model,
		 struct pario_rows *rows, uint64_t seed, const struct pario_statement *found,
		 size_t count, struct draws *draws)
{
	for (unsigned d = 0; d < DRAWS; d++) {
		struct pario_survey_model again = *model;

		draw_rows(rows, pario_random_join(seed, d));
		pario_model_fit(&again, space, rows, PARIO_FOLDS);
		for (size_t i = 0; i < count; i++) {
			if (found[i].standing == PARIO_STANDS_LAW)
				draws->value[d][i][0] = half_size(&again, found[i].direction);
			else
				effects(space, &again, &found[i], draws->value[d][i]);
		}
	}
	for (size_t i = 0; i < rows->count; i++)
		rows->weight[i] = 1;
}

static int rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct pario_factor interval(const struct draws *draws, size_t i, size_t level, double value)
{
	double values[DRAWS];

	for (unsigned d = 0; d < DRAWS; d++)
		values[d] = draws->value[d][i][level];
	qsort(values, DRAWS, sizeof(values[0]), rising);
	return (struct pario_factor){ exp(value), exp(fmin(values[DRAWS / 40], value - LEAST_HALF)),
				      exp(fmax(values[DRAWS - 1 - DRAWS / 40],
					       value + LEAST_HALF)) };
}

static int set_intervals(const struct pario_space *space, const struct pario_survey_model *model,
			 const struct pario_rows *rows, uint64_t seed,
			 struct pario_statement *found, size_t count, struct pario_err *err)
{
	struct draws draws = { .value = calloc(DRAWS, sizeof(*draws.value)) };
	struct pario_rows again = *rows;

	if (!draws.value)
		return pario_err_set(err, PARIO_SYSTEM, "no memory for the statements.");
	draw(space, model, &again, seed, found, count, &draws);
	for (size_t i = 0; i < count; i++) {
		double by_size[PARIO_AXIS_LEVELS];

		if (found[i].standing == PARIO_STANDS_LAW) {
			found[i].same =
				interval(&draws, i, 0, half_size(model, found[i].direction));
			continue;
		}
		found[i].costs = effects(space, model, &found[i], by_size);
		for (size_t l = 0; l < sizes_of(space); l++)
			found[i].at[l] = isnan(by_size[l]) ? (struct pario_factor){ NAN, NAN, NAN }
							   : interval(&draws, i, l, by_size[l]);
	}
	free(draws.value);
	return 0;
}

/* ---- which there are ---- */

static size_t gather(const struct pario_space *space, const struct pario_survey_model *model,
		     struct pario_statement *found)
{
	size_t count = 0;

	for (unsigned t = 0; t < model->terms; t++) {
		size_t i = 0;

		if (model->term[t].sharing)
			continue;
		while (i < count && memcmp(found[i].where.levels, model->term[t].levels,
					   sizeof(found[i].where.levels)) != 0)
			i++;
		if (i == count)
			found[count++] =
				(struct pario_statement){ .where = model->term[t], .axis = -1 };
		found[i].terms |= 1u << t;
	}
	for (unsigned m = 0; m < space->measures && count < MOST; m++) {
		struct pario_statement *law = &found[count];

		if (m > 0 && half_size(model, m) <=
				     half_size(model, 0)) /* the dearer call speaks for both */
			continue;
		count -= m > 0 && count > 0 && found[count - 1].standing == PARIO_STANDS_LAW;
		law = &found[count++];
		*law = (struct pario_statement){ .standing = PARIO_STANDS_LAW,
						 .direction = m,
						 .axis = -1 };
		law->call_s = exp(model->call[m]);
		for (unsigned a = 0; a <= space->axis_count; a++)
			law->where.levels[a] = pario_levels_all(space, a);
	}
	return count;
}

static double smallest(const struct pario_space *space)
{
	unsigned a = pario_space_axis(space, PARIO_AXIS_SIZE);

	return a < space->axis_count ? space->axes[a].value[0] : 1;
}

/* Where every client waits for the others, each is slower by as many as they are, and nothing is wrong. */
static double sharing_explains(const struct pario_space *space, const struct pario_statement *s)
{
	unsigned a = pario_space_axis(space, PARIO_AXIS_COUNT);
	const struct pario_axis *axis = &space->axes[a];
	unsigned first;

	if (a == space->axis_count || s->where.levels[a] == pario_levels_all(space, a))
		return 1;
	first = (unsigned)__builtin_ctzll(s->where.levels[a]);
	return first > 0 ? axis->value[axis->count - 1] / axis->value[first - 1] : 1;
}

struct pario_factor pario_statement_worst(const struct pario_space *space,
					  const struct pario_statement *s, unsigned *level)
{
	struct pario_factor worst = { 1, 1, 1 };

	*level = 0;
	for (unsigned l = 0; l < sizes_of(space); l++) {
		if (s->at[l].value > worst.value) {
			worst = s->at[l];
			*level = l;
		}
	}
	return worst;
}

static bool worth_saying(const struct pario_space *space, const struct pario_statement *s)
{
	struct pario_factor worst;
	unsigned level;

	if (s->standing == PARIO_STANDS_LAW)
		return s->same.low > smallest(space);
	worst = pario_statement_worst(space, s, &level);
	return worst.value >= space->threshold && worst.low >= LEAST_LOW &&
	       worst.value >= NONE_BELOW * sharing_explains(space, s);
}

/* ---- what was measured of it ---- */

static size_t points_of(const struct pario_space *space, const struct pario_statement *s)
{
	size_t count = 0;

	for (size_t i = 0; i < space->cells; i++) {
		for (unsigned m = 0; m < space->measures; m++) {
			struct pario_spot place = pario_spot_of(space, i, m);

			count += pario_space_known(space, i, m) &&
				 pario_term_holds(&s->where, &place);
		}
	}
	return count;
}

/* ln of seconds per byte, all clients together. */
static double per_byte(const struct pario_space *space, size_t cell, unsigned m)
{
	return space->cell[cell].cost[m] - log(pario_space_value(space, cell, PARIO_AXIS_SIZE)) -
	       log(pario_space_value(space, cell, PARIO_AXIS_COUNT));
}

/* Is this point slow by this statement? */
static bool suffers(const struct pario_space *space, const struct pario_survey_model *model,
		    const struct pario_statement *s, size_t cell, unsigned m)
{
	struct pario_spot place = pario_spot_of(space, cell, m);

	if (!pario_space_known(space, cell, m) || !pario_term_holds(&s->where, &place))
		return false;
	if (s->standing == PARIO_STANDS_LAW)
		return place.log_bytes < log(s->same.value);
	return pario_statement_effect(model, s, &place) >= log(NONE_BELOW);
}

/* The median of how much faster measured points are with another level, all else being equal; 0 = cannot be said. */
static double gain_at(const struct pario_space *space, const struct pario_survey_model *model,
		      const struct pario_statement *s, unsigned axis, unsigned level)
{
	double *gains = malloc((space->cells * space->measures + 1) * sizeof(*gains)), median = 0;
	size_t count = 0, faster = 0;

	for (size_t i = 0; gains && i < space->cells; i++) {
		size_t other = pario_space_beside(space, i, axis, level);

		for (unsigned m = 0; m < space->measures && other != i; m++) {
			if (!suffers(space, model, s, i, m) || !pario_space_known(space, other, m))
				continue;
			gains[count] = per_byte(space, i, m) - per_byte(space, other, m);
			faster += gains[count++] > 0;
		}
	}
	if (count >= 2 && (double)faster >= BEATEN * (double)count)
		median = pario_stats_median(gains, count);
	free(gains);
	return median;
}

/* The smallest transfers that the statement leaves in peace, or the largest where it at least halves; -1 = none. */
static int size_without(const struct pario_space *space, const struct pario_statement *s)
{
	unsigned a = pario_space_axis(space, PARIO_AXIS_SIZE), level;
	struct pario_factor worst;
	int from = -1;

	if (a == space->axis_count)
		return -1;
	for (unsigned l = space->axes[a].count; l-- > 0;) {
		bool free_of_it =
			s->standing == PARIO_STANDS_LAW
				? space->axes[a].value[l] >= s->same.value / (NONE_BELOW - 1)
				: !(s->at[l].value >= NONE_BELOW);

		if (!free_of_it)
			break;
		from = (int)l;
	}
	if (from >= 0)
		return from;
	worst = pario_statement_worst(space, s, &level);
	from = (int)space->axes[a].count - 1;
	return s->standing == PARIO_STANDS_LAW || s->at[from].value * 2 <= worst.value ? from : -1;
}

static bool is_named(const struct pario_space *space, const struct pario_statement *s,
		     unsigned axis, unsigned level)
{
	return s->where.levels[axis] == pario_levels_all(space, axis) ||
	       !(s->where.levels[axis] >> level & 1);
}

/* What somebody asks for random access needs it; what can be changed at no price comes first. */
static double liking(const struct pario_space *space, unsigned axis)
{
	return strcmp(space->axes[axis].name, "pattern") == 0 ? 0.3 : 1;
}

static void find_remedy(const struct pario_space *space, const struct pario_survey_model *model,
			struct pario_statement *s)
{
	double best = log(NONE_BELOW);

	for (unsigned a = 0; a < space->axis_count; a++) {
		const struct pario_axis *axis = &space->axes[a];
		int only = axis->kind == PARIO_AXIS_SIZE ? size_without(space, s) : -1;

		for (unsigned l = 0; l < axis->count; l++) {
			double gain;

			/* more clients move more, which is no way to do the same */
			if (axis->kind == PARIO_AXIS_COUNT &&
			    s->where.levels[a] == pario_levels_all(space, a))
				continue;
			if ((axis->kind == PARIO_AXIS_SIZE && (int)l != only) ||
			    axis->unreal >> l & 1 || !is_named(space, s, a, l) ||
			    (s->standing == PARIO_STANDS_LAW && only < 0))
				continue;
			gain = gain_at(space, model, s, a, l);
			if (gain * liking(space, a) <= best)
				continue;
			best = gain * liking(space, a);
			s->axis = (int)a;
			s->level = l;
			s->gain = exp(gain);
		}
	}
}

static int dearest(const void *a, const void *b)
{
	double x = ((const struct pario_statement *)a)->costs,
	       y = ((const struct pario_statement *)b)->costs;

	return (x < y) - (x > y);
}

/* What the law costs: what all calls take beyond their bytes. */
static double law_costs(const struct pario_space *space, const struct pario_survey_model *model)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < space->cells; i++) {
		for (unsigned m = 0; m < space->measures && space->cell[i].exists; m++) {
			struct pario_spot place = pario_spot_of(space, i, m);

			sum += log1p(exp(model->call[m] - model->byte[m] - place.log_bytes));
			count++;
		}
	}
	return count ? sum / (double)count : 0;
}

int pario_statements_of(const struct pario_space *space, const struct pario_survey_model *model,
			const struct pario_rows *rows, uint64_t seed, struct pario_statement *found,
			struct pario_err *err)
{
	struct pario_statement all[MOST];
	size_t count = gather(space, model, all), kept = 0;

	if (rows->count == 0)
		return 0;
	if (set_intervals(space, model, rows, seed, all, count, err) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		if (all[i].standing == PARIO_STANDS_LAW)
			all[i].costs = law_costs(space, model);
		if (worth_saying(space, &all[i]))
			all[kept++] = all[i];
	}
	qsort(all, kept, sizeof(all[0]), dearest);
	kept = kept < PARIO_STATEMENTS ? kept : PARIO_STATEMENTS;
	for (size_t i = 0; i < kept; i++) {
		all[i].points = points_of(space, &all[i]);
		find_remedy(space, model, &all[i]);
	}
	memcpy(found, all, kept * sizeof(*found));
	return (int)kept;
}
