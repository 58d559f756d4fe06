/*
 * chronicle: reads every file called journal.jsonl below the directories, and files that were named themselves, into
 * lines of numbers; then finds their changes, and what changed with them. What cannot be read is kept with the reason.
 */
#include "history/chronicle.h"

#include <errno.h>
#include <fts.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/grow.h"
#include "history/facts.h"
#include "report/compare/param.h"
#include "report/page/group.h"

enum { DEPTH = 64 };

struct reader {
	struct pario_chronicle *c;
	const char *across;
	json_t *lines; /* key to place in the chronicle */
	json_t *known; /* runs that were read, by id and time */
	char **facts;  /* of each of them */
	size_t count, capacity;
};

/* ---- lines and their keys ---- */

/* Was this parameter asked for? What is left at its default may change with the version, within a line. */
static bool given(const json_t *setting)
{
	const char *origin = json_string_value(json_object_get(setting, "origin"));
	const char *value = json_string_value(json_object_get(setting, "value"));

	return origin && value && *value && strcmp(origin, "default") != 0;
}

static void add_word(struct pario_text *words, const char *name, const char *value)
{
	char spelled[512];

	pario_param_spell(value, spelled, sizeof(spelled));
	/* short as people write them, while the key below has one spelling */
	pario_text_add(words, "%s%s=%s", words->length ? " " : "", name, spelled);
}

struct word {
	const char *name, *value;
};

static int by_name(const void *x, const void *y)
{
	return strcmp(((const struct word *)x)->name, ((const struct word *)y)->name);
}

enum { WORDS = 256 };

/* What was asked for and shapes this result, sorted by name: parameters of the run, and the words of the point. */
static size_t words_of(struct pario_archive *a, const struct pario_reading *r, const char *across,
		       char *point, struct word words[WORDS])
{
	json_t *params = json_object_get(a->volume[0].begin, "params");
	size_t count = 0;

	for (char *rest = point, *word; count < WORDS && (word = pario_text_word(&rest, " "));) {
		char *equals = strchr(word, '=');

		if (!equals)
			continue;
		*equals = '\0';
		if (!pario_param_listed(across, word))
			words[count++] = (struct word){ word, equals + 1 };
	}
	for (void *at = json_object_iter(params); at && count < WORDS;
	     at = json_object_iter_next(params, at)) {
		const char *name = json_object_iter_key(at);
		bool known = false;

		for (size_t i = 0; i < count && !known; i++)
			known = strcmp(words[i].name, name) == 0;
		if (!known && pario_param_shapes(name) && given(json_object_iter_value(at)) &&
		    !pario_param_listed(across, name))
			words[count++] = (struct word){ name, pario_reading_param(a, r, name) };
	}
	qsort(words, count, sizeof(words[0]), by_name);
	return count;
}

/*
 * Imported results are of any system: they join others of the same one, and where the file does not tell enough to know
 * it again, none.
 */
static void add_origin(struct pario_archive *a, const struct pario_group *g, size_t words,
		       struct pario_text *key)
{
	const struct pario_volume *v = &a->volume[0];
	const char *command =
		json_string_value(json_array_get(json_object_get(v->begin, "command"), 1));
	const char *system = pario_reading_param(a, g->first, "system");
	const char *host = pario_volume_machine(v, "host");

	if (!command || strcmp(command, "import") != 0)
		return;
	if (g->first->of->clients && words && (*system || *host))
		pario_text_add(key, "%s\n%s\n", system, host);
	else
		pario_text_add(key, "%s\n", v->id);
}

static void describe(struct reader *r, struct pario_archive *a, const struct pario_group *g,
		     struct pario_text *words, struct pario_text *key)
{
	static struct word list[WORDS];
	const char *mount = pario_volume_machine(&a->volume[0], "filesystem.mount");
	char *point = strdup(g->first->of->point);
	size_t count = point ? words_of(a, g->first, r->across, point, list) : 0;

	pario_text_add(key, "%s\n%s\n%s\n%llu\n%s\n%s\n", mount, g->first->of->test,
		       g->first->of->phase,
		       pario_param_listed(r->across, "clients")
			       ? 0
			       : (unsigned long long)g->first->of->clients,
		       g->headline, g->unit);
	add_origin(a, g, count, key);
	for (size_t i = 0; i < count; i++) {
		size_t from = words->length + (i > 0);

		pario_text_add(words, "%s%s=%s", i ? " " : "", list[i].name, list[i].value);
		/* others write "1 MiB"; a word of a name has no blanks */
		for (size_t k = from; words->data && k < words->length; k++)
			words->data[k] = words->data[k] == ' ' ? '_' : words->data[k];
		add_word(key, list[i].name, list[i].value);
	}
	free(point);
}

static struct pario_line *line_of(struct reader *r, const struct pario_group *g, const char *key,
				  const char *words, const char *place)
{
	struct pario_chronicle *c = r->c;
	json_t *at = json_object_get(r->lines, key);
	struct pario_line *l;

	if (at)
		return &c->line[json_integer_value(at)];
	if (!pario_grow(c->line, c->lines, c->capacity))
		return NULL;
	l = &c->line[c->lines++];
	*l = (struct pario_line){ .test = strdup(g->first->of->test),
				  .phase = strdup(g->first->of->phase),
				  .words = strdup(words),
				  .place = strdup(place),
				  .unit = strdup(g->unit),
				  .clients = g->first->of->clients,
				  .better = g->better,
				  .order = c->lines };
	if (!l->test || !l->phase || !l->words || !l->place || !l->unit ||
	    json_object_set_new_nocheck(r->lines, key, json_integer((json_int_t)c->lines - 1)) < 0)
		return NULL;
	return l;
}

/* A run has one number in a line. */
static int take_group(struct reader *r, struct pario_archive *a, const struct pario_group *g,
		      int64_t time_s, struct pario_err *err)
{
	struct pario_text words = { 0 }, key = { 0 };
	struct pario_moment *m = NULL;
	struct pario_line *l;

	if (!g->numbers || !isfinite(g->median))
		return 0;
	describe(r, a, g, &words, &key);
	l = line_of(r, g, pario_text_string(&key), pario_text_string(&words),
		    pario_volume_machine(&a->volume[0], "filesystem.mount"));
	if (l && l->count && l->moment[l->count - 1].run == r->count - 1)
		m = &l->moment[l->count - 1];
	else if (l && pario_grow(l->moment, l->count, l->capacity))
		m = &l->moment[l->count++];
	if (m)
		*m = (struct pario_moment){ .time_s = time_s,
					    .run = r->count - 1,
					    .value = g->median,
					    .low = g->low,
					    .high = g->high,
					    .repetitions = (uint32_t)g->repetitions,
					    .suspect = g->suspects > 0 };
	pario_text_release(&words);
	pario_text_release(&key);
	return m ? 0 : pario_err_memory(err, NULL);
}

/* ---- one journal ---- */

static int64_t seconds_of(const char *time)
{
	struct tm tm = { 0 };

	return strptime(time, "%Y-%m-%dT%H:%M:%S", &tm) ? (int64_t)timegm(&tm) : 0;
}

/* Two copies of a run count once. */
static int is_copy(struct reader *r, const struct pario_volume *v, struct pario_err *err)
{
	char key[512];

	snprintf(key, sizeof(key), "%s %s", v->time, v->id);
	if (json_object_get(r->known, key))
		return 1;
	return json_object_set_new_nocheck(r->known, key, json_true()) < 0
		       ? pario_err_memory(err, NULL)
		       : 0;
}

static int take_run(struct reader *r, struct pario_archive *a, struct pario_err *err)
{
	struct pario_chronicle *c = r->c;
	int64_t time_s = seconds_of(a->volume[0].time);
	struct pario_groups groups = { 0 };
	struct pario_text facts = { 0 };
	int status = time_s ? is_copy(r, &a->volume[0], err) : 0;

	if (!time_s || status > 0) {
		c->runs[time_s ? PARIO_RUN_COPY : PARIO_RUN_UNTIMED]++;
		return 0;
	}
	if (status < 0 || !pario_grow(r->facts, r->count, r->capacity))
		return pario_err_memory(err, NULL);
	c->runs[PARIO_RUN_READ]++;
	pario_facts_of(a, &facts);
	r->facts[r->count] = strdup(pario_text_string(&facts));
	pario_text_release(&facts);
	status = r->facts[r->count++] ? pario_groups_of(a, &groups, err)
				      : pario_err_memory(err, NULL);
	for (size_t i = 0; status == 0 && i < groups.count; i++)
		status = take_group(r, a, &groups.group[i], time_s, err);
	pario_groups_release(&groups);
	return status;
}

static int take_damaged(struct pario_chronicle *c, const char *reason, struct pario_err *err)
{
	char **more = realloc(c->skipped, (c->skips + 1) * sizeof(*more));

	if (more)
		c->skipped = more;
	if (!more || !(more[c->skips] = strdup(reason)))
		return pario_err_memory(err, NULL);
	c->skips++;
	c->runs[PARIO_RUN_DAMAGED]++;
	return 0;
}

static int take_file(struct reader *r, const char *path, struct pario_err *err)
{
	struct pario_archive archive = { 0 };
	struct pario_err why = { 0 };
	int status = pario_archive_add(&archive, path, NULL, &why) < 0
			     ? take_damaged(r->c, why.text, err)
			     : take_run(r, &archive, err);

	if (status == 0 && r->count > r->c->paths) {
		if (!pario_grow(r->c->path, r->c->paths, r->c->path_capacity))
			status = pario_err_memory(err, NULL);
		else
			r->c->path[r->c->paths++] = realpath(path, NULL);
	}

	pario_archive_release(&archive);
	return status;
}

/* ---- all of them ---- */

/* A pipe or device of that name is one that cannot be read, and that is said. */
static bool is_journal(const FTSENT *entry)
{
	return (entry->fts_info == FTS_F || entry->fts_info == FTS_DEFAULT) &&
	       (entry->fts_level == 0 || strcmp(entry->fts_name, "journal.jsonl") == 0);
}

static int walk(struct reader *r, FTS *fts, struct pario_err *err)
{
	FTSENT *entry;
	int status = 0;

	while (status == 0 && (entry = fts_read(fts))) {
		if (entry->fts_level > DEPTH)
			fts_set(fts, entry, FTS_SKIP);
		else if (is_journal(entry))
			status = take_file(r, entry->fts_path, err);
		else if (entry->fts_level == 0 &&
			 (entry->fts_info == FTS_NS || entry->fts_info == FTS_DNR))
			status = pario_err_sys(err, entry->fts_errno, NULL, "%s cannot be read",
					       entry->fts_path);
	}
	return status;
}

/* In a fixed order, so that of two copies the same one counts every time. */
static int by_path(const FTSENT **x, const FTSENT **y)
{
	return strcmp((*x)->fts_name, (*y)->fts_name);
}

static int walk_all(struct reader *r, const char *const *directories, size_t count,
		    struct pario_err *err)
{
	char **paths = calloc(count + 1, sizeof(*paths));
	FTS *fts = NULL;
	int status = paths ? 0 : pario_err_memory(err, NULL);

	for (size_t i = 0; status == 0 && i < count; i++) {
		paths[i] = realpath(directories[i], NULL);
		if (!paths[i])
			status = pario_err_sys(err, errno, NULL, "%s cannot be read",
					       directories[i]);
	}
	if (status == 0) {
		fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_path);
		status = fts ? walk(r, fts, err)
			     : pario_err_sys(err, errno, NULL, "%s cannot be read", directories[0]);
	}
	if (fts)
		fts_close(fts);
	for (size_t i = 0; paths && i < count; i++)
		free(paths[i]);
	free(paths);
	return status;
}

static int by_time(const void *x, const void *y)
{
	const struct pario_moment *a = x, *b = y;

	if (a->time_s != b->time_s)
		return a->time_s < b->time_s ? -1 : 1;
	return (a->run > b->run) - (a->run < b->run);
}

static int by_place(const void *x, const void *y)
{
	const struct pario_line *a = x, *b = y;
	int order = strcmp(a->place, b->place);

	order = order ? order : strcmp(a->test, b->test);
	return order ? order : (a->order > b->order) - (a->order < b->order);
}

static void sort(struct pario_chronicle *c)
{
	if (c->lines)
		qsort(c->line, c->lines, sizeof(*c->line), by_place);
	for (size_t i = 0; i < c->lines; i++) {
		struct pario_line *l = &c->line[i];

		qsort(l->moment, l->count, sizeof(*l->moment), by_time);
		if (!c->last_s || l->moment[l->count - 1].time_s > c->last_s)
			c->last_s = l->moment[l->count - 1].time_s;
		if (!c->first_s || l->moment[0].time_s < c->first_s)
			c->first_s = l->moment[0].time_s;
	}
}

static void with_of(const struct reader *r, struct pario_change *change)
{
	const struct pario_line *line = &r->c->line[change->line];
	struct pario_text text = { 0 };

	pario_facts_differ(r->facts[line->moment[change->at - 1].run],
			   r->facts[line->moment[change->at].run], &text);
	change->with = text.length ? strdup(pario_text_string(&text)) : NULL;
	pario_text_release(&text);
}

int pario_chronicle_of(struct pario_chronicle *c, const char *const *directories, size_t count,
		       const char *across, double least, struct pario_err *err)
{
	struct reader r = {
		.c = c, .across = across, .lines = json_object(), .known = json_object()
	};
	int status;

	*c = (struct pario_chronicle){ 0 };
	status = r.lines && r.known ? walk_all(&r, directories, count, err)
				    : pario_err_memory(err, NULL);
	if (status == 0) {
		sort(c);
		status = pario_changes_find(c, least, err);
	}
	for (size_t i = 0; status == 0 && i < c->changes; i++)
		with_of(&r, &c->change[i]);
	for (size_t i = 0; i < r.count; i++)
		free(r.facts[i]);
	free(r.facts);
	json_decref(r.lines);
	json_decref(r.known);
	if (status < 0)
		pario_chronicle_release(c);
	return status;
}
