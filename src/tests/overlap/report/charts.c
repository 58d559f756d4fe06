/*
 * charts: the overlap study on the report page, after the paper's figures 1 to 4: overhead per sector, and time
 * per sector when waiting, against 1/B in sectors. A law is a straight line there; its height at 0 is the cost of a
 * sector and its slope the cost of a call. One set of marks per routine, dashed the fitted laws.
 */
#include "report/chart/table_charts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/overlap/report/documents.h"

static const char *const phases[] = { "read", "write", "both" };

enum { PHASES = sizeof(phases) / sizeof(phases[0]) };

/* The point itself says more than the result that it belongs to. */
static void doubt(struct pario_chart *chart, struct pario_mark *m,
		  const struct pario_overlap_case *c, const struct pario_overlap_point *p)
{
	const char *why = p && p->disagree ? "clock and scheduler disagree"
			  : p && p->unlike ? "long and short loops disagree"
			  : p && p->loud   ? "others kept the thread from running"
			  : p && p->noisy  ? "cannot be told from zero"
					   : c->doubt;

	if (!why)
		return;
	m->flags |= PARIO_MARK_SUSPECT;
	pario_chart_note(chart, m, why);
}

static void add_points(struct pario_chart *chart, const struct pario_overlap_case *c, bool overhead)
{
	unsigned series = pario_chart_series(chart, c->name);

	if (chart->failed)
		return;
	chart->series[series].flags |= PARIO_SERIES_POINTS;
	for (size_t i = 0; i < c->points; i++) {
		const struct pario_overlap_point *p = &c->point[i];
		const struct pario_estimate *e = overhead ? &p->difference_ns : &p->sync_op_ns;
		double per = overhead ? 1e-9 : c->sector / p->size * 1e-9;
		struct pario_mark *m;

		if (!isfinite(e->value) || !(p->size > 0))
			continue;
		m = pario_chart_mark(chart, series, c->sector / p->size, e->value * per);
		m->low = (e->value - e->error) * per;
		m->high = (e->value + e->error) * per;
		m->samples = p->passes;
		doubt(chart, m, c, overhead ? p : NULL);
	}
}

/* One line of a law; `part` says which of two. */
static void add_law(struct pario_chart *chart, const struct pario_fitted_line *line,
		    const struct pario_overlap_case *c, bool overhead, double from, double to,
		    const char *part)
{
	/* Time per operation was fitted against bytes; per sector, its slope is the height. */
	double height = overhead ? line->intercept.value : line->slope.value * c->sector;
	double slope = overhead ? line->slope.value : line->intercept.value;
	struct pario_text name = { 0 };
	unsigned guide, like = pario_chart_series(chart, c->name);

	if (!isfinite(height) || !isfinite(slope) || !(to > from))
		return;
	pario_text_add(&name, "law of %s%s", c->name, part);
	guide = pario_chart_series(chart, pario_text_string(&name));
	pario_text_release(&name);
	if (chart->failed)
		return;
	chart->series[guide].flags |= PARIO_SERIES_GUIDE;
	chart->series[guide].like = like + 1;
	pario_chart_mark(chart, guide, from, (height + slope * from) * 1e-9);
	pario_chart_mark(chart, guide, to, (height + slope * to) * 1e-9);
}

static void add_laws(struct pario_chart *chart, const struct pario_overlap_case *c, bool overhead)
{
	const struct pario_two_lines *two = overhead ? &c->overhead : &c->operation;
	double end = 0, at = overhead ? two->at : c->sector / two->at;

	for (size_t i = 0; i < c->points; i++)
		end = fmax(end, c->sector / c->point[i].size);
	if (!two->broken) {
		add_law(chart, &two->one, c, overhead, 0, end, "");
		return;
	}
	/* Small 1/B is large B: against bytes that is the other line. */
	add_law(chart, overhead ? &two->low : &two->high, c, overhead, 0, at, ", large B");
	add_law(chart, overhead ? &two->high : &two->low, c, overhead, at, end, ", small B");
}

/* Which routines a chart holds: all, or, where they are many, those that wait or those that go on. */
enum kinds { ALL, WAITING, GOING_ON };

static bool belongs(const struct pario_overlap_case *c, const char *phase, enum kinds kinds)
{
	return strcmp(c->phase, phase) == 0 && (kinds == ALL || c->blocking == (kinds == WAITING));
}

static size_t how_many(const struct pario_overlap_case *cases, size_t n, const char *phase,
		       enum kinds kinds)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += belongs(&cases[i], phase, kinds);
	return count;
}

static void chart_of(struct pario_section *s, const struct pario_picture *p, size_t volume,
		     const struct pario_overlap_case *cases, size_t n, const char *phase,
		     enum kinds kinds, bool overhead)
{
	static const char *const words[] = { "", ", routines that wait", ", routines that go on" };
	const struct pario_archive *a = s->groups->archive;
	struct pario_text title = { 0 };
	struct pario_chart chart;

	pario_text_add(&title, "%s against 1/B: %s%s%s%s",
		       overhead ? "Overhead T_OH per sector" : "Time per sector when waiting",
		       phase, words[kinds], a->volume_count > 1 ? ", " : "",
		       a->volume_count > 1 ? a->volume[volume].label : "");
	pario_chart_init(&chart, PARIO_CHART_LINE, pario_text_string(&title));
	pario_chart_text(&chart, p->text);
	chart.x = (struct pario_chart_axis){ .title = "1/B", .unit = "1/sectors", .zero = true };
	chart.y = (struct pario_chart_axis){ .title = overhead ? "T_OH" : "time per sector",
					     .zero = true,
					     .format = PARIO_FORMAT_SECONDS };
	for (size_t i = 0; i < n; i++)
		if (belongs(&cases[i], phase, kinds))
			add_points(&chart, &cases[i], overhead);
	for (size_t i = 0; i < n && chart.series_count; i++)
		if (belongs(&cases[i], phase, kinds))
			add_laws(&chart, &cases[i], overhead);
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
	pario_text_release(&title);
}

/* Both views of one phase, in one or two pairs. */
static void pairs_of(struct pario_section *s, const struct pario_picture *p, size_t volume,
		     const struct pario_overlap_case *cases, size_t n, const char *phase,
		     size_t *drawn)
{
	bool many = how_many(cases, n, phase, ALL) > PARIO_SMALL_MULTIPLES_SERIES;

	for (enum kinds k = many ? WAITING : ALL; k <= (many ? GOING_ON : ALL); k++) {
		for (int view = 0; view < 2 && how_many(cases, n, phase, k); view++) {
			pario_table_chart_turn(s, drawn, PARIO_SMALL_MULTIPLES_SHOWN);
			chart_of(s, p, volume, cases, n, phase, k, view == 0);
		}
	}
}

void pario_picture_overlap(struct pario_section *s, const struct pario_picture *p)
{
	size_t drawn = 0;

	for (size_t v = 0; v < s->groups->archive->volume_count; v++) {
		struct pario_overlap_case *cases = NULL;
		struct pario_history history;
		struct pario_err err = { 0 };
		size_t n = 0;

		if (pario_table_chart_history(s, v, &history) < 0)
			return;
		if (pario_overlap_cases(&history, &cases, &n, &err) < 0)
			n = 0;
		for (size_t k = 0; k < PHASES; k++)
			pairs_of(s, p, v, cases, n, phases[k], &drawn);
		free(cases);
		pario_history_release(&history);
	}
	pario_table_chart_done(s, drawn, PARIO_SMALL_MULTIPLES_SHOWN);
}
