/*
 * weak: from costs at points to regions with borders.
 *
 * For each axis every measured point is judged against the others of its line, all else being equal: on ordered axes
 * it is poor when it lies in a part of the line that is slower than the cheapest part by the threshold (line.c), on
 * choices when it is slower than the best choice by the threshold and by more than the noise. A point alone on its
 * line, or on a line of counts with an unmeasured gap where the cost changes, is not judged.
 *
 * The poor points of an axis are then enclosed in boxes: the whole space is split, always where poor and good points
 * part best, until a box is (nearly) all poor or all good. Bounds that exclude no good points are dropped again. Boxes
 * that different axes give for the same points are one region with several ways out.
 *
 * A region that is not a box comes out as several. Slow in the whole space means no region: nothing is faster here.
 */
#include "survey/weak.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "survey/line.h"

#define ALL_POOR  0.9  /* share of poor points at which a box is taken as it is */
#define ALL_GOOD  0.05 /* and at which it is let go */
#define CLEAR	  0.5  /* unless one split removes this much of what does not belong */
#define SAME_AREA 0.6  /* share of common points at which two boxes are one region */

enum { DEPTH_MAX = 24 };

struct item {
	size_t cell;
	unsigned measure;
	bool poor;
	double excess;
};

struct judge {
	const struct pario_space *space;
	unsigned axis;
	struct item *items;
	size_t count;
	struct pario_weak *found;
	size_t found_count;
};

static unsigned level_of(const struct pario_space *space, const struct item *item, unsigned axis)
{
	return axis == space->axis_count ? item->measure
					 : pario_space_level(space, item->cell, axis);
}

static unsigned levels_on(const struct pario_space *space, unsigned axis)
{
	return axis == space->axis_count ? space->measures : space->axes[axis].count;
}

static bool is_choice(const struct pario_space *space, unsigned axis)
{
	return axis == space->axis_count || space->axes[axis].kind == PARIO_AXIS_CHOICE;
}

static bool contains(const struct pario_space *space, const struct pario_weak *box,
		     const struct item *item)
{
	for (unsigned a = 0; a <= space->axis_count; a++) {
		if (!(box->levels[a] >> level_of(space, item, a) & 1))
			return false;
	}
	return true;
}

bool pario_weak_holds(const struct pario_space *space, const struct pario_weak *weak, size_t cell)
{
	struct item item = { .cell = cell };

	while (item.measure < space->measures && !contains(space, weak, &item))
		item.measure++;
	return item.measure < space->measures;
}

/* ---- judging ---- */

static void add_item(struct judge *j, size_t cell, unsigned measure, double excess, double least)
{
	j->items[j->count++] = (struct item){
		.cell = cell, .measure = measure, .excess = excess, .poor = excess >= least
	};
}

static void judge_choices(struct judge *j, size_t first, unsigned measure,
			  struct pario_cost_line *line)
{
	double worth = log(j->space->threshold);
	unsigned best = 0;

	for (unsigned i = 1; i < line->count; i++)
		best = line->cost[i] < line->cost[best] ? i : best;
	for (unsigned i = 0; i < line->count; i++) {
		double noise = pario_line_tolerance(line->noise[i]) +
			       pario_line_tolerance(line->noise[best]);

		add_item(j, first + line->level[i] * j->space->stride[j->axis], measure,
			 line->cost[i] - line->cost[best], worth > noise ? worth : noise);
	}
}

/* A line is known when its coarse levels are, and no change of a count lies in the dark. */
static bool is_known(const struct judge *j, size_t first, const struct pario_cost_line *line)
{
	const struct pario_axis *axis = &j->space->axes[j->axis];

	for (unsigned l = 0; l < axis->count; l++) {
		const struct pario_cell *c = &j->space->cell[first + l * j->space->stride[j->axis]];

		if (pario_axis_coarse(axis, l) && c->exists && !c->measured)
			return false;
	}
	if (axis->kind != PARIO_AXIS_COUNT)
		return true;
	for (unsigned i = 1; i < line->count; i++) {
		double noise = pario_line_tolerance(line->noise[i]) +
			       pario_line_tolerance(line->noise[i - 1]);

		if (line->level[i] > line->level[i - 1] + 1 &&
		    fabs(line->cost[i] - line->cost[i - 1]) > noise)
			return false;
	}
	return true;
}

static void judge_line(struct judge *j, size_t first, unsigned measure)
{
	enum pario_axis_kind kind = j->space->axes[j->axis].kind;
	double worth = log(j->space->threshold);
	struct pario_cost_line line;

	pario_line_of(j->space, first, j->axis, measure, &line);
	if (line.count < 2)
		return;
	if (kind == PARIO_AXIS_CHOICE) {
		judge_choices(j, first, measure, &line);
		return;
	}
	if (!is_known(j, first, &line) || pario_line_inferred(j->space, first, j->axis, measure))
		return;
	pario_line_fit(&line, PARIO_LINE_LENIENT);
	for (unsigned i = 0; i < line.count; i++) {
		double noise = 2 * pario_line_tolerance(line.noise[i]);

		add_item(j, first + line.level[i] * j->space->stride[j->axis], measure,
			 pario_line_excess(&line, i), worth > noise ? worth : noise);
	}
}

/* ---- boxes ---- */

struct split {
	unsigned axis;
	uint64_t inside; /* levels of one side */
	double gain;
};

static double impurity(double poor, double all)
{
	return all > 0 ? poor * (all - poor) / all : 0;
}

/* How well do these levels of an axis part the poor from the good? */
static void try_split(const double *poor, const double *all, unsigned levels, uint64_t inside,
		      struct split *best, unsigned axis)
{
	double p[2] = { 0 }, n[2] = { 0 }, gain;

	for (unsigned l = 0; l < levels; l++) {
		p[inside >> l & 1] += poor[l];
		n[inside >> l & 1] += all[l];
	}
	if (n[0] <= 0 || n[1] <= 0)
		return;
	gain = impurity(p[0] + p[1], n[0] + n[1]) - impurity(p[0], n[0]) - impurity(p[1], n[1]);
	if (gain > best->gain + 1e-9)
		*best = (struct split){ axis, inside, gain };
}

static struct split best_split(const struct judge *j, const struct item *items, size_t count)
{
	struct split best = { 0 };

	for (unsigned a = 0; a <= j->space->axis_count; a++) {
		double poor[PARIO_AXIS_LEVELS] = { 0 }, all[PARIO_AXIS_LEVELS] = { 0 };
		unsigned levels = levels_on(j->space, a);

		for (size_t i = 0; i < count; i++) {
			unsigned l = level_of(j->space, &items[i], a);

			poor[l] += items[i].poor;
			all[l] += 1;
		}
		for (unsigned l = 0; l < levels; l++)
			try_split(poor, all, levels,
				  is_choice(j->space, a) ? (uint64_t)1 << l
							 : ((uint64_t)2 << l) - 1,
				  &best, a);
	}
	return best;
}

static size_t part(const struct judge *j, struct item *items, size_t count,
		   const struct split *split)
{
	size_t in = 0;

	for (size_t i = 0; i < count; i++) {
		if (split->inside >> level_of(j->space, &items[i], split->axis) & 1) {
			struct item swap = items[in];

			items[in++] = items[i];
			items[i] = swap;
		}
	}
	return in;
}

static void enclose(struct judge *j, const struct pario_weak *box, struct item *items, size_t count,
		    unsigned depth)
{
	struct pario_weak side;
	struct split split;
	size_t poor = 0, in;
	double share;

	for (size_t i = 0; i < count; i++)
		poor += items[i].poor;
	share = count ? (double)poor / (double)count : 0;
	if (share <= ALL_GOOD || j->found_count == PARIO_WEAK_MAX)
		return;
	split = best_split(j, items, count);
	if (split.gain <= 0 || depth == DEPTH_MAX ||
	    (share >= ALL_POOR && split.gain < CLEAR * impurity((double)poor, (double)count))) {
		if (share >= 0.5)
			j->found[j->found_count++] = *box;
		return;
	}
	in = part(j, items, count, &split);
	side = *box;
	side.levels[split.axis] &= split.inside;
	enclose(j, &side, items, in, depth + 1);
	side.levels[split.axis] = box->levels[split.axis] & ~split.inside;
	enclose(j, &side, items + in, count - in, depth + 1);
}

/* ---- after the boxes ---- */

static uint64_t every(const struct pario_space *space, unsigned axis)
{
	return ((uint64_t)1 << levels_on(space, axis)) - 1;
}

/* Drops the bounds of a box that keep no good points out. */
static void widen(const struct judge *j, struct pario_weak *box)
{
	for (unsigned a = 0; a <= j->space->axis_count; a++) {
		struct pario_weak wide = *box;
		size_t added = 0, poor = 0;

		wide.levels[a] = every(j->space, a);
		for (size_t i = 0; i < j->count; i++) {
			if (contains(j->space, &wide, &j->items[i]) &&
			    !contains(j->space, box, &j->items[i])) {
				added++;
				poor += j->items[i].poor;
			}
		}
		if (a != j->axis && (double)poor >= ALL_POOR * (double)added)
			*box = wide;
	}
}

static void size_up(const struct judge *j, struct pario_weak *box)
{
	double *excess = malloc((j->count + 1) * sizeof(*excess));
	size_t count = 0;

	for (size_t i = 0; excess && i < j->count; i++) {
		if (j->items[i].poor && contains(j->space, box, &j->items[i]))
			excess[count++] = j->items[i].excess;
	}
	box->points = count;
	box->causes = 1u << j->axis;
	box->factor = box->factor_low = box->factor_high = 1;
	if (count) { /* sorted by the median */
		box->factor = exp(pario_stats_median(excess, count));
		box->factor_low = exp(excess[0]);
		box->factor_high = exp(excess[count - 1]);
	}
	free(excess);
}

/* Cost of a byte. */
static double per_byte(const struct pario_space *space, size_t cell, unsigned measure)
{
	double cost = space->cell[cell].cost[measure];

	for (unsigned a = 0; a < space->axis_count; a++) {
		if (space->axes[a].kind == PARIO_AXIS_SIZE)
			cost -= log(space->axes[a].value[pario_space_level(space, cell, a)]);
	}
	return cost;
}

static bool same_clients(const struct pario_space *space, size_t a, size_t b)
{
	for (unsigned k = 0; k < space->axis_count; k++) {
		if (space->axes[k].kind == PARIO_AXIS_COUNT &&
		    pario_space_level(space, a, k) != pario_space_level(space, b, k))
			return false;
	}
	return true;
}

/* A backend that moves no data is no way to move them. */
static bool moves_nothing(const struct pario_space *space, size_t cell)
{
	for (unsigned a = 0; a < space->axis_count; a++) {
		if (space->axes[a].unreal >> pario_space_level(space, cell, a) & 1)
			return true;
	}
	return false;
}

static size_t best_way(const struct pario_space *space, size_t cell, unsigned measure)
{
	size_t best = cell;

	for (size_t i = 0; i < space->cells; i++) {
		if (space->cell[i].exists && same_clients(space, i, cell) &&
		    (!moves_nothing(space, i) || moves_nothing(space, cell)) &&
		    per_byte(space, i, measure) < per_byte(space, best, measure))
			best = i;
	}
	return best;
}

struct way {
	double slower;
	size_t best;
};

static int by_slowness(const void *a, const void *b)
{
	double x = ((const struct way *)a)->slower, y = ((const struct way *)b)->slower;

	return (x > y) - (x < y);
}

/* Against the best way to move the same bytes; the median over the box. */
static void compare_best(const struct pario_space *space, struct pario_weak *box)
{
	struct way *ways = malloc((space->cells * space->measures + 1) * sizeof(*ways));
	size_t count = 0;

	for (size_t i = 0; ways && i < space->cells * space->measures; i++) {
		struct item item = { .cell = i / space->measures,
				     .measure = (unsigned)(i % space->measures) };

		if (!space->cell[item.cell].exists ||
		    !isfinite(space->cell[item.cell].cost[item.measure]) ||
		    !contains(space, box, &item))
			continue;
		ways[count].best = best_way(space, item.cell, item.measure);
		ways[count].slower = per_byte(space, item.cell, item.measure) -
				     per_byte(space, ways[count].best, item.measure);
		count++;
	}
	box->best = box->best_low = box->best_high = 1;
	box->measured_points = count;
	if (count > 0) {
		qsort(ways, count, sizeof(*ways), by_slowness);
		box->best = exp(ways[count / 2].slower);
		box->best_low = exp(ways[0].slower);
		box->best_high = exp(ways[count - 1].slower);
		box->best_cell = ways[count / 2].best;
	}
	free(ways);
}

/* The nearest measured levels on both sides of the box along an ordered axis, all else within it. */
static void look_outside(const struct pario_space *space, struct pario_weak *box, unsigned axis,
			 const struct item *item)
{
	unsigned level = level_of(space, item, axis);
	struct pario_weak open = *box;

	open.levels[axis] = every(space, axis);
	if (box->levels[axis] >> level & 1 || !contains(space, &open, item))
		return;
	if (level < (unsigned)__builtin_ctzll(box->levels[axis]) && (int)level > box->below[axis])
		box->below[axis] = (int)level;
	if (level > (unsigned)__builtin_ctzll(box->levels[axis]) &&
	    (box->above[axis] < 0 || (int)level < box->above[axis]))
		box->above[axis] = (int)level;
}

/* What of the box was measured, and what beside it. */
static void find_measured(const struct pario_space *space, struct pario_weak *box)
{
	for (unsigned a = 0; a < space->axis_count; a++)
		box->below[a] = box->above[a] = -1;
	for (size_t i = 0; i < space->cells * space->measures; i++) {
		struct item item = { .cell = i / space->measures,
				     .measure = (unsigned)(i % space->measures) };

		if (!space->cell[item.cell].exists ||
		    !isfinite(space->cell[item.cell].cost[item.measure]))
			continue;
		for (unsigned a = 0; a < space->axis_count; a++)
			look_outside(space, box, a, &item);
		if (!contains(space, box, &item))
			continue;
		for (unsigned a = 0; a <= space->axis_count; a++)
			box->measured[a] |= (uint64_t)1 << level_of(space, &item, a);
	}
}

/* Median cost of a byte at one level of an axis, or in the box where `level` is none; all else within it. */
static double median_per_byte(const struct pario_space *space, const struct pario_weak *box,
			      unsigned axis, int level)
{
	double *costs = malloc((space->cells * space->measures + 1) * sizeof(*costs));
	struct pario_weak place = *box;
	size_t count = 0;
	double median = NAN;

	if (level >= 0)
		place.levels[axis] = (uint64_t)1 << level;
	for (size_t i = 0; costs && i < space->cells * space->measures; i++) {
		struct item item = { .cell = i / space->measures,
				     .measure = (unsigned)(i % space->measures) };

		if (space->cell[item.cell].exists &&
		    isfinite(space->cell[item.cell].cost[item.measure]) &&
		    contains(space, &place, &item))
			costs[count++] = per_byte(space, item.cell, item.measure);
	}
	if (count)
		median = pario_stats_median(costs, count);
	free(costs);
	return median;
}

/* Does the border on this side lead to where the same bytes take less time? Along counts that is what it means. */
static bool leads_out(const struct pario_space *space, const struct pario_weak *box, unsigned axis,
		      int level)
{
	if (level < 0 || space->axes[axis].kind != PARIO_AXIS_SIZE)
		return level >= 0;
	return median_per_byte(space, box, axis, -1) - median_per_byte(space, box, axis, level) >=
	       log(space->threshold);
}

static void find_ways_out(const struct pario_space *space, struct pario_weak *box)
{
	for (unsigned a = 0; a < space->axis_count; a++) {
		box->out_below[a] = leads_out(space, box, a, box->below[a]);
		box->out_above[a] = leads_out(space, box, a, box->above[a]);
	}
}

/* The coarse points are those that every axis can judge. */
static bool is_common(const struct pario_space *space, size_t cell)
{
	for (unsigned a = 0; a < space->axis_count; a++) {
		if (!pario_axis_coarse(&space->axes[a], pario_space_level(space, cell, a)))
			return false;
	}
	return space->cell[cell].exists;
}

/* How much two boxes have in common: points in the first, in the second and in both. */
struct overlap {
	size_t first, second, both;
};

static struct overlap overlap(const struct pario_space *space, const struct pario_weak *a,
			      const struct pario_weak *b)
{
	struct overlap o = { 0 };

	for (size_t i = 0; i < space->cells * space->measures; i++) {
		struct item item = { .cell = i / space->measures,
				     .measure = (unsigned)(i % space->measures) };
		bool in_a, in_b;

		if (!is_common(space, item.cell))
			continue;
		in_a = contains(space, a, &item);
		in_b = contains(space, b, &item);
		o.first += in_a;
		o.second += in_b;
		o.both += in_a && in_b;
	}
	return o;
}

static int by_factor(const void *a, const void *b)
{
	double x = ((const struct pario_weak *)a)->factor,
	       y = ((const struct pario_weak *)b)->factor;

	return (x < y) - (x > y);
}

/* The same area, seen along another axis: its borders on that axis are the sharper ones. */
static void merge(const struct pario_space *space, struct pario_weak *into,
		  const struct pario_weak *from)
{
	for (unsigned a = 0; a < space->axis_count; a++) {
		if ((from->causes & ~into->causes) >> a & 1)
			into->levels[a] = from->levels[a];
	}
	into->causes |= from->causes;
	into->factor_low = fmin(into->factor_low, from->factor_low);
	into->factor_high = fmax(into->factor_high, from->factor_high);
	into->factor = from->factor < into->factor ? from->factor : into->factor;
}

static bool take_in(const struct pario_space *space, struct pario_weak *kept, size_t count,
		    const struct pario_weak *box)
{
	struct overlap o = { 0 };
	size_t covered = 0;

	for (size_t k = 0; k < count; k++) {
		o = overlap(space, &kept[k], box);
		if ((double)o.both >= SAME_AREA * (double)(o.first + o.second - o.both)) {
			merge(space, &kept[k], box);
			return true;
		}
		covered += o.both;
	}
	return count > 0 && (double)covered >= ALL_POOR * (double)o.second;
}

/*
 * One region per area: what several axes found is kept once, with all its causes. Ordered axes come first: theirs are
 * the borders that were looked for.
 */
static size_t unite(const struct pario_space *space, struct pario_weak *found, size_t count)
{
	struct pario_weak *kept = malloc((count + 1) * sizeof(*kept));
	size_t n = 0;

	for (int choices = 0; kept && choices < 2; choices++) {
		for (size_t i = 0; i < count; i++) {
			unsigned axis = (unsigned)__builtin_ctz(found[i].causes);

			if (is_choice(space, axis) == choices &&
			    !take_in(space, kept, n, &found[i]))
				kept[n++] = found[i];
		}
	}
	if (kept)
		memcpy(found, kept, n * sizeof(*found));
	free(kept);
	qsort(found, n, sizeof(*found), by_factor);
	return n;
}

/* Does its cost break along transfer sizes and nowhere else? */
static bool breaks_by_size(const struct pario_space *space, const struct pario_weak *box)
{
	unsigned others = box->causes;

	for (unsigned a = 0; a < space->axis_count; a++) {
		if (space->axes[a].kind == PARIO_AXIS_SIZE)
			others &= ~(1u << a);
	}
	return others == 0;
}

/*
 * A break along sizes may also come from what is unexpectedly fast beside it, such as small reads that read-ahead
 * serves. Where no measured way moves the same bytes faster by the threshold, nothing is poor.
 */
static size_t keep_slow(const struct pario_space *space, struct pario_weak *found, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		compare_best(space, &found[i]);
		if (breaks_by_size(space, &found[i]) && found[i].best < space->threshold)
			continue;
		find_measured(space, &found[i]);
		find_ways_out(space, &found[i]);
		found[kept++] = found[i];
	}
	return kept;
}

size_t pario_weak_find(const struct pario_space *space, struct pario_weak *found,
		       struct pario_err *err)
{
	struct judge j = { .space = space, .found = found };

	j.items = malloc(space->cells * space->measures * sizeof(*j.items));
	if (!j.items) {
		pario_err_set(err, PARIO_SYSTEM, "no memory to find the regions.");
		return 0;
	}
	for (j.axis = 0; j.axis < space->axis_count; j.axis++) {
		struct pario_weak all = { 0 };
		size_t from = j.found_count;

		j.count = 0;
		for (size_t i = 0; i < space->cells; i++) {
			for (unsigned m = 0; m < space->measures; m++) {
				if (pario_space_level(space, i, j.axis) == 0)
					judge_line(&j, i, m);
			}
		}
		for (unsigned a = 0; a <= space->axis_count; a++)
			all.levels[a] = every(space, a);
		enclose(&j, &all, j.items, j.count, 0);
		for (size_t i = from; i < j.found_count; i++) {
			widen(&j, &found[i]);
			size_up(&j, &found[i]);
		}
	}
	free(j.items);
	j.found_count = unite(space, found, j.found_count);
	return keep_slow(space, found, j.found_count);
}
