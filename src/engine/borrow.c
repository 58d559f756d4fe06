/*
 * borrow: decides which of the user's files may be read and which may be made, and finds them.
 */
#include "engine/borrow.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(struct pario_err *err, const char *path, const char *why)
{
	return pario_err_set(err, PARIO_USAGE, "--filename %s %s.", path, why);
}

/* Looked at before it is opened: a pipe or a device may do something when it is. */
static int check_there(const char *path, uint64_t bytes, struct pario_err *err)
{
	char there[PARIO_UNITS_CAPACITY], wanted[PARIO_UNITS_CAPACITY];
	struct stat st;

	if (stat(path, &st) < 0 || (S_ISREG(st.st_mode) && access(path, R_OK) < 0)) {
		pario_err_sys(err, errno, "Name a file that you may read.",
			      "--filename %s cannot be read", path);
		err->code = PARIO_USAGE;
		return -1;
	}
	if (!S_ISREG(st.st_mode))
		return refuse(err, path, "is not a regular file, and only those are read");
	if ((uint64_t)st.st_size < bytes)
		return pario_err_set(
			err, PARIO_USAGE,
			"--filename %s has %s (%llu bytes) and the clients are to read "
			"up to %s (%llu). Use smaller sizes, such as a smaller --block_size, or fewer "
			"clients.",
			path, pario_units_size(there, (uint64_t)st.st_size),
			(unsigned long long)st.st_size, pario_units_size(wanted, bytes),
			(unsigned long long)bytes);
	return 0;
}

/* "a/b" in `above` and "c" in `name`, of "a/b/c"; false where the last part names no file. */
static bool split(const char *path, char above[PATH_MAX], char name[256])
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	size_t length = (size_t)(last - path);

	if (length > 1)
		length--; /* the slash, but for that of the root */
	snprintf(above, PATH_MAX, "%.*s", (int)(slash ? length : 1), slash ? path : ".");
	snprintf(name, 256, "%s", last);
	for (const char *c = path; *c; c++) {
		if (iscntrl((unsigned char)*c))
			return false;
	}
	return *last && strcmp(last, ".") != 0 && strcmp(last, "..") != 0 && strlen(last) < 256;
}

/* The numbers of a run are those of the file system of --dir: its type, its caches, its free space. */
static int check_above(const char *path, const char *above, const char *dir, struct pario_err *err)
{
	struct stat there, here;

	if (stat(above, &there) < 0 || faccessat(AT_FDCWD, above, W_OK | X_OK, AT_EACCESS) < 0) {
		pario_err_sys(err, errno, "Name a file in a directory that you may write to.",
			      "--filename %s cannot be made", path);
		err->code = PARIO_USAGE;
		return -1;
	}
	if (stat(dir, &here) == 0 && here.st_dev != there.st_dev)
		return pario_err_set(
			err, PARIO_USAGE,
			"--filename %s lies on another file system than --dir %s. Name "
			"a directory beside it with --dir, such as --dir %s.",
			path, dir, above);
	return 0;
}

static int check_new(const char *path, const char *dir, struct pario_err *err)
{
	char above[PATH_MAX], name[256];
	struct stat st;

	if (!split(path, above, name))
		return refuse(err, path, "is no name for a new file");
	if (lstat(path, &st) == 0)
		return pario_err_set(
			err, PARIO_USAGE,
			"--filename %s is there already, and what is there is only read, never written. "
			"Name a file that is not there, or leave only reading operations. What a "
			"killed run of pario left `pario clean %s` removes.",
			path, dir);
	return check_above(path, above, dir, err);
}

bool pario_bound_only_reads(const struct pario_bound *bound)
{
	struct pario_phase list[PARIO_PHASES];
	unsigned count = pario_bound_phases(bound, list);

	for (unsigned i = 0; i < count; i++) {
		if (list[i].write)
			return false;
	}
	return true;
}

int pario_bound_check_file(const struct pario_bound *bound, struct pario_err *err)
{
	const struct pario_backend *b = bound->point.backend;
	const char *path = bound->layout.filename;

	if (!path)
		return 0;
	if (bound->layout.per_client)
		return pario_err_set(
			err, PARIO_USAGE,
			"--filename is one file for all clients. Use --layout shared.");
	if ((bound->point.test->needs & PARIO_NEED_FILES) &&
	    (!b->extent || (b->bits & PARIO_BACKEND_NO_DATA)))
		return pario_err_set(
			err, PARIO_USAGE,
			"the backend %s uses no file of yours. Use --api posix, uring, mmap or mpiio.",
			b->name);
	return pario_bound_only_reads(bound) ? check_there(path, bound->layout.file_bytes, err)
					     : check_new(path, bound->settings.dir, err);
}

int pario_borrow_open(struct pario_borrowed *file, const char *path, bool made,
		      struct pario_err *err)
{
	char above[PATH_MAX];
	char *whole = made ? strdup(path) : realpath(path, NULL);

	if (whole && split(whole, above, file->name))
		file->dirfd = open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (file->dirfd < 0)
		pario_err_sys(err, errno, "Name a file that every node sees.",
			      "--filename %s cannot be reached", path);
	free(whole);
	return file->dirfd < 0 ? -1 : 0;
}

void pario_borrow_close(struct pario_borrowed *file)
{
	if (file->dirfd >= 0)
		close(file->dirfd);
	file->dirfd = -1;
}
