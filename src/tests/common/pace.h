/*
 * pace: the computing of an emulated program: so long a step takes that has all it needs.
 *
 * It waits, as a program does whose accelerator computes, or keeps a core and its caches busy.
 */
#ifndef PARIO_TESTS_COMMON_PACE_H
#define PARIO_TESTS_COMMON_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/busy.h"

struct pario_run;

extern const char *const pario_pace_kinds[]; /* wait, busy; ends with NULL */

struct pario_pace {
	bool busy;
	struct pario_busy memory;
};

void pario_pace_init(struct pario_pace *pace, bool busy);
void pario_pace_release(struct pario_pace *pace);

/* Until the run's clock says `until_ns`, or the user interrupts. */
void pario_pace_until(struct pario_pace *pace, const struct pario_run *run, int64_t until_ns);

#endif
