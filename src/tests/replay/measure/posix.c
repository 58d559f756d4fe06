/*
 * posix: calls on descriptors. Each is the same call again, with the arguments of the trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <poll.h>

#include "tests/replay/measure/replay.h"

#define OPEN_FLAGS                                                                           \
	(O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_NONBLOCK | O_DSYNC | O_SYNC | \
	 O_DIRECT | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_PATH | O_NOATIME | O_LARGEFILE)

enum {
	BUFFERS = 1024,
	PATIENCE_MS = 10000, /* for a pipe or a lock whose other side may not be in the trace */
	NAP_NS = 100000,
};

static int made(const struct pario_replay_actor *a)
{
	return a->answer < 0 ? PARIO_FAILED_HERE : PARIO_MADE;
}

/* ---- opening ---- */

static int open_again(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	int flags = (int)call->arguments.open.flags & OPEN_FLAGS;
	mode_t mode = (call->arguments.open.mode & 0777) | 0600;
	struct pario_replay_spot spot;

	if (!pario_replay_spot(a, call->fd, call->file, &spot))
		return pario_left(PARIO_LEFT_SOCKET);
	if ((call->arguments.open.flags & O_TMPFILE) == O_TMPFILE)
		flags = (flags & ~(O_DIRECTORY | O_CREAT)) | O_TMPFILE;
	PARIO_REPLAY_TIMED(a, openat(spot.at, spot.name, flags, mode));
	if (a->answer < 0 && errno == EINVAL && flags & O_DIRECT && !call->failed)
		PARIO_REPLAY_TIMED(a, openat(spot.at, spot.name, flags & ~O_DIRECT, mode));
	pario_replay_store(a, call, (int)a->answer, flags & O_CLOEXEC);
	return made(a);
}

static int close_again(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_slot *slot = pario_replay_slot(a, call->fd);

	if (!slot || slot->fd < 0)
		return PARIO_NEEDLESS;
	if (slot->stream)
		PARIO_REPLAY_TIMED(a, fclose(slot->stream));
	else
		PARIO_REPLAY_TIMED(a, close(slot->fd));
	*slot = (struct pario_replay_slot){ .fd = -1 };
	return made(a);
}

static int copy_descriptor(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_slot *from = pario_replay_slot(a, call->fd), *to;
	bool on_exec = call->arguments.kind == PARIO_ARGUMENTS_COPY &&
		       call->arguments.copy.flags & O_CLOEXEC;

	if (!from || from->fd < 0)
		return PARIO_NEEDLESS;
	PARIO_REPLAY_TIMED(a, fcntl(from->fd, F_DUPFD_CLOEXEC, 3));
	pario_replay_store(a, call, (int)a->answer, on_exec);
	to = call->failed ? NULL : pario_replay_slot(a, call->result);
	if (to)
		to->pipe = from->pipe;
	return made(a);
}

static int pipe_again(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_slot *in = pario_replay_slot(a, call->fd),
				 *out = pario_replay_slot(a, call->arguments.pipe.write_end);
	int ends[2];

	if (!in || !out || call->failed)
		return PARIO_NEEDLESS;
	PARIO_REPLAY_TIMED(a,
			   pipe2(ends, O_CLOEXEC | (int)(call->arguments.pipe.flags & O_NONBLOCK)));
	if (a->answer < 0)
		return PARIO_FAILED_HERE;
	*in = (struct pario_replay_slot){ .fd = ends[0],
					  .pipe = true,
					  .on_exec = call->arguments.pipe.flags & O_CLOEXEC };
	*out = (struct pario_replay_slot){ .fd = ends[1], .pipe = true, .on_exec = in->on_exec };
	return PARIO_MADE;
}

/* ---- data ---- */

bool pario_replay_pipe_ready(const struct pario_replay_actor *a, int fd, bool write)
{
	struct pollfd p = { .fd = fd, .events = write ? POLLOUT : POLLIN };

	if (!*a->replay->stop && poll(&p, 1, PATIENCE_MS) > 0)
		return true;
	errno = ETIMEDOUT;
	return false;
}

static unsigned vector(const struct pario_trace_call *call, char *memory, uint64_t bytes,
		       struct iovec parts[BUFFERS])
{
	unsigned n = call->arguments.vector.buffers;
	uint64_t each;

	n = n < 1 ? 1 : n > BUFFERS ? BUFFERS : n;
	each = bytes / n;
	for (unsigned i = 0; i < n; i++)
		parts[i] = (struct iovec){ memory + i * each,
					   (size_t)(i + 1 < n ? each : bytes - (n - 1) * each) };
	return n;
}

static int move_vector(struct pario_replay_actor *a, const struct pario_trace_call *call, int fd,
		       char *memory, uint64_t bytes)
{
	struct iovec parts[BUFFERS];
	int n = (int)vector(call, memory, bytes, parts);
	off_t at = call->offset == PARIO_TRACE_NOWHERE ? -1 : (off_t)call->offset;
	int flags = (int)call->arguments.vector.flags;

	switch (call->op) {
	case PARIO_OP_readv:
		PARIO_REPLAY_TIMED(a, readv(fd, parts, n));
		break;
	case PARIO_OP_writev:
		PARIO_REPLAY_TIMED(a, writev(fd, parts, n));
		break;
	case PARIO_OP_preadv:
		PARIO_REPLAY_TIMED(a, preadv(fd, parts, n, at));
		break;
	case PARIO_OP_pwritev:
		PARIO_REPLAY_TIMED(a, pwritev(fd, parts, n, at));
		break;
	case PARIO_OP_preadv2:
		PARIO_REPLAY_TIMED(a, preadv2(fd, parts, n, at, flags));
		break;
	default:
		PARIO_REPLAY_TIMED(a, pwritev2(fd, parts, n, at, flags));
	}
	return made(a);
}

static int move(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	int fd = pario_replay_fd(a, call, call->fd);
	const struct pario_replay_slot *slot = pario_replay_slot(a, call->fd);
	bool writes = call->class == PARIO_CLASS_WRITE;
	uint64_t bytes = pario_replay_bytes(a, call->size, writes);
	char *memory = writes ? pario_replay_data(a, bytes) : pario_replay_memory(a, bytes);

	if (fd < 0)
		return pario_left(call->file && !pario_replay_storage(a->replay->scan, call)
					  ? PARIO_LEFT_SOCKET
					  : PARIO_LEFT_UNKNOWN);
	if (slot->pipe && !pario_replay_pipe_ready(a, fd, writes))
		return PARIO_FAILED_HERE;
	if (call->layer == PARIO_TRACE_ASYNC) {
		a->tally->serial++;
		PARIO_REPLAY_TIMED(a, writes ? pwrite(fd, memory, bytes, (off_t)call->offset)
					     : pread(fd, memory, bytes, (off_t)call->offset));
		return made(a);
	}
	switch (call->op) {
	case PARIO_OP_read:
		PARIO_REPLAY_TIMED(a, read(fd, memory, bytes));
		break;
	case PARIO_OP_write:
		PARIO_REPLAY_TIMED(a, write(fd, memory, bytes));
		break;
	case PARIO_OP_pread:
		PARIO_REPLAY_TIMED(a, pread(fd, memory, bytes, (off_t)call->offset));
		break;
	case PARIO_OP_pwrite:
		PARIO_REPLAY_TIMED(a, pwrite(fd, memory, bytes, (off_t)call->offset));
		break;
	default:
		return move_vector(a, call, fd, memory, bytes);
	}
	return made(a);
}

/* From one descriptor to another; `offset` is that of the side the call was recorded for. */
static int between(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	const struct pario_replay_slot *from = pario_replay_slot(a, call->arguments.transfer.other);
	int to = pario_replay_fd(a, call, call->fd);

	if (!from || from->fd < 0 || to < 0)
		return pario_left(PARIO_LEFT_UNKNOWN);
	if (call->op == PARIO_OP_sendfile)
		PARIO_REPLAY_TIMED(a, sendfile(to, from->fd, NULL, call->size));
	else if (call->op == PARIO_OP_copy_file_range)
		PARIO_REPLAY_TIMED(a, copy_file_range(from->fd, NULL, to, NULL, call->size, 0));
	else if (call->op == PARIO_OP_splice)
		PARIO_REPLAY_TIMED(a,
				   splice(from->fd, NULL, to, NULL, call->size, SPLICE_F_NONBLOCK));
	else
		PARIO_REPLAY_TIMED(a, tee(from->fd, to, call->size, SPLICE_F_NONBLOCK));
	return made(a);
}

/* ---- what else is done with a descriptor ---- */

static void nap(void)
{
	const struct timespec t = { 0, NAP_NS };

	nanosleep(&t, NULL);
}

/* A question stays one, and locks of open files stay theirs; what would wait does so below. */
static int ask_for_lock(const struct pario_trace_call *call, int fd)
{
	struct flock range = { .l_type = (short)call->arguments.lock.type,
			       .l_whence = (short)(call->arguments.lock.whence % 3),
			       .l_start = call->arguments.lock.from,
			       .l_len = call->arguments.lock.length };
	int command = (int)call->arguments.lock.command;

	if (call->op == PARIO_OP_flock)
		return flock(fd, command | LOCK_NB);
	if (call->op == PARIO_OP_lockf)
		return lockf(fd, command == F_LOCK ? F_TLOCK : command, range.l_len);
	if (command == F_GETLK || command == F_OFD_GETLK)
		range.l_type = F_WRLCK; /* the trace has the answer */
	return fcntl(fd,
		     command == F_SETLKW       ? F_SETLK
		     : command == F_OFD_SETLKW ? F_OFD_SETLK
					       : command,
		     &range);
}

/* Locks are asked for until they are got: whoever holds one may be in no trace. */
static int lock(struct pario_replay_actor *a, const struct pario_trace_call *call, int fd)
{
	int64_t begun = pario_run_now(), most = (int64_t)PATIENCE_MS * 1000000;

	a->t0 = begun;
	do {
		a->answer = ask_for_lock(call, fd);
		if (a->answer == 0 || call->failed || *a->replay->stop ||
		    (errno != EWOULDBLOCK && errno != EAGAIN && errno != EACCES))
			break;
		nap();
	} while (pario_run_now() - begun < most);
	a->t1 = pario_run_now();
	return made(a);
}

static int control(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_slot *slot = pario_replay_slot(a, call->fd);

	if (!slot || slot->fd < 0)
		return PARIO_NEEDLESS;
	if (call->arguments.kind == PARIO_ARGUMENTS_COPY)
		return copy_descriptor(a, call);
	if (call->arguments.kind == PARIO_ARGUMENTS_LOCK)
		return lock(a, call, slot->fd);
	if (call->arguments.kind != PARIO_ARGUMENTS_CONTROL)
		return PARIO_NEEDLESS;
	switch (call->arguments.control.command) {
	case F_SETFD:
		slot->on_exec = call->arguments.control.argument & FD_CLOEXEC;
		PARIO_REPLAY_TIMED(a, fcntl(slot->fd, F_GETFD));
		return made(a);
	case F_GETFD:
	case F_GETFL:
		PARIO_REPLAY_TIMED(a, fcntl(slot->fd, (int)call->arguments.control.command));
		return made(a);
	case F_SETFL:
		PARIO_REPLAY_TIMED(a,
				   fcntl(slot->fd, F_SETFL,
					 (int)call->arguments.control.argument &
						 (O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME)));
		return made(a);
	default:
		return PARIO_NEEDLESS;
	}
}

/* One result for those that return an error number. */
static long negative(int error)
{
	errno = error ? error : errno;
	return error ? -1 : 0;
}

static int on_descriptor(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	int fd = pario_replay_fd(a, call, call->fd);
	off_t at = call->offset == PARIO_TRACE_NOWHERE ? 0 : (off_t)call->offset,
	      length = (off_t)call->size;
	uint64_t bytes = pario_replay_bytes(a, call->size, false);
	struct stat st;
	struct statfs fs;

	if (fd < 0)
		return pario_left(call->file && !pario_replay_storage(a->replay->scan, call)
					  ? PARIO_LEFT_SOCKET
					  : PARIO_LEFT_UNKNOWN);
	switch (call->op) {
	case PARIO_OP_lseek:
		PARIO_REPLAY_TIMED(
			a, lseek(fd, call->arguments.seek.by, (int)call->arguments.seek.whence));
		break;
	case PARIO_OP_fsync:
	case PARIO_OP_aio_fsync:
	case PARIO_OP_io_fsync:
	case PARIO_OP_uring_fsync:
		PARIO_REPLAY_TIMED(a, fsync(fd));
		break;
	case PARIO_OP_fdatasync:
		PARIO_REPLAY_TIMED(a, fdatasync(fd));
		break;
	case PARIO_OP_syncfs:
		PARIO_REPLAY_TIMED(a, syncfs(fd));
		break;
	case PARIO_OP_sync_file_range:
		PARIO_REPLAY_TIMED(a, sync_file_range(fd, at, length, call->arguments.flags.value));
		break;
	case PARIO_OP_ftruncate:
		PARIO_REPLAY_TIMED(a, ftruncate(fd, length));
		break;
	case PARIO_OP_fallocate:
		PARIO_REPLAY_TIMED(a, fallocate(fd, (int)call->arguments.flags.value, at, length));
		break;
	case PARIO_OP_posix_fallocate:
		PARIO_REPLAY_TIMED(a, negative(posix_fallocate(fd, at, length)));
		break;
	case PARIO_OP_posix_fadvise:
		PARIO_REPLAY_TIMED(a, negative(posix_fadvise(fd, at, length,
							     (int)call->arguments.flags.value)));
		break;
	case PARIO_OP_readahead:
		PARIO_REPLAY_TIMED(a, readahead(fd, at, call->size));
		break;
	case PARIO_OP_fstat:
		PARIO_REPLAY_TIMED(a, fstat(fd, &st));
		break;
	case PARIO_OP_fstatfs:
	case PARIO_OP_fstatvfs:
		PARIO_REPLAY_TIMED(a, fstatfs(fd, &fs));
		break;
	case PARIO_OP_fchmod:
		PARIO_REPLAY_TIMED(a, fchmod(fd, (call->arguments.flags.value & 0777) | 0600));
		break;
	case PARIO_OP_fchown:
		PARIO_REPLAY_TIMED(a, fchown(fd, (uid_t)-1, (gid_t)-1));
		break;
	case PARIO_OP_futimens:
	case PARIO_OP_futimes:
		PARIO_REPLAY_TIMED(a, futimens(fd, NULL));
		break;
	case PARIO_OP_getdents:
		PARIO_REPLAY_TIMED(
			a, syscall(SYS_getdents64, fd, pario_replay_memory(a, bytes), bytes));
		break;
	case PARIO_OP_flock:
	case PARIO_OP_lockf:
		return lock(a, call, fd);
	default:
		return pario_left(PARIO_LEFT_CONTROL);
	}
	return made(a);
}

int pario_replay_posix(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	switch (call->op) {
	case PARIO_OP_open:
	case PARIO_OP_openat:
	case PARIO_OP_creat:
	case PARIO_OP_mkstemp:
	case PARIO_OP_shm_open:
	case PARIO_OP_uring_open:
		return open_again(a, call);
	case PARIO_OP_close:
	case PARIO_OP_uring_close:
		return close_again(a, call);
	case PARIO_OP_dup:
	case PARIO_OP_dup2:
	case PARIO_OP_dup3:
		return copy_descriptor(a, call);
	case PARIO_OP_pipe:
		return pipe_again(a, call);
	case PARIO_OP_fcntl:
		return control(a, call);
	case PARIO_OP_sync:
		PARIO_REPLAY_TIMED(a, syncfs(a->replay->tree));
		return made(a);
	case PARIO_OP_sendfile:
	case PARIO_OP_copy_file_range:
	case PARIO_OP_splice:
	case PARIO_OP_tee:
		return between(a, call);
	case PARIO_OP_sendfile_in: /* the other side of the same call */
	case PARIO_OP_copy_file_range_in:
	case PARIO_OP_splice_in:
	case PARIO_OP_tee_in:
		return PARIO_NEEDLESS;
	case PARIO_OP_vmsplice:
	case PARIO_OP_ioctl:
		return pario_left(PARIO_LEFT_CONTROL);
	default:
		break;
	}
	switch (call->class) {
	case PARIO_CLASS_READ:
	case PARIO_CLASS_WRITE:
		return move(a, call);
	case PARIO_CLASS_MAP:
		return pario_left(PARIO_LEFT_MAP);
	case PARIO_CLASS_SUBMIT:
	case PARIO_CLASS_WAIT:
		return PARIO_NEEDLESS; /* the requests have calls of their own */
	case PARIO_CLASS_OPEN:
	case PARIO_CLASS_OTHER:
		return PARIO_NEEDLESS;
	case PARIO_CLASS_ADVICE:
	case PARIO_CLASS_SYNC:
		if (call->fd < 0)
			return pario_left(PARIO_LEFT_MAP); /* msync, madvise */
		return on_descriptor(a, call);
	default:
		return on_descriptor(a, call);
	}
}
