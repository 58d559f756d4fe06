/*
 * window: segments begin with one page and grow as they are needed.
 *
 * A full window is written behind itself in the same file and used again: its pages stay in the cache, and a page of
 * the file costs a copy instead of a page fault (measured: 15 against 45 ns per record). No descriptor stays open,
 * since programs close what they do not know. The file is opened anew each time (directory.c); where that fails
 * (another root, another user, no descriptor left) the mapping itself is stretched over the end of the file, which
 * was made long for that.
 *
 * The file is long and empty. Its pages are asked for before they are written (MADV_POPULATE_WRITE): a page without a
 * place on the disk would kill the program. Unlike fallocate that leaves the disk alone until the pages are written
 * back, and a file that is removed before that costs nothing (on ext4: 4 instead of 1500 us).
 */
#include "tracer/preload/window.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "tracer/preload/raw.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum {
	PAGE = 4096,
	MAPPED = PARIO_TRACE_SPILLED,
	RECORD = sizeof(struct pario_trace_record),
	FIRST = (PAGE - PARIO_TRACE_HEADER) / RECORD,
	BLOCK = 3 * PAGE, /* the smallest whole number of pages and of records */
	BLOCKS = (MAPPED - PAGE) / BLOCK,
	FREE_SHARE = 20,
};

_Static_assert(PAGE + BLOCKS * BLOCK == MAPPED, "the window is a page and whole blocks");
_Static_assert(FIRST + BLOCKS * (BLOCK / RECORD) == PARIO_WINDOW_RECORDS, "records fill it");

static const uint64_t reach = 1ull << 30;     /* how far the file goes on behind what is written */
static const uint64_t free_most = 1ull << 30; /* so much is left to the program at the most */

/* ---- signals ---- */

uint64_t pario_signals_hold(void)
{
	/* those of faults come from what is done here, not from elsewhere */
	const uint64_t all = ~(1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1) | 1ull << (SIGILL - 1) |
			       1ull << (SIGFPE - 1) | 1ull << (SIGTRAP - 1) | 1ull << (SIGSYS - 1));
	uint64_t old = 0;

	if (pario_trace_mute)
		return 0;
	pario_raw6(SYS_rt_sigprocmask, SIG_BLOCK, (long)&all, (long)&old, sizeof(old), 0, 0);
	return old;
}

void pario_signals_release(uint64_t old)
{
	if (!pario_trace_mute)
		pario_raw6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, sizeof(old), 0, 0);
}

/* What lengthens a file. Beyond the limit of `ulimit -f` the kernel sends a signal that the program did not earn. */
static long lengthen(long call, long fd, const void *a, uint64_t b, uint64_t c)
{
	const uint64_t size_signal = 1ull << (SIGXFSZ - 1);
	const struct timespec at_once = { 0, 0 };
	uint64_t before = 0;
	long n;

	pario_raw3(SYS_rt_sigpending, (long)&before, sizeof(before), 0);
	n = pario_raw6(call, fd, (long)a, (long)b, (long)c, 0, 0);
	if (n == -EFBIG && !(before & size_signal))
		pario_raw6(SYS_rt_sigtimedwait, (long)&size_signal, 0, (long)&at_once,
			   sizeof(size_signal), 0, 0);
	return n;
}

/* ---- the file ---- */

enum { NAME = 48 };

/* PID.NUMBER */
static void name_of(char *name, long pid, unsigned number)
{
	name = pario_number_text(name, (uint64_t)pid);
	*name++ = '.';
	pario_number_text(name, number);
}

/* A twentieth of the file system, but no more than 1 GiB, stays free for the program. */
static long space_left(long fd)
{
	struct statfs fs;
	uint64_t block, keep;

	if (pario_raw3(SYS_fstatfs, fd, (long)&fs, 0) < 0 || !fs.f_blocks || fs.f_bsize <= 0)
		return 0;
	block = (uint64_t)fs.f_bsize;
	keep = fs.f_blocks / FREE_SHARE;
	if (keep > free_most / block)
		keep = free_most / block;
	return fs.f_bavail < keep + MAPPED / block ? -ENOSPC : 0;
}

/* File systems without holes would write all of it. */
static bool has_holes(long fd)
{
	struct statfs fs;

	return pario_raw3(SYS_fstatfs, fd, (long)&fs, 0) == 0 && fs.f_type != 0x4d44 /* FAT */ &&
	       fs.f_type != 0x2011bab0 /* exFAT */ && fs.f_type != 0x482b /* HFS+ */;
}

/* Makes the file as long as is wanted and allowed; its bytes, or the negative errno. */
static long stretch(long fd, uint64_t bytes)
{
	struct rlimit most = { RLIM_INFINITY, RLIM_INFINITY };
	long error;

	pario_raw6(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&most, 0, 0);
	if (bytes > most.rlim_cur)
		bytes = most.rlim_cur / PAGE * PAGE;
	if (bytes < PAGE)
		return -EFBIG;
	error = lengthen(SYS_ftruncate, fd, (const void *)bytes, 0, 0);
	return error < 0 ? error : (long)bytes;
}

/* Pages that can be written without a place on the disk being missed. */
static long populate(const char *from, uint64_t bytes)
{
	long error = pario_raw3(SYS_madvise, (long)from, (long)bytes, MADV_POPULATE_WRITE);

	return error == -EFAULT ? -ENOSPC : error;
}

/* Kernels before 5.14: the whole window at once. */
static long allocate(long fd)
{
	static const char zeroes[PAGE];
	long error = lengthen(SYS_fallocate, fd, NULL, 0, MAPPED);

	if (error != -EOPNOTSUPP)
		return error;
	for (uint64_t at = 0; at < MAPPED; at += PAGE) {
		long n = lengthen(SYS_pwrite64, fd, zeroes, PAGE, at);

		if (n != PAGE)
			return n < 0 ? n : -ENOSPC;
	}
	return 0;
}

static long map(struct pario_thread *t, long fd)
{
	long size = space_left(fd), p, error;

	if (size == 0)
		size = stretch(fd, has_holes(fd) ? MAPPED + reach : MAPPED);
	if (size < 0)
		return size;
	p = pario_raw6(SYS_mmap, 0, MAPPED, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p < 0)
		return p;
	pario_raw3(SYS_madvise, p, MAPPED, MADV_DONTFORK);
	pario_raw3(SYS_madvise, p, MAPPED, MADV_RANDOM); /* nothing is there to be read ahead */
	t->usable = FIRST;
	error = populate((const char *)p, PAGE);
	if (error == -EINVAL) {
		t->usable = PARIO_WINDOW_RECORDS;
		error = allocate(fd);
	}
	if (error < 0) {
		pario_raw3(SYS_munmap, p, MAPPED, 0);
		return error;
	}
	t->file_bytes = (uint64_t)size;
	t->hole = t->hole_count = 0;
	t->segment = (struct pario_trace_segment *)p;
	*pario_window_limit(t->segment) = t->usable;
	return 0;
}

long pario_window_create(struct pario_thread *t, unsigned *numbers)
{
	char name[NAME];
	long pid = pario_raw3(SYS_getpid, 0, 0, 0), fd = -EEXIST;
	long directory = pario_trace_directory_open(), error;

	if (directory < 0)
		return directory;
	for (int tries = 0; fd == -EEXIST && tries < 100000; tries++) {
		t->number = __atomic_fetch_add(numbers, 1, __ATOMIC_RELAXED);
		name_of(name, pid, t->number);
		fd = pario_raw6(SYS_openat, directory, (long)name,
				O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600, 0, 0);
	}
	error = fd < 0 ? fd : map(t, fd);
	if (fd >= 0)
		pario_raw3(SYS_close, fd, 0, 0);
	if (fd >= 0 && error < 0)
		pario_raw3(SYS_unlinkat, directory, (long)name, 0);
	pario_raw3(SYS_close, directory, 0, 0);
	return error;
}

void pario_window_leave(const struct pario_trace_segment *s)
{
	if (s)
		pario_raw3(SYS_munmap, (long)s, MAPPED, 0);
}

/* ---- growing ---- */

long pario_window_grow(struct pario_thread *t)
{
	uint64_t now = (t->usable - FIRST) / (BLOCK / RECORD), then = 2 * now + 1;
	long error;

	if (now == BLOCKS)
		return -ENOBUFS;
	if (then > BLOCKS)
		then = BLOCKS;
	if (PAGE + then * BLOCK > t->file_bytes)
		return -EFBIG;
	error = populate((const char *)t->segment + PAGE + now * BLOCK, (then - now) * BLOCK);
	if (error < 0)
		return error;
	t->usable = FIRST + then * (BLOCK / RECORD);
	__atomic_store_n(pario_window_limit(t->segment), t->segment->spilled + t->usable,
			 __ATOMIC_RELEASE);
	return 0;
}

/* By the file's name. */
static long write_behind(struct pario_thread *t, uint64_t at)
{
	const char *from = (const char *)pario_window_record(t->segment, 0);
	uint64_t left = PARIO_TRACE_WINDOW, end = at + left;
	char name[NAME];
	long fd, n;

	name_of(name, t->segment->pid, t->number);
	fd = pario_trace_directory_file(name, O_RDWR);
	if (fd < 0)
		return fd;
	n = space_left(fd);
	for (; n >= 0 && left; left -= (uint64_t)n, from += n, at += (uint64_t)n) {
		n = lengthen(SYS_pwrite64, fd, from, left, at);
		if (n == -EINTR)
			n = 0;
		else if (n == 0)
			n = -ENOSPC;
	}
	if (n >= 0 && t->file_bytes < end + reach / 2 && has_holes(fd)) {
		long size = stretch(fd, end + reach);

		t->file_bytes = size > 0 ? (uint64_t)size : end;
	}
	pario_raw3(SYS_close, fd, 0, 0);
	if (n < 0)
		return n;
	t->own_written += PARIO_TRACE_WINDOW;
	return 0;
}

/*
 * By a second mapping of the file, which needs neither path nor descriptor: a length of 0 asks for a copy of the first.
 */
static long copy_behind(struct pario_thread *t, uint64_t at)
{
	uint64_t end = (at + PARIO_TRACE_WINDOW + PAGE - 1) / PAGE * PAGE, from = at / PAGE * PAGE;
	char *copy;
	long p, error;

	if (end > t->file_bytes)
		return -EFBIG;
	p = pario_raw6(SYS_mremap, (long)t->segment, 0, (long)end, MREMAP_MAYMOVE, 0, 0);
	if (p <= 0) /* never 0; the checkers do not know that */
		return p;
	copy = (char *)(uintptr_t)p;
	error = populate(copy + from, end - from);
	if (error == 0)
		memcpy(copy + at, pario_window_record(t->segment, 0), PARIO_TRACE_WINDOW);
	pario_raw3(SYS_munmap, p, (long)end, 0);
	return error;
}

/* A full disk and a limit are what they are; anything else means that the file was not reached. */
static bool was_reached(long error)
{
	return error == 0 || error == -ENOSPC || error == -EDQUOT || error == -EFBIG ||
	       error == -EIO;
}

long pario_window_spill(struct pario_thread *t)
{
	struct pario_trace_segment *s = t->segment;
	uint64_t at = PARIO_TRACE_SPILLED + s->spilled * RECORD;
	long error;

	if (t->usable != PARIO_WINDOW_RECORDS)
		return -EFBIG;
	error = write_behind(t, at);
	if (!was_reached(error))
		error = copy_behind(t, at) == 0 ? 0 : error;
	if (error < 0)
		return error;
	/* A reader that finds the new `spilled` finds the records in the file; with the old one, in the window. */
	__atomic_store_n(&s->spilled, s->spilled + PARIO_WINDOW_RECORDS, __ATOMIC_RELEASE);
	return 0;
}
