/*
 * statement: what the model says, whatever terms it says it with. A term only proposes a set of points; the factor of
 * the set is what the whole model says of its points over what it says of the same points with another level, on the
 * axis of the set where that makes the least difference. So models that say the same in other terms make the same
 * statements.
 *
 * The points are parted into two halves by chance, several times, and a model is searched in each half. What is said
 * must follow from nearly all halves: an effect of few points, or one that another term can stand for, is in one half
 * and not in the other. Intervals are what the halves are off by, which is about as far as all points together are off
 * from the truth. They contain what the model cannot explain, since that differs between points; they do not contain
 * that the storage may be another one tomorrow.
 */
#include "survey/statement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/stats.h"

enum {
	HALVES = 12, /* of the points, in complementary pairs */
	SUPPORT = 9, /* of them must make a statement as well */
	CANDIDATES = 96,
};

#define LEAST_LOW  1.1	/* an interval that comes nearer to 1 says nothing */
#define LEAST_HALF 0.03 /* half an interval, as a logarithm: clocks and machines are not better */
#define NONE_BELOW 1.25 /* a factor that counts as none */
#define DEVIATIONS 2.0	/* half of a 95 % interval */
#define ALIKE	   2.0	/* factors of writes and reads that make one statement */
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

/* Levels outside the set that a point is held against: all of a choice, the next one where there is an order. */
static uint64_t others_of(const struct pario_space *space, const struct pario_term *where,
			  unsigned axis)
{
	uint64_t set = where->levels[axis], out = pario_levels_all(space, axis) & ~set;

	if (space->axes[axis].kind == PARIO_AXIS_CHOICE || out == 0)
		return out;
	return set & 1 ? out & -out : (uint64_t)1 << (63 - __builtin_clzll(out));
}

double pario_statement_effect(const struct pario_space *space,
			      const struct pario_survey_model *model,
			      const struct pario_statement *s, size_t cell, unsigned measure)
{
	struct pario_spot place = pario_spot_of(space, cell, measure);
	double here = pario_model_cost(model, &place, 0), least = INFINITY;
	bool alone = pario_term_axes(space, &s->where) == 1;

	for (unsigned a = 0; a < space->axis_count; a++) {
		uint64_t own = place.at[a];
		double sum = 0;
		unsigned count = 0;

		/* fewer clients are no other way to do the same */
		if (space->axes[a].kind == PARIO_AXIS_COUNT && !alone)
			continue;
		for (uint64_t out = others_of(space, &s->where, a); out; out &= out - 1) {
			unsigned level = (unsigned)__builtin_ctzll(out);

			if (!space->cell[pario_space_beside(space, cell, a, level)].exists)
				continue;
			/* only what the model says of that level: as many bytes, as many clients */
			place.at[a] = (uint64_t)1 << level;
			sum += here - pario_model_cost(model, &place, 0);
			count++;
		}
		place.at[a] = own;
		if (count)
			least = fmin(least, sum / count);
		else if (others_of(space, &s->where, a))
			return (double)NAN;
	}
	return isfinite(least) ? least : 0;
}

/* Means of effects by size, of the points that are in a set and on one level of an axis. */
struct means {
	double sum[PARIO_AXIS_LEVELS];
	size_t count[PARIO_AXIS_LEVELS];
};

static double mean_at(const struct means *m, size_t level)
{
	return m->count[level] ? m->sum[level] / (double)m->count[level] : (double)NAN;
}

static double largest(const struct pario_space *space, const struct means *m)
{
	double most = -INFINITY;

	for (size_t l = 0; l < sizes_of(space); l++)
		most = m->count[l] ? fmax(most, mean_at(m, l)) : most;
	return most;
}

/*
 * Factors by size; returns the mean logarithm over all points of the space. With `part`, also for the points of each
 * level of each axis, and last of each direction.
 */
static double effects(const struct pario_space *space, const struct pario_survey_model *model,
		      const struct pario_statement *s, double by_size[PARIO_AXIS_LEVELS],
		      struct means (*part)[PARIO_AXIS_LEVELS])
{
	struct means whole = { 0 };
	double all = 0;
	size_t points = 0;

	for (size_t i = 0; i < space->cells; i++) {
		for (unsigned m = 0; m < space->measures && space->cell[i].exists; m++) {
			struct pario_spot place = pario_spot_of(space, i, m);
			double effect;

			points++;
			if (!pario_term_holds(&s->where, &place))
				continue;
			effect = pario_statement_effect(space, model, s, i, m);
			if (isnan(effect))
				continue;
			whole.sum[size_level(space, i)] += effect;
			whole.count[size_level(space, i)]++;
			all += effect;
			for (unsigned a = 0; part && a <= space->axis_count; a++) {
				struct means *p = &part[a][__builtin_ctzll(place.at[a])];

				p->sum[size_level(space, i)] += effect;
				p->count[size_level(space, i)]++;
			}
		}
	}
	for (size_t l = 0; l < sizes_of(space); l++)
		by_size[l] = mean_at(&whole, l);
	return points ? all / (double)points : 0;
}

/* Is it there on every level of the other axes, and as much in both directions? Else it is about other points. */
static bool is_even(const struct pario_space *space, const struct pario_survey_model *model,
		    const struct pario_statement *s)
{
	static struct means part[PARIO_AXES + 1][PARIO_AXIS_LEVELS];
	unsigned size = pario_space_axis(space, PARIO_AXIS_SIZE), direction = space->axis_count;
	double by_size[PARIO_AXIS_LEVELS], low = INFINITY, high = -INFINITY;

	memset(part, 0, sizeof(part));
	effects(space, model, s, by_size, part);
	for (unsigned a = 0; a < space->axis_count; a++) {
		for (unsigned l = 0; a != size && l < space->axes[a].count; l++) {
			double most = largest(space, &part[a][l]);

			if (isfinite(most) && most < log(NONE_BELOW))
				return false;
		}
	}
	for (unsigned m = 0; m < space->measures; m++) {
		double most = largest(space, &part[direction][m]);

		low = isfinite(most) ? fmin(low, most) : low;
		high = fmax(high, most);
	}
	return low >= log(NONE_BELOW) && high - low <= log(ALIKE);
}

double pario_statement_factor(const struct pario_space *space,
			      const struct pario_survey_model *model,
			      const struct pario_term *where)
{
	struct pario_statement s = { .where = *where };
	double by_size[PARIO_AXIS_LEVELS], most = 0;

	effects(space, model, &s, by_size, NULL);
	for (size_t l = 0; l < sizes_of(space); l++)
		most = fmax(most, by_size[l]);
	return exp(most);
}

/* ---- intervals ---- */

/* What models of halves of the points say of every statement, by size. */
struct draws {
	double (*value)[CANDIDATES + 1][PARIO_AXIS_LEVELS];
};

static double half_size(const struct pario_survey_model *model, unsigned direction)
{
	return model->call[direction] - model->byte[direction];
}

static void take_half(struct pario_rows *rows, uint64_t seed, unsigned which)
{
	/* both directions of a point come or stay away together */
	for (size_t i = 0; i < rows->count; i++)
		rows->weight[i] = (pario_random_join(seed, rows->cell[i]) & 1) == which;
}

static int draw(const struct pario_space *space, struct pario_rows *rows, uint64_t seed,
		struct pario_statement *found, size_t count, struct draws *draws,
		struct pario_err *err)
{
	int status = 0;

	for (unsigned d = 0; d < HALVES && status == 0; d++) {
		struct pario_survey_model again;

		take_half(rows, pario_random_join(seed, d / 2), d % 2);
		status = pario_model_search(&again, space, rows, PARIO_MODEL_TERMS - 2, NULL, 0,
					    err);
		for (size_t i = 0; i < count && status == 0; i++) {
			if (found[i].standing == PARIO_STANDS_LAW) {
				draws->value[d][i][0] = half_size(&again, found[i].direction);
				continue;
			}
			effects(space, &again, &found[i], draws->value[d][i], NULL);
			found[i].support += is_even(space, &again, &found[i]);
		}
	}
	for (size_t i = 0; i < rows->count; i++)
		rows->weight[i] = 1;
	return status;
}

static struct pario_factor interval(const struct draws *draws, size_t i, size_t level, double value)
{
	double squares = 0, half;

	for (unsigned d = 0; d < HALVES; d++)
		squares += pow(draws->value[d][i][level] - value, 2);
	half = fmax(DEVIATIONS * sqrt(squares / HALVES), LEAST_HALF);
	return (struct pario_factor){ exp(value), exp(value - half), exp(value + half) };
}

static int set_intervals(const struct pario_space *space, const struct pario_survey_model *model,
			 const struct pario_rows *rows, uint64_t seed,
			 struct pario_statement *found, size_t count, struct pario_err *err)
{
	struct draws draws = { .value = calloc(HALVES, sizeof(*draws.value)) };
	struct pario_rows again = *rows;

	if (!draws.value)
		return pario_err_memory(err, "the statements");
	if (draw(space, &again, seed, found, count, &draws, err) < 0) {
		free(draws.value);
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		double by_size[PARIO_AXIS_LEVELS];

		if (found[i].standing == PARIO_STANDS_LAW) {
			found[i].same =
				interval(&draws, i, 0, half_size(model, found[i].direction));
			continue;
		}
		found[i].costs = effects(space, model, &found[i], by_size, NULL);
		for (size_t l = 0; l < sizes_of(space); l++)
			found[i].at[l] = isnan(by_size[l]) ? (struct pario_factor){ NAN, NAN, NAN }
							   : interval(&draws, i, l, by_size[l]);
	}
	free(draws.value);
	return 0;
}

/* ---- which there are ---- */

static bool same_set(const struct pario_term *a, const struct pario_term *b)
{
	return memcmp(a->levels, b->levels, sizeof(a->levels)) == 0;
}

static void propose(const struct pario_space *space, const struct pario_term *where,
		    uint64_t directions, struct pario_statement *list, size_t *count)
{
	struct pario_statement s = { .axis = -1 };

	memcpy(s.where.levels, where->levels, sizeof(s.where.levels));
	s.where.levels[space->axis_count] = directions;
	for (size_t i = 0; i < *count; i++) {
		if (same_set(&list[i].where, &s.where))
			return;
	}
	if (*count < CANDIDATES && pario_term_axes(space, where) > 0)
		list[(*count)++] = s;
}

/* Each term's set for each direction and both; and the wider ones that it is a part of. */
static size_t gather(const struct pario_space *space, const struct pario_survey_model *model,
		     struct pario_statement *list)
{
	uint64_t all = pario_levels_all(space, space->axis_count);
	size_t count = 0;

	for (unsigned t = 0; t < model->terms; t++) {
		for (unsigned a = 0; !model->term[t].sharing && a <= space->axis_count; a++) {
			struct pario_term where = model->term[t];

			where.levels[a] = pario_levels_all(space, a);
			for (uint64_t d = 1; d <= all; d++) {
				propose(space, &model->term[t], d, list, &count);
				propose(space, &where, d, list, &count);
			}
		}
	}
	return count;
}

/* The law of the size: the dearer call speaks for both directions. */
static struct pario_statement law_of(const struct pario_space *space,
				     const struct pario_survey_model *model)
{
	struct pario_statement law = { .standing = PARIO_STANDS_LAW, .axis = -1 };

	for (unsigned m = 1; m < space->measures; m++) {
		if (half_size(model, m) > half_size(model, law.direction))
			law.direction = m;
	}
	law.call_s = exp(model->call[law.direction]);
	for (unsigned a = 0; a <= space->axis_count; a++)
		law.where.levels[a] = pario_levels_all(space, a);
	return law;
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

	if (a == space->axis_count || s->where.levels[a] == pario_levels_all(space, a) ||
	    pario_term_axes(space, &s->where) > 1)
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
	return s->support >= SUPPORT && worst.value >= space->threshold && worst.low >= LEAST_LOW &&
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
	return pario_statement_effect(space, model, s, cell, m) >= log(NONE_BELOW);
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

/* The simple first, then the dear. */
static int simplest(const void *a, const void *b)
{
	const struct pario_statement *x = a, *y = b;

	if (x->axes != y->axes)
		return x->axes < y->axes ? -1 : 1;
	return dearest(a, b);
}

/*
 * Do two speak of the same axes, and share points? Then one will do. Each has its factor by size anyway, so that only
 * one of them naming sizes is nothing else.
 */
static bool overlap(const struct pario_space *space, const struct pario_statement *a,
		    const struct pario_statement *b)
{
	unsigned size = pario_space_axis(space, PARIO_AXIS_SIZE);

	for (unsigned k = 0; k <= space->axis_count; k++) {
		uint64_t all = pario_levels_all(space, k);

		if (!(a->where.levels[k] & b->where.levels[k]) ||
		    (k < space->axis_count && k != size &&
		     (a->where.levels[k] == all) != (b->where.levels[k] == all)))
			return false;
	}
	return true;
}

static bool is_new(const struct pario_space *space, const struct pario_statement *kept,
		   size_t count, const struct pario_statement *s)
{
	while (count > 0 && !overlap(space, &kept[count - 1], s))
		count--;
	return count == 0;
}

/* Of all that were proposed, those that are worth saying and that no simpler one says. */
static size_t select_from(const struct pario_space *space, const struct pario_survey_model *model,
			  struct pario_statement *list, size_t count)
{
	uint64_t both = pario_levels_all(space, space->axis_count);
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		list[i].axes = 2 * pario_term_axes(space, &list[i].where) +
			       (list[i].where.levels[space->axis_count] != both);
	qsort(list, count, sizeof(*list), simplest);
	for (size_t i = 0; i < count; i++) {
		if (worth_saying(space, &list[i]) && is_even(space, model, &list[i]) &&
		    is_new(space, list, kept, &list[i]))
			list[kept++] = list[i];
	}
	return kept;
}

int pario_statements_of(const struct pario_space *space, const struct pario_survey_model *model,
			const struct pario_rows *rows, uint64_t seed, struct pario_statement *found,
			struct pario_err *err)
{
	struct pario_statement *all = calloc(CANDIDATES + 1, sizeof(*all)), law;
	size_t count, kept;

	if (!all)
		return pario_err_memory(err, "the statements");
	count = rows->count ? gather(space, model, all) : 0;
	all[count] = law_of(space, model);
	if (rows->count == 0 || set_intervals(space, model, rows, seed, all, count + 1, err) < 0) {
		free(all);
		return rows->count ? -1 : 0;
	}
	law = all[count];
	law.costs = law_costs(space, model);
	kept = select_from(space, model, all, count);
	if (worth_saying(space, &law))
		all[kept++] = law;
	qsort(all, kept, sizeof(all[0]), dearest);
	kept = kept < PARIO_STATEMENTS ? kept : PARIO_STATEMENTS;
	for (size_t i = 0; i < kept; i++) {
		all[i].points = points_of(space, &all[i]);
		find_remedy(space, model, &all[i]);
	}
	memcpy(found, all, kept * sizeof(*found));
	free(all);
	return (int)kept;
}
