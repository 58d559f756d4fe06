/*
 * site: where in the program a call comes from. A wrapper's caller may be a library that works for the program: the
 * binding of another language, an I/O library, a language's own input and output. Then the first caller that is none
 * of these counts.
 *
 * Calls within others keep the library that made them, and so do those that an MPI library makes for itself.
 */
#ifndef PARIO_TRACER_PRELOAD_SITE_H
#define PARIO_TRACER_PRELOAD_SITE_H

#include "tracer/preload/trace.h"

enum { PARIO_FINAL_SITES = 512 };
/* Call sites that are known to be the program's. */
PARIO_HIDDEN extern uint64_t pario_final_sites[PARIO_FINAL_SITES];

static inline uint64_t *pario_final_site(uint64_t site)
{
	return &pario_final_sites[(site * 0x9e3779b97f4a7c15u) >> 55];
}

/* Need nobody look further? */
static inline bool pario_site_is_final(const struct pario_call *call)
{
	return call->flags & PARIO_TRACE_DEPTH ||
	       __atomic_load_n(pario_final_site(call->site), __ATOMIC_RELAXED) == call->site;
}

/* The call site of a call that returns from its wrapper only later. */
PARIO_HIDDEN uint64_t pario_site(const struct pario_call *call);
/* Libraries have come or gone. */
PARIO_HIDDEN void pario_sites_forget(void);

#endif
