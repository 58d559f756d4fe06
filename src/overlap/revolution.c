/*
 * revolution: rates of a rotating disk.
 */
#include "overlap/revolution.h"

#include <math.h>

/* A revolution is lost at the end of each cylinder of ten tracks. */
#define CYLINDER 1.1

double pario_revolutions(double s, double m, double b)
{
	return CYLINDER / s + m / b;
}

double pario_revolutions_of_rate(const struct pario_disk *disk, double rate)
{
	return disk->sector * disk->turns_per_s / rate;
}

double pario_revolution_rate(const struct pario_disk *disk, double s, double m, double b)
{
	return disk->sector * disk->turns_per_s / pario_revolutions(s, m, b);
}

struct pario_revolution_fit pario_revolution_fit(const struct pario_disk *disk, const double *b,
						 const double *rates, size_t n)
{
	struct pario_revolution_fit fit = { 0 };
	double x[PARIO_FIT_POINTS], y[PARIO_FIT_POINTS];

	if (n > PARIO_FIT_POINTS)
		n = PARIO_FIT_POINTS;
	for (size_t i = 0; i < n; i++) {
		x[i] = 1 / b[i];
		y[i] = pario_revolutions_of_rate(disk, rates[i]);
	}
	fit.lines = pario_fit_two_lines(x, y, NULL, n);
	fit.s = CYLINDER / fit.lines.one.intercept.value;
	fit.m = fit.lines.one.slope.value;
	/* A small buffer is a large 1/B. */
	fit.s_low_b = CYLINDER / fit.lines.high.intercept.value;
	fit.m_low_b = fit.lines.high.slope.value;
	fit.s_high_b = CYLINDER / fit.lines.low.intercept.value;
	fit.m_high_b = fit.lines.low.slope.value;
	return fit;
}
