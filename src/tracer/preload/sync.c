/*
 * sync: wrappers of the calls that sync, size, advise and map.
 *
 * What a page fault reads or writes through a mapping is invisible here. Memory without a file passes by unrecorded: it
 * is no I/O, and allocators ask for it while nothing is ready yet.
 */
#include "tracer/calls.h"
#include "tracer/preload/rings.h"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* clang-format off */

#define OF_FD(name, params, args, fd) \
	PARIO_WRAP(int, name, name, POSIX, params, args, , (pario_of_fd(&c, fd), pario_answered(&c, r)))
/* A part of a file. */
#define PART(type, name, params, args, fd, at, bytes, how, answered) \
	PARIO_WRAP(type, name, name, POSIX, params, args, , \
		   (pario_of_fd(&c, fd), c.offset = (uint64_t)(at), c.size = (uint64_t)(bytes), c.arg = (uint32_t)(how), \
		    answered(&c, r)))
/* A part of memory: the address tells which mapping it is. */
#define MEMORY(name, params, args, bytes, how, answered) \
	PARIO_WRAP(int, name, name, POSIX, params, args, , \
		   (c.size = bytes, c.more = (uint64_t)(uintptr_t)at, c.arg = (uint32_t)(how), answered(&c, r)))

/* Some calls return the errno itself. */
#define RETURNED(call, r) do_returned(call, r)
static void do_returned(struct pario_call *call, int r)
{
	if (r)
		pario_failed(call, r);
}

OF_FD(fsync, (int fd), (fd), fd)
OF_FD(fdatasync, (int fd), (fd), fd)
OF_FD(syncfs, (int fd), (fd), fd)
PART(int, sync_file_range, (int fd, off64_t at, off64_t n, unsigned flags), (fd, at, n, flags), fd, at, n, flags,
     pario_answered)
PART(int, ftruncate, (int fd, off_t n), (fd, n), fd, PARIO_TRACE_NOWHERE, n, 0, pario_answered)
PART(int, fallocate, (int fd, int mode, off_t at, off_t n), (fd, mode, at, n), fd, at, n, mode, pario_answered)
PART(int, posix_fallocate, (int fd, off_t at, off_t n), (fd, at, n), fd, at, n, 0, RETURNED)
PART(int, posix_fadvise, (int fd, off_t at, off_t n, int what), (fd, at, n, what), fd, at, n, what, RETURNED)
PART(ssize_t, readahead, (int fd, off64_t at, size_t n), (fd, at, n), fd, at, n, 0, pario_answered)
PARIO_WRAP(int, truncate, truncate, POSIX, (const char *path, off_t n), (path, n), ,
	   (pario_answered(&c, r), pario_of_name(&c, AT_FDCWD, path), c.size = (uint64_t)n))

PARIO_WRAP(int, munmap, munmap, POSIX, (void *at, size_t n), (at, n),
	   if (pario_raw_rings) pario_raw_ring_unmaps(at),
	   (c.size = n, c.more = (uint64_t)(uintptr_t)at, pario_answered(&c, r)))
MEMORY(msync, (void *at, size_t n, int flags), (at, n, flags), n, flags, pario_answered)
MEMORY(madvise, (void *at, size_t n, int what), (at, n, what), n, what, pario_answered)
MEMORY(mincore, (void *at, size_t n, unsigned char *in), (at, n, in), n, 0, pario_answered)
MEMORY(posix_madvise, (void *at, size_t n, int what), (at, n, what), n, what, RETURNED)
PARIO_WRAP(ssize_t, process_madvise, process_madvise, POSIX,
	   (int pid, const struct iovec *v, size_t n, int what, unsigned flags), (pid, v, n, what, flags), ,
	   (c.fd = pid, c.arg = (uint32_t)what, pario_answered(&c, r)))

/* clang-format on */

PARIO_EXPORT void sync(void);
PARIO_SYMBOL(sync);
PARIO_EXPORT void sync(void)
{
	void (*next)(void) = (void (*)(void))pario_next(&pario_symbol_sync);
	struct pario_call c;

	if (!pario_trace_begin(&c, PARIO_OP_sync, PARIO_TRACE_POSIX, __builtin_return_address(0),
			       __builtin_frame_address(0))) {
		next();
		return;
	}
	next();
	pario_trace_stop(&c);
	pario_trace_put(&c);
}

PARIO_EXPORT void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t from);
PARIO_SYMBOL(mmap);
PARIO_EXPORT void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t from)
{
	void *(*next)(void *, size_t, int, int, int, off_t) =
		(void *(*)(void *, size_t, int, int, int, off_t))pario_next(&pario_symbol_mmap);
	struct pario_call c;
	void *r;

	if (flags & MAP_ANONYMOUS ||
	    !pario_trace_begin(&c, PARIO_OP_mmap, PARIO_TRACE_POSIX, __builtin_return_address(0),
			       __builtin_frame_address(0)))
		return next(at, n, protection, flags, fd, from);
	r = next(at, n, protection, flags, fd, from);
	pario_trace_stop(&c);
	pario_of_fd(&c, fd);
	c.offset = (uint64_t)from;
	c.size = n;
	c.arg = pario_map_kind(protection, flags);
	c.more = (uint64_t)(uintptr_t)r;
	if (r == MAP_FAILED)
		pario_failed(&c, errno);
	else if (pario_raw_rings)
		pario_raw_ring_mapped(fd, (uint64_t)from, r);
	pario_trace_put(&c);
	return r;
}

PARIO_EXPORT void *mremap(void *at, size_t old, size_t n, int flags, ...);
PARIO_SYMBOL(mremap);
PARIO_EXPORT void *mremap(void *at, size_t old, size_t n, int flags, ...)
{
	void *(*next)(void *, size_t, size_t, int, ...) =
		(void *(*)(void *, size_t, size_t, int, ...))pario_next(&pario_symbol_mremap);
	struct pario_call c;
	va_list more;
	void *r, *to;

	va_start(more, flags);
	to = va_arg(more, void *);
	va_end(more);
	if (!pario_trace_begin(&c, PARIO_OP_mremap, PARIO_TRACE_POSIX, __builtin_return_address(0),
			       __builtin_frame_address(0)))
		return next(at, old, n, flags, to);
	r = next(at, old, n, flags, to);
	pario_trace_stop(&c);
	c.size = n;
	c.arg = (uint32_t)flags;
	c.more = (uint64_t)(uintptr_t)at;
	if (r == MAP_FAILED)
		pario_failed(&c, errno);
	else
		c.offset = (uint64_t)(uintptr_t)r;
	pario_trace_put(&c);
	return r;
}

PARIO_TWIN(ftruncate64, ftruncate);
PARIO_TWIN(truncate64, truncate);
PARIO_TWIN(fallocate64, fallocate);
PARIO_TWIN(posix_fallocate64, posix_fallocate);
PARIO_TWIN(posix_fadvise64, posix_fadvise);
PARIO_TWIN(mmap64, mmap);
PARIO_TWIN(__mmap, mmap);
PARIO_TWIN(__munmap, munmap);
