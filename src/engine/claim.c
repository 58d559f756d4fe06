/*
 * claim: makes a file under the user's name, and removes it where it is still the one that was made.
 */
#include "engine/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "engine/test.h"

/* A line of the manifest that names no file of the workspace: inode, device, birth and the whole path. */
static const char word[] = ".claim ";

enum { LINE_CAPACITY = PARIO_CLAIM_PATH + 120, MODE = 0600 };

/* Everything that tells a file from another one that gets its name and its inode's number later. */
struct identity {
	unsigned long long inode, device;
	long long born_s; /* 0 = the file system does not tell */
	unsigned born_ns;
};

static int identify(int dirfd, const char *name, struct identity *id, struct statx *st)
{
	if (statx(dirfd, name, AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH),
		  STATX_BASIC_STATS | STATX_BTIME, st) < 0)
		return -1;
	*id = (struct identity){ .inode = st->stx_ino,
				 .device = makedev(st->stx_dev_major, st->stx_dev_minor) };
	if (st->stx_mask & STATX_BTIME) {
		id->born_s = st->stx_btime.tv_sec;
		id->born_ns = st->stx_btime.tv_nsec;
	}
	return 0;
}

/* In one write, so that a line is whole or was never used. */
static int note(int manifest, const struct identity *id, const char *path)
{
	char line[LINE_CAPACITY];
	int length = snprintf(line, sizeof(line), "%s%llu %llu %lld %u %s\n", word, id->inode,
			      id->device, id->born_s, id->born_ns, path);

	errno = ENOSPC;
	return write(manifest, line, (size_t)length) == length ? 0 : -1;
}

int pario_claim_forget(int manifest)
{
	return note(manifest, &(struct identity){ 0 }, "-");
}

/* A file without a name is noted first and named then: whenever the run is killed, the manifest knows it. */
static int make_unnamed(int manifest, int dirfd, const char *name, const char *path)
{
	int fd = openat(dirfd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, MODE), status = -1, sys;
	struct identity id;
	char link[64];
	struct statx st;

	if (fd < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (identify(fd, "", &id, &st) == 0 && note(manifest, &id, path) == 0)
		status = linkat(AT_FDCWD, link, dirfd, name, AT_SYMLINK_FOLLOW);
	sys = errno;
	close(fd);
	errno = sys;
	return status;
}

static int make_named(int manifest, int dirfd, const char *name, const char *path)
{
	int fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
	struct identity id;
	struct statx st;
	int status, sys;

	if (fd < 0)
		return -1;
	status = identify(fd, "", &id, &st) == 0 ? note(manifest, &id, path) : -1;
	sys = errno;
	if (status < 0)
		unlinkat(dirfd, name, 0);
	close(fd);
	errno = sys;
	return status;
}

int pario_claim_make(int manifest, int dirfd, const char *name, struct pario_err *err)
{
	char path[PARIO_PATH_CAPACITY];
	int status, sys;

	pario_run_path(dirfd, name, path);
	status = make_unnamed(manifest, dirfd, name, path);
	if (status < 0 && errno != EEXIST)
		status = make_named(manifest, dirfd, name, path);
	if (status == 0)
		return 0;
	sys = errno;
	pario_claim_forget(manifest);
	if (sys == EEXIST)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"--filename %s is there by now and was not made by this run. It was "
			"not touched. Name a file that is not there.",
			path);
	return pario_err_sys(err, sys, pario_err_hint(sys), "--filename %s cannot be made", path);
}

/* The last line counts; `path` stays empty where it names none. */
static void parse(const char *manifest, struct identity *id, char path[PARIO_CLAIM_PATH])
{
	int begin = 0;

	*path = '\0';
	for (const char *line = manifest, *end; line && (end = strchr(line, '\n'));
	     line = end + 1) {
		const char *text = line + sizeof(word) - 1;

		if (strncmp(line, word, sizeof(word) - 1) != 0)
			continue;
		if (sscanf(text, "%llu %llu %lld %u %n", &id->inode, &id->device, &id->born_s,
			   &id->born_ns, &begin) == 4 &&
		    text[begin] == '/' && end - text - begin < PARIO_CLAIM_PATH)
			snprintf(path, PARIO_CLAIM_PATH, "%.*s", (int)(end - text - begin),
				 text + begin);
		else
			*path = '\0';
	}
}

static enum pario_claim look(int dirfd, const char *name, const struct identity *made)
{
	struct identity found;
	struct statx st;

	if (identify(dirfd, name, &found, &st) < 0)
		return errno == ENOENT ? PARIO_CLAIM_NONE : PARIO_CLAIM_FAILED;
	return S_ISREG(st.stx_mode) && st.stx_uid == geteuid() && found.inode == made->inode &&
			       found.device == made->device && found.born_s == made->born_s &&
			       found.born_ns == made->born_ns
		       ? PARIO_CLAIM_THERE
		       : PARIO_CLAIM_FOREIGN;
}

static enum pario_claim visit(const char *manifest, char path[PARIO_CLAIM_PATH], bool removes)
{
	char above[PARIO_CLAIM_PATH];
	struct identity id = { 0 };
	enum pario_claim found;
	const char *name;
	int dirfd, sys;

	parse(manifest, &id, path);
	if (!*path)
		return PARIO_CLAIM_NONE;
	name = strrchr(path, '/') + 1;
	snprintf(above, sizeof(above), "%.*s", (int)(name - path), path);
	dirfd = open(above, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dirfd < 0)
		return errno == ENOENT || errno == ENOTDIR ? PARIO_CLAIM_NONE : PARIO_CLAIM_FAILED;
	found = look(dirfd, name, &id);
	if (found == PARIO_CLAIM_THERE && removes)
		found = unlinkat(dirfd, name, 0) == 0 ? PARIO_CLAIM_REMOVED : PARIO_CLAIM_FAILED;
	sys = errno;
	close(dirfd);
	errno = sys;
	return found;
}

enum pario_claim pario_claim_look(const char *manifest, char path[PARIO_CLAIM_PATH])
{
	return visit(manifest, path, false);
}

enum pario_claim pario_claim_remove(const char *manifest, char path[PARIO_CLAIM_PATH])
{
	return visit(manifest, path, true);
}
