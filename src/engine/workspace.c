/*
 * workspace: creates, names and removes the files of a run, by descriptor and manifest, never by pattern.
 */
#include "engine/workspace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/random.h"
#include "base/wipe.h"
#include "engine/claim.h"
#include "engine/companions.h"
#include "engine/watch.h"
#include "machine/machine.h"

enum {
	SEEN_S = 10, /* until a directory that was made elsewhere must be seen here */
	PAUSE_NS = 20000000,
};

enum { ROUNDS = 64 }; /* in which the clients look for a number that all have free */

static const char mark[] = "pario workspace 1\n";

/* A line of the manifest that names no file: the run has ended and the user wants to keep what is here. */
static const char kept_line[] = ".kept\n";

/* Another one: which process made this. Where there are no locks, `pario clean` looks for it. */
static const char maker_word[] = ".maker ";

/* In the name of a set of files, before their number. */
#define SET_MARK " of "

/* And a random number, which nobody else can know. */
static const char token_word[] = ".token ";

void pario_workspace_init(struct pario_workspace *workspace)
{
	memset(workspace, 0, sizeof(*workspace));
	workspace->dirfd = workspace->manifest = -1;
}

int pario_workspace_check(const char *parent, struct pario_err *err)
{
	struct stat st;

	if (!*parent)
		return pario_err_set(err, PARIO_USAGE,
				     "--dir is empty. Name the directory to measure.");
	if (stat(parent, &st) < 0)
		return pario_err_sys(err, errno, "Make it, or name another with --dir.",
				     "the directory %s cannot be used", parent);
	if (S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode))
		return pario_err_set(
			err, PARIO_USAGE,
			"%s is a device: pario writes only into a directory of its own and never to a "
			"raw device. Name a directory on a mounted file system.",
			parent);
	if (!S_ISDIR(st.st_mode))
		return pario_err_set(
			err, PARIO_SYSTEM,
			"%s exists and is not a directory (ENOTDIR). Name a directory with "
			"--dir; the file was not touched.",
			parent);
	if (faccessat(AT_FDCWD, parent, W_OK | X_OK, AT_EACCESS) < 0)
		return pario_err_sys(err, errno, "Name a directory you can write to with --dir.",
				     "the directory %s cannot be written to", parent);
	return 0;
}

enum { HEAD_CAPACITY = PARIO_LOCK_MAKER_CAPACITY + 128 };

/* What a manifest begins with. The number proves to clients elsewhere that theirs is the same directory. */
static ssize_t head_of(char head[HEAD_CAPACITY])
{
	char maker[PARIO_LOCK_MAKER_CAPACITY];

	pario_lock_maker(maker);
	return snprintf(head, HEAD_CAPACITY, "%s%s%s\n%s%016llx\n", mark, maker_word, maker,
			token_word, (unsigned long long)pario_random_seed());
}

/*
 * Is the directory that was opened the one that was made? Where others may rename, one of theirs may have taken its
 * place. What we make is ours, also where a server changes owners: then both have the same.
 */
static int prove(struct pario_workspace *w, struct pario_err *err)
{
	struct stat directory, manifest;

	if (fstat(w->dirfd, &directory) < 0 || fstat(w->manifest, &manifest) < 0)
		return pario_err_sys(err, errno, pario_err_hint(errno),
				     "the owner of %s cannot be looked up", w->path);
	if (directory.st_uid == manifest.st_uid)
		return 0;
	w->owner = false;
	return pario_err_set(err, PARIO_SYSTEM,
			     "%s was exchanged for a directory of another user while it was being "
			     "made. Name a directory that only you can write to with --dir.",
			     w->path);
}

static int open_manifest(struct pario_workspace *w, char head[HEAD_CAPACITY], struct pario_err *err)
{
	w->head = head_of(head);
	w->manifest = openat(w->dirfd, PARIO_WORKSPACE_MANIFEST,
			     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_APPEND, 0600);
	if (w->manifest < 0)
		return pario_err_sys(err, errno, pario_err_hint(errno),
				     "the manifest in %s cannot be made", w->path);
	if (prove(w, err) == 0) {
		pario_lock_try(w->manifest);
		if (write(w->manifest, head, (size_t)w->head) == w->head)
			return 0;
		pario_err_sys(err, errno, pario_err_hint(errno),
			      "the manifest in %s cannot be written", w->path);
	}
	/* It names nothing yet; without it the removal needs no more than the directory's name. */
	unlinkat(w->dirfd, PARIO_WORKSPACE_MANIFEST, 0);
	close(w->manifest);
	w->manifest = -1;
	return -1;
}

static int make(struct pario_workspace *w, const char *parent, const char *id,
		char head[HEAD_CAPACITY], struct pario_err *err)
{
	char name[64];
	int above;

	if (pario_workspace_check(parent, err) < 0)
		return -1;
	snprintf(name, sizeof(name), "pario-%s", id);
	above = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (above < 0 || mkdirat(above, name, 0700) < 0) {
		pario_err_sys(err, errno, pario_err_hint(errno),
			      "a directory %s for the data cannot be made in %s", name, parent);
		if (above >= 0)
			close(above);
		return -1;
	}
	w->owner = true;
	w->dirfd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (w->dirfd < 0) {
		pario_err_sys(err, errno, pario_err_hint(errno), "%s cannot be opened", w->path);
		unlinkat(above, name, AT_REMOVEDIR);
		close(above);
		return -1;
	}
	close(above);
	return open_manifest(w, head, err);
}

/* Opens the directory and reads what its manifest begins with: 0 = as client 0 wrote it. */
static int look(struct pario_workspace *w, const char *head, size_t length)
{
	char found[HEAD_CAPACITY];
	ssize_t n = -1;
	int manifest;

	if (w->dirfd < 0)
		w->dirfd = open(w->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (w->dirfd < 0)
		return -1;
	manifest = openat(w->dirfd, PARIO_WORKSPACE_MANIFEST, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (manifest >= 0) {
		n = pread(manifest, found, length, 0);
		close(manifest);
	}
	if (n >= 0 && (size_t)n == length && memcmp(found, head, length) == 0)
		return 0;
	errno = n < 0 ? errno : ENOENT;
	return -1;
}

/*
 * The other clients must see the very directory that client 0 made. Its inode number proves nothing: file systems such
 * as sshfs number anew on every mount. What was made elsewhere may be seen with delay, but where names are looked up
 * on a local file system it is there or it is not.
 */
static int follow(struct pario_workspace *w, const char *head, size_t length, struct pario_err *err)
{
	const struct timespec pause = { 0, PAUSE_NS };
	const char *slash = strrchr(w->path, '/');
	char parent[sizeof(w->path)];
	int64_t end = pario_clock_ns() + SEEN_S * (int64_t)1000000000;
	int status;

	snprintf(parent, sizeof(parent), "%.*s/.", (int)(slash - w->path), w->path);
	while ((status = look(w, head, length) < 0 ? errno : 0) != 0 && pario_clock_ns() < end &&
	       pario_machine_remote(parent))
		nanosleep(&pause, NULL);
	if (status == 0)
		return 0;
	if (w->dirfd < 0)
		return pario_err_sys(err, status, "Every client's node must see the same --dir.",
				     "%s, made by client 0, cannot be opened", w->path);
	if (status != ENOENT)
		return pario_err_sys(err, status, NULL, "the manifest in %s cannot be read",
				     w->path);
	return pario_err_set(err, PARIO_SYSTEM,
			     "%s is not the directory that client 0 made. Every client's node "
			     "must see the same file system at --dir.",
			     w->path);
}

/* The others have other files open. After a few rounds all have found the lowest number that is free everywhere. */
static int number_alike(struct pario_workspace *w, const struct pario_comm *comm,
			struct pario_err *err)
{
	int number = w->dirfd, least = 0, most = 0, lower;

	for (int round = 0; round < ROUNDS; round++) {
		MPI_Allreduce(&number, &least, 1, MPI_INT, MPI_MIN, comm->mpi);
		MPI_Allreduce(&number, &most, 1, MPI_INT, MPI_MAX, comm->mpi);
		if (least == most || least < 0)
			break;
		if (number == most)
			continue;
		lower = w->dirfd;
		number = fcntl(lower, F_DUPFD_CLOEXEC, most);
		if (number >= 0) {
			close(lower);
			w->dirfd = number;
		}
	}
	if (least == most)
		return 0;
	return pario_err_sys(err, EMFILE, "Allow more open files (ulimit -n).",
			     "the clients find no number in common for the descriptor of %s",
			     w->path);
}

/* Libraries open by path; without /proc there is none that others cannot change. */
static int check_reach(const struct pario_workspace *w, struct pario_err *err)
{
	char path[64];
	struct stat own, there;

	snprintf(path, sizeof(path), "/proc/self/fd/%d/.", w->dirfd);
	if (fstat(w->dirfd, &own) < 0)
		return pario_err_sys(err, errno, pario_err_hint(errno), "%s cannot be looked at",
				     w->path);
	if (stat(path, &there) == 0 && own.st_ino == there.st_ino)
		return 0;
	return pario_err_set(err, PARIO_SYSTEM,
			     "%s cannot be reached through /proc/self/fd, which MPI-IO, HDF5 and "
			     "PnetCDF need to open files safely. Mount /proc.",
			     w->path);
}

/* Clients of one node may still have a mount each, as in containers. */
static bool are_apart(const struct pario_workspace *w, const struct pario_comm *comm)
{
	struct stat st = { 0 };
	uint64_t ends[2];

	fstat(w->dirfd, &st);
	ends[0] = (uint64_t)st.st_dev;
	ends[1] = UINT64_MAX - (uint64_t)st.st_dev;
	MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MAX, comm->mpi);
	return comm->nodes > 1 || ends[0] != UINT64_MAX - ends[1];
}

int pario_workspace_make(struct pario_workspace *workspace, const struct pario_comm *comm,
			 const char *parent, const char *id, struct pario_err *err)
{
	char *real = NULL, head[HEAD_CAPACITY] = "";
	int status = 0;

	pario_workspace_init(workspace);
	if (comm->client == 0) {
		real = realpath(parent, NULL);
		snprintf(workspace->path, sizeof(workspace->path), "%s/pario-%s",
			 real ? real : parent, id);
		free(real);
		status = make(workspace, parent, id, head, err);
	}
	if (pario_comm_agree(comm->mpi, status, NULL, err) < 0)
		return -1;
	MPI_Bcast(workspace->path, sizeof(workspace->path), MPI_CHAR, 0, comm->mpi);
	MPI_Bcast(head, sizeof(head), MPI_CHAR, 0, comm->mpi);
	if (comm->client != 0)
		status = follow(workspace, head, strlen(head), err);
	if (pario_comm_agree(comm->mpi, status, NULL, err) < 0)
		return -1;
	status = number_alike(workspace, comm, err);
	if (status == 0)
		status = check_reach(workspace, err);
	workspace->apart = are_apart(workspace, comm);
	return pario_comm_agree(comm->mpi, status, NULL, err);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

int pario_workspace_name(struct pario_workspace *workspace, const char *name, struct pario_err *err)
{
	char line[300], *kept;
	int length = snprintf(line, sizeof(line), "%s\n", name);

	if (tfind(name, &workspace->names, by_name))
		return !workspace->apart
			       ? 0
			       : pario_err_set(
					 err, PARIO_SYSTEM,
					 "%s in %s would be used a second time, and other nodes may "
					 "still know the first; this is a mistake in pario.",
					 name, workspace->path);
	if (write(workspace->manifest, line, (size_t)length) != length)
		return pario_err_sys(err, errno, pario_err_hint(errno),
				     "the manifest in %s cannot be written", workspace->path);
	/* Without memory it is only written once more. */
	kept = strdup(name);
	if (kept && !tsearch(kept, &workspace->names, by_name))
		free(kept);
	return 0;
}

int pario_workspace_name_set(struct pario_workspace *workspace, const char *name, uint64_t count,
			     struct pario_err *err)
{
	char set[200];

	snprintf(set, sizeof(set), "%s" SET_MARK "%llu", name, (unsigned long long)count);
	return pario_workspace_name(workspace, set, err);
}

void pario_workspace_member(char *to, size_t capacity, const char *name, uint64_t number)
{
	snprintf(to, capacity, "%s.%08llu", name, (unsigned long long)number);
}

/* The manifest as text, NULL when it is not one of ours or cannot be read. */
static char *read_manifest(int fd)
{
	struct stat st;
	char *text;
	ssize_t length;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > 1 << 30)
		return NULL;
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return NULL;
	length = pread(fd, text, (size_t)st.st_size, 0);
	if (length < (ssize_t)(sizeof(mark) - 1) || memcmp(text, mark, sizeof(mark) - 1) != 0) {
		free(text);
		return NULL;
	}
	text[length] = '\0';
	return text;
}

static bool is_tree(const char *name)
{
	size_t length = strlen(name);

	return length > 1 && strchr(name, '/') == name + length - 1;
}

typedef int act_on(int dirfd, const char *name, void *context);

/* Which files of a set are looked for: those the directory shows, or every single one. */
enum reach { SHOWN, EVERY };

static int act_on_every(const char *name, uint64_t count, act_on *act, int dirfd, void *context)
{
	char member[300];
	int status = 0;

	for (uint64_t i = 0; i < count; i++) {
		pario_workspace_member(member, sizeof(member), name, i);
		if (act(dirfd, member, context) < 0)
			status = -1;
	}
	return status;
}

/* Is this the name of a file of the set? */
static bool is_member(const char *file, const char *name, uint64_t count)
{
	size_t length = strlen(name);
	char member[300];
	uint64_t number;

	if (strncmp(file, name, length) != 0 || file[length] != '.')
		return false;
	number = strtoull(file + length + 1, NULL, 10);
	pario_workspace_member(member, sizeof(member), name, number);
	return number < count && strcmp(member, file) == 0;
}

/* One look at the directory instead of one at each file: the clients have removed theirs by now. */
static int act_on_shown(const char *name, uint64_t count, act_on *act, int dirfd, void *context)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), status = 0;
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!directory) {
		if (fd >= 0)
			close(fd);
		return act_on_every(name, count, act, dirfd, context);
	}
	while ((entry = readdir(directory))) {
		if (is_member(entry->d_name, name, count) && act(dirfd, entry->d_name, context) < 0)
			status = -1;
	}
	closedir(directory);
	return status;
}

/* "name of 16": name.00000000 to name.00000015. */
static int act_on_set(char *name, act_on *act, enum reach reach, int dirfd, void *context)
{
	char *of = strstr(name, SET_MARK), *end;
	unsigned long long count = strtoull(of + sizeof(SET_MARK) - 1, &end, 10);

	*of = '\0';
	if (*end)
		return 0;
	return reach == SHOWN ? act_on_shown(name, count, act, dirfd, context)
			      : act_on_every(name, count, act, dirfd, context);
}

static bool is_ours(const char *name)
{
	return *name && *name != '.' && (is_tree(name) || !strchr(name, '/'));
}

/* Calls act for every name in a manifest's text; others are not ours. A name cut short by a crash was never used. */
static int each_name_in(char *text, act_on *act, enum reach reach, int dirfd, void *context)
{
	char *name, *end;
	int status = 0;

	for (name = text + sizeof(mark) - 1; (end = strchr(name, '\n')); name = end + 1) {
		*end = '\0';
		if (is_ours(name) &&
		    (strstr(name, SET_MARK) ? act_on_set(name, act, reach, dirfd, context)
					    : act(dirfd, name, context)) < 0)
			status = -1;
	}
	return status;
}

static int each_name(int manifest, act_on *act, enum reach reach, int dirfd, void *context)
{
	char *text = read_manifest(manifest);
	int status = text ? each_name_in(text, act, reach, dirfd, context) : -1;

	free(text);
	return status;
}

/* A name is a file in the workspace, or with a slash at its end a directory with all it holds. */
static int remove_name(int dirfd, const char *name, void *context)
{
	char *failed = context;

	pario_watch_again(); /* many names take long without anything hanging */
	if (is_tree(name) ? pario_wipe(dirfd, name, pario_watch_again) == 0
			  : unlinkat(dirfd, name, 0) == 0 || errno == ENOENT)
		return 0;
	snprintf(failed, 256, "%s", name);
	return -1;
}

int pario_workspace_drop(struct pario_workspace *workspace, const char *name, struct pario_err *err)
{
	char failed[256];

	if (remove_name(workspace->dirfd, name, failed) < 0)
		return pario_err_sys(err, errno, pario_err_hint(errno), "%s/%s cannot be removed",
				     workspace->path, name);
	return 0;
}

int pario_workspace_unclaim(struct pario_workspace *workspace, struct pario_err *err)
{
	char *text = read_manifest(workspace->manifest), path[PARIO_CLAIM_PATH];
	enum pario_claim found = text ? pario_claim_remove(text, path) : PARIO_CLAIM_NONE;
	int status = 0;

	free(text);
	if (found == PARIO_CLAIM_FAILED)
		return pario_err_sys(err, errno, pario_err_hint(errno), "%s cannot be removed",
				     path);
	if (found == PARIO_CLAIM_FOREIGN)
		status = pario_err_set(
			err, PARIO_SYSTEM,
			"%s is not the file that this run made any more: somebody has put "
			"something else there, which was left as it is.",
			path);
	pario_claim_forget(workspace->manifest);
	return status;
}

/* What the manifest names; without a manifest there is nothing, and with one that cannot be read it stays. */
static int remove_all(struct pario_workspace *workspace, char *names, struct pario_err *err)
{
	char failed[256] = "", claimed[PARIO_CLAIM_PATH];

	if (workspace->manifest < 0)
		return 0;
	if (!names)
		return pario_err_sys(err, errno, "`pario clean` removes the workspace later.",
				     "the manifest in %s cannot be read", workspace->path);
	if (pario_claim_remove(names, claimed) == PARIO_CLAIM_FAILED)
		return pario_err_sys(err, errno, "`pario clean` removes it later.",
				     "%s cannot be removed", claimed);
	if (each_name_in(names, remove_name, SHOWN, workspace->dirfd, failed) == 0)
		return 0;
	return pario_err_sys(err, errno, "`pario clean` removes it later.",
			     "%s/%s cannot be removed", workspace->path, failed);
}

/* Its name may stand for something else by now: then errno is 0. */
static int remove_directory(const struct pario_workspace *w)
{
	const char *name = strrchr(w->path, '/') + 1;
	int above = openat(w->dirfd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC), status = -1, sys;
	struct stat own, there;

	if (above < 0 || fstat(w->dirfd, &own) < 0 ||
	    fstatat(above, name, &there, AT_SYMLINK_NOFOLLOW) < 0)
		sys = errno;
	else if (own.st_ino != there.st_ino || own.st_dev != there.st_dev)
		sys = 0;
	else
		sys = (status = unlinkat(above, name, AT_REMOVEDIR)) < 0 ? errno : 0;
	if (above >= 0)
		close(above);
	errno = sys;
	return status;
}

/* Closed first: network file systems keep a file that is removed while it is open, under another name. */
static int remove_manifest(int dirfd, int *manifest)
{
	if (*manifest < 0)
		return 0;
	close(*manifest);
	*manifest = -1;
	/* Without the lock somebody's `pario clean` may have been quicker. */
	return unlinkat(dirfd, PARIO_WORKSPACE_MANIFEST, 0) < 0 && errno != ENOENT ? -1 : 0;
}

static const char *id_of(const char *path)
{
	return strrchr(path, '-') + 1;
}

/* A directory that is not empty may hold files that a network file system has not shown here. */
static int remove_rest(struct pario_workspace *w, char *names)
{
	char failed[256];

	if (remove_directory(w) == 0)
		return 0;
	if (errno != ENOTEMPTY || !names)
		return -1;
	each_name_in(names, remove_name, EVERY, w->dirfd, failed);
	return remove_directory(w);
}

static int fail_remove(const char *path, int sys, struct pario_err *err)
{
	if (sys == 0)
		return pario_err_set(err, PARIO_SYSTEM,
				     "the workspace %s cannot be removed: somebody has put "
				     "something else in its place. The files are removed.",
				     path);
	return pario_err_sys(
		err, sys,
		sys == ENOTEMPTY ? NULL : "It is empty: `rmdir` removes it, once that is mended.",
		"the workspace %s cannot be removed", path);
}

int pario_workspace_remove(struct pario_workspace *workspace, struct pario_err *err)
{
	char *names = NULL;
	int status = 0;

	if (workspace->owner && workspace->dirfd >= 0) {
		names = workspace->manifest < 0 ? NULL : read_manifest(workspace->manifest);
		status = remove_all(workspace, names, err);
		if (status == 0 && remove_manifest(workspace->dirfd, &workspace->manifest) < 0)
			status = pario_err_sys(err, errno, "`pario clean` removes it later.",
					       "the manifest in %s cannot be removed",
					       workspace->path);
		if (status == 0)
			pario_companions_remove(workspace->dirfd, id_of(workspace->path));
		if (status == 0 && remove_rest(workspace, names) < 0)
			status = fail_remove(workspace->path, errno, err);
	}
	free(names);
	pario_workspace_close(workspace);
	return status;
}

struct listing {
	const char *path;
	struct pario_text *paths;
};

static int list_name(int dirfd, const char *name, void *context)
{
	struct listing *listing = context;

	if (faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		pario_text_add(listing->paths, "%s/%s%c", listing->path, name, '\0');
	return 0;
}

static void list_names(const struct pario_workspace *workspace, struct pario_text *paths)
{
	struct listing listing = { workspace->path, paths };

	char *text = workspace->manifest < 0 ? NULL : read_manifest(workspace->manifest);
	char claimed[PARIO_CLAIM_PATH];

	if (text && pario_claim_look(text, claimed) == PARIO_CLAIM_THERE)
		pario_text_add(paths, "%s%c", claimed, '\0');
	if (text)
		each_name_in(text, list_name, EVERY, workspace->dirfd, &listing);
	free(text);
}

int pario_workspace_keep(struct pario_workspace *workspace, struct pario_text *paths,
			 struct pario_err *err)
{
	const ssize_t length = sizeof(kept_line) - 1;
	int status = 0;

	list_names(workspace, paths);
	if (workspace->manifest >= 0 &&
	    write(workspace->manifest, kept_line, (size_t)length) != length)
		status = pario_err_sys(err, errno, "`pario clean` would remove the kept files.",
				       "the manifest in %s cannot be written", workspace->path);
	pario_workspace_close(workspace);
	return status;
}

void pario_workspace_close(struct pario_workspace *workspace)
{
	if (workspace->manifest >= 0)
		close(workspace->manifest);
	if (workspace->dirfd >= 0)
		close(workspace->dirfd);
	workspace->manifest = workspace->dirfd = -1;
	workspace->owner = false;
	tdestroy(workspace->names, free);
	workspace->names = NULL;
}

/* Does the manifest say that the files are to stay? */
static bool is_kept(int manifest)
{
	char *text = read_manifest(manifest);
	char *line = text ? strstr(text, kept_line) : NULL;
	bool kept;

	/* Not at the end of a name. */
	while (line && line[-1] != '\n')
		line = strstr(line + 1, kept_line);
	kept = line != NULL;

	free(text);
	return kept;
}

/* pario- and eight hex digits: a workspace's name. */
static bool is_workspace(const char *name)
{
	return strncmp(name, "pario-", 6) == 0 && strlen(name) == 14 &&
	       strspn(name + 6, "0123456789abcdef") == 8;
}

/* A directory with a manifest, both of this user: -1 when it is something else, whatever that is. */
static int open_own(int above, const char *name, int *manifest)
{
	int dirfd = pario_wipe_open(above, name, O_RDONLY | O_DIRECTORY);
	struct stat st;

	*manifest = -1;
	if (dirfd < 0)
		return -1;
	if (fstat(dirfd, &st) == 0 && st.st_uid == geteuid())
		*manifest = pario_wipe_open(dirfd, PARIO_WORKSPACE_MANIFEST, O_RDWR);
	if (*manifest >= 0 &&
	    (fstat(*manifest, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())) {
		close(*manifest);
		*manifest = -1;
	}
	if (*manifest >= 0)
		return dirfd;
	close(dirfd);
	return -1;
}

/* Is the run of this workspace over? Where there are no locks its process tells. */
static enum pario_lock_life life_of(int manifest)
{
	enum pario_lock lock = pario_lock_try(manifest);
	enum pario_lock_life life = PARIO_LOCK_UNKNOWN;
	char *text, *line, *end;

	if (lock != PARIO_LOCK_ABSENT)
		return lock == PARIO_LOCK_TAKEN ? PARIO_LOCK_GONE : PARIO_LOCK_LIVES;
	text = read_manifest(manifest);
	line = text ? strstr(text, maker_word) : NULL;
	end = line ? strchr(line, '\n') : NULL;
	if (end)
		life = pario_lock_life(line + sizeof(maker_word) - 1, end);
	free(text);
	return life;
}

int pario_workspace_leftovers(const char *parent, const char *own)
{
	const char *name = strrchr(own, '/') ? strrchr(own, '/') + 1 : own;
	DIR *directory = opendir(parent);
	struct dirent *entry;
	int count = 0, manifest, fd;

	while (directory && (entry = readdir(directory))) {
		if (!is_workspace(entry->d_name) || strcmp(entry->d_name, name) == 0)
			continue;
		fd = open_own(dirfd(directory), entry->d_name, &manifest);
		if (fd < 0)
			continue;
		count += !is_kept(manifest) && life_of(manifest) == PARIO_LOCK_GONE;
		close(manifest);
		close(fd);
	}
	if (directory)
		closedir(directory);
	return count;
}

/* Another user's, which nobody else removes; not even root, whom a user could make remove anything. */
static bool is_foreign(int above, const char *name)
{
	struct stat st;

	return fstatat(above, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_uid != geteuid();
}

static int remove_claim(int manifest)
{
	char *text = read_manifest(manifest), claimed[PARIO_CLAIM_PATH];
	int status = text && pario_claim_remove(text, claimed) != PARIO_CLAIM_FAILED ? 0 : -1;

	free(text);
	return status;
}

/* One directory that looks like a workspace: removed when its manifest is ours and its run is over. */
static enum pario_cleaned clean_one(int above, const char *name, bool kept_too)
{
	enum pario_cleaned found = PARIO_CLEAN_LEFT;
	enum pario_lock_life life;
	char failed[256];
	int manifest, dirfd = open_own(above, name, &manifest);

	if (dirfd < 0)
		return is_foreign(above, name) ? PARIO_CLEAN_FOREIGN : found;
	life = life_of(manifest);
	if (life == PARIO_LOCK_UNKNOWN) {
		found = PARIO_CLEAN_UNKNOWN;
	} else if (life == PARIO_LOCK_GONE) {
		if (!kept_too && is_kept(manifest))
			found = PARIO_CLEAN_KEPT;
		else if (remove_claim(manifest) == 0 &&
			 each_name(manifest, remove_name, EVERY, dirfd, failed) == 0 &&
			 remove_manifest(dirfd, &manifest) == 0 &&
			 pario_companions_remove(dirfd, id_of(name)) == 0 &&
			 unlinkat(above, name, AT_REMOVEDIR) == 0)
			found = PARIO_CLEAN_REMOVED;
	}
	if (manifest >= 0)
		close(manifest);
	close(dirfd);
	return found;
}

int pario_workspace_clean(const char *parent, bool kept_too, void (*at)(const char *path),
			  void (*found)(enum pario_cleaned what, const char *path),
			  struct pario_err *err)
{
	DIR *directory;
	struct dirent *entry;
	char path[4400];

	at(parent);
	directory = opendir(parent);
	if (!directory)
		return pario_err_sys(err, errno, pario_err_hint(errno), "%s cannot be read",
				     parent);
	while ((entry = readdir(directory))) {
		if (strncmp(entry->d_name, "pario-", 6) != 0 ||
		    strcmp(entry->d_name, "pario-results") == 0 ||
		    strcmp(entry->d_name, "pario-scratch") == 0 ||
		    strncmp(entry->d_name, "pario-others-", 13) == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", parent, entry->d_name);
		at(path);
		found(clean_one(dirfd(directory), entry->d_name, kept_too), path);
	}
	closedir(directory);
	return 0;
}
