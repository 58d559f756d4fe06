/*
 * test: how long does a person wait for an ordinary command?
 *
 * The real programs, found on PATH and started with an argument vector, on a tree of small files that every client
 * has for itself (docs/tests.md, region 1). Each command runs in turn cold, after what it reads was
 * evicted from the page cache, and warm, directly afterwards; an operation is one command from start to exit.
 * Names and inodes are evicted only with --drop_caches (root); otherwise cold_metadata is 0, and listings are as warm
 * as they were. Copies and extracted files are compared with what was generated.
 * Misleads when the programs themselves are not cached: they lie on another file system than the one measured.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/test.h"
#include "tests/common/command.h"
#include "tests/common/small_file.h"
#include "tests/interactive/sample.h"

enum kind { CP, LS_L, LS_LR, FIND, TAR_CREATE, TAR_EXTRACT, DU, COMPILE, RM, KINDS };

struct params {
	uint64_t files, directories, file_size, rounds;
	uint32_t phases;
};

static const char *const kinds[] = { "cp",	    "ls_l", "ls_lR",   "find", "tar_create",
				     "tar_extract", "du",   "compile", "rm",   NULL };

static const struct pario_option options[] = {
	PARIO_OPTION(struct params, phases,
		     .def = "cp,ls_l,ls_lR,find,tar_create,tar_extract,du,compile,rm",
		     .choices = kinds, .help = "commands that are run"),
	PARIO_OPTION(struct params, files, .def = "1000", .min = "1", .max = "1g", .unit = "files",
		     .letter = 'n', .help = "files in the tree of each client"),
	PARIO_OPTION(struct params, directories, .def = "20", .min = "1", .max = "1m",
		     .unit = "directories", .help = "directories that the files are spread over"),
	PARIO_OPTION(struct params, file_size, .def = "4k", .max = "1g", .unit = "bytes",
		     .help = "size of each file"),
	PARIO_OPTION(struct params, rounds, .def = "3", .min = "1", .max = "1000000",
		     .unit = "rounds", .help = "how often each command is run cold and warm"),
	{ 0 },
};

static const struct pario_metric_info metrics[] = {
	{ "cold_median_s", "s", "median time with nothing of its input in the page cache", -1 },
	{ "cold_worst_s", "s", "longest of these", -1 },
	{ "warm_median_s", "s", "median time directly afterwards", -1 },
	{ "warm_worst_s", "s", "longest of these", -1 },
	{ "cold_metadata", "", "1 when names and inodes were dropped too (--drop_caches)", 0 },
	{ NULL, NULL, NULL, 0 },
};

/* Input is what a command reads; output what it makes, removed before and afterwards; copy a copy of the tree in it. */
static const struct command {
	const char *words[8], *package, *input, *output, *copy;
} commands[] = {
	[CP] = { { "cp", "-r", "@tree", "@copy" }, "coreutils", "tree", "copy", "copy" },
	[LS_L] = { { "ls", "-l", "@tree/d0" }, "coreutils", "tree", NULL, NULL },
	[LS_LR] = { { "ls", "-lR", "@tree" }, "coreutils", "tree", NULL, NULL },
	[FIND] = { { "find", "@tree", "-type", "f" }, "findutils", "tree", NULL, NULL },
	[TAR_CREATE] = { { "tar", "-cf", "@a", "-C", "@", "tree" }, "tar", "tree", "a", NULL },
	[TAR_EXTRACT] = { { "tar", "-xf", "@b.tar", "-C", "@x" }, "tar", "b.tar", "x", "x/tree" },
	[DU] = { { "du", "-s", "@tree" }, "coreutils", "tree", NULL, NULL },
	[COMPILE] = { { "cc|gcc|clang", "-o", "@program", "@p.c" }, "gcc", "p.c", "program", NULL },
	[RM] = { { "rm", "-r", "@victim" }, "coreutils", "victim", "victim", NULL },
};

struct work {
	struct pario_sample sample;
	bool dropped;
	struct pario_histogram times[2]; /* cold, warm */
};

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;
	uint64_t blocks = pario_plus(pario_blocks(p->file_size, 4096), 4096);
	uint64_t objects = pario_plus(p->files, p->directories);

	(void)client;
	if (!p->phases)
		return pario_err_set(err, PARIO_USAGE,
				     "--phases is empty. Name at least one command.");
	/* The tree, a copy or two of it, and its archive. */
	layout->extra_files = pario_times(pario_times(3, pario_plus(objects, 4)), point->clients);
	layout->extra_bytes = pario_times(layout->extra_files, blocks);
	/* Every command looks at every file, cold and warm; most of them read it too. */
	layout->operations =
		pario_times(pario_times(2 * (uint64_t)__builtin_popcount(p->phases), p->rounds),
			    pario_times(objects, point->clients));
	layout->moved_bytes = pario_times(layout->operations, p->file_size);
	layout->memory_bytes = p->file_size;
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	const struct params *p = point->params;
	unsigned n = 0;

	for (int k = CP; k < KINDS; k++) {
		if (p->phases & 1u << k)
			list[n++] = (struct pario_phase){ .name = kinds[k] };
	}
	return n;
}

static enum kind kind_of(const struct pario_run *run)
{
	int k = 0;

	while (strcmp(kinds[k], run->phase->name) != 0)
		k++;
	return (enum kind)k;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = calloc(1, sizeof(*w));

	run->scratch = w;
	if (!w)
		return pario_err_memory(err, "the test");
	return pario_sample_init(&w->sample, run, "interactive", p->files, p->directories,
				 p->file_size, err);
}

static void teardown(struct pario_run *run)
{
	struct work *w = run->scratch;

	if (w)
		pario_sample_release(&w->sample);
	free(w);
	run->scratch = NULL;
}

/* Once: the tree, the program's source, and an archive to extract. */
static int make_inputs(struct pario_run *run, struct pario_sample *s, struct pario_err *err)
{
	char text[] =
		"#include <stdio.h>\n\nint main(void)\n{\n\treturn puts(\"hello, world\") < 0;\n}\n",
	     name[64];
	struct pario_object source = { .name = "p.c", .bytes = sizeof(text) - 1, .buffer = text };
	static const char *const archive[] = { "tar", "-cf", "@b.tar", "-C", "@", "tree", NULL };

	if (pario_sample_enter(s, run, err) < 0 || pario_sample_make(s, run, "tree", err) < 0)
		return -1;
	source.dirfd = s->base;
	if (pario_object_make(&source, false, err) < 0)
		return -1;
	return pario_command_choose("tar", name) ? pario_command_in(s->base, archive, err) : 0;
}

static int before(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;

	memset(w->times, 0, sizeof(w->times));
	return w->sample.base < 0 ? make_inputs(run, &w->sample, err) : 0;
}

/* What must be there, what must not, and what must not be cached. */
static int prepare(struct pario_run *run, enum kind kind, bool cold, struct pario_err *err)
{
	const struct command *c = &commands[kind];
	struct work *w = run->scratch;
	int dropped;

	if ((c->output && pario_run_wipe(w->sample.base, c->output, err) < 0) ||
	    (kind == TAR_EXTRACT && pario_sample_directory(&w->sample, c->output, err) < 0) ||
	    (kind == RM && pario_sample_make(&w->sample, run, c->input, err) < 0))
		return -1;
	if (!cold)
		return 0;
	dropped = pario_run_drop_caches(run, err);
	if (dropped < 0)
		return -1;
	w->dropped = dropped;
	if (strchr(c->input, '.'))
		return pario_run_evict(run, w->sample.base, c->input, err);
	return pario_sample_evict(&w->sample, run, c->input, err);
}

static int body(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;
	enum kind kind = kind_of(run);
	const struct command *c = &commands[kind];
	char name[64];

	if (!pario_command_choose(c->words[0], name)) {
		pario_run_skip(run, "the command %s is not installed (package %s)", c->words[0],
			       c->package);
		return 0;
	}
	for (uint64_t i = 0; pario_run_more(run, i, 2 * p->rounds); i++) {
		if (prepare(run, kind, i % 2 == 0, err) < 0)
			return -1;
		pario_run_pause(run);
		if (pario_command_in(w->sample.base, c->words, err) < 0)
			pario_run_failed(run, err);
		else
			pario_histogram_add(&w->times[i % 2], pario_run_count(run, 0));
	}
	return 0;
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	enum kind kind = kind_of(run);
	const struct command *c = &commands[kind];

	for (int i = 0; i < 4; i++) {
		if (i % 2 == 0)
			pario_run_merge(run, &w->times[i / 2]);
		pario_run_metric(run, metrics[i].name, "s",
				 pario_histogram_quantile(&w->times[i / 2], i % 2 ? 1 : 0.5) *
					 1e-9);
	}
	pario_run_metric(run, "cold_metadata", "", w->dropped);
	if (c->copy && pario_sample_verify(&w->sample, run, c->copy, err) < 0)
		return -1;
	if (c->output &&
	    (faccessat(w->sample.base, c->output, F_OK, AT_SYMLINK_NOFOLLOW) == 0) == (kind == RM))
		return pario_err_set(
			err, PARIO_VERIFY, "%s ended without an error, but %s/%s is %s there.",
			c->words[0], w->sample.path, c->output, kind == RM ? "still" : "not");
	return c->output ? pario_run_wipe(w->sample.base, c->output, err) : 0;
}

const struct pario_test pario_test_interactive = {
	.name = "interactive",
	.summary = "the commands a person types: cp, ls, find, tar, du, cc, rm",
	.question = "How long does a person wait for an ordinary command?",
	.misleads = "when the programs themselves are loaded first, from another file system",
	.options = options,
	.params_size = sizeof(struct params),
	.metrics = metrics,
	.headline = "cold_median_s",
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
