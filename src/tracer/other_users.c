/*
 * other_users: /tmp/pario-others-XXXXXX/<128 random bits>/. The outer directory may be passed through and not be
 * listed, so that the inner one is known only to the processes that are traced. There everybody may make files, and
 * remove only his own. What lies there is read as what strangers wrote: plain files only, every number checked.
 *
 * It is locked as long as `pario trace` runs; the next one removes what a killed one left.
 *
 * The tracer's libraries are copied beside it when other users cannot read them where they are.
 */
#include "tracer/other_users.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tracer/program.h"

enum { RANDOM = 16, TRIES = 20 };

#define PLACE  "/tmp"
#define PREFIX "pario-others-"

/* May anybody read the file and pass through every directory above it? */
static bool everybody_reads(const char *path)
{
	char part[4096];
	struct stat st;

	if (stat(path, &st) < 0 || !(st.st_mode & S_IROTH))
		return false;
	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		if (stat(part, &st) < 0 || !(st.st_mode & S_IXOTH))
			return false;
	}
	return true;
}

static bool copy_file(const char *from, int dirfd, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC),
	    out = in < 0 ? -1
			 : openat(dirfd, to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				  0755);
	ssize_t n = out < 0 ? -1 : 1;

	while (n > 0)
		n = sendfile(out, in, NULL, 1 << 20);
	if (out >= 0 && (fchmod(out, 0755) < 0 || close(out) < 0))
		n = -1;
	if (in >= 0)
		close(in);
	return n == 0;
}

/* The shims that later programs may need: they are looked for beside the library. */
static bool copy_shims(const struct pario_tracing *t)
{
	static const char *const names[] = PARIO_SHIM_NAMES;
	int length = (int)strcspn(t->library, ":");

	while (length > 0 && t->library[length - 1] != '/')
		length--;
	for (unsigned i = 0; i < PARIO_SHIMS; i++) {
		char path[4096], base[64];

		snprintf(base, sizeof(base), PARIO_SHIM_BEGIN "%s" PARIO_SHIM_END, names[i]);
		snprintf(path, sizeof(path), "%.*s%s", length, t->library, base);
		if (access(path, R_OK) == 0 && faccessat(t->others_lock, base, F_OK, 0) < 0 &&
		    !copy_file(path, t->others_lock, base))
			return false;
	}
	return true;
}

/* Each library of the list, in the outer directory. */
static bool copy_libraries(const struct pario_tracing *t, char *list, size_t capacity)
{
	const char *from = t->library, *end;
	size_t length = 0;

	for (; *from; from = *end ? end + 1 : end) {
		char path[4096];
		const char *base;

		end = strchrnul(from, ':');
		snprintf(path, sizeof(path), "%.*s", (int)(end - from), from);
		base = strrchr(path, '/');
		base = base ? base + 1 : path;
		if (!copy_file(path, t->others_lock, base))
			return false;
		length += (size_t)snprintf(list + length, capacity - length, "%s%s/%s",
					   length ? ":" : "", t->others_outer, base);
		if (length >= capacity)
			return false;
	}
	return true;
}

static void share_libraries(struct pario_tracing *t)
{
	char list[sizeof(t->library)], first[4096];
	struct statvfs fs;

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(t->library, ":"), t->library);
	if (everybody_reads(first) || statvfs(t->others_outer, &fs) < 0 || fs.f_flag & ST_NOEXEC)
		return;
	if (copy_libraries(t, list, sizeof(list)) && copy_shims(t))
		memcpy(t->library, list, sizeof(list));
}

/* Plain names only: directories that somebody made there stay, and their place with them. */
static void empty(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(fd, entry->d_name, 0);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

/* The inner directory of one that nobody holds, and then that one. 1: gone, 0: it stays, -1: somebody holds it. */
static int remove_left(int tmp, const char *name)
{
	int fd = openat(tmp, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) < 0 || st.st_uid != geteuid() || flock(fd, LOCK_EX | LOCK_NB) < 0 ||
	    !(dir = fdopendir(fd))) {
		close(fd);
		return -1;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.')
			empty(fd, entry->d_name);
		unlinkat(fd, entry->d_name, AT_REMOVEDIR);
		unlinkat(fd, entry->d_name, 0);
	}
	closedir(dir);
	return unlinkat(tmp, name, AT_REMOVEDIR) == 0;
}

void pario_others_clean(void (*found)(bool removed, const char *path))
{
	DIR *dir = opendir(PLACE);
	struct dirent *entry;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		char path[512];
		int removed;

		if (strncmp(entry->d_name, PREFIX, sizeof(PREFIX) - 1) != 0 ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    st.st_uid != geteuid())
			continue;
		removed = remove_left(dirfd(dir), entry->d_name);
		snprintf(path, sizeof(path), PLACE "/%s", entry->d_name);
		if (found && removed >= 0)
			found(removed, path);
	}
	if (dir)
		closedir(dir);
}

static bool is_at(int fd, const char *path)
{
	struct stat is, there;

	return fd >= 0 && fstat(fd, &is) == 0 && lstat(path, &there) == 0 &&
	       is.st_dev == there.st_dev && is.st_ino == there.st_ino;
}

/* The outer directory, locked. Before it is, another `pario trace` may take it for left and remove it. */
static bool make_outer(struct pario_tracing *t)
{
	for (int i = 0; i < TRIES; i++) {
		strcpy(t->others_outer, PLACE "/" PREFIX "XXXXXX");
		if (!mkdtemp(t->others_outer))
			break;
		t->others_lock =
			open(t->others_outer, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (t->others_lock >= 0)
			flock(t->others_lock, LOCK_EX);
		if (is_at(t->others_lock, t->others_outer))
			return true;
		if (t->others_lock >= 0)
			close(t->others_lock);
	}
	t->others_lock = -1;
	t->others_outer[0] = '\0';
	return false;
}

void pario_others_make(struct pario_tracing *t)
{
	unsigned char bytes[RANDOM];
	const char *inner;
	struct stat st;
	int n;

	t->others_lock = -1;
	/* where everybody can rename, others would be given the way to what is not ours */
	if (geteuid() != 0 || stat(PLACE, &st) < 0 || st.st_uid != 0 ||
	    ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX)))
		return;
	pario_others_clean(NULL);
	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes) || !make_outer(t))
		return;
	n = snprintf(t->others, sizeof(t->others), "%s/", t->others_outer);
	for (int i = 0; i < RANDOM; i++)
		n += snprintf(t->others + n, sizeof(t->others) - (size_t)n, "%02x", bytes[i]);
	inner = strrchr(t->others, '/') + 1;
	if (mkdirat(t->others_lock, inner, 0700) < 0 ||
	    fchmodat(t->others_lock, inner, 01733, 0) < 0 || fchmod(t->others_lock, 0711) < 0) {
		pario_others_remove(t);
		return;
	}
	share_libraries(t);
}

void pario_others_remove(struct pario_tracing *t)
{
	const char *inner;

	if (!t->others_outer[0])
		return;
	inner = strrchr(t->others, '/') + 1;
	empty(t->others_lock, inner);
	if (unlinkat(t->others_lock, inner, AT_REMOVEDIR) < 0)
		fprintf(stderr, "pario: %s holds what is not ours and stays.\n", t->others);
	empty(t->others_lock, ".");
	unlinkat(AT_FDCWD, t->others_outer, AT_REMOVEDIR);
	close(t->others_lock);
	t->others[0] = t->others_outer[0] = '\0';
}
