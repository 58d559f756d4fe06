/*
 * revolution: rates of a rotating disk.
 */
#include "tests/overlap/model/revolution.h"

#include <math.h>

/* A revolution is lost at the end of each cylinder of ten tracks. */
#define CYLINDER 1.1

double pario_revolutions(double s, double m, double b)
{
	return CYLINDER / s + m / b;
}

double pario_revolutions_of_rate(const struct pario_rotating_disk *disk, double rate)
{
	return disk->sector * disk->turns_per_s / rate;
}

double pario_revolution_rate(const struct pario_rotating_disk *disk, double s, double m, double b)
{
	return disk->sector * disk->turns_per_s / pario_revolutions(s, m, b);
}

/* S is the inverse of a number with an error, which it has in the same proportion. */
static struct pario_revolution of_line(const struct pario_fitted_line *line)
{
	double inverse = line->intercept.value;

	return (struct pario_revolution){ .s = { CYLINDER / inverse,
						 CYLINDER / inverse *
							 fabs(line->intercept.error / inverse) },
					  .m = line->slope };
}

struct pario_revolution_fit pario_revolution_fit(const struct pario_rotating_disk *disk,
						 const double *b,
						 const struct pario_estimate *rates, size_t n)
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
		known |= isfinite(errors[i]) && errors[i] > 0;
	}
	fit.lines = pario_fit_two_lines(x, y, known ? errors : NULL, n);
	fit.all = of_line(&fit.lines.one);
	/* A small buffer is a large 1/B. */
	fit.small = of_line(&fit.lines.high);
	fit.large = of_line(&fit.lines.low);
	return fit;
}
