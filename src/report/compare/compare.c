/*
 * compare: which points of two sides, with one run or several each, belong together.
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
	const struct pario_sides *sides;
	bool paired;		 /* what the two ways differ in is what is compared */
	const char *name[NAMES]; /* parameters that count */
	size_t count;
};

static const json_t *setting_of(const struct pario_volume *volume, const char *name)
{
	return json_object_get(json_object_get(volume->begin, "params"), name);
}

/* An option that one of the programs does not know yet, and the others left at its default, changes nothing. */
static bool unknown_to_one(const struct matcher *m, const char *name)
{
	bool unknown = false, given = false;

	for (size_t i = 0; i < m->sides->a + m->sides->b; i++) {
		const json_t *here = setting_of(&m->archive->volume[i], name);
		const char *origin = json_string_value(json_object_get(here, "origin"));

		unknown |= !here;
		given |= here && !(origin && strcmp(origin, "default") == 0);
	}
	return unknown && !given;
}

static const char *text_of(const json_t *setting)
{
	const char *value = json_string_value(json_object_get(setting, "value"));

	return value ? value : "";
}

static bool is_compared(const struct matcher *m, const char *name)
{
	const struct pario_volume *v = m->archive->volume;

	return pario_param_listed(m->sides->across, name) ||
	       (m->paired && strcmp(text_of(setting_of(&v[0], name)),
				    text_of(setting_of(&v[m->sides->a], name))) != 0);
}

static void add_name(struct matcher *m, const char *name)
{
	if (!pario_param_shapes(name))
		return;
	for (size_t i = 0; i < m->count; i++) {
		if (strcmp(m->name[i], name) == 0)
			return;
	}
	if (m->count < NAMES && !is_compared(m, name) && !unknown_to_one(m, name))
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

	if (!is_compared(m, "clients") && !is_compared(m, "np"))
		key = pario_random_join(key, g->first->of->clients);
	for (size_t i = 0; i < m->count; i++)
		key = pario_random_join(key, (uintptr_t)value_of(m, g->first, m->name[i]));
	return key;
}

/* A name that no run knows is a slip: nothing would be compared across it. */
static int check_across(struct matcher *m, const struct pario_groups *groups, struct pario_err *err)
{
	char list[1024];

	snprintf(list, sizeof(list), "%s", m->sides->across ? m->sides->across : "");
	for (char *rest = list, *name; (name = pario_text_word(&rest, ","));) {
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
	    !pario_param_listed(m->sides->across, "clients")) {
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

/* ---- pairs ---- */

static int by_key(const void *x, const void *y)
{
	const struct pario_compared_point *a = x, *b = y;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->again != b->again)
		return a->again < b->again ? -1 : 1;
	return (a->group > b->group) - (a->group < b->group);
}

static int by_first(const void *x, const void *y)
{
	const struct pario_pair *a = x, *b = y;

	return (a->a > b->a) - (a->a < b->a);
}

/* What could not run here is no point. */
static bool is_point(const struct pario_group *g)
{
	return g->skips < g->count;
}

/* Groups lie in the order of their volumes, so that those of one point do too. */
static void list_places(struct pario_comparison *c, struct matcher *m)
{
	const struct pario_group *g = c->groups.group;

	for (size_t i = 0; i < c->groups.count; i++) {
		if (is_point(&g[i]))
			c->place[c->places++] =
				(struct pario_compared_point){ .key = key_of(m, &g[i]),
							       .group = i };
	}
	qsort(c->place, c->places, sizeof(*c->place), by_key);
	for (size_t i = 1; i < c->places; i++) {
		struct pario_compared_point *p = &c->place[i];

		if (p[-1].key == p->key &&
		    g[p[-1].group].first->of->volume == g[p->group].first->of->volume)
			p->again = p[-1].again + 1;
	}
	qsort(c->place, c->places, sizeof(*c->place), by_key);
}

/* A journal of an older version may hold another number of the same phase. */
static bool same_number(const struct pario_group *a, const struct pario_group *b)
{
	return !a->numbers || !b->numbers ||
	       (strcmp(a->headline, b->headline) == 0 && strcmp(a->unit, b->unit) == 0);
}

static size_t side_of(const struct pario_comparison *c, const struct pario_group *g)
{
	size_t volume = g->first->of->volume;

	return volume < c->sides.a ? 0 : volume < c->sides.a + c->sides.b ? 1 : 2;
}

/* The first run that has a number speaks for its side, else the first. */
static void take_group(const struct pario_group **speaker, const struct pario_group *g)
{
	if (!*speaker || (!(*speaker)->numbers && g->numbers))
		*speaker = g;
}

/* The places from `begin` to `end` are one point: is it in both sides? */
static void take_point(struct pario_comparison *c, size_t begin, size_t end)
{
	struct pario_pair pair = { .place = begin };
	size_t others = 0;

	for (size_t i = begin; i < end; i++) {
		const struct pario_group *g = &c->groups.group[c->place[i].group];
		size_t side = side_of(c, g);

		if (side == 0)
			take_group(&pair.a, g);
		else if (side == 1 && pair.a && same_number(pair.a, g))
			take_group(&pair.b, g);
		else
			others += side == 1;
	}
	c->only_a += pair.a && !pair.b;
	c->only_b += others && !pair.b;
	if (pair.a && pair.b)
		c->pair[c->count++] = pair;
}

static void pair_up(struct pario_comparison *c, struct matcher *m)
{
	list_places(c, m);
	for (size_t i = 0, end; i < c->places; i = end) {
		for (end = i + 1; end < c->places && c->place[end].key == c->place[i].key &&
				  c->place[end].again == c->place[i].again;)
			end++;
		take_point(c, i, end);
	}
	qsort(c->pair, c->count, sizeof(*c->pair), by_first);
}

static const struct pario_group *first_of(const struct pario_comparison *c, size_t side)
{
	for (size_t i = 0; i < c->groups.count; i++) {
		const struct pario_group *g = &c->groups.group[i];

		if (is_point(g) && side_of(c, g) == side)
			return g;
	}
	return NULL;
}

static int refuse_nothing(struct matcher *m, const struct pario_comparison *c,
			  struct pario_err *err)
{
	const struct pario_group *first[2] = { first_of(c, 0), first_of(c, 1) };

	if (first[0] && first[1])
		return refuse(m, first[0], first[1], err);
	return pario_err_set(err, PARIO_USAGE,
			     "%s holds no results, so there is nothing to compare.",
			     m->archive->volume[first[0] ? c->sides.a : 0].path);
}

/* No end line, or one that says so: points are missing because they were never reached. */
static bool cut_short(const struct pario_volume *volume)
{
	const char *outcome = json_string_value(json_object_get(volume->end, "outcome"));

	return volume->torn || !outcome || strcmp(outcome, "interrupted") == 0;
}

/*
 * Were these measured alternately by `pario compare --run`? It labels its runs "A, pair 3 of ID" and "B, pair 3 of ID".
 */
static bool is_paired(const struct pario_archive *archive, const struct pario_sides *sides)
{
	for (size_t i = 0; i < sides->a; i++) {
		const json_t *a = archive->volume[i].begin;
		const json_t *b = archive->volume[sides->a + i].begin;
		const char *first = json_string_value(json_object_get(a, "label"));
		const char *second = json_string_value(json_object_get(b, "label"));

		if (sides->a != sides->b || !first || !second || !strstr(first, ", pair ") ||
		    !strstr(second, ", pair ") ||
		    strcmp(strstr(first, ", pair "), strstr(second, ", pair ")) != 0)
			return false;
	}
	return true;
}

static int compare(struct pario_comparison *c, struct matcher *m, struct pario_err *err)
{
	struct pario_archive *archive = m->archive;

	if (pario_groups_of(archive, &c->groups, err) < 0)
		return -1;
	c->pair = calloc(c->groups.count + 1, sizeof(*c->pair));
	c->place = calloc(c->groups.count + 1, sizeof(*c->place));
	if (!c->pair || !c->place)
		return pario_err_memory(err, NULL);
	if (check_across(m, &c->groups, err) < 0)
		return -1;
	c->paired = m->paired = is_paired(archive, &c->sides);
	collect_names(m, &c->groups);
	pair_up(c, m);
	if (c->count == 0)
		return refuse_nothing(m, c, err);
	for (size_t i = 0; i < c->sides.a + c->sides.b; i++)
		c->cut_short[i >= c->sides.a] |= cut_short(&archive->volume[i]);
	return pario_comparison_judge(c, err);
}

int pario_comparison_of(struct pario_archive *archive, const struct pario_sides *sides,
			struct pario_comparison *comparison, struct pario_err *err)
{
	struct matcher matcher = { .archive = archive, .sides = sides };

	*comparison = (struct pario_comparison){ .sides = *sides };
	if (compare(comparison, &matcher, err) < 0) {
		pario_comparison_release(comparison);
		return -1;
	}
	return 0;
}

void pario_comparison_release(struct pario_comparison *comparison)
{
	free(comparison->pair);
	free(comparison->place);
	pario_groups_release(&comparison->groups);
	*comparison = (struct pario_comparison){ 0 };
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
