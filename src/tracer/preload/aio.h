/*
 * aio: what the wrappers of asynchronous calls share, among them syscall().
 */
#ifndef PARIO_TRACER_PRELOAD_AIO_H
#define PARIO_TRACER_PRELOAD_AIO_H

#include "tracer/preload/data.h"
#include "tracer/preload/pending.h"

struct iocb;
struct io_event;

/* A request that a call submits: a record of its own beside that call, whoever waits for it. */
static inline struct pario_call pario_request(const struct pario_call *submit, uint16_t op)
{
	struct pario_call c = *submit;

	c.op = op;
	c.layer = PARIO_TRACE_ASYNC;
	c.flags = submit->flags & PARIO_TRACE_DEPTH;
	c.offset = PARIO_TRACE_NOWHERE;
	c.size = 0;
	c.result = 0;
	c.file = 0;
	return c;
}

/* io_submit is about to take `n` requests, has taken `r` of them; io_getevents has given `r` events. */
PARIO_HIDDEN void pario_aio_submits(const struct pario_call *submit, struct iocb **list, long n);
PARIO_HIDDEN void pario_aio_submitted(struct iocb **list, long n, long r);
PARIO_HIDDEN void pario_aio_events(const struct io_event *events, long r);

#endif
