/*
 * seal: new name, fsync, rename, fsync of the directory; and the list that is looked at before anything is read.
 */
#include "tests/checkpoint/measure/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole.h"
#include "engine/test.h"

enum { NAME_CAPACITY = 300 };
#define HEAD	 "pario checkpoint 1"
#define LIST_MAX ((off_t)1 << 30)

static int sync_directory(int dirfd, struct pario_err *err)
{
	if (fsync(dirfd) < 0 && errno != EINVAL && errno != ENOTSUP)
		return pario_run_file_error(dirfd, ".", "the fsync of", err);
	return 0;
}

int pario_seal_settle(int dirfd, const char *name, struct pario_err *err)
{
	char part[NAME_CAPACITY];

	snprintf(part, sizeof(part), "%s" PARIO_SEAL_PART, name);
	if (renameat(dirfd, part, dirfd, name) < 0)
		return pario_run_file_error(dirfd, part, "renaming", err);
	return sync_directory(dirfd, err);
}

int pario_seal_close(int dirfd, const struct pario_text *list, struct pario_err *err)
{
	static const char part[] = PARIO_SEAL_NAME PARIO_SEAL_PART;
	int fd = openat(dirfd, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct pario_text text = { 0 };
	int status = 0;

	if (fd < 0)
		return pario_run_file_error(dirfd, part, "making", err);
	pario_text_add(&text, HEAD "\n%send\n", pario_text_string(list));
	if (text.failed || list->failed)
		status = pario_err_memory(err, "the list of a checkpoint's files");
	else if (pario_whole_write(fd, text.data, text.length, 0) < text.length || fsync(fd) < 0)
		status = pario_run_file_error(dirfd, part, "writing", err);
	pario_text_release(&text);
	if (close(fd) < 0 && status == 0)
		status = pario_run_file_error(dirfd, part, "closing", err);
	return status < 0 ? -1 : pario_seal_settle(dirfd, PARIO_SEAL_NAME, err);
}

static int cut_short(int dirfd, const char *why, const char *name, struct pario_err *err)
{
	char path[PARIO_PATH_CAPACITY];

	pario_run_path(dirfd, "", path);
	return pario_err_set(
		err, PARIO_VERIFY,
		"%s holds no whole checkpoint: %s%s. It was cut short, and is not read.", path,
		name, why);
}

static char *read_list(int dirfd, struct pario_err *err)
{
	int fd = openat(dirfd, PARIO_SEAL_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *text = NULL;

	if (fd < 0 && errno == ENOENT)
		cut_short(dirfd, " is not there", PARIO_SEAL_NAME, err);
	else if (fd < 0 || fstat(fd, &st) < 0)
		pario_run_file_error(dirfd, PARIO_SEAL_NAME, "opening", err);
	else if (!S_ISREG(st.st_mode) || st.st_size > LIST_MAX)
		cut_short(dirfd, " is no list of files", PARIO_SEAL_NAME, err);
	else if (!(text = calloc(1, (size_t)st.st_size + 1)))
		pario_err_memory(err, "the list of a checkpoint's files");
	else if (pario_whole_read(fd, text, (uint64_t)st.st_size, 0) < (uint64_t)st.st_size) {
		pario_run_file_error(dirfd, PARIO_SEAL_NAME, "reading", err);
		free(text);
		text = NULL;
	}
	if (fd >= 0)
		close(fd);
	return text;
}

/* "BYTES NAME" */
static int check_file(int dirfd, const char *line, struct pario_err *err)
{
	char *end;
	unsigned long long bytes = strtoull(line, &end, 10);
	const char *name = *end == ' ' ? end + 1 : "";
	struct stat st;

	if (end == line || !*name || strchr(name, '/'))
		return cut_short(dirfd, " has a line that is no file", PARIO_SEAL_NAME, err);
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? cut_short(dirfd, " is not there", name, err)
				       : pario_run_file_error(dirfd, name, "the stat of", err);
	if (!S_ISREG(st.st_mode) || (unsigned long long)st.st_size < bytes)
		return cut_short(dirfd, " is shorter than it was made", name, err);
	return 0;
}

int pario_seal_check(int dirfd, struct pario_err *err)
{
	char *text = read_list(dirfd, err), *rest = text, *line;
	int status = 0;

	if (!text)
		return -1;
	line = pario_text_word(&rest, "\n");
	if (!line || strcmp(line, HEAD) != 0)
		status = cut_short(dirfd, " is no list of files", PARIO_SEAL_NAME, err);
	while (status == 0 && (line = pario_text_word(&rest, "\n")) && strcmp(line, "end") != 0)
		status = check_file(dirfd, line, err);
	if (status == 0 && !line)
		status = cut_short(dirfd, " has no end", PARIO_SEAL_NAME, err);
	free(text);
	return status;
}
