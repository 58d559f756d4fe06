/*
 * survey: pictures of the model that the journal holds. They show the numbers of the statements and no others: what is
 * dark in the map is what a statement says.
 */
#include "report/page/survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"
#include "report/page/lead.h"
#include "report/page/markup.h"
#include "report/page/page.h"
#include "survey/record.h"

enum { SERIES_MOST = 8 };

const json_t *pario_volume_survey(const struct pario_volume *v)
{
	const json_t *line, *found = NULL;
	size_t i;

	json_array_foreach(v->lines, i, line)
	{
		if (json_is_object(json_object_get(line, "survey")))
			found = line;
	}
	return found;
}

bool pario_page_surveys_only(const struct pario_archive *archive)
{
	for (size_t i = 0; i < archive->volume_count; i++) {
		if (!pario_volume_survey(&archive->volume[i]))
			return false;
	}
	return archive->volume_count > 0;
}

static void add_statements(struct pario_text *out, const struct pario_finding_set *set)
{
	pario_text_add(out, "<ol class=\"findings\">");
	for (size_t i = 0; i < set->count; i++) {
		const struct pario_statement *s = &set->statement[i];
		struct pario_text text = { 0 };

		pario_lead_more(out, i);
		pario_statement_name(&set->space, s, &text);
		pario_text_add(out, "<li><b>");
		pario_markup_text(out, pario_text_string(&text));
		pario_text_add(out, "</b>: ");
		pario_text_clear(&text);
		pario_statement_effect_text(&set->space, s, 2, &text);
		pario_text_add(&text, " (%zu points%s).", s->points,
			       s->standing == PARIO_STANDS_UNTRIED ? "; not tried again" : "");
		pario_markup_text(out, pario_text_string(&text));
		pario_text_clear(&text);
		pario_statement_remedy(&set->space, s, true, &text);
		if (text.length) {
			pario_text_add(out, "<br><b>Measured to be faster:</b> ");
			pario_markup_text(out, pario_text_string(&text));
		}
		pario_text_add(out, "</li>\n");
		pario_text_release(&text);
	}
	pario_text_add(out, "</ol>%s\n", pario_lead_end(set->count));
}

/* What the terminal showed beside the numbered lines: how well all this predicts. */
static void add_words(struct pario_text *out, const char *words)
{
	size_t length;

	for (const char *line = words ? words : ""; *line;
	     line += length + (line[length] == '\n')) {
		struct pario_text text = { 0 };

		length = strcspn(line, "\n");
		if (length == 0 || *line == ' ')
			continue;
		pario_text_bytes(&text, line, length);
		pario_text_add(out, "<p class=\"hint\">");
		pario_markup_text(out, pario_text_string(&text));
		pario_text_add(out, "</p>\n");
		pario_text_release(&text);
	}
}

/* ---- the law of the size ---- */

/* Rates, all clients together, of the points of one size and series; and what the model says of the same points. */
struct gathered {
	double *measured, *model;
	size_t count;
};

static double log_rate(const struct pario_spot *place, double cost)
{
	return place->log_bytes + place->log_clients - log(PARIO_MIB) - cost;
}

static void gather(const struct pario_finding_set *set, unsigned axis, unsigned level,
		   unsigned size, unsigned m, struct gathered *g)
{
	const struct pario_space *space = &set->space;
	unsigned sizes = pario_space_axis(space, PARIO_AXIS_SIZE);

	g->count = 0;
	for (size_t i = 0; i < space->cells; i++) {
		struct pario_spot place;

		if (!pario_space_known(space, i, m) || pario_space_level(space, i, sizes) != size ||
		    pario_space_level(space, i, axis) != level)
			continue;
		place = pario_spot_of(space, i, m);
		g->measured[g->count] = log_rate(&place, space->cell[i].cost[m]);
		g->model[g->count++] = log_rate(&place, pario_model_cost(&set->model, &place, 0));
	}
}

static void add_law_series(struct pario_chart *chart, const struct pario_finding_set *set,
			   unsigned axis, unsigned level, unsigned m, struct gathered *g)
{
	const struct pario_space *space = &set->space;
	unsigned sizes = pario_space_axis(space, PARIO_AXIS_SIZE), points, law;
	struct pario_text name = { 0 };

	pario_text_add(&name, "%s %s", space->axes[axis].label[level], space->measure[m]);
	points = pario_chart_series(chart, pario_text_string(&name));
	chart->series[points].flags |= PARIO_SERIES_POINTS;
	pario_text_add(&name, ", model");
	law = pario_chart_series(chart, pario_text_string(&name));
	chart->series[law].flags |= PARIO_SERIES_GUIDE;
	chart->series[law].like = points + 1;
	for (unsigned l = 0; l < space->axes[sizes].count; l++) {
		struct pario_mark *mark;

		gather(set, axis, level, l, m, g);
		if (g->count == 0)
			continue;
		mark = pario_chart_mark(chart, points, space->axes[sizes].value[l],
					exp(pario_stats_median(g->measured, g->count)));
		mark->low = exp(g->measured[0]); /* sorted by the median */
		mark->high = exp(g->measured[g->count - 1]);
		mark->samples = g->count;
		pario_chart_mark(chart, law, space->axes[sizes].value[l],
				 exp(pario_stats_median(g->model, g->count)));
	}
	pario_text_release(&name);
}

/* What bytes alone allow: no call, and nothing that slows down. */
static void add_limit(struct pario_chart *chart, const struct pario_finding_set *set, unsigned m)
{
	const struct pario_space *space = &set->space;
	unsigned sizes = pario_space_axis(space, PARIO_AXIS_SIZE), limit;
	const struct pario_axis *axis = &space->axes[sizes];
	struct pario_text name = { 0 };

	pario_text_add(&name, "limit of a client's %ss", space->measure[m]);
	limit = pario_chart_series(chart, pario_text_string(&name));
	chart->series[limit].flags |= PARIO_SERIES_GUIDE;
	for (unsigned l = 0; l<axis->count; l += axis->count> 1 ? axis->count - 1 : 1)
		pario_chart_mark(chart, limit, axis->value[l],
				 exp(-set->model.byte[m]) / PARIO_MIB);
	pario_text_release(&name);
}

static void add_law(struct pario_canvas *canvas, const struct pario_finding_set *set, unsigned m)
{
	const struct pario_space *space = &set->space;
	unsigned axis = 0, sizes = pario_space_axis(space, PARIO_AXIS_SIZE);
	struct gathered g = { malloc((space->cells + 1) * sizeof(double)),
			      malloc((space->cells + 1) * sizeof(double)), 0 };
	struct pario_chart chart;
	struct pario_text title = { 0 };

	while (axis + 1 < space->axis_count && strcmp(space->axes[axis].name, "pattern") != 0)
		axis++;
	pario_text_add(&title, "Law of the size: %s", space->measure[m]);
	pario_chart_init(&chart, PARIO_CHART_LINE, pario_text_string(&title));
	pario_chart_text(
		&chart,
		"Median over everything else, all clients together; bars reach from the "
		"slowest point to the fastest. Dashed: the model at the same points, and what "
		"the bytes alone allow one client.");
	chart.x = (struct pario_chart_axis){ .title = "transfer size",
					     .unit = "bytes",
					     .scale = PARIO_SCALE_LOG,
					     .format = PARIO_FORMAT_BYTES };
	chart.y = (struct pario_chart_axis){ .title = "bandwidth",
					     .unit = "MiB/s",
					     .scale = PARIO_SCALE_LOG };
	for (unsigned l = 0; g.measured && g.model && sizes < space->axis_count &&
			     l < space->axes[axis].count && l < SERIES_MOST;
	     l++)
		add_law_series(&chart, set, axis, l, m, &g);
	if (sizes < space->axis_count)
		add_limit(&chart, set, m);
	pario_figure_add(canvas, &chart);
	pario_chart_release(&chart);
	pario_text_release(&title);
	free(g.measured);
	free(g.model);
}

/* ---- effects ---- */

static void add_effects(struct pario_canvas *canvas, const struct pario_finding_set *set)
{
	static const char *const names[] = { "low", "factor", "high", NULL };
	struct pario_chart chart;
	unsigned none;

	if (!set->count)
		return;
	pario_chart_init(&chart, PARIO_CHART_BOX, "What slows down, and how much");
	pario_chart_text(
		&chart,
		"The factor of each statement at the transfer size where it is worst, with its "
		"95 % interval.");
	chart.x = (struct pario_chart_axis){ .title = "times slower", .scale = PARIO_SCALE_LOG };
	chart.y = (struct pario_chart_axis){ .title = "statement", .scale = PARIO_SCALE_CATEGORY };
	chart.quantiles = names;
	chart.box_from = chart.box_to = 1;
	none = pario_chart_series(&chart, "none");
	chart.series[none].flags |= PARIO_SERIES_GUIDE;
	pario_chart_mark(&chart, none, 1, NAN);
	for (size_t i = 0; i < set->count; i++) {
		const struct pario_statement *s = &set->statement[i];
		struct pario_text name = { 0 };
		struct pario_factor worst;
		struct pario_mark *mark;
		unsigned level;

		if (s->standing == PARIO_STANDS_LAW)
			continue;
		worst = pario_statement_worst(&set->space, s, &level);
		pario_statement_name(&set->space, s, &name);
		mark = pario_chart_mark(
			&chart, pario_chart_series(&chart, "factor"), NAN,
			pario_chart_category(&chart, &chart.y, pario_text_string(&name)));
		mark->q[0] = worst.low;
		mark->q[1] = worst.value;
		mark->q[2] = worst.high;
		mark->flags = s->standing == PARIO_STANDS_UNTRIED ? PARIO_MARK_SUSPECT : 0;
		if (mark->flags)
			pario_chart_note(&chart, mark,
					 "there was no time to measure its points again");
		pario_text_release(&name);
	}
	pario_figure_add(canvas, &chart);
	pario_chart_release(&chart);
}

/* ---- the map ---- */

static void add_map(struct pario_canvas *canvas, const struct pario_finding_set *set)
{
	const struct pario_space *space = &set->space;
	unsigned sizes = pario_space_axis(space, PARIO_AXIS_SIZE), cells;
	struct pario_chart chart;

	if (sizes == space->axis_count)
		return;
	pario_chart_init(&chart, PARIO_CHART_HEAT, "Where it is slow");
	pario_chart_text(&chart, "How many times slower each statement makes transfers of a size.");
	chart.x = (struct pario_chart_axis){ .title = "transfer size",
					     .scale = PARIO_SCALE_CATEGORY };
	chart.y = (struct pario_chart_axis){ .title = "statement", .scale = PARIO_SCALE_CATEGORY };
	chart.z_title = "slower";
	chart.z_unit = "times";
	chart.z_log = true;
	chart.z_low = 1;
	chart.z_high = 2;
	cells = pario_chart_series(&chart, "cells");
	for (size_t i = 0; i < set->count; i++) {
		const struct pario_statement *s = &set->statement[i];
		struct pario_text name = { 0 };

		pario_statement_name(space, s, &name);
		for (unsigned l = 0;
		     l < space->axes[sizes].count && s->standing != PARIO_STANDS_LAW; l++) {
			struct pario_mark *mark = pario_chart_mark(
				&chart, cells,
				pario_chart_category(&chart, &chart.x, space->axes[sizes].label[l]),
				pario_chart_category(&chart, &chart.y, pario_text_string(&name)));

			mark->z = s->at[l].value;
			chart.z_high = fmax(chart.z_high, isfinite(mark->z) ? mark->z : 1);
			mark->low = s->at[l].low;
			mark->high = s->at[l].high;
		}
		pario_text_release(&name);
	}
	pario_figure_add(canvas, &chart);
	pario_chart_release(&chart);
}

void pario_page_survey_answer(struct pario_text *out, const struct pario_volume *v)
{
	const json_t *line = pario_volume_survey(v);
	struct pario_finding_set *set = malloc(sizeof(*set));
	struct pario_text text = { 0 };
	struct pario_err err = { 0 };

	if (line && set && pario_record_read(json_object_get(line, "survey"), set, &err) == 0) {
		size_t beyond = 0;

		for (size_t i = 0; i < set->count; i++)
			beyond += set->statement[i].standing != PARIO_STANDS_LAW;
		if (set->count) {
			pario_text_count(&text, set->count, "statement");
			pario_text_add(&text, " about what is slow here; the first: ");
			pario_statement_name(&set->space, &set->statement[0], &text);
			pario_text_add(&text, ": ");
			pario_statement_effect_text(&set->space, &set->statement[0], 2, &text);
			pario_text_add(&text, ". ");
		}
		if (beyond == 0)
			pario_guess_none_text(&set->test, set->space.threshold, set->count > 0,
					      &text);
		else if (pario_guess_doubted(&set->test))
			pario_text_add(&text,
				       "But points measured afterwards lay %.0f %% (median) from "
				       "what this predicts: too far off to rely on it.",
				       100 * set->test.median);
		pario_space_release(&set->space);
		pario_text_add(out, "<p class=\"answer\">");
		pario_markup_text(out, pario_text_string(&text));
		pario_text_add(out, "</p>\n");
	}
	pario_text_release(&text);
	free(set);
}

void pario_page_survey(struct pario_canvas *canvas, const struct pario_volume *v, bool alone)
{
	const json_t *line = pario_volume_survey(v);
	struct pario_finding_set *set = malloc(sizeof(*set));
	struct pario_err err = { 0 };

	if (line && set && pario_record_read(json_object_get(line, "survey"), set, &err) == 0) {
		pario_text_add(canvas->out, "<section><h2>What is slow here, and what avoids it");
		if (!alone) {
			pario_text_add(canvas->out, ": ");
			pario_markup_text(canvas->out, v->label);
		}
		pario_text_add(canvas->out, "</h2>");
		add_statements(canvas->out, set);
		add_words(canvas->out, json_string_value(json_object_get(line, "text")));
		pario_text_add(canvas->out, "<div class=\"charts\">\n");
		add_effects(canvas, set);
		add_map(canvas, set);
		for (unsigned m = 0; m < set->space.measures; m++)
			add_law(canvas, set, m);
		pario_text_add(canvas->out, "</div></section>\n");
		pario_space_release(&set->space);
	}
	free(set);
}

void pario_page_changes(const struct pario_archive *archive, const struct pario_survey_change *list,
			size_t count, const char *program, struct pario_text *out)
{
	struct pario_text title = { 0 };

	pario_text_add(&title, "%s against %s", archive->volume[1].label, archive->volume[0].label);
	pario_page_open(out, pario_text_string(&title));
	pario_text_add(out, "<header><h1>");
	pario_markup_text(out, pario_text_string(&title));
	pario_text_add(out, "</h1>");
	pario_machine_text_line(out, archive);
	pario_text_add(out,
		       "</header>\n<main>\n<section><h2>What do the surveys state?</h2>"
		       "<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">"
		       "statement</th><th scope=\"col\">first</th><th scope=\"col\">second</th>"
		       "<th scope=\"col\">verdict</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < count; i++) {
		pario_text_add(out, "<tr>");
		pario_page_cell(out, NULL, list[i].name);
		for (unsigned side = 0; side < 2; side++) {
			struct pario_text text = { 0 };

			pario_change_side_text(&list[i], side, &text);
			pario_page_cell(out, "n", pario_text_string(&text));
			pario_text_release(&text);
		}
		pario_page_cell(out, NULL, list[i].verdict);
		pario_text_add(out, "</tr>\n");
	}
	pario_text_add(out, "</tbody></table></div></section>\n");
	pario_machine_text_table(out, archive);
	pario_text_add(out, "</main>\n");
	pario_page_close(out, program);
	pario_text_release(&title);
}
