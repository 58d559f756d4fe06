/*
 * walk: options in, a space out; a cell in, a plan out.
 *
 * The cost of a point is the time of the transfers and the sync, without open and close, which are the same for all
 * sizes and would pass for latency where little is moved.
 */
#include "survey/walk/walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "tests/tests.h"

/* Share of the time that phases may take; the rest is for making, evicting and verifying data. */
#define TIMED_SHARE 0.4
/* Share of the grid that is expected to be measured. */
#define GRID_SHARE  0.5
#define LIMIT_MIN_S 0.1 /* the limit counts from before the open, which must not eat it up */
#define LIMIT_MAX_S 2.0

/* Of a phase's time, at least this share is taken for the storage's. */
#define LEAST_OWN 0.02

#define SMALL_MAX ((uint64_t)64 << 10)
#define LARGE_MIN ((uint64_t)1 << 20)

#define QUEUE_DEPTH "8" /* of uring: with one request at a time it is only another posix */

enum focus {
	WRITE = 1 << 0,
	READ = 1 << 1,
	INDEPENDENT = 1 << 2,
	COLLECTIVE = 1 << 3,
	SEGMENTED = 1 << 4,
	STRIDED = 1 << 5,
	RANDOM = 1 << 6,
	ALIGNED = 1 << 7,
	UNALIGNED = 1 << 8,
	SHARED = 1 << 9,
	PER_CLIENT = 1 << 10,
	SMALL = 1 << 11,
	LARGE = 1 << 12,
};

static const char *const focuses[] = { "write",	    "read",    "independent", "collective",
				       "segmented", "strided", "random",      "aligned",
				       "unaligned", "shared",  "per_client",  "small",
				       "large",	    "all",     NULL };

#define ROW(field, ...) PARIO_OPTION(struct pario_walk_params, field, __VA_ARGS__)

const struct pario_option pario_survey_options[] = {
	ROW(minutes, .def = "30", .min = "0.01", .max = "100000",
	    .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_SAMPLE | PARIO_OPTION_GOES_ON,
	    .help = "roughly how long the whole run may take"),
	ROW(focus, .def = "all", .choices = focuses,
	    .help = "look only there; words about the same thing add up: write,shared,small"),
	ROW(smallest, .def = "4k", .min = "1", .max = "1g", .unit = "bytes",
	    .flags = PARIO_OPTION_NO_SWEEP, .help = "transfer sizes start here and double"),
	ROW(largest, .def = "4m", .min = "1", .max = "1g", .unit = "bytes",
	    .flags = PARIO_OPTION_NO_SWEEP, .help = "and end here"),
	ROW(skew, .def = "7", .min = "1", .max = "1m", .unit = "bytes",
	    .flags = PARIO_OPTION_NO_SWEEP, .help = "how far unaligned transfers are off"),
	ROW(volume, .def = "64m", .min = "1", .max = "1t", .unit = "bytes",
	    .flags = PARIO_OPTION_NO_SWEEP, .help = "moved by one client at a point, at most"),
	ROW(threshold, .def = "1.25", .min = "1.1", .max = "1000", .flags = PARIO_OPTION_NO_SWEEP,
	    .help = "what is slower by less than this factor is not worth a statement"),
	ROW(ask, .def = "", .flags = PARIO_OPTION_NO_SWEEP | PARIO_OPTION_ASIDE,
	    .help = "a point in words, as \"read random 64k shared\": predicts it from the results of an earlier survey, in place of DIR"),
	{ 0 },
};

static int take_params(struct pario_walk *w, struct pario_err *err)
{
	void *structs[PARIO_PLAN_TABLES] = { 0 };
	int status = 0;

	for (size_t i = 0; i < w->frame.table_count && status == 0; i++) {
		structs[i] = calloc(1, w->frame.tables[i].size ? w->frame.tables[i].size : 1);
		if (!structs[i])
			status = pario_err_memory(err, "the plan");
	}
	if (status == 0)
		status = pario_config_point(&w->frame.config, 0, structs, err);
	if (status == 0)
		memcpy(&w->params, structs[0], sizeof(w->params));
	for (size_t i = 0; i < w->frame.table_count; i++)
		free(structs[i]);
	return status;
}

static bool given(const struct pario_walk *w, const char *option)
{
	return pario_config_find(&w->frame.config, option)->origin != PARIO_ORIGIN_DEFAULT;
}

/* Is this one of a list's elements? */
static bool listed(const struct pario_walk *w, const char *option, const char *value)
{
	const char *from = pario_config_find(&w->frame.config, option)->text;
	size_t length;

	for (; from && *from; from += length + (from[length] == ',')) {
		length = strcspn(from, ",");
		if (strlen(value) == length && strncmp(from, value, length) == 0)
			return true;
	}
	return false;
}

/* Words of a focus that speak about one axis: all of it, or what they name. */
static bool in_focus(const struct pario_walk *w, uint32_t words, uint32_t word)
{
	return !(w->params.focus & words) || w->params.focus & word;
}

static struct pario_axis *add_axis(struct pario_walk *w, enum pario_walk_axis number,
				   const char *name, enum pario_axis_kind kind)
{
	struct pario_axis *axis = &w->space.axes[number];

	*axis = (struct pario_axis){ .kind = kind };
	snprintf(axis->name, sizeof(axis->name), "%s", name);
	w->space.axis_count = PARIO_WALK_AXES;
	return axis;
}

static void add_level(struct pario_axis *axis, const char *label)
{
	snprintf(axis->label[axis->count++], PARIO_AXIS_CAPACITY, "%s", label);
}

static void add_way(struct pario_walk *w, const char *api, bool collective)
{
	struct pario_axis *axis = &w->space.axes[PARIO_WALK_INTERFACE];
	char label[PARIO_AXIS_CAPACITY];

	if (axis->count == PARIO_WALK_WAYS ||
	    !in_focus(w, INDEPENDENT | COLLECTIVE, collective ? COLLECTIVE : INDEPENDENT) ||
	    (given(w, "collective") && !listed(w, "collective", collective ? "1" : "0")))
		return;
	snprintf(w->ways[axis->count].api, sizeof(w->ways[0].api), "%s", api);
	w->ways[axis->count].collective = collective;
	if (pario_backend_find(api)->bits & PARIO_BACKEND_NO_DATA)
		axis->unreal |= (uint64_t)1 << axis->count;
	snprintf(label, sizeof(label), "%.20s%s", api, collective ? " collective" : "");
	add_level(axis, label);
}

static int add_interfaces(struct pario_walk *w, struct pario_err *err)
{
	static const char *const usual[] = { "posix", "mpiio", "uring", NULL };

	add_axis(w, PARIO_WALK_INTERFACE, "interface", PARIO_AXIS_CHOICE);
	for (size_t i = 0; pario_backends[i]; i++) {
		const struct pario_backend *b = pario_backends[i];
		bool wanted = given(w, "api") && listed(w, "api", b->name);

		for (size_t k = 0; !given(w, "api") && usual[k]; k++)
			wanted |= strcmp(usual[k], b->name) == 0;
		if (!wanted || (!given(w, "api") && b->unavailable && b->unavailable()))
			continue;
		add_way(w, b->name, false);
		if (b->bits & PARIO_BACKEND_COLLECTIVE && !(b->bits & PARIO_BACKEND_NO_DATA))
			add_way(w, b->name, true);
	}
	if (w->space.axes[PARIO_WALK_INTERFACE].count == 0)
		return pario_err_set(err, PARIO_USAGE,
				     "no interface is left to survey with --api %s%s; `pario list` "
				     "shows the backends.",
				     pario_config_find(&w->frame.config, "api")->text,
				     w->params.focus & COLLECTIVE ? " and --focus collective" : "");
	return 0;
}

static void add_choices(struct pario_walk *w)
{
	static const char *const segmented[] = { "segmented", "sequential" };
	static const char *const strided[] = { "strided", "sequential" };
	static const char *const shuffled[] = { "segmented", "random" };
	static const struct {
		const char *label;
		uint32_t word;
		const char *const *values;
	} patterns[] = {
		{ "segmented", SEGMENTED, segmented },
		{ "strided", STRIDED, strided },
		{ "random", RANDOM, shuffled },
	};
	struct pario_axis *axis = add_axis(w, PARIO_WALK_PATTERN, "pattern", PARIO_AXIS_CHOICE);

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		if (!in_focus(w, SEGMENTED | STRIDED | RANDOM, patterns[i].word))
			continue;
		w->patterns[axis->count] = patterns[i].values;
		add_level(axis, patterns[i].label);
	}
	axis = add_axis(w, PARIO_WALK_ALIGNMENT, "alignment", PARIO_AXIS_CHOICE);
	for (unsigned i = 0; i < 2; i++) {
		if (!in_focus(w, ALIGNED | UNALIGNED, i ? UNALIGNED : ALIGNED))
			continue;
		w->skews[axis->count] = i ? w->params.skew : 0;
		add_level(axis, i ? "unaligned" : "aligned");
	}
	axis = add_axis(w, PARIO_WALK_LAYOUT, "layout", PARIO_AXIS_CHOICE);
	for (unsigned i = 0; i < 2; i++) {
		if (!in_focus(w, SHARED | PER_CLIENT, i ? PER_CLIENT : SHARED))
			continue;
		w->layouts[axis->count] = i ? "per_client" : "shared";
		add_level(axis, w->layouts[axis->count]);
	}
}

static void add_value(struct pario_axis *axis, uint64_t value, const char *label)
{
	if (axis->count == PARIO_AXIS_LEVELS)
		return;
	axis->value[axis->count] = (double)value;
	add_level(axis, label);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The counts of --clients, or 1, 2, 4 ... and all. */
static void add_clients(struct pario_walk *w, uint64_t clients)
{
	struct pario_axis *axis = add_axis(w, PARIO_WALK_CLIENTS, "clients", PARIO_AXIS_COUNT);
	char label[PARIO_UNITS_CAPACITY];

	if (*w->frame.settings.clients) {
		qsort(w->frame.clients, w->frame.client_count, sizeof(uint64_t), by_value);
		for (size_t i = 0; i < w->frame.client_count; i++) {
			snprintf(label, sizeof(label), "%llu",
				 (unsigned long long)w->frame.clients[i]);
			if (i == 0 || w->frame.clients[i] != w->frame.clients[i - 1])
				add_value(axis, w->frame.clients[i], label);
		}
		return;
	}
	for (uint64_t c = 1; c < clients; c *= 2) {
		snprintf(label, sizeof(label), "%llu", (unsigned long long)c);
		add_value(axis, c, label);
	}
	snprintf(label, sizeof(label), "%llu", (unsigned long long)clients);
	add_value(axis, clients, label);
}

static int add_sizes(struct pario_walk *w, struct pario_err *err)
{
	struct pario_axis *axis = add_axis(w, PARIO_WALK_SIZE, "transfer_size", PARIO_AXIS_SIZE);
	uint64_t from = w->params.smallest, to = w->params.largest;
	char label[PARIO_UNITS_CAPACITY];

	if (!in_focus(w, SMALL | LARGE, LARGE) && to > SMALL_MAX)
		to = SMALL_MAX;
	if (!in_focus(w, SMALL | LARGE, SMALL) && from < LARGE_MIN)
		from = LARGE_MIN;
	if (from > to)
		return pario_err_set(err, PARIO_USAGE,
				     "no transfer size is left from --smallest %llu to --largest "
				     "%llu%s. Use a wider range.",
				     (unsigned long long)w->params.smallest,
				     (unsigned long long)w->params.largest,
				     w->params.focus & (SMALL | LARGE) ? " with this --focus" : "");
	for (uint64_t size = from; size <= to; size *= 2)
		add_value(axis, size, pario_units_size(label, size));
	return 0;
}

/* A file of one's own is neither interleaved with others nor accessed together with them. */
static void mask(struct pario_walk *w)
{
	struct pario_space *s = &w->space;

	for (size_t i = 0; i < s->cells; i++) {
		bool own = w->layouts[pario_space_level(s, i, PARIO_WALK_LAYOUT)][0] == 'p';
		const char *pattern = w->patterns[pario_space_level(s, i, PARIO_WALK_PATTERN)][0];
		unsigned way = pario_space_level(s, i, PARIO_WALK_INTERFACE);

		s->cell[i].exists =
			!own || (!w->ways[way].collective && strcmp(pattern, "strided") != 0);
	}
}

static int make_space(struct pario_walk *w, uint64_t clients, struct pario_err *err)
{
	struct pario_space *s = &w->space;

	memset(s, 0, sizeof(*s));
	s->threshold = w->params.threshold;
	if (in_focus(w, WRITE | READ, WRITE))
		strcpy(s->measure[s->measures++], "write");
	if (in_focus(w, WRITE | READ, READ))
		strcpy(s->measure[s->measures++], "read");
	if (add_interfaces(w, err) < 0 || add_sizes(w, err) < 0)
		return -1;
	add_choices(w);
	add_clients(w, clients);
	if (pario_space_init(s, err) < 0)
		return -1;
	mask(w);
	if (pario_space_existing(s) == 0)
		return pario_err_set(err, PARIO_USAGE,
				     "nothing is left to survey: a file per client is neither "
				     "strided nor collective. Use another --focus.");
	return 0;
}

static int fit_volume(struct pario_walk *w, uint64_t clients, struct pario_err *err)
{
	const struct pario_axis *sizes = &w->space.axes[PARIO_WALK_SIZE];
	uint64_t largest = (uint64_t)sizes->value[sizes->count - 1], capacity;
	struct pario_mount mount;

	w->volume = w->params.volume > largest ? w->params.volume : largest;
	if (pario_machine_mount(w->frame.settings.dir, &mount) < 0)
		return 0;
	capacity = mount.free_bytes / 2 / clients;
	if (capacity < pario_plus(largest, w->params.skew))
		return pario_err_set(err, PARIO_SYSTEM,
				     "%s has too little space for transfers of %llu bytes by %llu "
				     "clients. Use a smaller --largest or another directory.",
				     w->frame.settings.dir, (unsigned long long)largest,
				     (unsigned long long)clients);
	if (w->volume > capacity - w->params.skew)
		w->volume = capacity - w->params.skew;
	return 0;
}

int pario_walk_init(struct pario_walk *w, uint64_t clients, struct pario_err *err)
{
	double phases;

	pario_space_release(&w->space);
	pario_plan_release(&w->plan);
	if (take_params(w, err) < 0 || make_space(w, clients, err) < 0 ||
	    fit_volume(w, clients, err) < 0 ||
	    pario_plan_init(&w->plan, pario_test_by_name("transfer"), err) < 0)
		return -1;
	phases = (double)pario_space_existing(&w->space) * GRID_SHARE * w->space.measures *
		 (double)w->frame.settings.repetitions;
	w->limit = w->params.minutes * 60 * TIMED_SHARE / phases;
	w->limit = w->limit < LIMIT_MIN_S ? LIMIT_MIN_S : w->limit;
	w->limit = w->limit > LIMIT_MAX_S ? LIMIT_MAX_S : w->limit;
	if (w->frame.settings.time_limit > 0)
		w->limit = w->frame.settings.time_limit;
	return 0;
}

void pario_walk_release(struct pario_walk *w)
{
	pario_space_release(&w->space);
	pario_plan_release(&w->plan);
	pario_plan_release(&w->frame);
}

/* ---- one point ---- */

static int set(struct pario_walk *w, const char *name, const char *value, struct pario_err *err)
{
	return pario_config_set(&w->plan.config, name, value, PARIO_ORIGIN_PLAN, err);
}

static int set_number(struct pario_walk *w, const char *name, uint64_t value, struct pario_err *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return set(w, name, text, err);
}

/* What the user said about access and backends holds for every point. */
static int pass_on(struct pario_walk *w, struct pario_err *err)
{
	for (size_t i = 0; i < w->frame.config.setting_count; i++) {
		const struct pario_setting *s = &w->frame.config.settings[i];

		if (s->origin == PARIO_ORIGIN_DEFAULT || !s->text || s->table == 0 ||
		    s->table == w->frame.table_count - 1 || strcmp(s->option->name, "api") == 0 ||
		    strcmp(s->option->name, "collective") == 0)
			continue;
		if (set(w, s->option->name, s->text, err) < 0)
			return -1;
	}
	return 0;
}

static uint64_t size_of(const struct pario_walk *w, size_t cell)
{
	return (uint64_t)w->space.axes[PARIO_WALK_SIZE]
		.value[pario_space_level(&w->space, cell, PARIO_WALK_SIZE)];
}

static uint64_t clients_of(const struct pario_walk *w, size_t cell)
{
	return (uint64_t)w->space.axes[PARIO_WALK_CLIENTS]
		.value[pario_space_level(&w->space, cell, PARIO_WALK_CLIENTS)];
}

/* The options that a cell stands for, as name and value. */
static int set_cell(struct pario_walk *w, size_t cell, struct pario_err *err)
{
	const struct pario_space *s = &w->space;
	unsigned way = pario_space_level(s, cell, PARIO_WALK_INTERFACE);
	const char *const *pattern = w->patterns[pario_space_level(s, cell, PARIO_WALK_PATTERN)];
	uint64_t size = size_of(w, cell), count = w->volume / size;
	bool strided = strcmp(pattern[0], "strided") == 0;

	if (strcmp(w->ways[way].api, "uring") == 0 && !given(w, "queue_depth") &&
	    set(w, "queue_depth", QUEUE_DEPTH, err) < 0)
		return -1;
	if (strcmp(w->ways[way].api, "uring") != 0 && !given(w, "queue_depth") &&
	    set(w, "queue_depth", "1", err) < 0)
		return -1;
	if (set(w, "api", w->ways[way].api, err) < 0 ||
	    set(w, "collective", w->ways[way].collective ? "1" : "0", err) < 0 ||
	    set(w, "pattern", pattern[0], err) < 0 || set(w, "order", pattern[1], err) < 0 ||
	    set(w, "layout", w->layouts[pario_space_level(s, cell, PARIO_WALK_LAYOUT)], err) < 0)
		return -1;
	if (set_number(w, "header_bytes",
		       w->skews[pario_space_level(s, cell, PARIO_WALK_ALIGNMENT)], err) < 0 ||
	    set_number(w, "transfer_size", size, err) < 0 ||
	    set_number(w, "block_size", strided ? size : size * count, err) < 0 ||
	    set_number(w, "segment_count", strided ? count : 1, err) < 0)
		return -1;
	return set_number(w, "clients", clients_of(w, cell), err);
}

static int set_schedule(struct pario_walk *w, struct pario_err *err)
{
	char limit[40], operations[40] = "";

	for (unsigned m = 0; m < w->space.measures; m++)
		snprintf(operations + strlen(operations), sizeof(operations) - strlen(operations),
			 "%s%s", m ? "," : "", w->space.measure[m]);
	snprintf(limit, sizeof(limit), "%.4f", w->limit);
	if (set(w, "operations", operations, err) < 0 || set(w, "time_limit", limit, err) < 0 ||
	    set(w, "wear_out", "0", err) < 0)
		return -1;
	return set_number(w, "repetitions", w->frame.settings.repetitions, err);
}

void pario_walk_name(const struct pario_walk *w, size_t cell, char *name, size_t capacity)
{
	const struct pario_space *s = &w->space;
	unsigned way = pario_space_level(s, cell, PARIO_WALK_INTERFACE);
	const char *const *pattern = w->patterns[pario_space_level(s, cell, PARIO_WALK_PATTERN)];

	snprintf(name, capacity,
		 "api=%s collective=%d pattern=%s order=%s header_bytes=%llu layout=%s "
		 "transfer_size=%llu",
		 w->ways[way].api, w->ways[way].collective, pattern[0], pattern[1],
		 (unsigned long long)w->skews[pario_space_level(s, cell, PARIO_WALK_ALIGNMENT)],
		 w->layouts[pario_space_level(s, cell, PARIO_WALK_LAYOUT)],
		 (unsigned long long)size_of(w, cell));
}

int pario_walk_bind(struct pario_walk *w, size_t cell, struct pario_bound *bound,
		    struct pario_err *err)
{
	const struct pario_settings *s = &w->frame.settings;
	int status;

	memset(bound, 0, sizeof(*bound));
	if (pass_on(w, err) < 0 || set_cell(w, cell, err) < 0 || set_schedule(w, err) < 0 ||
	    pario_plan_settle(&w->plan, clients_of(w, cell), err) < 0)
		return -1;
	w->plan.settings.seed = s->seed;
	status = pario_plan_bind(&w->plan, 0, clients_of(w, cell), bound, err);
	bound->settings.deadline = s->deadline;
	bound->settings.drop_caches = s->drop_caches;
	bound->settings.spread = s->spread;
	bound->settings.keep_files = s->keep_files;
	bound->point.index = cell;
	pario_walk_name(w, cell, bound->name, sizeof(bound->name));
	return status;
}

double pario_walk_cost(const struct pario_result *r)
{
	const struct pario_metric *bare = pario_result_find(r, "transfer_without_wait_s");
	double seconds = r->seconds.transfer;

	if (isfinite(r->seconds.sync))
		seconds += r->seconds.sync;
	if ((r->outcome != PARIO_PASS && r->outcome != PARIO_SUSPECT) || r->ops == 0 ||
	    !(seconds > 0))
		return NAN;
	/* what a client waited for a processor is none of the storage's, as far as that can be told */
	if (bare)
		seconds = fmax(bare->value, LEAST_OWN * seconds);
	return seconds * (double)r->clients / (double)r->ops;
}
