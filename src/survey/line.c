/*
 * line: what growth of cost is natural, and where does it break?
 *
 * Along transfer size, an operation costs at least a latency and at least its bytes over a bandwidth; along client
 * counts, at least its own time and at least its share of a saturated device. So the expected trend of the cost
 * over x is
 *
 *	(a^p + (b x)^p)^(1/p)      a, b >= 0, p = 1 (one after the other), 2, or 8 (the slower of the two)
 *
 * whose rate x over cost never falls and whose cost never falls either. A cliff multiplies all of one side by a
 * factor. The line is cut into as few parts as are needed (at most three), each with a factor of its own on one
 * common trend, such that no point is further off than its noise allows. Of all trends that do so, the one with
 * the smallest factors counts: a break is reported only as large as the data force it to be.
 *
 * Misleads where the storage changes its trend by nature (a second cache level, another protocol): that is a break
 * here, of the size that is reported. A part that is slow in proportion over the whole line has no border on it.
 */
#include "survey/line.h"

#include <math.h>

/* Repetitions of quiet machines agree better than two measurements at different times do. */
#define TOLERANCE_LEAST 0.10
#define TOLERANCE_NOISE 1.5

/* Where latency equals bandwidth: from far left to far right of the line, in steps of half an octave. */
#define KNEE_REACH 8.0
#define KNEE_STEP  0.5

/* A further cut must improve the fit by this, else it explains nothing. */
#define CUT_GAIN 0.7

enum { SHAPES_MAX = 256 };

static const double exponents[] = { 1, 2, 8 };

enum { EXPONENTS = sizeof(exponents) / sizeof(exponents[0]) };

struct shapes {
	unsigned count;
	double log_cost[SHAPES_MAX][PARIO_AXIS_LEVELS];
};

struct fit {
	double misfit; /* of the worst point, in units of its tolerance */
	unsigned cuts, cut[PARIO_LINE_CUTS];
	double factor[PARIO_LINE_CUTS + 1];
};

double pario_line_tolerance(double noise)
{
	double tolerance = TOLERANCE_NOISE * noise;

	return tolerance > TOLERANCE_LEAST ? tolerance : TOLERANCE_LEAST;
}

void pario_line_of(const struct pario_space *space, size_t cell, unsigned axis, unsigned measure,
		   struct pario_cost_line *line)
{
	size_t first = cell - pario_space_level(space, cell, axis) * space->stride[axis];

	line->count = line->cuts = 0;
	line->fits = true;
	line->excess[0] = 0;
	for (unsigned l = 0; l < space->axes[axis].count; l++) {
		const struct pario_cell *c = &space->cell[first + l * space->stride[axis]];

		if (!c->exists || !c->measured || !isfinite(c->cost[measure]))
			continue;
		line->level[line->count] = l;
		line->x[line->count] = space->axes[axis].value[l];
		line->cost[line->count] = c->cost[measure];
		line->noise[line->count++] = c->noise[measure];
	}
}

static void add_shape(struct shapes *s, const struct pario_cost_line *line, double log2_knee,
		      double p)
{
	double *out;

	if (s->count >= SHAPES_MAX)
		return;
	out = s->log_cost[s->count];
	for (unsigned i = 0; i < line->count; i++) {
		double ratio = log(line->x[i]) - log2_knee * M_LN2; /* ln of b x over a */

		/* The larger term is taken out, so that the power cannot overflow. */
		out[i] = (ratio > 0 ? ratio : 0) + log1p(exp(-p * fabs(ratio))) / p;
	}
	s->count++;
}

static void make_shapes(struct shapes *s, const struct pario_cost_line *line,
			enum pario_line_mode mode)
{
	double first = log2(line->x[0]) - KNEE_REACH;
	double last = log2(line->x[line->count - 1]) + KNEE_REACH;
	unsigned steps = (unsigned)((last - first) / KNEE_STEP) + 1;
	double step =
		steps > SHAPES_MAX / 3 - 1 ? (last - first) / (SHAPES_MAX / 3 - 1) : KNEE_STEP;

	s->count = 0;
	for (unsigned k = 0; k < (mode == PARIO_LINE_STRICT ? 1 : EXPONENTS); k++) {
		for (double knee = first; knee <= last; knee += step)
			add_shape(s, line, knee, exponents[k]);
	}
}

/* One part of the line: its factor, and how badly its points fit. */
static double fit_part(const struct pario_cost_line *line, const double *shape, unsigned from,
		       unsigned to, double *factor)
{
	double sum = 0, weights = 0, worst = 0;

	for (unsigned i = from; i < to; i++) {
		double weight = 1 / pario_line_tolerance(line->noise[i]);

		sum += weight * (line->cost[i] - shape[i]);
		weights += weight;
	}
	*factor = sum / weights;
	for (unsigned i = from; i < to; i++) {
		double off = fabs(line->cost[i] - shape[i] - *factor) /
			     pario_line_tolerance(line->noise[i]);

		worst = off > worst ? off : worst;
	}
	return worst;
}

static void fit_shape(const struct pario_cost_line *line, const double *shape, struct fit *fit)
{
	unsigned from = 0;

	fit->misfit = 0;
	for (unsigned k = 0; k <= fit->cuts; k++) {
		unsigned to = k < fit->cuts ? fit->cut[k] : line->count;
		double off = fit_part(line, shape, from, to, &fit->factor[k]);

		fit->misfit = off > fit->misfit ? off : fit->misfit;
		from = to;
	}
}

static double jumps(const struct fit *fit)
{
	double sum = 0;

	for (unsigned k = 0; k < fit->cuts; k++)
		sum += fabs(fit->factor[k + 1] - fit->factor[k]);
	return sum;
}

/* Best over all shapes with the cuts given; among those that fit, the one with the smallest jumps. */
static void fit_cuts(const struct pario_cost_line *line, const struct shapes *shapes,
		     struct fit *best)
{
	struct fit now = *best;

	best->misfit = INFINITY;
	for (unsigned s = 0; s < shapes->count; s++) {
		fit_shape(line, shapes->log_cost[s], &now);
		if (now.misfit < best->misfit)
			*best = now;
	}
	for (unsigned s = 0; s < shapes->count && best->cuts > 0; s++) {
		double allowed = best->misfit > 0.5 ? best->misfit : 0.5;

		fit_shape(line, shapes->log_cost[s], &now);
		if (now.misfit <= allowed && jumps(&now) < jumps(best))
			*best = (struct fit){ .misfit = best->misfit,
					      .cuts = now.cuts,
					      .cut = { now.cut[0], now.cut[1] },
					      .factor = { now.factor[0], now.factor[1],
							  now.factor[2] } };
	}
}

static void fit_count(const struct pario_cost_line *line, const struct shapes *shapes,
		      unsigned cuts, struct fit *best)
{
	struct fit now;

	*best = (struct fit){ .misfit = INFINITY };
	for (unsigned i = 1; i < (cuts > 0 ? line->count : 2); i++) {
		for (unsigned k = i + 1; k < (cuts > 1 ? line->count : i + 2); k++) {
			now = (struct fit){ .cuts = cuts, .cut = { i, k } };
			fit_cuts(line, shapes, &now);
			if (now.misfit < best->misfit)
				*best = now;
		}
	}
}

void pario_line_fit(struct pario_cost_line *line, enum pario_line_mode mode)
{
	struct shapes shapes;
	struct fit best, more;
	double least;

	line->cuts = 0;
	line->excess[0] = 0;
	line->fits = true;
	if (line->count < 2)
		return;
	make_shapes(&shapes, line, mode);
	fit_count(line, &shapes, 0, &best);
	for (unsigned cuts = 1; cuts <= PARIO_LINE_CUTS && cuts < line->count && best.misfit > 1;
	     cuts++) {
		fit_count(line, &shapes, cuts, &more);
		if (more.misfit < CUT_GAIN * best.misfit)
			best = more;
	}
	line->cuts = best.cuts;
	line->fits = best.misfit <= 1;
	least = best.factor[0];
	for (unsigned k = 1; k <= best.cuts; k++)
		least = best.factor[k] < least ? best.factor[k] : least;
	for (unsigned k = 0; k <= best.cuts; k++)
		line->excess[k] = best.factor[k] - least;
	for (unsigned k = 0; k < best.cuts; k++)
		line->cut[k] = best.cut[k];
}

double pario_line_excess(const struct pario_cost_line *line, unsigned i)
{
	unsigned part = 0;

	while (part < line->cuts && i >= line->cut[part])
		part++;
	return line->excess[part];
}
