/*
 * phases: the phases of MADbench2, S, D, W and C (docs/madbench2.md), and its numbers.
 */
#ifndef PARIO_TESTS_MADBENCH2_MEASURE_PHASES_H
#define PARIO_TESTS_MADBENCH2_MEASURE_PHASES_H

#include "tests/madbench2/measure/work.h"

/* The phase that run->phase names. */
int pario_mad_phases_run(struct pario_mad_work *work, struct pario_err *err);

/* After a phase: its times and numbers become metrics, and what must be so is checked. Collective. */
int pario_mad_phases_tell(struct pario_mad_work *work, struct pario_err *err);

#endif
