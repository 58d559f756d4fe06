/*
 * algebra: what ScaLAPACK does for MADbench2's full mode, on the grid of a gang.
 *
 * Where there is no ScaLAPACK `missing` says so, and there is nothing else. BLACS, below it, ends the whole
 * job when it is misused; sizes are checked before.
 */
#ifndef PARIO_TESTS_MADBENCH2_MEASURE_ALGEBRA_H
#define PARIO_TESTS_MADBENCH2_MEASURE_ALGEBRA_H

#include "base/err.h"
#include "tests/madbench2/measure/gang.h"

/* A distributed matrix as ScaLAPACK describes it. All zero = not described. */
struct pario_mad_matrix {
	int handle, context, n;
	int description[9];
};

struct pario_mad_algebra {
	/* Why there is no full mode here, and what to install; NULL = there is one. */
	const char *missing;

	/* Collective over the gang that holds the matrix, as are the others. */
	int (*describe)(struct pario_mad_matrix *matrix, const struct pario_mad_gang *gang,
			struct pario_err *err);
	void (*release)(struct pario_mad_matrix *matrix);

	/*
	 * a becomes its inverse; it must be symmetric and positive definite. `scratch` is as large. Fails on all alike.
	 */
	int (*invert)(const struct pario_mad_matrix *matrix, const struct pario_mad_part *part,
		      double *a, double *scratch, struct pario_err *err);
	void (*transpose)(const struct pario_mad_matrix *matrix, const double *a,
			  double *transposed);
	void (*product)(const struct pario_mad_matrix *matrix, const double *a, const double *b,
			double *product);

	/* As pario_mad_remap: called by all processes; `in` = this one belongs to the target gang. */
	void (*remap)(const struct pario_mad_matrix *all, const struct pario_mad_matrix *own,
		      bool in, const double *from, double *to);
};

/* Loads ScaLAPACK when it is called for the first time. */
const struct pario_mad_algebra *pario_mad_algebra(void);

#endif
