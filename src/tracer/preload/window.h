/*
 * window: the file of a thread's segment and the part of it that is mapped.
 */
#ifndef PARIO_TRACER_PRELOAD_WINDOW_H
#define PARIO_TRACER_PRELOAD_WINDOW_H

#include "tracer/preload/trace.h"

enum { PARIO_WINDOW_RECORDS = PARIO_TRACE_WINDOW / sizeof(struct pario_trace_record) };

/* No handler of a signal runs from the one to the other; signals come afterwards. */
PARIO_HIDDEN uint64_t pario_signals_hold(void);
PARIO_HIDDEN void pario_signals_release(uint64_t old);

/* A new file DIRECTORY/PID.NUMBER with a small window, its header empty. 0 or the negative errno. */
PARIO_HIDDEN long pario_window_create(struct pario_thread *t, unsigned *numbers);

/* Can the window grow to more records? 0, or the negative errno; -ENOBUFS when it has its full size. */
PARIO_HIDDEN long pario_window_grow(struct pario_thread *t);

/* The whole window goes to the end of the file, and can be used again. 0 or the negative errno: nothing has changed. */
PARIO_HIDDEN long pario_window_spill(struct pario_thread *t);

PARIO_HIDDEN void pario_window_leave(const struct pario_trace_segment *s);

/* The number of the record before which the writer has to make room: its own word, at the header's end. */
static inline uint64_t *pario_window_limit(struct pario_trace_segment *s)
{
	return (uint64_t *)((char *)s + PARIO_TRACE_HEADER) - 1;
}

/* Where record `i` is, in whatever window. */
static inline struct pario_trace_record *pario_window_record(struct pario_trace_segment *s,
							     uint64_t i)
{
	return (struct pario_trace_record *)((char *)s + PARIO_TRACE_HEADER) +
	       i % PARIO_WINDOW_RECORDS;
}

#endif
