/*
 * prediction: predicted against actual times of a program's I/O, with their intervals (docs/predict.md).
 */
#include <math.h>
#include <string.h>

#include "journal/table.h"
#include "report/chart/table_charts.h"
#include "report/trace/trace.h"

static const struct {
	const char *name, *value, *low, *high;
} bars[] = {
	{ "reference, measured", "reference_s", NULL, NULL },
	{ "target by ratio", "ratio_s", NULL, NULL },
	{ "target by model", "model_s", "model_low_s", "model_high_s" },
	{ "target by hybrid", "hybrid_s", "hybrid_low_s", "hybrid_high_s" },
	{ "target by replay", "replay_s", "replay_low_s", "replay_high_s" },
	{ "target, actual", "actual_s", NULL, NULL },
};

static const struct pario_trace_column classes[] = {
	{ "calls", "class", PARIO_TRACE_TEXT },
	{ "count", "calls", PARIO_TRACE_NUMBER },
	{ "reference", "reference_s", PARIO_TRACE_SECONDS },
	{ "target", "target_s", PARIO_TRACE_SECONDS },
	{ NULL, NULL, PARIO_TRACE_TEXT },
};

static const struct pario_trace_column sites[] = {
	{ "call site", "site", PARIO_TRACE_TEXT },
	{ "call", "call", PARIO_TRACE_TEXT },
	{ "count", "calls", PARIO_TRACE_NUMBER },
	{ "reference", "reference_s", PARIO_TRACE_SECONDS },
	{ "target", "target_s", PARIO_TRACE_SECONDS },
	{ NULL, NULL, PARIO_TRACE_TEXT },
};

static double cell(const struct pario_result_table_view *v, size_t row, const char *column)
{
	struct pario_err err = { 0 };
	int at = column ? pario_result_table_column(v, column, &err) : -1;

	return at < 0 ? (double)NAN : pario_result_table_number(v, row, at);
}

static void add_row(struct pario_chart *chart, const struct pario_reading *r,
		    const struct pario_result_table_view *v, size_t row)
{
	double x = pario_chart_category(chart, &chart->x, pario_result_table_text(v, row, 0));

	for (size_t i = 0; i < sizeof(bars) / sizeof(bars[0]); i++) {
		double value = cell(v, row, bars[i].value);
		struct pario_mark *m;

		if (isnan(value))
			continue;
		m = pario_chart_mark(chart, pario_chart_series(chart, bars[i].name), x, value);
		/* One interval is enough, and that of the simulation alone may hide all others. */
		if (strcmp(bars[i].value, "model_s") != 0 || isnan(cell(v, row, "hybrid_s"))) {
			m->low = cell(v, row, bars[i].low);
			m->high = cell(v, row, bars[i].high);
		}
		if (bars[i].low)
			pario_table_chart_doubt(chart, m, r);
	}
}

void pario_picture_prediction(struct pario_section *s, const struct pario_picture *p)
{
	for (const struct pario_reading *r = pario_table_chart_next(s, NULL); r;
	     r = pario_table_chart_next(s, r)) {
		struct pario_result_table_view v;
		struct pario_err err = { 0 };
		struct pario_chart chart;

		if (pario_result_table_find(r->more->carried->line, "estimates", &v, &err) < 0)
			continue;
		pario_table_chart_chart(&chart, PARIO_CHART_BAR, s, r, p->title, p->text);
		chart.x = (struct pario_chart_axis){ .title = "time of",
						     .scale = PARIO_SCALE_CATEGORY };
		chart.y = (struct pario_chart_axis){ .title = "time",
						     .zero = true,
						     .format = PARIO_FORMAT_SECONDS };
		for (size_t row = 0; row < v.row_count; row++)
			add_row(&chart, r, &v, row);
		pario_figure_add(s->canvas, &chart);
		pario_chart_release(&chart);
		pario_trace_table_add(s, r, "classes", NULL, "What dominates on the target",
				      "Classes of calls; the path that they take is inferred.",
				      classes);
		pario_trace_table_add(s, r, "sites", NULL, "Call sites that change most",
				      "Time in calls, measured on the reference and predicted.",
				      sites);
	}
}
