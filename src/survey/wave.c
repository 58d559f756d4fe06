/*
 * wave: which points are worth measuring next?
 *
 * First a coarse grid: the ends and one or two levels between them on every ordered axis, all levels of the choices, in
 * an order that has seen something of every level whenever the time ends.
 * Then waves of bisection. Between two measured neighbours that are not adjacent on the grid, the point halfway is
 * wanted
 *
 *	along sizes     where the line is cut (line.c) by a factor worth knowing, or fits no trend at all
 *	along counts    where the cost changes by more than the noise
 *
 * Lines are coloured like a chessboard. White ones are bisected; a black one only where the white ones beside it
 * have no border in the same place or disagree about it. Half of the borders are so inferred, not measured. A line
 * of sizes without a step where two beside it have their border is measured on both sides of that place.
 *
 * A band that is narrower than the coarse step and slow on both its sides is not seen. Nor is one at the upper end
 * of the sizes whose slowness looks like the beginning of the bandwidth limit.
 */
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "survey/line.h"

/* A change of cost between two measured levels of a line. */
struct step {
	unsigned below, above; /* levels */
	int sign;
};

enum { STEPS = PARIO_AXIS_LEVELS };

struct trend {
	unsigned count;
	struct step steps[STEPS];
};

struct search {
	const struct pario_space *space;
	bool *wanted;
	size_t *list, count;
};

static bool is_coarse(const struct pario_space *space, size_t cell)
{
	for (unsigned a = 0; a < space->axis_count; a++) {
		if (!pario_axis_coarse(&space->axes[a], pario_space_level(space, cell, a)))
			return false;
	}
	return true;
}

static bool is_free(const struct pario_space *space, size_t cell)
{
	return space->cell[cell].exists && !space->cell[cell].measured;
}

/* How often levels, and pairs of levels, are measured or planned: an order is balanced when these stay even. */
struct balance {
	unsigned level[PARIO_AXES][PARIO_AXIS_LEVELS];
	unsigned pair[PARIO_AXES][PARIO_AXES][PARIO_AXIS_LEVELS][PARIO_AXIS_LEVELS];
};

/* Sizes make lines: what is balanced are the other axes. */
static bool counts(const struct pario_space *space, unsigned axis)
{
	return space->axes[axis].kind != PARIO_AXIS_SIZE;
}

static void count_cell(struct balance *b, const struct pario_space *space, size_t cell)
{
	for (unsigned a = 0; a < space->axis_count; a++) {
		unsigned own = pario_space_level(space, cell, a);

		b->level[a][own]++;
		for (unsigned c = 0; c < a; c++)
			b->pair[a][c][own][pario_space_level(space, cell, c)]++;
	}
}

/* Smaller = its levels, and pairs of them, have been seen less than those of others. */
static double seen(const struct balance *b, const struct pario_space *space, size_t cell)
{
	double sum = 0;

	for (unsigned a = 0; a < space->axis_count; a++) {
		unsigned own = pario_space_level(space, cell, a);
		double levels = space->axes[a].count;

		sum += counts(space, a) ? levels * b->level[a][own] : 0;
		for (unsigned c = 0; c < a && counts(space, a); c++)
			sum += counts(space, c)
				       ? levels * space->axes[c].count / space->axis_count *
						 b->pair[a][c][own]
							[pario_space_level(space, cell, c)]
				       : 0;
	}
	return sum;
}

static bool same_line(const struct pario_space *space, size_t a, size_t b)
{
	for (unsigned k = 0; k < space->axis_count; k++) {
		if (counts(space, k) &&
		    pario_space_level(space, a, k) != pario_space_level(space, b, k))
			return false;
	}
	return true;
}

static void swap(size_t *list, size_t a, size_t b)
{
	size_t cell = list[a];

	list[a] = list[b];
	list[b] = cell;
}

/* The point whose levels were seen least; of equals a hash chooses, so that the order is always the same. */
static size_t least_seen(const struct pario_space *space, const size_t *list, size_t from,
			 size_t count, const struct balance *balance)
{
	double least = INFINITY;
	size_t best = from;

	for (size_t k = from; k < count; k++) {
		double sum = seen(balance, space, list[k]);

		if (sum > least ||
		    (sum == least && pario_random_mix(list[k]) > pario_random_mix(list[best])))
			continue;
		least = sum;
		best = k;
	}
	return best;
}

/*
 * Line by line, each with all its sizes, in an order whose every beginning has the levels of the other axes, and pairs
 * of them, about equally often: whenever the time ends, no interface or pattern was left out, and what was measured can
 * be judged.
 */
static void spread_out(const struct pario_space *space, size_t *list, size_t count,
		       struct balance *balance)
{
	for (size_t i = 0; i < space->cells; i++) {
		if (space->cell[i].exists && space->cell[i].measured)
			count_cell(balance, space, i);
	}
	for (size_t n = 0; n < count;) {
		size_t first = n;

		swap(list, n, least_seen(space, list, n, count, balance));
		count_cell(balance, space, list[n++]);
		for (size_t k = n; k < count; k++) {
			if (!same_line(space, list[first], list[k]))
				continue;
			swap(list, n, k);
			count_cell(balance, space, list[n++]);
		}
	}
}

static size_t coarse_wave(const struct pario_space *space, size_t *list, struct pario_err *err)
{
	struct balance *balance = calloc(1, sizeof(*balance));
	size_t count = 0;

	if (!balance) {
		pario_err_set(err, PARIO_SYSTEM, "no memory to choose the next points.");
		return 0;
	}
	for (size_t i = 0; i < space->cells; i++) {
		if (is_free(space, i) && is_coarse(space, i))
			list[count++] = i;
	}
	spread_out(space, list, count, balance);
	free(balance);
	return count;
}

static void add_step(struct trend *trend, const struct pario_cost_line *line, unsigned i,
		     double change)
{
	if (trend->count < STEPS)
		trend->steps[trend->count++] =
			(struct step){ line->level[i - 1], line->level[i], change > 0 ? 1 : -1 };
}

/* Where a line changes by something that is worth a closer look. */
static void trend_of(const struct pario_space *space, size_t cell, unsigned axis, unsigned measure,
		     struct trend *trend)
{
	double worth = log(space->threshold) / 2;
	struct pario_cost_line line;

	trend->count = 0;
	pario_line_of(space, cell, axis, measure, &line);
	if (space->axes[axis].kind == PARIO_AXIS_COUNT) {
		for (unsigned i = 1; i < line.count; i++) {
			double change = line.cost[i] - line.cost[i - 1];
			double noise = pario_line_tolerance(line.noise[i]) +
				       pario_line_tolerance(line.noise[i - 1]);

			if (fabs(change) > noise)
				add_step(trend, &line, i, change);
		}
		return;
	}
	pario_line_fit(&line, PARIO_LINE_STRICT);
	for (unsigned k = 0; k < line.cuts; k++) {
		double change = line.excess[k + 1] - line.excess[k];

		if (fabs(change) > worth)
			add_step(trend, &line, line.cut[k], change);
	}
	if (line.fits)
		return;
	for (unsigned i = 1; i < line.count; i++)
		add_step(trend, &line, i, line.cost[i] - line.cost[i - 1]);
}

/* The unmeasured level nearest to the middle of a step, on the line through `first`; 0 when there is none. */
static unsigned between(const struct pario_space *space, size_t first, unsigned axis,
			const struct step *step)
{
	unsigned middle = (step->below + step->above) / 2;

	for (unsigned off = 0; off < step->above - step->below; off++) {
		if (middle + off < step->above &&
		    is_free(space, first + (middle + off) * space->stride[axis]))
			return middle + off;
		if (middle > step->below + off &&
		    is_free(space, first + (middle - off) * space->stride[axis]))
			return middle - off;
	}
	return 0;
}

/* What the lines beside one say about a step of it. */
struct advice {
	bool open;     /* one of them is still being bisected there */
	bool border;   /* one of them has its border there */
	bool disputed; /* and another elsewhere */
	unsigned below;
};

/* The lines beside the one through `first`; returns how many. */
static unsigned beside(const struct pario_space *space, size_t first, unsigned axis,
		       size_t lines[2 * PARIO_AXES])
{
	unsigned count = 0;

	for (unsigned a = 0; a < space->axis_count; a++) {
		unsigned level = pario_space_level(space, first, a);

		if (a != axis && level > 0)
			lines[count++] = first - space->stride[a];
		if (a != axis && level + 1 < space->axes[a].count)
			lines[count++] = first + space->stride[a];
	}
	return count;
}

static void ask_line(const struct pario_space *space, size_t first, unsigned axis, unsigned measure,
		     const struct step *step, struct advice *advice)
{
	struct trend trend;

	trend_of(space, first, axis, measure, &trend);
	for (unsigned i = 0; i < trend.count; i++) {
		const struct step *s = &trend.steps[i];

		if (s->sign != step->sign || s->above <= step->below || s->below >= step->above)
			continue;
		if (between(space, first, axis, s)) {
			advice->open = true;
		} else if (!advice->border) {
			advice->border = true;
			advice->below = s->below;
		} else if (advice->below != s->below) {
			advice->disputed |= space->axes[axis].kind == PARIO_AXIS_SIZE;
		}
	}
}

/* True when a line need not be bisected at a step, or not yet. */
static bool leave_open(const struct pario_space *space, size_t first, unsigned axis,
		       unsigned measure, const struct step *step)
{
	size_t lines[2 * PARIO_AXES];
	unsigned count = beside(space, first, axis, lines);
	struct advice advice = { 0 };

	for (unsigned i = 0; i < count; i++)
		ask_line(space, lines[i], axis, measure, step, &advice);
	return advice.open || (advice.border && !advice.disputed);
}

static bool is_white(const struct pario_space *space, size_t first)
{
	unsigned sum = 0;

	for (unsigned a = 0; a < space->axis_count; a++)
		sum += pario_space_level(space, first, a);
	return sum % 2 == 0;
}

static void want(struct search *s, size_t cell)
{
	if (!s->wanted[cell])
		s->list[s->count++] = cell;
	s->wanted[cell] = true;
}

bool pario_line_inferred(const struct pario_space *space, size_t first, unsigned axis,
			 unsigned measure)
{
	struct trend trend;

	if (is_white(space, first))
		return false;
	trend_of(space, first, axis, measure, &trend);
	for (unsigned i = 0; i < trend.count; i++) {
		if (between(space, first, axis, &trend.steps[i]))
			return true;
	}
	return false;
}

static void search_line(struct search *s, size_t first, unsigned axis, unsigned measure)
{
	struct trend trend;

	trend_of(s->space, first, axis, measure, &trend);
	for (unsigned i = 0; i < trend.count; i++) {
		const struct step *step = &trend.steps[i];
		unsigned level = between(s->space, first, axis, step);

		if (level > 0 && (is_white(s->space, first) ||
				  !leave_open(s->space, first, axis, measure, step)))
			want(s, first + level * s->space->stride[axis]);
	}
}

static bool has_step(const struct trend *trend, const struct step *step)
{
	for (unsigned i = 0; i < trend->count; i++) {
		if (trend->steps[i].sign == step->sign && trend->steps[i].above > step->below &&
		    trend->steps[i].below < step->above)
			return true;
	}
	return false;
}

static bool is_whole(const struct pario_space *space, size_t first, unsigned axis)
{
	for (unsigned l = 0; l < space->axes[axis].count; l++) {
		const struct pario_cell *c = &space->cell[first + l * space->stride[axis]];

		if (pario_axis_coarse(&space->axes[axis], l) && !(c->exists && c->measured))
			return false;
	}
	return true;
}

/* The coarse points of a line may look sound by chance: two borders beside it are a reason to look again. */
static void doubt_line(struct search *s, size_t first, unsigned axis, unsigned measure)
{
	size_t lines[2 * PARIO_AXES], stride = s->space->stride[axis];
	unsigned count = beside(s->space, first, axis, lines), borders[PARIO_AXIS_LEVELS] = { 0 };
	struct trend own, other;

	if (s->space->axes[axis].kind != PARIO_AXIS_SIZE || !is_whole(s->space, first, axis))
		return;
	trend_of(s->space, first, axis, measure, &own);
	for (unsigned i = 0; i < count; i++) {
		trend_of(s->space, lines[i], axis, measure, &other);
		for (unsigned k = 0; k < other.count; k++) {
			const struct step *step = &other.steps[k];

			if (step->above > step->below + 1 || has_step(&own, step) ||
			    ++borders[step->below] < 2)
				continue;
			if (is_free(s->space, first + step->below * stride))
				want(s, first + step->below * stride);
			if (is_free(s->space, first + step->above * stride))
				want(s, first + step->above * stride);
		}
	}
}

static void search(struct search *s,
		   void (*look)(struct search *s, size_t first, unsigned axis, unsigned measure))
{
	for (unsigned a = 0; a < s->space->axis_count; a++) {
		for (size_t i = 0; i < s->space->cells; i++) {
			if (s->space->axes[a].kind == PARIO_AXIS_CHOICE ||
			    pario_space_level(s->space, i, a) > 0)
				continue;
			for (unsigned m = 0; m < s->space->measures; m++)
				look(s, i, a, m);
		}
	}
}

size_t pario_space_wave(const struct pario_space *space, size_t *list, struct pario_err *err)
{
	struct search s = { .space = space, .list = list };

	s.count = coarse_wave(space, list, err);
	if (s.count > 0 || err->code)
		return s.count;
	s.wanted = calloc(space->cells, sizeof(*s.wanted));
	if (!s.wanted) {
		pario_err_set(err, PARIO_SYSTEM, "no memory to choose the next points.");
		return 0;
	}
	search(&s, search_line);
	if (s.count == 0)
		search(&s, doubt_line);
	free(s.wanted);
	return s.count;
}
