/*
 * visibility: when does another client see what one has changed?
 *
 * In every round one client changes a file of its own, and all others look for it. First they look until they see the
 * file as it was, so that whatever caches they have hold the old state. Then the client makes the change, and a message
 * says that it is done. Each of the others looks from the arrival of that message until it sees the change or its
 * patience ends. Only durations are taken, each by one clock, so no clocks are compared; the way of the message, some
 * microseconds, is what the times are too short by. The clients change by turns.
 *
 * Misleads where a change is seen at once: then the time is that of one look.
 */
#include "engine/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TREE "visibility"

enum change { WRITE, REWRITE, EXTEND, CREATE, RENAME, UNLINK };
enum look { OPEN, HELD };
enum finish { CLOSE, FSYNC, NOTHING };

/* Looking again and again takes the server's time: after a while a client naps a part of what it has waited. */
enum { ROUNDS_UNSEEN = 3, EAGER_NS = 200000, NAP_SHARE = 32, NAP_MAX_NS = 10000000 };

enum { OLD = 0x5a, NEW = 0xc3 }; /* what the files hold */

struct params {
	uint64_t rounds, bytes;
	double patience;
	uint32_t changes;
	int look, finish;
};

static const char *const changes[] = { "write",	 "rewrite", "extend", "create",
				       "rename", "unlink",  NULL };
static const char *const looks[] = { "open", "held", NULL };
static const char *const finishes[] = { "close", "fsync", "nothing", NULL };

static const struct pario_option options[] = {
	PARIO_OPTION(struct params, changes, .def = "write,rewrite,extend,create,rename,unlink",
		     .choices = changes, .help = "what is changed; a phase each"),
	PARIO_OPTION(struct params, rounds, .def = "20", .min = "1", .max = "1m", .unit = "rounds",
		     .letter = 'n', .help = "changes in a phase; the clients make them by turns"),
	PARIO_OPTION(struct params, bytes, .def = "4k", .min = "1", .max = "64m", .unit = "bytes",
		     .help = "what is written, rewritten or added"),
	PARIO_OPTION(
		struct params, look, .def = "open", .choices = looks,
		.help = "data and size are looked at by opening the file each time, or through a descriptor held since before the change"),
	PARIO_OPTION(
		struct params, finish, .def = "close", .choices = finishes,
		.help = "what ends a change before the others hear of it: the file is closed, made durable and closed, or left open"),
	PARIO_OPTION(struct params, patience, .def = "10", .min = "0.001", .max = "3600",
		     .unit = "seconds",
		     .help = "a change that is not seen for so long counts as unseen"),
	{ 0 },
};

static const struct pario_metric_info metrics[] = {
	{ "seen_median_s", "s", "median time until a change is seen", -1 },
	{ "seen_p99_s", "s", "99 % of the changes are seen within this time", -1 },
	{ "seen_max_s", "s", "longest time until a change was seen", -1 },
	{ "seen_max_same_node_s", "s", "longest where the change was made on the same node", -1 },
	{ "seen_max_other_node_s", "s", "longest where it was made on another node", -1 },
	{ "seen_first_percent", "%", "changes that were seen by the first look", 1 },
	{ "unseen", "changes", "looked for until the patience ended", -1 },
	{ NULL, NULL, NULL, 0 },
};

/* What a look is for: a file with so many bytes, all of them `fill`; UINT64_MAX and 0 = whatever they are. */
struct state {
	bool there, moved; /* under its name, under its second name */
	uint64_t size;
	int fill;
};

struct work {
	char tree[PARIO_NAME_CAPACITY], *bytes, *found;
	struct pario_histogram times;
	uint64_t first, unseen; /* of this client: seen by the first look, not at all */
	int64_t same_ns, other_ns;
	int held; /* the descriptor of a client that looks through one, or of the one that left its file open */
};

struct round {
	struct pario_run *run;
	const struct params *p;
	struct work *w;
	enum change change;
	uint64_t number, actor, node;
	char name[128], second[140];
};

static struct state state_before(const struct round *r)
{
	switch (r->change) {
	case WRITE:
		return (struct state){ .there = true };
	case REWRITE:
		return (struct state){ .there = true, .size = r->p->bytes, .fill = OLD };
	case EXTEND:
		return (struct state){ .there = true, .size = r->p->bytes };
	case CREATE:
		return (struct state){ .there = false };
	default:
		return (struct state){ .there = true, .size = UINT64_MAX };
	}
}

static struct state state_after(const struct round *r)
{
	switch (r->change) {
	case WRITE:
	case REWRITE:
		return (struct state){ .there = true, .size = r->p->bytes, .fill = NEW };
	case EXTEND:
		return (struct state){ .there = true, .size = pario_times(2, r->p->bytes) };
	case CREATE:
		return (struct state){ .there = true, .size = UINT64_MAX };
	case RENAME:
		return (struct state){ .moved = true };
	default:
		return (struct state){ .there = false };
	}
}

static int fail(const struct round *r, const char *what, struct pario_err *err)
{
	return pario_run_file_error(pario_run_dirfd(r->run), r->name, what, err);
}

/* ---- the client that changes ---- */

static int put(const struct round *r, int fd, int fill, uint64_t offset, struct pario_err *err)
{
	memset(r->w->bytes, fill, r->p->bytes);
	for (uint64_t done = 0; done < r->p->bytes;) {
		ssize_t n =
			pwrite(fd, r->w->bytes + done, r->p->bytes - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return fail(r, "writing", err);
		done += (uint64_t)n;
	}
	return 0;
}

static int make_file(const struct round *r, int *fd, struct pario_err *err)
{
	*fd = openat(pario_run_dirfd(r->run), r->name,
		     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return *fd < 0 ? fail(r, "making", err) : 0;
}

static int prepare(const struct round *r, struct pario_err *err)
{
	int fd, status = 0;

	if (r->change == CREATE)
		return 0;
	if (make_file(r, &fd, err) < 0)
		return -1;
	if (r->change != WRITE)
		status = put(r, fd, OLD, 0, err);
	if (close(fd) < 0 && status == 0)
		status = fail(r, "closing", err);
	return status;
}

/* Ends a change of a file that is open. */
static int finish(const struct round *r, int fd, struct pario_err *err)
{
	int status = 0;

	if (r->p->finish == NOTHING) {
		r->w->held = fd;
		return 0;
	}
	if (r->p->finish == FSYNC && fsync(fd) < 0)
		status = fail(r, "syncing", err);
	if (close(fd) < 0 && status == 0)
		status = fail(r, "closing", err);
	return status;
}

/* A change of names; what makes it durable is the directory. */
static int finish_names(const struct round *r, const char *what, int rc, struct pario_err *err)
{
	int directory, status = rc < 0 ? fail(r, what, err) : 0;

	if (status < 0 || r->p->finish != FSYNC)
		return status;
	directory = openat(pario_run_dirfd(r->run), r->w->tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0 || fsync(directory) < 0)
		status = fail(r, "syncing the directory of", err);
	if (directory >= 0)
		close(directory);
	return status;
}

static int change_file(const struct round *r, struct pario_err *err)
{
	int dirfd = pario_run_dirfd(r->run), fd;

	if (r->change == RENAME)
		return finish_names(r, "renaming", renameat(dirfd, r->name, dirfd, r->second), err);
	if (r->change == UNLINK)
		return finish_names(r, "removing", unlinkat(dirfd, r->name, 0), err);
	if (r->change == CREATE) {
		if (make_file(r, &fd, err) < 0)
			return -1;
		return finish(r, fd, err);
	}
	fd = openat(dirfd, r->name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return fail(r, "opening", err);
	if (put(r, fd, NEW, r->change == EXTEND ? r->p->bytes : 0, err) < 0) {
		close(fd);
		return -1;
	}
	return finish(r, fd, err);
}

/* ---- the clients that look ---- */

/* What is gone, or was replaced behind the kernel's back, is not there; other errors are errors. */
static int open_name(const struct round *r, const char *name, int *fd, struct pario_err *err)
{
	*fd = openat(pario_run_dirfd(r->run), name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (*fd >= 0 || errno == ENOENT || errno == ESTALE)
		return 0;
	return fail(r, "opening", err);
}

static int unseen(const struct round *r, const char *what, struct pario_err *err)
{
	return errno == ESTALE || errno == EINTR ? 0 : fail(r, what, err);
}

static int holds(const struct round *r, int fd, const struct state *want, struct pario_err *err)
{
	struct stat st;
	ssize_t n;

	if (want->size == UINT64_MAX)
		return 1;
	if (fstat(fd, &st) < 0)
		return unseen(r, "looking at", err);
	if ((uint64_t)st.st_size != want->size)
		return 0;
	if (!want->fill)
		return 1;
	n = pread(fd, r->w->found, want->size, 0);
	if (n < 0)
		return unseen(r, "reading", err);
	memset(r->w->bytes, want->fill, want->size);
	return n == (ssize_t)want->size && memcmp(r->w->found, r->w->bytes, want->size) == 0;
}

/* 1 = it is as wanted, 0 = not yet. */
static int look(const struct round *r, const struct state *want, struct pario_err *err)
{
	int fd = r->w->held, second = -1, seen;

	if (fd >= 0)
		return holds(r, fd, want, err);
	if (open_name(r, r->name, &fd, err) < 0)
		return -1;
	seen = (fd >= 0) == want->there;
	if (seen && fd >= 0)
		seen = holds(r, fd, want, err);
	if (fd >= 0)
		close(fd);
	if (seen > 0 && want->moved) {
		if (open_name(r, r->second, &second, err) < 0)
			return -1;
		seen = second >= 0;
	}
	if (second >= 0)
		close(second);
	return seen;
}

/* Looks until it is as wanted: 1, or 0 when the patience ended or the run is to stop. */
static int look_for(const struct round *r, const struct state *want, int64_t *ns, uint64_t *tries,
		    struct pario_err *err)
{
	int64_t began = pario_run_now(), most = (int64_t)(r->p->patience * 1e9), nap;
	int seen;

	for (*tries = 1;; (*tries)++) {
		seen = look(r, want, err);
		*ns = pario_run_now() - began;
		if (seen != 0 || *ns >= most || pario_run_over(r->run))
			return seen;
		nap = *ns < EAGER_NS ? 0 : *ns / NAP_SHARE;
		if (nap)
			nanosleep(&(struct timespec){ 0, nap < NAP_MAX_NS ? nap : NAP_MAX_NS },
				  NULL);
	}
}

/* Who looks through a descriptor opens it when it has seen the file as it was. */
static int hold(const struct round *r, struct pario_err *err)
{
	if (r->p->look != HELD || r->change > EXTEND)
		return 0;
	return open_name(r, r->name, &r->w->held, err);
}

static void record(const struct round *r, int seen, int64_t ns, uint64_t tries)
{
	int64_t *worst =
		pario_run_capacity(r->run).node == r->node ? &r->w->same_ns : &r->w->other_ns;

	if (!seen) {
		r->w->unseen += !pario_run_over(r->run) || ns >= (int64_t)(r->p->patience * 1e9);
		return;
	}
	pario_run_finish(r->run, pario_run_now() - ns, 0);
	pario_histogram_add(&r->w->times, ns);
	r->w->first += tries == 1;
	if (ns > *worst)
		*worst = ns;
}

/* ---- a round ---- */

/* Nobody goes on when one cannot; what else is told is the largest of all clients. */
static int together(const struct round *r, int status, int64_t tell[2])
{
	int64_t all[3] = { status < 0, tell[0], tell[1] };

	MPI_Allreduce(MPI_IN_PLACE, all, 3, MPI_INT64_T, MPI_MAX, r->run->comm);
	tell[0] = all[1];
	tell[1] = all[2];
	return all[0] ? -1 : 0;
}

/* The client whose turn it is does its part, and the others hear when it is done and on which node. */
static int act(struct round *r, int (*part)(const struct round *, struct pario_err *),
	       struct pario_err *err)
{
	int64_t message[2] = { 0, (int64_t)pario_run_capacity(r->run).node };

	if (r->run->client == r->actor)
		message[0] = part(r, err);
	MPI_Bcast(message, 2, MPI_INT64_T, (int)r->actor, r->run->comm);
	r->node = (uint64_t)message[1];
	return (int)message[0];
}

/* One change. The error is set on the client that saw it; -1 on all. *unseen: has any of them waited in vain? */
static int go(struct round *r, int64_t *unseen, struct pario_err *err)
{
	const struct state before = state_before(r), after = state_after(r);
	bool looks_on = r->run->client != r->actor, ready = true;
	int64_t tell[2] = { 0, 0 }, ns = 0;
	uint64_t tries;
	int status;

	if (act(r, prepare, err) < 0)
		return -1;
	status = looks_on ? look_for(r, &before, &ns, &tries, err) : 1;
	ready = status > 0;
	if (status > 0 && looks_on)
		status = hold(r, err);
	if (together(r, status, tell) < 0 || act(r, change_file, err) < 0)
		return -1;
	status = 0;
	if (looks_on && ready) {
		status = look_for(r, &after, &ns, &tries, err);
		if (status >= 0)
			record(r, status, ns, tries);
	}
	tell[0] = looks_on && status >= 0 ? ns : 0;
	tell[1] = looks_on && (!ready || status == 0);
	if (looks_on && !ready)
		r->w->unseen++;
	status = together(r, status, tell);
	*unseen = tell[1];
	pario_run_row(r->run, "rounds", "round client slowest_s all_saw",
		      (const struct pario_datum[]){ PARIO_NUMBER(r->number), PARIO_NUMBER(r->actor),
						    PARIO_NUMBER((double)tell[0] * 1e-9),
						    PARIO_NUMBER(!tell[1]) });
	if (r->w->held >= 0)
		close(r->w->held);
	r->w->held = -1;
	return status;
}

static enum change change_of(const struct pario_run *run)
{
	int c = 0;

	while (strcmp(changes[c], run->phase->name) != 0)
		c++;
	return (enum change)c;
}

static int body(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	struct round r = { .run = run, .p = run->params, .w = w, .change = change_of(run) };
	int64_t unseen = 0;
	uint64_t rounds_unseen = 0, all;

	memset(&w->times, 0, sizeof(w->times));
	w->first = w->unseen = 0;
	w->same_ns = w->other_ns = 0;
	for (; pario_run_more(run, r.number, r.p->rounds) && rounds_unseen < ROUNDS_UNSEEN;
	     r.number++) {
		r.actor = r.number % run->clients;
		/* Every round has names of its own: what is known of an earlier one must not help or hinder. */
		snprintf(r.name, sizeof(r.name), "%s/%llu.%s.%llu", w->tree,
			 (unsigned long long)run->repetition, run->phase->name,
			 (unsigned long long)r.number);
		snprintf(r.second, sizeof(r.second), "%s.new", r.name);
		if (go(&r, &unseen, err) < 0)
			return err->code ? -1 : 0;
		rounds_unseen += unseen > 0;
	}
	MPI_Allreduce(&w->unseen, &all, 1, MPI_UINT64_T, MPI_SUM, run->comm);
	if (all)
		pario_run_suspect(run, "%llu changes were not seen by another client within %g s",
				  (unsigned long long)all, r.p->patience);
	return 0;
}

/* Nothing to compare: that what is looked for was seen is the measurement. The numbers of all clients come together. */
static int verify(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	int64_t worst[2] = { w->same_ns, w->other_ns };
	uint64_t sum[2] = { w->first, w->unseen };

	(void)err;
	pario_run_merge(run, &w->times);
	MPI_Allreduce(MPI_IN_PLACE, worst, 2, MPI_INT64_T, MPI_MAX, run->comm);
	MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_UINT64_T, MPI_SUM, run->comm);
	pario_run_metric(run, "unseen", "changes", (double)sum[1]);
	if (w->times.count == 0)
		return 0;
	pario_run_metric(run, "seen_median_s", "s",
			 pario_histogram_quantile(&w->times, 0.5) * 1e-9);
	pario_run_metric(run, "seen_p99_s", "s", pario_histogram_quantile(&w->times, 0.99) * 1e-9);
	pario_run_metric(run, "seen_max_s", "s", (double)w->times.max_ns * 1e-9);
	if (worst[0])
		pario_run_metric(run, "seen_max_same_node_s", "s", (double)worst[0] * 1e-9);
	if (worst[1])
		pario_run_metric(run, "seen_max_other_node_s", "s", (double)worst[1] * 1e-9);
	pario_run_metric(run, "seen_first_percent", "%",
			 100.0 * (double)sum[0] / (double)(w->times.count + sum[1]));
	return 0;
}

/* ---- around it ---- */

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;

	(void)client;
	if (!p->changes)
		return pario_err_set(err, PARIO_USAGE,
				     "--changes is empty. Name at least one of them.");
	layout->memory_bytes = pario_times(2, p->bytes);
	layout->extra_files = pario_plus(pario_times(p->rounds, 6), 1);
	layout->extra_bytes =
		pario_times(pario_times(p->rounds, 6), pario_blocks(layout->memory_bytes, 4096));
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	const struct params *p = point->params;
	unsigned n = 0;

	for (int c = WRITE; c <= UNLINK; c++) {
		if (p->changes & 1u << c)
			list[n++] = (struct pario_phase){ .name = changes[c], .write = true };
	}
	return n;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = calloc(1, sizeof(*w));
	char named[PARIO_NAME_CAPACITY];

	run->scratch = w;
	if (w)
		w->held = -1;
	if (!w || !(w->bytes = malloc(p->bytes)) || !(w->found = malloc(p->bytes)))
		return pario_err_memory(err, "the test");
	pario_run_own_name(run, TREE, w->tree);
	pario_run_own_name(run, TREE "/", named);
	return pario_run_name(run, named, NULL, 0, err);
}

static int before(struct pario_run *run, struct pario_err *err)
{
	const struct work *w = run->scratch;
	int directory;

	if (pario_run_directory(run, w->tree, &directory, err) < 0)
		return -1;
	close(directory);
	return 0;
}

static void teardown(struct pario_run *run)
{
	struct work *w = run->scratch;

	if (!w)
		return;
	if (w->held >= 0)
		close(w->held);
	free(w->bytes);
	free(w->found);
	free(w);
	run->scratch = NULL;
}

const struct pario_test pario_test_visibility = {
	.name = "visibility",
	.summary = "how long until other clients see a change",
	.question = "When does another client see what one has written, made, renamed or removed?",
	.misleads =
		"when all clients are on one node: then they share its caches, and the times are those of single looks",
	.needs = PARIO_NEED_TWO | PARIO_NEED_TOGETHER,
	.options = options,
	.params_size = sizeof(struct params),
	.repetitions = "1",
	.metrics = metrics,
	.headline = "seen_median_s",
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
