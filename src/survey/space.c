/*
 * space: levels, cells and what was measured of them. No file system and no test: a point is a list of levels.
 */
#include "survey/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/random.h"
#include "base/stats.h"
#include "base/units.h"

enum { CELLS_MAX = 1000000, HELD_MOST = 24, HELD_SHARE = 10 };

/* The deviation of a normal distribution over the median of its absolute values. */
#define MEDIAN_TO_DEVIATION 1.4826

int pario_space_init(struct pario_space *space, struct pario_err *err)
{
	uint64_t cells = 1;

	for (unsigned a = space->axis_count; a-- > 0;) {
		space->stride[a] = (size_t)cells;
		if (!pario_mul(cells, space->axes[a].count, &cells) || cells > CELLS_MAX)
			return pario_err_set(err, PARIO_USAGE,
					     "the space has more than %d points. Use fewer sizes, "
					     "client counts or backends.",
					     (int)CELLS_MAX);
	}
	if (cells == 0)
		return pario_err_set(err, PARIO_USAGE, "nothing is left to measure.");
	space->cells = (size_t)cells;
	space->cell = calloc(space->cells, sizeof(*space->cell));
	if (!space->cell)
		return pario_err_memory(err, "the points of the survey");
	for (size_t i = 0; i < space->cells; i++) {
		space->cell[i].exists = true;
		for (unsigned m = 0; m < PARIO_SPACE_MEASURES; m++)
			space->cell[i].cost[m] = NAN;
	}
	return 0;
}

void pario_space_release(struct pario_space *space)
{
	free(space->cell);
	free(space->sample);
	space->cell = NULL;
	space->sample = NULL;
	space->sample_count = space->sample_capacity = 0;
}

unsigned pario_space_level(const struct pario_space *space, size_t cell, unsigned axis)
{
	return (unsigned)(cell / space->stride[axis] % space->axes[axis].count);
}

size_t pario_space_beside(const struct pario_space *space, size_t cell, unsigned axis,
			  unsigned level)
{
	return cell - pario_space_level(space, cell, axis) * space->stride[axis] +
	       level * space->stride[axis];
}

unsigned pario_space_axis(const struct pario_space *space, enum pario_axis_kind kind)
{
	unsigned a = 0;

	while (a < space->axis_count && space->axes[a].kind != kind)
		a++;
	return a;
}

double pario_space_value(const struct pario_space *space, size_t cell, enum pario_axis_kind kind)
{
	unsigned a = pario_space_axis(space, kind);

	return a < space->axis_count ? space->axes[a].value[pario_space_level(space, cell, a)] : 1;
}

size_t pario_space_existing(const struct pario_space *space)
{
	size_t count = 0;

	for (size_t i = 0; i < space->cells; i++)
		count += space->cell[i].exists;
	return count;
}

size_t pario_space_tried(const struct pario_space *space)
{
	size_t count = 0;

	for (size_t i = 0; i < space->cells; i++)
		count += space->cell[i].exists && space->cell[i].tried;
	return count;
}

bool pario_space_known(const struct pario_space *space, size_t cell, unsigned measure)
{
	return space->cell[cell].exists && isfinite(space->cell[cell].cost[measure]);
}

/* Of what was measured of one point, the newest first; returns how many were found, `most` at most. */
static size_t samples_of(const struct pario_space *space, size_t cell, unsigned measure,
			 double *costs, size_t most)
{
	size_t count = 0;

	for (size_t i = space->sample_count; i-- > 0 && count < most;) {
		if (space->sample[i].cell == cell && space->sample[i].measure == measure)
			costs[count++] = space->sample[i].cost;
	}
	return count;
}

int pario_space_take(struct pario_space *space, size_t cell, unsigned measure, double seconds,
		     struct pario_err *err)
{
	enum { MOST = 64 };
	struct pario_cell *c = &space->cell[cell];
	double costs[MOST];

	c->tried = true;
	if (!(seconds > 0) || !isfinite(seconds))
		return 0;
	if (!pario_grow(space->sample, space->sample_count, space->sample_capacity))
		return pario_err_memory(err, "the results");
	space->sample[space->sample_count++] =
		(struct pario_survey_sample){ cell, measure, log(seconds) };
	c->cost[measure] = log(seconds);
	if (c->samples[measure]++ > 0)
		c->cost[measure] =
			pario_stats_median(costs, samples_of(space, cell, measure, costs, MOST));
	return 0;
}

double pario_space_noise(const struct pario_space *space)
{
	double *off = malloc((space->sample_count + 1) * sizeof(*off)), median;
	size_t count = 0;

	for (size_t i = 0; off && i < space->sample_count; i++) {
		const struct pario_survey_sample *s = &space->sample[i];
		const struct pario_cell *c = &space->cell[s->cell];

		if (c->samples[s->measure] < 2)
			continue;
		/* the median lies among them, so that they are nearer to it than to the truth */
		off[count++] = fabs(s->cost - c->cost[s->measure]) *
			       sqrt(c->samples[s->measure] / (c->samples[s->measure] - 1.0));
	}
	median = off ? pario_stats_median(off, count) : (double)NAN;
	free(off);
	return MEDIAN_TO_DEVIATION * median;
}

void pario_space_hold(struct pario_space *space, uint64_t seed)
{
	size_t existing = pario_space_existing(space), wanted = existing / HELD_SHARE;
	struct pario_permutation order;

	if (wanted > HELD_MOST)
		wanted = HELD_MOST;
	pario_permutation_init(&order, space->cells, pario_random_join(seed, HELD_MOST));
	for (size_t i = 0; i < space->cells; i++)
		space->cell[i].held = false;
	for (size_t i = 0; i < space->cells && wanted > 0; i++) {
		struct pario_cell *c = &space->cell[pario_permutation_at(&order, i)];

		c->held = c->exists;
		wanted -= c->exists;
	}
}
