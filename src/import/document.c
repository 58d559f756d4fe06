/*
 * document: warnings before the JSON are common (fio prints them to the same file), and so are several objects, one per
 * run or status interval.
 */
#include "import/document.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import/lines.h"

/* Objects are some kilobytes to some megabytes long, and a tree takes several times as much. */
enum { CANDIDATES = 4096, LARGEST = 256 << 20 };

/*
 * The next line that begins with a brace. A carriage return begins a line as well: fio writes over its progress. The
 * mark of the byte order may stand before the first.
 */
static const char *next_brace(const char *at, const char *end)
{
	for (bool begins = true; at < end; at++) {
		if (begins && *at == '{')
			return at;
		begins = *at == '\n' || *at == '\r' ||
			 (begins && (isspace((unsigned char)*at) || (unsigned char)*at >= 0x80));
	}
	return NULL;
}

static const char *past_line(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline + 1 : end;
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

static const char *letters(const char *at)
{
	while (isalpha((unsigned char)*at))
		at++;
	return at;
}

/* A word that stands in no text: of JSON, for what is no number, or of something that is no JSON. */
static const char *take_word(const char *at, char **to)
{
	static const struct {
		const char *word, *becomes;
	} words[] = { { "true", "true" }, { "false", "false" }, { "null", "null" },
		      { "nan", "\"\"" },  { "inf", "\"\"" },	{ "infinity", "\"\"" } };
	const char *end = letters(at);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if ((size_t)(end - at) == strlen(words[i].word) &&
		    strncasecmp(at, words[i].word, (size_t)(end - at)) == 0) {
			*to -= *words[i].becomes == '"' && (*to)[-1] == '-';
			*to = stpcpy(*to, words[i].becomes);
			return end;
		}
	}
	return at + strcspn(at, "\n\r");
}

/* Does a launcher stand before the brace that a line begins with? */
static bool is_prefixed(const char *text)
{
	for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		size_t length = pario_launcher_prefix(at);

		if (length && at[length] == '{')
			return true;
	}
	return false;
}

/*
 * Leaves out of the text what printf makes of no number, what else is printed into the same file (IOR -v, libraries),
 * colours, and what launchers put before each line; a byte stands before it. Returns its end.
 */
static const char *tidy(char *text, bool prefixed)
{
	bool quoted = false, starts = true;
	const char *at = text;
	char *to = text;

	while (*at) {
		if (starts && prefixed)
			at += pario_launcher_prefix(at);
		starts = *at == '\n' || *at == '\r';
		quoted = !starts && (quoted != (*at == '"'));
		if (*at == '\x1b') {
			at += strcspn(at, "m\n");
			at += *at == 'm';
		} else if (!quoted && isalpha((unsigned char)*at) &&
			   !strchr("0123456789.", to[-1])) {
			at = take_word(at, &to);
		} else {
			if (quoted && *at == '\\' && at[1])
				*to++ = *at++;
			*to++ = *at;
			at += *at != '\0';
		}
	}
	*to = '\0';
	return to;
}

int pario_documents_begin(struct pario_documents *all, struct pario_import_file *source,
			  const char *name, struct pario_err *err)
{
	size_t kept = 0;

	if (pario_import_file_whole(source, LARGEST, err) < 0)
		return -1;
	*all = (struct pario_documents){ .source = source,
					 .name = name,
					 .text = malloc(source->length + 2) };
	if (!all->text)
		return pario_err_memory(err, NULL);
	*all->text = '\n';
	for (size_t i = 0; i < source->length; i++) {
		all->text[1 + kept] = source->text[i];
		kept += source->text[i] != '\0';
	}
	all->text[1 + kept] = '\0';
	all->end = tidy(all->text + 1, is_prefixed(all->text));
	all->at = next_brace(all->text, all->end);
	return 0;
}

/* Past the object that was just read, or past the brace of one that could not be. */
static void pass(struct pario_documents *all, const json_t *object, const json_error_t *error)
{
	all->at += object && error->position > 0 ? error->position : 0;
	all->at = next_brace(past_line(all->at, all->end), all->end);
	if (!object && !all->damaged++)
		all->first = *error;
}

json_t *pario_documents_next(struct pario_documents *all)
{
	json_decref(all->now);
	all->now = NULL;
	while (all->at && all->count + all->damaged < CANDIDATES) {
		json_error_t error = { 0 };
		json_t *object = load(all->at, (size_t)(all->end - all->at), &error);

		pass(all, object, &error);
		if (object && json_object_get(object, all->name)) {
			all->now = object;
			all->count++;
			return object;
		}
		json_decref(object);
	}
	return NULL;
}

int pario_documents_end(struct pario_documents *all, struct pario_harvest *h, int status,
			struct pario_err *err)
{
	json_decref(all->now);
	free(all->text);
	if (status < 0)
		return -1;
	if (all->count == 0)
		return pario_err_set(err, PARIO_USAGE,
				     "%s cannot be imported: its JSON is cut off or damaged "
				     "(%.200s, line %d of the object).",
				     all->source->path,
				     all->damaged ? all->first.text : "no object", all->first.line);
	if (all->damaged)
		pario_harvest_note(h,
				   "Beside what was imported the file holds JSON that is cut "
				   "off or damaged (%.200s).",
				   all->first.text);
	return 0;
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
