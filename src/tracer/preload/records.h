/*
 * records: how a wrapper writes the record of its call without leaving it.
 *
 * What a wrapper knows about its call then stays in registers. Written to memory and read again as something wider, it
 * would be waited for.
 */
#ifndef PARIO_TRACER_PRELOAD_RECORDS_H
#define PARIO_TRACER_PRELOAD_RECORDS_H

#include "tracer/preload/python.h"
#include "tracer/preload/site.h"
#include "tracer/preload/trace.h"
#include "tracer/preload/window.h"

#define PARIO_RECORD_INLINE static inline __attribute__((always_inline))

/*
 * Adds at once as far as signal handlers of this thread can see; no other thread writes here, so no bus lock is needed.
 */
PARIO_RECORD_INLINE uint64_t pario_record_advance(uint64_t *counter, uint64_t by)
{
#if defined(__x86_64__)
	__asm__ volatile("xaddq %0, %1" : "+r"(by), "+m"(*counter) : : "cc", "memory");
	return by;
#else
	return __atomic_fetch_add(counter, by, __ATOMIC_RELAXED);
#endif
}

/* The number of the first of `count` records; by the outermost of those that interrupt each other (records.c). */
PARIO_RECORD_INLINE uint64_t pario_record_claim(struct pario_thread *t, uint64_t count)
{
	uint64_t *used = &t->segment->used;

	t->open_count = count;
	do {
		t->open = __atomic_load_n(used, __ATOMIC_RELAXED) + 1;
		__asm__ volatile("" : : : "memory");
	} while (__builtin_expect(__atomic_load_n(used, __ATOMIC_RELAXED) + 1 != t->open, 0));
	return pario_record_advance(used, count);
}

/* Where it is. Not by the window's first number: a handler may come now and go on to the next window. */
PARIO_RECORD_INLINE struct pario_trace_record *pario_record_at(const struct pario_thread *t,
							       uint64_t i)
{
	return &t->records[i % PARIO_WINDOW_RECORDS];
}

/* Its op comes last: a record without one was never finished. */
PARIO_RECORD_INLINE void pario_record_write(struct pario_trace_record *to,
					    const struct pario_call *call, uint64_t site)
{
	to->t0 = call->start;
	to->site = site;
	to->offset = call->offset;
	to->size = call->size;
	to->duration =
		pario_trace_pack_ticks(call->stop > call->start ? call->stop - call->start : 0);
	to->file = call->file;
	to->result = call->result;
	to->more = call->more;
	to->fd = call->fd;
	to->arg = call->arg;
	to->layer = call->layer;
	to->flags = call->flags;
	__atomic_store_n(&to->op, call->op, __ATOMIC_RELEASE);
}

/*
 * Record i was claimed. `full`: there was no room for it then, which is not to be asked again, since a handler may have
 * made room for others. The rest as pario_trace_put.
 */
PARIO_HIDDEN void pario_record_put(const struct pario_call *call, uint64_t i, bool full);

/* As pario_trace_put. What it calls for the unusual gets a copy: only then the call itself need not be in memory. */
PARIO_RECORD_INLINE void pario_trace_put_here(const struct pario_call *call)
{
	struct pario_thread *t = pario_trace_self;
	uint64_t i;
	bool full;

	if (__builtin_expect(!t->segment || t->open || pario_python_known || pario_trace_stack ||
				     !pario_site_is_final(call),
			     0)) {
		struct pario_call copy = *call;

		pario_trace_put(&copy);
		return;
	}
	i = pario_record_claim(t, 1);
	full = i >= t->limit;
	if (__builtin_expect(full || t->named || pario_modules_stale, 0)) {
		struct pario_call copy = *call;

		pario_record_put(&copy, i, full);
		return;
	}
	pario_record_write(pario_record_at(t, i), call, call->site);
	__asm__ volatile("" : : : "memory");
	t->open = 0;
}

#endif
