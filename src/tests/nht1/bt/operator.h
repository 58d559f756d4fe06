/*
 * operator: the spatial operator L(u) at one point, in plain scalar code.
 *
 * Makes the forcing, -L(exact solution), and witnesses against the fast kernels in the residual norm.
 */
#ifndef PARIO_TESTS_NHT1_BT_OPERATOR_H
#define PARIO_TESTS_NHT1_BT_OPERATOR_H

/*
 * Adds to `out` what L gives along one direction (0 x, 1 y, 2 z) at index i of a line of n points, 1 <= i <= n-2.
 * p[0..4]: the five components of the points i-2 .. i+2; those beyond the line are ignored but must be readable.
 */
void pario_bt_operator(int n, int direction, int i, const double *const p[5], double out[5]);

#endif
