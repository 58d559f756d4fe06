/*
 * pieces: the law of a surface, from its points.
 *
 * Points count by their relative spread, so that the cost of a byte is not decided by the largest size alone. Neither
 * T_call nor T_trans is below zero: a line that would be goes through the origin, or is level.
 */
#include "characterize/pieces.h"

#include <math.h>

#include "base/fit.h"

/* No point is known better than this, as a share of its time; and so far may points lie from their line. */
#define LEAST_ERROR 0.02
#define TOLERANCE   0.05

struct line {
	double call, trans, worst; /* of the deviations, as shares */
};

static double error_of(const struct pario_system_point *p, double noise)
{
	return fmax((p->high - p->low) / 2, fmax(LEAST_ERROR, noise) * p->seconds);
}

static double law(const struct line *l, double bytes)
{
	return l->call + l->trans * bytes;
}

/* Where a free line is below zero, with one of its two numbers zero. */
static void bend(struct line *l, const struct pario_system_point *p, size_t n, double noise)
{
	double w, ww = 0, xx = 0, xy = 0, y = 0;

	for (size_t i = 0; i < n; i++) {
		double x = (double)p[i].bytes;

		w = 1 / (error_of(&p[i], noise) * error_of(&p[i], noise));
		ww += w;
		xx += w * x * x;
		xy += w * x * p[i].seconds;
		y += w * p[i].seconds;
	}
	if (l->trans < 0 || !(xx > 0))
		*l = (struct line){ .call = y / ww };
	else
		*l = (struct line){ .trans = xy / xx };
}

static struct line line_of(const struct pario_system_point *p, size_t n, double noise)
{
	double x[PARIO_FIT_POINTS], y[PARIO_FIT_POINTS], e[PARIO_FIT_POINTS];
	struct line l = { .call = p[0].seconds };

	for (size_t i = 0; i < n; i++) {
		x[i] = (double)p[i].bytes;
		y[i] = p[i].seconds;
		e[i] = error_of(&p[i], noise);
	}
	if (n > 1) {
		struct pario_fitted_line fitted = pario_fit_line(x, y, e, n);

		l.call = fitted.intercept.value;
		l.trans = fitted.slope.value;
		if (!(l.call >= 0) || !(l.trans >= 0))
			bend(&l, p, n, noise);
	}
	for (size_t i = 0; i < n; i++)
		l.worst = fmax(l.worst, fabs(law(&l, x[i]) / y[i] - 1) * TOLERANCE /
						fmax(TOLERANCE, e[i] / y[i]));
	return l;
}

/* The place that leaves the smaller worst deviation; each side keeps two points where it can. */
static size_t split_of(const struct pario_system_point *p, size_t n, double noise)
{
	size_t best = n / 2, least = n > 3 ? 2 : 1;
	double worst = INFINITY;

	for (size_t k = least; k + least <= n; k++) {
		double w = fmax(line_of(p, k, noise).worst, line_of(p + k, n - k, noise).worst);

		if (w < worst) {
			worst = w;
			best = k;
		}
	}
	return best;
}

/* A point by itself lies on the line to its neighbour, so that sizes between the two cost what lies between. */
static struct line line_at(const struct pario_system_surface *s, size_t from, size_t n,
			   double noise)
{
	const struct pario_system_point *p = &s->points[from];
	struct line l;

	if (n > 1 || s->point_count < 2)
		return line_of(p, n, noise);
	l = line_of(from + 1 < s->point_count ? p : p - 1, 2, noise);
	return l.trans > 0
		       ? (struct line){ .call = fmax(0, p->seconds - l.trans * (double)p->bytes),
					.trans = l.trans }
		       : (struct line){ .call = p->seconds };
}

static int add(struct pario_system_surface *s, size_t from, size_t n, double noise)
{
	struct line l = line_at(s, from, n, noise);
	struct pario_system_piece *piece;

	if (n > 2 && l.worst > TOLERANCE) {
		size_t k = split_of(s->points + from, n, noise);

		return add(s, from, k, noise) < 0 ? -1 : add(s, from + k, n - k, noise);
	}
	piece = pario_system_add_piece(s);
	if (!piece)
		return -1;
	*piece = (struct pario_system_piece){ .from_bytes = s->points[from].bytes,
					      .to_bytes = s->points[from + n - 1].bytes,
					      .t_call = l.call,
					      .t_trans = l.trans };
	/* Pieces meet halfway, as ratios go. */
	if (s->piece_count > 1) {
		double between = sqrt((double)piece[-1].to_bytes * (double)piece->from_bytes);

		piece[-1].to_bytes = (uint64_t)between;
		piece->from_bytes = (uint64_t)between;
	}
	return 0;
}

/* Of the logarithms: twice as long is as far off as half. */
static double residual(const struct pario_system_surface *s)
{
	double sum = 0;

	for (size_t i = 0, k = 0; i < s->point_count; i++) {
		const struct pario_system_point *p = &s->points[i];

		while (k + 1 < s->piece_count && p->bytes > s->pieces[k].to_bytes)
			k++;
		sum += pow(log((s->pieces[k].t_call + s->pieces[k].t_trans * (double)p->bytes) /
			       p->seconds),
			   2);
	}
	return 100 * sqrt(sum / (double)s->point_count);
}

int pario_pieces_fit(struct pario_system_surface *surface, double noise)
{
	if (surface->point_count < 2 || surface->point_count > PARIO_FIT_POINTS)
		return 0;
	if (add(surface, 0, surface->point_count, noise) < 0)
		return -1;
	surface->residual_rsd = residual(surface);
	return 0;
}
