/*
 * anonymize: the archive is changed before anything is written from it, so that no writer can forget.
 */
#include "report/page/anonymize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/text.h"
#include "report/trace/trace.h"

/*
 * Names that the journals tell; `parts` of paths count in sentences only, since a point may have a value of that name.
 */
struct secrets {
	const char **text;
	size_t count, capacity, whole; /* the first `whole` are no parts of paths */
	bool failed;
};

/* Very short names ("a", ".") would take letters out of other words. */
static void add_secret(struct secrets *s, const char *text)
{
	if (!text || strlen(text) < 2 || strcmp(text, "..") == 0)
		return;
	if (!pario_grow(s->text, s->count, s->capacity)) {
		s->failed = true;
		return;
	}
	s->text[s->count++] = text;
}

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

/* Length of the secret that stands at `at` as a word of its own, with the domain behind it, 0 for none. */
static size_t secret_at(const struct secrets *s, size_t count, const char *text, const char *at)
{
	size_t best = 0;

	if (at > text && letter(at[-1]))
		return 0;
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(s->text[i]);

		if (length > best && strncmp(at, s->text[i], length) == 0 && !letter(at[length]))
			best = length;
	}
	while (best && at[best] == '.' && letter(at[best + 1]))
		best += 1 + strcspn(at + best + 1, ". ,;:)\"'/@");
	return best;
}

#define PATH_END " \"',;:)]>}|`\n\t"

/* "/a/b" at the start of a word; "read/write" and "1/2" are none. */
static size_t path_at(const char *text, const char *at)
{
	if (*at != '/' || !at[1] || at[1] == ' ' ||
	    (at > text && !strchr(" \"'=(:,[<{;|`\n\t", at[-1])))
		return 0;
	return strcspn(at, PATH_END);
}

/* "10.0.0.1" */
static size_t address_at(const char *text, const char *at)
{
	size_t length = 0;

	if (at > text && (letter(at[-1]) || at[-1] == '.'))
		return 0;
	for (int part = 0; part < 4; part++) {
		size_t digits = strspn(at + length, "0123456789");

		if (digits < 1 || digits > 3 || (part < 3 && at[length + digits] != '.'))
			return 0;
		length += digits + (part < 3);
	}
	return letter(at[length]) || (at[length] == '.' && letter(at[length + 1])) ? 0 : length;
}

static bool follows(const char *text, const char *at, const char *words)
{
	size_t length = strlen(words);

	return (size_t)(at - text) >= length && strncmp(at - length, words, length) == 0;
}

/* The word behind "as user", "host" or "client 17 on": hosts and users of whom the journal says nothing else. */
static size_t named_at(const char *text, const char *at)
{
	const char *before = at;
	size_t length;

	if (at == text || at[-1] != ' ' || !letter(*at) || (*at >= '0' && *at <= '9'))
		return 0;
	if (follows(text, at, " on ")) {
		before = at - strlen(" on ");
		while (before > text && before[-1] >= '0' && before[-1] <= '9')
			before--;
		if (before == at - strlen(" on ") || !follows(text, before, "client "))
			return 0;
	} else if (!follows(text, at, "as user ") && !follows(text, at, "host ")) {
		return 0;
	}
	length = strcspn(at, " ,;:)\"'");
	return length > 1 && at[length - 1] == '.' ? length - 1 : length;
}

static size_t most(size_t a, size_t b)
{
	return a > b ? a : b;
}

static const char *clean(struct pario_archive *a, const struct secrets *s, const char *text,
			 bool sentence)
{
	size_t count = sentence ? s->count : s->whole;
	struct pario_text out = { 0 };
	const char *kept;

	for (const char *at = text; *at;) {
		size_t path = path_at(text, at), secret = secret_at(s, count, text, at);

		secret = most(secret, most(address_at(text, at), named_at(text, at)));
		if (path || secret) {
			pario_text_add(&out, path ? "(path)" : "(name)");
			at += most(path, secret);
			if (path)
				at += *at == '/' ? strcspn(at, PATH_END) : 0;
		} else {
			pario_text_bytes(&out, at++, 1);
		}
	}
	kept = out.failed ? NULL : pario_strings_keep(&a->strings, pario_text_string(&out));
	pario_text_release(&out);
	return kept;
}

/* What pario itself has named stays, or nothing would fit together any more. */
static bool own_word(const char *key)
{
	static const char *const words[] = { "kind",   "schema",  "version", "test", "time",
					     "phase",  "outcome", "level",   "unit", "headline",
					     "better", "columns", "cpu",     "type", "library" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(key, words[i]) == 0)
			return true;
	}
	return false;
}

/* All strings below a value, names of members excepted. */
static bool clean_value(struct pario_archive *a, const struct secrets *s, json_t *value,
			bool sentence)
{
	const char *key, *text;
	json_t *member;
	size_t i;

	if (json_is_string(value)) {
		text = clean(a, s, json_string_value(value), sentence);
		return text && json_string_set(value, text) == 0;
	}
	json_array_foreach(value, i, member)
	{
		if (!clean_value(a, s, member, sentence))
			return false;
	}
	json_object_foreach(value, key, member)
	{
		/* Values of parameters are choices, and a directory may be called like one. */
		bool words = sentence && strcmp(key, "params") != 0 && strcmp(key, "point") != 0;

		if (!own_word(key) && !clean_value(a, s, member, words))
			return false;
	}
	return true;
}

static const char *value_of(const json_t *params, const char *name)
{
	return json_string_value(json_object_get(json_object_get(params, name), "value"));
}

static void collect(const struct pario_volume *v, struct secrets *s)
{
	const json_t *params = json_object_get(v->begin, "params");
	static const char *const places[] = { "dir", "output", "plan", "resume", "filename" };
	const char *file = value_of(params, "file");

	add_secret(s, pario_volume_machine(v, "host"));
	add_secret(s, pario_volume_machine(v, "filesystem.mount"));
	add_secret(s, pario_volume_machine(v, "filesystem.device"));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		add_secret(s, value_of(params, places[i]));
	/* The old name of filename; in another test it says how data lie, by words that are no secret. */
	if (file && !strstr(file, "contiguous"))
		add_secret(s, file);
}

/* "/scratch/anna/x": who does not write the path may still write its parts. */
static void collect_parts(struct pario_archive *a, struct secrets *s)
{
	static const char *const plain[] = { "tmp", "var",  "home", "mnt", "scratch", "data",
					     "dev", "work", "run",  "shm", "users",   "root" };

	s->whole = s->count;
	for (size_t i = 0; i < s->whole; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s", s->text[i]);
		for (char *rest = path, *part;
		     strchr(s->text[i], '/') && (part = pario_text_word(&rest, "/:@"));) {
			bool common = strlen(part) < 3;

			for (size_t k = 0; k < sizeof(plain) / sizeof(plain[0]); k++)
				common |= strcmp(part, plain[k]) == 0;
			if (!common)
				add_secret(s, pario_strings_keep(&a->strings, part));
		}
	}
}

/* "addr=fe80::1,username=anna": values that name machines or people, whatever they look like. */
static void clean_options(json_t *place)
{
	static const char *const keys[] = { "addr",	"clientaddr", "mountaddr", "user",
					    "username", "domain",     "fsname",	   "source" };
	const char *text = json_string_value(json_object_get(place, "options"));
	struct pario_text out = { 0 };

	while (text && *text) {
		size_t length = strcspn(text, ","), key = strcspn(text, "=,");
		bool secret = false;

		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]) && key < length; k++)
			secret |= strlen(keys[k]) == key && strncmp(text, keys[k], key) == 0;
		pario_text_bytes(&out, text, secret ? key : length);
		pario_text_add(&out, "%s%s", secret ? "=(name)" : "", text[length] ? "," : "");
		text += length + (text[length] == ',');
	}
	if (out.length)
		json_object_set_new(place, "options", json_string(pario_text_string(&out)));
	pario_text_release(&out);
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
	clean_options(place);
	json_object_set_new(place, "mount", json_string("(path)"));
	json_object_set_new(place, "device", json_string("(device)"));
}

int pario_anonymize(struct pario_archive *archive, struct pario_err *err)
{
	struct secrets secrets = { 0 };
	bool good = true;

	archive->anonymous = true;
	/* A trace tells its files apart by names of its own making: before paths become one word. */
	for (size_t i = 0; i < archive->reading_count; i++) {
		if (archive->reading[i].more->carried->line &&
		    strcmp(archive->reading[i].of->test, "trace") == 0)
			pario_trace_anonymize(archive->reading[i].more->carried->line);
	}
	for (size_t i = 0; i < archive->volume_count; i++)
		collect(&archive->volume[i], &secrets);
	/* The secrets point into the begin lines, which are cleaned too. */
	for (size_t i = 0; i < secrets.count && good; i++) {
		secrets.text[i] = pario_strings_keep(&archive->strings, secrets.text[i]);
		good = secrets.text[i] != NULL;
	}
	if (good)
		collect_parts(archive, &secrets);
	good = good && !secrets.failed &&
	       (!archive->kept || clean_value(archive, &secrets, archive->kept, true));
	for (size_t i = 0; i < archive->reading_count && good; i++) {
		const char **reason = &archive->reading[i].reason;

		*reason = **reason ? clean(archive, &secrets, *reason, true) : *reason;
		good = *reason != NULL;
	}
	for (size_t i = 0; i < archive->kind_capacity && good; i++) {
		struct pario_kind *kind = archive->kind[i];

		good = !kind ||
		       (kind->point = clean(archive, &secrets, kind->point, false)) != NULL;
	}
	for (size_t i = 0; i < archive->volume_count && good; i++) {
		struct pario_volume *v = &archive->volume[i];
		char name[32];

		good = clean_value(archive, &secrets, v->lines, true);
		drop(json_array_get(v->lines, 0));
		if (!v->named) {
			snprintf(name, sizeof(name), "run %zu", i + 1);
			v->label = pario_strings_keep(&archive->strings, name);
		}
		v->path = "";
		good = good && v->label;
	}
	free(secrets.text);
	return good ? 0 : pario_err_memory(err, NULL);
}
