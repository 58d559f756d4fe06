/*
 * shape: the formulae. All arithmetic is 64 bits wide; the check keeps it there.
 */
#include "tests/madbench2/model/shape.h"

#include <limits.h>
#include <math.h>

#include "base/units.h"

uint64_t pario_mad_exceeding(uint64_t bytes, uint64_t bins)
{
	uint64_t elements = bytes / (bins * sizeof(double)),
		 side = (uint64_t)sqrt((double)elements);

	/* The root is rounded, either way. */
	while (side > 0 && side * side > elements)
		side--;
	while (side * side <= elements)
		side++;
	return side;
}

uint64_t pario_mad_side(uint64_t square)
{
	uint64_t side = (uint64_t)(sqrt((double)square) + 0.5);

	return side * side == square ? side : 0;
}

uint64_t pario_mad_extent(uint64_t pixels, uint64_t block, uint64_t side, uint64_t coordinate)
{
	uint64_t blocks = pixels / block, last = blocks % side;

	return (blocks / side + (coordinate < last)) * block +
	       (coordinate == last ? pixels % block : 0);
}

struct pario_mad_part pario_mad_part(const struct pario_mad_shape *shape, uint64_t processes,
				     uint64_t rank)
{
	uint64_t side = pario_mad_side(processes);
	struct pario_mad_part p = { .pixels = shape->no_pix,
				    .block = shape->sblocksize,
				    .side = side,
				    .row = rank % side,
				    .col = rank / side };

	p.rows = pario_mad_extent(p.pixels, p.block, side, p.row);
	p.cols = pario_mad_extent(p.pixels, p.block, side, p.col);
	p.elements = p.rows * p.cols;
	return p;
}

/* Nobody holds more than the first process: it has the first of any blocks left over, and of those the whole ones. */
static uint64_t most(const struct pario_mad_shape *shape, uint64_t processes)
{
	struct pario_mad_part first = pario_mad_part(shape, processes, 0);

	return first.elements;
}

uint64_t pario_mad_capacity(const struct pario_mad_shape *shape)
{
	uint64_t one = shape->no_gang * most(shape, shape->clients);
	uint64_t gang = most(shape, shape->clients / shape->no_gang);

	return one > gang ? one : gang;
}

struct pario_mad_places pario_mad_places(const struct pario_mad_shape *shape)
{
	uint64_t block = shape->fblocksize / sizeof(double), unit = shape->no_gang * block;
	uint64_t blocks = (pario_mad_capacity(shape) + unit - 1) / unit;

	return (struct pario_mad_places){ .one = blocks * block, .gang = blocks * unit };
}

uint64_t pario_mad_file_bytes(const struct pario_mad_shape *shape)
{
	return shape->no_bin * pario_mad_places(shape).one * sizeof(double);
}

/* MADbench2's conditions on the number of processes and gangs. */
static int check_counts(const struct pario_mad_shape *s, struct pario_err *err)
{
	uint64_t below = (uint64_t)sqrt((double)s->clients), group;

	if (!pario_mad_side(s->clients))
		return pario_err_set(
			err, PARIO_USAGE,
			"MADbench2 needs a square number of clients and there are %llu. Start it "
			"with --np %llu or %llu.",
			(unsigned long long)s->clients, (unsigned long long)(below * below),
			(unsigned long long)((below + 1) * (below + 1)));
	if (!pario_mad_side(s->no_gang))
		return pario_err_set(err, PARIO_USAGE,
				     "--no_gang %llu is not a square number. Use 1, 4, 9, ...",
				     (unsigned long long)s->no_gang);
	if (s->clients % s->no_gang || s->no_bin % s->no_gang)
		return pario_err_set(err, PARIO_USAGE,
				     "--no_gang %llu must divide the number of clients, %llu, and "
				     "--no_bin, %llu. Use another number of gangs, such as 1.",
				     (unsigned long long)s->no_gang, (unsigned long long)s->clients,
				     (unsigned long long)s->no_bin);
	group = s->clients / s->no_gang;
	if (group % s->r_mod || group % s->w_mod)
		return pario_err_set(err, PARIO_USAGE,
				     "--r_mod %llu and --w_mod %llu must divide the clients of a "
				     "gang, %llu. Use 1 for all at once.",
				     (unsigned long long)s->r_mod, (unsigned long long)s->w_mod,
				     (unsigned long long)group);
	return 0;
}

int pario_mad_shape_check(const struct pario_mad_shape *s, struct pario_err *err)
{
	uint64_t blocks = (s->no_pix + s->sblocksize - 1) / s->sblocksize, capacity, all;
	struct pario_mad_places places;

	if (check_counts(s, err) < 0)
		return -1;
	if (blocks < pario_mad_side(s->clients))
		return pario_err_set(
			err, PARIO_USAGE,
			"--no_pix %llu in blocks of --sblocksize %llu gives %llu blocks a side, "
			"too few for a grid of %llu x %llu clients. Use smaller blocks.",
			(unsigned long long)s->no_pix, (unsigned long long)s->sblocksize,
			(unsigned long long)blocks, (unsigned long long)pario_mad_side(s->clients),
			(unsigned long long)pario_mad_side(s->clients));
	if (s->fblocksize % sizeof(double))
		return pario_err_set(err, PARIO_USAGE,
				     "--fblocksize %llu is not a multiple of 8, the size of a "
				     "matrix element.",
				     (unsigned long long)s->fblocksize);
	/* MPI counts elements, and ScaLAPACK their places, with an int. */
	capacity = pario_mad_capacity(s);
	if (capacity > INT_MAX)
		return pario_err_set(err, PARIO_USAGE,
				     "a client's part of a matrix has %llu elements, more than "
				     "2^31-1. Use more clients or fewer pixels (--no_pix).",
				     (unsigned long long)capacity);
	places = pario_mad_places(s);
	if (!pario_mul(places.one * sizeof(double), s->no_bin, &all) ||
	    !pario_mul(all, s->clients, &all) || all > INT64_MAX)
		return pario_err_set(err, PARIO_USAGE,
				     "the matrices of all clients take more than 2^63 bytes. Use "
				     "fewer bins, fewer pixels or a smaller --fblocksize.");
	return 0;
}

uint64_t pario_mad_busy(const struct pario_mad_shape *shape, uint64_t processes, int power,
			double bwexp)
{
	double pixels = (double)shape->no_pix;
	double work = bwexp < 0 ? pow(pixels, power) : pow(pixels * pixels, bwexp);
	double count = floor(work / ((double)processes * 2 * (double)shape->sblocksize));

	return count < (double)(UINT64_MAX / 2) ? (uint64_t)count : UINT64_MAX / 2;
}
