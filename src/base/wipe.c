/*
 * wipe: opens what it is about to look into, and looks at what it has opened.
 */
#include "base/wipe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	LARGE = 1 << 20, /* bytes */
	DEPTH = 256,	 /* levels, one descriptor each; no test makes half as many */
};

/* Kernels before 5.6, and containers that do not know the call: mounts of the same file system are not seen there. */
static int open_older(int dirfd, const char *name, int flags)
{
	struct stat here, there;
	int fd = openat(dirfd, name, flags);

	if (fd < 0 ||
	    (fstat(dirfd, &here) == 0 && fstat(fd, &there) == 0 && here.st_dev == there.st_dev))
		return fd;
	close(fd);
	errno = EXDEV;
	return -1;
}

int pario_wipe_open(int dirfd, const char *name, int flags)
{
	struct open_how how = { .resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS };
	int fd;

	flags |= O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	how.flags = (unsigned)flags;
	fd = (int)syscall(SYS_openat2, dirfd, name, &how, sizeof(how));
	return fd < 0 && (errno == ENOSYS || errno == EPERM) ? open_older(dirfd, name, flags) : fd;
}

/*
 * A removed file keeps its room while somebody has it open: the kernel itself does for some time after an io_uring was
 * closed. A large one is cut first, unless it has other names. That it cannot be is no failure: removing it must do.
 */
static void cut(int dirfd, const char *name, uid_t owner)
{
	int fd = pario_wipe_open(dirfd, name, O_WRONLY), ignored = 0;
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 && st.st_uid == owner)
		ignored = ftruncate(fd, 0);
	(void)ignored;
	close(fd);
}

/* One removal of a tree. */
struct wiping {
	uid_t owner; /* of all that may go */
	void (*step)(void);
};

static int wipe(int dirfd, const char *name, const struct wiping *w, unsigned depth);

/* All entries of a directory, whose descriptor this takes. */
static int empty(int fd, const struct wiping *w, unsigned depth)
{
	DIR *directory = fdopendir(fd);
	struct dirent *entry;
	int status = 0, sys = 0;

	if (!directory) {
		sys = errno;
		close(fd);
		errno = sys;
		return -1;
	}
	while ((entry = readdir(directory))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		if (wipe(dirfd(directory), entry->d_name, w, depth) < 0 && status == 0) {
			status = -1;
			sys = errno;
		}
	}
	closedir(directory);
	errno = sys;
	return status;
}

static int wipe_directory(int dirfd, const char *name, const struct wiping *w, unsigned depth)
{
	int fd = pario_wipe_open(dirfd, name, O_RDONLY | O_DIRECTORY), sys = 0;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	/* Another one may have taken the place of the one that was looked at. */
	if (fstat(fd, &st) < 0)
		sys = errno;
	else if (depth == DEPTH)
		sys = ENAMETOOLONG;
	else if (st.st_uid != w->owner)
		sys = EPERM;
	if (sys) {
		close(fd);
		errno = sys;
		return -1;
	}
	if (empty(fd, w, depth + 1) < 0)
		return -1;
	return unlinkat(dirfd, name, AT_REMOVEDIR) < 0 && errno != ENOENT ? -1 : 0;
}

static int wipe(int dirfd, const char *name, const struct wiping *w, unsigned depth)
{
	struct stat st;

	if (w->step)
		w->step();
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -1;
	if (st.st_uid != w->owner) {
		errno = EPERM;
		return -1;
	}
	if (S_ISDIR(st.st_mode))
		return wipe_directory(dirfd, name, w, depth);
	if (S_ISREG(st.st_mode) && st.st_size >= LARGE)
		cut(dirfd, name, w->owner);
	return unlinkat(dirfd, name, 0) < 0 && errno != ENOENT ? -1 : 0;
}

int pario_wipe(int dirfd, const char *name, void (*step)(void))
{
	struct wiping w = { .step = step };
	size_t length = strcspn(name, "/");
	char plain[256];
	struct stat st;

	if (length == 0 || length >= sizeof(plain) || strcmp(name + length, "/") > 0) {
		errno = EINVAL;
		return -1;
	}
	snprintf(plain, sizeof(plain), "%.*s", (int)length, name);
	if (fstat(dirfd, &st) < 0)
		return -1;
	w.owner = st.st_uid;
	return wipe(dirfd, plain, &w, 0);
}
