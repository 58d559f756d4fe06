/*
 * line: the points along one ordered axis, all else being equal, and where their cost leaves the expected trend.
 */
#ifndef PARIO_SURVEY_LINE_H
#define PARIO_SURVEY_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "survey/space.h"

enum { PARIO_LINE_CUTS = 2 };

struct pario_cost_line {
	unsigned count;			   /* measured points */
	unsigned level[PARIO_AXIS_LEVELS]; /* of each, rising */
	double x[PARIO_AXIS_LEVELS], cost[PARIO_AXIS_LEVELS], noise[PARIO_AXIS_LEVELS];

	/* found by pario_line_fit */
	unsigned cuts;
	unsigned cut[PARIO_LINE_CUTS]; /* the first point after each cut */
	double excess[PARIO_LINE_CUTS +
		      1]; /* ln of the factor over the cheapest part, per part; >= 0 */
	bool fits;	  /* no point is further off than its noise allows */
};

/* Collects what is measured on the line through `cell` along `axis`. */
void pario_line_of(const struct pario_space *space, size_t cell, unsigned axis, unsigned measure,
		   struct pario_cost_line *line);

enum pario_line_mode {
	PARIO_LINE_STRICT, /* latency and bandwidth one after the other: what leaves this is worth a look */
	PARIO_LINE_LENIENT, /* anything up to the slower of the two: what leaves this is a break */
};

/* Finds the cuts. A line of less than two points has none. */
void pario_line_fit(struct pario_cost_line *line, enum pario_line_mode mode);

/*
 * True for a line whose borders were left open because the lines beside it, which are bisected, show them: every other
 * line, as on a chessboard.
 */
bool pario_line_inferred(const struct pario_space *space, size_t first, unsigned axis,
			 unsigned measure);

/* Excess of point i. */
double pario_line_excess(const struct pario_cost_line *line, unsigned i);

/* How far off a cost may be for its noise, as a logarithm. */
double pario_line_tolerance(double noise);

#endif
