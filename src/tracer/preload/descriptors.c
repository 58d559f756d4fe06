/*
 * descriptors: wrappers of the calls that open, close and copy descriptors.
 */
#include "tracer/preload/readable.h"
#include "tracer/preload/rings.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static struct pario_opening opening(int dir, const char *path, int flags)
{
	struct pario_opening o = { .dir = dir, .flags = flags, .path = path, .stated = true };

	pario_state_before(&o);
	return o;
}

static void opened(struct pario_call *c, int fd, struct pario_opening *o, uint64_t mode)
{
	c->arg = (uint32_t)o->flags;
	c->more = mode;
	pario_answered(c, fd);
	if (fd >= 0)
		pario_fd_opened(c, fd, o);
	else
		pario_of_name(c, o->dir, o->path);
	if (fd < 0 && c->result == ENOENT)
		pario_state_after(o, c->file, -1);
}

/* What the call is given is the name of no file. */
static void opened_elsewhere(struct pario_call *c, int fd, const char *name, int flags)
{
	struct pario_opening o = { .flags = PARIO_FLAGS_UNKNOWN, .stated = true };

	opened(c, fd, &o, 0);
	c->arg = (uint32_t)flags;
	if (fd < 0 && name)
		pario_of_name(c, AT_FDCWD, name);
	else if (name)
		c->fd = pario_looked_up_in(AT_FDCWD, name);
}

static void copied(struct pario_call *c, int from, int wanted, int flags, int to)
{
	pario_of_fd(c, from);
	c->arg = (uint32_t)flags;
	c->more = (uint64_t)wanted;
	pario_answered(c, to);
	if (to >= 0 && to != from)
		pario_fd_shared(from, to);
}

/* The table forgets first: once it is closed, another thread may get the same number. */
static void closing(struct pario_call *c, int fd)
{
	struct pario_fd *f = pario_fd_entry(fd);

	c->fd = fd;
	if (f) {
		c->file = pario_fd_closes(f);
		if (pario_raw_rings)
			pario_raw_ring_closes(fd);
	} else {
		pario_of_fd(c, fd);
	}
}

static void made_pipe(struct pario_call *c, const int *fds, int flags, int r)
{
	pario_answered(c, r);
	c->arg = (uint32_t)flags;
	if (r == 0) {
		c->more = (uint64_t)fds[1];
		pario_fd_forget(fds[0]);
		pario_fd_forget(fds[1]);
		pario_of_fd(c, fds[0]);
	}
}

/* Names of shared memory are those of files in a directory of their own, as what is opened by them shows. */
enum { SHARED_MEMORY_PATH = sizeof("/dev/shm/") + NAME_MAX + 1 };

/* NULL when the name cannot be read. */
static const char *shared_memory_path(char *path, const char *name)
{
	long length;
	char *end;

	while (pario_readable(name) && *name == '/')
		name++;
	length = pario_readable_length(name, NAME_MAX);
	if (length <= 0)
		return NULL;
	end = stpcpy(path, "/dev/shm/");
	memcpy(end, name, (size_t)length);
	end[length] = '\0';
	return path;
}

/* clang-format off */

/* The third argument is there only when the flags say so; reading it in any case is what libc does as well. */
#define OPENER(name, op, params, args, last, dir) \
	PARIO_EXPORT int name params; \
	PARIO_SYMBOL(name); \
	PARIO_EXPORT int name params \
	{ \
		int (*next) params = (int (*) params)pario_next(&pario_symbol_##name); \
		struct pario_call c; \
		struct pario_opening o; \
		mode_t mode = 0; \
		va_list more; \
		int r; \
		\
		if (flags & (O_CREAT | __O_TMPFILE)) { \
			va_start(more, last); \
			mode = va_arg(more, mode_t); \
			va_end(more); \
		} \
		if (!pario_trace_begin(&c, PARIO_OP_##op, PARIO_TRACE_POSIX, \
				       __builtin_return_address(0), __builtin_frame_address(0))) \
			return next args; \
		o = opening(dir, path, flags); \
		o.later = true; \
		c.start = pario_ticks(); \
		r = next args; \
		pario_trace_stop(&c); \
		opened(&c, r, &o, mode); \
		pario_trace_put(&c); \
		return r; \
	}

OPENER(open, open, (const char *path, int flags, ...), (path, flags, mode), flags, AT_FDCWD)
OPENER(openat, openat, (int dir, const char *path, int flags, ...), (dir, path, flags, mode), flags, dir)

#define OPEN(name, op, params, args, dir, path, flags, mode) \
	PARIO_WRAP(int, name, op, POSIX, params, args, \
		   struct pario_opening o = opening(dir, path, flags); c.start = pario_ticks(), opened(&c, r, &o, mode))
#define TEMPORARY (O_RDWR | O_CREAT | O_EXCL)
#define PLAIN(name, op, params, args, fd) \
	PARIO_WRAP(int, name, op, POSIX, params, args, , (pario_of_fd(&c, fd), pario_answered(&c, r)))

OPEN(__open_2, open, (const char *path, int flags), (path, flags), AT_FDCWD, path, flags, 0)
OPEN(__openat_2, openat, (int dir, const char *path, int flags), (dir, path, flags), dir, path, flags, 0)
OPEN(creat, creat, (const char *path, mode_t mode), (path, mode), AT_FDCWD, path,
     O_WRONLY | O_CREAT | O_TRUNC, mode)
PARIO_WRAP(int, open_by_handle_at, open_by_handle_at, POSIX, (int mount, struct file_handle *h, int flags), (mount, h, flags), ,
	   opened_elsewhere(&c, r, NULL, flags))
OPEN(mkstemp, mkstemp, (char *path), (path), AT_FDCWD, path, TEMPORARY, 0600)
OPEN(mkostemp, mkstemp, (char *path, int flags), (path, flags), AT_FDCWD, path, TEMPORARY | flags, 0600)
OPEN(mkstemps, mkstemp, (char *path, int suffix), (path, suffix), AT_FDCWD, path, TEMPORARY, 0600)
OPEN(mkostemps, mkstemp, (char *path, int suffix, int flags), (path, suffix, flags), AT_FDCWD, path,
     TEMPORARY | flags, 0600)
OPEN(shm_open, shm_open, (const char *name, int flags, mode_t mode), (name, flags, mode), AT_FDCWD,
     shared_memory_path((char[SHARED_MEMORY_PATH]){ 0 }, name), flags, mode)
PARIO_WRAP(int, memfd_create, memfd_create, POSIX, (const char *name, unsigned flags), (name, flags), ,
	   opened_elsewhere(&c, r, name, (int)flags & ~(O_CREAT | O_TRUNC)))

PARIO_WRAP(int, name_to_handle_at, name_to_handle_at, POSIX,
	   (int dir, const char *path, struct file_handle *h, int *mount, int flags),
	   (dir, path, h, mount, flags), , (pario_answered(&c, r), pario_of_name(&c, dir, path)))
PARIO_WRAP(int, shm_unlink, shm_unlink, POSIX, (const char *name), (name), ,
	   (pario_answered(&c, r),
	    pario_of_name(&c, AT_FDCWD, shared_memory_path((char[SHARED_MEMORY_PATH]){ 0 }, name))))
PARIO_WRAP(int, close, close, POSIX, (int fd), (fd), closing(&c, fd), pario_answered(&c, r))
PARIO_WRAP(int, close_range, close_range, POSIX, (unsigned first, unsigned last, int flags),
	   (first, last, flags), if (!(flags & 4)) pario_fds_forget(first, last),
	   (c.fd = (int)first, c.more = last, c.arg = (uint32_t)flags, pario_answered(&c, r)))
PARIO_WRAP(int, dup, dup, POSIX, (int fd), (fd), , copied(&c, fd, -1, 0, r))
PARIO_WRAP(int, dup2, dup2, POSIX, (int fd, int to), (fd, to), , copied(&c, fd, to, 0, r))
PARIO_WRAP(int, dup3, dup3, POSIX, (int fd, int to, int flags), (fd, to, flags), , copied(&c, fd, to, flags, r))
PARIO_WRAP(int, pipe, pipe, POSIX, (int fds[2]), (fds), , made_pipe(&c, fds, 0, r))
PARIO_WRAP(int, pipe2, pipe, POSIX, (int fds[2], int flags), (fds, flags), , made_pipe(&c, fds, flags, r))

/* clang-format on */

PARIO_EXPORT void closefrom(int first);
PARIO_SYMBOL(closefrom);
PARIO_EXPORT void closefrom(int first)
{
	void (*next)(int) = (void (*)(int))pario_next(&pario_symbol_closefrom);
	struct pario_call c;

	if (!pario_trace_begin(&c, PARIO_OP_closefrom, PARIO_TRACE_POSIX,
			       __builtin_return_address(0), __builtin_frame_address(0))) {
		next(first);
		return;
	}
	pario_fds_forget((unsigned)first, UINT32_MAX);
	next(first);
	pario_trace_stop(&c);
	c.fd = first;
	c.more = UINT32_MAX;
	pario_trace_put(&c);
}

/* The argument is passed on whether it is a number or an address: both travel in the same register. */
PARIO_EXPORT int fcntl(int fd, int command, ...);
PARIO_SYMBOL(fcntl);
PARIO_EXPORT int fcntl(int fd, int command, ...)
{
	int (*next)(int, int, ...) = (int (*)(int, int, ...))pario_next(&pario_symbol_fcntl);
	struct pario_call c;
	va_list more;
	void *argument;
	int r;

	va_start(more, command);
	argument = va_arg(more, void *);
	va_end(more);
	if (!pario_trace_begin(&c, PARIO_OP_fcntl, PARIO_TRACE_POSIX, __builtin_return_address(0),
			       __builtin_frame_address(0)))
		return next(fd, command, argument);
	r = next(fd, command, argument);
	pario_trace_stop(&c);
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
		copied(&c, fd, (int)(intptr_t)argument, command, r);
	} else {
		pario_of_fd(&c, fd);
		pario_answered(&c, r);
		pario_controlled(&c, command, (uint64_t)(uintptr_t)argument);
	}
	if (command == F_SETFL && r == 0)
		pario_fd_set_flags(fd, (int)(intptr_t)argument);
	pario_trace_put(&c);
	return r;
}

PARIO_EXPORT int ioctl(int fd, unsigned long request, ...);
PARIO_SYMBOL(ioctl);
PARIO_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int, unsigned long, ...) =
		(int (*)(int, unsigned long, ...))pario_next(&pario_symbol_ioctl);
	struct pario_call c;
	va_list more;
	void *argument;
	int r;

	va_start(more, request);
	argument = va_arg(more, void *);
	va_end(more);
	if (!pario_trace_begin(&c, PARIO_OP_ioctl, PARIO_TRACE_POSIX, __builtin_return_address(0),
			       __builtin_frame_address(0)))
		return next(fd, request, argument);
	r = next(fd, request, argument);
	pario_trace_stop(&c);
	c.size = request;
	c.arg = (uint32_t)request;
	c.more = (uint64_t)(uintptr_t)argument;
	pario_of_fd(&c, fd);
	pario_answered(&c, r);
	pario_trace_put(&c);
	return r;
}

PARIO_TWIN(open64, open);
PARIO_TWIN(__open, open);
PARIO_TWIN(__open64, open);
PARIO_TWIN(__open64_2, __open_2);
PARIO_TWIN(openat64, openat);
PARIO_TWIN(__openat64_2, __openat_2);
PARIO_TWIN(creat64, creat);
PARIO_TWIN(mkstemp64, mkstemp);
PARIO_TWIN(mkostemp64, mkostemp);
PARIO_TWIN(mkstemps64, mkstemps);
PARIO_TWIN(mkostemps64, mkostemps);
PARIO_TWIN(__close, close);
PARIO_TWIN(__dup2, dup2);
PARIO_TWIN(fcntl64, fcntl);
PARIO_TWIN(__fcntl, fcntl);
