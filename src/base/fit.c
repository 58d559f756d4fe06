/*
 * fit: straight lines by least squares, one or two, with intervals.
 */
#include "base/fit.h"

#include <math.h>

#include "base/stats.h"

/* Two lines are kept when chance alone would bring the improvement less often than this. */
#define BREAK_CHANCE 0.01

/* Points on a line up to rounding: then no second line can be better. */
#define EXACT 1e-24

static const struct pario_fitted_line nothing = {
	.intercept = { NAN, NAN }, .slope = { NAN, NAN }, .r2 = NAN, .sse = NAN
};

static bool usable(double error)
{
	return isfinite(error) && error > 0;
}

/* The weight of each point; an error that is missing counts as the largest known. */
static void weigh(const double *errors, size_t n, double *weights)
{
	double worst = 0, quantile = pario_stats_normal(0.975);

	for (size_t i = 0; errors && i < n; i++)
		worst = usable(errors[i]) ? fmax(worst, errors[i]) : worst;
	for (size_t i = 0; i < n; i++) {
		double e = errors && worst > 0 ? (usable(errors[i]) ? errors[i] : worst) : quantile;

		weights[i] = quantile * quantile / (e * e);
	}
}

/* Sums about the weighted means, which lose no digits where the mean is far from zero. */
struct sums {
	double w, x, y, xx, xy, yy;
};

static struct sums add_up(const double *x, const double *y, const double *w, size_t n)
{
	struct sums s = { 0 };

	for (size_t i = 0; i < n; i++) {
		s.w += w[i];
		s.x += w[i] * x[i];
		s.y += w[i] * y[i];
	}
	s.x /= s.w;
	s.y /= s.w;
	for (size_t i = 0; i < n; i++) {
		s.xx += w[i] * (x[i] - s.x) * (x[i] - s.x);
		s.xy += w[i] * (x[i] - s.x) * (y[i] - s.y);
		s.yy += w[i] * (y[i] - s.y) * (y[i] - s.y);
	}
	return s;
}

static double scatter(const struct pario_fitted_line *line, const double *x, const double *y,
		      const double *w, size_t n)
{
	double sse = 0;

	for (size_t i = 0; i < n; i++) {
		double off = y[i] - line->intercept.value - line->slope.value * x[i];

		sse += w[i] * off * off;
	}
	return sse;
}

static struct pario_fitted_line weighted(const double *x, const double *y, const double *w,
					 bool known, size_t n)
{
	struct pario_fitted_line line = nothing;
	struct sums s;
	double scale, student;

	line.count = n;
	if (n < 2)
		return line;
	s = add_up(x, y, w, n);
	if (!(s.xx > 0))
		return line;
	line.slope.value = s.xy / s.xx;
	line.intercept.value = s.y - line.slope.value * s.x;
	line.sse = scatter(&line, x, y, w, n);
	line.r2 = s.yy > 0 ? 1 - line.sse / s.yy : 1;
	if (n < 3 && !known)
		return line;
	/* Two points scatter about no line: then only their own errors speak. */
	scale = n < 3 ? 1 : line.sse / (double)(n - 2);
	if (known)
		scale = fmax(scale, 1);
	student = n < 3 ? pario_stats_normal(0.975) : pario_stats_student(0.975, (double)(n - 2));
	line.slope.error = student * sqrt(scale / s.xx);
	line.intercept.error = student * sqrt(scale * (1 / s.w + s.x * s.x / s.xx));
	return line;
}

struct pario_fitted_line pario_fit_line(const double *x, const double *y, const double *errors,
					size_t n)
{
	double weights[PARIO_FIT_POINTS];
	bool known = false;

	if (n > PARIO_FIT_POINTS)
		n = PARIO_FIT_POINTS;
	for (size_t i = 0; errors && i < n; i++)
		known |= usable(errors[i]);
	weigh(errors, n, weights);
	return weighted(x, y, weights, known, n);
}

/* Would chance bring so much smaller a scatter? The F test with 3 more parameters: a line and the place. */
static bool worth_it(const struct pario_fitted_line *one, double two_sse, double yy, size_t n)
{
	double freedom = (double)n - 5, f;

	if (freedom < 1 || one->sse <= EXACT * yy)
		return false;
	if (two_sse <= EXACT * yy)
		return true;
	f = (one->sse - two_sse) / 3 / (two_sse / freedom);
	return f > 0 &&
	       pario_stats_beta(freedom / 2, 1.5, freedom / (freedom + 3 * f)) < BREAK_CHANCE;
}

struct pario_two_lines pario_fit_two_lines(const double *x, const double *y, const double *errors,
					   size_t n)
{
	struct pario_two_lines two = { .at = NAN, .low = nothing, .high = nothing };
	double weights[PARIO_FIT_POINTS], best = INFINITY, yy = 0;
	size_t split = 0;

	if (n > PARIO_FIT_POINTS)
		n = PARIO_FIT_POINTS;
	two.one = pario_fit_line(x, y, errors, n);
	weigh(errors, n, weights);
	for (size_t i = 0; i < n; i++)
		yy += weights[i] * y[i] * y[i];
	for (size_t k = 3; k + 3 <= n; k++) {
		double sse = weighted(x, y, weights, false, k).sse +
			     weighted(x + k, y + k, weights + k, false, n - k).sse;

		if (sse < best) {
			best = sse;
			split = k;
		}
	}
	if (!split || !worth_it(&two.one, best, yy, n))
		return two;
	two.broken = true;
	two.at = (x[split - 1] + x[split]) / 2;
	two.low = weighted(x, y, weights, errors != NULL, split);
	two.high = weighted(x + split, y + split, weights + split, errors != NULL, n - split);
	two.low_count = split;
	if (x[0] > x[n - 1]) {
		struct pario_fitted_line swap = two.low;

		two.low = two.high;
		two.high = swap;
		two.low_count = n - split;
	}
	return two;
}

void pario_fit_share_error(struct pario_two_lines *lines, double part, double intercept,
			   double slope)
{
	struct pario_fitted_line *all[] = { &lines->one, &lines->low, &lines->high };

	for (size_t i = 0; i < 3; i++) {
		all[i]->intercept.error += intercept + part * fabs(all[i]->intercept.value);
		all[i]->slope.error += slope + part * fabs(all[i]->slope.value);
	}
}

double pario_fit_rate(const struct pario_fitted_line *line)
{
	return line->slope.value > 0 ? 1 / line->slope.value : (double)NAN;
}

double pario_fit_half_size(const struct pario_fitted_line *line)
{
	return line->slope.value > 0 ? line->intercept.value / line->slope.value : (double)NAN;
}
