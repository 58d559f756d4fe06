/*
 * core: what the parts of the recorder share: the environment of a process, segments of threads, records in them.
 */
#ifndef PARIO_TRACER_PRELOAD_CORE_H
#define PARIO_TRACER_PRELOAD_CORE_H

#include "tracer/preload/trace.h"

/* Is this process traced? Sets where to, and whether ticks are of the time-stamp counter. */
PARIO_HIDDEN bool pario_environment_read(bool *counts);
/* Its rank and how many there are, UINT32_MAX = it has none. */
PARIO_HIDDEN uint32_t pario_environment_rank(void);
PARIO_HIDDEN uint32_t pario_environment_ranks(void);

/* What failed is tried again, ever more rarely: descriptors and space may come back. */
static inline bool pario_segment_worth_trying(const struct pario_thread *t)
{
	return (t->lost & (t->lost - 1)) == 0;
}

/* Anchors let the reader scale the counter. */
PARIO_HIDDEN void pario_segment_anchor(void);
/* A file may not grow any longer: the thread goes on in another one. Negative: the error number. */
PARIO_HIDDEN long pario_segment_another(struct pario_thread *t);

#endif
