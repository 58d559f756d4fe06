/*
 * directory: an io500 run leaves a directory with its result, its summary, the outputs of IOR and mdtest, and tables of
 * single ranks. They belong together when no two of them tell different scores; else the directory is a collection.
 *
 * Together they are one run: the result's phases, then what IOR and mdtest printed of each phase, whose point is called
 * by the name of its file, with the spread between the ranks. What only the outputs tell of a phase (the number of
 * processes in results of 2020) is taken over.
 */
#include "import/directory.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "base/text.h"
#include "import/text.h"

enum { DEPTH = 16, SCORES = 4096 };

struct member {
	char path[4096], stem[128];
	struct pario_harvest harvest;
	uint64_t hash, bytes;
};

struct search {
	pario_import_found *found;
	void *data;
	struct pario_import_tally *tally;
	struct pario_err *err; /* of the first run that could not be kept */
	double score[SCORES];  /* of the runs that were found */
	size_t scores;
};

/* Reports beside the results are nothing to speak of; results that cannot be read are. */
static void pass_over(struct search *s, bool known, const struct pario_err *err)
{
	if (!known) {
		s->tally->unknown++;
		return;
	}
	s->tally->refused++;
	if (!s->err->code)
		*s->err = *err;
}

/* "ior_easy_write.txt" as the phase is called today. */
static void stem_of(const char *name, char stem[128])
{
	snprintf(stem, 128, "%.*s", (int)strcspn(name, "."), name);
	for (char *c = stem; *c; c++)
		*c = *c == '_' ? '-' : *c;
}

/* False where the file holds nothing that is known, or where it was refused. */
static bool read_member(struct search *s, struct member *m, const char *directory, const char *name)
{
	struct pario_import_file source;
	struct pario_err err = { 0 };
	bool read = false, known = true;

	if (snprintf(m->path, sizeof(m->path), "%s/%s", directory, name) >= (int)sizeof(m->path))
		return false;
	if (pario_import_file_open(&source, m->path, &err) == 0) {
		stem_of(name, m->stem);
		m->hash = source.hash;
		m->bytes = source.bytes;
		known = pario_import_known(&source);
		read = known && pario_import_read(&source, &m->harvest, &err) == 0;
		pario_import_file_release(&source);
	}
	if (!read)
		pass_over(s, known, &err);
	return read;
}

static const struct pario_result *score_of(const struct pario_harvest *h)
{
	for (size_t i = 0; i < h->count; i++) {
		if (strcmp(h->results[i].test, "io500") == 0 &&
		    strcmp(h->results[i].phase, "score") == 0)
			return &h->results[i];
	}
	return NULL;
}

/* Does the directory hold one run of io500? Scores are written with different precision. */
static bool is_one(const struct member *m, size_t count)
{
	double score = NAN;

	for (size_t i = 0; i < count; i++) {
		const struct pario_result *r = score_of(&m[i].harvest);
		double value = r ? pario_result_find(r, "SCORE")->value : (double)NAN;

		if (!r)
			continue;
		if (isfinite(score) && !(fabs(value - score) <= 1e-5 * fabs(score)))
			return false;
		score = value;
	}
	return isfinite(score);
}

/* ---- several harvests become one ---- */

static struct pario_result *find(struct pario_harvest *h, const char *stem,
				 const struct pario_result *like)
{
	for (size_t i = 0; i < h->count; i++) {
		struct pario_result *r = &h->results[i];
		const char *of = json_string_value(
			json_object_get(json_array_get(h->points, (size_t)r->point_index), "file"));

		if (of && strcmp(of, stem) == 0 && strcmp(r->phase, like->phase) == 0 &&
		    r->repetition == like->repetition)
			return r;
	}
	return NULL;
}

/* The table of ranks says more of a result that is there. */
static bool add_ranks(struct pario_harvest *h, const struct member *m)
{
	bool added = m->harvest.count > 0;

	if (!strstr(m->harvest.format, "-ranks"))
		return false;
	for (size_t i = 0; i < m->harvest.count; i++) {
		struct pario_result *of = find(h, m->stem, &m->harvest.results[i]);

		added &= of != NULL;
		if (!of)
			continue;
		of->between_clients = m->harvest.results[i].between_clients;
		free((void *)(uintptr_t)of->detail);
		of->detail = m->harvest.results[i].detail;
		m->harvest.results[i].detail = NULL;
	}
	return added;
}

/* Phases of io500 that another file of the run told already. */
static bool is_told(const struct pario_harvest *h, const struct pario_result *r)
{
	for (size_t i = 0; i < h->count && strcmp(r->test, "io500") == 0; i++) {
		if (strcmp(h->results[i].test, "io500") == 0 &&
		    strcmp(h->results[i].phase, r->phase) == 0)
			return true;
	}
	return false;
}

static void about(struct pario_harvest *h, const struct pario_harvest *from)
{
	size_t length = strlen(h->program);

	if (!strstr(h->program, from->program))
		snprintf(h->program + length, sizeof(h->program) - length, "%s%s",
			 length ? ", " : "", from->program);
	if (!*h->time) {
		memcpy(h->time, from->time, sizeof(h->time));
		h->zone_untold = from->zone_untold;
	}
	if (!*h->host)
		memcpy(h->host, from->host, sizeof(h->host));
}

static int add_member(struct pario_harvest *h, struct member *m, struct pario_err *err)
{
	size_t base = json_array_size(h->points), i;
	json_t *point, *note;

	about(h, &m->harvest);
	/* within io500 IOR prints no summary behind its rows */
	json_array_foreach(m->harvest.notes, i, note)
	{
		if (!pario_after(json_string_value(note), PARIO_IOR_OPEN_END))
			pario_harvest_note(h, "%s: %s", m->stem, json_string_value(note));
	}
	if (add_ranks(h, m))
		return 0;
	json_array_foreach(m->harvest.points, i, point)
	{
		if (!score_of(&m->harvest))
			json_object_set_new(point, "file", json_string(m->stem));
		json_array_append(h->points, point);
	}
	for (i = 0; i < m->harvest.count; i++) {
		struct pario_result *from = &m->harvest.results[i], *r;

		if (is_told(h, from))
			continue;
		h->test = from->test;
		r = pario_harvest_result(h, from->phase, from->clients, err);
		if (!r)
			return -1;
		from->point_index += base;
		*r = *from;
		from->detail = NULL;
	}
	return 0;
}

/* The number of processes that all phases have, or 0. */
static uint64_t common_clients(const struct pario_harvest *h)
{
	uint64_t common = 0;

	for (size_t i = 0; i < h->count; i++) {
		uint64_t own = h->results[i].clients;

		if (own && common && own != common)
			return 0;
		common = own ? own : common;
	}
	return common;
}

/* What the outputs know and the result does not. */
static void fill_clients(struct pario_harvest *h)
{
	uint64_t common = common_clients(h);

	for (size_t i = 0; i < h->count; i++) {
		struct pario_result *r = &h->results[i];

		for (size_t k = 0; k < h->count && !r->clients; k++) {
			const char *file = json_string_value(json_object_get(
				json_array_get(h->points, (size_t)h->results[k].point_index),
				"file"));

			if (file && strcmp(file, r->phase) == 0)
				r->clients = h->results[k].clients;
		}
		r->clients = r->clients ? r->clients : common;
	}
}

/* The number of nodes that all outputs agree on. */
static void fill_nodes(struct pario_harvest *h)
{
	const char *nodes = NULL;
	json_t *point;
	size_t i;

	json_array_foreach(h->points, i, point)
	{
		const char *own = json_string_value(json_object_get(point, "nodes"));

		if (own && nodes && strcmp(own, nodes) != 0)
			return;
		nodes = own ? own : nodes;
	}
	json_array_foreach(h->points, i, point)
	{
		if (nodes && !json_object_get(point, "nodes"))
			json_object_set_new(point, "nodes", json_string(nodes));
	}
}

/* The result first, tables of ranks last. */
static int by_kind(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int kind_x = score_of(&x->harvest) ? 0 : strstr(x->harvest.format, "-ranks") ? 2 : 1;
	int kind_y = score_of(&y->harvest) ? 0 : strstr(y->harvest.format, "-ranks") ? 2 : 1;

	return kind_x != kind_y ? kind_x - kind_y : strcmp(x->path, y->path);
}

static int together(struct search *s, const char *path, struct member *m, size_t count,
		    struct pario_err *err)
{
	struct pario_import_file source = { .path = path };
	struct pario_harvest all = { .format = "io500-directory",
				     .named = true,
				     .points = json_array(),
				     .runs = json_object(),
				     .repetitions = json_object(),
				     .notes = json_array() };
	int status = 0;

	for (size_t i = 0; status == 0 && i < count; i++) {
		source.hash = XXH64(&m[i].hash, sizeof(m[i].hash), source.hash);
		source.bytes += m[i].bytes;
		status = add_member(&all, &m[i], err);
	}
	fill_clients(&all);
	fill_nodes(&all);
	if (status == 0)
		status = s->found(s->data, &source, &all, err);
	pario_harvest_release(&all);
	return status;
}

/* A summary alone, above or beside the directory of its run, tells nothing new. */
static bool is_repeated(struct search *s, const struct member *m, size_t count)
{
	double score = pario_result_find(score_of(&m[0].harvest), "SCORE")->value;

	for (size_t i = 0; i < s->scores && count == 1; i++) {
		if (fabs(s->score[i] - score) <= 1e-9 * score)
			return true;
	}
	if (s->scores < SCORES)
		s->score[s->scores++] = score;
	return false;
}

static int give(struct search *s, const char *path, struct member *m, size_t count)
{
	struct pario_err err = { 0 };
	int status = 0;

	s->tally->files += count;
	if (is_one(m, count)) {
		qsort(m, count, sizeof(*m), by_kind);
		if (!is_repeated(s, m, count)) {
			s->tally->runs++;
			status = together(s, path, m, count, &err);
		}
	}
	for (size_t i = 0; i < count && !is_one(m, count); i++) {
		struct pario_import_file source = { .path = m[i].path,
						    .bytes = m[i].bytes,
						    .hash = m[i].hash };

		s->tally->runs++;
		if (s->found(s->data, &source, &m[i].harvest, &err) < 0)
			status = -1;
	}
	if (status < 0 && !s->err->code)
		*s->err = err;
	return status;
}

/* ---- the tree ---- */

static int search(struct search *s, const char *path, unsigned depth);

/* Files of the directory are gathered, others are searched. */
static int enter(struct search *s, const char *path, struct dirent **entry, int entries,
		 struct member *m, unsigned depth)
{
	size_t count = 0;
	int status = 0;

	for (int i = 0; i < entries; i++) {
		char below[4096];
		struct stat st;

		if (*entry[i]->d_name == '.' ||
		    snprintf(below, sizeof(below), "%s/%s", path, entry[i]->d_name) >=
			    (int)sizeof(below) ||
		    lstat(below, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth < DEPTH) {
			status |= search(s, below, depth + 1);
		} else if (S_ISREG(st.st_mode)) {
			count += read_member(s, &m[count], path, entry[i]->d_name);
		}
	}
	if (count)
		status |= give(s, path, m, count);
	for (size_t i = 0; i < count; i++)
		pario_harvest_release(&m[i].harvest);
	return status;
}

static int search(struct search *s, const char *path, unsigned depth)
{
	struct dirent **entry;
	int entries = scandir(path, &entry, NULL, alphasort), status = -1;
	struct member *m = entries > 0 ? calloc((size_t)entries, sizeof(*m)) : NULL;

	if (entries < 0 && !s->err->code)
		pario_err_sys(s->err, errno, NULL, "%s cannot be listed", path);
	else if (entries >= 0 && m)
		status = enter(s, path, entry, entries, m, depth);
	for (int i = 0; i < entries; i++)
		free(entry[i]);
	if (entries >= 0)
		free(entry);
	free(m);
	return s->err->code ? -1 : status;
}

int pario_import_directory(const char *path, pario_import_found *found, void *data,
			   struct pario_import_tally *tally, struct pario_err *err)
{
	struct search s = { .found = found, .data = data, .tally = tally, .err = err };
	int status;

	*tally = (struct pario_import_tally){ 0 };
	status = search(&s, path, 0);
	if (status == 0 && tally->runs == 0)
		return pario_err_set(err, PARIO_USAGE,
				     "no file below %s holds results that can be imported: of IOR, "
				     "mdtest, io500, fio, elbencho or Darshan.",
				     path);
	return status;
}
