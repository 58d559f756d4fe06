/*
 * borrow: decides which of the user's files may be read, and finds it.
 */
#include "engine/borrow.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/test.h"

static int refuse(struct pario_err *err, const char *path, const char *why)
{
	return pario_err_set(err, PARIO_USAGE, "--file %s %s.", path, why);
}

int pario_run_borrow_check(const char *path, uint64_t bytes, struct pario_err *err)
{
	char there[PARIO_UNITS_CAPACITY], wanted[PARIO_UNITS_CAPACITY];
	struct stat st;

	/* Looked at before it is opened: a pipe or a device may do something when it is. */
	if (stat(path, &st) < 0 || (S_ISREG(st.st_mode) && access(path, R_OK) < 0)) {
		pario_err_sys(err, errno, "Name a file that you may read.",
			      "--file %s cannot be read", path);
		err->code = PARIO_USAGE;
		return -1;
	}
	if (!S_ISREG(st.st_mode))
		return refuse(err, path, "is not a regular file, and only those are read");
	if ((uint64_t)st.st_size < bytes)
		return pario_err_set(
			err, PARIO_USAGE,
			"--file %s has %s (%llu bytes) and the clients are to read "
			"up to %s (%llu). Use a smaller --block_size or fewer clients.",
			path, pario_units_size(there, (uint64_t)st.st_size),
			(unsigned long long)st.st_size, pario_units_size(wanted, bytes),
			(unsigned long long)bytes);
	return 0;
}

int pario_borrow_open(struct pario_borrowed *file, const char *path, struct pario_err *err)
{
	char *whole = realpath(path, NULL), *slash = whole ? strrchr(whole, '/') : NULL;

	if (slash) {
		snprintf(file->name, sizeof(file->name), "%s", slash + 1);
		*(slash == whole ? slash + 1 : slash) = '\0';
		file->dirfd = open(whole, O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	if (!slash || file->dirfd < 0)
		pario_err_sys(err, errno, "Name a file that every node sees.",
			      "--file %s cannot be reached", path);
	free(whole);
	return slash && file->dirfd >= 0 ? 0 : -1;
}

void pario_borrow_close(struct pario_borrowed *file)
{
	if (file->dirfd >= 0)
		close(file->dirfd);
	file->dirfd = -1;
}
