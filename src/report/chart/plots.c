/*
 * plots: a number over a parameter, over clients, by phase; what a person waits for.
 */
#include "report/chart/pictures.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

enum { BAR_SERIES = 6, GUIDE_STEPS = 24 };

/* ---- the number over a parameter ---- */

static const char *name_of(const struct pario_section *s, const struct pario_small_multiple *f)
{
	const char *title = pario_small_multiple_axis(s, f).title;

	return strcmp(title, "bandwidth") == 0	  ? "Bandwidth"
	       : strcmp(title, "operations") == 0 ? "Operations"
						  : title;
}

/* Marks at a single x make no line; the table shows them. */
static bool makes_line(const struct pario_chart *chart)
{
	double first = NAN;

	for (size_t i = 0; i < chart->series_count; i++) {
		for (size_t k = 0; k < chart->series[i].count; k++) {
			double x = chart->series[i].mark[k].x;

			if (isnan(first))
				first = x;
			if (x != first)
				return true;
		}
	}
	return false;
}

/* The median of every group of the small multiple over a dimension. */
static void add_medians(struct pario_chart *chart, const struct pario_section *s,
			const struct pario_small_multiple *f, size_t x)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct pario_group *g = s->group[i];

		if (pario_small_multiple_has(s, f, i))
			pario_small_multiple_fill(
				chart,
				pario_chart_mark(
					chart, pario_small_multiple_series(chart, s, i, f->series),
					pario_section_number(s, i, x),
					pario_small_multiple_value(g, g->median)),
				g);
	}
}

static void one_over(struct pario_section *s, const struct pario_picture *p,
		     const struct pario_small_multiple *f, size_t x)
{
	struct pario_text title = { 0 };
	struct pario_chart chart;

	pario_text_add(&title, "%s over %s", name_of(s, f), s->dim[x].name);
	pario_small_multiple_chart(&chart, PARIO_CHART_LINE, s, p, f,
				   p->title ? p->title : pario_text_string(&title));
	chart.x = (struct pario_chart_axis){ .title = s->dim[x].name,
					     .scale = pario_dim_scale(&s->dim[x]),
					     .format = pario_dim_is_size(s->dim[x].name)
							       ? PARIO_FORMAT_BYTES
							       : PARIO_FORMAT_NUMBER };
	chart.y = pario_small_multiple_axis(s, f);
	add_medians(&chart, s, f, x);
	pario_chart_log_where_wide(&chart);
	if (makes_line(&chart))
		pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
	pario_text_release(&title);
}

void pario_picture_over(struct pario_section *s, const struct pario_picture *p)
{
	for (size_t d = PARIO_DIM_PARAM; d < s->dim_count; d++) {
		bool named = p->x && strcmp(p->x, s->dim[d].name) == 0;

		if (s->dim[d].count > 1 && s->dim[d].numeric && (!p->x || named))
			pario_small_multiples_each(s, p, pario_dim_bit(d),
						   PARIO_SMALL_MULTIPLES_SERIES, one_over, d);
	}
}

/* ---- scaling with clients ---- */

/* The best series' rate per client at its smallest count, times the clients. */
static void add_ideal(struct pario_chart *chart)
{
	double per_client = NAN, least = INFINITY, most = 0;
	unsigned guide;

	for (size_t i = 0; i < chart->series_count; i++) {
		const struct pario_series *s = &chart->series[i];
		double first = INFINITY, rate = NAN;

		for (size_t k = 0; k < s->count; k++) {
			if (s->mark[k].x < first && isfinite(s->mark[k].y)) {
				first = s->mark[k].x;
				rate = s->mark[k].y / first;
			}
			most = fmax(most, s->mark[k].x);
		}
		least = fmin(least, first);
		per_client = fmax(per_client, rate);
	}
	if (!(per_client > 0) || !(most > least))
		return;
	guide = pario_chart_series(chart, "ideal: grows with the clients");
	chart->series[guide].flags |= PARIO_SERIES_GUIDE;
	/* Many points: straight only where both axes are alike. */
	for (int i = 0; i <= GUIDE_STEPS; i++) {
		double clients = least * pow(most / least, (double)i / GUIDE_STEPS);

		pario_chart_mark(chart, guide, clients, per_client * clients);
	}
}

static void one_scaling(struct pario_section *s, const struct pario_picture *p,
			const struct pario_small_multiple *f, size_t x)
{
	struct pario_chart chart;

	pario_small_multiple_chart(&chart, PARIO_CHART_LINE, s, p, f, p->title);
	chart.x = (struct pario_chart_axis){ .title = "clients",
					     .scale = pario_dim_scale(&s->dim[x]) };
	chart.y = pario_small_multiple_axis(s, f);
	add_medians(&chart, s, f, x);
	if (s->group[f->first]->better > 0)
		add_ideal(&chart);
	pario_chart_log_where_wide(&chart);
	if (makes_line(&chart))
		pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

void pario_picture_scaling(struct pario_section *s, const struct pario_picture *p)
{
	if (s->dim[PARIO_DIM_CLIENTS].count > 1)
		pario_small_multiples_each(s, p, pario_dim_bit(PARIO_DIM_CLIENTS),
					   PARIO_SMALL_MULTIPLES_SERIES, one_scaling,
					   PARIO_DIM_CLIENTS);
}

/* ---- one bar per phase ---- */

static void one_bars(struct pario_section *s, const struct pario_picture *p,
		     const struct pario_small_multiple *f, size_t x)
{
	struct pario_chart chart;

	const char *number = pario_small_multiple_axis(s, f).title;

	/* A test's own number is what the picture is about. */
	pario_small_multiple_chart(&chart, PARIO_CHART_BAR, s, p, f,
				   strcmp(number, s->group[f->first]->headline) == 0 ? number
										     : p->title);
	chart.x =
		(struct pario_chart_axis){ .title = s->dim[x].name, .scale = PARIO_SCALE_CATEGORY };
	chart.y = pario_small_multiple_axis(s, f);
	for (size_t i = 0; i < s->count; i++) {
		struct pario_text name = { 0 };

		if (!pario_small_multiple_has(s, f, i))
			continue;
		pario_section_name(s, i, f->series, &name);
		pario_small_multiple_fill(
			&chart,
			pario_chart_mark(
				&chart,
				pario_chart_series(&chart, name.length ? pario_text_string(&name)
								       : s->test),
				pario_chart_category(&chart, &chart.x,
						     pario_section_value(s, i, x)),
				pario_small_multiple_value(s->group[i], s->group[i]->median)),
			s->group[i]);
		pario_text_release(&name);
	}
	pario_chart_log_where_wide(&chart);
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

/* The parts of a set, or the phases, or a choice that has more values than there are phases. */
static size_t rows_of(const struct pario_section *s)
{
	size_t rows = pario_section_find(s, "part");

	if (rows != SIZE_MAX)
		return rows;
	rows = PARIO_DIM_PHASE;
	for (size_t d = PARIO_DIM_PARAM; d < s->dim_count; d++) {
		if (!s->dim[d].numeric && s->dim[d].count > s->dim[rows].count)
			rows = d;
	}
	return rows;
}

/* Where nothing varies along an axis of numbers, or where the phases are the subject. */
void pario_picture_bars(struct pario_section *s, const struct pario_picture *p)
{
	bool lines = s->dim[PARIO_DIM_CLIENTS].count > 1;

	for (size_t d = PARIO_DIM_PARAM; d < s->dim_count; d++)
		lines |= s->dim[d].numeric && s->dim[d].count > 1;
	if (!lines || s->dim[PARIO_DIM_PHASE].count > 2 ||
	    pario_section_find(s, "part") != SIZE_MAX)
		pario_small_multiples_each(s, p, pario_dim_bit(rows_of(s)), BAR_SERIES, one_bars,
					   rows_of(s));
}

/* ---- what a person waits for ---- */

static void add_wait(struct pario_chart *chart, const struct pario_section *s, size_t i,
		     const char *amount, const char *name)
{
	double low, high, median = pario_group_amount(s->groups, s->group[i], amount, &low, &high);
	struct pario_text row = { 0 };
	struct pario_mark *m;

	if (!isfinite(median))
		return;
	pario_text_add(&row, "%s ", s->group[i]->first->of->phase);
	pario_section_name(
		s, i, (pario_dim_bit(s->dim_count) - 1) & ~pario_dim_bit(PARIO_DIM_PHASE), &row);
	m = pario_chart_mark(chart, pario_chart_series(chart, name),
			     pario_chart_category(chart, &chart->x, pario_text_string(&row)),
			     median);
	pario_small_multiple_fill(chart, m, s->group[i]);
	m->low = low;
	m->high = high;
	pario_text_release(&row);
}

void pario_picture_waits(struct pario_section *s, const struct pario_picture *p)
{
	struct pario_chart chart;

	pario_chart_init(&chart, PARIO_CHART_BAR, p->title);
	pario_chart_text(&chart, p->text);
	chart.x = (struct pario_chart_axis){ .title = "command", .scale = PARIO_SCALE_CATEGORY };
	chart.y = (struct pario_chart_axis){ .title = "time",
					     .zero = true,
					     .format = PARIO_FORMAT_SECONDS };
	for (size_t i = 0; i < s->count; i++) {
		add_wait(&chart, s, i, "cold_median_s", "cold");
		add_wait(&chart, s, i, "warm_median_s", "warm");
	}
	pario_chart_log_where_wide(&chart);
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}
