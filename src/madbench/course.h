/*
 * course: the phases of MADbench2, S, D, W and C (spec/madbench2.md section 4), and its numbers.
 */
#ifndef PARIO_MADBENCH_COURSE_H
#define PARIO_MADBENCH_COURSE_H

#include "madbench/work.h"

/* The phase that run->phase names. */
int pario_mad_course_run(struct pario_mad_work *work, struct pario_err *err);

/* After a phase: its times and numbers become metrics, and what must be so is checked. Collective. */
int pario_mad_course_tell(struct pario_mad_work *work, struct pario_err *err);

#endif
