/*
 * aio: wrappers of POSIX asynchronous I/O and of libaio.
 *
 * A request is one record, from its submission until its completion is seen (pending.h): by aio_error, aio_return,
 * aio_suspend or the end of a list that is waited for; by io_getevents. The requests of a list are recorded below the
 * call that submits them. What io_queue_run sees passes by within libaio: those requests count as started.
 */
#include "tracer/preload/aio.h"

#include <aio.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <signal.h>

/* ---- POSIX ---- */

static uint64_t key_of(const void *request)
{
	return (uint64_t)(uintptr_t)request;
}

/* glibc keeps errno and result where its header says; aio_error and aio_return read them there. */
static void look(const struct aiocb *a)
{
	int error = __atomic_load_n(&a->__error_code, __ATOMIC_ACQUIRE);

	if (error != EINPROGRESS)
		pario_pending_complete(key_of(a), error ? -(int64_t)error : a->__return_value);
}

static void look_at_list(const struct aiocb *const *list, int n)
{
	for (int i = 0; i < n; i++) {
		if (list[i])
			look(list[i]);
	}
}

static void start(struct pario_call *c, const struct aiocb *a)
{
	struct pario_call stale;

	/* one of the same address whose end nobody wanted to know */
	if (pario_pending_take(key_of(a), &stale)) {
		stale.stop = c->start;
		stale.flags |= PARIO_TRACE_STARTED;
		pario_trace_put(&stale);
	}
	pario_of_fd(c, a->aio_fildes);
	if (c->op != PARIO_OP_aio_fsync) {
		c->offset = (uint64_t)a->aio_offset;
		c->size = a->aio_nbytes;
	}
	pario_pending_start(key_of(a), c);
}

/* Not submitted at all. */
static void refused(const struct aiocb *a, int error)
{
	pario_pending_complete(key_of(a), -(int64_t)error);
}

static void start_list(const struct pario_call *list_call, struct aiocb *const *list, int n)
{
	for (int i = 0; i < n; i++) {
		struct pario_call c = pario_request(list_call, PARIO_OP_aio_read);

		if (!list[i] || list[i]->aio_lio_opcode == LIO_NOP)
			continue;
		if (list[i]->aio_lio_opcode == LIO_WRITE)
			c.op = PARIO_OP_aio_write;
		start(&c, list[i]);
	}
}

/* ---- the kernel's ---- */

static void describe(struct pario_call *c, const struct iocb *b)
{
	const struct iovec *v = (const struct iovec *)(uintptr_t)b->aio_buf;

	c->offset = (uint64_t)b->aio_offset;
	c->size = b->aio_nbytes;
	switch (b->aio_lio_opcode) {
	case IOCB_CMD_PREADV:
	case IOCB_CMD_PWRITEV:
		c->size = pario_iov_bytes(v, (long)b->aio_nbytes, -1);
		c->op = b->aio_lio_opcode == IOCB_CMD_PREADV ? PARIO_OP_io_pread
							     : PARIO_OP_io_pwrite;
		break;
	case IOCB_CMD_PREAD:
		c->op = PARIO_OP_io_pread;
		break;
	case IOCB_CMD_PWRITE:
		c->op = PARIO_OP_io_pwrite;
		break;
	default:
		c->op = PARIO_OP_io_fsync;
		c->offset = PARIO_TRACE_NOWHERE;
		c->size = 0;
	}
	pario_of_fd(c, (int)b->aio_fildes);
}

/* How many of a list the kernel can read; it refuses the rest. */
static long readable(struct iocb **list, long n)
{
	long good = 0;

	while (good < n && good < 4096 && pario_readable_range(&list[good], sizeof(*list)) &&
	       pario_readable_range(list[good], sizeof(**list)))
		good++;
	return good;
}

void pario_aio_submits(const struct pario_call *submit, struct iocb **list, long n)
{
	long good;

	if (pario_trace_self->submits)
		return;
	good = readable(list, n);
	pario_trace_self->submits = true;
	for (long i = 0; i < good; i++) {
		struct pario_call c = pario_request(submit, PARIO_OP_io_fsync);

		describe(&c, list[i]);
		pario_pending_start(key_of(list[i]), &c);
	}
}

void pario_aio_submitted(struct iocb **list, long n, long r)
{
	struct pario_call never;
	long good = r == n ? 0 : readable(list, n);

	pario_trace_self->submits = false;
	for (long i = r > 0 ? r : 0; i < good; i++)
		pario_pending_take(key_of(list[i]), &never);
}

void pario_aio_events(const struct io_event *events, long r)
{
	for (long i = 0; events && i < r; i++)
		pario_pending_complete(events[i].obj, events[i].res);
}

/* libaio and liburing return the negative errno. */
static void negative(struct pario_call *c, long r)
{
	if (r < 0)
		pario_failed(c, (int)-r);
	else
		pario_result(c, r);
}

/* clang-format off */

#define AIO(type, name, params, args, before, after) PARIO_WRAP(type, name, name, ASYNC, params, args, before, after)

/* The record is written when the request has completed. */
#define STARTING(name, params, args) \
	PARIO_EXPORT int name params; \
	PARIO_SYMBOL(name); \
	PARIO_EXPORT int name params \
	{ \
		int (*next) params = (int (*) params)pario_next(&pario_symbol_##name); \
		struct pario_call c; \
		int r; \
		\
		if (!pario_trace_begin(&c, PARIO_OP_##name, PARIO_TRACE_ASYNC, __builtin_return_address(0), \
				       __builtin_frame_address(0))) \
			return next args; \
		start(&c, a); \
		r = next args; \
		pario_trace_stop(&c); \
		if (r != 0) \
			refused(a, errno); \
		return r; \
	}

STARTING(aio_read, (struct aiocb *a), (a))
STARTING(aio_write, (struct aiocb *a), (a))
STARTING(aio_fsync, (int how, struct aiocb *a), (how, a))
AIO(int, aio_error, (const struct aiocb *a), (a), , (look(a), pario_of_fd(&c, a->aio_fildes), pario_result(&c, r)))
AIO(ssize_t, aio_return, (struct aiocb *a), (a), look(a), (pario_of_fd(&c, a->aio_fildes), pario_answered(&c, r)))
AIO(int, aio_suspend, (const struct aiocb *const list[], int n, const struct timespec *t), (list, n, t), ,
    (c.size = (uint64_t)n, pario_answered(&c, r), look_at_list(list, n)))
AIO(int, aio_cancel, (int fd, struct aiocb *a), (fd, a), ,
    (pario_of_fd(&c, fd), pario_answered(&c, r)); if (a) look(a))
AIO(int, lio_listio, (int mode, struct aiocb *const list[], int n, struct sigevent *e), (mode, list, n, e),
    start_list(&c, list, n), (c.size = (uint64_t)n, pario_answered(&c, r), look_at_list((const struct aiocb *const *)list, n)))

/* libaio is not always there; the context is a pointer to its users. */
#define LIBAIO(name, params, args, before, after) \
	PARIO_WRAP_AS(PARIO_SYMBOL_LATE, int, name, name, ASYNC, params, args, before, (negative(&c, r), after))
LIBAIO(io_setup, (int n, void **to), (n, to), , c.size = (uint64_t)n)
LIBAIO(io_destroy, (void *context), (context), , (void)0)
LIBAIO(io_submit, (void *context, long n, struct iocb **list), (context, n, list), pario_aio_submits(&c, list, n),
       (c.size = (uint64_t)n, pario_aio_submitted(list, n, r)))
LIBAIO(io_getevents, (void *context, long least, long most, void *to, struct timespec *t), (context, least, most, to, t), ,
       (c.size = (uint64_t)most, pario_aio_events(to, r)))
LIBAIO(io_pgetevents, (void *context, long least, long most, void *to, struct timespec *t, sigset_t *mask),
       (context, least, most, to, t, mask), , (c.size = (uint64_t)most, pario_aio_events(to, r)))
LIBAIO(io_cancel, (void *context, struct iocb *b, void *to), (context, b, to), , pario_aio_events(to, r == 0))
LIBAIO(io_queue_init, (int n, void **to), (n, to), , c.size = (uint64_t)n)
LIBAIO(io_queue_run, (void *context), (context), , (void)0)
LIBAIO(io_queue_wait, (void *context, struct timespec *t), (context, t), , (void)0)
LIBAIO(io_queue_release, (void *context), (context), , (void)0)

/* clang-format on */

PARIO_EXPORT void aio_init(const struct aioinit *init);
PARIO_SYMBOL(aio_init);
PARIO_EXPORT void aio_init(const struct aioinit *init)
{
	void (*next)(const struct aioinit *) =
		(void (*)(const struct aioinit *))pario_next(&pario_symbol_aio_init);
	struct pario_call c;

	if (pario_trace_begin(&c, PARIO_OP_aio_init, PARIO_TRACE_ASYNC, __builtin_return_address(0),
			      __builtin_frame_address(0))) {
		next(init);
		pario_trace_stop(&c);
		pario_trace_put(&c);
	} else {
		next(init);
	}
}

PARIO_TWIN(aio_read64, aio_read);
PARIO_TWIN(aio_write64, aio_write);
PARIO_TWIN(aio_fsync64, aio_fsync);
PARIO_TWIN(aio_error64, aio_error);
PARIO_TWIN(aio_return64, aio_return);
PARIO_TWIN(aio_suspend64, aio_suspend);
PARIO_TWIN(aio_cancel64, aio_cancel);
PARIO_TWIN(lio_listio64, lio_listio);
