/*
 * peer: walks a command line along the table of its program, and the table along what was given.
 */
#include "compat/peer.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"
#include "base/units.h"

static int keep(struct pario_peer_job *job, const char *string, char **kept, struct pario_err *err)
{
	if (!pario_grow(job->strings, job->string_count, job->string_capacity))
		return pario_err_memory(err, "the command line");
	*kept = strdup(string);
	if (!*kept)
		return pario_err_memory(err, "the command line");
	job->strings[job->string_count++] = *kept;
	return 0;
}

int pario_peer_init(struct pario_peer_job *job, const struct pario_peer *peer,
		    struct pario_err *err)
{
	*job = (struct pario_peer_job){ .peer = peer };
	job->runs = calloc(PARIO_PEER_RUNS, sizeof(*job->runs));
	if (!job->runs)
		return pario_err_memory(err, "the command line");
	job->run_count = 1;
	return 0;
}

void pario_peer_release(struct pario_peer_job *job)
{
	for (size_t i = 0; i < job->string_count; i++)
		free(job->strings[i]);
	free(job->strings);
	free(job->runs);
	pario_text_release(&job->notes);
	*job = (struct pario_peer_job){ 0 };
}

static bool named(const struct pario_peer_option *o, const char *name)
{
	return strcasecmp(o->name, name) == 0 || (o->alias && strcasecmp(o->alias, name) == 0);
}

static size_t find(const struct pario_peer *peer, const char *name)
{
	size_t i = 0;

	while (peer->options[i].name && !named(&peer->options[i], name))
		i++;
	return i;
}

static const struct pario_peer_option *by_letter(const struct pario_peer *peer, char letter)
{
	const struct pario_peer_option *o = peer->options;

	while (o->name && o->letter != letter)
		o++;
	return o->name ? o : NULL;
}

const char *pario_peer_text(const struct pario_peer_job *job, const struct pario_peer_run *run,
			    const char *name)
{
	size_t i = find(job->peer, name);

	return run->values[i].times ? run->values[i].text : job->peer->options[i].def;
}

uint64_t pario_peer_number(const struct pario_peer_job *job, const struct pario_peer_run *run,
			   const char *name)
{
	const char *text = pario_peer_text(job, run, name);
	struct pario_err err = { 0 };
	uint64_t number = 0;

	if (text)
		pario_units_parse_size(name, text, &number, &err);
	return number;
}

bool pario_peer_on(const struct pario_peer_job *job, const struct pario_peer_run *run,
		   const char *name)
{
	const char *text = pario_peer_text(job, run, name);

	return text && strcmp(text, "0") != 0;
}

unsigned pario_peer_times(const struct pario_peer_job *job, const struct pario_peer_run *run,
			  const char *name)
{
	const struct pario_peer_value *v = &run->values[find(job->peer, name)];
	unsigned long said = v->times == 1 ? strtoul(v->text, NULL, 10) : v->times;

	/* A script says "randomOffset = 2" where a command line says -z -z. */
	return (unsigned)said;
}

/* How the user called it, for sentences: "-t", "--posix.odirect". */
static const char *called(const struct pario_peer_option *o, char text[64])
{
	if (o->letter)
		snprintf(text, 64, "-%c (%s)", o->letter, o->name);
	else
		snprintf(text, 64, "%s", o->name);
	return text;
}

static int unknown(const struct pario_peer_job *job, const char *word, const char *where,
		   struct pario_err *err)
{
	const char *names[PARIO_PEER_OPTIONS], *near;
	char otherwise[64];
	size_t count = 0;

	for (; job->peer->options[count].name; count++)
		names[count] = job->peer->options[count].name;
	near = pario_text_nearest(word, names, count);
	snprintf(otherwise, sizeof(otherwise), "`pario help %s` lists what it has.",
		 job->peer->name);
	return pario_text_unknown(err, near, "", otherwise, "%s%s has no option %s", where,
				  job->peer->name, word);
}

/* Sizes and numbers as pario reads them: k, m and g mean the same. */
static int check(const struct pario_peer_option *o, const char *value, const char *where,
		 struct pario_err *err)
{
	struct pario_err own = { 0 };
	char text[64];
	uint64_t size;
	double real;

	if (o->takes == PARIO_PEER_SIZE && pario_units_parse_size("", value, &size, &own) < 0)
		return pario_err_set(err, PARIO_USAGE,
				     "%s%s is a size such as 1m or 4g, not '%.100s'.", where,
				     called(o, text), value);
	if ((o->takes == PARIO_PEER_NUMBER || o->takes == PARIO_PEER_FLAG) &&
	    pario_units_parse_real("", value, &real, &own) < 0)
		return pario_err_set(err, PARIO_USAGE, "%s%s is a number, not '%.100s'.", where,
				     called(o, text), value);
	return 0;
}

static int give(struct pario_peer_job *job, struct pario_peer_run *run,
		const struct pario_peer_option *o, const char *value, const char *where,
		struct pario_err *err)
{
	struct pario_peer_value *v = &run->values[o - job->peer->options];

	if (check(o, value, where, err) < 0 || keep(job, value, &v->text, err) < 0)
		return -1;
	v->times = o->takes == PARIO_PEER_FLAG && !*where ? v->times + 1 : 1;
	return 0;
}

/* One option by its name, from a script: "blockSize", "1m". `where` leads the sentence, "" = none. */
static int peer_set(struct pario_peer_job *job, struct pario_peer_run *run, const char *name,
		    const char *value, const char *where, struct pario_err *err)
{
	const struct pario_peer_option *o = &job->peer->options[find(job->peer, name)];

	return o->name ? give(job, run, o, value, where, err) : unknown(job, name, where, err);
}

int pario_peer_pairs(struct pario_peer_job *job, struct pario_peer_run *run, const char *text,
		     const char *where, struct pario_err *err)
{
	while (*text) {
		size_t length = strcspn(text, ","), equals = strcspn(text, "=");
		char pair[2048];

		if (equals >= length || length >= sizeof(pair))
			return pario_err_set(err, PARIO_USAGE,
					     "%s'%.200s' is no list of name=value.", where, text);
		snprintf(pair, sizeof(pair), "%.*s", (int)length, text);
		pair[equals] = '\0';
		if (peer_set(job, run, pair, pair + equals + 1, *where ? where : "-O ", err) < 0)
			return -1;
		text += length + (text[length] == ',');
	}
	return 0;
}

struct words {
	int count, next;
	char *const *list;
};

static const char *next_word(struct words *w)
{
	return w->next < w->count ? w->list[w->next++] : NULL;
}

static int no_value(const char *what, struct pario_err *err)
{
	return pario_err_set(err, PARIO_USAGE, "%s needs a value.", what);
}

/* The one word behind -- that is not of `pario run`: how the results are shown. Takes it out of the others. */
static int take_output(struct pario_peer_job *job, const char *value, struct pario_err *err)
{
	static const char *const names[] = { "both", "only", "only_3.3" };

	for (size_t i = 0; value && i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(value, names[i]) == 0) {
			job->output = (enum pario_peer_output)i;
			return 0;
		}
	}
	return pario_err_set(err, PARIO_USAGE,
			     "--peer_output is both, only (what %s 4.1 would print) or only_3.3, "
			     "not '%.100s'.",
			     job->peer->name, value ? value : "");
}

/* "--name", "--name=value", "--name value" */
static int long_option(struct pario_peer_job *job, const char *word, struct words *w,
		       struct pario_err *err)
{
	const char *equals = strchr(word, '='), *value;
	const struct pario_peer_option *o;
	char name[128];

	snprintf(name, sizeof(name), "%.*s", (int)(equals ? (size_t)(equals - word) : strlen(word)),
		 word);
	o = &job->peer->options[find(job->peer, name + 2)];
	if (!o->name)
		return unknown(job, name, "", err);
	value = equals ? equals + 1 : o->takes == PARIO_PEER_FLAG ? "1" : next_word(w);
	return value ? give(job, &job->runs[0], o, value, "", err) : no_value(name, err);
}

/* "-t 1m", "-t=1m", "-t1m", "-wr", "-vvv" */
static int letters(struct pario_peer_job *job, const char *word, struct words *w, char pairs,
		   struct pario_err *err)
{
	for (const char *c = word + 1; *c; c++) {
		const struct pario_peer_option *o = by_letter(job->peer, *c);
		const char name[3] = { '-', *c, '\0' };
		const char *value = c[1] == '=' ? c + 2 : c[1] ? c + 1 : NULL;

		if (!o && *c != pairs)
			return unknown(job, name, "", err);
		if (o && o->takes == PARIO_PEER_FLAG && c[1] != '=') {
			if (give(job, &job->runs[0], o, "1", "", err) < 0)
				return -1;
			continue;
		}
		if (!value)
			value = next_word(w);
		if (!value)
			return no_value(name, err);
		return o ? give(job, &job->runs[0], o, value, "", err)
			 : pario_peer_pairs(job, &job->runs[0], value, "", err);
	}
	return 0;
}

int pario_peer_argv(struct pario_peer_job *job, int argc, char *const *argv, char pairs,
		    struct pario_err *err)
{
	struct words w = { .count = argc, .list = argv };
	const char *word;

	while ((word = next_word(&w))) {
		int status;

		if (strcmp(word, "--") == 0) {
			job->extra = argv + w.next;
			job->extra_count = argc - w.next;
			break;
		}
		if (word[0] != '-' || !word[1])
			return pario_err_set(err, PARIO_USAGE,
					     "%.200s is no option: %s takes only options.", word,
					     job->peer->name);
		status = word[1] == '-' ? long_option(job, word, &w, err)
					: letters(job, word, &w, pairs, err);
		if (status < 0)
			return -1;
	}
	return 0;
}

int pario_peer_again(struct pario_peer_job *job, const struct pario_peer_run *run,
		     struct pario_err *err)
{
	if (job->run_count == PARIO_PEER_RUNS)
		return pario_err_set(err, PARIO_USAGE,
				     "more than %d tests in one command. Use several.",
				     PARIO_PEER_RUNS);
	job->runs[job->run_count++] = *run;
	return 0;
}

static int peer_word(struct pario_peer_job *job, struct pario_peer_run *run, const char *word,
		     struct pario_err *err)
{
	if (run->word_count == PARIO_PEER_WORDS)
		return pario_err_set(err, PARIO_USAGE, "too many options for one test.");
	return keep(job, word, &run->words[run->word_count++], err);
}

int pario_peer_pair(struct pario_peer_job *job, struct pario_peer_run *run, const char *option,
		    const char *value, struct pario_err *err)
{
	return peer_word(job, run, option, err) < 0 ? -1 : peer_word(job, run, value, err);
}

void pario_peer_note(struct pario_peer_job *job, const char *sentence)
{
	const char *all = pario_text_string(&job->notes);
	const char *there = strstr(all, sentence);

	if (!there)
		pario_text_add(&job->notes, "%s\n", sentence);
}

/* The words of a row, with the value in the place of @. */
static int add_words(struct pario_peer_job *job, struct pario_peer_run *run, const char *to,
		     const char *value, struct pario_err *err)
{
	while (*to) {
		size_t length = strcspn(to, " "), before = strcspn(to, "@");
		struct pario_text word = { 0 };
		int status;

		pario_text_bytes(&word, to, before < length ? before : length);
		if (before < length) {
			pario_text_add(&word, "%s", value);
			pario_text_bytes(&word, to + before + 1, length - before - 1);
		}
		status = peer_word(job, run, pario_text_string(&word), err);
		pario_text_release(&word);
		if (status < 0)
			return -1;
		to += length + (to[length] == ' ');
	}
	return 0;
}

static bool asks_for_nothing(const struct pario_peer_option *o, const char *value)
{
	const char *def = o->def ? o->def : "0";

	return strcasecmp(value, def) == 0;
}

static int one_row(struct pario_peer_job *job, struct pario_peer_run *run,
		   const struct pario_peer_option *o, struct pario_err *err)
{
	const struct pario_peer_value *v = &run->values[o - job->peer->options];
	char name[64], sentence[512], value[2048];

	snprintf(value, sizeof(value), "%s", v->times ? v->text : o->def ? o->def : "");
	if (o->with && o->with(job, run, err) < 0)
		return -1;
	if (v->times && !asks_for_nothing(o, value) && o->answer == PARIO_PEER_REFUSED)
		return pario_err_set(err, PARIO_USAGE, "pario has no %s: %s", called(o, name),
				     o->text);
	if (v->times && !asks_for_nothing(o, value) && o->answer == PARIO_PEER_DIFFERS) {
		snprintf(sentence, sizeof(sentence), "%s: %s", called(o, name), o->text);
		pario_peer_note(job, sentence);
	}
	if (!o->to || o->answer == PARIO_PEER_REFUSED)
		return 0;
	if (o->takes == PARIO_PEER_FLAG && (!v->times || strcmp(value, "0") == 0))
		return 0;
	if (!v->times && !o->always)
		return 0;
	if (v->times && !o->always && o->def && asks_for_nothing(o, value))
		return 0;
	return add_words(job, run, o->to, value, err);
}

static int add_extra(struct pario_peer_job *job, struct pario_peer_run *run, struct pario_err *err)
{
	static const char own[] = "--peer_output";

	for (int k = 0; k < job->extra_count; k++) {
		const char *word = job->extra[k], *value = word + sizeof(own) - 1;
		int status;

		if (strncmp(word, own, sizeof(own) - 1) != 0)
			status = peer_word(job, run, word, err);
		else if (*value == '=')
			status = take_output(job, value + 1, err);
		else
			status = take_output(job, ++k < job->extra_count ? job->extra[k] : NULL,
					     err);
		if (status < 0)
			return -1;
	}
	return 0;
}

static void percent(char text[16], double all, double left)
{
	snprintf(text, 16, "%.1f%%", all > 0 ? (1 - left / all) * 100 : 0);
}

void pario_peer_room(struct pario_peer_room *room, double bytes, double free_bytes, double files,
		     double free_files)
{
	bool large = bytes > 0x1p40;

	snprintf(room->capacity, sizeof(room->capacity), "%.1f %s",
		 bytes / (large ? 0x1p40 : 0x1p30), large ? "TiB" : "GiB");
	snprintf(room->inodes, sizeof(room->inodes), "%.1f Mi", files / 0x1p20);
	percent(room->used, bytes, free_bytes);
	percent(room->used_inodes, files, free_files);
}

int pario_peer_translate(struct pario_peer_job *job, struct pario_err *err)
{
	for (size_t i = 0; i < job->run_count; i++) {
		struct pario_peer_run *run = &job->runs[i];

		if (peer_word(job, run, job->peer->test, err) < 0)
			return -1;
		for (const struct pario_peer_option *o = job->peer->options; o->name; o++) {
			if (one_row(job, run, o, err) < 0)
				return -1;
		}
		if (add_extra(job, run, err) < 0)
			return -1;
	}
	return 0;
}

/* A word as a shell takes it back. */
static void quote(struct pario_text *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._+-=:,%@";

	if (*word && word[strspn(word, plain)] == '\0') {
		pario_text_add(out, " %s", word);
		return;
	}
	pario_text_add(out, " '");
	for (; *word; word++)
		pario_text_add(out, *word == '\'' ? "'\\''" : "%c", *word);
	pario_text_add(out, "'");
}

void pario_peer_equivalents(const struct pario_peer_job *job, struct pario_text *out)
{
	for (size_t i = 0; i < job->run_count; i++) {
		pario_text_add(out, "pario run");
		for (size_t k = 0; k < job->runs[i].word_count; k++)
			quote(out, job->runs[i].words[k]);
		pario_text_add(out, "\n");
	}
}

void pario_peer_describe(const struct pario_peer *peer, const struct pario_peer_option *option,
			 struct pario_text *out)
{
	static const char *const heads[] = { "as in", "as in", "refused, unlike" };

	pario_text_add(out, "%s %s", heads[option->answer], peer->name);
	if (option->to)
		pario_text_add(out, ": %s", option->to);
	if (option->text)
		pario_text_add(out, "%s: %s",
			       option->answer == PARIO_PEER_DIFFERS ? ", with a difference" : "",
			       option->text);
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* The row whose value becomes that of the option at `word`. */
static const struct pario_peer_option *stands_for(const struct pario_peer *peer, const char *word,
						  size_t length)
{
	for (const struct pario_peer_option *o = peer->options; o->name; o++) {
		const char *own = o->stands ? o->stands : o->to && strchr(o->to, '@') ? o->to : "";

		if (o->letter && strncmp(own, word, length) == 0 && !in_word(own[length]))
			return o;
	}
	return NULL;
}

void pario_peer_own_words(const struct pario_peer *peer, struct pario_err *err)
{
	struct pario_text out = { 0 };

	for (const char *at = err->text; *at;) {
		const struct pario_peer_option *o = NULL;
		size_t length = 0;

		if (strncmp(at, "--", 2) == 0 && (at == err->text || !in_word(at[-1]))) {
			while (in_word(at[length]))
				length++;
			o = stands_for(peer, at, length);
		}
		if (o)
			pario_text_add(&out, "-%c", o->letter);
		else
			pario_text_add(&out, "%c", *at);
		at += o ? length : 1;
	}
	snprintf(err->text, sizeof(err->text), "%s", pario_text_string(&out));
	pario_text_release(&out);
}
