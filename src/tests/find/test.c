/*
 * find: how fast is a tree searched by all clients together?
 *
 * As `find DIR -name PATTERN -size N -newer FILE`: every entry is seen, and those that the name does not rule out are
 * looked up. The tree is the user's, which is only read, or one of small files that is made before. Both are counted
 * again by one client in another way, and for its own tree the test knows the answer besides.
 *
 * Misleads where one directory holds most of the tree: it is read by one client. And on one node, whose kernel has the
 * names cached that were just made.
 */
#include "engine/test.h"
#include "tests/common/small_file.h"
#include "tests/find/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpi.h>

#define TREE "find-tree"

enum { BLOCK = 4096 }; /* of a file system, for the space that a small file takes */

struct params {
	uint64_t files, directories, file_size;
	char path[1024], name[128], size[24], newer[1024];
};

static const struct pario_option options[] = {
	PARIO_OPTION(
		struct params, path, .def = "", .flags = PARIO_OPTION_NO_SWEEP,
		.help = "a directory of yours to search, which is only read; default a tree that is made before"),
	PARIO_OPTION(struct params, name, .def = "*01*", .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "pattern of the names that are found; empty = any"),
	PARIO_OPTION(struct params, size, .def = "3901",
		     .help = "their size in bytes, exactly; any = whatever it is"),
	PARIO_OPTION(struct params, newer, .def = "", .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "changed later than this file"),
	PARIO_OPTION(
		struct params, files, .def = "1000", .min = "1", .max = "1g", .unit = "files",
		.letter = 'n',
		.help = "made by each client when there is no --path; every other one has --file_size bytes, the rest none"),
	PARIO_OPTION(struct params, directories, .def = "10", .min = "1", .max = "1m",
		     .unit = "directories", .help = "of each client, over which they are spread"),
	PARIO_OPTION(struct params, file_size, .def = "3901", .max = "1g", .unit = "bytes",
		     .help = "of every other file"),
	{ 0 },
};

static const struct pario_metric_info metrics[] = {
	{ "found", "files", "files that match", 0 },
	{ "entries", "entries", "files and directories that were seen", 0 },
	{ "directories", "directories", "directories that were read, without the root", 0 },
	{ NULL, NULL, NULL, 0 },
};

struct work {
	struct pario_find_rule rule;
	struct pario_find_counts counts; /* of this client */
	int root;
	char tree[PARIO_NAME_CAPACITY], path[PARIO_PATH_CAPACITY];
};

static bool any_size(const struct params *p)
{
	return strcmp(p->size, "any") == 0;
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;
	uint64_t size, files;
	struct stat st;

	(void)client;
	if (!any_size(p) && pario_units_parse_size("--size", p->size, &size, err) < 0)
		return -1;
	if (*p->newer && stat(p->newer, &st) < 0)
		return pario_err_set(err, PARIO_USAGE, "--newer %s: there is no such file.",
				     p->newer);
	if (*p->path) {
		if (stat(p->path, &st) < 0)
			return pario_err_sys(err, errno, "Name a directory that every client sees.",
					     "--path %s cannot be searched", p->path);
		if (!S_ISDIR(st.st_mode))
			return pario_err_set(err, PARIO_USAGE,
					     "--path %s is no directory. Name one.", p->path);
		return 0;
	}
	files = pario_times(pario_plus(pario_plus(p->files, p->directories), 1), point->clients);
	layout->extra_bytes = pario_times(files, pario_blocks(p->file_size, BLOCK));
	layout->extra_files = layout->operations = files;
	layout->memory_bytes = p->file_size;
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	(void)point;
	list[0] = (struct pario_phase){ .name = "find", .whole = true };
	return 1;
}

static int set_rule(const struct params *p, struct pario_find_rule *rule, struct pario_err *err)
{
	struct stat st;

	*rule = (struct pario_find_rule){ .name = p->name, .sized = !any_size(p) };
	if (rule->sized && pario_units_parse_size("--size", p->size, &rule->size, err) < 0)
		return -1;
	if (!*p->newer)
		return 0;
	if (stat(p->newer, &st) < 0)
		return pario_err_sys(err, errno, NULL, "the stat of %s failed", p->newer);
	rule->dated = true;
	rule->newer = st.st_mtim;
	return 0;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = calloc(1, sizeof(*w));
	char named[PARIO_NAME_CAPACITY];

	run->scratch = w;
	if (!w)
		return pario_err_memory(err, "the test");
	w->root = -1;
	if (set_rule(p, &w->rule, err) < 0)
		return -1;
	if (!*p->path) {
		pario_run_own_name(run, TREE, w->tree);
		pario_run_own_name(run, TREE "/", named);
		return pario_run_name(run, named, w->path, sizeof(w->path), err);
	}
	snprintf(w->path, sizeof(w->path), "%s", p->path);
	return 0;
}

static int make_directory(int above, const char *name, struct pario_err *err)
{
	if (mkdirat(above, name, 0700) == 0)
		return 0;
	return pario_run_file_error(above, name, "making the directory", err);
}

static void name_file(char name[64], uint64_t client, uint64_t i)
{
	snprintf(name, 64, "file.%llu.%llu", (unsigned long long)client, (unsigned long long)i);
}

static uint64_t size_of(const struct params *p, uint64_t i)
{
	return i % 2 == 0 ? p->file_size : 0;
}

/* The files of one directory of this client's. */
static int make_files(struct pario_run *run, int above, uint64_t number, char *buffer,
		      struct pario_err *err)
{
	const struct params *p = run->params;
	char name[64];
	int fd, status = 0;

	snprintf(name, sizeof(name), "d.%llu", (unsigned long long)number);
	if (make_directory(above, name, err) < 0)
		return -1;
	fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return pario_run_file_error(above, name, "opening the directory", err);
	for (uint64_t i = number; i < p->files && status == 0; i += p->directories) {
		struct pario_object object = { .dirfd = fd,
					       .name = name,
					       .number = i,
					       .client = run->client,
					       .bytes = size_of(p, i),
					       .buffer = buffer };

		name_file(name, run->client, i);
		if (object.bytes)
			pario_object_fill(run, &object);
		status = pario_object_make(&object, false, err);
	}
	close(fd);
	return status;
}

static int make_tree(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;
	char *buffer = malloc(p->file_size + 1), name[64];
	int fd = -1, status;

	if (!buffer)
		return pario_err_memory(err, "the files");
	snprintf(name, sizeof(name), "client.%llu", (unsigned long long)run->client);
	status = make_directory(w->root, name, err);
	if (status == 0)
		fd = openat(w->root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (status == 0 && fd < 0)
		status = pario_run_file_error(w->root, name, "opening the directory", err);
	for (uint64_t i = 0; i < p->directories && status == 0; i++)
		status = make_files(run, fd, i, buffer, err);
	if (fd >= 0)
		close(fd);
	free(buffer);
	return status;
}

static int before(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;

	if (!*p->path)
		return pario_run_directory(run, w->tree, &w->root, err) < 0 ? -1
									    : make_tree(run, err);
	w->root = openat(AT_FDCWD, p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return w->root < 0 ? pario_run_file_error(AT_FDCWD, p->path, "opening the directory", err)
			   : 0;
}

static int body(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;

	return pario_find_walk(run, w->root, &w->rule, &w->counts, err);
}

/* What must be found of this client's part of the tree that the test made. */
static void expect(const struct pario_run *run, const struct work *w, struct pario_find_counts *e)
{
	const struct params *p = run->params;
	char name[64];

	*e = (struct pario_find_counts){ .entries = 1 + p->directories + p->files,
					 .directories = 1 + p->directories };
	for (uint64_t i = 0; i < p->files; i++) {
		name_file(name, run->client, i);
		e->found += pario_find_name(&w->rule, name) &&
			    (!w->rule.sized || size_of(p, i) == w->rule.size);
	}
}

static void add_up(const struct pario_run *run, struct pario_find_counts *counts)
{
	MPI_Allreduce(MPI_IN_PLACE, counts, sizeof(*counts) / sizeof(uint64_t), MPI_UINT64_T,
		      MPI_SUM, run->comm);
}

static int compare(const struct pario_find_counts *seen, const struct pario_find_counts *right,
		   const char *how, struct pario_err *err)
{
	if (seen->entries == right->entries && seen->found == right->found)
		return 0;
	return pario_err_set(
		err, PARIO_VERIFY,
		"the clients saw %llu entries and found %llu files, and %s gives %llu and %llu: the "
		"tree has changed meanwhile, or the file system hides or repeats entries.",
		(unsigned long long)seen->entries, (unsigned long long)seen->found, how,
		(unsigned long long)right->entries, (unsigned long long)right->found);
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;
	struct pario_find_counts all = w->counts, made, right;

	expect(run, w, &made);
	add_up(run, &all);
	add_up(run, &made);
	pario_run_metric(run, "found", "files", (double)all.found);
	pario_run_metric(run, "entries", "entries", (double)all.entries);
	pario_run_metric(run, "directories", "directories", (double)all.directories);
	if (run->client != 0)
		return 0;
	if (pario_find_alone(w->path, &w->rule, &right, err) < 0 ||
	    compare(&all, &right, "a count by one client", err) < 0)
		return -1;
	if (*p->path || w->rule.dated)
		return 0;
	return compare(&all, &made, "what was made", err);
}

static void teardown(struct pario_run *run)
{
	struct work *w = run->scratch;

	if (w && w->root >= 0)
		close(w->root);
	free(w);
	run->scratch = NULL;
}

const struct pario_test pario_test_find = {
	.name = "find",
	.summary = "searching a tree of files with all clients",
	.question = "How many entries of a tree are searched per second?",
	.misleads =
		"where one directory holds most of the tree, as one client reads it, and on one node, whose kernel has the names cached",
	.options = options,
	.params_size = sizeof(struct params),
	.metrics = metrics,
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
