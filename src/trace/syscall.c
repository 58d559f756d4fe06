/*
 * syscall: the wrapper of syscall(2). Spec section 3, group B: reads, writes, opens and the asynchronous calls count as
 * what they are; the rest are system calls with their number as size.
 */
#include "trace/rings.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the first arguments of a call are. */
enum shape { NUMBER, FD_BYTES, FD_BYTES_AT, FD, PATH, DIR_PATH };

static const struct known {
	long number;
	uint16_t op;
	enum shape shape;
} known[] = {
	{ SYS_read, PARIO_OP_read, FD_BYTES },
	{ SYS_write, PARIO_OP_write, FD_BYTES },
	{ SYS_pread64, PARIO_OP_pread, FD_BYTES_AT },
	{ SYS_pwrite64, PARIO_OP_pwrite, FD_BYTES_AT },
	{ SYS_openat, PARIO_OP_openat, DIR_PATH },
	{ SYS_openat2, PARIO_OP_openat, DIR_PATH },
	{ SYS_statx, PARIO_OP_statx, DIR_PATH },
	{ SYS_close, PARIO_OP_close, FD },
	{ SYS_fsync, PARIO_OP_fsync, FD },
	{ SYS_fdatasync, PARIO_OP_fdatasync, FD },
	{ SYS_getdents64, PARIO_OP_getdents, FD },
	{ SYS_io_setup, PARIO_OP_io_setup, NUMBER },
	{ SYS_io_destroy, PARIO_OP_io_destroy, NUMBER },
	{ SYS_io_submit, PARIO_OP_io_submit, NUMBER },
	{ SYS_io_getevents, PARIO_OP_io_getevents, NUMBER },
	{ SYS_io_pgetevents, PARIO_OP_io_pgetevents, NUMBER },
	{ SYS_io_cancel, PARIO_OP_io_cancel, NUMBER },
	{ SYS_io_uring_setup, PARIO_OP_uring_init, NUMBER },
	{ SYS_io_uring_enter, PARIO_OP_uring_submit, NUMBER },
	{ SYS_io_uring_register, PARIO_OP_uring_register, NUMBER },
#ifdef SYS_open
	{ SYS_open, PARIO_OP_open, PATH },
#endif
};

static const struct known other = { 0, PARIO_OP_syscall, NUMBER };

static const struct known *find(long number)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].number == number)
			return &known[i];
	}
	return &other;
}

static void opened(struct pario_call *c, int dir, const char *path, long r)
{
	pario_answered(c, r);
	if (r >= 0)
		pario_fd_opened(c, (int)r, dir, path);
	else
		pario_of_path(c, dir, path);
}

static void describe(struct pario_call *c, const struct known *k, const long *a, long r)
{
	switch (k->shape) {
	case FD_BYTES:
		pario_moved(c, (int)a[0], (uint64_t)a[2], r);
		break;
	case FD_BYTES_AT:
		pario_moved_at(c, (int)a[0], (uint64_t)a[2], r, a[3]);
		break;
	case FD:
		pario_answered(c, r);
		if (k->op == PARIO_OP_close)
			pario_fd_forget((int)a[0]);
		else
			pario_of_fd(c, (int)a[0]);
		break;
	case PATH:
		opened(c, AT_FDCWD, (const char *)a[0], r);
		break;
	case DIR_PATH:
		if (k->op == PARIO_OP_openat) {
			opened(c, (int)a[0], (const char *)a[1], r);
		} else {
			pario_of_path(c, (int)a[0], (const char *)a[1]);
			pario_answered(c, r);
		}
		break;
	default:
		pario_answered(c, r);
		c->size = (uint64_t)a[-1];
	}
}

/* Requests that the kernel takes and gives back, by libaio's and io_uring's calls made directly. */
static void submits(const struct pario_call *c, long number, const long *a)
{
	if (number == SYS_io_submit)
		pario_aio_submits(c, (struct iocb **)a[2], a[1]);
	else if (number == SYS_io_uring_enter)
		pario_raw_ring_enters((int)a[0], c);
	else if (number == SYS_close && pario_raw_rings)
		pario_raw_ring_closes((int)a[0]);
	else if (number == SYS_munmap && pario_raw_rings)
		pario_raw_ring_unmaps((const void *)a[0]);
}

static void submitted(long number, const long *a, long r)
{
	switch (number) {
	case SYS_io_submit:
		pario_aio_submitted((struct iocb **)a[2], a[1], r);
		break;
	case SYS_io_getevents:
	case SYS_io_pgetevents:
		pario_aio_events((const struct io_event *)a[3], r);
		break;
	case SYS_io_uring_setup:
		if (r >= 0)
			pario_raw_ring_made((int)r, (const void *)a[1]);
		break;
	case SYS_io_uring_enter:
		pario_raw_ring_entered((int)a[0]);
		break;
	case SYS_mmap:
		if (r != -1 && pario_raw_rings)
			pario_raw_ring_mapped((int)a[4], (uint64_t)a[5], (void *)r);
		break;
	default:
		break;
	}
}

/* Six arguments are taken whatever the call needs: they are in registers, and the kernel ignores what it does not want. */
PARIO_EXPORT long pario_syscall(long number, long a, long b, long c, long d, long e, long f);
static struct pario_symbol symbol
	__attribute__((section("pario_symbols"), used)) = { "syscall", NULL };

PARIO_EXPORT long pario_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long (*next)(long, long, long, long, long, long, long) =
		(long (*)(long, long, long, long, long, long, long))pario_next(&symbol);
	const long arguments[] = { number, a, b, c, d, e, f };
	const struct known *k;
	struct pario_call call;
	long r;

	/* Programs start threads and processes by it in ways that must not pass through a frame of ours. */
	if (number == SYS_clone || number == SYS_futex || number == SYS_gettid ||
	    number == SYS_getpid)
		return next(number, a, b, c, d, e, f);
	/* they end this program: the wrapper sees to what comes after it */
	if (number == SYS_execve)
		return execve((const char *)a, (char *const *)b, (char *const *)c);
	if (number == SYS_execveat)
		return execveat((int)a, (const char *)b, (char *const *)c, (char *const *)d,
				(int)e);
	k = find(number);
	if (!pario_trace_begin(&call, k->op,
			       k->op >= PARIO_OP_io_setup && k->op <= PARIO_OP_uring_other
				       ? PARIO_TRACE_ASYNC
				       : PARIO_TRACE_POSIX,
			       __builtin_return_address(0), __builtin_frame_address(0)))
		return next(number, a, b, c, d, e, f);
	submits(&call, number, arguments + 1);
	r = next(number, a, b, c, d, e, f);
	pario_trace_stop(&call);
	submitted(number, arguments + 1, r);
	describe(&call, k, arguments + 1, r);
	pario_trace_put(&call);
	return r;
}

PARIO_TWIN(syscall, pario_syscall);
