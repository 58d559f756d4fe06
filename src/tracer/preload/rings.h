/*
 * rings: what lies in the rings of io_uring. Requests and completions pass through memory that program and kernel
 * share; they are read there whenever the program makes a call for the ring.
 */
#ifndef PARIO_TRACER_PRELOAD_RINGS_H
#define PARIO_TRACER_PRELOAD_RINGS_H

#include "tracer/preload/aio.h"

/* Both queues, wherever their parts lie. */
struct pario_ring {
	const unsigned *sq_tail, *sq_mask, *sq_array; /* array NULL: the n-th request is entry n */
	const char *sqes;
	const unsigned *cq_tail, *cq_mask;
	const char *cqes;
	unsigned sqe_bytes, cqe_bytes;
};

/*
 * Requests [from, to) are about to be submitted by this call; with `late`, they were at some time since the last look,
 * and what they point to may not be there any more.
 */
PARIO_HIDDEN void pario_ring_submits(const struct pario_ring *ring, const struct pario_call *submit,
				     unsigned from, unsigned to, bool late);
/* The ring knows these descriptors by numbers from `first` on. */
PARIO_HIDDEN void pario_ring_registers(const struct pario_ring *ring, unsigned first,
				       const int *fds, unsigned count);
/* Records what has completed since it was last looked at. */
PARIO_HIDDEN void pario_ring_look(const struct pario_ring *ring);
/* A ring begins, or ends: nothing is known about this memory. */
PARIO_HIDDEN void pario_ring_forget(const struct pario_ring *ring);

/* ---- rings without liburing, known by their descriptor ---- */

PARIO_HIDDEN extern unsigned pario_raw_rings; /* how many there are */

PARIO_HIDDEN void pario_raw_ring_made(int fd, const void *params);
PARIO_HIDDEN void pario_raw_ring_mapped(int fd, uint64_t offset, void *at);
PARIO_HIDDEN void pario_raw_ring_unmaps(const void *at);
PARIO_HIDDEN void pario_raw_ring_closes(int fd);
PARIO_HIDDEN void pario_raw_rings_look(void); /* what went through them since the last look */
PARIO_HIDDEN void pario_raw_rings_end(void);  /* the process ends: a last look */
/* io_uring_register has been done. */
PARIO_HIDDEN void pario_raw_ring_registers(int fd, unsigned what, const void *with, unsigned count);
/* Around io_uring_enter. */
PARIO_HIDDEN void pario_raw_ring_enters(int fd, const struct pario_call *submit);
PARIO_HIDDEN void pario_raw_ring_entered(int fd);

#endif
