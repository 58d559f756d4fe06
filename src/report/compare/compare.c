/*
 * compare: pairs the points of two runs and judges each pair.
 */
#include "report/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "report/compare/param.h"

enum { NAMES = 256, DIFFERING = 3 };

struct matcher {
	struct pario_archive *archive;
	const char *across;	 /* parameters that may differ */
	const char *name[NAMES]; /* parameters that count */
	size_t count;
};

static const json_t *setting_of(const struct pario_volume *volume, const char *name)
{
	return json_object_get(json_object_get(volume->begin, "params"), name);
}

/* An option that one of the two programs does not know yet, and the other left at its default, changes nothing. */
static bool unknown_to_one(const struct matcher *m, const char *name)
{
	for (size_t i = 0; i < m->archive->volume_count; i++) {
		const json_t *here = setting_of(&m->archive->volume[i], name);
		const json_t *there = setting_of(&m->archive->volume[!i], name);
		const char *origin = json_string_value(json_object_get(there, "origin"));

		if (!here && origin && strcmp(origin, "default") == 0)
			return true;
	}
	return false;
}

static void add_name(struct matcher *m, const char *name)
{
	if (!pario_param_shapes(name))
		return;
	for (size_t i = 0; i < m->count; i++) {
		if (strcmp(m->name[i], name) == 0)
			return;
	}
	if (m->count < NAMES && !pario_param_listed(m->across, name) && !unknown_to_one(m, name))
		m->name[m->count++] = name;
}

/* Names of the runs' parameters, then those that only points have (a glance's). */
static void collect_names(struct matcher *m, const struct pario_groups *groups)
{
	for (size_t i = 0; i < m->archive->volume_count; i++) {
		json_t *params = json_object_get(m->archive->volume[i].begin, "params");

		for (void *at = json_object_iter(params); at;
		     at = json_object_iter_next(params, at))
			add_name(m, json_object_iter_key(at));
	}
	for (size_t i = 0; i < groups->count; i++) {
		const char *at = groups->group[i].first->of->point;

		while (*at) {
			char name[128];

			snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "= "), at);
			at += strcspn(at, " ");
			at += *at == ' ';
			if (pario_strings_keep(&m->archive->strings, name))
				add_name(m, pario_strings_keep(&m->archive->strings, name));
		}
	}
}

static const char *value_of(struct matcher *m, const struct pario_reading *r, const char *name)
{
	char text[512];

	pario_param_spell(pario_reading_param(m->archive, r, name), text, sizeof(text));
	return pario_strings_keep(&m->archive->strings, text);
}

/* Equal for points that belong together; strings are kept once, so their addresses stand for them. */
static uint64_t key_of(struct matcher *m, const struct pario_group *g)
{
	uint64_t key =
		pario_random_join((uintptr_t)g->first->of->test, (uintptr_t)g->first->of->phase);

	if (!pario_param_listed(m->across, "clients"))
		key = pario_random_join(key, g->first->of->clients);
	for (size_t i = 0; i < m->count; i++)
		key = pario_random_join(key, (uintptr_t)value_of(m, g->first, m->name[i]));
	return key;
}

/* A name that no run knows is a slip: nothing would be compared across it. */
static int check_across(struct matcher *m, const struct pario_groups *groups, struct pario_err *err)
{
	char list[1024], *save = NULL;

	snprintf(list, sizeof(list), "%s", m->across ? m->across : "");
	for (char *name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		bool known = strcmp(name, "clients") == 0;

		for (size_t i = 0; i < m->archive->volume_count; i++)
			known |= setting_of(&m->archive->volume[i], name) != NULL;
		for (size_t i = 0; i < groups->count && !known; i++)
			known = *pario_reading_param(m->archive, groups->group[i].first, name);
		if (!known)
			return pario_err_set(err, PARIO_USAGE,
					     "--across %s: neither run has a parameter of that "
					     "name; `pario help TEST` shows them.",
					     name);
	}
	return 0;
}

static void add_value(struct pario_text *out, const char *value)
{
	if (*value)
		pario_text_add(out, "\"%s\"", value);
	else
		pario_text_add(out, "not set");
}

/* Says what keeps the two runs apart: every parameter in which the first points differ. */
static int refuse(struct matcher *m, const struct pario_group *a, const struct pario_group *b,
		  struct pario_err *err)
{
	struct pario_text text = { 0 }, names = { 0 };
	size_t count = 0;

	if (strcmp(a->first->of->test, b->first->of->test) != 0)
		return pario_err_set(err, PARIO_USAGE,
				     "the runs cannot be compared: one measured %s, the other %s.",
				     a->first->of->test, b->first->of->test);
	for (size_t i = 0; i < m->count; i++) {
		if (value_of(m, a->first, m->name[i]) == value_of(m, b->first, m->name[i]))
			continue;
		if (count < DIFFERING) {
			pario_text_add(&text, "%s%s is ", count ? ", " : "", m->name[i]);
			add_value(&text, pario_reading_param(m->archive, a->first, m->name[i]));
			pario_text_add(&text, " in one and ");
			add_value(&text, pario_reading_param(m->archive, b->first, m->name[i]));
			pario_text_add(&text, " in the other");
			pario_text_add(&names, "%s%s", count ? "," : "", m->name[i]);
		}
		count++;
	}
	if (a->first->of->clients != b->first->of->clients &&
	    !pario_param_listed(m->across, "clients")) {
		pario_text_add(&text, "%sone has %llu client%s and the other %llu",
			       count ? ", " : "", (unsigned long long)a->first->of->clients,
			       a->first->of->clients == 1 ? "" : "s",
			       (unsigned long long)b->first->of->clients);
		pario_text_add(&names, "%sclients", names.length ? "," : "");
	}
	if (!text.length && strcmp(a->headline, b->headline) != 0)
		pario_text_add(&text, "the number of one is %s, that of the other %s",
			       *a->headline ? a->headline : a->unit,
			       *b->headline ? b->headline : b->unit);
	if (!text.length)
		pario_text_add(&text, "they have no phase in common (%s and %s)",
			       a->first->of->phase, b->first->of->phase);
	pario_err_set(err, PARIO_USAGE,
		      "the runs cannot be compared, no point is in both: %.600s%s. Measure both "
		      "alike%s%s.",
		      pario_text_string(&text), count > DIFFERING ? ", and more" : "",
		      names.length && count <= DIFFERING
			      ? ", or say that this is what you compare with --across "
			      : "",
		      count <= DIFFERING ? pario_text_string(&names) : "");
	pario_text_release(&names);
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
		    strcmp(r->of->headline, g->headline) == 0 &&
		    strcmp(pario_reading_unit(r), g->unit) == 0 &&
		    !pario_group_redone(groups, g, i))
			values[n++] = value;
	}
	return n;
}

/* Which way is better: +1 higher, -1 lower. */
static int better_of(const struct pario_group *g)
{
	return g->better < 0 ? -1 : 1;
}

/* The way it went, as far as that is a difference. */
static enum pario_verdict verdict_of(const struct pario_pair *pair)
{
	const struct pario_difference *d = &pair->difference;

	if (!d->decidable)
		return PARIO_VERDICT_UNDECIDED;
	if (!d->differs)
		return PARIO_VERDICT_SAME;
	return d->grows == (better_of(pair->a) > 0) ? PARIO_VERDICT_FASTER : PARIO_VERDICT_SLOWER;
}

/*
 * Beyond the threshold? Where repetitions are too few for the test to say anything, the plain facts do: every value of
 * the second run is worse than every one of the first, and the medians are that far apart.
 */
static bool regressed(const struct pario_pair *pair, double threshold)
{
	const struct pario_difference *d = &pair->difference;
	bool higher = better_of(pair->a) > 0;
	double ratio = higher ? d->ratio : 1 / d->ratio;
	bool beyond = isnan(ratio) || ratio < threshold;

	if (isnan(threshold))
		return false;
	if (pair->verdict == PARIO_VERDICT_UNDECIDED)
		return d->apart && d->grows != higher && beyond;
	return pair->verdict == PARIO_VERDICT_LOST ||
	       (pair->verdict == PARIO_VERDICT_SLOWER && beyond);
}

static int judge(struct pario_comparison *c, struct pario_pair *pair, struct pario_err *err)
{
	double *a = malloc((pair->a->count + 1) * sizeof(*a));
	double *b = malloc((pair->b->count + 1) * sizeof(*b));
	size_t a_count = a ? values_of(&c->groups, pair->a, a) : 0;
	size_t b_count = b ? values_of(&c->groups, pair->b, b) : 0;
	bool memory = a && b;

	if (memory)
		pair->difference = pario_difference_of(a, a_count, b, b_count);
	free(a);
	free(b);
	if (!memory)
		return pario_err_set(err, PARIO_SYSTEM, "there is no memory.");
	pair->suspect = pair->a->suspects || pair->b->suspects;
	if (!a_count && !b_count)
		pair->verdict = PARIO_VERDICT_NEITHER;
	else if (!a_count || !b_count)
		pair->verdict = a_count ? PARIO_VERDICT_LOST : PARIO_VERDICT_GAINED;
	else
		pair->verdict = verdict_of(pair);
	pair->regression = regressed(pair, c->threshold);
	return 0;
}

/* ---- pairs ---- */

/* The points of the second run by key, so that each is found without a walk through all. */
struct place {
	uint64_t key;
	size_t group;
	bool taken;
};

static int by_key(const void *x, const void *y)
{
	const struct place *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->group > b->group) - (a->group < b->group);
}

/* A journal of an older version may hold another number of the same phase. */
static bool same_number(const struct pario_group *a, const struct pario_group *b)
{
	return !a->numbers || !b->numbers ||
	       (strcmp(a->headline, b->headline) == 0 && strcmp(a->unit, b->unit) == 0);
}

static struct place *find_place(struct place *list, size_t count, uint64_t key,
				const struct pario_groups *g, const struct pario_group *a)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	while (low < count && list[low].key == key &&
	       (list[low].taken || !same_number(a, &g->group[list[low].group])))
		low++;
	return low < count && list[low].key == key ? &list[low] : NULL;
}

/* What could not run here is no point. */
static bool is_point(const struct pario_group *g, size_t volume)
{
	return g->first->of->volume == volume && g->skips < g->count;
}

static size_t list_places(struct matcher *m, const struct pario_groups *g, struct place *list)
{
	size_t count = 0;

	for (size_t i = 0; i < g->count; i++) {
		if (is_point(&g->group[i], 1))
			list[count++] =
				(struct place){ .key = key_of(m, &g->group[i]), .group = i };
	}
	qsort(list, count, sizeof(*list), by_key);
	return count;
}

static const struct pario_group *first_of(const struct pario_groups *g, size_t volume)
{
	for (size_t i = 0; i < g->count; i++) {
		if (is_point(&g->group[i], volume))
			return &g->group[i];
	}
	return NULL;
}

static int pair_up(struct pario_comparison *c, struct matcher *m, struct pario_err *err)
{
	struct pario_groups *g = &c->groups;
	struct place *list = calloc(g->count + 1, sizeof(*list));
	size_t count = list ? list_places(m, g, list) : 0;
	int status = list ? 0 : pario_err_set(err, PARIO_SYSTEM, "there is no memory.");

	for (size_t i = 0; status == 0 && i < g->count; i++) {
		struct place *place;

		if (!is_point(&g->group[i], 0))
			continue;
		place = find_place(list, count, key_of(m, &g->group[i]), g, &g->group[i]);
		if (!place) {
			c->only_a++;
			continue;
		}
		place->taken = true;
		c->pair[c->count] =
			(struct pario_pair){ .a = &g->group[i], .b = &g->group[place->group] };
		status = judge(c, &c->pair[c->count++], err);
	}
	c->only_b = count - c->count;
	free(list);
	return status;
}

static int refuse_nothing(struct matcher *m, const struct pario_groups *g, struct pario_err *err)
{
	const struct pario_group *first[2] = { first_of(g, 0), first_of(g, 1) };

	if (first[0] && first[1])
		return refuse(m, first[0], first[1], err);
	return pario_err_set(err, PARIO_USAGE,
			     "%s holds no results, so there is nothing to compare.",
			     m->archive->volume[first[0] ? 1 : 0].path);
}

/* No end line, or one that says so: points are missing because they were never reached. */
static bool cut_short(const struct pario_volume *volume)
{
	const char *outcome = json_string_value(json_object_get(volume->end, "outcome"));

	return volume->torn || !outcome || strcmp(outcome, "interrupted") == 0;
}

int pario_comparison_of(struct pario_archive *archive, const char *across, double threshold,
			struct pario_comparison *comparison, struct pario_err *err)
{
	struct pario_comparison *c = comparison;
	struct matcher matcher = { .archive = archive, .across = across };

	*c = (struct pario_comparison){ .threshold = threshold };
	if (pario_groups_of(archive, &c->groups, err) < 0)
		return -1;
	c->pair = calloc(c->groups.count + 1, sizeof(*c->pair));
	if (!c->pair) {
		pario_err_set(err, PARIO_SYSTEM, "there is no memory.");
		goto release;
	}
	if (check_across(&matcher, &c->groups, err) < 0)
		goto release;
	collect_names(&matcher, &c->groups);
	if (pair_up(c, &matcher, err) < 0 ||
	    (c->count == 0 && refuse_nothing(&matcher, &c->groups, err) < 0))
		goto release;
	for (size_t i = 0; i < 2; i++)
		c->cut_short[i] = cut_short(&archive->volume[i]);
	/* What a cut run never reached may have been anything: that is no pass. */
	c->regressions = !isnan(threshold) && c->cut_short[1] ? c->only_a : 0;
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

	pario_text_add(out, "%s %s%s%s", r->of->test, r->of->phase, *headline ? " " : "", headline);
	/* imported results may not tell how many there were */
	if (r->of->clients)
		pario_text_add(out, ", %llu client%s", (unsigned long long)r->of->clients,
			       r->of->clients == 1 ? "" : "s");
	pario_text_add(out, "%s%s%s", *r->of->point ? ", " : "", r->of->point,
		       pair->a->better < 0 ? ", less is better" : "");
}

static void say_threshold(const struct pario_comparison *c, struct pario_text *out)
{
	size_t missing = c->cut_short[1] ? c->only_a : 0;

	if (!c->regressions)
		pario_text_add(out, " None is worse than the threshold %g allows.", c->threshold);
	if (c->regressions > missing)
		pario_text_add(out, " %zu worse than the threshold %g allows.",
			       c->regressions - missing, c->threshold);
	if (missing)
		pario_text_add(out, " The threshold %g cannot hold for %zu that %s not reached.",
			       c->threshold, missing, missing == 1 ? "was" : "were");
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
	for (size_t i = 0; i < 2; i++) {
		if (c->cut_short[i])
			pario_text_add(out, " The %s run was cut short.", i ? "second" : "first");
	}
	if (c->verdicts[PARIO_VERDICT_FASTER] + c->verdicts[PARIO_VERDICT_SLOWER] && c->count >= 20)
		pario_text_add(out, " Of %zu equal points, about %zu would differ by chance.",
			       c->count, c->count / 20);
	if (!isnan(c->threshold))
		say_threshold(c, out);
	if (c->verdicts[PARIO_VERDICT_UNDECIDED])
		pario_text_add(out, " So few repetitions never show a difference: measure both "
				    "with --repetitions 5.");
}
