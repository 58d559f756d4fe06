/*
 * companions: Open MPI keeps shared file pointers in NAME-NUMBER-NUMBER.lock and tries out locks with
 * NAME.locktest.NUMBER. It removes them when the file is closed, but not when the process ends before that.
 */
#include "engine/companions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* Goes back over digits before `end`; NULL when there are none. */
static const char *before_number(const char *start, const char *end)
{
	const char *at = end;

	while (at > start && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return at < end ? at : NULL;
}

static bool ends_with(const char *start, const char *end, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(end - start) > length && strncmp(end - length, word, length) == 0;
}

static bool is_companion(const char *name, const char *id)
{
	const char *end = name + strlen(name), *number;

	if (strncmp(name, id, strlen(id)) != 0 || name[strlen(id)] != '.')
		return false;
	number = before_number(name, end);
	if (number && ends_with(name, number, ".locktest."))
		return true;
	if (!ends_with(name, end, ".lock"))
		return false;
	number = before_number(name, end - strlen(".lock"));
	if (!number || number[-1] != '-')
		return false;
	number = before_number(name, number - 1);
	return number && number > name && number[-1] == '-';
}

int pario_companions_remove(int dirfd, const char *id)
{
	int copy = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), status = 0;
	DIR *directory = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	if (!directory) {
		if (copy >= 0)
			close(copy);
		return -1;
	}
	while ((entry = readdir(directory))) {
		if (is_companion(entry->d_name, id) && unlinkat(dirfd, entry->d_name, 0) < 0 &&
		    errno != ENOENT)
			status = -1;
	}
	closedir(directory);
	return status;
}
