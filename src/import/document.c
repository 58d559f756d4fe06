/*
 * document: warnings before the JSON are common (fio prints them to the same file), and so are several objects, one per
 * status interval: the last one is the whole run's.
 */
#include "import/document.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/lines.h"

enum { CANDIDATES = 4096, SOON = 8192 };

/* The next line that begins with a brace. */
static const char *next_brace(const char *at, const char *end)
{
	while (at < end && *at != '{') {
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : end;
	}
	return at < end ? at : NULL;
}

static const char *past_line(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline + 1 : end;
}

bool pario_document_likely(const struct pario_import_file *source, const char *name)
{
	const char *end = source->text + source->length;
	const char *at = next_brace(source->text, end);
	char quoted[64];

	snprintf(quoted, sizeof(quoted), "\"%s\"", name);
	for (int i = 0; at && i < CANDIDATES; i++) {
		size_t left = (size_t)(end - at);

		if (memmem(at, left < SOON ? left : SOON, quoted, strlen(quoted)))
			return true;
		at = next_brace(past_line(at, end), end);
	}
	return false;
}

/* Whole numbers beyond 2^63 (an unset minimum) are read as real ones. */
static json_t *load(const char *at, size_t left, json_error_t *error)
{
	json_t *object = json_loadb(at, left, JSON_DISABLE_EOF_CHECK, error);

	if (!object && strstr(error->text, "too big"))
		object = json_loadb(at, left, JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL,
				    error);
	return object;
}

json_t *pario_document(const struct pario_import_file *source, const char *name, size_t *count,
		       struct pario_err *err)
{
	const char *end = source->text + source->length, *at = next_brace(source->text, end);
	json_t *found = NULL;
	json_error_t error = { 0 }, first = { 0 };
	bool failed = false;

	*count = 0;
	for (int i = 0; at && i < CANDIDATES; i++) {
		json_t *object = load(at, (size_t)(end - at), &error);

		if (object && json_object_get(object, name)) {
			json_decref(found);
			found = json_incref(object);
			(*count)++;
		}
		if (!object && !failed) {
			first = error;
			failed = true;
		}
		at += object && error.position > 0 ? error.position : 0;
		at = next_brace(past_line(at, end), end);
		json_decref(object);
		/* what cannot be read is not tried again at every brace within it */
		if (!object && found)
			break;
	}
	if (!found)
		pario_err_set(err, PARIO_USAGE,
			      "%s cannot be imported: its JSON is cut off or damaged (%.200s, "
			      "line %d of the object).",
			      source->path, failed ? first.text : "no object", first.line);
	return found;
}

double pario_document_number(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	if (json_is_number(value))
		return json_number_value(value);
	return json_is_string(value) ? pario_number(json_string_value(value)) : (double)NAN;
}

uint64_t pario_document_whole(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);
	double number;

	if (json_is_integer(value) && json_integer_value(value) >= 0)
		return (uint64_t)json_integer_value(value);
	number = pario_document_number(object, name);
	return number >= 0 && number < 0x1p63 && number == floor(number) ? (uint64_t)number
									 : PARIO_UNTOLD;
}

const char *pario_document_text(const json_t *object, const char *name, char buf[40])
{
	const json_t *value = json_object_get(object, name);

	buf[0] = '\0';
	if (json_is_string(value))
		return json_string_value(value);
	if (json_is_integer(value))
		snprintf(buf, 40, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		snprintf(buf, 40, "%.15g", json_real_value(value));
	else if (json_is_boolean(value))
		snprintf(buf, 40, "%d", json_is_true(value));
	return buf;
}
