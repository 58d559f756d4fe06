/*
 * grid: the largest two- or three-dimensional arrangement of at most n processes that is worth its name (docs/beff.md).
 */
#ifndef PARIO_TESTS_BEFF_MODEL_GRID_H
#define PARIO_TESTS_BEFF_MODEL_GRID_H

enum { PARIO_BEFF_DIMENSIONS = 3 };

/* Fills the extents, largest first, those beyond `dimensions` 1. Returns how many processes take part. */
unsigned pario_beff_grid(unsigned n, unsigned dimensions, unsigned extent[PARIO_BEFF_DIMENSIONS]);

/* The process `step` (1 or -1) further in one direction; -1 where the grid ends there. Numbered as MPI does. */
int pario_beff_grid_neighbour(const unsigned extent[PARIO_BEFF_DIMENSIONS], unsigned position,
			      unsigned direction, int step, int periodic);

#endif
