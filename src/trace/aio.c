/*
 * aio: wrappers of POSIX asynchronous I/O and of libaio. Spec section 3, group D.
 *
 * The call that starts a transfer is recorded with its place and size and marked as started: its time is that of starting.
 * The requests of a list are recorded below the call that submits them.
 */
#include "trace/data.h"

#include <aio.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <signal.h>

/* One request of a list. */
static void put_request(const struct pario_call *list, uint16_t op, int fd, uint64_t offset,
			uint64_t size)
{
	struct pario_call c = *list;

	c.op = op;
	c.flags = (uint8_t)((list->flags & PARIO_TRACE_DEPTH) + 1) | PARIO_TRACE_STARTED;
	c.stop = c.start;
	c.offset = offset;
	c.size = size;
	c.result = 0;
	c.file = 0;
	if ((c.flags & PARIO_TRACE_DEPTH) == 0) /* deeper than can be told */
		c.flags |= PARIO_TRACE_DEPTH;
	pario_of_fd(&c, fd);
	pario_trace_put(&c);
}

static void started(struct pario_call *c, const struct aiocb *a, int r)
{
	pario_of_fd(c, a->aio_fildes);
	c->offset = (uint64_t)a->aio_offset;
	c->size = a->aio_nbytes;
	c->flags |= PARIO_TRACE_STARTED;
	pario_answered(c, r);
}

static void put_list(const struct pario_call *c, struct aiocb *const *list, int n)
{
	for (int i = 0; i < n; i++) {
		if (list[i] && list[i]->aio_lio_opcode != LIO_NOP)
			put_request(c,
				    list[i]->aio_lio_opcode == LIO_READ ? PARIO_OP_aio_read
									: PARIO_OP_aio_write,
				    list[i]->aio_fildes, (uint64_t)list[i]->aio_offset,
				    list[i]->aio_nbytes);
	}
}

static void put_iocbs(const struct pario_call *c, struct iocb **list, long n)
{
	for (long i = 0; i < n; i++) {
		const struct iocb *b = list[i];
		const struct iovec *v = (const struct iovec *)(uintptr_t)b->aio_buf;
		uint64_t size = b->aio_nbytes;
		uint16_t op = PARIO_OP_io_fsync;

		switch (b->aio_lio_opcode) {
		case IOCB_CMD_PREADV:
		case IOCB_CMD_PWRITEV:
			size = pario_iov_bytes(v, (int)b->aio_nbytes);
			op = b->aio_lio_opcode == IOCB_CMD_PREADV ? PARIO_OP_io_pread
								  : PARIO_OP_io_pwrite;
			break;
		case IOCB_CMD_PREAD:
			op = PARIO_OP_io_pread;
			break;
		case IOCB_CMD_PWRITE:
			op = PARIO_OP_io_pwrite;
			break;
		default:
			size = 0;
		}
		put_request(c, op, (int)b->aio_fildes, (uint64_t)b->aio_offset, size);
	}
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

#define AIO(type, name, params, args, after) PARIO_WRAP(type, name, name, ASYNC, params, args, , after)

AIO(int, aio_read, (struct aiocb *a), (a), started(&c, a, r))
AIO(int, aio_write, (struct aiocb *a), (a), started(&c, a, r))
AIO(int, aio_fsync, (int how, struct aiocb *a), (how, a), (pario_of_fd(&c, a->aio_fildes), pario_answered(&c, r)))
AIO(int, aio_error, (const struct aiocb *a), (a), (pario_of_fd(&c, a->aio_fildes), pario_result(&c, r)))
AIO(ssize_t, aio_return, (struct aiocb *a), (a), (pario_of_fd(&c, a->aio_fildes), pario_answered(&c, r)))
AIO(int, aio_suspend, (const struct aiocb *const list[], int n, const struct timespec *t), (list, n, t),
    (c.size = (uint64_t)n, pario_answered(&c, r)))
AIO(int, aio_cancel, (int fd, struct aiocb *a), (fd, a), (pario_of_fd(&c, fd), pario_answered(&c, r)))
AIO(int, lio_listio, (int mode, struct aiocb *const list[], int n, struct sigevent *e), (mode, list, n, e),
    (c.size = (uint64_t)n, pario_answered(&c, r), put_list(&c, list, n)))

/* libaio is not always there; the context is a pointer to its users. */
#define LIBAIO(name, params, args, after) \
	PARIO_WRAP_AS(PARIO_SYMBOL_LATE, int, name, name, ASYNC, params, args, , (negative(&c, r), after))
LIBAIO(io_setup, (int n, void **to), (n, to), c.size = (uint64_t)n)
LIBAIO(io_destroy, (void *context), (context), (void)0)
LIBAIO(io_submit, (void *context, long n, struct iocb **list), (context, n, list), put_iocbs(&c, list, r > 0 ? r : 0))
LIBAIO(io_getevents, (void *context, long least, long most, void *to, struct timespec *t), (context, least, most, to, t),
       c.size = (uint64_t)most)
LIBAIO(io_pgetevents, (void *context, long least, long most, void *to, struct timespec *t, sigset_t *mask),
       (context, least, most, to, t, mask), c.size = (uint64_t)most)
LIBAIO(io_cancel, (void *context, struct iocb *b, void *to), (context, b, to), (void)0)
LIBAIO(io_queue_init, (int n, void **to), (n, to), c.size = (uint64_t)n)
LIBAIO(io_queue_run, (void *context), (context), (void)0)
LIBAIO(io_queue_wait, (void *context, struct timespec *t), (context, t), (void)0)
LIBAIO(io_queue_release, (void *context), (context), (void)0)

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
