/*
 * lead: the first screen: one sentence that answers the question which the page was made for, at most three findings
 * with what to try, and for a set its lines against what this machine can do. What comes after it is for those who
 * stay.
 */
#include "report/page/lead.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/page/markup.h"
#include "report/text/limit.h"
#include "report/text/quantity.h"
#include "report/trace/trace.h"

enum { FINDINGS = 3, PHASES_SAID = 3, BAR_UNITS = 400, BAR_HEIGHT = 16 };

/* Shares below this are weak enough to be named in the sentence. */
#define WEAK_SHARE 0.67

static const char *text_of(const json_t *row, const char *member)
{
	const char *text = json_string_value(json_object_get(row, member));

	return text ? text : "";
}

/* ---- a set: lines against limits ---- */

/* Of the fastest other way; NaN where there is none. */
static double share_of(const json_t *row)
{
	const json_t *share = json_object_get(row, "share");

	if (!*text_of(row, "limit") || !json_is_real(share))
		return NAN;
	return json_real_value(share);
}

static bool linear(const json_t *row)
{
	return strcmp(text_of(row, "limit"), PARIO_LIMIT_LINEAR) == 0;
}

static void add_name(struct pario_text *out, const json_t *row)
{
	pario_text_add(out, "%s, %s", text_of(row, "region"), text_of(row, "what"));
}

static const json_t *weakest(const json_t *table)
{
	const json_t *row, *least = NULL;
	size_t i;

	json_array_foreach(table, i, row)
	{
		if (isfinite(share_of(row)) && !linear(row) &&
		    !json_is_true(json_object_get(row, "doubt")) &&
		    (!least || share_of(row) < share_of(least)))
			least = row;
	}
	return least;
}

static void say_set(struct pario_text *text, const json_t *table)
{
	const json_t *row, *weak = weakest(table);
	size_t i, lines = 0, near = 0, doubts = 0;

	json_array_foreach(table, i, row)
	{
		doubts += json_is_true(json_object_get(row, "doubt"));
		lines += isfinite(share_of(row)) && !linear(row);
		near += share_of(row) >= WEAK_SHARE && !linear(row);
	}
	if (weak && share_of(weak) < WEAK_SHARE) {
		pario_text_add(text, "The weak spot is ");
		add_name(text, weak);
		pario_text_add(text, ": %.*f %% of what another way reached here",
			       share_of(weak) < 0.0095 ? 1 : 0, 100 * share_of(weak));
		pario_text_add(text, "; %zu of %zu comparable lines reach two thirds or more", near,
			       lines);
	} else if (weak) {
		pario_text_add(text,
			       "No weak spot: each of %zu comparable lines reaches two thirds or "
			       "more of the fastest other way measured here",
			       lines);
	} else {
		pario_text_add(text, "No line can be held against what this machine can do");
	}
	if (doubts)
		pario_text_add(text, "; %zu of %zu numbers are suspect", doubts,
			       json_array_size(table));
	pario_text_add(text, ".");
}

/* The number that a text holds from `from` on, and where it ends; groups of digits are apart. */
static double number_in(const char *from, const char **end)
{
	char digits[40];
	size_t n = 0;

	from += strcspn(from, "0123456789");
	for (; (*from == ' ' && from[1] >= '0' && from[1] <= '9') ||
	       (*from && strchr("0123456789.", *from));
	     from++) {
		if (*from != ' ' && n + 1 < sizeof(digits))
			digits[n++] = *from;
	}
	digits[n] = '\0';
	*end = from;
	return n ? strtod(digits, NULL) : (double)NAN;
}

/* The ends of an interval over the number between them, from the texts that stand for them: both have one unit. */
static bool ends_of(const json_t *row, double *low, double *high)
{
	const char *end;
	double value = number_in(text_of(row, "result"), &end);

	*low = number_in(text_of(row, "interval"), &end) / value;
	*high = number_in(end, &end) / value;
	return value > 0 && *low <= 1 && *high >= 1;
}

/* A rate of bytes over the largest of the table; NaN for what is none. */
static double of_largest(const json_t *table, const json_t *row)
{
	const json_t *other;
	const char *end;
	double own = number_in(text_of(row, "result"), &end), most = 0;
	size_t i;

	if (strcmp(end, " MiB/s") != 0)
		return NAN;
	json_array_foreach(table, i, other)
	{
		double value = number_in(text_of(other, "result"), &end);

		if (strcmp(end, " MiB/s") == 0)
			most = fmax(most, value);
	}
	return own / most;
}

static double place(double share)
{
	return BAR_UNITS * fmin(fmax(share, 0), 1.25) / 1.25;
}

/* A mark where the limit is, the bar, and its interval as a whisker. */
static void add_bar(struct pario_text *out, const json_t *table, const json_t *row)
{
	double share = share_of(row), low, high;
	bool limited = isfinite(share);

	pario_text_add(out, "<td class=\"share\">");
	if (!limited)
		share = of_largest(table, row);
	if (!isfinite(share)) {
		pario_text_add(out, "</td>");
		return;
	}
	pario_text_add(
		out,
		"<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"limit\" "
		"d=\"M%.0f 0V%d\"/><rect class=\"%s\" y=\"3\" width=\"%.1f\" height=\"10\"/>",
		BAR_UNITS, BAR_HEIGHT, place(1), BAR_HEIGHT,
		!limited			     ? "bar faint"
		: share < WEAK_SHARE && !linear(row) ? "bar weak"
						     : "bar",
		fmax(place(share), 1));
	if (ends_of(row, &low, &high))
		pario_text_add(out, "<path class=\"whisker\" d=\"M%.1f 5v6m0 -3H%.1fm0 -3v6\"/>",
			       place(low * share), place(high * share));
	pario_text_add(out, "</svg></td>");
}

static void add_limit(struct pario_text *out, const json_t *row)
{
	double share = share_of(row);

	pario_text_add(out, "<td class=\"n\">");
	if (isfinite(share) && linear(row))
		pario_text_add(out, "%.0f %% of linear scaling", 100 * share);
	else if (share > 1)
		pario_text_add(out, "the fastest way here");
	else if (isfinite(share)) {
		pario_text_add(out, "%.*f %% of ", share < 0.0095 ? 1 : 0, 100 * share);
		pario_markup_text(out, text_of(row, "limit"));
	}
	pario_text_add(out, "</td>");
}

void pario_lead_bars(struct pario_text *out, const json_t *table)
{
	const json_t *row;
	const char *above = "";
	size_t i;

	pario_text_add(
		out,
		"<p class=\"hint\">Each bar is a measured number as a share of the fastest other way "
		"by which this run moved bytes (the line at the right), its whisker the interval of "
		"the median. Linear: of as many times what one client does. Pale bars have no limit that "
		"was measured reliably: they are shares of the largest rate.</p>"
		"<div class=\"wide\" tabindex=\"0\"><table class=\"set limits\"><thead><tr>"
		"<th scope=\"col\">region</th><th scope=\"col\">what</th>"
		"<th scope=\"col\">share of the limit</th><th scope=\"col\">result</th>"
		"<th scope=\"col\">interval, same unit</th><th scope=\"col\">limit</th>"
		"<th scope=\"col\">look</th></tr></thead><tbody>\n");
	json_array_foreach(table, i, row)
	{
		const char *region = text_of(row, "region");

		pario_text_add(out, "<tr%s><th scope=\"row\">",
			       json_is_true(json_object_get(row, "doubt")) ? " class=\"suspect\""
									   : "");
		if (strcmp(region, above) != 0)
			pario_markup_text(out, region);
		above = region;
		pario_text_add(out, "</th>");
		pario_page_cell(out, NULL, text_of(row, "what"));
		add_bar(out, table, row);
		pario_page_cell(out, "n", text_of(row, "result"));
		pario_page_cell(out, "n", text_of(row, "interval"));
		add_limit(out, row);
		pario_page_cell(out, NULL, text_of(row, "look"));
		pario_text_add(out, "</tr>\n");
	}
	pario_text_add(out, "</tbody></table></div>\n");
}

void pario_lead_more(struct pario_text *out, size_t shown)
{
	if (shown == FINDINGS)
		pario_text_add(out,
			       "</ol><details><summary>More findings</summary>"
			       "<ol class=\"findings\" start=\"%d\">\n",
			       FINDINGS + 1);
}

const char *pario_lead_end(size_t shown)
{
	return shown > FINDINGS ? "</details>" : "";
}

/* ---- runs ---- */

static bool told(const struct pario_group *g)
{
	return g->numbers && !pario_trace_is(g->first->of->test) && isfinite(g->median);
}

static bool same_phase(const struct pario_group *a, const struct pario_group *b)
{
	return a->first->of->test == b->first->of->test &&
	       a->first->of->phase == b->first->of->phase &&
	       a->first->of->volume == b->first->of->volume && strcmp(a->unit, b->unit) == 0 &&
	       strcmp(a->headline, b->headline) == 0;
}

static void say_where(struct pario_text *text, const struct pario_group *g)
{
	if (*g->first->of->point)
		pario_text_add(text, " with %s", g->first->of->point);
	if (g->first->of->clients) {
		pario_text_add(text, *g->first->of->point ? ", " : " with ");
		pario_text_count(text, g->first->of->clients, "client");
	}
}

static bool is_prediction(const struct pario_group *g)
{
	return strcmp(g->first->of->test, "predict") == 0;
}

/* What was predicted best: corrected by the reference, else by the simulation, else by ratios. */
static bool say_prediction(struct pario_text *text, const struct pario_groups *groups)
{
	static const char *const models[] = { "replay", "hybrid", "model", "ratio" };
	const struct pario_reading *r = NULL;
	double low, high, here, whole;
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];

	for (size_t k = 0; k < sizeof(models) / sizeof(models[0]) && !r; k++) {
		for (size_t i = 0; i < groups->count; i++) {
			if (is_prediction(&groups->group[i]) &&
			    strcmp(groups->group[i].first->of->phase, models[k]) == 0 &&
			    isfinite(pario_reading_find(groups->group[i].first, "io_s").value))
				r = groups->group[i].first;
		}
	}
	if (!r)
		return false;
	low = pario_reading_find(r, "io_low_s").value;
	high = pario_reading_find(r, "io_high_s").value;
	here = pario_reading_find(r, "reference_io_s").value;
	whole = pario_reading_find(r, "makespan_s").value;
	pario_text_add(text, "I/O would take %s",
		       pario_units_time(a, pario_reading_find(r, "io_s").value));
	if (isfinite(low) && isfinite(high))
		pario_text_add(text, " [%s, %s]", pario_units_time(a, low),
			       pario_units_time(b, high));
	pario_text_add(text, " on the target");
	if (isfinite(here))
		pario_text_add(text, "; it took %s on the reference", pario_units_time(a, here));
	if (isfinite(whole))
		pario_text_add(text, "; the whole program would take %s",
			       pario_units_time(a, whole));
	low = pario_reading_find(r, "makespan_low_s").value;
	high = pario_reading_find(r, "makespan_high_s").value;
	if (isfinite(whole) && isfinite(low) && isfinite(high))
		pario_text_add(text, " [%s, %s]", pario_units_time(a, low),
			       pario_units_time(b, high));
	pario_text_add(text, ".%s", r->outcome == PARIO_SUSPECT ? " There are caveats." : "");
	return true;
}

/* "best_rate_mib_s" in words; the unit stands with the number. */
static void say_headline(struct pario_text *text, const char *name)
{
	static const char *const units[] = { "_mib_s", "_mb_s", "_per_s", "_us", "_ns", "_s" };
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = strlen(units[i]);

		if (length > n && strcmp(name + length - n, units[i]) == 0) {
			length -= n;
			break;
		}
	}
	for (size_t i = 0; i < length; i++)
		pario_text_bytes(text, name[i] == '_' ? " " : name + i, 1);
}

/* What I/O costs: half of the calls, of one client, of the kinds that programs make most. */
static bool say_costs(struct pario_text *text, const struct pario_groups *groups)
{
	static const struct {
		const char *point, *phase, *words;
	} costs[] = {
		{ "part=cached transfer_size=4k", "write", "writing 4 KiB into memory" },
		{ "part=cached transfer_size=4k", "read", "reading 4 KiB from memory" },
		{ "part=cold_large", "read", "reading 1 MiB from storage" },
		{ "part=names", "file_create", "creating a file" },
		{ "part=names", "file_open", "opening one" },
	};
	char buf[PARIO_UNITS_CAPACITY];
	bool any = false;

	for (size_t k = 0; k < sizeof(costs) / sizeof(costs[0]); k++) {
		for (size_t i = 0; i < groups->count; i++) {
			const struct pario_group *g = &groups->group[i];

			if (strcmp(g->first->of->point, costs[k].point) != 0 ||
			    strcmp(g->first->of->phase, costs[k].phase) != 0 ||
			    g->first->of->clients != 1 || !isfinite(g->latency_ns.p50))
				continue;
			pario_text_add(text, "%s%s takes %s",
				       any ? ", " : "This storage: ", costs[k].words,
				       pario_units_time(buf, 1e-9 * g->latency_ns.p50));
			any = true;
			break;
		}
	}
	if (any)
		pario_text_add(text, " (one client, half of the calls at most). ");
	return any;
}

/* The best of a phase, and how far the least of its points stays behind. */
static void say_phase(struct pario_text *text, const struct pario_groups *groups, size_t from,
		      bool label)
{
	const struct pario_group *best = &groups->group[from], *least = best;
	char buf[PARIO_QUANTITY_CAPACITY];
	double times;

	for (size_t i = from; i < groups->count; i++) {
		const struct pario_group *g = &groups->group[i];

		if (!told(g) || !same_phase(g, &groups->group[from]))
			continue;
		best = pario_group_better(g, best) ? g : best;
		least = pario_group_better(least, g) ? g : least;
	}
	if (label)
		pario_text_add(text,
			       "%s: ", groups->archive->volume[best->first->of->volume].label);
	pario_text_add(text, "%s", best->first->of->phase);
	if (*best->headline) {
		pario_text_add(text, ", ");
		say_headline(text, best->headline);
		pario_text_add(text, ":");
	}
	pario_text_add(text, " %s", pario_quantity_text(buf, best->median, best->unit));
	if (best->numbers > 1)
		pario_text_add(
			text, " %s",
			pario_quantity_range(buf, best->median, best->low, best->high, best->unit));
	say_where(text, best);
	times = best->better < 0 ? least->median / best->median : best->median / least->median;
	if (best != least && times > 1 && isfinite(times)) {
		pario_text_add(text, ", %s × %s", pario_units_number(buf, round(times * 10) / 10),
			       best->better < 0 ? "less than" : "as much as");
		say_where(text, least);
	}
}

static void say_runs(struct pario_text *text, const struct pario_groups *groups)
{
	size_t said = 0, more = 0, doubts = 0, numbers = 0;

	const json_t *begin = groups->archive->volume[0].begin;
	bool costs;

	if (groups->archive->volume_count == 1 && say_prediction(text, groups))
		return;
	costs = groups->archive->volume_count == 1 &&
		strcmp(text_of(begin, "test"), "characterize") == 0 && say_costs(text, groups);
	for (size_t i = 0; i < groups->count; i++) {
		size_t k = 0;

		numbers += groups->group[i].numbers > 0;
		doubts += groups->group[i].numbers && groups->group[i].suspects;
		if (costs || !told(&groups->group[i]))
			continue;
		while (!told(&groups->group[k]) ||
		       !same_phase(&groups->group[k], &groups->group[i]))
			k++;
		if (k != i)
			continue;
		if (said == PHASES_SAID) {
			more++;
			continue;
		}
		pario_text_add(text, "%s", said++ ? "; " : "");
		say_phase(text, groups, i, groups->archive->volume_count > 1);
	}
	if (!said && !costs && pario_lead_trace(groups)) {
		pario_trace_verdict(text, groups->archive);
		return;
	}
	if (!said && !costs && groups->count && *groups->group[0].reason)
		pario_text_add(text, "There is no number: %.*s",
			       (int)strcspn(groups->group[0].reason, ";"), groups->group[0].reason);
	else if (!said && !costs)
		pario_text_add(text, "No number was measured: every result was skipped or failed");
	if (more)
		pario_text_add(text, "; %zu more in the table", more);
	pario_text_add(text, "%s", costs ? "" : ". ");
	if (doubts && numbers == 1)
		pario_text_add(text, "It is suspect.");
	else if (doubts)
		pario_text_add(text, "%zu of %zu numbers are suspect.", doubts, numbers);
}

bool pario_lead_trace(const struct pario_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		if (pario_trace_is(groups->group[i].first->of->test))
			return true;
	}
	return false;
}

void pario_lead_sentence(struct pario_text *out, const struct pario_groups *groups,
			 const json_t *table)
{
	struct pario_text text = { 0 };

	if (table)
		say_set(&text, table);
	else
		say_runs(&text, groups);
	if (text.length) {
		pario_text_add(out, "<p class=\"answer\">");
		pario_markup_text(out, pario_text_string(&text));
		pario_text_add(out, "</p>\n");
	}
	pario_text_release(&text);
}
