/*
 * result: what is in a result line, and in which order?
 *
 * One table holds every member with its place in the struct; writing and reading both walk it, so the
 * two cannot disagree. Only the metrics stand outside, because their names belong to the tests.
 */
#include "journal/result.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum type {
	TEXT,
	NEWER,
	COUNT,
	TOLD,
	REAL,
	OUTCOME
}; /* NEWER: a text that older journals lack. TOLD: a count, or null where nobody told it */

struct field {
	const char *group; /* the object that holds the member, NULL for the line itself */
	const char *name;
	enum type type;
	size_t offset, size;
};

#define FIELD(group_, name_, type_, member_)                         \
	{                                                            \
		.group = (group_), .name = (name_), .type = (type_), \
		.offset = offsetof(struct pario_result, member_),    \
		.size = sizeof(((struct pario_result *)0)->member_), \
	}
#define TOP(type_, member_)	   FIELD(NULL, #member_, type_, member_)
#define IN(group_, type_, member_) FIELD(#group_, #member_, type_, group_.member_)

/* Members of one group stand together: the writer opens and closes its object where the group changes. */
static const struct field fields[] = {
	TOP(TEXT, test),
	TOP(TEXT, point),
	TOP(COUNT, point_index),
	TOP(COUNT, clients),
	TOP(COUNT, repetition),
	TOP(TEXT, phase),
	TOP(OUTCOME, outcome),
	TOP(TEXT, reason),
	TOP(TOLD, bytes),
	TOP(TOLD, ops),
	IN(seconds, REAL, open),
	IN(seconds, REAL, transfer),
	IN(seconds, REAL, sync),
	IN(seconds, REAL, close),
	IN(seconds, REAL, total),
	TOP(REAL, rate_mib_s),
	TOP(REAL, rate_first_done_mib_s),
	IN(between_clients, REAL, min_s),
	IN(between_clients, REAL, mean_s),
	IN(between_clients, REAL, max_s),
	IN(between_clients, REAL, variance),
	IN(latency_ns, TOLD, count),
	IN(latency_ns, REAL, min),
	IN(latency_ns, REAL, p50),
	IN(latency_ns, REAL, p90),
	IN(latency_ns, REAL, p99),
	IN(latency_ns, REAL, p999),
	IN(latency_ns, REAL, max),
	IN(cache, TEXT, wanted),
	IN(cache, TEXT, method),
	IN(cache, TOLD, pages_total),
	IN(cache, TOLD, pages_resident),
	IN(cache, NEWER, excluded),
	IN(cache, NEWER, not_excluded),
	IN(cache, TEXT, reason),
};

enum { FIELD_COUNT = sizeof(fields) / sizeof(fields[0]) };

static const char *const outcomes[] = {
	[PARIO_PASS] = "pass",
	[PARIO_FAIL] = "fail",
	[PARIO_SKIP] = "skip",
	[PARIO_SUSPECT] = "suspect",
};

enum { OUTCOME_COUNT = sizeof(outcomes) / sizeof(outcomes[0]) };

const char *pario_outcome_name(enum pario_outcome outcome)
{
	return (size_t)outcome < OUTCOME_COUNT ? outcomes[outcome] : outcomes[PARIO_FAIL];
}

/* Copies what fits and never leaves half a UTF-8 sequence at the end. */
static void copy(char *to, size_t capacity, const char *from)
{
	size_t length = strnlen(from, capacity);

	if (length == capacity) {
		length--;
		/* A sequence has at most three bytes after its first; more of them are not UTF-8 anyway. */
		for (int back = 0;
		     back < 3 && length && ((unsigned char)from[length] & 0xc0) == 0x80; back++)
			length--;
	}
	memcpy(to, from, length);
	to[length] = '\0';
}

void pario_result_init(struct pario_result *result)
{
	memset(result, 0, sizeof(*result));
	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (fields[i].type == REAL)
			*(double *)((char *)result + fields[i].offset) = NAN;
	copy(result->cache.wanted, sizeof(result->cache.wanted), "any");
	copy(result->cache.method, sizeof(result->cache.method), "none");
	result->better = 1;
}

const struct pario_metric *pario_result_find(const struct pario_result *result, const char *name)
{
	for (size_t i = 0; i < result->metric_count; i++)
		if (strcmp(result->metrics[i].name, name) == 0)
			return &result->metrics[i];
	return NULL;
}

void pario_result_metric(struct pario_result *result, const char *name, const char *unit,
			 double value)
{
	struct pario_metric metric = { .value = value };
	const struct pario_metric *known;

	copy(metric.name, sizeof(metric.name), name);
	copy(metric.unit, sizeof(metric.unit), unit);
	/* A name is a key of the line's object: a second one would make the line unreadable. */
	known = pario_result_find(result, metric.name);
	if (known) {
		result->metrics[known - result->metrics] = metric;
		return;
	}
	assert(result->metric_count < PARIO_RESULT_METRICS);
	if (result->metric_count < PARIO_RESULT_METRICS)
		result->metrics[result->metric_count++] = metric;
}

const char *pario_better_name(int better)
{
	return better < 0 ? "lower" : better > 0 ? "higher" : "neither";
}

int pario_better_of(const char *name)
{
	return strcmp(name, "lower") == 0 ? -1 : strcmp(name, "neither") != 0;
}

void pario_result_headline(struct pario_result *result, const char *name, int better)
{
	copy(result->headline, sizeof(result->headline), name);
	result->better = better;
}

static bool same_group(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static void write_field(struct pario_json *json, const struct field *field,
			const struct pario_result *result)
{
	const char *at = (const char *)result + field->offset;

	switch (field->type) {
	case TEXT:
	case NEWER:
		pario_json_string(json, field->name, at);
		break;
	case COUNT:
	case TOLD:
		if (*(const uint64_t *)at == PARIO_UNTOLD)
			pario_json_null(json, field->name);
		else
			pario_json_u64(json, field->name, *(const uint64_t *)at);
		break;
	case REAL:
		pario_json_real(json, field->name, *(const double *)at);
		break;
	case OUTCOME:
		pario_json_string(json, field->name, pario_outcome_name(result->outcome));
		break;
	}
}

void pario_result_write(struct pario_json *json, const struct pario_result *result)
{
	const char *group = NULL;

	for (size_t i = 0; i < FIELD_COUNT; i++) {
		if (!same_group(group, fields[i].group)) {
			if (group)
				pario_json_close(json, '}');
			group = fields[i].group;
			if (group)
				pario_json_open(json, group, '{');
		}
		write_field(json, &fields[i], result);
	}
	if (group)
		pario_json_close(json, '}');
	pario_json_open(json, "metrics", '{');
	for (size_t i = 0; i < result->metric_count; i++) {
		pario_json_open(json, result->metrics[i].name, '{');
		pario_json_real(json, "value", result->metrics[i].value);
		pario_json_string(json, "unit", result->metrics[i].unit);
		pario_json_close(json, '}');
	}
	pario_json_close(json, '}');
	pario_json_string(json, "headline", result->headline);
	pario_json_string(json, "better", pario_better_name(result->better));
	if (result->detail)
		pario_detail_write(json, result->detail);
	if (result->disturbances)
		pario_disturbances_write(json, result->disturbances);
	if (result->tables && result->tables->count)
		pario_result_tables_write(json, result->tables);
}

static const char *type_name(const json_t *value)
{
	if (!value)
		return "missing";
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
		return json_integer_value(value) < 0 ? "a negative number" : "a whole number";
	case JSON_REAL:
		return "a fraction";
	case JSON_TRUE:
	case JSON_FALSE:
		return "true or false";
	case JSON_NULL:
		break;
	}
	return "null";
}

/* The sentence about one member that is not what it must be. */
static int refuse(const char *group, const char *name, const char *wanted, const json_t *value,
		  struct pario_err *err)
{
	struct pario_text clean = { 0 };

	if (group) {
		pario_text_clean(&clean, group);
		pario_text_add(&clean, ".");
	}
	pario_text_clean(&clean, name);
	pario_err_set(
		err, PARIO_SYSTEM,
		"the member \"%.200s\" of a result line must be %s but is %s; the line was not "
		"written by a pario of this schema, so leave it out or measure again.",
		pario_text_string(&clean), wanted, type_name(value));
	pario_text_release(&clean);
	return -1;
}

static int read_text(const char *group, const char *name, const json_t *value, char *to,
		     size_t capacity, struct pario_err *err)
{
	if (!json_is_string(value))
		return refuse(group, name, "a string", value, err);
	copy(to, capacity, json_string_value(value));
	return 0;
}

static int read_real(const char *group, const char *name, const json_t *value, double *to,
		     struct pario_err *err)
{
	if (!json_is_number(value) && !json_is_null(value))
		return refuse(group, name, "a number or null", value, err);
	*to = json_is_null(value) ? (double)NAN : json_number_value(value);
	return 0;
}

static int read_count(const char *group, const char *name, const json_t *value, uint64_t *to,
		      struct pario_err *err)
{
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return refuse(group, name, "a whole number from 0 on", value, err);
	*to = (uint64_t)json_integer_value(value);
	return 0;
}

static int read_outcome(const char *name, const json_t *value, enum pario_outcome *to,
			struct pario_err *err)
{
	const char *word = json_string_value(value);

	for (size_t i = 0; word && i < OUTCOME_COUNT; i++) {
		if (strcmp(word, outcomes[i]) == 0) {
			*to = (enum pario_outcome)i;
			return 0;
		}
	}
	return refuse(NULL, name, "pass, fail, skip or suspect", value, err);
}

static int read_field(const struct field *field, const json_t *line, struct pario_result *result,
		      struct pario_err *err)
{
	const json_t *holder = field->group ? json_object_get(line, field->group) : line;
	const json_t *value = json_object_get(holder, field->name);
	char *at = (char *)result + field->offset;

	if (!json_is_object(holder))
		return refuse(NULL, field->group, "an object", holder, err);
	switch (field->type) {
	case NEWER:
		if (!value)
			return 0;
		/* fall through */
	case TEXT:
		return read_text(field->group, field->name, value, at, field->size, err);
	case TOLD:
		if (json_is_null(value)) {
			*(uint64_t *)at = PARIO_UNTOLD;
			return 0;
		}
		return read_count(field->group, field->name, value, (uint64_t *)at, err);
	case COUNT:
		return read_count(field->group, field->name, value, (uint64_t *)at, err);
	case REAL:
		return read_real(field->group, field->name, value, (double *)at, err);
	case OUTCOME:
		break;
	}
	return read_outcome(field->name, value, &result->outcome, err);
}

static int read_metric(const char *name, const json_t *value, struct pario_result *result,
		       struct pario_err *err)
{
	struct pario_metric metric = { 0 };

	if (!json_is_object(value))
		return refuse("metrics", name, "an object with value and unit", value, err);
	if (read_real(name, "value", json_object_get(value, "value"), &metric.value, err) < 0)
		return -1;
	if (read_text(name, "unit", json_object_get(value, "unit"), metric.unit,
		      sizeof(metric.unit), err) < 0)
		return -1;
	pario_result_metric(result, name, metric.unit, metric.value);
	return 0;
}

static int read_metrics(const json_t *line, struct pario_result *result, struct pario_err *err)
{
	/* The object is only looked at; jansson's iterator takes no const. */
	json_t *metrics = json_object_get(line, "metrics");
	const char *name;
	json_t *value;

	if (!json_is_object(metrics))
		return refuse(NULL, "metrics", "an object", metrics, err);
	if (json_object_size(metrics) > PARIO_RESULT_METRICS)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"the member \"metrics\" of a result line holds %zu metrics but this pario "
			"reads at most %d; read the journal with the pario that wrote it.",
			json_object_size(metrics), (int)PARIO_RESULT_METRICS);
	json_object_foreach(metrics, name, value)
	{
		if (read_metric(name, value, result, err) < 0)
			return -1;
	}
	return 0;
}

/* Journals of older versions have none. */
static int read_headline(const json_t *line, struct pario_result *result, struct pario_err *err)
{
	const json_t *name = json_object_get(line, "headline");
	const json_t *better = json_object_get(line, "better");

	if (name && !json_is_string(name))
		return refuse(NULL, "headline", "a string", name, err);
	if (better && !json_is_string(better))
		return refuse(NULL, "better", "higher, lower or neither", better, err);
	if (name)
		pario_result_headline(result, json_string_value(name),
				      better ? pario_better_of(json_string_value(better)) : 1);
	return 0;
}

int pario_result_read(const json_t *line, struct pario_result *result, struct pario_err *err)
{
	struct pario_result read;

	if (!json_is_object(line))
		return pario_err_set(err, PARIO_SYSTEM,
				     "a result line must be a JSON object but is %s.",
				     type_name(line));
	pario_result_init(&read);
	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (read_field(&fields[i], line, &read, err) < 0)
			return -1;
	if (read_metrics(line, &read, err) < 0 || read_headline(line, &read, err) < 0)
		return -1;
	pario_disturbance_read(line, &read.disturbance);
	*result = read;
	return 0;
}
