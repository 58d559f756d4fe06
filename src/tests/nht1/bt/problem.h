/*
 * problem: what each class of BT is: size, steps, operations, reference norms, and its exact solution.
 *
 * Everything here is data and closed formulae of the problem's definition; no MPI, no state. Components 0..4 are
 * density, three momenta and energy; points are counted from 0, x first.
 */
#ifndef PARIO_TESTS_NHT1_BT_PROBLEM_H
#define PARIO_TESTS_NHT1_BT_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

/* Physical constants of the equations; c3c4 = c3 c4, c1345 = c1 c5 c3 c4. */
#define PARIO_BT_C1    1.4
#define PARIO_BT_C2    0.4
#define PARIO_BT_C3C4  0.1
#define PARIO_BT_C1345 0.196
#define PARIO_BT_DSSP  0.25 /* fourth-order dissipation: a quarter of the largest D */

struct pario_bt_problem {
	char class;
	int n, steps; /* grid n^3 */
	double dt;
	double xcr[5], xce[5]; /* residual and error norms after the last step */
	double xce_io[5];      /* BT-IO: error norms, mean over the dumps after every fifth step;
				  0 where none were published (class F) */
};

/* NULL for a class that is not known. Either case. */
const struct pario_bt_problem *pario_bt_problem(char class);

/* The classes in order of their size, as one string: "SWABCDEF". */
const char *pario_bt_classes(void);

/* Shorthand for callers that have only the class; 0 for a class that is not known. */
double pario_bt_operations(char class); /* floating-point operations of all steps, as NPB counts */
int pario_bt_steps(char class);
int pario_bt_points(char class); /* N of the grid N^3 */
double pario_bt_dt(char class);

/* D, the coefficient of the second differences, per direction: x, y, z. */
double pario_bt_second(int direction);

/* Do all five agree with the reference to 1e-8? A NaN does not. */
bool pario_bt_agrees(const double value[5], const double reference[5]);

/* The exact solution, and the initial value: on a face the exact one, inside a blend of the faces. */
void pario_bt_exact(double x, double y, double z, double u[5]);
void pario_bt_initial(int n, int i, int j, int k, double u[5]);

#endif
