/*
 * input: looks before it opens, and at what it has opened.
 */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole.h"

static const char *kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a pipe";
	case S_IFSOCK:
		return "a socket";
	default:
		return "a device";
	}
}

static int refuse(const char *path, const char *what, mode_t mode, struct pario_err *err)
{
	return pario_err_set(err, PARIO_SYSTEM, "%s %.700s is %s; name a regular file%s.", what,
			     path, kind_of(mode),
			     S_ISDIR(mode) ? "" : ", into which its content can be copied first");
}

int pario_input_open(const char *path, const char *what, struct pario_err *err)
{
	struct stat st;
	int fd, seen, sys;

	/* to open a device can be to act on it */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return refuse(path, what, st.st_mode, err);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	seen = fd < 0 ? -1 : fstat(fd, &st);
	sys = errno;
	if (seen == 0 && S_ISREG(st.st_mode))
		return fd;
	if (fd >= 0)
		close(fd);
	if (seen == 0)
		return refuse(path, what, st.st_mode, err);
	return pario_err_sys(err, sys, sys == ENOENT ? "Check the spelling." : NULL,
			     "%s %.700s cannot be opened", what, path);
}

FILE *pario_input_stream(const char *path, const char *what, struct pario_err *err)
{
	int fd = pario_input_open(path, what, err);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !file) {
		pario_err_sys(err, errno, NULL, "%s %.700s cannot be read", what, path);
		close(fd);
	}
	return file;
}

char *pario_input_text(const char *path, const char *what, unsigned most, size_t *length,
		       struct pario_err *err)
{
	size_t capacity = (size_t)most << 20;
	int fd = pario_input_open(path, what, err);
	char *text = fd < 0 ? NULL : malloc(capacity);

	if (fd < 0)
		return NULL;
	errno = text ? 0 : ENOMEM;
	*length = text ? pario_whole_read(fd, text, capacity, 0) : 0;
	if (errno)
		pario_err_sys(err, errno, "", "%s %.700s cannot be read", what, path);
	else if (*length == capacity)
		pario_err_set(err, PARIO_USAGE, "%s %.700s is larger than %u MiB.", what, path,
			      most);
	else {
		text[*length] = '\0';
		close(fd);
		return text;
	}
	close(fd);
	free(text);
	return NULL;
}
