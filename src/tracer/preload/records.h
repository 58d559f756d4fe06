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

/* Takes `count` places from `i` on, unless handlers of signals have come between. Other threads take none here. */
PARIO_RECORD_INLINE bool pario_record_take(struct pario_trace_segment *s, uint64_t i,
					   uint64_t count)
{
#if defined(__x86_64__) /* without a lock on the bus */
	bool taken;

	__asm__ volatile("cmpxchgq %3, %0"
			 : "+m"(s->used), "=@ccz"(taken), "+a"(i)
			 : "r"(i + count)
			 : "memory");
	return taken;
#else
	return __atomic_compare_exchange_n(&s->used, &i, i + count, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
#endif
}

/* Where `count` records in a row go; NULL when there is no room. */
PARIO_RECORD_INLINE struct pario_trace_record *pario_record_place(struct pario_trace_segment *s,
								  uint64_t count)
{
	uint64_t i;

	do {
		i = __atomic_load_n(&s->used, __ATOMIC_RELAXED);
		if (__builtin_expect(
			    i + count > __atomic_load_n(pario_window_limit(s), __ATOMIC_RELAXED),
			    0))
			return NULL;
	} while (__builtin_expect(!pario_record_take(s, i, count), 0));
	return pario_window_record(s, i);
}

/* What makes it a record, at once. */
PARIO_RECORD_INLINE void pario_record_finish(struct pario_trace_record *to, uint16_t op,
					     uint8_t layer, uint8_t flags)
{
	typedef uint32_t __attribute__((may_alias)) word;

	_Static_assert(offsetof(struct pario_trace_record, op) % 4 == 0 &&
			       __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
		       "they are one word");
	__atomic_store_n((word *)&to->op, op | (uint32_t)layer << 16 | (uint32_t)flags << 24,
			 __ATOMIC_RELEASE);
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
	pario_record_finish(to, call->op, call->layer, call->flags);
}

/* As pario_trace_put. What it calls for the unusual gets a copy: only then the call itself need not be in memory. */
PARIO_RECORD_INLINE void pario_trace_put_here(const struct pario_call *call)
{
	struct pario_thread *t = pario_trace_self;
	struct pario_trace_record *to = NULL;

	if (__builtin_expect(t->segment && !(t->named | pario_modules_stale | pario_python_known) &&
				     !pario_trace_stack && pario_site_is_final(call),
			     1))
		to = pario_record_place(t->segment, 1);
	if (__builtin_expect(!to, 0)) {
		struct pario_call copy = *call;

		pario_trace_put(&copy);
		return;
	}
	pario_record_write(to, call, call->site);
}

#endif
