/*
 * walk: the search, by all clients and by one; it changes nothing in the tree and follows no link.
 */
#include "tests/find/walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpi.h>

#include "engine/test.h"

enum { DESCRIPTORS = 32 }; /* that the walk alone may hold */

struct walk {
	struct pario_run *run;
	const struct pario_find_rule *rule;
	struct pario_find_counts *counts;
	struct pario_text mine,
		next; /* directories of this level and the next, from the root; a NUL behind each */
	int root;
	bool stopped;
};

bool pario_find_name(const struct pario_find_rule *rule, const char *name)
{
	return !*rule->name || fnmatch(rule->name, name, 0) == 0;
}

static bool later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

static bool find_stat(const struct pario_find_rule *rule, const struct stat *st)
{
	return (!rule->sized || (uint64_t)st->st_size == rule->size) &&
	       (!rule->dated || later(&st->st_mtim, &rule->newer));
}

/* One entry: a name costs nothing, so what it rules out is not looked up. */
static int entry(struct walk *w, int dirfd, const char *above, const struct dirent *d,
		 struct pario_err *err)
{
	bool unknown = d->d_type == DT_UNKNOWN, dir = d->d_type == DT_DIR;
	bool wanted = !dir && pario_find_name(w->rule, d->d_name);
	struct stat st;

	if (unknown || (wanted && (w->rule->sized || w->rule->dated))) {
		if (fstatat(dirfd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return pario_run_file_error(dirfd, d->d_name, "the stat of", err);
		dir = S_ISDIR(st.st_mode);
		wanted = wanted && !dir && find_stat(w->rule, &st);
	}
	w->counts->entries++;
	w->counts->directories += dir;
	w->counts->found += wanted;
	if (dir) {
		pario_text_add(&w->next, "%s/%s", above, d->d_name);
		pario_text_bytes(&w->next, "", 1);
	}
	return 0;
}

static int directory(struct walk *w, const char *path, struct pario_err *err)
{
	int fd = openat(w->root, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;
	int status = 0;

	if (!dir) {
		pario_run_file_error(w->root, path, "opening the directory", err);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while (status == 0 && !w->stopped && (errno = 0, d = readdir(dir))) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		w->stopped = !pario_run_more(w->run, w->counts->entries, UINT64_MAX);
		status = entry(w, fd, path, d, err);
		if (status == 0)
			pario_run_count(w->run, 0);
	}
	if (status == 0 && errno)
		status = pario_run_file_error(w->root, path, "reading the directory", err);
	closedir(dir);
	return status;
}

static void level(struct walk *w, struct pario_err *err)
{
	const char *path = pario_text_string(&w->mine), *end = path + w->mine.length;

	pario_text_clear(&w->next);
	for (; path < end; path += strlen(path) + 1) {
		if (directory(w, path, err) < 0)
			pario_run_failed(w->run, err);
	}
}

/* The bytes for and from each client, and where they begin. */
struct post {
	int *out, *out_at, *in, *in_at;
	char *letters;
};

static void post_release(struct post *p)
{
	free(p->out);
	free(p->letters);
}

/* Counts what goes to each client, or writes it: paths are dealt out, the first one to client `first`. */
static void deal(const struct walk *w, uint64_t first, struct post *p, bool write)
{
	const char *path = pario_text_string(&w->next), *end = path + w->next.length;
	uint64_t to = first;

	memset(p->out, 0, w->run->clients * sizeof(*p->out));
	for (; path < end; path += strlen(path) + 1, to++) {
		uint64_t client = to % w->run->clients;
		int length = (int)strlen(path) + 1;

		if (write)
			memcpy(p->letters + p->out_at[client] + p->out[client], path,
			       (size_t)length);
		p->out[client] += length;
	}
}

static uint64_t paths_in(const struct pario_text *list)
{
	const char *path = pario_text_string(list), *end = path + list->length;
	uint64_t n = 0;

	for (; path < end; path += strlen(path) + 1)
		n++;
	return n;
}

/* Collective; there is memory, or all end. */
static void exchange(struct walk *w, uint64_t first)
{
	size_t clients = (size_t)w->run->clients;
	struct post p = { .out = calloc(4 * clients, sizeof(int)),
			  .letters = malloc(w->next.length + 1) };
	char *mine = NULL;
	int sum = 0;

	if (!p.out || !p.letters || w->next.failed || w->mine.failed)
		MPI_Abort(MPI_COMM_WORLD, PARIO_SYSTEM); /* the others are in a collective call */
	p.out_at = p.out + clients;
	p.in = p.out_at + clients;
	p.in_at = p.in + clients;
	deal(w, first, &p, false);
	for (size_t c = 1; c < clients; c++)
		p.out_at[c] = p.out_at[c - 1] + p.out[c - 1];
	deal(w, first, &p, true);
	MPI_Alltoall(p.out, 1, MPI_INT, p.in, 1, MPI_INT, w->run->comm);
	for (size_t c = 0; c < clients; c++) {
		p.in_at[c] = sum;
		sum += p.in[c];
	}
	mine = malloc((size_t)sum + 1);
	if (!mine)
		MPI_Abort(MPI_COMM_WORLD, PARIO_SYSTEM);
	MPI_Alltoallv(p.letters, p.out, p.out_at, MPI_CHAR, mine, p.in, p.in_at, MPI_CHAR,
		      w->run->comm);
	pario_text_clear(&w->mine);
	pario_text_bytes(&w->mine, mine, (size_t)sum);
	free(mine);
	post_release(&p);
}

/* The directories of the next level are dealt out, so that no client holds more than its share. 1 = there are none. */
static int share(struct walk *w, struct pario_err *err)
{
	uint64_t own = paths_in(&w->next), first = 0, most[2] = { w->next.length, own };

	MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_UINT64_T, MPI_MAX, w->run->comm);
	if (most[1] == 0)
		return 1;
	/* what a client may get is at most what it and all others have found, each its share of it */
	if (most[0] > INT_MAX / 2)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"a client has found more than 1 GiB of directory names in one level of the "
			"tree. Use more clients.");
	MPI_Exscan(&own, &first, 1, MPI_UINT64_T, MPI_SUM, w->run->comm);
	exchange(w, w->run->client == 0 ? 0 : first);
	return 0;
}

int pario_find_walk(struct pario_run *run, int root, const struct pario_find_rule *rule,
		    struct pario_find_counts *counts, struct pario_err *err)
{
	struct walk w = { .run = run, .rule = rule, .counts = counts, .root = root };
	int status = 0;

	*counts = (struct pario_find_counts){ 0 };
	if (run->client == 0)
		pario_text_bytes(&w.mine, ".", 2);
	while (status == 0) {
		level(&w, err);
		status = share(&w, err);
	}
	pario_text_release(&w.mine);
	pario_text_release(&w.next);
	return status < 0 ? -1 : 0;
}

/* nftw has no argument for its callback. */
static const struct pario_find_rule *alone_rule;
static struct pario_find_counts *alone_counts;

static int visit(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	bool dir = kind == FTW_D || kind == FTW_DNR;

	if (ftw->level == 0)
		return 0;
	if (kind == FTW_NS)
		return -1;
	alone_counts->entries++;
	alone_counts->directories += dir;
	alone_counts->found +=
		!dir && pario_find_name(alone_rule, path + ftw->base) && find_stat(alone_rule, st);
	return 0;
}

int pario_find_alone(const char *path, const struct pario_find_rule *rule,
		     struct pario_find_counts *counts, struct pario_err *err)
{
	*counts = (struct pario_find_counts){ 0 };
	alone_rule = rule;
	alone_counts = counts;
	if (nftw(path, visit, DESCRIPTORS, FTW_PHYS) == 0)
		return 0;
	return pario_err_sys(err, errno, "", "counting what is below %s failed", path);
}
