/*
 * update: every file called journal.jsonl below the directories, and files that were named themselves. What has the
 * same path, size, time and inode as before is not read again; what is gone is forgotten; what cannot be read is
 * kept with the reason and tried again when it changes.
 */
#include "history/update.h"

#ifdef PARIO_HAVE_SQLITE

#include <errno.h>
#include <fts.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "report/compare/param.h"
#include "report/page/group.h"

enum { DEPTH = 64 };

struct updater {
	struct pario_index *index;
	const char *across;
	int64_t *seen; /* numbers of the journals that are there */
	size_t count, capacity, read;
};

static bool see(struct updater *u, int64_t number)
{
	if (u->count == u->capacity) {
		size_t capacity = u->capacity ? 2 * u->capacity : 1024;
		int64_t *more = realloc(u->seen, capacity * sizeof(*more));

		if (!more)
			return false;
		u->seen = more;
		u->capacity = capacity;
	}
	u->seen[u->count++] = number;
	return true;
}

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

static void describe(struct updater *u, struct pario_archive *a, const struct pario_group *g,
		     struct pario_text *words, struct pario_text *key)
{
	static struct word list[WORDS];
	const char *mount = pario_volume_machine(&a->volume[0], "filesystem.mount");
	char *point = strdup(g->first->of->point);
	size_t count = point ? words_of(a, g->first, u->across, point, list) : 0;

	pario_text_add(key, "%s\n%s\n%s\n%llu\n%s\n%s\n", mount, g->first->of->test,
		       g->first->of->phase,
		       pario_param_listed(u->across, "clients")
			       ? 0
			       : (unsigned long long)g->first->of->clients,
		       g->headline, g->unit);
	add_origin(a, g, count, key);
	for (size_t i = 0; i < count; i++) {
		pario_text_add(words, "%s%s=%s", i ? " " : "", list[i].name, list[i].value);
		add_word(key, list[i].name, list[i].value);
	}
	free(point);
}

static int take_group(struct updater *u, struct pario_archive *a, const struct pario_group *g,
		      int64_t run, int64_t time_s, struct pario_err *err)
{
	struct pario_text words = { 0 }, key = { 0 };
	int status;

	if (!g->numbers || !isfinite(g->median))
		return 0;
	describe(u, a, g, &words, &key);
	status = pario_index_number(
		u->index, run, time_s,
		&(struct pario_index_number){
			.key = pario_text_string(&key),
			.test = g->first->of->test,
			.phase = g->first->of->phase,
			.words = pario_text_string(&words),
			.place = pario_volume_machine(&a->volume[0], "filesystem.mount"),
			.unit = g->unit,
			.clients = g->first->of->clients,
			.better = g->better,
			.value = g->median,
			.low = g->low,
			.high = g->high,
			.repetitions = g->repetitions,
			.suspect = g->suspects > 0,
		},
		err);
	pario_text_release(&words);
	pario_text_release(&key);
	return status;
}

/* ---- one journal ---- */

static int64_t seconds_of(const char *time)
{
	struct tm tm = { 0 };

	return strptime(time, "%Y-%m-%dT%H:%M:%S", &tm) ? (int64_t)timegm(&tm) : 0;
}

static int take_groups(struct updater *u, struct pario_archive *a, int64_t run, int64_t time_s,
		       struct pario_err *err)
{
	struct pario_groups groups = { 0 };
	int status = pario_groups_of(a, &groups, err);

	for (size_t i = 0; status == 0 && i < groups.count; i++)
		status = take_group(u, a, &groups.group[i], run, time_s, err);
	pario_groups_release(&groups);
	return status;
}

static int take_run(struct updater *u, struct pario_archive *a, struct pario_index_run *run,
		    struct pario_err *err)
{
	struct pario_text facts = { 0 };
	int64_t number;
	int known, status;

	run->run = a->volume[0].id;
	run->label = a->volume[0].label;
	run->time_s = seconds_of(a->volume[0].time);
	known = pario_index_has(u->index, run->path, run->run, run->time_s, err);
	if (known < 0)
		return -1;
	run->state = !run->time_s ? PARIO_RUN_UNTIMED : known ? PARIO_RUN_COPY : PARIO_RUN_READ;
	pario_facts_of(a, &facts);
	run->facts = pario_text_string(&facts);
	status = pario_index_add(u->index, run, &number, err);
	if (status == 0 && !see(u, number))
		status = pario_err_memory(err, NULL);
	if (status == 0 && run->state == PARIO_RUN_READ)
		status = take_groups(u, a, number, run->time_s, err);
	pario_text_release(&facts);
	return status;
}

static int take_damaged(struct updater *u, struct pario_index_run *run, const char *reason,
			struct pario_err *err)
{
	int64_t number;

	run->state = PARIO_RUN_DAMAGED;
	run->reason = reason;
	if (pario_index_add(u->index, run, &number, err) < 0)
		return -1;
	return see(u, number) ? 0 : pario_err_memory(err, NULL);
}

static int take_file(struct updater *u, const char *path, const struct stat *st,
		     struct pario_err *err)
{
	struct pario_index_run run = {
		.path = path,
		.stamp = { .size = st->st_size,
			   .mtime_ns =
				   (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
			   .inode = (int64_t)st->st_ino,
			   .device = (int64_t)st->st_dev },
	};
	struct pario_archive archive = { 0 };
	struct pario_err why = { 0 };
	int64_t number;
	int status = pario_index_knows(u->index, path, &run.stamp, &number, err);

	if (status < 0)
		return -1;
	if (status == 1)
		return see(u, number) ? 0 : pario_err_memory(err, NULL);
	u->read++;
	if (pario_archive_add(&archive, path, NULL, &why) < 0)
		status = take_damaged(u, &run, why.text, err);
	else
		status = take_run(u, &archive, &run, err);
	pario_archive_release(&archive);
	return status;
}

/* ---- all of them ---- */

static bool is_journal(const FTSENT *entry)
{
	return entry->fts_info == FTS_F &&
	       (entry->fts_level == 0 || strcmp(entry->fts_name, "journal.jsonl") == 0);
}

static int walk(struct updater *u, FTS *fts, struct pario_err *err)
{
	FTSENT *entry;
	int status = 0;

	while (status == 0 && (entry = fts_read(fts))) {
		if (entry->fts_level > DEPTH)
			fts_set(fts, entry, FTS_SKIP);
		else if (is_journal(entry))
			status = take_file(u, entry->fts_path, entry->fts_statp, err);
		else if (entry->fts_level == 0 &&
			 (entry->fts_info == FTS_NS || entry->fts_info == FTS_DNR))
			status = pario_err_sys(err, entry->fts_errno, NULL, "%s cannot be read",
					       entry->fts_path);
	}
	return status;
}

static int by_number(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

/* In a fixed order, so that of two copies the same one counts every time. */
static int by_path(const FTSENT **x, const FTSENT **y)
{
	return strcmp((*x)->fts_name, (*y)->fts_name);
}

static int walk_all(struct updater *u, const char *const *directories, size_t count,
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
		status = fts ? walk(u, fts, err)
			     : pario_err_sys(err, errno, NULL, "%s cannot be read", directories[0]);
	}
	if (fts)
		fts_close(fts);
	for (size_t i = 0; paths && i < count; i++)
		free(paths[i]);
	free(paths);
	return status;
}

/* What vanished may have been the one that a copy stood behind: that is read then. */
int pario_index_update(struct pario_index *index, const char *const *directories, size_t count,
		       const char *across, size_t *read, struct pario_err *err)
{
	struct updater u = { .index = index, .across = across };
	size_t removed = 0;
	int status = pario_index_begin(index, err);

	if (status == 0)
		status = pario_index_scope(index, across, err);
	if (status == 0)
		status = walk_all(&u, directories, count, err);
	if (status == 0) {
		qsort(u.seen, u.count, sizeof(*u.seen), by_number);
		status = pario_index_keep(index, u.seen, u.count, &removed, err);
	}
	if (status == 0 && removed) {
		u.count = 0;
		status = walk_all(&u, directories, count, err);
	}
	if (status == 0)
		status = pario_index_commit(index, err);
	*read = u.read;
	free(u.seen);
	return status;
}

#endif
