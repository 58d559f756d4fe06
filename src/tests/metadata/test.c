/*
 * test: how many files and directories can be created, looked up and removed per second?
 *
 * mdtest's phases on a tree of directories that all clients share or that each has for itself:
 * directories and files as items, equally many in each directory. Items are reached by name relative to
 * directories that are kept open, so that an operation is one look-up, unless the tree has more than 256
 * directories. Clients look at and remove the items of another client, so that nothing is answered by what a
 * client knows from its own writing. An operation that fails is not counted and makes the phase fail.
 *
 * With `steady`, the data sets stay as large as they are while objects come and go: tests/metadata/steady.h.
 *
 * Misleads on one node: its kernel knows every name already, whoever made it, and answers without asking storage.
 */
#include "engine/test.h"
#include "tests/metadata/items.h"
#include "tests/metadata/steady.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096 }; /* of a file system, for the space that a small file takes */

struct params {
	uint64_t items, items_per_directory, depth, branch, write_bytes, read_bytes, data_sets,
		steps, looks;
	uint32_t phases;
	int order, syncfs;
	bool unique, leaf_only, fsync, verify, steady;
	char shift[24];
};

static const char *const orders[] = { "sequential", "random", NULL };

#define FILES "file_create,file_stat,file_read,file_remove"
#define ALL   "tree_create,dir_create,dir_stat,dir_rename,dir_remove," FILES ",tree_remove"

static const struct pario_option options[] = {
	PARIO_OPTION(
		struct params, phases, .def = ALL, .choices = pario_items_kinds, .letter = 'F',
		.letter_value = FILES,
		.help = "what is timed; what a phase needs and no phase makes is made untimed; only when named: dir_fsync, "
			"fsync of each directory after one file was made in it, file_absent, stat of names that are not there, file_open, file_content and file_close, which are the parts of file_read, file_lock, a lock of each file, file_link, a second name for it, and file_rename"),
	PARIO_OPTION(
		struct params, items, .def = "1000", .min = "1", .max = "1t", .unit = "items",
		.letter = 'n',
		.help = "items of each client, spread evenly over the directories and rounded down to that"),
	PARIO_OPTION(
		struct params, items_per_directory, .def = "0", .max = "1t", .unit = "items",
		.letter = 'I',
		.help = "items of each client in each directory, instead of items; 0 = as many as items says"),
	PARIO_OPTION(struct params, depth, .def = "0", .max = "64", .unit = "levels", .letter = 'z',
		     .help = "levels of directories below the root of the tree"),
	PARIO_OPTION(struct params, branch, .def = "1", .min = "1", .max = "1m",
		     .unit = "directories", .letter = 'b',
		     .help = "directories in each directory of the tree"),
	PARIO_OPTION(struct params, unique, .def = "0", .letter = 'u', .letter_value = "1",
		     .help = "a tree for each client instead of one for all"),
	PARIO_OPTION(struct params, leaf_only, .def = "0", .letter = 'L', .letter_value = "1",
		     .help = "items only in the directories of the last level"),
	PARIO_OPTION(struct params, write_bytes, .def = "0", .max = "1g", .unit = "bytes",
		     .letter = 'w', .help = "written into each file when it is created"),
	PARIO_OPTION(
		struct params, read_bytes, .def = "0", .max = "1g", .unit = "bytes", .letter = 'e',
		.help = "read from each file in file_read, file_content and before file_close; at most write_bytes"),
	PARIO_OPTION(struct params, fsync, .def = "0", .letter = 'y', .letter_value = "1",
		     .help = "make each file durable before it is closed, also that of dir_fsync"),
	PARIO_OPTION(
		struct params, syncfs, .def = "never", .choices = pario_items_syncs, .letter = 'Y',
		.letter_value = "change",
		.help = "end phases that create, or all that change something, with syncfs on every client, within their time"),
	PARIO_OPTION(
		struct params, verify, .def = "1",
		.help = "compare all files after they were created, which leaves them cached; 0 = only count them; what is read is compared in any case"),
	PARIO_OPTION(
		struct params, order, .def = "sequential", .choices = orders, .letter = 'R',
		.letter_value = "random",
		.help = "order in which items are looked up and removed; they are created in sequence"),
	PARIO_OPTION(
		struct params, shift, .def = "auto", .letter = 'N',
		.help = "look at and remove the items of the client this many numbers on; auto = a client of another node, where there is one, else the next"),
	PARIO_OPTION(
		struct params, looks, .def = "1", .min = "1", .max = "1m", .unit = "rounds",
		.help = "how often file_stat goes through all items: a few that are known take no time that could be measured"),
	PARIO_OPTION(
		struct params, steady, .def = "0",
		.help = "phases precreate, benchmark, cleanup: each step stats, reads and deletes another client's object and creates one"),
	PARIO_OPTION(struct params, data_sets, .def = "10", .min = "1", .max = "256",
		     .unit = "sets",
		     .help = "steady: directories of items objects that each client has"),
	PARIO_OPTION(struct params, steps, .def = "0", .max = "1t", .unit = "steps",
		     .help = "steady: steps on each data set, at most items; 0 = items"),
	{ 0 },
};

struct work {
	struct pario_steady *steady; /* one of the two */
	struct pario_items *items;
};

static int shape(const struct params *p, struct pario_items_shape *s, struct pario_err *err)
{
	uint64_t given = p->items_per_directory ? p->items_per_directory : p->items;

	*s = (struct pario_items_shape){ .write_bytes = p->write_bytes,
					 .read_bytes = p->read_bytes,
					 .looks = p->looks,
					 .unique = p->unique,
					 .fsync = p->fsync,
					 .syncfs = (enum pario_items_sync)p->syncfs,
					 .verify = p->verify,
					 .random = p->order == 1 };
	if (pario_tree_shape(&s->tree, p->branch, p->depth, p->leaf_only, err) < 0)
		return -1;
	s->tree.per_holder = p->items_per_directory ? given : given / s->tree.holders;
	if (s->tree.per_holder && pario_mul(s->tree.per_holder, s->tree.holders, &s->items))
		return 0;
	return pario_err_set(
		err, PARIO_USAGE,
		"%llu items in %llu directories are fewer than one in each or more "
		"than 2^64. Use another --items, --items_per_directory, --branch or --depth.",
		(unsigned long long)given, (unsigned long long)s->tree.holders);
}

static struct pario_steady_shape steady_shape(const struct params *p)
{
	return (struct pario_steady_shape){ .items = p->items,
					    .sets = p->data_sets,
					    .steps = p->steps ? p->steps : p->items,
					    .bytes = p->write_bytes,
					    .fsync = p->fsync };
}

static int check(const struct params *p, struct pario_err *err)
{
	uint64_t shift;

	if (!p->phases && !p->steady)
		return pario_err_set(err, PARIO_USAGE,
				     "--phases is empty. Name at least one phase.");
	if (p->read_bytes > p->write_bytes)
		return pario_err_set(
			err, PARIO_USAGE,
			"--read_bytes %llu is more than --write_bytes %llu puts there.",
			(unsigned long long)p->read_bytes, (unsigned long long)p->write_bytes);
	if (p->steady && p->steps > p->items)
		return pario_err_set(
			err, PARIO_USAGE,
			"--steps %llu needs objects that other clients may not have made "
			"yet. Use at most --items.",
			(unsigned long long)p->steps);
	return strcmp(p->shift, "auto") == 0
		       ? 0
		       : pario_units_parse_size("--shift", p->shift, &shift, err);
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;
	uint64_t trees, items, phases;
	struct pario_items_shape s;

	(void)client;
	if (check(p, err) < 0 || shape(p, &s, err) < 0)
		return -1;
	trees = p->unique || p->steady ? point->clients : 1;
	if (p->steady) { /* deleted and new objects may be there at the same time */
		s.tree.directories = p->data_sets;
		s.items = pario_times(pario_times(p->items, 2), p->data_sets);
	}
	layout->memory_bytes = p->write_bytes;
	phases = (uint64_t)__builtin_popcount(p->phases);
	if (p->phases & 1u << PARIO_FILE_STAT)
		phases += p->looks - 1;
	items = pario_times(s.items, point->clients);
	layout->operations = pario_times(items, p->steady ? 3 : phases);
	layout->moved_bytes = pario_times(items, pario_plus(p->write_bytes, p->read_bytes));
	layout->extra_files =
		pario_plus(items, pario_plus(pario_times(s.tree.directories, trees), 1));
	layout->extra_bytes = pario_times(items, pario_blocks(p->write_bytes, BLOCK));
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	const struct params *p = point->params;

	return p->steady ? pario_steady_phases(list) : pario_items_phases(p->phases, list);
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct pario_steady_shape steady = steady_shape(p);
	struct work *w = calloc(1, sizeof(*w));
	struct pario_items_shape items;

	run->scratch = w;
	if (!w)
		return pario_err_memory(err, "the test");
	if (p->steady) {
		w->steady = pario_steady_new(run, &steady, err);
		return w->steady ? 0 : -1;
	}
	if (shape(p, &items, err) < 0)
		return -1;
	items.target = pario_run_partner(run);
	if (strcmp(p->shift, "auto") != 0)
		items.target =
			(run->client + strtoull(p->shift, NULL, 10) % run->clients) % run->clients;
	w->items = pario_items_new(run, &items, err);
	return w->items ? 0 : -1;
}

static int before(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;

	return w->steady ? pario_steady_before(run, w->steady, err)
			 : pario_items_before(run, w->items, err);
}

static int body(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;

	return w->steady ? pario_steady_body(run, w->steady, err)
			 : pario_items_body(run, w->items, err);
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;

	return w->steady ? pario_steady_verify(run, w->steady, err)
			 : pario_items_verify(run, w->items, err);
}

static void teardown(struct pario_run *run)
{
	struct work *w = run->scratch;

	if (w && w->steady)
		pario_steady_free(w->steady);
	if (w && w->items)
		pario_items_free(w->items);
	free(w);
	run->scratch = NULL;
}

const struct pario_test pario_test_metadata = {
	.name = "metadata",
	.summary = "creating, looking at and removing directories and files",
	.question =
		"How many files and directories can be created, looked up and removed per second?",
	.misleads =
		"on one node, whose kernel answers from memory for whatever any client there has made",
	.needs = PARIO_NEED_GAP,
	.options = options,
	.params_size = sizeof(struct params),
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
