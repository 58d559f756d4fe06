/*
 * unwind: one step up the stack, from what the compiler wrote down for exceptions (.eh_frame). No locks, no memory:
 * the loader finds the table without either (_dl_find_object, glibc 2.35). Elsewhere, and where a frame cannot be
 * described in a few numbers, there is no step.
 */
#ifndef PARIO_TRACER_PRELOAD_UNWIND_H
#define PARIO_TRACER_PRELOAD_UNWIND_H

#include "tracer/preload/trace.h"

/* How to get from a place in a function to the frame of who called it. */
struct pario_frame_step {
	bool known, outermost; /* outermost: nobody called it */
	bool by_frame; /* the caller's stack begins behind the frame register, not the stack pointer, */
	int32_t size;  /* so many bytes; the return address lies below it */
	int32_t saved; /* where below it the frame register is kept, 0 = it is as it was */
};

/* The object that holds an address; its name, NULL: none. "" is the program. */
PARIO_HIDDEN const char *pario_unwind_object(uint64_t address);
/* `at` is a return address. */
PARIO_HIDDEN struct pario_frame_step pario_unwind_step(uint64_t at);
/* Looks for the loader's answers, when the program begins; `known`: they are there. */
PARIO_HIDDEN extern bool pario_unwind_known;
PARIO_HIDDEN void pario_unwind_find(void);

#endif
