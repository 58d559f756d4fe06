/*
 * space: levels, cells and what repetitions say about a cell.
 *
 * The cost is that of the best repetition, since whatever disturbs a measurement makes it slower; the noise is how far
 * the second best is off. A point that is fast only now and then passes for a fast one, with much noise.
 */
#include "survey/space.h"

#include <math.h>
#include <stdlib.h>

#include "base/units.h"

enum { CELLS_MAX = 1000000 };

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
		return pario_err_set(err, PARIO_SYSTEM, "no memory for the points of the survey.");
	for (size_t i = 0; i < space->cells; i++) {
		space->cell[i].exists = true;
		for (unsigned m = 0; m < PARIO_SPACE_MEASURES; m++)
			space->cell[i].cost[m] = space->cell[i].noise[m] = NAN;
	}
	return 0;
}

void pario_space_release(struct pario_space *space)
{
	free(space->cell);
	space->cell = NULL;
}

bool pario_axis_coarse(const struct pario_axis *axis, unsigned level)
{
	unsigned parts, last = axis->count - 1;

	if (axis->kind == PARIO_AXIS_CHOICE || level == 0 || level == last)
		return true;
	if (axis->kind == PARIO_AXIS_SIZE)
		parts = axis->count < 4 ? 1 : axis->count < 9 ? 2 : 3;
	else
		parts = axis->count < 5 ? 1 : 2;
	for (unsigned k = 1; k < parts; k++) {
		if (level == (k * last + parts / 2) / parts)
			return true;
	}
	return false;
}

unsigned pario_space_level(const struct pario_space *space, size_t cell, unsigned axis)
{
	return (unsigned)(cell / space->stride[axis] % space->axes[axis].count);
}

size_t pario_space_at(const struct pario_space *space, const unsigned *levels)
{
	size_t cell = 0;

	for (unsigned a = 0; a < space->axis_count; a++)
		cell += levels[a] * space->stride[a];
	return cell;
}

size_t pario_space_existing(const struct pario_space *space)
{
	size_t count = 0;

	for (size_t i = 0; i < space->cells; i++)
		count += space->cell[i].exists;
	return count;
}

size_t pario_space_measured(const struct pario_space *space)
{
	size_t count = 0;

	for (size_t i = 0; i < space->cells; i++)
		count += space->cell[i].exists && space->cell[i].measured;
	return count;
}

void pario_space_take(struct pario_space *space, size_t cell, unsigned measure,
		      const double *seconds, size_t count)
{
	struct pario_cell *c = &space->cell[cell];
	double best = c->samples[measure] > 0 ? exp(c->cost[measure]) : INFINITY;
	double second = c->samples[measure] > 1 ? best * exp(c->noise[measure]) : INFINITY;

	c->measured = true;
	for (size_t i = 0; i < count; i++) {
		if (seconds[i] < best) {
			second = best;
			best = seconds[i];
		} else if (seconds[i] < second) {
			second = seconds[i];
		}
	}
	c->samples[measure] += count;
	if (c->samples[measure] == 0)
		return;
	c->cost[measure] = log(best);
	c->noise[measure] = c->samples[measure] > 1 ? log(second / best) : 0;
}
