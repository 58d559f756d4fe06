/*
 * config: which value each option has, who set it, and the points that lists of values span.
 *
 * Values are kept as the text that was given, checked when they arrive; the structs are filled
 * anew for every point. A config has some hundred settings at most, so everything is found by
 * looking through them.
 */
#include "base/options_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

enum { NAME_CAPACITY = 160 };

const char *pario_origin_name(enum pario_origin origin)
{
	static const char *const names[] = { "default", "plan", "environment", "command line" };

	return names[origin];
}

static struct pario_setting *find(const struct pario_config *config, const char *name)
{
	for (size_t i = 0; i < config->setting_count; i++) {
		const struct pario_option *row = config->settings[i].option;

		if (pario_text_same_name(row->name, name) ||
		    (row->synonym && pario_text_same_name(row->synonym, name)))
			return &config->settings[i];
	}
	return NULL;
}

const struct pario_setting *pario_config_find(const struct pario_config *config, const char *name)
{
	return find(config, name);
}

static struct pario_setting *find_letter(const struct pario_config *config, char letter)
{
	for (size_t i = 0; i < config->setting_count; i++)
		if (letter && config->settings[i].option->letter == letter)
			return &config->settings[i];
	return NULL;
}

static int bug(struct pario_err *err, const struct pario_option *row, const char *why)
{
	return pario_err_set(err, PARIO_USAGE, "the row of --%s is wrong: %s. Please report this.",
			     row->name, why);
}

static int check_row(const struct pario_option *row, struct pario_err *err)
{
	bool chosen = row->type == PARIO_TYPE_CHOICE || row->type == PARIO_TYPE_SET;
	size_t choices = 0;

	if (chosen != !!row->choices)
		return bug(err, row, "choices belong to choices and sets, and only to them");
	while (chosen && row->choices[choices])
		choices++;
	if (row->type == PARIO_TYPE_SET && choices > 32)
		return bug(err, row, "a set has at most 32 choices");
	if ((row->flags & PARIO_OPTION_LIST) && row->type != PARIO_TYPE_STRING)
		return bug(err, row, "a list needs a char[] field");
	if ((row->flags & PARIO_OPTION_REPEAT) && row->type != PARIO_TYPE_STRING &&
	    row->type != PARIO_TYPE_HINT)
		return bug(err, row, "only strings and hints can be repeated");
	return 0;
}

static int add_setting(struct pario_config *config, const struct pario_option *row, size_t table,
		       struct pario_err *err)
{
	struct pario_setting *s = &config->settings[config->setting_count];
	char what[NAME_CAPACITY];

	if (check_row(row, err) < 0)
		return -1;
	if (find(config, row->name))
		return bug(err, row, "another row has the same name");
	if (find_letter(config, row->letter))
		return bug(err, row, "another row has the same letter");
	*s = (struct pario_setting){ .option = row, .table = table };
	config->setting_count++;
	if (!row->def)
		return 0;
	snprintf(what, sizeof(what), "The default of --%s", row->name);
	return pario_config_assign(s, what, row->def, PARIO_ORIGIN_DEFAULT, err);
}

int pario_config_init(struct pario_config *config, const struct pario_table *tables, size_t count,
		      struct pario_err *err)
{
	size_t rows = 0;

	*config = (struct pario_config){ .tables = tables, .table_count = count };
	for (size_t t = 0; t < count; t++)
		for (const struct pario_option *r = tables[t].rows; r && r->name; r++)
			rows++;
	config->settings = calloc(rows ? rows : 1, sizeof(*config->settings));
	if (!config->settings)
		return pario_err_sys(err, ENOMEM, NULL, "cannot set up the options");
	for (size_t t = 0; t < count; t++) {
		for (const struct pario_option *r = tables[t].rows; r && r->name; r++) {
			if (add_setting(config, r, t, err) < 0) {
				pario_config_release(config);
				return -1;
			}
		}
	}
	return 0;
}

void pario_config_release(struct pario_config *config)
{
	for (size_t i = 0; i < config->setting_count; i++)
		free(config->settings[i].text);
	free(config->settings);
	memset(config, 0, sizeof(*config));
}

int pario_config_assign(struct pario_setting *setting, const char *what, const char *value,
			enum pario_origin origin, struct pario_err *err)
{
	const struct pario_option *row = setting->option;
	bool more =
		(row->flags & PARIO_OPTION_REPEAT) && setting->text && setting->origin == origin;
	struct pario_text text = { 0 };
	uint64_t unused;

	if (pario_option_check(row, what, value, &unused, err) < 0)
		return -1;
	if (origin < setting->origin)
		return 0;
	if (more)
		pario_text_add(&text, "%s\n", setting->text);
	pario_text_bytes(&text, value, strlen(value));
	if (text.failed) {
		pario_text_release(&text);
		return pario_err_sys(err, ENOMEM, NULL, "cannot keep the value of %s", what);
	}
	/* each line fits by itself; together they may not */
	if (more && pario_option_check(row, what, text.data, &unused, err) < 0) {
		pario_text_release(&text);
		return -1;
	}
	free(setting->text);
	setting->text = text.data;
	setting->origin = origin;
	return 0;
}

const char *pario_config_nearest(const struct pario_config *config, const char *word)
{
	const char **names = calloc(config->setting_count + 1, sizeof(*names));
	const char *near;
	size_t count = 0;

	if (!names)
		return NULL;
	for (size_t i = 0; i < config->setting_count; i++)
		if (!(config->settings[i].option->flags & PARIO_OPTION_HIDDEN))
			names[count++] = config->settings[i].option->name;
	near = pario_text_nearest(word, names, count);
	free(names);
	return near;
}

static int unknown_as(const struct pario_config *config, const char *dashes, const char *name,
		      const char *near, struct pario_err *err)
{
	char option[82], otherwise[NAME_CAPACITY + 40];

	snprintf(option, sizeof(option), "--%s", near ? near : "");
	snprintf(otherwise, sizeof(otherwise), "`pario help%s%s` lists the options.",
		 config->subject ? " " : "", config->subject ? config->subject : "");
	return pario_text_unknown(err, near ? option : NULL, "", otherwise,
				  "unknown option %s%.80s", dashes, name);
}

static int unknown(const struct pario_config *config, const char *name, struct pario_err *err)
{
	return unknown_as(config, "--", name, pario_config_nearest(config, name), err);
}

int pario_config_set(struct pario_config *config, const char *name, const char *value,
		     enum pario_origin origin, struct pario_err *err)
{
	struct pario_setting *s = find(config, name);
	char what[NAME_CAPACITY];

	if (!s)
		return unknown(config, name, err);
	snprintf(what, sizeof(what), "--%s", s->option->name);
	return pario_config_assign(s, what, value, origin, err);
}

/* Where reading of the command line stands. */
struct arguments {
	struct pario_config *config;
	char *const *argv;
	int argc, next;
	const struct pario_option
		*bare; /* a switch without a value whose next word may be meant as one */
};

/* The value of an option that was given without "=": the next word, or 1 for a bare switch. */
static const char *following(struct arguments *a, const struct pario_option *row,
			     struct pario_err *err)
{
	const char *word = a->next < a->argc ? a->argv[a->next] : NULL;
	uint64_t unused;

	if (row->type == PARIO_TYPE_BOOL) {
		if (!word || pario_option_check(row, "", word, &unused, NULL) < 0) {
			a->bare = row;
			return "1";
		}
	} else if (!word) {
		pario_err_set(err, PARIO_USAGE, "--%s needs a value.", row->name);
		return NULL;
	} else if (!strncmp(word, "--", 2)) {
		/* a forgotten value would swallow the next option without a word */
		pario_err_set(err, PARIO_USAGE,
			      "--%s needs a value; write --%s=%.80s if that is the value.",
			      row->name, row->name, word);
		return NULL;
	}
	a->next++;
	return word;
}

static int long_option(struct arguments *a, const char *word, struct pario_err *err)
{
	char name[NAME_CAPACITY];
	size_t length = strcspn(word, "=");
	const char *value = word[length] ? word + length + 1 : NULL;
	struct pario_setting *s;

	snprintf(name, sizeof(name), "%.*s", length < NAME_CAPACITY ? (int)length : NAME_CAPACITY,
		 word);
	s = find(a->config, name);
	if (!s)
		return unknown(a->config, name, err);
	if (!value)
		value = following(a, s->option, err);
	if (!value)
		return -1;
	return pario_config_set(a->config, s->option->name, value, PARIO_ORIGIN_COMMAND, err);
}

/* True for -transfer_size, which -t would otherwise read as the value "ransfer_size". */
static bool single_dash(const struct pario_config *config, const char *word,
			char name[NAME_CAPACITY])
{
	size_t length = strcspn(word, "=");

	if (length < 2 || length >= NAME_CAPACITY)
		return false;
	memcpy(name, word, length);
	name[length] = '\0';
	return find(config, name) != NULL;
}

static int letter_option(struct arguments *a, const char *word, struct pario_err *err)
{
	struct pario_setting *s = find_letter(a->config, word[0]);
	const char *value = word + 1;
	char name[NAME_CAPACITY];

	if (single_dash(a->config, word, name))
		return unknown_as(a->config, "-", name, name, err);
	if (!s)
		return unknown_as(a->config, "-", word, NULL, err);
	if (*value == '=')
		value++;
	else if (*value && s->option->letter_value)
		return pario_err_set(
			err, PARIO_USAGE,
			"-%c stands alone and does not take '%.80s'; write --%s for other values.",
			word[0], value, s->option->name);
	else if (!*value)
		value = s->option->letter_value ? s->option->letter_value
						: following(a, s->option, err);
	if (!value)
		return -1;
	return pario_config_set(a->config, s->option->name, value, PARIO_ORIGIN_COMMAND, err);
}

static int unexpected(const struct pario_option *bare, const char *word, struct pario_err *err)
{
	if (bare)
		return pario_err_set(err, PARIO_USAGE,
				     "unexpected word '%.80s' after --%s, which takes 1 or 0; "
				     "options begin with --.",
				     word, bare->name);
	return pario_err_set(err, PARIO_USAGE, "unexpected word '%.80s'; options begin with --.",
			     word);
}

int pario_config_argv(struct pario_config *config, int argc, char *const *argv, const char **words,
		      int *word_count, struct pario_err *err)
{
	struct arguments a = { .config = config, .argv = argv, .argc = argc };
	bool ended = false;
	int count = 0, rc = 0;

	while (a.next < argc && !rc) {
		const char *word = argv[a.next++];

		if (word[0] == '-')
			a.bare = NULL;
		if (!ended && !strcmp(word, "--"))
			ended = true;
		else if (!ended && !strncmp(word, "--", 2))
			rc = long_option(&a, word + 2, err);
		else if (!ended && word[0] == '-' && word[1])
			rc = letter_option(&a, word + 1, err);
		else if (words)
			words[count++] = word;
		else
			rc = unexpected(a.bare, word, err);
	}
	if (!rc && word_count)
		*word_count = count;
	return rc;
}

void pario_option_variable(const char *option, char *name, size_t capacity)
{
	snprintf(name, capacity, "PARIO_%s", option);
	for (char *c = name; *c; c++)
		if (*c >= 'a' && *c <= 'z')
			*c = (char)(*c - 'a' + 'A');
		else if (*c == '-')
			*c = '_';
}

static int take_variable(struct pario_setting *setting, const char *option,
			 char *const *environment, struct pario_err *err)
{
	char name[NAME_CAPACITY];
	size_t length;

	if (!option)
		return 0;
	pario_option_variable(option, name, sizeof(name));
	length = strlen(name);
	for (char *const *e = environment; *e; e++) {
		if (strncmp(*e, name, length) || (*e)[length] != '=' || !(*e)[length + 1])
			continue;
		if (pario_config_assign(setting, name, *e + length + 1, PARIO_ORIGIN_ENVIRONMENT,
					err) < 0)
			return -1;
	}
	return 0;
}

int pario_config_environment(struct pario_config *config, char *const *environment,
			     struct pario_err *err)
{
	for (size_t i = 0; i < config->setting_count; i++) {
		struct pario_setting *s = &config->settings[i];

		if (take_variable(s, s->option->synonym, environment, err) < 0 ||
		    take_variable(s, s->option->name, environment, err) < 0)
			return -1;
	}
	return 0;
}

static uint64_t elements(const struct pario_setting *s)
{
	return pario_option_count(s->option, s->text);
}

int pario_config_points(const struct pario_config *config, uint64_t *count, struct pario_err *err)
{
	uint64_t points = 1;

	for (size_t i = 0; i < config->setting_count; i++)
		if (!pario_mul(points, elements(&config->settings[i]), &points) ||
		    points > PARIO_POINTS_MAX)
			return pario_err_set(
				err, PARIO_USAGE,
				"this sweep has more than %d points; use shorter lists.",
				PARIO_POINTS_MAX);
	*count = points;
	return 0;
}

void pario_config_value_at(const struct pario_config *config, const struct pario_setting *setting,
			   uint64_t index, struct pario_text *value)
{
	uint64_t own = elements(setting);

	if (!setting->text)
		return;
	/* points of the options that vary faster */
	for (size_t i = (size_t)(setting - config->settings) + 1; i < config->setting_count; i++)
		if (own > 1)
			index /= elements(&config->settings[i]);
	pario_option_element(setting->option, setting->text, index % own, value);
}

static int fill(const struct pario_config *config, const struct pario_setting *s, uint64_t index,
		void *const *structs, struct pario_err *err)
{
	struct pario_text value = { 0 };
	char what[NAME_CAPACITY];
	int rc;

	if (!s->text)
		return 0;
	snprintf(what, sizeof(what), "--%s", s->option->name);
	pario_config_value_at(config, s, index, &value);
	if (value.failed)
		rc = pario_err_sys(err, ENOMEM, NULL, "cannot read %s", what);
	else
		rc = pario_option_parse(s->option, what, pario_text_string(&value),
					(char *)structs[s->table] + s->option->offset, err);
	pario_text_release(&value);
	return rc;
}

int pario_config_point(const struct pario_config *config, uint64_t index, void *const *structs,
		       struct pario_err *err)
{
	uint64_t points = 0;

	if (pario_config_points(config, &points, err) < 0)
		return -1;
	if (index >= points)
		return pario_err_set(err, PARIO_USAGE, "there is no point %llu in a sweep of %llu.",
				     (unsigned long long)index, (unsigned long long)points);
	for (size_t t = 0; t < config->table_count; t++)
		memset(structs[t], 0, config->tables[t].size);
	for (size_t i = 0; i < config->setting_count; i++)
		if (fill(config, &config->settings[i], index, structs, err) < 0)
			return -1;
	return 0;
}

void pario_config_point_name(const struct pario_config *config, uint64_t index,
			     struct pario_text *name)
{
	const char *gap = "";

	for (size_t i = 0; i < config->setting_count; i++) {
		const struct pario_setting *s = &config->settings[i];

		if (elements(s) == 1)
			continue;
		pario_text_add(name, "%s%s=", gap, s->option->name);
		pario_config_value_at(config, s, index, name);
		gap = " ";
	}
}
