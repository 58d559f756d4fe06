/*
 * archive: reads journals line by line; strings are shared, so that 100,000 results stay small.
 */
#include "report/page/archive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/random.h"
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

static void strings_release(struct pario_strings *strings)
{
	for (size_t i = 0; i < strings->capacity; i++)
		free(strings->slot[i]);
	free(strings->slot);
	*strings = (struct pario_strings){ 0 };
}

/* ---- kinds ---- */

enum { CHUNK = 1 << 18 };

/* `bytes` is a multiple of 8 and far below a chunk, or has one of its own. */
static void *pool_room(struct pario_pool *pool, size_t bytes)
{
	size_t capacity = bytes + sizeof(char *) > CHUNK ? bytes + sizeof(char *) : CHUNK;

	if (!pool->chunk || pool->used + bytes > CHUNK) {
		char *chunk = malloc(capacity);

		if (!chunk)
			return NULL;
		memcpy(chunk, &pool->chunk, sizeof(pool->chunk));
		pool->chunk = chunk;
		pool->used = sizeof(pool->chunk);
	}
	pool->used += bytes;
	return pool->chunk + pool->used - bytes;
}

static void pool_release(struct pario_pool *pool)
{
	while (pool->chunk) {
		char *before;

		memcpy(&before, pool->chunk, sizeof(before));
		free(pool->chunk);
		pool->chunk = before;
	}
}

/* Strings are kept once, so pointers stand for them. */
static size_t kind_hash(const struct pario_kind *k)
{
	uint64_t h = pario_random_join((uintptr_t)k->test, (uintptr_t)k->point);

	h = pario_random_join(h, pario_random_join((uintptr_t)k->phase, (uintptr_t)k->headline));
	h = pario_random_join(h, pario_random_join(k->point_index, k->clients));
	for (size_t i = 0; i < k->amount_count; i++)
		h = pario_random_join(h, (uintptr_t)k->amount[i].name);
	return (size_t)pario_random_join(h, k->volume);
}

static bool same_kind(const struct pario_kind *a, const struct pario_kind *b)
{
	bool same = a->volume == b->volume && a->test == b->test && a->point == b->point &&
		    a->phase == b->phase && a->point_index == b->point_index &&
		    a->clients == b->clients && a->headline == b->headline &&
		    a->better == b->better && a->amount_count == b->amount_count;

	for (size_t i = 0; same && i < a->amount_count; i++)
		same = a->amount[i].name == b->amount[i].name &&
		       a->amount[i].unit == b->amount[i].unit;
	return same;
}

static struct pario_kind **kind_slot(struct pario_kind **slot, size_t capacity,
				     const struct pario_kind *kind)
{
	size_t i = kind_hash(kind) & (capacity - 1);

	while (slot[i] && !same_kind(slot[i], kind))
		i = (i + 1) & (capacity - 1);
	return &slot[i];
}

static bool more_kinds(struct pario_archive *a)
{
	size_t capacity = a->kind_capacity ? 2 * a->kind_capacity : 256;
	struct pario_kind **slot = calloc(capacity, sizeof(*slot));

	if (!slot)
		return false;
	for (size_t i = 0; i < a->kind_capacity; i++) {
		if (a->kind[i])
			*kind_slot(slot, capacity, a->kind[i]) = a->kind[i];
	}
	free(a->kind);
	a->kind = slot;
	a->kind_capacity = capacity;
	return true;
}

static struct pario_kind *keep_kind(struct pario_archive *a, const struct pario_kind *kind)
{
	size_t bytes = sizeof(*kind) + kind->amount_count * sizeof(*kind->amount);
	struct pario_kind **slot;

	if (2 * (a->kind_count + 1) > a->kind_capacity && !more_kinds(a))
		return NULL;
	slot = kind_slot(a->kind, a->kind_capacity, kind);
	if (!*slot) {
		*slot = pool_room(&a->pool, bytes);
		if (*slot)
			memcpy(*slot, kind, bytes);
		a->kind_count += *slot != NULL;
	}
	return *slot;
}

/* ---- results ---- */

static struct pario_carried nothing_carried;

struct pario_carried *pario_reading_carry(struct pario_archive *a, struct pario_reading *r)
{
	struct pario_carried *own = r->more->carried;

	if (own != &nothing_carried)
		return own;
	own = pool_room(&a->pool, sizeof(*own));
	if (own) {
		*own = nothing_carried;
		r->more->carried = own;
	}
	return own;
}

/* Those of which there is nothing to keep share one, which is never written to: it has no detail and no tables. */
static struct pario_measures *keep_measures(struct pario_archive *a, const struct pario_kind *kind,
					    const struct pario_latency *latency_ns)
{
	static struct pario_measures none = { .latency_ns = { 0, NAN, NAN, NAN, NAN, NAN, NAN },
					      .carried = &nothing_carried };
	struct pario_measures *m;

	if (a->numbers_only && !kind->amount_count)
		return &none;
	m = pool_room(&a->pool, sizeof(*m) + kind->amount_count * sizeof(*m->value));
	if (!m)
		return NULL;
	*m = none;
	if (!a->numbers_only)
		m->latency_ns = *latency_ns;
	for (size_t i = 0; i < kind->amount_count; i++)
		m->value[i] = kind->amount[i].value;
	return m;
}

static struct pario_reading *room_for_reading(struct pario_archive *a)
{
	if (!pario_grow(a->reading, a->reading_count, a->reading_capacity))
		return NULL;
	return &a->reading[a->reading_count];
}

/* Metrics that are nobody's number. */
static void drop_amounts(struct pario_kind *kind)
{
	size_t count = 0;

	for (size_t i = 0; i < kind->amount_count; i++) {
		if (kind->amount[i].name == kind->headline)
			kind->amount[count++] = kind->amount[i];
	}
	kind->amount_count = count;
}

struct pario_reading *pario_archive_reading(struct pario_archive *a, struct pario_kind *kind,
					    const struct pario_reading *reading,
					    const struct pario_latency *latency_ns)
{
	struct pario_reading *r = room_for_reading(a);

	if (a->numbers_only)
		drop_amounts(kind);
	if (!r)
		return NULL;
	*r = *reading;
	r->of = keep_kind(a, kind);
	r->more = keep_measures(a, kind, latency_ns);
	if (!r->of || !r->more)
		return NULL;
	a->reading_count++;
	return r;
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

/* Room for a kind whatever it measures; one at a time. */
static struct pario_kind *kind_of(struct pario_archive *a, size_t volume, const json_t *line)
{
	json_t *metrics = json_object_get(line, "metrics"), *metric;
	struct pario_kind *kind =
		calloc(1, sizeof(*kind) + json_object_size(metrics) * sizeof(*kind->amount));
	bool whole = kind != NULL;
	const char *name;

	if (!kind)
		return NULL;
	kind->volume = volume;
	kind->test = pario_strings_keep(&a->strings, text_of(line, "test"));
	kind->point = pario_strings_keep(&a->strings, text_of(line, "point"));
	kind->phase = pario_strings_keep(&a->strings, text_of(line, "phase"));
	kind->headline = pario_strings_keep(&a->strings, text_of(line, "headline"));
	kind->point_index = count_of(line, "point_index");
	kind->clients = count_of(line, "clients");
	kind->better = pario_better_of(text_of(line, "better"));
	json_object_foreach(metrics, name, metric)
	{
		struct pario_amount *m = &kind->amount[kind->amount_count++];

		m->name = pario_strings_keep(&a->strings, name);
		m->unit = pario_strings_keep(&a->strings, text_of(metric, "unit"));
		m->value = real_of(metric, "value");
		whole &= m->name && m->unit;
	}
	if (whole && kind->test && kind->point && kind->phase && kind->headline)
		return kind;
	free(kind);
	return NULL;
}

static bool take_result(struct pario_archive *a, size_t volume, json_t *line)
{
	struct pario_kind *kind = kind_of(a, volume, line);
	struct pario_latency latency = latency_of(json_object_get(line, "latency_ns"));
	struct pario_reading *r, reading = {
		.reason = pario_strings_keep(&a->strings, text_of(line, "reason")),
		.repetition = count_of(line, "repetition") & PARIO_REPETITION_MOST,
		.bytes = count_of(line, "bytes"),
		.ops = count_of(line, "ops"),
		.bytes_untold = json_is_null(json_object_get(line, "bytes")),
		.ops_untold = json_is_null(json_object_get(line, "ops")),
		.outcome = pario_archive_outcome(text_of(line, "outcome")),
		.seconds = real_of(json_object_get(line, "seconds"), "total"),
		.rate_mib_s = real_of(line, "rate_mib_s"),
	};

	r = kind && reading.reason ? pario_archive_reading(a, kind, &reading, &latency) : NULL;
	free(kind);
	if (!r || a->numbers_only || !json_object_get(line, "sheets"))
		return r != NULL;
	if (json_array_append(a->kept, line) < 0 || !pario_reading_carry(a, r))
		return false;
	r->more->carried->line = line;
	return true;
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
	return pario_err_memory(err, "the journal %s", path);
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
	/* also where it turned out to be damaged: what was read stays */
	if (archive->volume_count > intake.volume) {
		archive->volume[intake.volume].torn = reader.torn;
		if (!name_volume(archive, &archive->volume[intake.volume], label))
			status = no_memory(path, err);
	}
	pario_journal_done(&reader);
	return status;
}

void pario_archive_release(struct pario_archive *archive)
{
	for (size_t i = 0; i < archive->reading_count; i++)
		free(archive->reading[i].more->carried->detail);
	free(archive->reading);
	free(archive->kind);
	pool_release(&archive->pool);
	for (size_t i = 0; i < archive->volume_count; i++)
		json_decref(archive->volume[i].lines);
	free(archive->volume);
	json_decref(archive->kept);
	strings_release(&archive->strings);
	*archive = (struct pario_archive){ 0 };
}

/* ---- asking ---- */

struct pario_amount pario_reading_find(const struct pario_reading *r, const char *name)
{
	const struct pario_kind *kind = r->of;

	for (size_t i = 0; i < kind->amount_count; i++) {
		if (strcmp(kind->amount[i].name, name) == 0)
			return (struct pario_amount){ kind->amount[i].name, kind->amount[i].unit,
						      r->more->value[i] };
	}
	return (struct pario_amount){ NULL, "", NAN };
}

const char *pario_reading_unit(const struct pario_reading *r)
{
	double unused = 0;

	if (*r->of->headline) {
		struct pario_amount m = pario_reading_find(r, r->of->headline);

		if (m.name)
			return pario_quantity_scaled(m.unit, &unused);
	}
	return r->bytes ? "MiB/s" : "ops/s";
}

double pario_reading_value(const struct pario_reading *r)
{
	if (*r->of->headline) {
		struct pario_amount m = pario_reading_find(r, r->of->headline);

		pario_quantity_scaled(m.unit, &m.value);
		return m.value;
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
	const struct pario_volume *v = &archive->volume[reading->of->volume];
	const char *text;
	char value[512];
	size_t from;
	int length = word_of(reading->of->point, name, &from);

	if (length < 0)
		return text_of(json_object_get(json_object_get(v->begin, "params"), name), "value");
	snprintf(value, sizeof(value), "%.*s", length, reading->of->point + from);
	text = pario_strings_keep(&archive->strings, value);
	return text ? text : "";
}

const json_t *pario_volume_at(const struct pario_volume *volume, const char *path)
{
	const json_t *at = volume->begin;
	char text[128];

	snprintf(text, sizeof(text), "%s", path);
	for (char *rest = text, *word; (word = pario_text_word(&rest, "."));)
		at = json_object_get(at, word);
	return at;
}

const char *pario_volume_machine(const struct pario_volume *volume, const char *path)
{
	char text[128];
	const json_t *at;

	snprintf(text, sizeof(text), "machine.%s", path);
	at = pario_volume_at(volume, text);
	return json_string_value(at) ? json_string_value(at) : "";
}

const char *pario_volume_program(const struct pario_volume *volume)
{
	json_t *line;
	size_t i;

	json_array_foreach(volume->lines, i, line)
	{
		if (strcmp(text_of(line, "kind"), "import") == 0)
			return text_of(line, "program");
	}
	return "";
}
