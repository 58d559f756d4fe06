/*
 * routine_pread: pread and pwrite, and the same with a vector of two halves. The caller waits in the kernel.
 */
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/overlap/measure/routine.h"

enum variant { PLAIN, VECTOR };

static ssize_t move(const struct pario_channel *c, uint64_t offset)
{
	/* Halves on 512 bytes, as direct I/O wants them; where a buffer has none, one piece. */
	uint64_t half = c->size / 2 / 512 * 512;
	struct iovec pieces[2] = { { c->buffer, half ? half : c->size },
				   { c->buffer + half, c->size - half } };
	int count = half ? 2 : 1;

	if (c->routine->variant == VECTOR)
		return c->write ? pwritev(c->fd, pieces, count, (off_t)offset)
				: preadv(c->fd, pieces, count, (off_t)offset);
	return c->write ? pwrite(c->fd, c->buffer, c->size, (off_t)offset)
			: pread(c->fd, c->buffer, c->size, (off_t)offset);
}

static int issue(struct pario_channel *c, uint64_t offset, struct pario_err *err)
{
	const char *what = c->write ? "writing" : "reading";
	ssize_t moved;

	do
		moved = move(c, offset);
	while (moved < 0 && errno == EINTR);
	if (moved < 0)
		return pario_routine_error(c, what, offset, errno, err);
	return moved == (ssize_t)c->size ? 0 : pario_routine_short(c, what, offset, moved, err);
}

#define FAMILY(name_, variant_, summary_)                                                    \
	const struct pario_routine pario_routine_##name_ = { .name = #name_,                 \
							     .summary = summary_,            \
							     .bits = PARIO_ROUTINE_BLOCKING, \
							     .variant = variant_,            \
							     .issue = issue,                 \
							     .test = pario_routine_done,     \
							     .wait = pario_routine_done }

FAMILY(pread, PLAIN, "pread and pwrite");
FAMILY(readv, VECTOR, "preadv and pwritev of two halves");
