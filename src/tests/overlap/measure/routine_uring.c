/*
 * routine_uring: io_uring, submitted by the caller, by a polling thread of the kernel, or with registered buffers.
 *
 * Each channel has a ring of its own with one transfer. Buffered transfers that miss the page cache are handed to
 * worker threads of the kernel, which belong to the process: their CPU time is counted with it. With polled
 * submission the kernel's thread keeps a core as long as requests come; it is shared by the channels.
 */
#include "tests/overlap/measure/routine.h"

#include <stddef.h>

enum variant { PLAIN, SQPOLL, FIXED };

#ifdef PARIO_HAVE_LIBURING
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <sys/uio.h>

enum { SQPOLL_IDLE_MS = 20 }; /* the polling thread sleeps after this long without a request */

struct state {
	struct io_uring ring;
	bool made, busy;
	uint64_t offset;
};

static const char *refused(unsigned flags, bool fixed)
{
	static char page[4096];
	struct iovec buffer = { page, sizeof(page) };
	struct io_uring ring;
	int status = io_uring_queue_init(2, &ring, flags);

	if (status == 0) {
		if (fixed)
			status = io_uring_register_buffers(&ring, &buffer, 1);
		io_uring_queue_exit(&ring);
	}
	switch (-status) {
	case 0:
		return NULL;
	case ENOSYS:
		return "this kernel has no io_uring (ENOSYS)";
	case EPERM:
		return "io_uring is refused by this kernel or container (EPERM); see "
		       "/proc/sys/kernel/io_uring_disabled";
	case ENOMEM:
		return "io_uring is refused for lack of locked memory (ENOMEM); raise ulimit -l";
	default:
		return "io_uring_setup fails on this kernel";
	}
}

static const char *no_plain(void)
{
	return refused(0, false);
}

static const char *no_sqpoll(void)
{
	return refused(IORING_SETUP_SQPOLL, false);
}

static const char *no_fixed(void)
{
	return refused(0, true);
}

static int make_ring(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = calloc(1, sizeof(*s)), *first = c->first->state;
	struct iovec buffer = { c->buffer, c->size };
	struct io_uring_params p = { 0 };
	int status;

	c->state = s;
	if (!s)
		return pario_routine_error(c, "making a ring", 0, ENOMEM, err);
	if (c->routine->variant == SQPOLL) {
		p.flags = IORING_SETUP_SQPOLL;
		p.sq_thread_idle = SQPOLL_IDLE_MS;
		if (c->first != c) {
			p.flags |= IORING_SETUP_ATTACH_WQ;
			p.wq_fd = (unsigned)first->ring.ring_fd;
		}
	}
	status = io_uring_queue_init_params(2, &s->ring, &p);
	if (status < 0)
		return pario_routine_error(c, "making a ring", 0, -status, err);
	s->made = true;
	if (c->routine->variant == FIXED) {
		status = io_uring_register_buffers(&s->ring, &buffer, 1);
		if (status < 0)
			return pario_routine_error(c, "registering the buffer", 0, -status, err);
	}
	return 0;
}

static int issue(struct pario_channel *c, uint64_t offset, struct pario_err *err)
{
	struct state *s = c->state;
	struct io_uring_sqe *e = io_uring_get_sqe(&s->ring);
	unsigned size = (unsigned)c->size;
	bool fixed = c->routine->variant == FIXED;
	int status;

	/*
	 * With one transfer under way there is always an entry; the polling thread may need a moment to take the last.
	 */
	while (!e) {
		io_uring_submit(&s->ring);
		e = io_uring_get_sqe(&s->ring);
	}
	if (fixed && c->write)
		io_uring_prep_write_fixed(e, c->fd, c->buffer, size, offset, 0);
	else if (fixed)
		io_uring_prep_read_fixed(e, c->fd, c->buffer, size, offset, 0);
	else if (c->write)
		io_uring_prep_write(e, c->fd, c->buffer, size, offset);
	else
		io_uring_prep_read(e, c->fd, c->buffer, size, offset);
	s->offset = offset;
	status = io_uring_submit(&s->ring);
	if (status < 0)
		return pario_routine_error(c, "io_uring_submit", offset, -status, err);
	s->busy = true;
	return 0;
}

static int take(struct pario_channel *c, struct io_uring_cqe *cqe, struct pario_err *err)
{
	struct state *s = c->state;
	int moved = cqe->res;

	io_uring_cqe_seen(&s->ring, cqe);
	s->busy = false;
	if (moved < 0)
		return pario_routine_error(c, "io_uring", s->offset, -moved, err);
	if (moved != (int)c->size)
		return pario_routine_short(c, "io_uring", s->offset, moved, err);
	return 1;
}

static int test(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = c->state;
	struct io_uring_cqe *cqe = NULL;

	if (io_uring_peek_cqe(&s->ring, &cqe) != 0 || !cqe)
		return !s->busy;
	return take(c, cqe, err);
}

static int wait_for(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = c->state;
	struct io_uring_cqe *cqe = NULL;
	int status;

	if (!s->busy)
		return 1;
	do
		status = io_uring_wait_cqe(&s->ring, &cqe);
	while (status == -EINTR);
	if (status < 0)
		return pario_routine_error(c, "io_uring_wait_cqe", s->offset, -status, err);
	return take(c, cqe, err);
}

static int drop_ring(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = c->state;
	int status = 0;

	if (s && s->made) {
		status = wait_for(c, err) < 0 ? -1 : 0;
		io_uring_queue_exit(&s->ring);
	}
	free(s);
	c->state = NULL;
	return status;
}

#define OPERATIONS \
	.open = make_ring, .issue = issue, .test = test, .wait = wait_for, .close = drop_ring

#else

static const char *absent(void)
{
	return "pario was built without liburing";
}

#define no_plain   absent
#define no_sqpoll  absent
#define no_fixed   absent
#define OPERATIONS .open = NULL /* never called: the routine is not there */

#endif

#define FAMILY(name_, variant_, unavailable_, summary_)                                   \
	const struct pario_routine pario_routine_##name_ = { .name = #name_,              \
							     .summary = summary_,         \
							     .variant = variant_,         \
							     .unavailable = unavailable_, \
							     OPERATIONS }

FAMILY(uring, PLAIN, no_plain, "io_uring, completion by interrupt");
FAMILY(uring_sqpoll, SQPOLL, no_sqpoll, "io_uring, submission polled by a thread of the kernel");
FAMILY(uring_fixed, FIXED, no_fixed, "io_uring with a registered buffer");
