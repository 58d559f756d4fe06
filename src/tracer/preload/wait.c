/*
 * wait: calls by which programs wait for descriptors. They are no I/O and are not recorded; but whoever has a ring of
 * io_uring that he enters without the C library waits for it here, which is the time to look what went through it.
 */
#include "tracer/preload/rings.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>

/* clang-format off */

#define WAITING(name, params, args) \
	PARIO_EXPORT int name params; \
	PARIO_SYMBOL(name); \
	PARIO_EXPORT int name params \
	{ \
		int (*next) params = (int (*) params)pario_next(&pario_symbol_##name); \
		int r, error; \
		\
		if (__builtin_expect(pario_raw_rings == 0, 1)) \
			return next args; \
		pario_raw_rings_look(); \
		r = next args; \
		error = errno; \
		pario_raw_rings_look(); \
		errno = error; \
		return r; \
	}

WAITING(epoll_wait, (int fd, struct epoll_event *events, int n, int ms), (fd, events, n, ms))
WAITING(epoll_pwait, (int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask), (fd, events, n, ms, mask))
WAITING(poll, (struct pollfd *fds, nfds_t n, int ms), (fds, n, ms))
WAITING(__poll_chk, (struct pollfd *fds, nfds_t n, int ms, size_t capacity), (fds, n, ms, capacity))
WAITING(__ppoll_chk, (struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *mask, size_t capacity),
	(fds, n, time, mask, capacity))
WAITING(ppoll, (struct pollfd *fds, nfds_t n, const struct timespec *time, const sigset_t *mask), (fds, n, time, mask))
WAITING(select, (int n, fd_set *read, fd_set *write, fd_set *except, struct timeval *time), (n, read, write, except, time))
WAITING(pselect, (int n, fd_set *read, fd_set *write, fd_set *except, const struct timespec *time, const sigset_t *mask),
	(n, read, write, except, time, mask))

/* clang-format on */
