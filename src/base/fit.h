/*
 * fit: straight lines by least squares, one or two, with intervals.
 *
 * Time per operation against bytes is a line (T_call + bytes T_trans), and so are the other laws of the overlap study:
 * overhead per sector and revolutions per sector against 1/B (docs/overlap.md). Where one line does not describe the
 * points (the paper's BUFFER IN), two lines with a breakpoint between them are tried, and kept only when they are
 * better by more than their additional parameters explain.
 */
#ifndef PARIO_BASE_FIT_H
#define PARIO_BASE_FIT_H

#include <stdbool.h>
#include <stddef.h>

/* A number and the half-width of its 95 % interval (NaN where nothing can be said). */
struct pario_estimate {
	double value, error;
};

struct pario_fitted_line {
	size_t count;
	struct pario_estimate intercept, slope;
	double r2;  /* 1 - SSE/SST; 1 for points on a line, whatever its slope */
	double sse; /* weighted where weights were given */
};

/*
 * The line through n points. Without errors all points count alike and the intervals come from the scatter about the
 * line. With errors (half-widths of 95 % intervals of y) each point counts by 1/error^2, and the intervals are the
 * larger of what the errors and what the scatter say. An error that is not positive and finite counts as the largest
 * of the others. Below 2 points, or with all x alike, everything is NaN; 2 points without errors have no interval.
 */
struct pario_fitted_line pario_fit_line(const double *x, const double *y, const double *errors,
					size_t n);

struct pario_two_lines {
	bool broken; /* two lines describe the points significantly better than one */
	double at; /* the breakpoint: halfway between the last x of one and the first of the other */
	size_t low_count; /* points with x below it */
	struct pario_fitted_line one, low, high;
};

enum { PARIO_FIT_POINTS = 64 };

/* At most PARIO_FIT_POINTS points, sorted by x in either direction. Each line has at least 3 points. */
struct pario_two_lines pario_fit_two_lines(const double *x, const double *y, const double *errors,
					   size_t n);

/*
 * Errors that all points share, which fitting does not make smaller: a part of everything, and what may be in every
 * intercept and in every slope.
 */
void pario_fit_share_error(struct pario_two_lines *lines, double part, double intercept,
			   double slope);

/*
 * What the line t = T_fix + bytes T_byte says: the asymptotic rate (r-infinity) in bytes per unit of time, and the size
 * that reaches half.
 */
double pario_fit_rate(const struct pario_fitted_line *line);
double pario_fit_half_size(const struct pario_fitted_line *line);

#endif
