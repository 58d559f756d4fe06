/*
 * earlier: looks at the first line of every journal one level below a directory, and reads those that fit.
 */
#include "report/compare/earlier.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "journal/journal.h"

/* More of them reach back to when the system was another one. */
enum { MOST = 30, LOOKED_AT = 20000 };

struct finder {
	struct pario_earlier_run *found;
	size_t count, capacity;
	const char *test, *host, *place;     /* what is looked for */
	const struct pario_archive *without; /* what is there already; NULL = nothing */
};

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "";
}

static const char *host_of(const json_t *begin)
{
	return text_of(json_object_get(begin, "machine"), "host");
}

static const char *place_of(const json_t *begin)
{
	return text_of(json_object_get(json_object_get(begin, "params"), "dir"), "value");
}

static bool is_same(const json_t *a, const json_t *b, const char *name)
{
	return strcmp(text_of(a, name), text_of(b, name)) == 0;
}

/* Two runs with the same id and time are one. */
static bool is_there(const struct pario_archive *archive, const json_t *begin)
{
	for (size_t i = 0; archive && i < archive->volume_count; i++) {
		if (is_same(archive->volume[i].begin, begin, "run") &&
		    is_same(archive->volume[i].begin, begin, "time"))
			return true;
	}
	return false;
}

static bool fits(const struct finder *f, const json_t *begin)
{
	return *host_of(begin) && strcmp(host_of(begin), f->host) == 0 &&
	       strcmp(place_of(begin), f->place) == 0 &&
	       strcmp(text_of(begin, "test"), f->test) == 0 && !is_there(f->without, begin);
}

static bool keep(struct finder *f, const char *path, const char *time)
{
	if (!pario_grow(f->found, f->count, f->capacity))
		return false;
	snprintf(f->found[f->count].path, sizeof(f->found->path), "%s", path);
	snprintf(f->found[f->count++].time, sizeof(f->found->time), "%s", time);
	return true;
}

static bool look_at(struct finder *f, const char *path)
{
	struct pario_journal_reader reader;
	struct pario_err ignored = { 0 };
	json_t *begin = NULL;
	bool memory = true;

	if (pario_journal_open(&reader, path, &ignored) < 0)
		return true;
	if (pario_journal_next(&reader, &begin, &ignored) == 1 && fits(f, begin))
		memory = keep(f, path, text_of(begin, "time"));
	json_decref(begin);
	pario_journal_done(&reader);
	return memory;
}

static bool look(struct finder *f, const char *directory)
{
	DIR *d = opendir(directory);
	struct dirent *entry;
	bool memory = true;

	for (size_t i = 0; d && memory && i < LOOKED_AT && (entry = readdir(d)); i++) {
		char path[4096];

		if (entry->d_name[0] == '.' ||
		    (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN) ||
		    snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name) >=
			    (int)sizeof(path))
			continue;
		memory = look_at(f, path);
	}
	if (d)
		closedir(d);
	return memory;
}

static int by_time(const void *x, const void *y)
{
	const struct pario_earlier_run *a = x, *b = y;
	int order = strcmp(a->time, b->time);

	return order ? order : strcmp(a->path, b->path);
}

int pario_earlier_add(struct pario_archive *archive, const char *directory, struct pario_err *err)
{
	const json_t *first = archive->volume[0].begin;
	struct finder f = { .test = text_of(first, "test"),
			    .host = host_of(first),
			    .place = place_of(first),
			    .without = archive };
	bool memory = look(&f, directory);

	if (f.count)
		qsort(f.found, f.count, sizeof(*f.found), by_time);
	for (size_t i = f.count > MOST ? f.count - MOST : 0; memory && i < f.count; i++) {
		struct pario_err ignored = { 0 };

		/* what was read before damage is true all the same */
		pario_archive_add(archive, f.found[i].path, NULL, &ignored);
	}
	free(f.found);
	return memory ? 0 : pario_err_memory(err, NULL);
}

bool pario_earlier_latest(const char *directory, const char *test, const char *host,
			  const char *place, struct pario_earlier_run *run)
{
	struct finder f = { .test = test, .host = host, .place = place };
	bool found = look(&f, directory) && f.count;

	if (found) {
		qsort(f.found, f.count, sizeof(*f.found), by_time);
		*run = f.found[f.count - 1];
	}
	free(f.found);
	return found;
}
