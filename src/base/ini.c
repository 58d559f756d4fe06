/*
 * ini: options as INI text, read and written.
 *
 * Reading is strict: a line that is not understood, an unknown key or a key given twice ends it
 * with path and line. Keys in the section of another test are only checked for form, since their
 * options are not known here.
 */
#include "base/options_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct plan {
	struct pario_config *config;
	const char *path, *test;
	unsigned line;
	bool in_section, applies;
	unsigned *given; /* per setting: the line that gave it in this scope */
};

static int wrong(const struct plan *plan, struct pario_err *err, const char *why, const char *text)
{
	return pario_err_set(err, PARIO_USAGE, "%s:%u: %s: '%.80s'.", plan->path, plan->line, why,
			     text);
}

/* Puts path and line before what a deeper function has said. */
static int located(const struct plan *plan, struct pario_err *err)
{
	if (!err)
		return -1;
	return pario_err_set(err, err->code, "%s:%u: %s", plan->path, plan->line, err->text);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static char *skip_blanks(char *s)
{
	while (is_blank(*s))
		s++;
	return s;
}

static bool starts_comment(char c)
{
	return c == '#' || c == ';';
}

/* True when only blanks and a comment are left. */
static bool is_rest(char *s)
{
	s = skip_blanks(s);
	return !*s || starts_comment(*s);
}

static int hex_digit(char c)
{
	const char digits[] = "0123456789abcdef";
	const char *found = c ? strchr(digits, c | (c >= 'A' && c <= 'F' ? 0x20 : 0)) : NULL;

	return found ? (int)(found - digits) : -1;
}

/* One escape after the backslash; returns what follows it, NULL when there is no such escape. */
static char *unescape(char *s, char *out)
{
	static const char from[] = "\\\"nt", to[] = "\\\"\n\t";
	const char *found = *s ? strchr(from, *s) : NULL;

	if (found) {
		*out = to[found - from];
		return s + 1;
	}
	if (*s != 'x' || hex_digit(s[1]) < 0 || hex_digit(s[2]) < 0)
		return NULL;
	*out = (char)(hex_digit(s[1]) << 4 | hex_digit(s[2]));
	return *out ? s + 3 : NULL;
}

/* The text between quotes, unescaped in place; NULL when the line does not end as it should. */
static char *quoted(char *s)
{
	char *out = ++s, *start = s;

	while (*s && *s != '"') {
		if (*s != '\\') {
			*out++ = *s++;
			continue;
		}
		s = unescape(s + 1, out++);
		if (!s)
			return NULL;
	}
	if (*s != '"' || !is_rest(s + 1))
		return NULL;
	*out = '\0';
	return start;
}

/* A value up to its comment, which a blank must precede, without blanks at its end. */
static char *bare(char *s)
{
	size_t length = 0;

	while (s[length] && !(starts_comment(s[length]) && (!length || is_blank(s[length - 1]))))
		length++;
	while (length && is_blank(s[length - 1]))
		length--;
	s[length] = '\0';
	return s;
}

static int section(struct plan *plan, char *s, struct pario_err *err)
{
	char *end = strchr(s, ']'), *name = skip_blanks(s + 1);

	if (!end || !is_rest(end + 1))
		return wrong(plan, err, "a section must be written as [name]", s);
	while (end > name && is_blank(end[-1]))
		end--;
	*end = '\0';
	if (!*name)
		return wrong(plan, err, "a section must be written as [name]", s);
	/* what a section sets may override what holds for every test */
	if (!plan->in_section)
		memset(plan->given, 0, plan->config->setting_count * sizeof(*plan->given));
	plan->in_section = true;
	plan->applies = plan->test && pario_text_same_name(name, plan->test);
	return 0;
}

static int unknown_key(const struct plan *plan, const char *key, struct pario_err *err)
{
	const char *near = pario_config_nearest(plan->config, key);

	if (!near)
		return wrong(plan, err, "unknown key", key);
	return pario_text_unknown(err, near, "''", NULL, "%s:%u: unknown key '%.80s'", plan->path,
				  plan->line, key);
}

static int assign(struct plan *plan, const char *key, const char *value, struct pario_err *err)
{
	const struct pario_setting *found = pario_config_find(plan->config, key);
	struct pario_setting *s;
	size_t index;

	if (!found)
		return unknown_key(plan, key, err);
	index = (size_t)(found - plan->config->settings);
	s = &plan->config->settings[index];
	if (plan->given[index] && !(s->option->flags & PARIO_OPTION_REPEAT))
		return pario_err_set(
			err, PARIO_USAGE,
			"%s:%u: '%s' was already given in line %u; remove one of them.", plan->path,
			plan->line, s->option->name, plan->given[index]);
	plan->given[index] = plan->line;
	if (pario_config_assign(s, s->option->name, value, PARIO_ORIGIN_PLAN, err) < 0)
		return located(plan, err);
	return 0;
}

static int key_value(struct plan *plan, char *s, struct pario_err *err)
{
	size_t length =
		strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	char *equals = skip_blanks(s + length), *value;

	if (!length || *equals != '=')
		return wrong(plan, err, "a line must be written as key = value", s);
	value = skip_blanks(equals + 1);
	value = *value == '"' ? quoted(value) : bare(value);
	if (!value)
		return wrong(plan, err, "this value's quotes or escapes are not right", s);
	s[length] = '\0';
	return plan->applies ? assign(plan, s, value, err) : 0;
}

static int one_line(struct plan *plan, char *s, struct pario_err *err)
{
	s = skip_blanks(s);
	if (!*s || starts_comment(*s))
		return 0;
	return *s == '[' ? section(plan, s, err) : key_value(plan, s, err);
}

static int all_lines(struct plan *plan, char *text, size_t length, struct pario_err *err)
{
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		plan->line++;
		/* the text has one NUL, its last byte; any other would hide what follows it */
		if (!rest && line + strlen(line) != text + length)
			return wrong(plan, err, "a line contains a NUL byte", line);
		if (one_line(plan, line, err) < 0)
			return -1;
	}
	return 0;
}

int pario_config_plan(struct pario_config *config, const char *path, const char *text,
		      size_t length, const char *test, struct pario_err *err)
{
	struct plan plan = { .config = config, .path = path, .test = test, .applies = true };
	char *copy = malloc(length + 1);
	int rc = -1;

	plan.given = calloc(config->setting_count + 1, sizeof(*plan.given));
	if (!copy || !plan.given) {
		pario_err_sys(err, ENOMEM, NULL, "cannot read %s", path);
	} else {
		if (length)
			memcpy(copy, text, length);
		copy[length] = '\0';
		rc = all_lines(&plan, copy, length, err);
	}
	free(plan.given);
	free(copy);
	return rc;
}

static void show_value(struct pario_text *out, const char *value, size_t length)
{
	bool plain =
		length && value[0] != '"' && !is_blank(value[0]) && !is_blank(value[length - 1]);

	for (size_t i = 0; i < length && plain; i++)
		plain = (unsigned char)value[i] >= 0x20 && value[i] != 0x7f &&
			!starts_comment(value[i]);
	if (plain) {
		pario_text_bytes(out, value, length);
		return;
	}
	pario_text_add(out, "\"");
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)value[i];

		if (c == '"' || c == '\\')
			pario_text_add(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			pario_text_add(out, "\\x%02x", c);
		else
			pario_text_bytes(out, &c, 1);
	}
	pario_text_add(out, "\"");
}

enum { SHOW_COLUMN = 40 };

static void show_line(struct pario_text *out, const struct pario_setting *s, const char *value,
		      size_t length)
{
	size_t start = out->length, used;

	pario_text_add(out, "%s%s = ", value ? "" : "# ", s->option->name);
	if (value)
		show_value(out, value, length);
	used = out->length - start;
	pario_text_add(out, "%*s  # %s\n", used < SHOW_COLUMN ? (int)(SHOW_COLUMN - used) : 0, "",
		       pario_origin_name(s->origin));
}

void pario_config_show(const struct pario_config *config, struct pario_text *out)
{
	for (size_t i = 0; i < config->setting_count; i++) {
		const struct pario_setting *s = &config->settings[i];
		const char *value = s->text;

		if ((s->option->flags & PARIO_OPTION_HIDDEN) && s->origin == PARIO_ORIGIN_DEFAULT)
			continue;
		if (!value)
			show_line(out, s, NULL, 0);
		/* what was given several times is given several times again */
		while (value) {
			size_t length = s->option->flags & PARIO_OPTION_REPEAT
						? strcspn(value, "\n")
						: strlen(value);

			show_line(out, s, value, length);
			value = value[length] ? value + length + 1 : NULL;
		}
	}
}
