/*
 * anonymize: see anonymize.h. The archive is changed before anything is written from it, so that no writer can forget.
 */
#include "report/anonymize.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/trace.h"

enum { SECRETS = 64 };

struct secrets {
	const char *text[SECRETS];
	size_t count;
};

/* Very short names ("a", ".") would take letters out of other words. */
static void add_secret(struct secrets *s, const char *text)
{
	if (text && strlen(text) >= 2 && strcmp(text, "..") != 0 && s->count < SECRETS)
		s->text[s->count++] = text;
}

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

/* Length of the secret that stands at `at` as a word of its own, 0 for none. */
static size_t secret_at(const struct secrets *s, const char *text, const char *at)
{
	size_t best = 0;

	for (size_t i = 0; i < s->count; i++) {
		size_t length = strlen(s->text[i]);

		if (strncmp(at, s->text[i], length) == 0 && (at == text || !letter(at[-1])) &&
		    !letter(at[length]) && length > best)
			best = length;
	}
	return best;
}

/* "/a/b" at the start of a word; "read/write" and "1/2" are none. */
static size_t path_at(const char *text, const char *at)
{
	if (*at != '/' || !at[1] || at[1] == ' ' || (at > text && !strchr(" \"'=(:,", at[-1])))
		return 0;
	return strcspn(at, " \"',;:)");
}

static const char *clean(struct pario_archive *a, const struct secrets *s, const char *text)
{
	struct pario_text out = { 0 };
	const char *kept;

	for (const char *at = text; *at;) {
		size_t path = path_at(text, at), secret = path ? 0 : secret_at(s, text, at);

		if (path || secret) {
			pario_text_add(&out, path ? "(path)" : "(name)");
			at += path ? path : secret;
		} else {
			pario_text_bytes(&out, at++, 1);
		}
	}
	kept = out.failed ? NULL : pario_strings_keep(&a->strings, pario_text_string(&out));
	pario_text_release(&out);
	return kept;
}

/* All strings below a value, names of members excepted. */
static bool clean_value(struct pario_archive *a, const struct secrets *s, json_t *value)
{
	const char *key, *text;
	json_t *member;
	size_t i;

	if (json_is_string(value)) {
		text = clean(a, s, json_string_value(value));
		return text && json_string_set(value, text) == 0;
	}
	json_array_foreach(value, i, member)
	{
		if (!clean_value(a, s, member))
			return false;
	}
	json_object_foreach(value, key, member)
	{
		if (!clean_value(a, s, member))
			return false;
	}
	return true;
}

static void collect(const struct pario_volume *v, struct secrets *s)
{
	const json_t *params = json_object_get(v->begin, "params");
	static const char *const places[] = { "dir", "output", "plan", "resume" };

	add_secret(s, pario_volume_machine(v, "host"));
	add_secret(s, pario_volume_machine(v, "filesystem.mount"));
	add_secret(s, pario_volume_machine(v, "filesystem.device"));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		add_secret(s, json_string_value(json_object_get(json_object_get(params, places[i]),
								"value")));
}

/* What cannot be cleaned word by word goes whole. */
static void drop(json_t *begin)
{
	json_t *machine = json_object_get(begin, "machine");
	json_t *place = json_object_get(machine, "filesystem");

	json_object_set_new(begin, "command", json_array());
	json_object_set_new(begin, "environment", json_object());
	json_object_set_new(machine, "host", json_string("(host)"));
	json_object_set_new(machine, "job", json_object());
	json_object_set_new(place, "mount", json_string("(path)"));
	json_object_set_new(place, "device", json_string("(device)"));
}

int pario_anonymize(struct pario_archive *archive, struct pario_err *err)
{
	struct secrets secrets = { 0 };
	bool good = true;

	for (size_t i = 0; i < archive->volume_count; i++)
		collect(&archive->volume[i], &secrets);
	/* Results first: the secrets point into the begin lines. */
	for (size_t i = 0; i < archive->reading_count && good; i++) {
		struct pario_reading *r = &archive->reading[i];

		r->reason = clean(archive, &secrets, r->reason);
		r->point = clean(archive, &secrets, r->point);
		good = r->reason && r->point;
		if (r->line && strcmp(r->test, "trace") == 0)
			pario_trace_anonymize(r->line);
	}
	for (size_t i = 0; i < secrets.count && good; i++) {
		secrets.text[i] = pario_strings_keep(&archive->strings, secrets.text[i]);
		good = secrets.text[i] != NULL;
	}
	for (size_t i = 0; i < archive->volume_count && good; i++) {
		struct pario_volume *v = &archive->volume[i];
		char name[32];

		good = clean_value(archive, &secrets, v->lines);
		drop(json_array_get(v->lines, 0));
		if (!v->named) {
			snprintf(name, sizeof(name), "run %zu", i + 1);
			v->label = pario_strings_keep(&archive->strings, name);
		}
		v->path = "";
		good = good && v->label;
	}
	return good ? 0 : pario_err_set(err, PARIO_SYSTEM, "there is no memory.");
}
