/*
 * cells: the repetitions of everything that was measured, sorted by what they are the cost of.
 */
#ifndef PARIO_CHARACTERIZE_CELLS_H
#define PARIO_CHARACTERIZE_CELLS_H

#include "predict/system/system.h"

/* One size of one surface. */
struct pario_measured_cell {
	struct pario_system_surface of; /* without points and pieces */
	uint64_t bytes;
	double *seconds; /* a repetition each */
	size_t count;
	double own; /* what pario itself took of one call, in the repetition where that was least */
};

struct pario_cells {
	struct pario_measured_cell *list;
	size_t count;
	bool failed; /* for want of memory */
};

void pario_cells_release(struct pario_cells *cells);

void pario_cells_add(struct pario_cells *cells, const struct pario_system_surface *of,
		     uint64_t bytes, double seconds);

/* The median of a cell, or NaN; clients 0 means any number of them. */
double pario_cells_median(const struct pario_cells *cells, const struct pario_system_surface *of,
			  uint64_t bytes);

/* The same for a call that pario spent `own` seconds of on something else. */
void pario_cells_add_less(struct pario_cells *cells, const struct pario_system_surface *of,
			  uint64_t bytes, double seconds, double own);

/* Takes off what pario took itself; half of a time is left at least. */
void pario_cells_settle(struct pario_cells *cells);

/* Takes so many seconds off the cells of an operation; half of a time is left at least. */
void pario_cells_less(struct pario_cells *cells, enum pario_system_op op, double seconds);

/* In percent: the deviation of repetitions that half of the cells exceed. */
double pario_cells_noise(const struct pario_cells *cells);

/* Surfaces with points and pieces. -1: no memory. */
int pario_cells_surfaces(const struct pario_cells *cells, struct pario_system *system);

#endif
