/*
 * ticks: the clock of the measuring loops, in nanoseconds like base/clock.h and on the same scale.
 *
 * Reading CLOCK_MONOTONIC costs about as much as 3 % of a small read from memory. Where the kernel itself keeps time
 * with an invariant time-stamp counter, that counter is read directly, scaled by a factor measured against
 * CLOCK_MONOTONIC over the start-up of MPI (a third of a second: better than 1 ppm). Elsewhere this is the clock.
 */
#ifndef PARIO_ENGINE_TICKS_H
#define PARIO_ENGINE_TICKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

struct pario_ticks {
	bool counter;  /* the counter is used */
	uint64_t base; /* counter at base_ns */
	int64_t base_ns;
	uint64_t factor; /* nanoseconds per count, 2^32 = 1 */
};

extern struct pario_ticks pario_ticks;

/* Call first early in the process, then again once some time has passed: between the two the scale is found. */
void pario_ticks_start(void);
void pario_ticks_settle(void);

/* The clock, called and not inlined: whoever reads the counter needs no room for its answer. */
int64_t pario_ticks_clock(void);

static inline int64_t pario_ticks_ns(void)
{
	if (__builtin_expect(pario_ticks.counter, 1)) {
		uint64_t passed = pario_clock_count() - pario_ticks.base;

		return pario_ticks.base_ns +
		       (int64_t)(((unsigned __int128)passed * pario_ticks.factor) >> 32);
	}
	return pario_ticks_clock();
}

#endif
