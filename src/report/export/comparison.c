/*
 * comparison: the pairs of a comparison as CSV and JSON; both walk one table of members.
 */
#include <math.h>

#include "base/json.h"
#include "base/csv.h"
#include "report/export/results.h"

struct member {
	const char *name, *text; /* a text, or a number where it is NULL */
	double number;
};

enum { MEMBERS = 24 };

/* What the interval rests on; the words are part of the format. */
static const char *source_of(const struct pario_difference *d)
{
	static const char *const words[PARIO_SPREAD_SOURCES] = {
		[PARIO_SPREAD_NONE] = "none",	[PARIO_SPREAD_PAIRS] = "pairs",
		[PARIO_SPREAD_RUNS] = "runs",	[PARIO_SPREAD_HISTORY] = "history",
		[PARIO_SPREAD_DRIFT] = "drift", [PARIO_SPREAD_USUAL] = "usual",
	};

	return words[d->source];
}

static size_t members_of(const struct pario_pair *p, struct member m[MEMBERS])
{
	const struct pario_group *a = p->a, *b = p->b;
	const struct pario_difference *d = &p->difference;
	const struct member all[] = {
		{ "test", a->first->of->test, 0 },
		{ "point", a->first->of->point, 0 },
		{ "phase", a->first->of->phase, 0 },
		{ "clients", NULL,
		  a->first->of->clients ? (double)a->first->of->clients : (double)NAN },
		{ "unit", a->numbers ? a->unit : b->unit, 0 },
		{ "first", NULL, isfinite(d->before) ? d->before : a->median },
		{ "first_low", NULL, a->low },
		{ "first_high", NULL, a->high },
		{ "first_repetitions", NULL, (double)p->repetitions[0] },
		{ "first_runs", NULL, (double)p->runs[0] },
		{ "second", NULL, isfinite(d->after) ? d->after : b->median },
		{ "second_low", NULL, b->low },
		{ "second_high", NULL, b->high },
		{ "second_repetitions", NULL, (double)p->repetitions[1] },
		{ "second_runs", NULL, (double)p->runs[1] },
		{ "ratio", NULL, d->ratio },
		{ "ratio_low", NULL, d->low },
		{ "ratio_high", NULL, d->high },
		{ "p", NULL, a->numbers && b->numbers ? d->p : (double)NAN },
		{ "scatter_from", source_of(d), 0 },
		{ "verdict", pario_verdict_words(p->verdict), 0 },
		{ "suspect", NULL, p->suspect },
		{ "discovered", NULL, p->discovered },
		{ "regression", NULL, p->regression },
	};

	_Static_assert(sizeof(all) / sizeof(all[0]) == MEMBERS, "one room per member");
	for (size_t i = 0; i < MEMBERS; i++)
		m[i] = all[i];
	return MEMBERS;
}

void pario_comparison_csv(const struct pario_comparison *c, struct pario_text *out)
{
	struct pario_csv csv = { .out = out };
	struct member m[MEMBERS];

	for (size_t i = 0; i < c->count; i++) {
		size_t count = members_of(&c->pair[i], m);

		for (size_t k = 0; i == 0 && k < count; k++)
			pario_csv_text(&csv, m[k].name);
		if (i == 0)
			pario_csv_end(&csv);
		for (size_t k = 0; k < count; k++) {
			if (m[k].text)
				pario_csv_text(&csv, m[k].text);
			else
				pario_csv_real(&csv, m[k].number);
		}
		pario_csv_end(&csv);
	}
}

static void add_run(struct pario_json *j, const char *name, const struct pario_volume *v, bool cut)
{
	pario_json_open(j, name, '{');
	pario_json_string(j, "run", v->id);
	pario_json_string(j, "label", v->label);
	pario_json_string(j, "time", v->time);
	pario_json_string(j, "version", v->version);
	pario_json_bool(j, "cut_short", cut);
	pario_json_close(j, '}');
}

void pario_comparison_json(const struct pario_comparison *c, struct pario_text *out)
{
	const struct pario_volume *v = c->groups.archive->volume;
	struct pario_json j = { 0 };
	struct member m[MEMBERS];

	pario_json_open(&j, NULL, '{');
	add_run(&j, "first", &v[0], c->cut_short[0]);
	add_run(&j, "second", &v[c->sides.a], c->cut_short[1]);
	pario_json_u64(&j, "first_runs", c->sides.a);
	pario_json_u64(&j, "second_runs", c->sides.b);
	pario_json_u64(&j, "tested", c->tested);
	pario_json_u64(&j, "discovered", c->discovered);
	pario_json_real(&j, "threshold", c->sides.threshold);
	pario_json_u64(&j, "regressions", c->regressions);
	pario_json_u64(&j, "only_in_first", c->only_a);
	pario_json_u64(&j, "only_in_second", c->only_b);
	pario_json_open(&j, "points", '[');
	for (size_t i = 0; i < c->count; i++) {
		size_t count = members_of(&c->pair[i], m);

		pario_json_open(&j, NULL, '{');
		for (size_t k = 0; k < count; k++) {
			if (m[k].text)
				pario_json_string(&j, m[k].name, m[k].text);
			else
				pario_json_real(&j, m[k].name, m[k].number);
		}
		pario_json_close(&j, '}');
	}
	pario_json_close(&j, ']');
	pario_json_close(&j, '}');
	pario_text_add(out, "%s\n", pario_text_string(&j.text));
	pario_json_release(&j);
}
