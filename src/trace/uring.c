/*
 * uring: wrappers of liburing. Spec section 3, group D.
 *
 * Preparing a request is inline in the program. The requests are read from the ring when they are submitted and recorded below
 * the call that submits them. What a polling kernel thread does afterwards is not seen, nor when a request completed.
 */
#include "trace/data.h"

#include <linux/io_uring.h>
#include <signal.h>

/* The beginning of liburing's ring, the same in all its versions. */
struct ring {
	unsigned *khead, *ktail, *kring_mask, *kring_entries, *kflags, *kdropped, *array;
	struct io_uring_sqe *sqes;
	unsigned sqe_head, sqe_tail;
};

struct span {
	unsigned from, to;
};

static struct span pending(const struct ring *ring)
{
	return (struct span){ ring->sqe_head, ring->sqe_tail };
}

static void put_one(const struct pario_call *submit, const struct io_uring_sqe *q)
{
	struct pario_call c = *submit;

	c.flags = (uint8_t)((submit->flags & PARIO_TRACE_DEPTH) + 1) | PARIO_TRACE_STARTED;
	c.stop = c.start;
	c.size = q->len;
	c.offset = q->off == UINT64_MAX ? PARIO_TRACE_NOWHERE : q->off;
	c.file = 0;
	c.result = 0;
	switch (q->opcode) {
	case IORING_OP_READV:
	case IORING_OP_WRITEV:
		c.size = pario_iov_bytes((const struct iovec *)(uintptr_t)q->addr, (int)q->len);
		c.op = q->opcode == IORING_OP_READV ? PARIO_OP_uring_read : PARIO_OP_uring_write;
		break;
	case IORING_OP_READ:
	case IORING_OP_READ_FIXED:
		c.op = PARIO_OP_uring_read;
		break;
	case IORING_OP_WRITE:
	case IORING_OP_WRITE_FIXED:
		c.op = PARIO_OP_uring_write;
		break;
	case IORING_OP_FSYNC:
	case IORING_OP_SYNC_FILE_RANGE:
		c.op = PARIO_OP_uring_fsync;
		break;
	default:
		c.op = PARIO_OP_uring_other;
		c.offset = PARIO_TRACE_NOWHERE;
		c.size = q->opcode;
	}
	/* a registered file has a number of its own */
	if (!(q->flags & IOSQE_FIXED_FILE) && c.op != PARIO_OP_uring_other)
		pario_of_fd(&c, q->fd);
	pario_trace_put(&c);
}

/* The kernel does not change what was submitted: the entries can be read afterwards. */
static void put_all(const struct pario_call *c, const struct ring *ring, struct span span)
{
	for (unsigned i = span.from; i != span.to && span.to - span.from <= 32768; i++)
		put_one(c, &ring->sqes[i & *ring->kring_mask]);
}

static void negative(struct pario_call *c, long r)
{
	if (r < 0)
		pario_failed(c, (int)-r);
	else
		pario_result(c, r);
}

/* clang-format off */

#define URING(name, op, params, args) \
	PARIO_WRAP_AS(PARIO_SYMBOL_LATE, int, name, op, ASYNC, params, args, , negative(&c, r))
#define SUBMIT(name, params, args) \
	PARIO_WRAP_AS(PARIO_SYMBOL_LATE, int, name, uring_submit, ASYNC, params, args, \
		      struct span span = pending(ring), (negative(&c, r), put_all(&c, ring, span)))

SUBMIT(io_uring_submit, (struct ring *ring), (ring))
SUBMIT(io_uring_submit_and_wait, (struct ring *ring, unsigned n), (ring, n))
SUBMIT(io_uring_submit_and_wait_timeout, (struct ring *ring, void *to, unsigned n, void *t, sigset_t *mask),
       (ring, to, n, t, mask))
SUBMIT(io_uring_submit_and_get_events, (struct ring *ring), (ring))
URING(io_uring_queue_init, uring_init, (unsigned n, struct ring *ring, unsigned flags), (n, ring, flags))
URING(io_uring_queue_init_params, uring_init, (unsigned n, struct ring *ring, void *p), (n, ring, p))
URING(io_uring_setup, uring_init, (unsigned n, void *p), (n, p))
URING(io_uring_enter, uring_submit, (unsigned fd, unsigned n, unsigned least, unsigned flags, sigset_t *mask),
      (fd, n, least, flags, mask))
URING(io_uring_enter2, uring_submit, (unsigned fd, unsigned n, unsigned least, unsigned flags, sigset_t *mask, size_t size),
      (fd, n, least, flags, mask, size))
URING(io_uring_wait_cqes, uring_wait, (struct ring *ring, void *to, unsigned n, void *t, sigset_t *mask), (ring, to, n, t, mask))
URING(io_uring_wait_cqe_timeout, uring_wait, (struct ring *ring, void *to, void *t), (ring, to, t))
URING(io_uring_get_events, uring_wait, (struct ring *ring), (ring))
URING(io_uring_peek_batch_cqe, uring_wait, (struct ring *ring, void *to, unsigned n), (ring, to, n))
URING(__io_uring_get_cqe, uring_wait, (struct ring *ring, void *to, unsigned submit, unsigned n, sigset_t *mask),
      (ring, to, submit, n, mask))
URING(__io_uring_sqring_wait, uring_wait, (struct ring *ring), (ring))

/* Their arguments travel in registers, whatever they are. */
#define REGISTER(name) \
	URING(name, uring_register, (struct ring *ring, long a, long b, long d, long e), (ring, a, b, d, e))
REGISTER(io_uring_register_buffers)
REGISTER(io_uring_register_buffers_tags)
REGISTER(io_uring_register_buffers_sparse)
REGISTER(io_uring_register_buffers_update_tag)
REGISTER(io_uring_unregister_buffers)
REGISTER(io_uring_register_files)
REGISTER(io_uring_register_files_tags)
REGISTER(io_uring_register_files_sparse)
REGISTER(io_uring_register_files_update_tag)
REGISTER(io_uring_register_files_update)
REGISTER(io_uring_unregister_files)
REGISTER(io_uring_register_eventfd)
REGISTER(io_uring_register_eventfd_async)
REGISTER(io_uring_unregister_eventfd)
REGISTER(io_uring_register_probe)
REGISTER(io_uring_register_personality)
REGISTER(io_uring_unregister_personality)
REGISTER(io_uring_register_restrictions)
REGISTER(io_uring_register_iowq_aff)
REGISTER(io_uring_unregister_iowq_aff)
REGISTER(io_uring_register_iowq_max_workers)
REGISTER(io_uring_register_ring_fd)
REGISTER(io_uring_unregister_ring_fd)
REGISTER(io_uring_register_buf_ring)
REGISTER(io_uring_unregister_buf_ring)
REGISTER(io_uring_register_sync_cancel)
REGISTER(io_uring_register_file_alloc_range)
URING(io_uring_register, uring_register, (unsigned fd, unsigned what, const void *with, unsigned n), (fd, what, with, n))

/* clang-format on */

PARIO_EXPORT void io_uring_queue_exit(struct ring *ring);
PARIO_SYMBOL_LATE(io_uring_queue_exit);
PARIO_EXPORT void io_uring_queue_exit(struct ring *ring)
{
	void (*next)(struct ring *) =
		(void (*)(struct ring *))pario_next(&pario_symbol_io_uring_queue_exit);
	struct pario_call c;

	if (!pario_trace_begin(&c, PARIO_OP_uring_exit, PARIO_TRACE_ASYNC,
			       __builtin_return_address(0), __builtin_frame_address(0))) {
		next(ring);
		return;
	}
	next(ring);
	pario_trace_stop(&c);
	pario_trace_put(&c);
}
