/*
 * small_file: creates, reads and checks small files as a whole.
 */
#include "tests/common/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/test.h"

void pario_object_fill(const struct pario_run *run, const struct pario_object *object)
{
	pario_run_fill(run, object->number, object->client, object->buffer, 0, object->bytes);
}

static int write_all(int fd, const char *bytes, uint64_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, bytes, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n == 0 ? ENOSPC : errno;
			return -1;
		}
		bytes += n;
		length -= (uint64_t)n;
	}
	return 0;
}

static int read_all(int fd, char *bytes, uint64_t length)
{
	while (length > 0) {
		ssize_t n = read(fd, bytes, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n == 0 ? ENODATA : errno;
			return -1;
		}
		bytes += n;
		length -= (uint64_t)n;
	}
	return 0;
}

int pario_object_make(const struct pario_object *object, bool sync, struct pario_err *err)
{
	const char *what = "creating";
	int fd = openat(object->dirfd, object->name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0)
		goto say;
	what = "writing";
	if (object->bytes && write_all(fd, object->buffer, object->bytes) < 0)
		goto close_file;
	what = "the fsync of";
	if (sync && fsync(fd) < 0)
		goto close_file;
	what = "closing";
	if (close(fd) == 0)
		return 0;
	goto say;
close_file:;
	int sys = errno;

	close(fd);
	errno = sys;
say:
	return pario_run_file_error(object->dirfd, object->name, what, err);
}

int pario_object_fetch(const struct pario_object *object, int fd, struct pario_err *err)
{
	return read_all(fd, object->buffer, object->bytes) == 0
		       ? 0
		       : pario_run_file_error(object->dirfd, object->name, "reading", err);
}

int pario_object_open(const struct pario_object *object, struct pario_err *err)
{
	int fd = openat(object->dirfd, object->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return pario_run_file_error(object->dirfd, object->name, "opening", err);
	if (pario_object_fetch(object, fd, err) == 0)
		return fd;
	close(fd);
	return -1;
}

int pario_object_read(const struct pario_object *object, struct pario_err *err)
{
	int fd = pario_object_open(object, err);

	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

int pario_object_check(const struct pario_run *run, const struct pario_object *object,
		       struct pario_err *err)
{
	return pario_run_check(run, object->number, object->client, object->buffer, 0,
			       object->bytes, object->name, err);
}

int pario_object_verify(struct pario_run *run, const struct pario_object *object,
			struct pario_err *err)
{
	char path[PARIO_PATH_CAPACITY];
	struct stat st;

	if (fstatat(object->dirfd, object->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return pario_run_file_error(object->dirfd, object->name, "the stat of", err);
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != object->bytes) {
		pario_run_path(object->dirfd, object->name, path);
		return pario_err_set(
			err, PARIO_VERIFY,
			"wrong data in %s: the file has %lld bytes, %llu were written.", path,
			(long long)st.st_size, (unsigned long long)object->bytes);
	}
	if (object->bytes == 0)
		return 0;
	if (pario_object_read(object, err) < 0 || pario_object_check(run, object, err) < 0)
		return -1;
	pario_run_count(run, object->bytes);
	return 0;
}
