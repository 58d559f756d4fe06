/*
 * words: the sentences that terminal and page share, so that both say the same of one change.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "history/show.h"

char *pario_date(char buf[PARIO_DATE], int64_t time_s)
{
	time_t when = (time_t)time_s;
	struct tm tm;

	if (!gmtime_r(&when, &tm) || !strftime(buf, PARIO_DATE, "%Y-%m-%d", &tm))
		snprintf(buf, PARIO_DATE, "–");
	return buf;
}

void pario_line_name(const struct pario_line *l, struct pario_text *out)
{
	struct pario_text text = { 0 };

	pario_text_add(&text, "%s %s", l->test, l->phase);
	if (l->clients)
		pario_text_add(&text, ", %llu client%s", (unsigned long long)l->clients,
			       l->clients == 1 ? "" : "s");
	if (*l->words)
		pario_text_add(&text, ", %s", l->words);
	if (*l->place)
		pario_text_add(&text, ", on %s", l->place);
	pario_text_clean(out, pario_text_string(&text));
	pario_text_release(&text);
}

/* Names for a change, whichever way is better. */
static const char *direction(const struct pario_line *l, const struct pario_change *c)
{
	bool time = *l->unit && (strcmp(l->unit, "s") == 0 || strcmp(l->unit, "ms") == 0);

	if (c->worse)
		return time || strchr(l->unit, '/') ? "slower" : "worse";
	if (c->better)
		return time || strchr(l->unit, '/') ? "faster" : "better";
	return c->ratio > 1 ? "larger" : "smaller";
}

void pario_change_words(const struct pario_chronicle *c, const struct pario_change *change,
			struct pario_text *out)
{
	const struct pario_line *l = &c->line[change->line];

	pario_text_add(out,
		       "%s: %.3g [%.3g, %.3g] of before (p = %.1g; %zu runs before, %zu after)",
		       direction(l, change), change->ratio, change->low, change->high,
		       fmax(change->p, 1e-300), change->at - change->from, change->to - change->at);
}

static void add_left_out(const struct pario_chronicle *c, struct pario_text *out)
{
	static const struct {
		enum pario_run_state state;
		const char *one, *more;
	} words[] = {
		{ PARIO_RUN_DAMAGED, "is damaged", "are damaged" },
		{ PARIO_RUN_UNTIMED, "does not tell its time", "do not tell their time" },
		{ PARIO_RUN_COPY, "is a copy of another", "are copies of others" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = c->runs[words[i].state];

		if (n)
			pario_text_add(out, " %zu journal%s %s and %s left out.", n,
				       n == 1 ? "" : "s", n == 1 ? words[i].one : words[i].more,
				       n == 1 ? "is" : "are");
	}
}

/* Is this word one of the words of every line? */
static bool everywhere(const struct pario_chronicle *c, const char *word, size_t length)
{
	for (size_t i = 0; i < c->lines; i++) {
		const char *at = c->line[i].words;
		bool found = false;

		while (*at && !found) {
			size_t here = strcspn(at, " ");

			found = here == length && memcmp(at, word, length) == 0;
			at += here;
			at += *at == ' ';
		}
		if (!found)
			return false;
	}
	return true;
}

/* Leaves out of `words` what is in every line, or keeps only that. */
static char *filtered(const struct pario_chronicle *c, const char *words, bool common)
{
	struct pario_text text = { 0 };
	char *copy;

	while (*words) {
		size_t length = strcspn(words, " ");

		if (everywhere(c, words, length) == common)
			pario_text_add(&text, "%s%.*s", text.length ? " " : "", (int)length, words);
		words += length;
		words += *words == ' ';
	}
	copy = strdup(pario_text_string(&text));
	pario_text_release(&text);
	return copy;
}

int pario_chronicle_shorten(struct pario_chronicle *c, struct pario_err *err)
{
	char **shorter = calloc(c->lines + 1, sizeof(*shorter));
	bool memory = shorter != NULL, place = c->lines > 0;

	c->common = c->lines ? filtered(c, c->line[0].words, true) : NULL;
	for (size_t i = 0; shorter && i < c->lines; i++) {
		shorter[i] = filtered(c, c->line[i].words, false);
		memory &= shorter[i] != NULL;
		place &= strcmp(c->line[i].place, c->line[0].place) == 0;
	}
	for (size_t i = 0; memory && i < c->lines; i++) {
		free(c->line[i].words);
		c->line[i].words = shorter[i];
		if (place && i)
			c->line[i].place[0] = '\0';
	}
	if (memory && place && *c->line[0].place) {
		struct pario_text text = { 0 };

		pario_text_add(&text, "%s%son %s", c->common ? c->common : "",
			       c->common && *c->common ? ", " : "", c->line[0].place);
		free(c->common);
		c->common = strdup(pario_text_string(&text));
		c->line[0].place[0] = '\0';
		pario_text_release(&text);
	}
	for (size_t i = 0; !memory && shorter && i < c->lines; i++)
		free(shorter[i]);
	free(shorter);
	return memory ? 0 : pario_err_memory(err, NULL);
}

void pario_chronicle_words(const struct pario_chronicle *c, struct pario_text *out)
{
	char first[PARIO_DATE], last[PARIO_DATE];

	pario_text_add(out, "%zu run%s", c->runs[PARIO_RUN_READ],
		       c->runs[PARIO_RUN_READ] == 1 ? "" : "s");
	if (c->lines)
		pario_text_add(out, " from %s to %s, %zu number%s over time",
			       pario_date(first, c->first_s), pario_date(last, c->last_s), c->lines,
			       c->lines == 1 ? "" : "s");
	pario_text_add(out, ".");
	if (c->common && *c->common)
		pario_text_add(out, " All of them: %s.", c->common);
	add_left_out(c, out);
	if (!c->places)
		pario_text_add(out,
			       " No number has more than %d runs: there is nothing to compare yet.",
			       PARIO_CHANGE_BEFORE);
	else
		pario_text_add(
			out,
			" %zu change%s marked; over the %zu places that were tested, two-sided, the "
			"chance of any false alarm is below 5 %% (Holm's correction).",
			c->changes, c->changes == 1 ? " is" : "s are", c->places);
}
