/*
 * uring: wrappers of liburing.
 *
 * Preparing a request and taking a completion is inline in the program: both are read from the rings (rings.h). The
 * requests are recorded below the call that submits them.
 */
#include "tracer/preload/rings.h"

#include <linux/io_uring.h>
#include <signal.h>

/* The beginning of liburing's ring, the same in all its versions. */
struct ring {
	unsigned *khead, *ktail, *kring_mask, *kring_entries, *kflags, *kdropped, *array;
	struct io_uring_sqe *sqes;
	unsigned sqe_head, sqe_tail;
	size_t sq_ring_sz;
	void *sq_ring_ptr;
	unsigned sq_pad[4];
	struct {
		unsigned *khead, *ktail, *kring_mask, *kring_entries, *kflags, *koverflow;
		struct io_uring_cqe *cqes;
		size_t ring_sz;
		void *ring_ptr;
		unsigned pad[4];
	} cq;
	unsigned flags;
	int ring_fd;
};

static struct pario_ring view(const struct ring *r)
{
	return (struct pario_ring){
		.sq_tail = r->ktail,
		.sq_mask = r->kring_mask,
		.sqes = (const char *)r->sqes, /* liburing keeps entries in their order */
		.cq_tail = r->cq.ktail,
		.cq_mask = r->cq.kring_mask,
		.cqes = (const char *)r->cq.cqes,
		.sqe_bytes = r->flags & (1u << 10) ? 128 : 64, /* IORING_SETUP_SQE128 */
		.cqe_bytes = r->flags & (1u << 11) ? 32 : 16,  /* IORING_SETUP_CQE32 */
	};
}

static void look(const struct ring *r)
{
	struct pario_ring ring = view(r);

	pario_ring_look(&ring);
}

/* Before entries are overwritten: what has completed, then what is submitted now. */
static void submits(const struct ring *r, const struct pario_call *c)
{
	struct pario_ring ring = view(r);

	pario_ring_look(&ring);
	pario_ring_submits(&ring, c, r->sqe_head, r->sqe_tail, false);
}

static void registers(const struct ring *r, unsigned first, const int *fds, unsigned n, int result)
{
	struct pario_ring ring = view(r);

	if (result >= 0)
		pario_ring_registers(&ring, first, fds, n);
}

static void forget(const struct ring *r)
{
	struct pario_ring ring = view(r);

	pario_ring_forget(&ring);
}

static void made(const struct ring *r, int error)
{
	if (error == 0)
		forget(r);
}

static void negative(struct pario_call *c, long r)
{
	if (r < 0)
		pario_failed(c, (int)-r);
	else
		pario_result(c, r);
}

/* clang-format off */

#define URING(name, op, params, args, before, after) \
	PARIO_WRAP_AS(PARIO_SYMBOL_LATE, int, name, op, ASYNC, params, args, before, (negative(&c, r), after))
#define SUBMIT(name, params, args) URING(name, uring_submit, params, args, submits(ring, &c), look(ring))
#define WAIT(name, params, args) URING(name, uring_wait, params, args, , look(ring))
#define INIT(name, params, args) \
	URING(name, uring_init, params, args, , made(ring, r))

SUBMIT(io_uring_submit, (struct ring *ring), (ring))
SUBMIT(io_uring_submit_and_wait, (struct ring *ring, unsigned n), (ring, n))
SUBMIT(io_uring_submit_and_wait_timeout, (struct ring *ring, void *to, unsigned n, void *t, sigset_t *mask),
       (ring, to, n, t, mask))
SUBMIT(io_uring_submit_and_get_events, (struct ring *ring), (ring))
INIT(io_uring_queue_init, (unsigned n, struct ring *ring, unsigned flags), (n, ring, flags))
INIT(io_uring_queue_init_params, (unsigned n, struct ring *ring, void *p), (n, ring, p))
URING(io_uring_setup, uring_init, (unsigned n, void *p), (n, p), , pario_raw_ring_made(r, p))
URING(io_uring_enter, uring_submit, (unsigned fd, unsigned n, unsigned least, unsigned flags, sigset_t *mask),
      (fd, n, least, flags, mask), pario_raw_ring_enters((int)fd, &c), pario_raw_ring_entered((int)fd))
URING(io_uring_enter2, uring_submit, (unsigned fd, unsigned n, unsigned least, unsigned flags, sigset_t *mask, size_t size),
      (fd, n, least, flags, mask, size), pario_raw_ring_enters((int)fd, &c), pario_raw_ring_entered((int)fd))
WAIT(io_uring_wait_cqes, (struct ring *ring, void *to, unsigned n, void *t, sigset_t *mask), (ring, to, n, t, mask))
WAIT(io_uring_wait_cqe_timeout, (struct ring *ring, void *to, void *t), (ring, to, t))
WAIT(io_uring_get_events, (struct ring *ring), (ring))
WAIT(io_uring_peek_batch_cqe, (struct ring *ring, void *to, unsigned n), (ring, to, n))
WAIT(__io_uring_get_cqe, (struct ring *ring, void *to, unsigned submit, unsigned n, sigset_t *mask),
     (ring, to, submit, n, mask))
WAIT(__io_uring_sqring_wait, (struct ring *ring), (ring))

/* Inline in programs that were compiled with newer headers. */
PARIO_WRAP_AS(PARIO_SYMBOL_LATE, void *, io_uring_get_sqe, uring_prepare, ASYNC, (struct ring *ring), (ring), ,
	      pario_result(&c, r != NULL))

/* Their arguments travel in registers, whatever they are. */
#define REGISTER(name) \
	URING(name, uring_register, (struct ring *ring, long a, long b, long d, long e), (ring, a, b, d, e), , (void)0)
REGISTER(io_uring_register_buffers)
REGISTER(io_uring_register_buffers_tags)
REGISTER(io_uring_register_buffers_sparse)
REGISTER(io_uring_register_buffers_update_tag)
REGISTER(io_uring_unregister_buffers)
URING(io_uring_register_files, uring_register, (struct ring *ring, const int *fds, unsigned n), (ring, fds, n), ,
      registers(ring, 0, fds, n, r))
URING(io_uring_register_files_tags, uring_register, (struct ring *ring, const int *fds, const uint64_t *tags, unsigned n),
      (ring, fds, tags, n), , registers(ring, 0, fds, n, r))
URING(io_uring_register_files_update, uring_register, (struct ring *ring, unsigned first, const int *fds, unsigned n),
      (ring, first, fds, n), , registers(ring, first, fds, n, r))
REGISTER(io_uring_register_files_sparse)
REGISTER(io_uring_register_files_update_tag)
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
URING(io_uring_register, uring_register, (unsigned fd, unsigned what, const void *with, unsigned n),
      (fd, what, with, n), , r >= 0 ? pario_raw_ring_registers((int)fd, what, with, n) : (void)0)

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
	look(ring);
	forget(ring);
	next(ring);
	pario_trace_stop(&c);
	pario_trace_put(&c);
}
