/*
 * shape: where MADbench2's matrices lie, in memory and in files, and how long its busy-work is.
 *
 * A matrix of pixels × pixels doubles is distributed over a square grid of processes, two-dimensionally block cyclic
 * with square blocks; ranks go down the columns of the grid, and so do elements in memory. Arithmetic only, no MPI:
 * docs/madbench2.md
 */
#ifndef PARIO_TESTS_MADBENCH2_MODEL_SHAPE_H
#define PARIO_TESTS_MADBENCH2_MODEL_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* The parameters that say where things lie, under the names they have in MADbench2. */
struct pario_mad_shape {
	uint64_t no_pix, no_bin, no_gang, sblocksize, fblocksize, r_mod, w_mod;
	uint64_t clients;
};

/* What one process of a grid holds of a matrix. */
struct pario_mad_part {
	uint64_t pixels, block;
	uint64_t side;	     /* of the grid */
	uint64_t row, col;   /* of the process in it */
	uint64_t rows, cols; /* that it holds */
	uint64_t elements;
};

/* In doubles: matrix k begins at k × one, when all processes share it, or k × gang, when a gang does. */
struct pario_mad_places {
	uint64_t one, gang;
};

/* MADbench2's own conditions (section 1) and those of arithmetic; refused with PARIO_USAGE. */
int pario_mad_shape_check(const struct pario_mad_shape *shape, struct pario_err *err);

/* The fewest pixels at which the matrices of all bins together are larger than so many bytes. */
uint64_t pario_mad_exceeding(uint64_t bytes, uint64_t bins);

/* The side of a square number, 0 when it is none. */
uint64_t pario_mad_side(uint64_t square);

/* Rows (or columns) of `pixels` that the process at this coordinate holds. */
uint64_t pario_mad_extent(uint64_t pixels, uint64_t block, uint64_t side, uint64_t coordinate);

/* The place in the matrix of a local row or column. */
static inline uint64_t pario_mad_global(uint64_t local, uint64_t block, uint64_t side,
					uint64_t coordinate)
{
	return (local / block * side + coordinate) * block + local % block;
}

/* The coordinate of the process that holds this row or column. */
static inline uint64_t pario_mad_holder(uint64_t global, uint64_t block, uint64_t side)
{
	return global / block % side;
}

struct pario_mad_part pario_mad_part(const struct pario_mad_shape *shape, uint64_t processes,
				     uint64_t rank);

/* Of a shape that passed the check. */
struct pario_mad_places pario_mad_places(const struct pario_mad_shape *shape);

/* What one process has in its file, or in its part of a shared one. */
uint64_t pario_mad_file_bytes(const struct pario_mad_shape *shape);

/* Doubles that a buffer needs to hold any matrix of any process. */
uint64_t pario_mad_capacity(const struct pario_mad_shape *shape);

/*
 * Iterations of sblocksize multiply-adds each, for work that grows with no_pix^power on so many processes; with
 * bwexp of 0 or more it grows with (no_pix^2)^bwexp instead.
 */
uint64_t pario_mad_busy(const struct pario_mad_shape *shape, uint64_t processes, int power,
			double bwexp);

#endif
