/*
 * compute_time: T_C, the best verified time of the solver without writing (docs/nht1.md).
 *
 * What the solver needs depends on its class and on the clients it runs on, and not on how its solution is written: one
 * T_C holds for all points of a run with the same two.
 */
#ifndef PARIO_TESTS_NHT1_REPORT_COMPUTE_TIME_H
#define PARIO_TESTS_NHT1_REPORT_COMPUTE_TIME_H

#include <stdint.h>

#include "journal/history.h"

/* The class of a result of nht1_application; 0 = it does not say. */
char pario_nht1_class(const struct pario_history *history, const json_t *result);

/* The best T_C of the results with this class and as many clients; NaN where there is none. */
double pario_nht1_compute_time(const struct pario_history *history, char class, uint64_t clients);

/* What --t_c means: a number of seconds, or the journal of a run with such results. */
int pario_nht1_given(const char *text, char class, uint64_t clients, double *seconds,
		     struct pario_err *err);

#endif
