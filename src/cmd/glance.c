/*
 * glance: how does this storage behave? A fixed set of measurements, one page of answers.
 *
 * The set is data. Every measurement is a plan of some test, run in the same launch; its phases become lines of the
 * table. Sizes follow from the space that may be used, the time limit of a phase from --minutes, which the whole
 * run keeps to (session/budget.h).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/glance_conclusion.h"
#include "comm/launch.h"
#include "engine/cache.h"
#include "engine/watch.h"
#include "machine/machine.h"
#include "report/text/limit.h"
#include "session/part.h"
#include "session/resume.h"
#include "session/session.h"
#include "session/sink.h"
#include "tests/tests.h"
#include "version.h"

#define DEFAULT_DIR "pario-scratch"

#define BLOCK_MAX ((uint64_t)1 << 30)
#define BLOCK_MIN ((uint64_t)16 << 20)

#define REPETITIONS "repetitions="

enum { LINES = 4, REGIONS_MAX = 64 };

struct line {
	const char *id, *region, *what, *phase;
	enum pario_region_value value;
	const char *metric, *unit; /* NULL = as PARIO_REGION_VALUE has it */
};

struct measurement {
	const char *test, *settings; /* "name=value name=value"; @...@ stand for sizes */
	double seconds;		     /* of a repetition that no time limit bounds, else 0 */
	bool sweep;		     /* at 1, 2, 4 ... clients, else at all */
	struct line lines[LINES];
	const char *part; /* how its points are called in the journal */
};

#define LINE(id_, region_, what_, phase_, value_, metric_)                                     \
	{                                                                                      \
		.id = id_, .region = region_, .what = what_, .phase = phase_, .value = value_, \
		.metric = metric_                                                              \
	}
#define RATE(id, region, what, phase) LINE(id, region, what, phase, PARIO_REGION_RATE, NULL)
#define OPS(id, region, what, phase)  LINE(id, region, what, phase, PARIO_REGION_OPS, NULL)
#define VALUE(id, region, what, phase, metric) \
	LINE(id, region, what, phase, PARIO_REGION_VALUE, metric)
#define TIME(id, region, what, phase, metric) \
	LINE(id, region, what, phase, PARIO_REGION_TIME, metric)
/* Takes its time, and its number stands in the line of another phase. */
/* A metric with a unit of its own, of which more is better. */
#define METRIC(id_, region_, what_, phase_, metric_, unit_)                                      \
	{                                                                                        \
		.id = id_, .region = region_, .what = what_, .phase = phase_, .metric = metric_, \
		.value = PARIO_REGION_VALUE, .unit = unit_                                       \
	}
#define UNSHOWN(phase) LINE(NULL, NULL, NULL, phase, PARIO_REGION_VALUE, NULL)

/*
 * M(part, test, settings, seconds, sweep, lines...): the part is how its points are called in the journal and by
 * --parts. These names stand nowhere else.
 */
/* clang-format off */
#define SET(M) \
	M(memory, "memory_copy", "transfer_size=1m buffer_size=32m rounds=20", 0, false, \
	  RATE("memory", "this machine", "copy of memory", "copy")) \
	M(direct, "transfer", "layout=per_client transfer_size=1m block_size=@BLOCK@ operations=write,read direct=1 api=@RAW@ queue_depth=@DEPTH@", 0, false, \
	  RATE("direct_write", "this machine", "direct write, to disk", "write"), \
	  RATE("direct_read", "this machine", "direct read from disk", "read")) \
	M(large, "transfer", "layout=per_client transfer_size=1m block_size=@BLOCK@ operations=write,read", 0, true, \
	  RATE("write", "contiguous", "write, to disk", "write"), \
	  RATE("read", "contiguous", "read, from disk", "read")) \
	M(large_cached, "transfer", "layout=per_client transfer_size=1m block_size=@BLOCK@ operations=write durability=cached", 0, false, \
	  RATE("cached_write", "contiguous", "write, cached", "write")) \
	M(shared_mpiio, "transfer", "api=mpiio transfer_size=1m block_size=@BLOCK@ operations=write,read", 0, false, \
	  RATE("mpiio_write", "shared file", "MPI-IO write", "write"), \
	  RATE("mpiio_read", "shared file", "MPI-IO read from disk", "read")) \
	M(shared_strided, "transfer", "pattern=strided transfer_size=64k block_size=64k segment_count=@SMALL@ operations=write", 0, true, \
	  RATE("strided_write", "shared file", "write, strided 64 KiB", "write")) \
	M(small_random, "transfer", "layout=per_client order=random transfer_size=4k block_size=@RANDOM@ operations=write,read", 0, false, \
	  OPS("random_write", "small random", "4 KiB write, to disk", "write"), \
	  OPS("random_read", "small random", "4 KiB read, from disk", "read")) \
	M(collective, "noncontig", "memory=contiguous element_size=4k fsize=@PIECES@ operations=write collective=1", 0, false, \
	  RATE("collective_write", "noncontiguous", "write, collective", "write")) \
	M(independent, "noncontig", "memory=contiguous element_size=4k fsize=@PIECES@ operations=write collective=0", 0, false, \
	  RATE("independent_write", "noncontiguous", "write, independent", "write")) \
	M(metadata, "metadata", "items=5000 looks=20 phases=file_create,file_stat,file_remove", 0, true, \
	  OPS("file_create", "metadata", "create files", "file_create"), \
	  OPS("file_stat", "metadata", "stat files", "file_stat"), \
	  OPS("file_remove", "metadata", "remove files", "file_remove")) \
	M(small_files, "smallfiles", "files=200 phases=create,read,destroy", 0, false, \
	  OPS("small_create", "small files", "create 64 KiB, to disk", "create"), \
	  OPS("small_read", "small files", "4 KiB read, from disk", "read"), \
	  OPS("small_destroy", "small files", "remove", "destroy")) \
	M(interactive, "interactive", "files=1000 rounds=1 phases=cp,ls_lR,tar_create time_limit=0 repetitions=3", 1, false, \
	  TIME("cp", "interactive", "cp -r, 1 000 files, cold", "cp", "cold_median_s"), \
	  TIME("ls_lR", "interactive", "ls -lR of them", "ls_lR", "cold_median_s"), \
	  TIME("tar", "interactive", "tar of them", "tar_create", "cold_median_s")) \
	M(beff, "beff", "short=1 budget=8 memory_per_process=64m time_limit=0", 8.5, false, \
	  VALUE("beff", "one number", "b_eff, short", "exchange", "b_eff")) \
	M(beff_io, "beff_io", "short=1 time_limit=0", 7.5, false, \
	  UNSHOWN("write"), \
	  UNSHOWN("rewrite"), \
	  VALUE("beff_io", "one number", "b_eff_io, short", "read", "b_eff_io"))

/* Measured only where --parts names them. */
#define MORE(M) \
	M(training, "training", "data_size=256m epochs=2 time_limit=0 repetitions=3", 5, false, \
	  METRIC("training_samples", "training", "samples, ResNet-50", "train", "samples_s", "1/s"), \
	  METRIC("training_au", "training", "AU of its H100s", "train", "au_percent", "%")) \
	M(checkpoint, "checkpoint", "scale=0.002 time_limit=0 repetitions=3", 5, false, \
	  RATE("checkpoint_write", "checkpoint", "write, to disk", "write"), \
	  RATE("checkpoint_read", "checkpoint", "read, from disk", "read"))
/* clang-format on */

#define MEASUREMENT(part, test, settings, seconds, sweep, ...) \
	{ test, settings, seconds, sweep, { __VA_ARGS__ }, #part },
#define NAME(part, ...)	  #part,
#define LISTED(part, ...) "," #part

static const struct measurement set[] = { SET(MEASUREMENT) MORE(MEASUREMENT) };
static const char *const part_names[] = { SET(NAME) MORE(NAME) NULL };
static const char all_parts[] = SET(LISTED); /* behind a comma */

/* Raised whenever a measurement of the set changes: numbers of different sets do not compare. */
#define SET_VERSION "3"

enum { MEASUREMENTS = sizeof(set) / sizeof(set[0]) };

struct params {
	double minutes;
	uint64_t space;
	uint32_t parts;
};

const struct pario_option pario_glance_options[] = {
	PARIO_OPTION(struct params, minutes, .def = "3", .min = "0.05", .max = "1000",
		     .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_SAMPLE | PARIO_OPTION_GOES_ON,
		     .help = "roughly how long the whole run may take"),
	PARIO_OPTION(
		struct params, space, .def = "4g", .min = "16m", .unit = "bytes",
		.flags = PARIO_OPTION_NO_SWEEP,
		.help = "most that is used of the disk, and never more than half of what is free"),
	PARIO_OPTION(
		struct params, parts, .def = all_parts + 1, .choices = part_names,
		.help = "what of the set is measured; training and checkpoint only where they are named"),
	{ 0 },
};

/* Not a test of the registry: it lends glance its options. */
static const struct pario_test frame = {
	.name = "glance",
	.summary = "the concise set",
	.needs = PARIO_NEED_POINTERS, /* b_eff_io is among it */
	.options = pario_glance_options,
	.params_size = sizeof(struct params),
};

struct glance {
	struct pario_plan frame; /* the command's own options */
	struct pario_resume resume;
	bool lacks_direct; /* I/O past the page cache */
	const char *place; /* as it is called, also where it is not made yet */
	uint64_t clients, space;
	double minutes, limit;
	struct pario_budget budget;
};

/* How long, and how much of the disk. */
static int read_bounds(struct glance *g, struct pario_err *err)
{
	const struct pario_config *c = &g->frame.config;

	if (pario_units_parse_real("--minutes", pario_config_find(c, "minutes")->text, &g->minutes,
				   err) < 0)
		return -1;
	return pario_units_parse_size("--space", pario_config_find(c, "space")->text, &g->space,
				      err);
}

static uint64_t steps(uint64_t clients)
{
	uint64_t n = 1;

	for (uint64_t c = 1; c < clients; c *= 2)
		n++;
	return n;
}

static bool asked_for(const struct glance *g, const struct measurement *m)
{
	const char *at = pario_config_find(&g->frame.config, "parts")->text;
	size_t length = strlen(m->part);

	if (g->lacks_direct && strstr(m->settings, "direct=1"))
		return false;
	for (; *at; at += strcspn(at, ","), at += *at == ',') {
		if (strcspn(at, ",") == length && memcmp(at, m->part, length) == 0)
			return true;
	}
	return false;
}

/* Phases of one repetition of a measurement, at all its client counts. */
static uint64_t phase_count(const struct glance *g, const struct measurement *m)
{
	uint64_t count = 0;

	for (size_t k = 0; k < LINES && m->lines[k].phase && asked_for(g, m); k++)
		count += m->sweep ? steps(g->clients) : 1;
	return count;
}

/* Some tests repeat by themselves. What no time limit bounds is repeated less often, unless the user says how often. */
static uint64_t repetitions_of(const struct glance *g, const struct measurement *m)
{
	bool asked =
		pario_config_find(&g->frame.config, "repetitions")->origin != PARIO_ORIGIN_DEFAULT;
	const char *own = strstr(m->settings, REPETITIONS);

	if (pario_test_by_name(m->test)->repetitions)
		return 1;
	return own && !asked ? strtoull(own + strlen(REPETITIONS), NULL, 10)
			     : g->frame.settings.repetitions;
}

static uint64_t planned(const struct glance *g)
{
	uint64_t count = 0;

	for (size_t i = 0; i < MEASUREMENTS; i++)
		count += phase_count(g, &set[i]) * repetitions_of(g, &set[i]);
	return count;
}

/* What no time limit bounds takes its time; the phases of the others share the rest, and at least half of all. */
static double limit_of(const struct glance *g)
{
	double whole = g->minutes * 60, fixed = 0;
	uint64_t count = 0;

	for (size_t i = 0; i < MEASUREMENTS; i++) {
		uint64_t repetitions = repetitions_of(g, &set[i]);

		if (set[i].seconds > 0 && asked_for(g, &set[i]))
			fixed += set[i].seconds * (double)repetitions;
		else
			count += phase_count(g, &set[i]) * repetitions;
	}
	return fmax(whole - fixed, whole / 2) * PARIO_BUDGET_TIMED / (double)(count ? count : 1);
}

/* What all visits take where nobody disturbs. */
static double usual_of(const struct glance *g)
{
	double sum = 0;

	for (size_t i = 0; i < MEASUREMENTS; i++) {
		double repetitions = (double)repetitions_of(g, &set[i]);

		if (set[i].seconds > 0 && asked_for(g, &set[i]))
			sum += set[i].seconds * repetitions;
		else
			sum += g->limit * (double)phase_count(g, &set[i]) * repetitions /
			       PARIO_BUDGET_TIMED;
	}
	return sum;
}

static uint64_t block_of(const struct glance *g)
{
	uint64_t block = g->space / g->clients / BLOCK_MIN * BLOCK_MIN;

	if (block > BLOCK_MAX)
		block = BLOCK_MAX;
	return block < BLOCK_MIN ? BLOCK_MIN : block;
}

/* Requests in flight of direct I/O: what keeps devices busy, where io_uring is there to have more than one. */
static uint64_t depth(void)
{
	const struct pario_backend *uring = pario_backend_find("uring");

	return uring && !uring->unavailable() ? 8 : 1;
}

/* What a word in the settings stands for. */
static bool size_of(const void *self, const char *value, char *text, size_t capacity)
{
	const struct glance *g = self;
	const struct {
		const char *word;
		uint64_t bytes;
	} sizes[] = {
		{ "@BLOCK@", block_of(g) },
		{ "@SMALL@", block_of(g) >> 18 },
		{ "@RANDOM@", block_of(g) >> 3 },
		{ "@PIECES@", (block_of(g) >> 3) * (g->clients > 1 ? g->clients : 2) },
		{ "@DEPTH@", depth() },
	};

	if (strcmp(value, "@RAW@") == 0) {
		snprintf(text, capacity, "%s", depth() > 1 ? "uring" : "posix");
		return true;
	}

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (strcmp(value, sizes[i].word) == 0) {
			snprintf(text, capacity, "%llu", (unsigned long long)sizes[i].bytes);
			return true;
		}
	}
	return false;
}

/* A plan for one measurement: its own values, and the command's for the rest. */
static int make_plan(struct pario_plan *plan, const struct glance *g, const struct measurement *m,
		     struct pario_err *err)
{
	char clients[256], limit[40];

	if (pario_plan_init(plan, pario_test_by_name(m->test), err) < 0)
		return -1;
	pario_part_clients(g->clients, m->sweep, clients, sizeof(clients));
	snprintf(limit, sizeof(limit), "%.3f", g->limit);
	if (pario_config_set(&plan->config, "clients", clients, PARIO_ORIGIN_PLAN, err) < 0 ||
	    pario_config_set(&plan->config, "time_limit", limit, PARIO_ORIGIN_PLAN, err) < 0)
		return -1;
	if (pario_part_settings(plan, m->settings, size_of, g, err) < 0 ||
	    pario_part_take_over(plan, &g->frame.config, err) < 0 ||
	    pario_plan_settle(plan, g->clients, err) < 0)
		return -1;
	plan->settings.seed = g->frame.settings.seed;
	return 0;
}

/* The part of a measurement: its plan, and where it is. */
struct part {
	struct pario_plan plan;
	struct pario_sweep *sweep; /* NULL = not asked for */
	bool once, open;
};

static int begin_part(struct pario_session *s, struct glance *g, size_t i, struct part *part,
		      struct pario_err *err)
{
	int status = make_plan(&part->plan, g, &set[i], err);

	part->plan.per_node = s->crew.world.node_clients_max;
	if (status == 0)
		part->sweep = pario_sweep_begin(s, &part->plan, set[i].part, set[i].seconds, err);
	part->open = part->sweep;
	part->once = part->plan.test->repetitions;
	return part->open ? 0 : -1;
}

/* One repetition of everything that is repeated, or of what is measured once. */
static int measure_round(struct part *parts, bool once, uint64_t round, struct pario_err *err)
{
	int status = 0;

	for (size_t i = 0; i < MEASUREMENTS && status == 0; i++) {
		if (parts[i].open && parts[i].once == once)
			status = pario_sweep_round(parts[i].sweep, round, &parts[i].open, err);
	}
	return status;
}

/* As many repetitions of everything as findings rest on, what is measured once, then what there is time for. */
static int measure_all(const struct glance *g, struct part *parts, struct pario_err *err)
{
	uint64_t all = g->frame.settings.repetitions, first = all;
	int status = 0;

	if (first > PARIO_REGION_LEAST)
		first = PARIO_REGION_LEAST;
	for (uint64_t round = 0; round < first && status == 0; round++)
		status = measure_round(parts, false, round, err);
	if (status == 0)
		status = measure_round(parts, true, 0, err);
	for (uint64_t round = first; round < all && status == 0; round++)
		status = measure_round(parts, false, round, err);
	return status;
}

/* The results of a part alone. */
static size_t pick(const struct pario_session *s, const char *part, struct pario_result *own)
{
	size_t length = strlen(part), count = 0;

	for (size_t i = 0; i < s->result_count; i++) {
		const char *name = s->results[i].point + strlen("part=");

		if (strncmp(name, part, length) == 0 && (!name[length] || name[length] == ' '))
			own[count++] = s->results[i];
	}
	return count;
}

/* A part that was left out has no lines; the sentence at the end names it. */
static int take_lines(const struct pario_session *s, struct pario_region *regions, size_t *count,
		      struct pario_err *err)
{
	struct pario_result *own = malloc((s->result_count + 1) * sizeof(*own));

	if (!own)
		return pario_err_memory(err, "the table");
	for (size_t i = 0; i < MEASUREMENTS; i++) {
		size_t n = pick(s, set[i].part, own);

		for (size_t k = 0; n > 0 && k < LINES && set[i].lines[k].phase; k++) {
			const struct line *line = &set[i].lines[k];
			struct pario_region *r = &regions[*count];

			if (!line->id)
				continue;
			*r = (struct pario_region){ .id = line->id,
						    .region = line->region,
						    .what = line->what,
						    .value = line->value,
						    .metric = line->metric,
						    .unit = line->unit };
			pario_region_take(r, own, n, line->phase);
			(*count)++;
		}
	}
	free(own);
	return 0;
}

static int measure(struct pario_session *s, struct glance *g, struct pario_region *regions,
		   size_t *count, struct pario_err *err)
{
	static struct part parts[MEASUREMENTS];
	int status = 0;

	for (size_t i = 0; i < MEASUREMENTS && status == 0; i++) {
		if (asked_for(g, &set[i]))
			status = begin_part(s, g, i, &parts[i], err);
	}
	if (status == 0)
		status = measure_all(g, parts, err);
	for (size_t i = 0; i < MEASUREMENTS; i++) {
		if (parts[i].sweep)
			pario_sweep_end(parts[i].sweep);
		pario_plan_release(&parts[i].plan);
	}
	if (status == 0)
		status = take_lines(s, regions, count, err);
	pario_limits_find(regions, *count);
	return status;
}

static void announce(const struct glance *g)
{
	char space[PARIO_UNITS_CAPACITY], minutes[PARIO_UNITS_CAPACITY];
	struct pario_text clean = { 0 };

	pario_session_machine(&g->frame.settings);
	pario_text_clean(&clean, g->place);
	printf("will use at most %s in %s and about %s; everything is removed afterwards\n\n",
	       pario_units_size(space, block_of(g) * g->clients), pario_text_string(&clean),
	       pario_units_time(minutes, g->minutes * 60));
	fflush(stdout);
	pario_text_release(&clean);
}

static int prepare(struct glance *g, int argc, char **argv, struct pario_err *err)
{
	const char *words[64] = { 0 }, *resume;
	int word_count = 0;

	if (argc > 60)
		return pario_err_set(err, PARIO_USAGE, "too many words; usage: pario glance [DIR]");
	if (pario_plan_init(&g->frame, &frame, err) < 0 ||
	    pario_session_options(&g->frame, argc, argv, words, &word_count, err) < 0)
		return -1;
	if (word_count > 1)
		return pario_err_set(err, PARIO_USAGE, "one directory at a time: got %s and %s.",
				     words[0], words[1]);
	if (word_count == 1 &&
	    pario_config_set(&g->frame.config, "dir", words[0], PARIO_ORIGIN_COMMAND, err) < 0)
		return -1;
	if (*pario_config_find(&g->frame.config, "until")->text)
		return pario_err_set(
			err, PARIO_USAGE,
			"--until goes on as long as it takes, and a glance keeps to --minutes. Use "
			"--repetitions.");
	resume = pario_config_find(&g->frame.config, "resume")->text;
	return resume && *resume
		       ? pario_resume_begin(&g->resume, &g->frame.config, "glance", resume, err)
		       : 0;
}

static int size_up(struct glance *g, uint64_t clients, struct pario_err *err)
{
	bool own = pario_config_find(&g->frame.config, "dir")->origin == PARIO_ORIGIN_DEFAULT;
	struct pario_mount mount;

	if (pario_plan_settle(&g->frame, clients, err) < 0 ||
	    pario_resume_clients(&g->resume, &g->frame, clients, err) < 0 ||
	    pario_session_own_dir(&g->frame, DEFAULT_DIR, err) < 0 ||
	    pario_workspace_check(g->frame.settings.dir, err) < 0)
		return -1;
	if (!g->place)
		g->place = own ? DEFAULT_DIR : g->frame.settings.dir;
	g->clients = clients;
	if (read_bounds(g, err) < 0)
		return -1;
	if (g->space < BLOCK_MIN * clients)
		return pario_err_set(
			err, PARIO_USAGE,
			"--space is too small for a glance with %llu client%s: at least %llu MiB.",
			(unsigned long long)clients, clients == 1 ? "" : "s",
			(unsigned long long)(BLOCK_MIN * clients >> 20));
	if (pario_machine_mount(g->frame.settings.dir, &mount) == 0 &&
	    mount.free_bytes / 2 < g->space)
		g->space = mount.free_bytes / 2;
	if (g->space < BLOCK_MIN * clients)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"%s has too little space for a glance with %llu client%s: at least %llu "
			"MiB must be free. Name another directory.",
			g->frame.settings.dir, (unsigned long long)clients, clients == 1 ? "" : "s",
			(unsigned long long)(2 * BLOCK_MIN * clients >> 20));
	g->limit = limit_of(g);
	return 0;
}

/* Into the journal only. */
static void note_quietly(struct pario_session *s, const char *text, const char *next)
{
	bool quiet = s->quiet;

	s->quiet = true;
	s->sink.note(&s->sink, "info", text, next);
	s->quiet = quiet;
}

static void share_time(struct pario_session *s, struct glance *g)
{
	g->limit = limit_of(g);
	s->planned = planned(g);
	pario_budget_begin(&g->budget, g->minutes * 60, pario_launch_began_ago(), usual_of(g));
	s->budget = &g->budget;
	s->ends_s = s->expected_s = fmax(1, g->minutes * 60 - pario_budget_elapsed(&g->budget));
}

/* Whether I/O goes past the page cache shows when there is a directory to try it in. */
static int begin(struct pario_session *s, struct glance *g, struct pario_err *err)
{
	int direct;

	share_time(s, g);
	if (!g->frame.settings.quiet && !g->frame.settings.json)
		announce(g);
	if (pario_session_begin(s, &g->frame, err) < 0)
		return -1;
	note_quietly(s, "glance set " SET_VERSION, "");
	direct = pario_cache_direct(&s->crew.workspace, err);
	g->lacks_direct = direct == 0;
	if (g->lacks_direct) {
		note_quietly(s,
			     "direct I/O is not measured: this file system has none, or none that "
			     "goes past memory",
			     "");
		share_time(s, g);
	}
	return direct < 0 ? -1 : 0;
}

static void lead(struct pario_session *s, void *self)
{
	static struct pario_region regions[REGIONS_MAX];
	struct glance *g = self;
	struct pario_err err = { 0 };
	size_t count = 0;
	int status = size_up(g, s->crew.world.clients, &err);

	if (status == 0 && g->frame.settings.seed == 0)
		g->frame.settings.seed = g->resume.seed ? g->resume.seed : pario_random_seed() >> 1;
	if (status == 0) {
		s->command = "glance";
		s->resume = *g->frame.settings.resume ? g->frame.settings.resume : NULL;
		s->collects = true;
		status = begin(s, g, &err);
	}
	if (status == 0)
		status = measure(s, g, regions, &count, &err);
	pario_sink_clear_progress(s);
	if (status == 0)
		status = pario_glance_conclude(s, regions, count, &err);
	pario_session_end(s, status < 0 ? &err : NULL);
	pario_budget_release(&g->budget);
}

/* Everything before clients are needed; 1 = done with *code. */
static int before(void *self, int argc, char **argv, int *code, struct pario_err *err)
{
	struct glance *g = self;
	struct pario_need need = { 0 };
	uint64_t clients = pario_launch_promised();

	if (prepare(g, argc, argv, err) < 0)
		return -1;
	if (clients == 0 && pario_session_clients(&g->frame, &clients, err) < 0)
		return -1;
	if (size_up(g, clients, err) < 0)
		return -1;
	if (g->frame.settings.show_config)
		return pario_session_show_config(&g->frame);
	if (g->frame.settings.dry_run) {
		announce(g);
		return 1;
	}
	return pario_session_launch(&g->frame, &need, code, err);
}

int pario_cmd_glance(int argc, char **argv)
{
	static struct glance g;
	const struct pario_measuring_command job = { before, lead, &g };
	int code = pario_session_main(&job, argc, argv);

	pario_plan_release(&g.frame);
	return code;
}
