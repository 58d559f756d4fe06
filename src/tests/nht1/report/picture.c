/*
 * picture: where the time of NHT-1's application went: when each vector was computed and when it was written, one
 * above the other, with T_C, T_T and zeta (docs/nht1.md). Where transfers lie below computation they cost
 * little; where computation has gaps, it waited for them.
 */
#include "report/chart/table_charts.h"

#include <math.h>

#include "journal/table.h"
#include "tests/nht1/model/formulae.h"

static double cell(const struct pario_result_table_view *v, size_t row, const char *column)
{
	struct pario_err err = { 0 };
	int at = pario_result_table_column(v, column, &err);

	return at < 0 ? (double)NAN : pario_result_table_number(v, row, at);
}

static double amount(const struct pario_reading *r, const char *name)
{
	return pario_reading_find(r, name).value;
}

/* T_C: the best verified time of all repetitions at a point, which a single result does not know. */
static double best(const struct pario_section *s, const struct pario_reading *r)
{
	const struct pario_archive *a = s->groups->archive;
	double seconds = NAN;

	for (const struct pario_reading *o = a->reading; o < a->reading + a->reading_count; o++)
		if (o->of->test == r->of->test && o->of->point == r->of->point &&
		    o->of->volume == r->of->volume && o->of->clients == r->of->clients)
			seconds = fmin(seconds, amount(o, "T_C"));
	return seconds;
}

static void add_span(struct pario_chart *chart, const struct pario_reading *r, const char *series,
		     const char *row, double from, double to)
{
	struct pario_mark *m;

	if (!(to > from))
		return;
	m = pario_chart_mark(chart, pario_chart_series(chart, series), from,
			     pario_chart_category(chart, &chart->y, row));
	m->x_end = to;
	pario_table_chart_doubt(chart, m, r);
}

/* A transfer is drawn from when its vector was handed over or the one before was done, whichever came last. */
static void add_vectors(struct pario_chart *chart, const struct pario_reading *r,
			const struct pario_result_table_view *v)
{
	double free_at = 0, done_at = 0;

	/* Waiting has a row of its own: it is what to look for, also where all is suspect and looks alike. */
	pario_chart_category(chart, &chart->y, "computation");
	pario_chart_category(chart, &chart->y, "waiting");
	for (size_t i = 0; i < v->row_count; i++) {
		double computed = cell(v, i, "computed_s"), put = cell(v, i, "put_s"),
		       done = cell(v, i, "done_s");

		add_span(chart, r, "computation", "computation", free_at, computed);
		add_span(chart, r, "waiting for a buffer", "waiting", computed, put);
		add_span(chart, r, "transfer", "transfer", fmax(put, done_at), done);
		free_at = put;
		done_at = fmax(done_at, done);
	}
}

static void timeline(struct pario_section *s, const struct pario_picture *p,
		     const struct pario_reading *r, const struct pario_result_table_view *v)
{
	struct pario_text text = { 0 };
	struct pario_chart chart;

	pario_text_add(&text, "%s T_C = %.4g s, T_T = %.4g s, zeta = %.4g.", p->text, best(s, r),
		       amount(r, "T_T"), pario_nht1_overhead(amount(r, "T_T"), best(s, r)));
	pario_table_chart_chart(&chart, PARIO_CHART_SPAN, s, r, p->title, pario_text_string(&text));
	chart.x = (struct pario_chart_axis){ .title = "time since the start",
					     .zero = true,
					     .format = PARIO_FORMAT_SECONDS };
	chart.y = (struct pario_chart_axis){ .title = "what", .scale = PARIO_SCALE_CATEGORY };
	add_vectors(&chart, r, v);
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
	pario_text_release(&text);
}

static void row(struct pario_section *s, const struct pario_reading *r)
{
	double t_c = best(s, r), t_t = amount(r, "T_T");
	const double cells[] = { t_c, t_t, pario_nht1_overhead(t_t, t_c), amount(r, "R_IO"),
				 amount(r, "waited_s") };
	struct pario_text name = { 0 };

	pario_table_chart_name(s, r, &name);
	pario_table_chart_row(s, r, pario_text_string(&name));
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		pario_table_chart_cell(s, cells[i]);
	pario_table_chart_row_end(s, r,
				  amount(r, "conforms") == 1 ? NULL : pario_nht1_lacks(r->bytes));
	pario_text_release(&name);
}

void pario_picture_nht1(struct pario_section *s, const struct pario_picture *p)
{
	static const char *const heads[] = { "T_C, s",	  "T_T, s",    "zeta",
					     "R_IO, B/s", "waited, s", NULL };
	const struct pario_reading *first = pario_table_chart_next(s, NULL);
	size_t drawn = 0;

	if (!first)
		return;
	pario_table_chart_table(
		s, "What NHT-1 asks to be reported",
		"T_C: best verified time without writing, of all repetitions. T_T: with writing, until all is "
		"durable. zeta = T_T/T_C - 1.",
		heads);
	/* The runs without writing have no T_T, and neither has one that failed. */
	for (const struct pario_reading *r = first; r; r = pario_table_chart_next(s, r))
		if (isfinite(amount(r, "T_T")))
			row(s, r);
	pario_table_chart_table_end(s);
	for (const struct pario_reading *r = first; r && drawn < PARIO_SMALL_MULTIPLES_MAX;
	     r = pario_table_chart_next(s, r)) {
		struct pario_result_table_view v;
		struct pario_err err = { 0 };

		if (pario_result_table_find(r->more->carried->line, "timeline", &v, &err) < 0)
			continue;
		pario_table_chart_turn(s, &drawn, PARIO_SMALL_MULTIPLES_SHOWN);
		timeline(s, p, r, &v);
	}
	pario_table_chart_done(s, drawn, PARIO_SMALL_MULTIPLES_SHOWN);
}
