/*
 * change: what a survey states is looked up in the other one: first as a statement of the same name; then, where both
 * have the same axes, as what the other's model says of the same points. A statement that the other survey did not make
 * but agrees with is the same. Misleads where surveys have other axes: then only names can be compared.
 */
#include "survey/change.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/units.h"

static void name_of(const struct pario_finding_set *set, const struct pario_statement *s,
		    char name[160])
{
	struct pario_text text = { 0 };

	pario_statement_name(&set->space, s, &text);
	snprintf(name, 160, "%s", pario_text_string(&text));
	pario_text_release(&text);
}

static const struct pario_statement *same_name(const struct pario_finding_set *set,
					       const char *name)
{
	char other[160];

	for (size_t i = 0; i < set->count; i++) {
		name_of(set, &set->statement[i], other);
		if (strcmp(other, name) == 0)
			return &set->statement[i];
	}
	return NULL;
}

static struct pario_factor factor_of(const struct pario_finding_set *set,
				     const struct pario_statement *s)
{
	unsigned level;

	return s->standing == PARIO_STANDS_LAW ? s->same
					       : pario_statement_worst(&set->space, s, &level);
}

static bool same_axes(const struct pario_space *a, const struct pario_space *b)
{
	bool same = a->axis_count == b->axis_count && a->measures == b->measures;

	for (unsigned m = 0; same && m < a->measures; m++)
		same = strcmp(a->measure[m], b->measure[m]) == 0;
	for (unsigned k = 0; same && k < a->axis_count; k++) {
		same = strcmp(a->axes[k].name, b->axes[k].name) == 0 &&
		       a->axes[k].count == b->axes[k].count;
		for (unsigned l = 0; same && l < a->axes[k].count; l++)
			same = strcmp(a->axes[k].label[l], b->axes[k].label[l]) == 0;
	}
	return same;
}

static bool is_stated(const struct pario_factor *f)
{
	return isfinite(f->low);
}

static const char *verdict(const struct pario_factor *a, const struct pario_factor *b)
{
	if (is_stated(a) && is_stated(b))
		return b->low > a->high ? "slower" : b->high < a->low ? "faster" : "the same";
	if (is_stated(a))
		return b->value >= a->low && b->value <= a->high ? "the same" : "gone";
	return a->value >= b->low && a->value <= b->high ? "the same" : "new";
}

/* A statement of one side, held against the other. */
static struct pario_survey_change change_of(const struct pario_finding_set *sets[2], unsigned side,
					    const struct pario_statement *s)
{
	const struct pario_finding_set *other = sets[!side];
	const struct pario_statement *there;
	struct pario_survey_change c = { .unit = s->standing == PARIO_STANDS_LAW ? "bytes"
										 : "times" };

	name_of(sets[side], s, c.name);
	there = same_name(other, c.name);
	c.side[side] = factor_of(sets[side], s);
	c.side[!side] = (struct pario_factor){ NAN, NAN, NAN };
	if (there)
		c.side[!side] = factor_of(other, there);
	else if (s->standing != PARIO_STANDS_LAW && same_axes(&sets[0]->space, &sets[1]->space))
		c.side[!side].value =
			pario_statement_factor(&other->space, &other->model, &s->where);
	c.verdict = verdict(&c.side[0], &c.side[1]);
	c.worse = strcmp(c.verdict, "slower") == 0 || strcmp(c.verdict, "new") == 0;
	return c;
}

size_t pario_changes_of(const struct pario_finding_set *first,
			const struct pario_finding_set *second,
			struct pario_survey_change list[PARIO_CHANGES])
{
	const struct pario_finding_set *sets[2] = { first, second };
	char name[160];
	size_t count = 0;

	for (unsigned side = 0; side < 2; side++) {
		for (size_t i = 0; i < sets[side]->count; i++) {
			name_of(sets[side], &sets[side]->statement[i], name);
			if (side == 0 || !same_name(first, name))
				list[count++] = change_of(sets, side, &sets[side]->statement[i]);
		}
	}
	return count;
}

void pario_change_side_text(const struct pario_survey_change *c, unsigned side,
			    struct pario_text *out)
{
	const struct pario_factor *f = &c->side[side];
	char value[PARIO_UNITS_CAPACITY], low[PARIO_UNITS_CAPACITY], high[PARIO_UNITS_CAPACITY];

	if (!isfinite(f->value))
		pario_text_add(out, "–");
	else if (strcmp(c->unit, "bytes") == 0)
		pario_text_add(out, "%s [%s, %s]", pario_units_size(value, (uint64_t)f->value),
			       pario_units_size(low, (uint64_t)f->low),
			       pario_units_size(high, (uint64_t)f->high));
	else if (is_stated(f))
		pario_text_add(out, "%.3g × [%.3g, %.3g]", f->value, f->low, f->high);
	else
		pario_text_add(out, "about %.3g ×, not stated", f->value);
}

void pario_changes_text(const struct pario_survey_change *list, size_t count,
			struct pario_text *out)
{
	for (size_t i = 0; i < count; i++) {
		pario_text_add(out, " %-9s %s: ", list[i].verdict, list[i].name);
		pario_change_side_text(&list[i], 0, out);
		pario_text_add(out, ", then ");
		pario_change_side_text(&list[i], 1, out);
		pario_text_add(out, "\n");
	}
}

static const char *const sides[] = { "first", "second" };

void pario_changes_json(const struct pario_survey_change *list, size_t count,
			struct pario_text *out)
{
	struct pario_json j = { 0 };

	pario_json_open(&j, NULL, '{');
	pario_json_open(&j, "statements", '[');
	for (size_t i = 0; i < count; i++) {
		pario_json_open(&j, NULL, '{');
		pario_json_string(&j, "name", list[i].name);
		pario_json_string(&j, "verdict", list[i].verdict);
		pario_json_string(&j, "unit", list[i].unit);
		for (unsigned side = 0; side < 2; side++) {
			pario_json_open(&j, sides[side], '[');
			pario_json_real(&j, NULL, list[i].side[side].value);
			pario_json_real(&j, NULL, list[i].side[side].low);
			pario_json_real(&j, NULL, list[i].side[side].high);
			pario_json_close(&j, ']');
		}
		pario_json_close(&j, '}');
	}
	pario_json_close(&j, ']');
	pario_json_close(&j, '}');
	pario_text_add(out, "%s\n", pario_text_string(&j.text));
	pario_json_release(&j);
}

void pario_changes_csv(const struct pario_survey_change *list, size_t count, struct pario_text *out)
{
	static const char *const columns[] = { "name",	 "verdict",    "unit",
					       "first",	 "first_low",  "first_high",
					       "second", "second_low", "second_high" };
	struct pario_csv csv = { .out = out };

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		pario_csv_text(&csv, columns[i]);
	pario_csv_end(&csv);
	for (size_t i = 0; i < count; i++) {
		pario_csv_text(&csv, list[i].name);
		pario_csv_text(&csv, list[i].verdict);
		pario_csv_text(&csv, list[i].unit);
		for (unsigned side = 0; side < 2; side++) {
			pario_csv_real(&csv, list[i].side[side].value);
			pario_csv_real(&csv, list[i].side[side].low);
			pario_csv_real(&csv, list[i].side[side].high);
		}
		pario_csv_end(&csv);
	}
}
