/*
 * overview: the first screen: the best number of every phase, where it was measured, what is suspect and why, what
 * stands out and what to do next.
 */
#include "report/page/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/page/lead.h"
#include "report/page/markup.h"
#include "report/text/quantity.h"
#include "report/text/repetitions.h"
#include "report/trace/trace.h"
#include "report/page/survey.h"

enum { SPARK_POINTS = 24 };

/* A small line of the medians in the order of the journal. */
static void add_spark(struct pario_text *out, const double *values, const bool *suspect,
		      size_t count)
{
	double most = 0;

	for (size_t i = 0; i < count; i++)
		most = fmax(most, values[i]);
	/* Below 0 there is no bar. */
	if (count < 2 || !(most > 0))
		return;
	pario_text_add(out,
		       "<svg class=\"spark\" viewBox=\"0 0 %zu 18\" width=\"%zu\" height=\"18\" "
		       "aria-hidden=\"true\">",
		       count * 6, count * 6);
	for (size_t i = 0; i < count; i++) {
		double height = 1 + 16 * fmax(0, values[i]) / most;

		pario_text_add(out, "<rect%s x=\"%zu\" y=\"", suspect[i] ? " class=\"doubt\"" : "",
			       i * 6);
		pario_markup_place(out, 18 - height);
		pario_text_add(out, "\" width=\"4\" height=\"");
		pario_markup_place(out, height);
		pario_text_add(out, "\"/>");
	}
	pario_text_add(out, "</svg>");
}

/* The part of a set that a point belongs to, with its length; 0 for none. */
static size_t part_of(const struct pario_group *g, const char **part)
{
	const char *at = strstr(g->first->of->point, "part=");

	if (!at || (at > g->first->of->point && at[-1] != ' '))
		return 0;
	*part = at + strlen("part=");
	return strcspn(*part, " ");
}

/* Parts of a set are regions of their own: large writes do not stand for small ones. */
static bool alike(const struct pario_group *a, const struct pario_group *b)
{
	const char *part[2] = { "", "" };
	size_t length = part_of(a, &part[0]);

	return a->first->of->test == b->first->of->test &&
	       a->first->of->phase == b->first->of->phase &&
	       a->first->of->volume == b->first->of->volume && part_of(b, &part[1]) == length &&
	       strncmp(part[0], part[1], length) == 0;
}

static void where_cell(struct pario_text *out, const struct pario_group *g)
{
	/* imported results may not tell how many there were */
	pario_text_add(out, "<td>");
	if (g->first->of->clients)
		pario_text_add(out, "%llu client%s", (unsigned long long)g->first->of->clients,
			       g->first->of->clients == 1 ? "" : "s");
	if (*g->first->of->point) {
		pario_text_add(out, "%s", g->first->of->clients ? ", " : "");
		pario_markup_text(out, g->first->of->point);
	}
	pario_text_add(out, "</td>");
}

static void rate_cell(struct pario_text *out, const struct pario_group *g)
{
	struct pario_text counted = { 0 };
	char buf[PARIO_QUANTITY_CAPACITY];

	if (!g->numbers) {
		pario_page_cell(out, "n", pario_group_remark(g));
		pario_page_cell(out, "n", "");
		return;
	}
	pario_text_add(out, "<td class=\"n\" data-v=\"");
	pario_markup_number(out, g->median);
	pario_text_add(out, "\"><b>");
	pario_markup_text(out, pario_quantity_text(buf, g->median, g->unit));
	pario_text_add(out, "</b>%s</td>", g->suspects ? " <b class=\"doubt\">?</b>" : "");
	if (g->numbers > 1)
		pario_quantity_interval(buf, g->median, g->low, g->high, g->unit);
	else
		snprintf(buf, sizeof(buf), "one value");
	pario_text_add(&counted, "%s", buf);
	if (g->failures) {
		pario_text_add(&counted, "; ");
		pario_repetitions_add(&counted, g->numbers, g->repetitions, g->failures, g->reason);
	}
	pario_page_cell(out, "n", pario_text_string(&counted));
	pario_text_release(&counted);
}

static void what_cell(struct pario_text *out, const struct pario_group *g)
{
	pario_text_add(out, "<td>");
	pario_markup_text(out, *g->first->of->phase ? g->first->of->phase : "–");
	if (*g->headline) {
		pario_text_add(out, " <span class=\"hint\">");
		pario_markup_text(out, g->headline);
		pario_text_add(out, "%s</span>", g->better < 0 ? ", less is better" : "");
	}
	pario_text_add(out, "</td>");
}

static void look_cell(struct pario_text *out, const char *lacks, const double *values,
		      const bool *suspects, size_t count)
{
	pario_text_add(out, "<td>");
	add_spark(out, values, suspects, count);
	if (lacks)
		pario_text_add(out, " <span class=\"doubt\">not official: %s</span>", lacks);
	pario_text_add(out, "</td>");
}

static bool moves_nothing(const struct pario_groups *groups, const struct pario_group *g)
{
	return strcmp(pario_reading_param(groups->archive, g->first, "api"), "null") == 0;
}

static void glance_row(struct pario_text *out, const struct pario_groups *groups, size_t from,
		       const struct pario_page *page)
{
	const struct pario_group *best = &groups->group[from];
	double values[SPARK_POINTS];
	bool suspects[SPARK_POINTS];
	size_t count = 0, points = 0;
	bool suspect = false;

	for (size_t i = from; i < groups->count; i++) {
		const struct pario_group *g = &groups->group[i];

		if (!alike(g, &groups->group[from]))
			continue;
		points++;
		suspect |= g->suspects > 0 || g->failures > 0;
		if (g->numbers && !best->numbers)
			best = g;
		if (!g->numbers || strcmp(g->unit, best->unit) != 0)
			continue;
		if (count < SPARK_POINTS) {
			suspects[count] = g->suspects > 0;
			values[count++] = g->median;
		}
		/* What moves no data is no storage: it is best only among its like. */
		if (moves_nothing(groups, best) != moves_nothing(groups, g)
			    ? moves_nothing(groups, best)
			    : pario_group_better(g, best))
			best = g;
	}
	pario_text_add(out, suspect ? "<tr class=\"suspect\">" : "<tr>");
	if (groups->archive->volume_count > 1)
		pario_page_cell(out, NULL, groups->archive->volume[best->first->of->volume].label);
	pario_text_add(out, "<th scope=\"row\"><a href=\"#");
	pario_page_anchor(out, best->first->of->test);
	pario_text_add(out, "\">");
	pario_markup_text(out, best->first->of->test);
	pario_text_add(out, "</a></th>");
	what_cell(out, best);
	rate_cell(out, best);
	where_cell(out, best);
	pario_text_add(out, "<td class=\"n\">%zu</td>", points);
	look_cell(out, best->numbers ? pario_advice_lacks(groups->archive, best, page) : NULL,
		  values, suspects, count);
	pario_text_add(out, "</tr>\n");
}

/* ---- the table that a set made of itself ---- */

/* Of the last part of the run, NULL where there is none. */
static const json_t *table_of(const struct pario_volume *v)
{
	const json_t *line, *table = NULL;
	size_t i;

	json_array_foreach(v->lines, i, line)
	{
		if (json_is_array(json_object_get(line, "table")))
			table = json_object_get(line, "table");
	}
	return table;
}

static void set_heading(struct pario_text *out, const char *heading, const struct pario_volume *v,
			bool alone)
{
	pario_text_add(out, "<section><h2>%s", heading);
	if (!alone) {
		pario_text_add(out, ": ");
		pario_markup_text(out, v->label);
	}
	pario_text_add(out, "</h2>");
}

/* What stands out, the largest first: the findings that follow the last table. */
static void add_findings(struct pario_text *out, const struct pario_volume *v, bool alone)
{
	const json_t *line, *table = table_of(v);
	bool follows = false, listed = false;
	size_t i, shown = 0;

	json_array_foreach(v->lines, i, line)
	{
		const json_t *finding = json_object_get(line, "finding");
		const char *text = json_string_value(json_object_get(line, "text"));
		const char *next = json_string_value(json_object_get(line, "next"));

		follows |= json_object_get(line, "table") == table;
		if (!follows || !finding || !text)
			continue;
		if (json_integer_value(finding) == 0) {
			if (!alone)
				set_heading(out, "What stands out", v, alone);
			pario_text_add(out, "<p>");
			pario_markup_text(out, text);
			pario_text_add(out, "</p>\n");
			listed = true;
		} else if (listed) {
			if (!shown)
				pario_text_add(out, "<ol class=\"findings\">");
			pario_lead_more(out, shown++);
			pario_text_add(out, "<li>");
			pario_markup_text(out, text);
			if (next && *next) {
				pario_text_add(out, "<br><b>Try:</b> ");
				pario_markup_text(out, next);
			}
			pario_text_add(out, "</li>\n");
		}
	}
	if (listed)
		pario_text_add(out, "%s%s%s\n", shown ? "</ol>" : "", pario_lead_end(shown),
			       alone ? "" : "</section>");
}

static bool has_table(const struct pario_groups *groups, const struct pario_group *g)
{
	return table_of(&groups->archive->volume[g->first->of->volume]) != NULL;
}

/* A traced program is no measurement: it has an overview of its own; and so has a set. */
static bool measured(const struct pario_groups *groups)
{
	for (size_t k = 0; k < groups->count; k++) {
		if (!pario_trace_is(groups->group[k].first->of->test) &&
		    strcmp(groups->group[k].first->of->test, "predict") != 0 &&
		    !has_table(groups, &groups->group[k]))
			return true;
	}
	return groups->count == 0;
}

static void add_glance(struct pario_text *out, const struct pario_groups *groups,
		       const struct pario_page *page)
{
	if (!measured(groups))
		return;
	pario_text_add(
		out,
		"<section><h2>At a glance</h2><p class=\"hint\">The best point of every "
		"phase: the median of its repetitions. The small bars are all its points "
		"in the order of the run.</p><div class=\"wide\" tabindex=\"0\"><table class=\"glance\">"
		"<thead><tr>%s<th scope=\"col\">test</th><th scope=\"col\">what</th>"
		"<th scope=\"col\">best</th><th scope=\"col\">spread</th>"
		"<th scope=\"col\">with</th><th scope=\"col\">points</th>"
		"<th scope=\"col\">look</th></tr></thead><tbody>\n",
		groups->archive->volume_count > 1 ? "<th scope=\"col\">run</th>" : "");
	for (size_t i = 0; i < groups->count; i++) {
		size_t k = 0;

		while (!alike(&groups->group[k], &groups->group[i]))
			k++;
		if (k == i && !pario_trace_is(groups->group[i].first->of->test) &&
		    !has_table(groups, &groups->group[i]))
			glance_row(out, groups, i, page);
	}
	pario_text_add(out, "</tbody></table></div></section>\n");
}

/* Of the only run, NULL where there are several. */
static const json_t *only_table(const struct pario_archive *a)
{
	return a->volume_count == 1 ? table_of(&a->volume[0]) : NULL;
}

bool pario_overview_pictured(const struct pario_archive *archive)
{
	return !only_table(archive);
}

static void add_first(struct pario_text *out, const struct pario_text *picture)
{
	if (!picture->length)
		return;
	pario_text_add(out, "<div class=\"charts one\">\n");
	pario_text_bytes(out, picture->data, picture->length);
	pario_text_add(out, "</div>\n");
}

static void add_lead(struct pario_text *out, const struct pario_groups *groups,
		     const struct pario_page *page, const struct pario_text *picture)
{
	const struct pario_archive *a = groups->archive;

	pario_text_add(out, "<section class=\"lead\"><h2>In short</h2>");
	if (pario_page_surveys_only(a))
		pario_page_survey_answer(out, &a->volume[0]);
	else
		pario_lead_sentence(out, groups, only_table(a));
	if (only_table(a))
		add_findings(out, &a->volume[0], true);
	if (!pario_lead_trace(groups) && !only_table(a) && !pario_page_surveys_only(a))
		pario_advice_findings(out, groups, page);
	if (!pario_lead_trace(groups) && !only_table(a))
		add_first(out, picture);
	pario_text_add(out, "</section>\n");
}

void pario_overview_add(struct pario_canvas *canvas, const struct pario_groups *groups,
			const struct pario_page *page, const struct pario_text *picture,
			const struct pario_text *surveys)
{
	bool alone = groups->archive->volume_count == 1;

	add_lead(canvas->out, groups, page, picture);
	pario_trace_overview(canvas->out, groups->archive);
	/* What stands out in a program comes before its picture. */
	if (pario_lead_trace(groups) && !only_table(groups->archive) && picture->length) {
		pario_text_add(canvas->out, "<section>");
		add_first(canvas->out, picture);
		pario_text_add(canvas->out, "</section>\n");
	}
	for (size_t i = 0; i < groups->archive->volume_count; i++) {
		const struct pario_volume *v = &groups->archive->volume[i];

		if (!table_of(v))
			continue;
		if (!alone)
			add_findings(canvas->out, v, alone);
		set_heading(canvas->out, "At a glance", v, alone);
		pario_lead_bars(canvas->out, table_of(v));
		pario_text_add(canvas->out, "</section>\n");
	}
	pario_text_bytes(canvas->out, pario_text_string(surveys), surveys->length);
	add_glance(canvas->out, groups, page);
}

void pario_overview_rest(struct pario_text *out, const struct pario_groups *groups,
			 const struct pario_page *page)
{
	bool alone = groups->archive->volume_count == 1;

	/* One machine fits beside the advice; several need the width. */
	pario_text_add(out, "<div class=\"%s\"><div>\n", alone ? "pair" : "single");
	pario_advice_suspects(out, groups, page);
	pario_advice_next(out, groups, page);
	pario_text_add(out, "</div>\n");
	pario_machine_text_table(out, groups->archive);
	pario_text_add(out, "</div>\n");
}
