/*
 * output: looks at what is there, writes beside it, and takes its place.
 */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"

enum { HEAD = 1024 }; /* bytes in which a mark is looked for */

bool pario_output_is_stdout(const char *path)
{
	return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0;
}

/* A regular file of one's own that holds the mark near its beginning. */
static bool is_ours(const struct pario_output *o, const char *mark)
{
	char head[HEAD + 1];
	struct stat st;
	ssize_t n = -1;
	int fd = mark ? openat(o->dirfd, o->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
		      : -1;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid())
		n = read(fd, head, HEAD);
	close(fd);
	return n > 0 && memmem(head, (size_t)n, mark, strlen(mark)) != NULL;
}

/* May what is there be replaced? Sets o->replaces. */
static int look(struct pario_output *o, const struct pario_output_rule *rule, struct pario_err *err)
{
	struct stat st;

	if (fstatat(o->dirfd, o->name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno == ENOENT)
			return 0;
		return pario_err_sys(err, errno, NULL, "%s cannot be written", o->path);
	}
	if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return pario_err_set(err, PARIO_USAGE,
				     "%s is a %s and is not written to. Choose another name.",
				     o->path,
				     S_ISDIR(st.st_mode)    ? "directory"
				     : S_ISFIFO(st.st_mode) ? "pipe"
				     : S_ISSOCK(st.st_mode) ? "socket"
							    : "device");
	o->replaces = rule->force || (!rule->fresh && is_ours(o, rule->mark));
	if (o->replaces)
		return 0;
	return pario_err_set(err, PARIO_USAGE, "%s exists and %s. %s", o->path,
			     S_ISLNK(st.st_mode) ? "is a link, which is not followed"
			     : rule->mark || rule->fresh
				     ? "was not made by pario"
				     : "cannot be told from a file that is not pario's",
			     rule->fresh ? "It was left alone."
					 : "Choose another name, or replace it with --force.");
}

static int open_parent(struct pario_output *o, int dirfd, const char *path, struct pario_err *err)
{
	const char *slash = strrchr(path, '/');
	char parent[sizeof(o->path)];

	snprintf(o->path, sizeof(o->path), "%s", path);
	snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash + 1 - path) : 1,
		 slash ? path : ".");
	if (strlen(path) >= sizeof(o->path) ||
	    strlen(slash ? slash + 1 : path) >= sizeof(o->name) || !*(slash ? slash + 1 : path))
		return pario_err_set(err, PARIO_USAGE, "\"%.200s\" is not the name of a file.",
				     path);
	snprintf(o->name, sizeof(o->name), "%s", slash ? slash + 1 : path);
	o->dirfd = openat(dirfd, parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return o->dirfd < 0 ? pario_err_sys(err, errno, NULL, "%s cannot be written", path) : 0;
}

static void release(struct pario_output *o)
{
	if (o->dirfd >= 0)
		close(o->dirfd);
	*o = (struct pario_output){ .dirfd = -1 };
}

int pario_output_begin(struct pario_output *o, int dirfd, const char *path,
		       const struct pario_output_rule *rule, struct pario_err *err)
{
	int fd, sys;

	*o = (struct pario_output){ .dirfd = -1 };
	if (pario_output_is_stdout(path)) {
		o->file = stdout;
		return 0;
	}
	if (open_parent(o, dirfd, path, err) < 0 || look(o, rule, err) < 0) {
		release(o);
		return -1;
	}
	snprintf(o->beside, sizeof(o->beside), ".%.200s.%016llx.tmp", o->name,
		 (unsigned long long)pario_random_seed());
	fd = openat(o->dirfd, o->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0666);
	o->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (o->file)
		return 0;
	sys = errno;
	if (fd >= 0) {
		unlinkat(o->dirfd, o->beside, 0);
		close(fd);
	}
	release(o);
	return pario_err_sys(err, sys, NULL, "%s cannot be written", path);
}

/*
 * What came there since it was looked for is not replaced; where the file system cannot promise that, it is looked
 * again.
 */
static int take_place(const struct pario_output *o)
{
	struct stat st;

	if (o->replaces)
		return renameat(o->dirfd, o->beside, o->dirfd, o->name);
	if (renameat2(o->dirfd, o->beside, o->dirfd, o->name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	if (fstatat(o->dirfd, o->name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return -1;
	}
	return renameat(o->dirfd, o->beside, o->dirfd, o->name);
}

int pario_output_end(struct pario_output *o, bool whole, struct pario_err *err)
{
	int failed = 0, status = 0;

	if (!o->file)
		return 0;
	if (o->file == stdout) {
		release(o);
		return 0;
	}
	if (ferror(o->file))
		failed = EIO;
	if (fclose(o->file) != 0)
		failed = errno;
	if (whole && !failed && take_place(o) < 0)
		failed = errno;
	if (!whole || failed)
		unlinkat(o->dirfd, o->beside, 0);
	if (whole && failed)
		status = pario_err_sys(err, failed, NULL, "%s cannot be written", o->path);
	release(o);
	return status;
}

int pario_output_text(int dirfd, const char *path, const struct pario_output_rule *rule,
		      const struct pario_text *text, struct pario_err *err)
{
	struct pario_output output;
	bool whole;
	int sys;

	if (pario_output_begin(&output, dirfd, path, rule, err) < 0)
		return -1;
	/* what standard output did not take is said when the program ends */
	whole = (fwrite(text->data, 1, text->length, output.file) == text->length &&
		 fflush(output.file) == 0) ||
		output.file == stdout;
	sys = errno;
	if (whole)
		return pario_output_end(&output, true, err);
	pario_output_end(&output, false, NULL);
	return pario_err_sys(err, sys, NULL, "%s cannot be written", path);
}

/* Who owns what we make in a directory: a server may change it, and then for the directory itself as well. */
static uid_t owner_of_ours(int dirfd)
{
	uid_t owner = geteuid();
	char name[64];
	struct stat st;
	int fd;

	snprintf(name, sizeof(name), ".pario.%016llx", (unsigned long long)pario_random_seed());
	fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return owner;
	if (fstat(fd, &st) == 0)
		owner = st.st_uid;
	unlinkat(dirfd, name, 0);
	close(fd);
	return owner;
}

static bool anybody_exchanges(const struct stat *st)
{
	return (st->st_mode & S_IWOTH) && !(st->st_mode & S_ISVTX);
}

/* The directories above the last one, where they are missing. */
static void make_parents(const char *path)
{
	char above[4096];

	if (!*path || snprintf(above, sizeof(above), "%s", path) >= (int)sizeof(above))
		return;
	for (char *slash = above; (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		/* What cannot be made is seen when the last one is. */
		(void)!mkdir(above, 0775);
		*slash = '/';
	}
}

int pario_output_make_directory(const char *path, bool may_exist, struct pario_err *err)
{
	if (pario_output_is_stdout(path))
		return pario_err_set(
			err, PARIO_USAGE,
			"a journal is a directory with files, and %s is standard output. "
			"Name a directory.",
			path);
	make_parents(path);
	if (mkdir(path, 0775) == 0 || (errno == EEXIST && may_exist))
		return 0;
	return pario_err_sys(err, errno, "Name another directory.",
			     "the result directory %s cannot be made", path);
}

int pario_output_directory(const char *path, struct pario_err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		pario_err_sys(err, errno, "Name another directory with --output.",
			      "the result directory %s cannot be opened", path);
	} else if (st.st_uid != geteuid() && st.st_uid != owner_of_ours(fd)) {
		pario_err_set(err, PARIO_USAGE,
			      "the result directory %s belongs to another user, who could replace "
			      "what is written there. Name one of your own with --output.",
			      path);
	} else if (anybody_exchanges(&st)) {
		pario_err_set(err, PARIO_USAGE,
			      "the result directory %s is writable by everybody, who could "
			      "exchange what is written there. Use chmod o-w, or name another "
			      "with --output.",
			      path);
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool is_safe(const struct stat *st)
{
	return (st->st_uid == geteuid() || st->st_uid == 0) && !anybody_exchanges(st);
}

int pario_output_temporary(char *path, size_t capacity, const char *name, struct pario_err *err)
{
	const char *own = getenv("TMPDIR");
	const char *const places[] = { own && *own ? own : "/tmp", "/tmp", "/dev/shm" };
	struct stat st;

	if (stat(places[0], &st) < 0)
		return pario_err_sys(err, errno, "Set TMPDIR to a directory you can write to.",
				     "the directory %s for temporary files cannot be used",
				     places[0]);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (stat(places[i], &st) == 0 && is_safe(&st) &&
		    snprintf(path, capacity, "%s/%s", places[i], name) < (int)capacity)
			return 0;
	}
	return pario_err_set(err, PARIO_SYSTEM,
			     "others can exchange files in %s. Set TMPDIR to a directory of your "
			     "own for temporary files.",
			     places[0]);
}
