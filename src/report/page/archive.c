/*
 * archive: reads journals line by line; strings are shared, so that 100,000 results stay small.
 */
#include "report/page/archive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "journal/journal.h"
#include "report/text/quantity.h"

/* ---- strings ---- */

/* FNV-1a: short texts, no adversary that gains anything. */
static size_t hash_of(const char *text)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return (size_t)(h ^ h >> 29);
}

static char **slot_of(char **slot, size_t capacity, const char *text)
{
	size_t i = hash_of(text) & (capacity - 1);

	while (slot[i] && strcmp(slot[i], text) != 0)
		i = (i + 1) & (capacity - 1);
	return &slot[i];
}

static bool grow(struct pario_strings *strings)
{
	size_t capacity = strings->capacity ? 2 * strings->capacity : 256;
	char **slot = calloc(capacity, sizeof(*slot));

	if (!slot)
		return false;
	for (size_t i = 0; i < strings->capacity; i++) {
		if (strings->slot[i])
			*slot_of(slot, capacity, strings->slot[i]) = strings->slot[i];
	}
	free(strings->slot);
	strings->slot = slot;
	strings->capacity = capacity;
	return true;
}

const char *pario_strings_keep(struct pario_strings *strings, const char *text)
{
	char **slot;

	if (2 * (strings->count + 1) > strings->capacity && !grow(strings))
		return NULL;
	slot = slot_of(strings->slot, strings->capacity, text);
	if (!*slot) {
		*slot = strdup(text);
		strings->count += *slot != NULL;
	}
	return *slot;
}

void pario_strings_release(struct pario_strings *strings)
{
	for (size_t i = 0; i < strings->capacity; i++)
		free(strings->slot[i]);
	free(strings->slot);
	*strings = (struct pario_strings){ 0 };
}

/* ---- lines ---- */

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static double real_of(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static uint64_t count_of(const json_t *object, const char *key)
{
	json_int_t value = json_integer_value(json_object_get(object, key));

	return value > 0 ? (uint64_t)value : 0;
}

enum pario_outcome pario_archive_outcome(const char *name)
{
	for (int i = PARIO_PASS; i <= PARIO_SUSPECT; i++) {
		if (strcmp(name, pario_outcome_name((enum pario_outcome)i)) == 0)
			return (enum pario_outcome)i;
	}
	return PARIO_FAIL;
}

static bool take_amounts(struct pario_archive *a, struct pario_reading *r, json_t *metrics)
{
	size_t count = json_object_size(metrics);
	const char *name;
	json_t *metric;

	if (!count)
		return true;
	r->amount = calloc(count, sizeof(*r->amount));
	if (!r->amount)
		return false;
	json_object_foreach(metrics, name, metric)
	{
		struct pario_amount *m = &r->amount[r->amount_count++];

		m->name = pario_strings_keep(&a->strings, name);
		m->unit = pario_strings_keep(&a->strings, text_of(metric, "unit"));
		m->value = real_of(metric, "value");
		if (!m->name || !m->unit)
			return false;
	}
	return true;
}

static struct pario_latency latency_of(const json_t *l)
{
	return (struct pario_latency){ .count = count_of(l, "count"),
				       .min = real_of(l, "min"),
				       .p50 = real_of(l, "p50"),
				       .p90 = real_of(l, "p90"),
				       .p99 = real_of(l, "p99"),
				       .p999 = real_of(l, "p999"),
				       .max = real_of(l, "max") };
}

struct pario_reading *pario_archive_reading(struct pario_archive *a, size_t volume)
{
	struct pario_reading *r;

	if (a->reading_count == a->reading_capacity) {
		size_t capacity = a->reading_capacity ? 2 * a->reading_capacity : 256;

		r = realloc(a->reading, capacity * sizeof(*r));
		if (!r)
			return NULL;
		a->reading = r;
		a->reading_capacity = capacity;
	}
	r = &a->reading[a->reading_count++];
	*r = (struct pario_reading){ .volume = volume, .headline = "", .better = 1 };
	return r;
}

static bool take_result(struct pario_archive *a, size_t volume, json_t *line)
{
	struct pario_reading *r = pario_archive_reading(a, volume);

	if (!r)
		return false;
	*r = (struct pario_reading){
		.volume = volume,
		.test = pario_strings_keep(&a->strings, text_of(line, "test")),
		.point = pario_strings_keep(&a->strings, text_of(line, "point")),
		.phase = pario_strings_keep(&a->strings, text_of(line, "phase")),
		.reason = pario_strings_keep(&a->strings, text_of(line, "reason")),
		.point_index = count_of(line, "point_index"),
		.clients = count_of(line, "clients"),
		.repetition = count_of(line, "repetition"),
		.bytes = count_of(line, "bytes"),
		.ops = count_of(line, "ops"),
		.outcome = pario_archive_outcome(text_of(line, "outcome")),
		.seconds = real_of(json_object_get(line, "seconds"), "total"),
		.rate_mib_s = real_of(line, "rate_mib_s"),
		.latency_ns = latency_of(json_object_get(line, "latency_ns")),
		.headline = pario_strings_keep(&a->strings, text_of(line, "headline")),
		.better = pario_better_of(text_of(line, "better")),
	};
	if (json_object_get(line, "sheets")) {
		if (json_array_append(a->kept, line) < 0)
			return false;
		r->line = line;
	}
	return r->test && r->point && r->phase && r->reason && r->headline &&
	       take_amounts(a, r, json_object_get(line, "metrics"));
}

static bool take_line(struct pario_archive *a, struct pario_volume *v, json_t *line)
{
	const char *kind = text_of(line, "kind");

	if (strcmp(kind, "result") == 0)
		return take_result(a, (size_t)(v - a->volume), line);
	if (json_array_append(v->lines, line) < 0)
		return false;
	if (strcmp(kind, "begin") == 0 && !v->begin)
		v->begin = line;
	if (strcmp(kind, "end") == 0)
		v->end = line;
	return true;
}

/* "pario-results/2026-11-15T08-03-glance-3f9a1c" or its journal: the directory's name. */
static const char *name_of(struct pario_archive *a, const char *path)
{
	char text[4096];
	char *slash;

	snprintf(text, sizeof(text), "%s", path);
	slash = strrchr(text, '/');
	if (slash && slash != text && strcmp(slash, "/journal.jsonl") == 0)
		*slash = '\0';
	for (size_t n = strlen(text); n > 1 && text[n - 1] == '/'; n--)
		text[n - 1] = '\0';
	slash = strrchr(text, '/');
	return pario_strings_keep(&a->strings, slash && slash[1] ? slash + 1 : text);
}

static bool name_volume(struct pario_archive *a, struct pario_volume *v, const char *label)
{
	const char *own = text_of(v->begin, "label");

	v->named = label && *label;
	v->label = v->named ? pario_strings_keep(&a->strings, label)
		   : *own   ? pario_strings_keep(&a->strings, own)
			    : name_of(a, v->path);
	v->test = pario_strings_keep(&a->strings, text_of(v->begin, "test"));
	v->time = pario_strings_keep(&a->strings, text_of(v->begin, "time"));
	v->version = pario_strings_keep(&a->strings, text_of(v->begin, "version"));
	v->id = pario_strings_keep(&a->strings, text_of(v->begin, "run"));
	return v->label && v->test && v->time && v->version && v->id;
}

static int no_memory(const char *path, struct pario_err *err)
{
	return pario_err_set(err, PARIO_SYSTEM, "there is no memory for the journal %s.", path);
}

static struct pario_volume *add_volume(struct pario_archive *a, const char *path)
{
	struct pario_volume *more = realloc(a->volume, (a->volume_count + 1) * sizeof(*more));

	if (!more)
		return NULL;
	a->volume = more;
	more += a->volume_count++;
	*more = (struct pario_volume){ .path = pario_strings_keep(&a->strings, path),
				       .lines = json_array() };
	if (!a->kept)
		a->kept = json_array();
	return more->path && more->lines && a->kept ? more : NULL;
}

struct intake {
	struct pario_archive *archive;
	size_t volume;
	const char *path;
};

/* Results are many and are taken from the text; the rest, and results with tables, as objects. */
static int take_any(void *self, const char *text, size_t length, json_t *object,
		    struct pario_err *err)
{
	struct intake *in = self;
	int taken;

	if (object)
		return take_line(in->archive, &in->archive->volume[in->volume], object)
			       ? 1
			       : no_memory(in->path, err);
	taken = pario_archive_scan(in->archive, in->volume, text, length);
	return taken < 0 ? no_memory(in->path, err) : taken;
}

int pario_archive_add(struct pario_archive *archive, const char *path, const char *label,
		      struct pario_err *err)
{
	struct pario_journal_reader reader;
	struct intake intake = { archive, archive->volume_count, path };
	int status;

	if (pario_journal_open(&reader, path, err) < 0)
		return -1;
	if (!add_volume(archive, path))
		status = no_memory(path, err);
	else
		status = pario_journal_walk(&reader, take_any, &intake, err);
	if (status == 0) {
		archive->volume[intake.volume].torn = reader.torn;
		if (!name_volume(archive, &archive->volume[intake.volume], label))
			status = no_memory(path, err);
	}
	pario_journal_done(&reader);
	return status;
}

void pario_archive_release(struct pario_archive *archive)
{
	for (size_t i = 0; i < archive->reading_count; i++) {
		free(archive->reading[i].amount);
		free(archive->reading[i].detail);
	}
	free(archive->reading);
	for (size_t i = 0; i < archive->volume_count; i++)
		json_decref(archive->volume[i].lines);
	free(archive->volume);
	json_decref(archive->kept);
	pario_strings_release(&archive->strings);
	*archive = (struct pario_archive){ 0 };
}

/* ---- asking ---- */

const struct pario_amount *pario_reading_find(const struct pario_reading *reading, const char *name)
{
	for (size_t i = 0; i < reading->amount_count; i++) {
		if (strcmp(reading->amount[i].name, name) == 0)
			return &reading->amount[i];
	}
	return NULL;
}

const char *pario_reading_unit(const struct pario_reading *r)
{
	const struct pario_amount *m = *r->headline ? pario_reading_find(r, r->headline) : NULL;
	double unused = 0;

	if (m)
		return pario_quantity_scaled(m->unit, &unused);
	return r->bytes ? "MiB/s" : "ops/s";
}

double pario_reading_value(const struct pario_reading *r)
{
	const struct pario_amount *m = *r->headline ? pario_reading_find(r, r->headline) : NULL;
	double value = m ? m->value : (double)NAN;

	if (*r->headline) {
		pario_quantity_scaled(m ? m->unit : "", &value);
		return value;
	}
	if (r->bytes > 0)
		return r->rate_mib_s;
	return r->ops > 0 && r->seconds > 0 ? (double)r->ops / r->seconds : r->rate_mib_s;
}

/* The value of `name` in "a=1 name=2 b=3"; -1 when it is not there. */
static int word_of(const char *point, const char *name, size_t *from)
{
	size_t length = strlen(name);

	for (const char *word = point; word; word = strchr(word, ' ')) {
		word += *word == ' ';
		if (strncmp(word, name, length) == 0 && word[length] == '=') {
			*from = (size_t)(word - point) + length + 1;
			return (int)strcspn(point + *from, " ");
		}
	}
	return -1;
}

const char *pario_reading_param(struct pario_archive *archive, const struct pario_reading *reading,
				const char *name)
{
	const struct pario_volume *v = &archive->volume[reading->volume];
	const char *text;
	char value[512];
	size_t from;
	int length = word_of(reading->point, name, &from);

	if (length < 0)
		return text_of(json_object_get(json_object_get(v->begin, "params"), name), "value");
	snprintf(value, sizeof(value), "%.*s", length, reading->point + from);
	text = pario_strings_keep(&archive->strings, value);
	return text ? text : "";
}

const char *pario_volume_machine(const struct pario_volume *volume, const char *path)
{
	const json_t *at = json_object_get(volume->begin, "machine");
	char text[128], *save = NULL;

	snprintf(text, sizeof(text), "%s", path);
	for (char *word = strtok_r(text, ".", &save); word; word = strtok_r(NULL, ".", &save))
		at = json_object_get(at, word);
	return json_string_value(at) ? json_string_value(at) : "";
}
