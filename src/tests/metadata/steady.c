/*
 * steady: precreate, benchmark, cleanup: the phases of a test whose data sets keep their size.
 */
#include "tests/metadata/steady.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/test.h"
#include "tests/common/small_file.h"
#include "tests/common/tree.h"

enum operation { STAT, READ, DELETE, CREATE, OPERATIONS };
enum kind { PRECREATE, BENCHMARK, CLEANUP };

static const char *const operations[] = { "stat", "read", "delete", "create" };
static const char *const kinds[] = { "precreate", "benchmark", "cleanup" };

struct pario_steady {
	struct pario_steady_shape shape;
	char *buffer;
	int top;		 /* the directory of all sets */
	int *from, *to;		 /* sets this client takes from and adds to, by number */
	uint64_t made;		 /* objects this client precreated in each of its sets */
	uint64_t *taken, *added; /* steps that the neighbours made in each of this client's sets */
	uint64_t done;		 /* of this client in the phase under way */
	struct pario_histogram times[OPERATIONS];
};

static enum kind kind_of(const struct pario_run *run)
{
	for (int k = PRECREATE; k < CLEANUP; k++) {
		if (strcmp(run->phase->name, kinds[k]) == 0)
			return (enum kind)k;
	}
	return CLEANUP;
}

unsigned pario_steady_phases(struct pario_phase *list)
{
	for (int k = PRECREATE; k <= CLEANUP; k++)
		list[k] = (struct pario_phase){ .name = kinds[k],
						.write = true,
						.creates = k == PRECREATE,
						.whole = k != BENCHMARK };
	return CLEANUP + 1;
}

struct pario_steady *pario_steady_new(struct pario_run *run, const struct pario_steady_shape *shape,
				      struct pario_err *err)
{
	struct pario_steady *s = calloc(1, sizeof(*s));
	char name[PARIO_NAME_CAPACITY];

	if (!s)
		goto no_memory;
	s->shape = *shape;
	s->top = -1;
	s->buffer = malloc(shape->bytes ? shape->bytes : 1);
	s->from = malloc(2 * shape->sets * sizeof(*s->from));
	s->taken = calloc(2 * shape->sets, sizeof(*s->taken));
	if (!s->buffer || !s->from || !s->taken)
		goto no_memory;
	s->to = s->from + shape->sets;
	s->added = s->taken + shape->sets;
	for (uint64_t d = 0; d < 2 * shape->sets; d++)
		s->from[d] = -1;
	pario_run_own_name(run, "steady/", name);
	if (pario_run_name(run, name, NULL, 0, err) == 0)
		return s;
	pario_steady_free(s);
	return NULL;
no_memory:
	pario_err_memory(err, "the data sets");
	if (s)
		pario_steady_free(s);
	return NULL;
}

static void close_sets(struct pario_steady *s)
{
	for (uint64_t d = 0; s->from && d < 2 * s->shape.sets; d++) {
		if (s->from[d] >= 0)
			close(s->from[d]);
		s->from[d] = -1;
	}
}

void pario_steady_free(struct pario_steady *steady)
{
	close_sets(steady);
	if (steady->top >= 0)
		close(steady->top);
	free(steady->buffer);
	free(steady->from);
	free(steady->taken);
	free(steady);
}

/* The client `away` after this one; negative = before. */
static uint64_t neighbour(const struct pario_run *run, uint64_t away, bool before)
{
	uint64_t shift = away % run->clients;

	return (run->client + (before ? run->clients - shift : shift)) % run->clients;
}

static void name_set(char name[64], uint64_t client, uint64_t set)
{
	snprintf(name, 64, "%llu_%llu", (unsigned long long)client, (unsigned long long)set);
}

static int open_directory(int dirfd, const char *name, int *fd, struct pario_err *err)
{
	*fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *fd < 0 ? pario_run_file_error(dirfd, name, "opening the directory", err) : 0;
}

static int make_sets(struct pario_run *run, struct pario_steady *s, struct pario_err *err)
{
	char name[PARIO_NAME_CAPACITY];

	pario_run_own_name(run, "steady", name);
	if (pario_run_directory(run, name, &s->top, err) < 0)
		return -1;
	for (uint64_t d = 0; d < s->shape.sets; d++) {
		name_set(name, run->client, d);
		if (mkdirat(s->top, name, 0700) < 0)
			return pario_run_file_error(s->top, name, "making the directory", err);
		if (open_directory(s->top, name, &s->from[d], err) < 0)
			return -1;
	}
	return 0;
}

static int open_sets(struct pario_run *run, struct pario_steady *s, struct pario_err *err)
{
	char name[64];

	close_sets(s);
	for (uint64_t d = 0; d < s->shape.sets; d++) {
		name_set(name, neighbour(run, d + 1, true), d);
		if (open_directory(s->top, name, &s->from[d], err) < 0)
			return -1;
		name_set(name, neighbour(run, d + 1, false), d);
		if (open_directory(s->top, name, &s->to[d], err) < 0)
			return -1;
	}
	return 0;
}

int pario_steady_before(struct pario_run *run, struct pario_steady *steady, struct pario_err *err)
{
	memset(steady->times, 0, sizeof(steady->times));
	steady->done = 0;
	switch (kind_of(run)) {
	case PRECREATE:
		return make_sets(run, steady, err);
	case BENCHMARK:
		return open_sets(run, steady, err);
	case CLEANUP:
		close_sets(steady);
	}
	return 0;
}

/* An object of a set; `name` has room for its name. */
static struct pario_object object_of(const struct pario_steady *s, int dirfd, uint64_t client,
				     uint64_t set, uint64_t index, char name[32])
{
	memcpy(name, "file-", 5);
	pario_names_number(name + 5, index);
	return (struct pario_object){ .dirfd = dirfd,
				      .name = name,
				      .number = index * s->shape.sets + set,
				      .client = client,
				      .bytes = s->shape.bytes,
				      .buffer = s->buffer };
}

static int act(const struct pario_steady *s, enum operation op, const struct pario_object *o,
	       struct pario_err *err)
{
	struct stat st;

	switch (op) {
	case STAT:
		if (fstatat(o->dirfd, o->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			return 0;
		return pario_run_file_error(o->dirfd, o->name, "the stat of", err);
	case READ:
		return pario_object_read(o, err);
	case DELETE:
		if (unlinkat(o->dirfd, o->name, 0) == 0)
			return 0;
		return pario_run_file_error(o->dirfd, o->name, "removing", err);
	case CREATE:
	case OPERATIONS:
		break;
	}
	return pario_object_make(o, s->shape.fsync, err);
}

/* One operation, counted or told as failed. */
static void count(struct pario_run *run, struct pario_steady *s, enum operation op,
		  const struct pario_object *o)
{
	struct pario_err why = { 0 };

	if (act(s, op, o, &why) < 0)
		pario_run_failed(run, &why);
	else
		pario_histogram_add(
			&s->times[op],
			pario_run_count(run, op == READ || op == CREATE ? o->bytes : 0));
	if (op != READ || o->bytes == 0)
		return;
	if (why.code == 0 && pario_object_check(run, o, &why) < 0)
		pario_run_failed(run, &why);
	pario_run_pause(run);
}

static void create(struct pario_run *run, struct pario_steady *s, const struct pario_object *o)
{
	if (o->bytes) {
		pario_object_fill(run, o);
		pario_run_pause(run);
	}
	count(run, s, CREATE, o);
}

static void step(struct pario_run *run, struct pario_steady *s, uint64_t i)
{
	char name[32];

	for (uint64_t d = 0; d < s->shape.sets; d++) {
		struct pario_object o =
			object_of(s, s->from[d], neighbour(run, d + 1, true), d, i, name);

		for (enum operation op = STAT; op < CREATE; op++)
			count(run, s, op, &o);
		o = object_of(s, s->to[d], neighbour(run, d + 1, false), d, s->shape.items + i,
			      name);
		create(run, s, &o);
	}
}

/* What the neighbours left in this client's set: from what was taken to what was added. */
static void left_in(const struct pario_steady *s, uint64_t set, uint64_t *first, uint64_t *end)
{
	*first = s->taken[set];
	*end = s->made + s->added[set];
}

static int clean_set(struct pario_run *run, struct pario_steady *s, uint64_t set,
		     struct pario_err *err)
{
	char directory[64], name[32];
	uint64_t first, end;
	int fd;

	name_set(directory, run->client, set);
	if (open_directory(s->top, directory, &fd, err) < 0)
		return -1;
	left_in(s, set, &first, &end);
	for (uint64_t i = first; i < end; i++) {
		struct pario_object o = object_of(s, fd, run->client, set, i, name);

		count(run, s, DELETE, &o);
	}
	close(fd);
	if (unlinkat(s->top, directory, AT_REMOVEDIR) < 0)
		return pario_run_file_error(s->top, directory, "removing the directory", err);
	pario_run_count(run, 0);
	return 0;
}

int pario_steady_body(struct pario_run *run, struct pario_steady *steady, struct pario_err *err)
{
	const struct pario_steady_shape *shape = &steady->shape;
	enum kind kind = kind_of(run);
	char name[32];
	uint64_t i;

	if (kind == BENCHMARK) {
		for (i = 0; pario_run_more(run, i, shape->steps); i++)
			step(run, steady, i);
		steady->done = i;
		return 0;
	}
	if (kind == PRECREATE) {
		for (i = 0; pario_run_more(run, i, shape->items * shape->sets); i++) {
			uint64_t d = i % shape->sets;
			struct pario_object o = object_of(steady, steady->from[d], run->client, d,
							  i / shape->sets, name);

			create(run, steady, &o);
		}
		steady->made = i / shape->sets;
		return 0;
	}
	for (i = 0; pario_run_more(run, i, shape->sets); i++) {
		if (clean_set(run, steady, i, err) < 0)
			return -1;
	}
	return 0;
}

static void tell_times(struct pario_run *run, struct pario_steady *s)
{
	static const struct {
		const char *name;
		double share;
	} quantiles[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 }, { "max", 1 } };
	char name[48];

	for (int op = STAT; op < OPERATIONS; op++) {
		pario_run_merge(run, &s->times[op]);
		for (int q = 0; q < 4; q++) {
			snprintf(name, sizeof(name), "%s_%s_ns", operations[op], quantiles[q].name);
			pario_run_metric(
				run, name, "ns",
				pario_histogram_quantile(&s->times[op], quantiles[q].share));
		}
	}
}

/* Every object that should be in this client's sets is there with its data, and nothing else is. */
static int check_set(struct pario_run *run, struct pario_steady *s, uint64_t set,
		     struct pario_err *err)
{
	uint64_t first, end, entries = 0;
	char directory[64], name[32];
	struct dirent *entry;
	int fd, status = 0;
	DIR *stream;

	name_set(directory, run->client, set);
	if (open_directory(s->top, directory, &fd, err) < 0)
		return -1;
	left_in(s, set, &first, &end);
	for (uint64_t i = first; i < end && status == 0; i++) {
		struct pario_object o = object_of(s, fd, run->client, set, i, name);

		status = pario_object_verify(run, &o, err);
	}
	stream = fdopendir(fd);
	while (stream && (entry = readdir(stream)))
		entries += entry->d_name[0] != '.';
	if (status == 0 && entries != end - first)
		status = pario_err_set(
			err, PARIO_VERIFY,
			"the data set %s holds %llu objects after %s, %llu should be there.",
			directory, (unsigned long long)entries, run->phase->name,
			(unsigned long long)(end - first));
	if (stream)
		closedir(stream);
	else
		close(fd);
	return status;
}

int pario_steady_verify(struct pario_run *run, struct pario_steady *steady, struct pario_err *err)
{
	enum kind kind = kind_of(run);

	if (kind == BENCHMARK) {
		for (uint64_t d = 0; d < steady->shape.sets; d++) {
			steady->taken[d] = pario_run_number_of(run, steady->done,
							       neighbour(run, d + 1, false));
			steady->added[d] =
				pario_run_number_of(run, steady->done, neighbour(run, d + 1, true));
		}
		tell_times(run, steady);
	}
	for (uint64_t d = 0; kind != CLEANUP && d < steady->shape.sets; d++) {
		if (check_set(run, steady, d, err) < 0)
			return -1;
	}
	return 0;
}
