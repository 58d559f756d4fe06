/*
 * compare: which points belong together, and what is said of each pair. See compare.h.
 */
#include "report/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

enum { NAMES = 256, DIFFERING = 3 };

/* Parameters that do not shape the measurement. */
static const char *const unimportant[] = { "dir",     "output",	     "plan",	 "label",
					   "seed",    "np",	     "clients",	 "repetitions",
					   "dry_run", "show_config", "json",	 "quiet",
					   "color",   "keep_files",  "deadline", "resume",
					   "minutes" };

struct matcher {
	struct pario_archive *archive;
	const char *name[NAMES]; /* parameters that count */
	size_t count;
};

static bool listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		if (strncmp(at, name, length) == 0 && (!at[length] || at[length] == ','))
			return true;
	}
	return false;
}

static void add_name(struct matcher *m, const char *name, const char *across)
{
	for (size_t i = 0; i < sizeof(unimportant) / sizeof(unimportant[0]); i++) {
		if (strcmp(unimportant[i], name) == 0)
			return;
	}
	for (size_t i = 0; i < m->count; i++) {
		if (strcmp(m->name[i], name) == 0)
			return;
	}
	if (m->count < NAMES && !listed(across, name))
		m->name[m->count++] = name;
}

/* Names of the runs' parameters, then those that only points have (a glance's). */
static void collect_names(struct matcher *m, const struct pario_groups *groups, const char *across)
{
	for (size_t i = 0; i < m->archive->volume_count; i++) {
		json_t *params = json_object_get(m->archive->volume[i].begin, "params");

		for (void *at = json_object_iter(params); at;
		     at = json_object_iter_next(params, at))
			add_name(m, json_object_iter_key(at), across);
	}
	for (size_t i = 0; i < groups->count; i++) {
		const char *at = groups->group[i].first->point;

		while (*at) {
			char name[128];

			snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "= "), at);
			at += strcspn(at, " ");
			at += *at == ' ';
			if (pario_strings_keep(&m->archive->strings, name))
				add_name(m, pario_strings_keep(&m->archive->strings, name), across);
		}
	}
}

/* Equal for points that belong together; strings are kept once, so their addresses stand for them. */
static uint64_t key_of(struct matcher *m, const struct pario_group *g)
{
	uint64_t key = pario_random_join((uintptr_t)g->first->test, (uintptr_t)g->first->phase);

	key = pario_random_join(key, g->first->clients);
	for (size_t i = 0; i < m->count; i++) {
		const char *value = pario_reading_param(m->archive, g->first, m->name[i]);

		value = pario_strings_keep(&m->archive->strings, value);
		key = pario_random_join(key, (uintptr_t)value);
	}
	return key;
}

/* Says what keeps the two runs apart: every parameter in which the first points differ. */
static int refuse(struct matcher *m, const struct pario_group *a, const struct pario_group *b,
		  struct pario_err *err)
{
	struct pario_text text = { 0 };
	const char *first = NULL;
	size_t count = 0;

	if (strcmp(a->first->test, b->first->test) != 0)
		return pario_err_set(err, PARIO_USAGE,
				     "the runs cannot be compared: one measured %s, the other %s.",
				     a->first->test, b->first->test);
	for (size_t i = 0; i < m->count; i++) {
		const char *va = pario_reading_param(m->archive, a->first, m->name[i]);
		const char *vb = pario_reading_param(m->archive, b->first, m->name[i]);

		if (strcmp(va, vb) == 0)
			continue;
		if (count < DIFFERING)
			pario_text_add(&text, "%s%s is \"%s\" in one and \"%s\" in the other",
				       count ? ", " : "", m->name[i], va, vb);
		first = first ? first : m->name[i];
		count++;
	}
	if (a->first->clients != b->first->clients)
		pario_text_add(&text, "%sone has %llu clients and the other %llu",
			       count ? ", " : "", (unsigned long long)a->first->clients,
			       (unsigned long long)b->first->clients);
	if (!text.length && strcmp(a->headline, b->headline) != 0)
		pario_text_add(&text, "the number of one is %s, that of the other %s",
			       *a->headline ? a->headline : a->unit,
			       *b->headline ? b->headline : b->unit);
	if (!text.length)
		pario_text_add(&text, "they have no phase in common (%s and %s)", a->first->phase,
			       b->first->phase);
	pario_err_set(err, PARIO_USAGE,
		      "the runs cannot be compared, no point is in both: %.600s%s. Measure both "
		      "alike%s%s%s.",
		      pario_text_string(&text), count > DIFFERING ? ", and more" : "",
		      first ? ", or say that this is what you compare with --across " : "",
		      first ? first : "", "");
	pario_text_release(&text);
	return -1;
}

/* ---- verdicts ---- */

static size_t values_of(const struct pario_groups *groups, const struct pario_group *g,
			double *values)
{
	size_t n = 0;

	for (size_t i = 0; i < g->count; i++) {
		const struct pario_reading *r = groups->member[g->begin + i];
		double value = pario_reading_value(r);

		if ((r->outcome == PARIO_PASS || r->outcome == PARIO_SUSPECT) && isfinite(value) &&
		    value > 0)
			values[n++] = value;
	}
	return n;
}

static int judge(struct pario_comparison *c, struct pario_pair *pair, struct pario_err *err)
{
	double *a = malloc((pair->a->count + 1) * sizeof(*a));
	double *b = malloc((pair->b->count + 1) * sizeof(*b));
	size_t a_count = a ? values_of(&c->groups, pair->a, a) : 0;
	size_t b_count = b ? values_of(&c->groups, pair->b, b) : 0;
	bool memory = a && b;
	double gain = NAN; /* above 1 the second run is better, whichever way is */

	if (memory) {
		pair->difference = pario_difference_of(a, a_count, b, b_count);
		gain = pair->a->better < 0 ? 1 / pair->difference.ratio : pair->difference.ratio;
	}
	free(a);
	free(b);
	if (!memory)
		return pario_err_set(err, PARIO_SYSTEM, "there is no memory.");
	pair->suspect = pair->a->suspects || pair->b->suspects;
	if (!a_count && !b_count)
		pair->verdict = PARIO_VERDICT_NEITHER;
	else if (!a_count || !b_count)
		pair->verdict = a_count ? PARIO_VERDICT_LOST : PARIO_VERDICT_GAINED;
	else if (!pair->difference.decidable)
		pair->verdict = PARIO_VERDICT_UNDECIDED;
	else if (!pair->difference.differs)
		pair->verdict = PARIO_VERDICT_SAME;
	else
		pair->verdict = gain > 1 ? PARIO_VERDICT_FASTER : PARIO_VERDICT_SLOWER;
	if (isnan(c->threshold))
		return 0;
	pair->regression = pair->verdict == PARIO_VERDICT_LOST ||
			   (pair->verdict == PARIO_VERDICT_SLOWER && gain < c->threshold);
	if (pair->verdict == PARIO_VERDICT_UNDECIDED)
		return pario_err_set(
			err, PARIO_USAGE,
			"--threshold cannot be decided: %s %s has %zu and %zu repetitions, and so few "
			"never show a difference. Measure both with --repetitions 5.",
			pair->a->first->test, pair->a->first->phase, a_count, b_count);
	return 0;
}

/* ---- pairs ---- */

/* A journal of an older version may hold another number of the same phase. */
static bool same_number(const struct pario_group *a, const struct pario_group *b)
{
	return !a->numbers || !b->numbers ||
	       (strcmp(a->headline, b->headline) == 0 && strcmp(a->unit, b->unit) == 0);
}

static int pair_up(struct pario_comparison *c, struct matcher *m, struct pario_err *err)
{
	struct pario_groups *g = &c->groups;
	bool *taken = calloc(g->count + 1, sizeof(*taken));
	uint64_t *key = calloc(g->count + 1, sizeof(*key));
	const struct pario_group *first[2] = { NULL, NULL };
	int status = taken && key ? 0 : pario_err_set(err, PARIO_SYSTEM, "there is no memory.");

	for (size_t i = 0; status == 0 && i < g->count; i++) {
		key[i] = key_of(m, &g->group[i]);
		/* What could not run here is no point. */
		taken[i] = g->group[i].skips == g->group[i].count;
	}

	for (size_t i = 0; status == 0 && i < g->count; i++) {
		const struct pario_group *a = &g->group[i];
		size_t k = 0;

		if (a->skips == a->count)
			continue;
		if (!first[a->first->volume])
			first[a->first->volume] = a;
		c->only_b += a->first->volume == 1;
		if (a->first->volume != 0)
			continue;
		while (k < g->count && (key[k] != key[i] || g->group[k].first->volume != 1 ||
					taken[k] || !same_number(a, &g->group[k])))
			k++;
		if (k == g->count) {
			c->only_a++;
			continue;
		}
		taken[k] = true;
		c->pair[c->count] = (struct pario_pair){ .a = a, .b = &g->group[k] };
		status = judge(c, &c->pair[c->count++], err);
	}
	free(taken);
	free(key);
	c->only_b -= status == 0 ? c->count : 0;
	if (status == 0 && (!first[0] || !first[1]))
		return pario_err_set(err, PARIO_USAGE,
				     "%s holds no results, so there is nothing to compare.",
				     m->archive->volume[first[0] ? 1 : 0].path);
	if (status == 0 && c->count == 0)
		return refuse(m, first[0], first[1], err);
	return status;
}

int pario_comparison_of(struct pario_archive *archive, const char *across, double threshold,
			struct pario_comparison *comparison, struct pario_err *err)
{
	struct pario_comparison *c = comparison;
	struct matcher matcher = { .archive = archive };

	*c = (struct pario_comparison){ .threshold = threshold };
	if (pario_groups_of(archive, &c->groups, err) < 0)
		return -1;
	c->pair = calloc(c->groups.count + 1, sizeof(*c->pair));
	if (!c->pair) {
		pario_err_set(err, PARIO_SYSTEM, "there is no memory.");
		goto release;
	}
	collect_names(&matcher, &c->groups, across);
	if (pair_up(c, &matcher, err) < 0)
		goto release;
	for (size_t i = 0; i < c->count; i++) {
		c->verdicts[c->pair[i].verdict]++;
		c->regressions += c->pair[i].regression;
	}
	return 0;

release:
	pario_comparison_release(c);
	return -1;
}

void pario_comparison_release(struct pario_comparison *comparison)
{
	free(comparison->pair);
	pario_groups_release(&comparison->groups);
	*comparison = (struct pario_comparison){ 0 };
}

const char *pario_verdict_words(enum pario_verdict verdict)
{
	static const char *const words[] = {
		[PARIO_VERDICT_SAME] = "no difference found",
		[PARIO_VERDICT_FASTER] = "faster",
		[PARIO_VERDICT_SLOWER] = "slower",
		[PARIO_VERDICT_UNDECIDED] = "too few repetitions to tell",
		[PARIO_VERDICT_LOST] = "no number any more",
		[PARIO_VERDICT_GAINED] = "no number before",
		[PARIO_VERDICT_NEITHER] = "no number in either",
	};

	return words[verdict];
}

void pario_pair_name(const struct pario_pair *pair, struct pario_text *out)
{
	const struct pario_reading *r = pair->a->first;

	const char *headline = *pair->a->headline ? pair->a->headline : pair->b->headline;

	pario_text_add(out, "%s %s%s%s, %llu client%s%s%s%s", r->test, r->phase,
		       *headline ? " " : "", headline, (unsigned long long)r->clients,
		       r->clients == 1 ? "" : "s", *r->point ? ", " : "", r->point,
		       pair->a->better < 0 ? ", less is better" : "");
}

void pario_comparison_say(const struct pario_comparison *c, struct pario_text *out)
{
	bool any = false;

	pario_text_add(out, "%zu point%s compared: ", c->count, c->count == 1 ? "" : "s");
	for (size_t v = 0; v < PARIO_VERDICTS; v++) {
		if (!c->verdicts[v])
			continue;
		pario_text_add(out, "%s%zu %s", any ? ", " : "", c->verdicts[v],
			       pario_verdict_words((enum pario_verdict)v));
		any = true;
	}
	pario_text_add(out, ".");
	if (c->only_a || c->only_b)
		pario_text_add(out, " %zu point%s only in the first run, %zu only in the second.",
			       c->only_a, c->only_a == 1 ? " is" : "s are", c->only_b);
	if (c->verdicts[PARIO_VERDICT_FASTER] + c->verdicts[PARIO_VERDICT_SLOWER] && c->count >= 20)
		pario_text_add(out, " Of %zu equal points, about %zu would differ by chance.",
			       c->count, c->count / 20);
	if (!isnan(c->threshold))
		pario_text_add(out,
			       c->regressions ? " %zu slower than the threshold %g allows."
					      : " None is slower than the threshold allows.",
			       c->regressions, c->threshold);
}
