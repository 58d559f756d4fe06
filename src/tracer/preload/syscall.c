/*
 * syscall: the wrapper of syscall(2). What the ptrace tracer knows as well (calls.h) counts as what
 * it is; the rest are system calls with their number as size.
 */
#include "tracer/preload/confine.h"
#include "tracer/preload/readable.h"
#include "tracer/preload/rings.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void opened(struct pario_call *c, int dir, const char *path, int flags, long r)
{
	struct pario_opening o = { .dir = dir, .flags = flags, .path = path };

	pario_answered(c, r);
	if (r >= 0)
		pario_fd_opened(c, (int)r, &o);
	else
		pario_of_name(c, dir, path);
}

static void copied(struct pario_call *c, int fd, long r)
{
	pario_of_fd(c, fd);
	pario_answered(c, r);
	if (r >= 0 && r != fd)
		pario_fd_shared(fd, (int)r);
}

/* What must be known before the call. */
static void before(struct pario_call *c, const struct pario_system_call *k, const long *a)
{
	if (k->shape == PARIO_SHAPE_CLOSE) {
		pario_of_fd(c, (int)a[0]);
		pario_fd_forget((int)a[0]);
	} else if (k->shape == PARIO_SHAPE_CLOSE_RANGE && !(a[2] & CLOSE_RANGE_CLOEXEC)) {
		pario_fds_forget((unsigned)a[0], (unsigned)a[1]);
	}
}

/* Calls that move bytes; false when it is none of them. */
static bool moved(struct pario_call *c, const struct pario_system_call *k, const long *a, long r)
{
	const struct iovec *v = (const struct iovec *)a[1];

	switch (k->shape) {
	case PARIO_SHAPE_BYTES:
		pario_moved(c, (int)a[0], (uint64_t)a[2], r);
		return true;
	case PARIO_SHAPE_AT:
		pario_moved_at(c, (int)a[0], (uint64_t)a[2], r, a[3]);
		return true;
	case PARIO_SHAPE_IOV:
		pario_moved(c, (int)a[0], pario_iov_bytes(v, a[2], r), r);
		return true;
	case PARIO_SHAPE_IOV_AT:
	case PARIO_SHAPE_IOV_AT2:
		if (a[3] == -1 && k->shape == PARIO_SHAPE_IOV_AT2)
			pario_moved(c, (int)a[0], pario_iov_bytes(v, a[2], r), r);
		else
			pario_moved_at(c, (int)a[0], pario_iov_bytes(v, a[2], r), r, a[3]);
		return true;
	case PARIO_SHAPE_SENDFILE:
		pario_transferred(c, (int)a[1], (const int64_t *)a[2], (int)a[0], NULL,
				  (uint64_t)a[3], r);
		return true;
	case PARIO_SHAPE_COPY:
		pario_transferred(c, (int)a[0], (const int64_t *)a[1], (int)a[2],
				  (const int64_t *)a[3], (uint64_t)a[4], r);
		return true;
	case PARIO_SHAPE_TEE:
		pario_transferred(c, (int)a[0], NULL, (int)a[1], NULL, (uint64_t)a[2], r);
		return true;
	default:
		return false;
	}
}

/* A part of a file; false when it is none of these. */
static bool part(struct pario_call *c, const struct pario_system_call *k, const long *a)
{
	switch (k->shape) {
	case PARIO_SHAPE_RANGE:
		c->offset = (uint64_t)a[1];
		c->size = (uint64_t)a[2];
		break;
	case PARIO_SHAPE_RESIZE:
		c->size = (uint64_t)a[1];
		break;
	case PARIO_SHAPE_ALLOCATE:
		c->offset = (uint64_t)a[2];
		c->size = (uint64_t)a[3];
		break;
	case PARIO_SHAPE_MMAP:
		c->offset = (uint64_t)a[5];
		c->size = (uint64_t)a[1];
		pario_of_fd(c, (int)a[4]);
		return true;
	case PARIO_SHAPE_FD:
		break;
	default:
		return false;
	}
	pario_of_fd(c, (int)a[0]);
	return true;
}

static void describe(struct pario_call *c, const struct pario_system_call *k, const long *a, long r)
{
	c->fd = pario_shape_fd(k->shape, (const uint64_t *)a);
	if (moved(c, k, a, r))
		return;
	switch (k->shape) {
	case PARIO_SHAPE_OPEN:
		opened(c, AT_FDCWD, (const char *)a[0], PARIO_FLAGS_UNKNOWN, r);
		return;
	case PARIO_SHAPE_OPENAT:
		opened(c, (int)a[0], (const char *)a[1], PARIO_FLAGS_UNKNOWN, r);
		return;
	case PARIO_SHAPE_NEW:
		opened(c, AT_FDCWD, NULL, PARIO_FLAGS_UNKNOWN, r);
		return;
	case PARIO_SHAPE_SEEK:
		pario_sought(c, (int)a[0], a[1], (int)a[2], r);
		return;
	case PARIO_SHAPE_DUP:
		copied(c, (int)a[0], r);
		return;
	case PARIO_SHAPE_FCNTL:
		if (a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC) {
			copied(c, (int)a[0], r);
			return;
		}
		pario_of_fd(c, (int)a[0]);
		if (a[1] == F_SETFL && r == 0)
			pario_fd_set_flags((int)a[0], (int)a[2]);
		break;
	case PARIO_SHAPE_PATH:
		pario_answered(c, r);
		if (c->op == PARIO_OP_chdir)
			pario_went_to(c, (const char *)a[0]);
		else
			pario_of_name(c, AT_FDCWD, (const char *)a[0]);
		return;
	case PARIO_SHAPE_AT_PATH:
		pario_answered(c, r);
		pario_of_name(c, (int)a[0], (const char *)a[1]);
		return;
	case PARIO_SHAPE_PATH_2:
		pario_answered(c, r);
		pario_of_name(c, AT_FDCWD, (const char *)a[1]);
		return;
	case PARIO_SHAPE_AT_PATH_2:
		pario_answered(c, r);
		pario_of_name(c, (int)a[1], (const char *)a[2]);
		return;
	case PARIO_SHAPE_LENGTH:
		c->size = (uint64_t)a[1];
		break;
	default:
		part(c, k, a);
	}
	pario_answered(c, r);
}

/* What else it was told. */
static void arguments_of(struct pario_call *c, long number, const long *a, long r)
{
	struct pario_argument_places p = { 0 };

	if ((uint64_t)number < PARIO_SYSTEM_CALLS)
		p = pario_argument_places[number];
	if (p.arg)
		c->arg = (uint32_t)a[p.arg - 1];
	if (p.more)
		c->more = (uint64_t)a[p.more - 1];
	if (p.size)
		c->size = (uint64_t)a[p.size - 1];
	if (p.name)
		pario_and_path(c, p.dir ? (int)a[p.dir - 1] : AT_FDCWD,
			       (const char *)a[p.name - 1]);
	if (p.text)
		c->more = pario_trace_text((const char *)a[p.text - 1]);
	pario_open_arguments((uint64_t)number, &c->arg, &c->more);
	if (number == SYS_openat2 &&
	    pario_readable_range((const void *)a[2], PARIO_HOW * sizeof(uint64_t))) {
		c->arg = (uint32_t)((const uint64_t *)a[2])[0];
		c->more = ((const uint64_t *)a[2])[1];
	}
	if (number == SYS_fchdir && r == 0)
		pario_went(false);
	if (number == SYS_unshare && r == 0)
		pario_went(true);
	if (number == SYS_fcntl && pario_locks((uint32_t)a[1]))
		pario_controlled(c, (int)a[1], (uint64_t)a[2]);
	if (number == SYS_mmap) {
		c->arg = pario_map_kind((int)a[2], (int)a[3]);
		c->more = (uint64_t)r;
	}
	if (number == SYS_pipe2 && r == 0) {
		c->fd = ((const int *)a[0])[0];
		c->more = (uint64_t)((const int *)a[0])[1];
		c->arg = (uint32_t)a[1];
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
	case SYS_io_uring_register:
		if (r >= 0)
			pario_raw_ring_registers((int)a[0], (unsigned)a[1], (const void *)a[2],
						 (unsigned)a[3]);
		break;
	case SYS_mmap:
		if (r != -1 && pario_raw_rings)
			pario_raw_ring_mapped((int)a[4], (uint64_t)a[5], (void *)r);
		break;
	default:
		break;
	}
}

/*
 * Six arguments are taken whatever the call needs: they are in registers, and the kernel ignores what it does not want.
 */
PARIO_EXPORT long pario_syscall(long number, long a, long b, long c, long d, long e, long f);
static struct pario_symbol symbol
	__attribute__((section("pario_symbols"), used)) = { "syscall", NULL };

PARIO_EXPORT long pario_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	long (*next)(long, long, long, long, long, long, long) =
		(long (*)(long, long, long, long, long, long, long))pario_next(&symbol);
	const long arguments[] = { number, a, b, c, d, e, f };
	static const struct pario_system_call other = { PARIO_OP_syscall, PARIO_TRACE_POSIX,
							PARIO_SHAPE_NONE };
	const struct pario_system_call *k;
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
	if (number == SYS_prctl || number == SYS_seccomp) {
		struct pario_confine confine = pario_confine_begin(number, arguments + 1);

		r = next(number, a, b, c, d, e, f);
		pario_confine_end(confine, r);
		return r;
	}
	k = pario_system_call((uint64_t)number);
	if (!k)
		k = &other;
	/* memory without a file is no I/O */
	if ((number == SYS_mmap && d & MAP_ANONYMOUS) ||
	    !pario_trace_begin(&call, k->op, k->layer, __builtin_return_address(0),
			       __builtin_frame_address(0)))
		return next(number, a, b, c, d, e, f);
	before(&call, k, arguments + 1);
	submits(&call, number, arguments + 1);
	r = next(number, a, b, c, d, e, f);
	pario_trace_stop(&call);
	submitted(number, arguments + 1, r);
	describe(&call, k, arguments + 1, r);
	arguments_of(&call, number, arguments + 1, r);
	if (k == &other)
		call.size = (uint64_t)number;
	pario_trace_put(&call);
	return r;
}

PARIO_TWIN(syscall, pario_syscall);
