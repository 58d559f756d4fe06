/*
 * resume: what an interrupted run was started with, and what a survey has measured already.
 *
 * The journal is the only state. Options that were not given again are taken from it; those that were must agree. A
 * point counts as measured when every direction of it has been tried at least once.
 */
#include "cmd/resume.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/journal.h"

/* One number of the journal. */
struct sample {
	size_t cell;
	unsigned measure;
	double seconds; /* NaN = tried, and failed */
};

struct samples {
	struct pario_walk *walk;
	struct sample *list;
	size_t count, room;
};

/* Options that do not change what is measured. */
static bool is_free(const char *name)
{
	static const char *const names[] = { "minutes", "resume",   "output",	   "quiet",
					     "json",	"color",    "label",	   "plan",
					     "dry_run", "deadline", "show_config", "keep_files" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/*
 * Is the journal this user's own, where nobody else can write? Then what it says is what this user once said. Another's
 * journal could name a directory to fill, or ask for the system's caches to be dropped.
 */
static bool is_own(const struct pario_journal_reader *reader)
{
	char path[sizeof(reader->path)];
	struct stat st[2];
	char *slash;

	snprintf(path, sizeof(path), "%s", reader->path);
	slash = strrchr(path, '/');
	if (slash)
		slash[slash == path] = '\0';
	if (fstat(fileno(reader->file), &st[0]) < 0 || stat(slash ? path : ".", &st[1]) < 0)
		return false;
	for (int i = 0; i < 2; i++) {
		bool group = (st[i].st_mode & S_IWGRP) && st[i].st_gid != getegid();

		if (st[i].st_uid != geteuid() || (st[i].st_mode & S_IWOTH) || group)
			return false;
	}
	return true;
}

/* Takes over what was not given again; where the journal is not trusted, `untaken` gets the options instead. */
static int same_params(struct pario_config *config, const json_t *params, bool trusted,
		       struct pario_text *untaken, struct pario_err *err)
{
	for (size_t i = 0; i < config->setting_count; i++) {
		const struct pario_setting *s = &config->settings[i];
		const json_t *then = json_object_get(params, s->option->name);
		const char *value = json_string_value(json_object_get(then, "value"));
		const char *origin = json_string_value(json_object_get(then, "origin"));
		const char *now = s->text ? s->text : "";

		if (!value)
			value = "";
		if (strcmp(now, value) == 0 ||
		    (is_free(s->option->name) && (s->origin != PARIO_ORIGIN_DEFAULT ||
						  strcmp(s->option->name, "minutes") != 0)))
			continue;
		if (s->origin != PARIO_ORIGIN_DEFAULT)
			return pario_err_set(err, PARIO_USAGE,
					     "--%s is \"%.200s\", but the run to go on with was "
					     "made with \"%.200s\". Leave the option away, or "
					     "start a new run.",
					     s->option->name, now, value);
		if (!origin || strcmp(origin, "default") == 0)
			continue;
		if (!trusted)
			pario_text_add(untaken, "%s--%s", untaken->length ? ", " : "",
				       s->option->name);
		else if (pario_config_set(config, s->option->name, value, PARIO_ORIGIN_COMMAND,
					  err) < 0)
			return -1;
	}
	return 0;
}

static int take_params(struct pario_config *config, const json_t *params,
		       const struct pario_journal_reader *reader, struct pario_err *err)
{
	struct pario_text untaken = { 0 };
	int status = same_params(config, params, is_own(reader), &untaken, err);

	if (status == 0 && untaken.length)
		status = pario_err_set(
			err, PARIO_USAGE,
			"%.300s belongs to another user or lies where others can write, so its "
			"options are not taken over. Repeat those you want on the command line: %.400s.",
			reader->path, pario_text_string(&untaken));
	pario_text_release(&untaken);
	return status;
}

static int take_begin(struct pario_resume *resume, struct pario_config *config, const char *command,
		      const json_t *line, const struct pario_journal_reader *reader,
		      struct pario_err *err)
{
	const char *test = json_string_value(json_object_get(line, "test"));
	const char *seed = json_string_value(json_object_get(line, "seed"));
	const json_t *clients = json_object_get(line, "clients");

	if (!test || strcmp(test, command) != 0)
		return pario_err_set(err, PARIO_USAGE, "%s is the journal of %s, not of %s.",
				     reader->path, test ? test : "another program", command);
	resume->seed = seed ? strtoull(seed, NULL, 16) : 0;
	for (size_t i = 0; i < json_array_size(clients); i++) {
		json_int_t c = json_integer_value(json_array_get(clients, i));

		resume->clients =
			c > 0 && (uint64_t)c > resume->clients ? (uint64_t)c : resume->clients;
	}
	return take_params(config, json_object_get(line, "params"), reader, err);
}

int pario_resume_clients(const struct pario_resume *resume, const struct pario_plan *plan,
			 uint64_t clients, struct pario_err *err)
{
	if (!resume->clients || *plan->settings.clients || resume->clients == clients)
		return 0;
	return pario_err_set(err, PARIO_USAGE,
			     "the run to go on with had %llu clients, and now there are %llu. "
			     "Start as many (--np).",
			     (unsigned long long)resume->clients, (unsigned long long)clients);
}

int pario_resume_begin(struct pario_resume *resume, struct pario_config *config,
		       const char *command, const char *path, struct pario_err *err)
{
	struct pario_journal_reader reader;
	json_t *line = NULL;
	int status;

	if (pario_journal_open(&reader, path, err) < 0)
		return -1;
	status = pario_journal_next(&reader, &line, err);
	if (status > 0)
		status = take_begin(resume, config, command, line, &reader, err);
	json_decref(line);
	pario_journal_done(&reader);
	return status < 0 ? -1 : 0;
}

static int add_sample(struct samples *v, const struct sample *sample, struct pario_err *err)
{
	if (v->count == v->room) {
		size_t wide = v->room ? 2 * v->room : 256;
		struct sample *more = realloc(v->list, wide * sizeof(*more));

		if (!more)
			return pario_err_set(err, PARIO_SYSTEM, "no memory for the results.");
		v->list = more;
		v->room = wide;
	}
	v->list[v->count++] = *sample;
	return 0;
}

static int take_result(struct samples *v, const struct pario_result *r, struct pario_err *err)
{
	const struct pario_space *space = &v->walk->space;
	struct sample sample = { .cell = (size_t)r->point_index, .seconds = pario_walk_cost(r) };
	char name[512];

	if (r->point_index >= space->cells)
		return pario_err_set(err, PARIO_INVALID,
				     "the journal holds the point %llu of another survey.",
				     (unsigned long long)r->point_index);
	pario_walk_name(v->walk, sample.cell, name, sizeof(name));
	if (strcmp(name, r->point) != 0)
		return pario_err_set(
			err, PARIO_INVALID,
			"the journal holds the point \"%.200s\", which has another place "
			"in this survey. Start a new one.",
			r->point);
	for (unsigned m = 0; m < space->measures; m++) {
		sample.measure = m;
		if ((r->outcome == PARIO_SKIP || strcmp(space->measure[m], r->phase) == 0) &&
		    add_sample(v, &sample, err) < 0)
			return -1;
	}
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	return (x->measure > y->measure) - (x->measure < y->measure);
}

/* All samples of a point and measure, from `from` on; returns the first of the next. */
static size_t take_group(struct samples *v, size_t from)
{
	size_t to = from, count = 0;
	double *seconds = malloc(v->count * sizeof(*seconds));

	for (; to < v->count && by_place(&v->list[from], &v->list[to]) == 0; to++) {
		if (seconds && isfinite(v->list[to].seconds))
			seconds[count++] = v->list[to].seconds;
	}
	if (seconds)
		pario_space_take(&v->walk->space, v->list[from].cell, v->list[from].measure,
				 seconds, count);
	free(seconds);
	return to;
}

/* A point counts as measured once every direction was tried. */
static void take_samples(struct samples *v)
{
	const struct pario_space *space = &v->walk->space;

	qsort(v->list, v->count, sizeof(*v->list), by_place);
	for (size_t i = 0; i < v->count;) {
		size_t cell = v->list[i].cell;
		unsigned tried = 0;

		while (i < v->count && v->list[i].cell == cell) {
			i = take_group(v, i);
			tried++;
		}
		space->cell[cell].measured = tried == space->measures;
	}
	v->count = 0;
}

int pario_resume_results(struct pario_resume *resume, struct pario_walk *walk,
			 struct pario_err *err)
{
	struct pario_journal_reader reader;
	struct samples v = { .walk = walk };
	struct pario_result result;
	json_t *line = NULL;
	int status;

	resume->results = 0;
	if (pario_journal_open(&reader, walk->frame.settings.resume, err) < 0)
		return -1;
	while ((status = pario_journal_next(&reader, &line, err)) > 0) {
		const char *kind = json_string_value(json_object_get(line, "kind"));

		if (kind && strcmp(kind, "result") == 0) {
			resume->results++;
			if (pario_result_read(line, &result, err) < 0 ||
			    take_result(&v, &result, err) < 0)
				status = -1;
		}
		json_decref(line);
		if (status < 0)
			break;
	}
	pario_journal_done(&reader);
	if (status == 0)
		take_samples(&v);
	free(v.list);
	return status < 0 ? -1 : 0;
}
