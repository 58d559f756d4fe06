/*
 * answer: which routine to use: the sentences and the numbers in them, from points that were measured.
 */
#include "tests/overlap/model/answer.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

static const struct pario_estimate *overlap_of(const struct pario_overlap_case *c)
{
	return &c->overlap;
}

static bool has_points(const struct pario_overlap_case *c)
{
	return c->points > 0;
}

static bool has_overlap(const struct pario_overlap_case *c)
{
	return c->points && c->overlap.error <= PARIO_OVERLAP_VAGUE;
}

/* Time of helpers counts only where it could be counted. */
static bool has_cpu(const struct pario_overlap_case *c)
{
	return c->points && !pario_overlap_brief(c, &c->point[c->points - 1]);
}

static const struct question {
	const char *words, *unit;
	int sign; /* the best is the largest (1) or the smallest (-1) */
	const struct pario_estimate *(*of)(const struct pario_overlap_case *c);
	bool (*told)(const struct pario_overlap_case *c); /* has this case a number to compare? */
	double scale;	  /* of the unit; per sector where it is negative */
	const char *none; /* why no case has one */
} questions[] = {
	{ "least CPU", "us per MiB", -1, pario_overlap_cpu_at_last, has_cpu, -1e3,
	  "passes were too short to count CPU time. Use a longer --pass_time" },
	{ "most overlap", "%", 1, overlap_of, has_overlap, 0.01,
	  "passes differ too much to tell the overlap. Use a longer --pass_time" },
	{ "fastest", "MiB/s", 1, pario_overlap_rate_at_best, has_points, PARIO_MIB,
	  "nothing was moved" },
};

/* A routine is named after the call that reads; "thread" is none. */
static void add_writer(struct pario_text *out, const char *name)
{
	const char *read = strstr(name, "read");

	if (!read || (read - name >= 2 && strncmp(read - 2, "th", 2) == 0))
		pario_text_add(out, "%s", name);
	else
		pario_text_add(out, "%.*swrite%s", (int)(read - name), name, read + strlen("read"));
}

static void add_call(struct pario_text *out, const struct pario_overlap_case *c)
{
	if (strcmp(c->phase, "write") != 0)
		pario_text_add(out, "%s", c->name);
	if (strcmp(c->phase, "both") == 0)
		pario_text_add(out, " and ");
	if (strcmp(c->phase, "read") != 0)
		add_writer(out, c->name);
}

/* The cases that answer one question of one phase. */
struct contest {
	const struct question *question;
	const struct pario_overlap_case *cases, *best;
	const char *phase;
	size_t n, entered, alike;
};

static bool enters(const struct contest *t, const struct pario_overlap_case *c)
{
	return strcmp(c->phase, t->phase) == 0 && t->question->told(c) &&
	       isfinite(t->question->of(c)->value);
}

/* Not to be told from the best, or not by so much that it matters. */
static bool alike(const struct contest *t, const struct pario_overlap_case *c)
{
	const struct pario_estimate *a = t->question->of(t->best), *b = t->question->of(c);
	double apart = fabs(a->value - b->value);

	return !(apart > a->error + b->error &&
		 apart > PARIO_OVERLAP_ALIKE * fmax(fabs(a->value), fabs(b->value)));
}

static void hold(struct contest *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct pario_overlap_case *c = &t->cases[i];

		if (!enters(t, c))
			continue;
		t->entered++;
		if (!t->best || t->question->sign * (t->question->of(c)->value -
						     t->question->of(t->best)->value) >
					0)
			t->best = c;
	}
	for (size_t i = 0; i < t->n; i++)
		t->alike += enters(t, &t->cases[i]) && alike(t, &t->cases[i]);
}

static void add_value(struct pario_text *out, const struct contest *t)
{
	double scale = t->question->scale;

	if (scale < 0)
		scale *= -t->best->sector / PARIO_MIB;
	pario_overlap_number(out, t->question->of(t->best), scale, 0);
	pario_text_add(out, " %s", t->question->unit);
	if (t->question->of == pario_overlap_rate_at_best && pario_overlap_cached(t->best))
		pario_text_add(out, " into the page cache");
	if (pario_overlap_suspect(t->best))
		pario_text_add(out, ", suspect");
}

static void say(struct pario_text *out, const struct contest *t)
{
	if (!t->best) {
		pario_text_add(out, "not known: %s.\n", t->question->none);
		return;
	}
	if (t->entered > 1 && t->alike == t->entered) {
		pario_text_add(out, "all %zu alike (", t->entered);
		add_value(out, t);
		pario_text_add(out, ")\n");
		return;
	}
	add_call(out, t->best);
	pario_text_add(out, " (");
	add_value(out, t);
	pario_text_add(out, ")");
	for (size_t i = 0; i < t->n; i++)
		if (&t->cases[i] != t->best && enters(t, &t->cases[i]) && alike(t, &t->cases[i])) {
			pario_text_add(out, ", ");
			add_call(out, &t->cases[i]);
		}
	pario_text_add(out, "%s\n", t->alike > 1 ? " alike" : "");
}

void pario_overlap_answer(struct pario_text *out, const struct pario_overlap_case *cases, size_t n)
{
	static const char *const phases[] = { "read", "write", "both" };

	for (size_t i = 0; i < 3; i++) {
		bool first = true;

		for (size_t k = 0; k < sizeof(questions) / sizeof(*questions); k++) {
			struct contest t = { &questions[k], cases, NULL, phases[i], n, 0, 0 };
			bool any = false;

			for (size_t j = 0; j < n; j++)
				any |= strcmp(cases[j].phase, phases[i]) == 0;
			if (!any)
				continue;
			hold(&t);
			pario_text_add(out, "%-6s %-13s ", first ? phases[i] : "",
				       t.question->words);
			say(out, &t);
			first = false;
		}
	}
}
