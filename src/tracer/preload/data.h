/*
 * data: how many bytes went where. Shared by the wrappers of reads and writes.
 */
#ifndef PARIO_TRACER_PRELOAD_DATA_H
#define PARIO_TRACER_PRELOAD_DATA_H

#include <fcntl.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "tracer/calls.h"
#include "tracer/preload/readable.h"
#include "tracer/preload/records.h"

/* The transfer of `asked` bytes gave `got`. */
static inline void pario_gave(struct pario_call *c, uint64_t asked, long got)
{
	c->size = asked;
	pario_answered(c, got);
	if (got >= 0 && (uint64_t)got == asked)
		c->flags |= PARIO_TRACE_WHOLE;
}

/* At a place the call named. */
static inline void pario_moved_at(struct pario_call *c, int fd, uint64_t asked, long got,
				  int64_t at)
{
	pario_gave(c, asked, got);
	pario_of_fd(c, fd);
	c->offset = (uint64_t)at;
}

/* At the descriptor's own place, which moved on. */
static inline void pario_moved(struct pario_call *c, int fd, uint64_t asked, long got)
{
	struct pario_fd *f;
	uint64_t went = got > 0 ? (uint64_t)got : 0, end;
	const struct pario_fd *entry = pario_fd_entry(fd);
	bool fresh = !entry || (entry->file | entry->waiting) == 0;

	pario_gave(c, asked, got);
	c->fd = fd;
	if (fd < 0 || !(f = pario_fd(fd)))
		return;
	c->file = f->file;
	c->flags |= f->direct ? PARIO_TRACE_DIRECT : 0;
	if (f->place == PARIO_PLACE_TRACKED)
		end = f->at += fresh ? 0 : went;
	else if (f->place == PARIO_PLACE_ASK)
		end = pario_fd_where(fd);
	else
		return;
	c->offset =
		end >= went ? end - went : PARIO_TRACE_NOWHERE; /* devices stay where they are */
}

/* One side of a transfer between descriptors; `at` is where its place was and has moved on, NULL = the descriptor's. */
static inline void pario_side(struct pario_call *c, int fd, const int64_t *at, uint64_t asked,
			      long got)
{
	if (!at) {
		pario_moved(c, fd, asked, got);
	} else if (got >= 0) {
		pario_moved_at(c, fd, asked, got, *at - got);
	} else { /* the kernel may have refused the address */
		pario_gave(c, asked, got);
		pario_of_fd(c, fd);
	}
}

/*
 * A transfer from one descriptor to another: a write of the one, and where something moved, a read of the other, which
 * is a record of its own without a time.
 */
static inline void pario_transferred(struct pario_call *c, int from, const int64_t *from_at, int to,
				     const int64_t *to_at, uint64_t asked, long got)
{
	struct pario_call source = *c;

	pario_side(c, to, to_at, asked, got);
	c->more = (uint64_t)from;
	if (got <= 0)
		return;
	source.more = (uint64_t)to;
	source.op = pario_source_op(c->op);
	source.stop = source.start;
	pario_side(&source, from, from_at, asked, got);
	pario_trace_put(&source);
}

/* lseek: the new place is the offset. */
static inline void pario_sought(struct pario_call *c, int fd, off_t by, int whence, off_t to)
{
	struct pario_fd *f;

	pario_answered(c, to);
	c->fd = fd;
	c->arg = (uint32_t)whence;
	c->more = (uint64_t)by;
	if (to < 0 || !(f = pario_fd(fd)))
		return;
	c->file = f->file;
	c->offset = f->at = (uint64_t)to;
}

/* fcntl: its command and argument; of a lock the range. */
static inline void pario_controlled(struct pario_call *c, int command, uint64_t argument)
{
	const struct flock *lock = (const struct flock *)(uintptr_t)argument;

	c->arg = (uint32_t)command;
	c->more = argument;
	if (!pario_locks((uint32_t)command) || pario_trace_mute ||
	    !pario_readable_range(lock, sizeof(*lock)))
		return;
	c->offset = (uint64_t)lock->l_start;
	c->size = (uint64_t)lock->l_len;
	c->more = pario_lock_kind(lock->l_type, lock->l_whence);
}

/* Of a call that gave `got`: what the kernel has taken can be read, anything else perhaps. */
static inline uint64_t pario_iov_bytes(const struct iovec *iov, long count, long got)
{
	uint64_t bytes = 0;

	if (count < 0 || count > 1024 || (got < 0 && pario_trace_mute) ||
	    (got < 0 && !pario_readable_range(iov, (size_t)count * sizeof(*iov))))
		return 0;
	for (long i = 0; i < count; i++)
		bytes += iov[i].iov_len;
	return bytes;
}

#endif
