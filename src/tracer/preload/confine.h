/*
 * confine: around the calls by which a program gives up system calls, or the time-stamp counter. `a` are the arguments.
 */
#ifndef PARIO_TRACER_PRELOAD_CONFINE_H
#define PARIO_TRACER_PRELOAD_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracer/preload/trace.h"

struct pario_confine {
	bool mute, blind;
	uint64_t now;
};

PARIO_HIDDEN struct pario_confine pario_confine_begin(long number, const long *a);
PARIO_HIDDEN void pario_confine_end(struct pario_confine confine, long result);

#endif
