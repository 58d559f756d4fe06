/*
 * readable: may this memory be read? A program may hand addresses to the kernel that are not its own and lives with
 * EFAULT; what reads them here must live as well. The kernel copies the eight bytes at the address before it refuses
 * what is asked of it, and tells whether it could.
 */
#ifndef PARIO_TRACER_PRELOAD_READABLE_H
#define PARIO_TRACER_PRELOAD_READABLE_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/preload/raw.h"

enum { PARIO_READABLE_PAGE = 4096, PARIO_READABLE_NOTHING = -1 };

/* On the stack, in the program or on its heap. */
__attribute__((visibility("hidden"))) bool pario_surely_readable(const void *at);

/* Then so is the rest of its page. */
static inline bool pario_readable(const void *at)
{
	return (uintptr_t)at >= PARIO_READABLE_PAGE &&
	       (pario_surely_readable(at) ||
		pario_raw6(SYS_rt_sigprocmask, PARIO_READABLE_NOTHING,
			   (long)((uintptr_t)at & ~(uintptr_t)7), 0, 8, 0, 0) != -EFAULT);
}

static inline size_t pario_page_rest(const void *at)
{
	return PARIO_READABLE_PAGE - (uintptr_t)at % PARIO_READABLE_PAGE;
}

static inline bool pario_readable_range(const void *at, size_t bytes)
{
	const char *from = at;

	for (size_t done = 0; done < bytes; done += pario_page_rest(from + done)) {
		if (!pario_readable(from + done))
			return false;
	}
	return true;
}

/* The length of a string, `most` at the most; -1 when it cannot be read. */
static inline long pario_readable_length(const char *text, size_t most)
{
	size_t n = 0, end;

	while (n < most) {
		if (!pario_readable(text + n))
			return -1;
		for (end = n + pario_page_rest(text + n); n < end && n < most; n++) {
			if (!text[n])
				return (long)n;
		}
	}
	return (long)most;
}

/* An environment, ended by a null pointer. Most of its strings lie in the same few pages. */
static inline bool pario_readable_list(char *const *list)
{
	uintptr_t page = UINTPTR_MAX;

	for (;; list++) {
		const char *c;

		/* one at an odd address may lie in two pages */
		if (((uintptr_t)list / PARIO_READABLE_PAGE != page ||
		     (uintptr_t)list % sizeof(*list)) &&
		    !pario_readable_range(list, sizeof(*list)))
			return false;
		if (!*list)
			return true;
		c = *list;
		do {
			if ((uintptr_t)c / PARIO_READABLE_PAGE != page && !pario_readable(c))
				return false;
			page = (uintptr_t)c / PARIO_READABLE_PAGE;
		} while (*c++);
	}
}

#endif
