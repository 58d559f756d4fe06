/*
 * posix: how fast are plain system calls, pread and pwrite, one at a time?
 *
 * Buffered, direct (O_DIRECT) or synchronous (O_SYNC). Buffered rates are those of the page cache
 * until it is full; only sync makes them rates of storage.
 */
#include "backend/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/units.h"

enum { TRIES = 1000 }; /* attempts in a row without progress before a call counts as failed */

/* The state is the descriptor itself, plus one so that an open file's state is never NULL. */
static int descriptor(const struct pario_file *file)
{
	return (int)(intptr_t)file->state - 1;
}

static const char *unavailable(void)
{
	return NULL;
}

void pario_posix_version(char *text, size_t capacity)
{
	struct utsname u;

	if (uname(&u) == 0)
		snprintf(text, capacity, "%s %s", u.sysname, u.release);
	else
		snprintf(text, capacity, "unknown");
}

int pario_posix_check(const struct pario_open *how, struct pario_err *err)
{
	if (how->collective)
		return pario_err_set(
			err, PARIO_USAGE,
			"--collective needs a backend that supports collective transfers: "
			"use --api mpiio, or drop --collective.");
	if (how->queue_depth > 1)
		return pario_err_set(err, PARIO_USAGE,
				     "--queue_depth %u needs a backend with a queue: use --api "
				     "uring or --api mpiio.",
				     how->queue_depth);
	return 0;
}

static int fail(const struct pario_file *file, int sys, const char *call, uint64_t length,
		uint64_t offset, struct pario_err *err)
{
	char size[PARIO_UNITS_CAPACITY];

	return pario_err_sys(err, sys, pario_backend_hint(file->how.direct, sys),
			     "%s of %llu bytes failed in %s at offset %s", call,
			     (unsigned long long)length, file->how.path,
			     pario_units_size(size, offset));
}

static int end_of_file(const struct pario_file *file, uint64_t missing, uint64_t offset,
		       struct pario_err *err)
{
	char size[PARIO_UNITS_CAPACITY];

	return pario_err_set(err, PARIO_SYSTEM,
			     "%s ends at offset %s (%llu), where %llu more bytes were to be read. "
			     "Write the file before reading it, and in full.",
			     file->how.path, pario_units_size(size, offset),
			     (unsigned long long)offset, (unsigned long long)missing);
}

static size_t chunk(uint64_t left)
{
	return (size_t)(left < PARIO_BACKEND_CHUNK ? left : PARIO_BACKEND_CHUNK);
}

static bool passing(int sys)
{
	return sys == EINTR || sys == EAGAIN;
}

/* Goes on after a first call that returned `n`, with errno as that call left it. */
static int write_rest(struct pario_file *file, const char *buffer, uint64_t length, uint64_t offset,
		      ssize_t n, struct pario_err *err)
{
	uint64_t done = 0;
	unsigned idle = 0;

	for (;;) {
		int sys = n < 0 ? errno : EAGAIN;

		if (n > 0) {
			done += (uint64_t)n;
			idle = 0;
		} else if (!passing(sys) || ++idle == TRIES) {
			return fail(file, sys, "pwrite", length - done, offset + done, err);
		}
		if (done == length)
			return 0;
		n = pwrite(descriptor(file), buffer + done, chunk(length - done),
			   (off_t)(offset + done));
	}
}

static int posix_write(struct pario_file *file, const void *buffer, uint64_t length,
		       uint64_t offset, struct pario_err *err)
{
	ssize_t n = pwrite(descriptor(file), buffer, chunk(length), (off_t)offset);

	if (__builtin_expect(n >= 0 && (uint64_t)n == length, 1))
		return 0;
	return write_rest(file, buffer, length, offset, n, err);
}

static int read_rest(struct pario_file *file, char *buffer, uint64_t length, uint64_t offset,
		     ssize_t n, struct pario_err *err)
{
	uint64_t done = 0;
	unsigned idle = 0;

	for (;;) {
		if (n == 0)
			return end_of_file(file, length - done, offset + done, err);
		if (n > 0) {
			done += (uint64_t)n;
			idle = 0;
		} else if (!passing(errno) || ++idle == TRIES) {
			return fail(file, errno, "pread", length - done, offset + done, err);
		}
		if (done == length)
			return 0;
		n = pread(descriptor(file), buffer + done, chunk(length - done),
			  (off_t)(offset + done));
	}
}

static int posix_read(struct pario_file *file, void *buffer, uint64_t length, uint64_t offset,
		      struct pario_err *err)
{
	ssize_t n = pread(descriptor(file), buffer, chunk(length), (off_t)offset);

	if (__builtin_expect(n >= 0 && (uint64_t)n == length, 1))
		return 0;
	return read_rest(file, buffer, length, offset, n, err);
}

int pario_posix_sync(const struct pario_file *file, int fd, struct pario_err *err)
{
	bool data_only = file->how.data_only;

	for (unsigned i = 1; (data_only ? fdatasync(fd) : fsync(fd)) < 0; i++) {
		if (errno != EINTR || i == TRIES)
			return pario_err_sys(err, errno,
					     pario_backend_hint(file->how.direct, errno),
					     "%s failed in %s", data_only ? "fdatasync" : "fsync",
					     file->how.path);
	}
	return 0;
}

static int posix_sync(struct pario_file *file, struct pario_err *err)
{
	return pario_posix_sync(file, descriptor(file), err);
}

static int open_flags(const struct pario_open *how)
{
	int access = how->write ? (how->read ? O_RDWR : O_WRONLY) : O_RDONLY;

	return access | O_NOFOLLOW | O_CLOEXEC | (how->direct ? O_DIRECT : 0) |
	       (how->synchronous ? O_SYNC : 0);
}

static int open_name(const struct pario_open *how, int flags)
{
	int fd;

	for (unsigned i = 0; i < TRIES; i++) {
		fd = openat(how->dirfd, how->name, flags, 0600);
		if (fd >= 0 || errno != EINTR)
			break;
	}
	return fd;
}

static int create(const struct pario_open *how, int *fd, struct pario_err *err)
{
	int sys;

	*fd = open_name(how, open_flags(how) | O_CREAT | O_EXCL);
	if (*fd >= 0)
		return 0;
	sys = errno;
	/*
	 * The kernel refuses O_DIRECT only after it has made the file. A name that was there before
	 * would have given EEXIST, so what stands there now is ours.
	 */
	if (sys == EINVAL && how->direct)
		unlinkat(how->dirfd, how->name, 0);
	return pario_err_sys(err, sys, pario_backend_hint(how->direct, sys),
			     "create failed for %s%s", how->path,
			     how->direct ? " with --direct" : "");
}

static const char *kind_name(mode_t mode)
{
	return S_ISFIFO(mode)  ? "a FIFO"
	       : S_ISDIR(mode) ? "a directory"
	       : S_ISCHR(mode) ? "a character device"
	       : S_ISBLK(mode) ? "a block device"
			       : "a special file";
}

/*
 * O_NONBLOCK, taken back once the file proved to be a regular one, keeps the open from waiting for
 * the other end of a FIFO that somebody planted.
 */
static int open_existing(const struct pario_open *how, int *fd, struct pario_err *err)
{
	struct stat st;
	int flags;

	*fd = open_name(how, open_flags(how) | O_NONBLOCK);
	if (*fd < 0)
		return pario_err_sys(err, errno, pario_backend_hint(how->direct, errno),
				     "open failed for %s%s", how->path,
				     how->direct ? " with --direct" : "");
	if (fstat(*fd, &st) < 0)
		return pario_err_sys(err, errno, pario_backend_hint(how->direct, errno),
				     "fstat failed for %s", how->path);
	if (!S_ISREG(st.st_mode))
		return pario_err_set(err, PARIO_SYSTEM,
				     "%s is %s, and only regular files are opened. Remove it or "
				     "choose another directory.",
				     how->path, kind_name(st.st_mode));
	if (how->inode && how->inode != st.st_ino)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"%s is not the file that this run made any more: somebody has put "
			"something else there. It was not touched.",
			how->path);
	flags = fcntl(*fd, F_GETFL);
	if (flags < 0 || fcntl(*fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return pario_err_sys(err, errno, pario_backend_hint(how->direct, errno),
				     "fcntl failed for %s", how->path);
	return 0;
}

static int reserve(const struct pario_open *how, int fd, struct pario_err *err)
{
	char size[PARIO_UNITS_CAPACITY];
	int sys = 0;

	if (!how->size)
		return pario_err_set(err, PARIO_USAGE,
				     "--preallocate needs a test that knows the size of its files "
				     "beforehand: drop --preallocate for %s.",
				     how->path);
	/*
	 * Not posix_fallocate: where the filesystem cannot reserve, that would write the whole
	 * file.
	 */
	for (unsigned i = 0; i < TRIES; i++) {
		sys = fallocate(fd, 0, 0, (off_t)how->size) < 0 ? errno : 0;
		if (sys != EINTR)
			break;
	}
	if (!sys)
		return 0;
	return pario_err_sys(err, sys,
			     sys == EOPNOTSUPP ? "This filesystem cannot reserve space: drop "
						 "--preallocate or choose another --dir."
					       : NULL,
			     "fallocate of %s failed for %s", pario_units_size(size, how->size),
			     how->path);
}

/* What client 0 opened, so that the others can tell whether they see the same file. */
struct identity {
	uint64_t device, inode;
	char host[256];
};

static int identify(const struct pario_open *how, int fd, struct identity *id,
		    struct pario_err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return pario_err_sys(err, errno, pario_backend_hint(how->direct, errno),
				     "fstat failed for %s", how->path);
	*id = (struct identity){ .device = st.st_dev, .inode = st.st_ino };
	gethostname(id->host, sizeof(id->host) - 1);
	return 0;
}

/*
 * Numbers compare within one mount only: network file systems number devices anew on every node, and some of them the
 * files too. That all nodes see the same directory was proved when it was made.
 */
static bool same_file(const struct identity *a, const struct identity *b)
{
	return a->inode == b->inode || a->device != b->device || strcmp(a->host, b->host) != 0;
}

static int open_as_other(const struct pario_open *how, const struct identity *first, int *fd,
			 struct pario_err *err)
{
	struct identity own;

	if (open_existing(how, fd, err) < 0 || identify(how, *fd, &own, err) < 0)
		return -1;
	if (same_file(first, &own))
		return 0;
	return pario_err_set(err, PARIO_SYSTEM,
			     "%s is inode %llu on %s but inode %llu for client 0 on %s: these are "
			     "different files. Choose a --dir that all nodes share.",
			     how->path, (unsigned long long)own.inode, own.host,
			     (unsigned long long)first->inode, first->host);
}

static int open_as_first(const struct pario_open *how, int *fd, struct identity *id,
			 struct pario_err *err)
{
	if ((how->create && !how->inode ? create(how, fd, err) : open_existing(how, fd, err)) < 0)
		return -1;
	if (how->create && how->preallocate && reserve(how, *fd, err) < 0)
		return -1;
	return identify(how, *fd, id, err);
}

static int open_together(const struct pario_open *how, int rank, int *fd, struct pario_err *err)
{
	struct identity id = { 0 };
	int status = 0;

	if (rank == 0)
		status = open_as_first(how, fd, &id, err);
	if (pario_comm_agree(how->comm, status, NULL, err) < 0)
		return -1;
	if (MPI_Bcast(&id, (int)sizeof(id), MPI_BYTE, 0, how->comm) != MPI_SUCCESS)
		return pario_err_set(err, PARIO_SYSTEM,
				     "MPI_Bcast failed while the clients opened %s. Check the "
				     "connection between the nodes.",
				     how->path);
	if (rank != 0)
		status = open_as_other(how, &id, fd, err);
	return pario_comm_agree(how->comm, status, NULL, err);
}

int pario_posix_open(const struct pario_open *how, int *fd, struct pario_err *err)
{
	struct identity id;
	int rank = 0, size = 1, got = -1, status;

	if (how->comm != MPI_COMM_SELF)
		MPI_Comm_size(how->comm, &size);
	if (size > 1) {
		MPI_Comm_rank(how->comm, &rank);
		status = open_together(how, rank, &got, err);
	} else {
		status = open_as_first(how, &got, &id, err);
	}
	if (status == 0) {
		*fd = got;
		return 0;
	}
	if (got >= 0) {
		close(got);
		if (how->create && !how->inode && rank == 0)
			unlinkat(how->dirfd, how->name, 0);
	}
	return -1;
}

static int posix_open(struct pario_file *file, const struct pario_open *how, struct pario_err *err)
{
	int fd;

	if (pario_posix_open(how, &fd, err) < 0)
		return -1;
	file->how = *how;
	file->state = (void *)((intptr_t)fd + 1);
	return 0;
}

static int posix_close(struct pario_file *file, struct pario_err *err)
{
	int sys = close(descriptor(file)) < 0 ? errno : 0;

	file->state = NULL;
	return sys ? pario_err_sys(err, sys, pario_backend_hint(file->how.direct, sys),
				   "close failed for %s", file->how.path)
		   : 0;
}

static const struct pario_extent_ops extent = {
	.open = posix_open,
	.write = posix_write,
	.read = posix_read,
	.sync = posix_sync,
	.close = posix_close,
};

const struct pario_backend pario_backend_posix = {
	.name = "posix",
	.summary = "plain system calls, pread and pwrite",
	.bits = PARIO_BACKEND_DIRECT | PARIO_BACKEND_SYNCHRONOUS | PARIO_BACKEND_DATA_ONLY |
		PARIO_BACKEND_THREADS,
	.unavailable = unavailable,
	.version = pario_posix_version,
	.check = pario_posix_check,
	.extent = &extent,
};
