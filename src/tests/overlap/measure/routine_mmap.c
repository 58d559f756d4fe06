/*
 * routine_mmap: copies from and to a shared mapping; page faults instead of calls.
 *
 * The mapping is made when the channel is opened. Its pages are given back at the end of each pass, or a second pass
 * would find them and cost nothing but the copy. A page that cannot be supplied raises SIGBUS and ends the run: the
 * files here are whole before they are mapped.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/overlap/measure/routine.h"

static int map(struct pario_channel *c, struct pario_err *err)
{
	void *base = mmap(NULL, c->file_bytes, c->write ? PROT_READ | PROT_WRITE : PROT_READ,
			  MAP_SHARED, c->fd, 0);

	if (base == MAP_FAILED)
		return pario_routine_error(c, "mmap", 0, errno, err);
	c->state = base;
	return 0;
}

static int issue(struct pario_channel *c, uint64_t offset, struct pario_err *err)
{
	char *place = (char *)c->state + offset;

	(void)err;
	if (c->write)
		memcpy(place, c->buffer, c->size);
	else
		memcpy(c->buffer, place, c->size);
	return 0;
}

static int finish(struct pario_channel *c, struct pario_err *err)
{
	if (madvise(c->state, c->file_bytes, MADV_DONTNEED) < 0)
		return pario_routine_error(c, "giving back the mapping", 0, errno, err);
	return 0;
}

static int unmap(struct pario_channel *c, struct pario_err *err)
{
	(void)err;
	if (c->state)
		munmap(c->state, c->file_bytes);
	c->state = NULL;
	return 0;
}

const struct pario_routine pario_routine_mmap = {
	.name = "mmap",
	.summary = "copies from and to a shared mapping",
	.bits = PARIO_ROUTINE_BLOCKING | PARIO_ROUTINE_BUFFERED,
	.open = map,
	.issue = issue,
	.test = pario_routine_done,
	.wait = pario_routine_done,
	.finish = finish,
	.close = unmap,
};
