/*
 * revolution: rates of a rotating disk, and S and M fitted to measured ones; plain arithmetic without a disk.
 */
#include "tests/overlap/model/revolution.h"

#include <math.h>

#include "base/stats.h"

/* A revolution is lost at the end of each cylinder. */
#define TRACKS	 10
#define CYLINDER (1 + 1.0 / TRACKS)

double pario_revolutions_of_rate(const struct pario_rotating_disk *disk, double rate)
{
	return disk->sector * disk->turns_per_s / rate;
}

static double cylinders(double s, double sector)
{
	return floor(sector / (TRACKS * s));
}

double pario_revolution_done(double s, double now, double first, double b)
{
	double angle = fmod(first, s) / s, turn = ceil(now - angle - PARIO_SECTOR_GAP / s);

	return angle + turn + b / s + cylinders(s, first + b) - cylinders(s, first);
}

/*
 * S is the inverse of the intercept and has its relative error. Where the intercept cannot be told from zero, S may be
 * arbitrarily large: the measurements give only the least value it can have.
 */
static struct pario_revolution of_line(const struct pario_fitted_line *line)
{
	const struct pario_estimate *inverse = &line->intercept;
	struct pario_revolution r = { .s = { NAN, NAN }, .s_least = NAN, .m = line->slope };

	if (inverse->value > 0 && !(inverse->value <= inverse->error)) {
		r.s.value = CYLINDER / inverse->value;
		r.s.error = r.s.value * inverse->error / inverse->value;
	} else if (inverse->error > 0) {
		r.s_least = CYLINDER / (fmax(inverse->value, 0) + inverse->error);
	}
	return r;
}

/*
 * Half of the 95 % interval of the boundaries that a stretch of so many cylinders crosses, wherever it begins, about
 * that number. A short one crosses none so often that the error is its length; of long ones, whose last part may be
 * any, the variance is a sixth.
 */
static double crossing_error(double stretch)
{
	double variance = stretch < 0.5 ? stretch * (1 - stretch) : 1;

	return stretch < 0.05 ? stretch : pario_stats_normal(0.975) * sqrt(fmin(variance, 1.0 / 6));
}

/* What that is in revolutions per sector, for each size. The fastest rate tells the least S: nothing missed. */
static void add_crossing_errors(const double *b, const double *calls, const double *y, size_t n,
				double *errors)
{
	double least = 0;

	for (size_t i = 0; i < n; i++)
		least = fmax(least, CYLINDER / y[i]);
	for (size_t i = 0; i < n; i++) {
		double sectors = calls[i] * b[i];

		errors[i] = hypot(errors[i], crossing_error(sectors / (TRACKS * least)) / sectors);
	}
}

struct pario_revolution_fit pario_revolution_fit(const struct pario_rotating_disk *disk,
						 const double *b, const double *calls,
						 const struct pario_estimate *rates, size_t n,
						 double part, double call_error_s)
{
	double x[PARIO_FIT_POINTS], y[PARIO_FIT_POINTS], errors[PARIO_FIT_POINTS];
	struct pario_revolution_fit fit = { 0 };
	bool known = false;

	if (n > PARIO_FIT_POINTS)
		n = PARIO_FIT_POINTS;
	for (size_t i = 0; i < n; i++) {
		x[i] = 1 / b[i];
		y[i] = pario_revolutions_of_rate(disk, rates[i].value);
		errors[i] = y[i] * fabs(rates[i].error / rates[i].value);
	}
	if (calls)
		add_crossing_errors(b, calls, y, n, errors);
	for (size_t i = 0; i < n; i++)
		known |= isfinite(errors[i]) && errors[i] > 0;
	fit.lines = pario_fit_two_lines(x, y, known ? errors : NULL, n);
	pario_fit_share_error(&fit.lines, part, 0, call_error_s * disk->turns_per_s);
	fit.all = of_line(&fit.lines.one);
	/* A small buffer is a large 1/B. */
	fit.small = of_line(&fit.lines.high);
	fit.large = of_line(&fit.lines.low);
	return fit;
}
