/*
 * norms: error and residual norms of a solution that arrives plane by plane.
 *
 * For values read back from a file, and for the solver's own verification. The sums are plain scalar code that
 * shares nothing with the fast kernels, so that it can witness against them.
 *
 *	pario_bt_norms_create(&norms, 'B', 0, n, true, &err)
 *	pario_bt_norms_plane(norms, plane)	for z = 0 .. n-1, each [y][x][5]
 *	pario_bt_norms_sums(norms, xcr, xce)	sums of squares, to be added up over ranks
 *	pario_bt_norms_finish(class, xcr, xce)	sums become norms
 *
 * A rank that has only planes z0 .. z0+nz-1 must feed two planes more on either side, as far as they exist.
 */
#ifndef PARIO_TESTS_NHT1_BT_NORMS_H
#define PARIO_TESTS_NHT1_BT_NORMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct pario_bt_norms;

/* Without `residual` only the error norm is made, and no plane beyond z0 .. z0+nz-1 is wanted. */
int pario_bt_norms_create(struct pario_bt_norms **norms, char class, uint64_t z0, uint64_t nz,
			  bool residual, struct pario_err *err);
void pario_bt_norms_free(struct pario_bt_norms *norms);

/* The first and the number of planes that will be asked for, in ascending order. */
void pario_bt_norms_wants(const struct pario_bt_norms *norms, uint64_t *z, uint64_t *count);

void pario_bt_norms_plane(struct pario_bt_norms *norms, const double *plane);

/* Sums of squares over the planes z0 .. z0+nz-1. xcr is 0 without residual. */
void pario_bt_norms_sums(const struct pario_bt_norms *norms, double xcr[5], double xce[5]);

/* From sums over all planes to norms, in place. */
void pario_bt_norms_finish(char class, double xcr[5], double xce[5]);

#endif
