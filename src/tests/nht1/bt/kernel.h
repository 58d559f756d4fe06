/*
 * kernel: the fast inner part of the solver, built several times for different processors.
 *
 * kernel.c is compiled once as it is and, on x86-64, once for each of the architecture levels v3 and v4; each
 * build exports one of the tables below under its own name, and isa.c picks one while the program runs.
 *
 * Layout of the fields: [k][j][i / 8][m][i % 8], the rows of i padded to whole groups of eight, the padding filled
 * with sane values that never change. So the five components of eight neighbours lie side by side in five cache
 * lines, and vectors of any width up to eight are aligned. A batch is `width` neighbouring lines, one per lane of a
 * vector.
 */
#ifndef PARIO_TESTS_NHT1_BT_KERNEL_H
#define PARIO_TESTS_NHT1_BT_KERNEL_H

#include <stddef.h>

enum {
	PARIO_BT_UNIT = 8,   /* doubles: the widest vector, and a cache line */
	PARIO_BT_STATE = 30, /* vectors kept per point of an elimination: C' and rhs' */
};

/* The fields as one rank sees them. Planes are counted globally; the first stored one is k0. */
struct pario_bt_grid {
	int n, k0;
	size_t row, line,
		plane; /* points in a padded row; doubles from j to j + 1, from k to k + 1 */
	double dt;
	double *u, *rhs, *forcing;
};

/* Where component m of point i lies in its row. */
static inline size_t pario_bt_place(size_t m, size_t i)
{
	return (i / PARIO_BT_UNIT * 5 + m) * PARIO_BT_UNIT + i % PARIO_BT_UNIT;
}

/* A stretch of z: `count` points, the first one after plane `before`, in steps of +1 or -1. */
struct pario_bt_stretch {
	int before, step, count;
};

struct pario_bt_kernel {
	const char *name;
	int width;
	/* Doubles of scratch that across() and along() need, 64-byte aligned. */
	size_t (*scratch)(const struct pario_bt_grid *grid);
	/*
	 * rhs of the rows j .. end-1 of plane k holds forcing + L_z(u); becomes the solution of the x factor. Rows
	 * of one plane may be done by several ranks at once. Those from `end` to before `ahead` come next.
	 */
	void (*across)(const struct pario_bt_grid *grid, int k, int j, int end, int ahead,
		       double *scratch);
	/*
	 * y factor of the batches from .. to-1 of plane k, once all its rows are across. The plane `ahead`
	 * comes next; -1 for none.
	 */
	void (*along)(const struct pario_bt_grid *grid, int k, int from, int to, int ahead,
		      double *scratch);
	/*
	 * z factor of the lines from i on in row j: work[0] is the state before the first point, work[1..count]
	 * are written. Each state has PARIO_BT_STATE x width doubles.
	 */
	void (*eliminate)(const struct pario_bt_grid *grid, struct pario_bt_stretch z, int j, int i,
			  double *work);
	/* x: 5 x width, the solution after the last point; becomes that of the first. u += solution. */
	void (*substitute)(const struct pario_bt_grid *grid, struct pario_bt_stretch z, int j,
			   int i, const double *work, double *x);
	/* rhs = forcing + L_z(u) of the lines from i on in row j, planes k .. k+count-1. */
	void (*derive)(const struct pario_bt_grid *grid, int k, int count, int j, int i);
};

/* The i-th build this processor can run, slowest first; NULL after the last. */
const struct pario_bt_kernel *pario_bt_kernel_at(int i);

#endif
