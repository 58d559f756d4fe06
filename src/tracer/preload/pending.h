/*
 * pending: asynchronous requests between their submission and their completion. Also for the shims.
 */
#ifndef PARIO_TRACER_PRELOAD_PENDING_H
#define PARIO_TRACER_PRELOAD_PENDING_H

#include "tracer/preload/trace.h"

/* Remembers a request that is about to be submitted; without room it is recorded at once, as started. */
PARIO_EXPORT void pario_pending_start(uint64_t key, struct pario_call *call);
/* The oldest request of a key; false when there is none. */
PARIO_EXPORT bool pario_pending_take(uint64_t key, struct pario_call *call);
/* Records a request that was taken: `got` bytes, or a negative errno. */
PARIO_EXPORT void pario_pending_done(struct pario_call *call, int64_t got);
/* Both; false when there was none. */
PARIO_EXPORT bool pario_pending_complete(uint64_t key, int64_t got);
/* The process ends: what is left is recorded as started. */
PARIO_HIDDEN void pario_pending_end(void);

#endif
