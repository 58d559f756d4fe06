/*
 * mmap: what does access through memory cost, page faults instead of system calls?
 *
 * The whole file is mapped shared, a transfer is a copy from or to the mapping. Rates are those of
 * the page cache; only sync makes them rates of storage. The first touch of a page pays for its
 * fault, so a rewrite is faster than a write.
 *
 * A page that cannot be supplied (no space left, file cut short, medium error) arrives as SIGBUS. A
 * handler turns it into an error of the transfer that touched the page; any other SIGBUS goes where
 * it went before.
 */
#include "backend/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/room.h"
#include "base/units.h"

/* For a length that was set elsewhere: ten seconds. */
enum { NAPS = 1000, NAP_NS = 10000000 };

struct state {
	int fd;
	char *base; /* NULL for an empty file */
	uint64_t length;
};

/* The copy this thread is in. */
struct guard {
	sigjmp_buf back;
	const char *low, *high;
};

static _Thread_local struct guard *volatile guard;

/* The handler is shared by all mapped files of the process. */
static pthread_mutex_t handler_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned handler_users;
static struct sigaction handler_before;

static const char *unavailable(void)
{
	return NULL;
}

static int check(const struct pario_open *how, struct pario_err *err)
{
	if (how->direct || how->synchronous)
		return pario_err_set(
			err, PARIO_USAGE,
			"--%s does not work through a mapping: use --api posix or --api uring.",
			how->direct ? "direct" : "sync");
	return pario_posix_check(how, err);
}

static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
	struct guard *g = guard;
	const char *at = info->si_addr;

	(void)context;
	if (g && at >= g->low && at < g->high)
		siglongjmp(g->back, 1);
	/* Not ours: with the former handler in place, the access faults again and finds it. */
	sigaction(signal_number, &handler_before, NULL);
	if (info->si_code <= 0)
		raise(signal_number);
}

static int handler_take(struct pario_err *err)
{
	/* SA_NODEFER: a jump out of the handler must not leave the signal blocked. */
	struct sigaction action = { .sa_sigaction = on_bus_error,
				    .sa_flags = SA_SIGINFO | SA_NODEFER };
	int sys = 0;

	sigemptyset(&action.sa_mask);
	pthread_mutex_lock(&handler_lock);
	if (!handler_users && sigaction(SIGBUS, &action, &handler_before) < 0)
		sys = errno;
	else
		handler_users++;
	pthread_mutex_unlock(&handler_lock);
	return sys ? pario_err_sys(err, sys, NULL, "sigaction failed for SIGBUS") : 0;
}

static void handler_drop(void)
{
	pthread_mutex_lock(&handler_lock);
	if (!--handler_users)
		sigaction(SIGBUS, &handler_before, NULL);
	pthread_mutex_unlock(&handler_lock);
}

/* Copies from or to the mapping; -1 when one of its pages could not be supplied. */
static int guarded_copy(const struct state *s, void *to, const void *from, uint64_t length)
{
	struct guard g = { .low = s->base, .high = s->base + s->length };

	if (sigsetjmp(g.back, 0)) {
		guard = NULL;
		return -1;
	}
	/* The compiler must not move any of the copy to where the guard is not up. */
	guard = &g;
	__asm__ volatile("" ::: "memory");
	memcpy(to, from, length);
	__asm__ volatile("" ::: "memory");
	guard = NULL;
	return 0;
}

/* Why a page was missing: the signal does not say, so the likeliest reason is looked for. */
static int page_missing(const struct pario_file *file, const char *what, uint64_t length,
			uint64_t offset, struct pario_err *err)
{
	const struct state *s = file->state;
	char size[PARIO_UNITS_CAPACITY];
	struct pario_room room;
	struct stat st;
	int sys = EIO;

	if (fstat(s->fd, &st) == 0 && (uint64_t)st.st_size < offset + length)
		return pario_err_set(err, PARIO_SYSTEM,
				     "%s was cut to %llu bytes while %llu bytes at offset %s were "
				     "copied. Keep other programs away from it.",
				     file->how.path, (unsigned long long)st.st_size,
				     (unsigned long long)length, pario_units_size(size, offset));
	if (pario_room_of(s->fd, &room) == 0 && room.free_bytes == 0)
		sys = ENOSPC;
	return pario_err_sys(err, sys, pario_backend_hint(false, sys),
			     "mapped %s of %llu bytes failed with SIGBUS in %s at offset %s", what,
			     (unsigned long long)length, file->how.path,
			     pario_units_size(size, offset));
}

static int outside(const struct pario_file *file, uint64_t length, uint64_t offset,
		   struct pario_err *err)
{
	const struct state *s = file->state;
	char size[PARIO_UNITS_CAPACITY];

	return pario_err_set(err, PARIO_SYSTEM,
			     "%s is mapped up to %s (%llu), and %llu bytes at offset %llu reach "
			     "beyond. Write the file before reading it, and in full.",
			     file->how.path, pario_units_size(size, s->length),
			     (unsigned long long)s->length, (unsigned long long)length,
			     (unsigned long long)offset);
}

static bool inside(const struct state *s, uint64_t length, uint64_t offset)
{
	return offset <= s->length && length <= s->length - offset;
}

static int mmap_write(struct pario_file *file, const void *buffer, uint64_t length, uint64_t offset,
		      struct pario_err *err)
{
	const struct state *s = file->state;

	if (!file->how.write)
		return pario_err_sys(err, EBADF, "",
				     "mapped write failed in %s, which is open for reading only",
				     file->how.path);
	if (!inside(s, length, offset))
		return outside(file, length, offset, err);
	if (length && guarded_copy(s, s->base + offset, buffer, length) < 0)
		return page_missing(file, "write", length, offset, err);
	return 0;
}

static int mmap_read(struct pario_file *file, void *buffer, uint64_t length, uint64_t offset,
		     struct pario_err *err)
{
	const struct state *s = file->state;

	if (!inside(s, length, offset))
		return outside(file, length, offset, err);
	if (length && guarded_copy(s, buffer, s->base + offset, length) < 0)
		return page_missing(file, "read", length, offset, err);
	return 0;
}

static int mmap_sync(struct pario_file *file, struct pario_err *err)
{
	const struct state *s = file->state;

	if (s->length && msync(s->base, s->length, MS_SYNC) < 0)
		return pario_err_sys(err, errno, pario_backend_hint(file->how.direct, errno),
				     "msync failed in %s", file->how.path);
	return pario_posix_sync(file, s->fd, err);
}

/*
 * Done by client 0 alone: a file to be written must be as long as it will become before it is
 * mapped.
 */
static int lengthen(const struct pario_open *how, int fd, struct pario_err *err)
{
	char size[PARIO_UNITS_CAPACITY];
	struct stat st;

	if (!how->write)
		return 0;
	if (fstat(fd, &st) < 0)
		return pario_err_sys(err, errno, pario_backend_hint(how->direct, errno),
				     "fstat failed for %s", how->path);
	if (!how->size && !st.st_size)
		return pario_err_set(err, PARIO_USAGE,
				     "a mapping of %s needs the size of the file beforehand: use "
				     "--api posix for a test that does not know it.",
				     how->path);
	if ((uint64_t)st.st_size < how->size && ftruncate(fd, (off_t)how->size) < 0)
		return pario_err_sys(err, errno, pario_backend_hint(how->direct, errno),
				     "ftruncate to %s failed for %s",
				     pario_units_size(size, how->size), how->path);
	return 0;
}

/*
 * Another node may see the length that client 0 gave the file, or that it was written with, a little later. Opening
 * makes many file systems ask for it.
 */
static void await_length(const struct pario_open *how, const struct state *s, uint64_t length)
{
	const struct timespec nap = { 0, NAP_NS };
	struct stat st;

	for (unsigned i = 0; i < NAPS && fstat(s->fd, &st) == 0; i++) {
		int fd;

		if ((uint64_t)st.st_size >= length)
			return;
		nanosleep(&nap, NULL);
		fd = openat(how->dirfd, how->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0)
			close(fd);
	}
}

static int map(const struct pario_open *how, struct state *s, struct pario_err *err)
{
	int protection = PROT_READ | (how->write ? PROT_WRITE : 0);
	char size[PARIO_UNITS_CAPACITY];
	struct stat st;
	void *base;

	if (fstat(s->fd, &st) < 0)
		return pario_err_sys(err, errno, pario_backend_hint(how->direct, errno),
				     "fstat failed for %s", how->path);
	if (!st.st_size)
		return 0;
	base = mmap(NULL, (size_t)st.st_size, protection, MAP_SHARED, s->fd, 0);
	if (base == MAP_FAILED)
		return pario_err_sys(err, errno, pario_backend_hint(how->direct, errno),
				     "mmap of %s failed for %s",
				     pario_units_size(size, (uint64_t)st.st_size), how->path);
	s->base = base;
	s->length = (uint64_t)st.st_size;
	return 0;
}

/* Everything after the open; what one client could not do, all learn. */
static int prepare(const struct pario_open *how, struct state *s, struct pario_err *err)
{
	uint64_t length = 0;
	int rank, status = 0;
	struct stat st;

	MPI_Comm_rank(how->comm, &rank);
	if (rank == 0)
		status = lengthen(how, s->fd, err);
	if (pario_comm_agree(how->comm, status, NULL, err) < 0)
		return -1;
	if (fstat(s->fd, &st) == 0)
		length = (uint64_t)st.st_size;
	MPI_Allreduce(MPI_IN_PLACE, &length, 1, MPI_UINT64_T, MPI_MAX, how->comm);
	await_length(how, s, length);
	return pario_comm_agree(how->comm, map(how, s, err), NULL, err);
}

static int mmap_open(struct pario_file *file, const struct pario_open *how, struct pario_err *err)
{
	struct pario_open readable = *how;
	struct state *s = calloc(1, sizeof(*s));
	int status = s ? handler_take(err)
		       : pario_err_sys(err, ENOMEM, NULL, "open failed for %s", how->path);
	bool handled = status == 0;

	readable.read = true; /* a shared mapping reads pages even where it only writes */
	if (pario_comm_agree(how->comm, status, NULL, err) < 0)
		goto free_state;
	if (pario_posix_open(&readable, &s->fd, err) < 0)
		goto free_state;
	if (prepare(how, s, err) < 0)
		goto close_file;
	file->how = *how;
	file->state = s;
	return 0;

close_file:
	if (s->base)
		munmap(s->base, s->length);
	close(s->fd);
free_state:
	if (handled)
		handler_drop();
	free(s);
	return -1;
}

static int mmap_close(struct pario_file *file, struct pario_err *err)
{
	struct state *s = file->state;
	int sys = 0;

	if (s->base && munmap(s->base, s->length) < 0)
		sys = errno;
	if (close(s->fd) < 0 && !sys)
		sys = errno;
	handler_drop();
	free(s);
	file->state = NULL;
	return sys ? pario_err_sys(err, sys, pario_backend_hint(file->how.direct, sys),
				   "close failed for %s", file->how.path)
		   : 0;
}

static const struct pario_extent_ops extent = {
	.open = mmap_open,
	.write = mmap_write,
	.read = mmap_read,
	.sync = mmap_sync,
	.close = mmap_close,
};

const struct pario_backend pario_backend_mmap = {
	.name = "mmap",
	.summary = "copies from and to a shared mapping of the file",
	.bits = PARIO_BACKEND_NEEDS_SIZE | PARIO_BACKEND_DATA_ONLY,
	.unavailable = unavailable,
	.version = pario_posix_version,
	.check = check,
	.extent = &extent,
};
