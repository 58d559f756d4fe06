/*
 * routine_aio: POSIX aio. glibc serves it by threads of the process, which do synchronous I/O.
 */
#include <aio.h>
#include <errno.h>
#include <stdlib.h>

#include "tests/overlap/measure/routine.h"

struct state {
	struct aiocb block;
	bool busy;
};

static int prepare(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = calloc(1, sizeof(*s));

	c->state = s;
	if (!s)
		return pario_routine_error(c, "preparing aio", 0, ENOMEM, err);
	s->block.aio_fildes = c->fd;
	s->block.aio_buf = c->buffer;
	s->block.aio_nbytes = c->size;
	s->block.aio_sigevent.sigev_notify = SIGEV_NONE;
	return 0;
}

static int issue(struct pario_channel *c, uint64_t offset, struct pario_err *err)
{
	struct state *s = c->state;

	s->block.aio_offset = (off_t)offset;
	if ((c->write ? aio_write(&s->block) : aio_read(&s->block)) < 0)
		return pario_routine_error(c, "aio", offset, errno, err);
	s->busy = true;
	return 0;
}

static int test(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = c->state;
	int state = aio_error(&s->block);
	ssize_t moved;

	if (!s->busy)
		return 1;
	if (state == EINPROGRESS)
		return 0;
	s->busy = false;
	moved = aio_return(&s->block);
	if (state != 0)
		return pario_routine_error(c, "aio", (uint64_t)s->block.aio_offset, state, err);
	if (moved != (ssize_t)c->size)
		return pario_routine_short(c, "aio", (uint64_t)s->block.aio_offset, moved, err);
	return 1;
}

static int wait_for(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = c->state;
	const struct aiocb *list[1] = { &s->block };

	while (s->busy && aio_error(&s->block) == EINPROGRESS)
		aio_suspend(list, 1,
			    NULL); /* what it says does not matter: the state is asked again */
	return test(c, err);
}

static int forget(struct pario_channel *c, struct pario_err *err)
{
	int status = c->state && wait_for(c, err) < 0 ? -1 : 0;

	free(c->state);
	c->state = NULL;
	return status;
}

const struct pario_routine pario_routine_aio = {
	.name = "aio",
	.summary = "POSIX aio_read and aio_write",
	.open = prepare,
	.issue = issue,
	.test = test,
	.wait = wait_for,
	.close = forget,
};
