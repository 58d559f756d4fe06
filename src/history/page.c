/*
 * page: the changes with what changed along with them, then a picture of each number over time.
 *
 * A picture has at most MARKS marks: of a longer history each mark stands for several runs, with the median of
 * theirs and the range of their intervals. All runs are in the CSV.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stats.h"
#include "history/show.h"
#include "report/chart/figure.h"
#include "report/chart/scale.h"
#include "report/page/markup.h"
#include "report/page/page.h"

enum { MARKS = 200, PICTURES = 60, ROWS = 2000, TICKS = 5 };

/* Dates along the bottom; one at the very end would be cut off. */
static void add_axis(struct pario_chart *chart, int64_t first, int64_t last)
{
	double span = last > first ? (double)(last - first) : 1;

	chart->x = (struct pario_chart_axis){ .title = "date (UTC)",
					      .scale = PARIO_SCALE_CUSTOM,
					      .format = PARIO_FORMAT_MOMENT };
	for (int i = 0; i <= TICKS; i++) {
		double place = (double)i / TICKS, at = floor((double)first + place * span);
		char buf[PARIO_UNITS_CAPACITY], *date, own[PARIO_UNITS_CAPACITY];
		const struct pario_chart_axis moments = { .format = PARIO_FORMAT_MOMENT };

		/* Days where they tell the ticks apart, else the time of day. */
		snprintf(buf, sizeof(buf), "%s", pario_scale_label(&moments, at, own));
		date = buf;
		if (strlen(buf) == 16 && span >= 86400.0 * TICKS)
			buf[10] = '\0';
		else if (strlen(buf) == 16 && span < 86400)
			date = buf + (i ? 11 : 0);
		pario_chart_anchor(chart, &chart->x, at, place, i < TICKS ? date : NULL);
	}
}

/* The page of a run, where there is one beside its journal: a press on the mark opens it (web/script.js). */
static void note_page(const struct pario_chronicle *c, struct pario_chart *chart,
		      struct pario_mark *m, size_t run)
{
	const char *journal = run < c->paths ? c->path[run] : NULL;
	const char *slash = journal ? strrchr(journal, '/') : NULL;
	struct pario_text page = { 0 };

	if (slash)
		pario_text_add(&page, "%.*s/report.html", (int)(slash - journal), journal);
	if (slash && access(pario_text_string(&page), R_OK) == 0)
		pario_chart_note(chart, m, pario_text_string(&page));
	pario_text_release(&page);
}

/* One mark of the runs from..to-1. */
static void add_mark(const struct pario_chronicle *c, struct pario_chart *chart, unsigned series,
		     const struct pario_line *l, size_t from, size_t to)
{
	double *values = malloc((to - from) * sizeof(*values));
	struct pario_mark *m;
	double low = INFINITY, high = -INFINITY;
	bool suspect = false;

	if (!values) {
		chart->failed = true;
		return;
	}
	for (size_t i = from; i < to; i++) {
		values[i - from] = l->moment[i].value;
		low = fmin(low, l->moment[i].low);
		high = fmax(high, l->moment[i].high);
		suspect |= l->moment[i].suspect;
	}
	m = pario_chart_mark(chart, series, (double)l->moment[from + (to - from) / 2].time_s,
			     pario_stats_median(values, to - from));
	m->low = isfinite(low) ? low : (double)NAN;
	m->high = isfinite(high) ? high : (double)NAN;
	m->samples = to - from == 1 ? l->moment[from].repetitions : 0;
	m->flags = suspect ? PARIO_MARK_SUSPECT : 0;
	if (to - from == 1)
		note_page(c, chart, m, l->moment[from].run);
	free(values);
}

static void add_picture(struct pario_canvas *canvas, const struct pario_chronicle *c, size_t number)
{
	const struct pario_line *l = &c->line[number];
	size_t marks = l->count < MARKS ? l->count : MARKS;
	struct pario_text name = { 0 }, text = { 0 };
	struct pario_chart chart;
	char date[PARIO_DATE];
	unsigned series;
	double top = 0;

	pario_line_name(l, &name);
	pario_chart_init(&chart, PARIO_CHART_LINE, pario_text_string(&name));
	if (l->count > MARKS)
		pario_text_add(&text, "Each mark stands for about %zu runs. ",
			       (l->count + MARKS - 1) / MARKS);
	pario_text_add(&text, l->changes ? "Vertical lines are changes." : "No change was found.");
	pario_chart_text(&chart, pario_text_string(&text));
	add_axis(&chart, c->first_s, c->last_s);
	chart.y = (struct pario_chart_axis){ .title = "median of a run",
					     .unit = l->unit,
					     .zero = true };
	series = pario_chart_series(&chart, "median");
	for (size_t i = 0; i < marks; i++)
		add_mark(c, &chart, series, l, i * l->count / marks, (i + 1) * l->count / marks);
	for (size_t i = 0; i < l->count; i++)
		top = fmax(top, l->moment[i].value);
	for (size_t i = 0; i < c->changes; i++) {
		struct pario_text title = { 0 };
		unsigned guide;

		if (c->change[i].line != number)
			continue;
		pario_text_add(&title, "%s on %s", c->change[i].worse ? "worse" : "change",
			       pario_date(date, l->moment[c->change[i].at].time_s));
		guide = pario_chart_series(&chart, pario_text_string(&title));
		chart.series[guide].flags |= PARIO_SERIES_GUIDE;
		pario_chart_mark(&chart, guide, (double)l->moment[c->change[i].at].time_s, 0);
		pario_chart_mark(&chart, guide, (double)l->moment[c->change[i].at].time_s, top);
		pario_text_release(&title);
	}
	pario_figure_add(canvas, &chart);
	pario_chart_release(&chart);
	pario_text_release(&name);
	pario_text_release(&text);
}

static void add_change(struct pario_text *out, const struct pario_chronicle *c,
		       const struct pario_change *change)
{
	const struct pario_line *l = &c->line[change->line];
	struct pario_text text = { 0 };
	char date[PARIO_DATE];

	pario_text_add(out, "<tr>");
	pario_page_cell(out, "n", pario_date(date, l->moment[change->at].time_s));
	pario_line_name(l, &text);
	pario_page_cell(out, NULL, pario_text_string(&text));
	pario_text_clear(&text);
	pario_change_words(c, change, &text);
	pario_page_cell(out,
			change->worse	 ? "slower"
			: change->better ? "faster"
					 : NULL,
			pario_text_string(&text));
	pario_text_add(out, "<td>");
	for (const char *with = change->with; with && *with; with += strcspn(with, "\n") + 1) {
		pario_text_clear(&text);
		pario_text_add(&text, "%.*s", (int)strcspn(with, "\n"), with);
		pario_markup_text(out, pario_text_string(&text));
		pario_text_add(out, "<br>");
	}
	if (!change->with)
		pario_text_add(out, "nothing that pario records");
	pario_text_add(out, "</td></tr>\n");
	pario_text_release(&text);
}

static void add_changes(struct pario_text *out, const struct pario_chronicle *c)
{
	pario_text_add(
		out,
		"<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">date</th>"
		"<th scope=\"col\">number</th><th scope=\"col\">change</th>"
		"<th scope=\"col\">changed with it</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < c->changes && i < ROWS; i++)
		add_change(out, c, &c->change[i]);
	pario_text_add(out, "</tbody></table></div>\n");
}

static void add_skipped(struct pario_text *out, const struct pario_chronicle *c)
{
	if (!c->skips)
		return;
	pario_text_add(out, "<section><h2>Left out</h2><ul>\n");
	for (size_t i = 0; i < c->skips && i < ROWS; i++) {
		pario_text_add(out, "<li>");
		pario_markup_text(out, c->skipped[i]);
		pario_text_add(out, "</li>\n");
	}
	pario_text_add(out, "</ul></section>\n");
}

/* Those with changes first. */
static void add_pictures(struct pario_canvas *canvas, const struct pario_chronicle *c)
{
	size_t drawn = 0;

	pario_text_add(
		canvas->out,
		"<section><h2>Over time</h2><p class=\"hint\">The median of each "
		"run's repetitions with its 95 %% interval; a press on a point opens the page of "
		"its run, where there is one.</p><div class=\"charts\">\n");
	for (int changed = 1; changed >= 0; changed--) {
		for (size_t i = 0; i < c->lines && drawn < PICTURES; i++) {
			if ((c->line[i].changes > 0) != changed || c->line[i].count < 2)
				continue;
			add_picture(canvas, c, i);
			drawn++;
		}
	}
	pario_text_add(canvas->out, "</div>");
	if (c->lines > drawn)
		pario_text_add(canvas->out,
			       "<p class=\"hint\">%zu more numbers are not drawn here; "
			       "--csv has them.</p>",
			       c->lines - drawn);
	pario_text_add(canvas->out, "</section>\n");
}

int pario_chronicle_page(const struct pario_chronicle *c, const char *title, const char *program,
			 struct pario_text *out, struct pario_err *err)
{
	struct pario_canvas canvas = { .out = out };
	struct pario_text words = { 0 };

	pario_page_open(out, title);
	pario_text_add(out, "<header><h1>");
	pario_markup_text(out, title);
	pario_text_add(
		out,
		"</h1></header>\n<main>\n<section><h2>What changed?</h2><p class=\"verdict\">");
	pario_chronicle_words(c, &words);
	pario_markup_text(out, pario_text_string(&words));
	pario_text_add(
		out,
		"</p><p class=\"hint\">A run is one observation: the median of its repetitions. "
		"Each place in a line is tested with Student's test on the logarithms before and "
		"after it; where enough runs stand on both sides, the Mann-Whitney test has to "
		"agree.</p>\n");
	if (c->changes)
		add_changes(out, c);
	pario_text_add(out, "</section>\n");
	add_pictures(&canvas, c);
	add_skipped(out, c);
	pario_text_add(out, "</main>\n");
	pario_page_close(out, program);
	pario_palette_release(&canvas.palette);
	pario_text_release(&words);
	return out->failed ? pario_err_memory(err, "the page") : 0;
}
