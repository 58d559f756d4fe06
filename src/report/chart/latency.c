/*
 * latency: times of single operations as distributions, from the histograms that results carry; no time is measured or
 * guessed here.
 */
#include "report/chart/pictures.h"

#include <math.h>
#include <string.h>

#include "base/histogram.h"
#include "base/units.h"
#include "report/page/detail.h"

enum { BOX_ROWS = 24, BOX_FIGURES = 6 };

/* ---- latency ---- */

static const char *const quantiles[] = { "min", "p50", "p90", "p99", "p99.9", "max", NULL };

static void add_latency(struct pario_chart *chart, const struct pario_section *s, size_t i)
{
	const struct pario_group *g = s->group[i];
	const struct pario_latency *l = &g->latency_ns;
	const double ns[] = { l->min, l->p50, l->p90, l->p99, l->p999, l->max };
	uint32_t others = (pario_dim_bit(s->dim_count) - 1) & ~pario_dim_bit(PARIO_DIM_PHASE);
	struct pario_text row = { 0 };
	struct pario_mark *m;

	pario_text_add(&row, "%s ", g->first->of->phase);
	pario_section_name(s, i, others, &row);
	m = pario_chart_mark(chart, pario_chart_series(chart, g->first->of->phase), NAN,
			     pario_chart_category(chart, &chart->y, pario_text_string(&row)));
	for (size_t k = 0; k < sizeof(ns) / sizeof(ns[0]); k++)
		m->q[k] = ns[k] * 1e-9;
	m->samples = g->numbers;
	m->flags = g->suspects ? PARIO_MARK_SUSPECT : 0;
	if (*g->reason)
		pario_chart_note(chart, m, g->reason);
	pario_text_release(&row);
}

static void begin_latency(struct pario_chart *chart, const struct pario_picture *p)
{
	pario_chart_init(chart, PARIO_CHART_BOX, p->title);
	pario_chart_text(chart, p->text);
	chart->x = (struct pario_chart_axis){ .title = "time of one operation",
					      .scale = PARIO_SCALE_LOG,
					      .format = PARIO_FORMAT_SECONDS };
	chart->y = (struct pario_chart_axis){ .title = "what", .scale = PARIO_SCALE_CATEGORY };
	chart->quantiles = quantiles;
	chart->box_from = 1;
	chart->box_to = 3;
}

void pario_picture_latency(struct pario_section *s, const struct pario_picture *p)
{
	size_t drawn = 0, figures = 0;
	struct pario_chart chart;

	begin_latency(&chart, p);
	for (size_t i = 0; i < s->count && figures < BOX_FIGURES; i++) {
		/* One or two operations make no distribution. */
		if (!s->group[i]->numbers || s->group[i]->latency_ns.count < 8)
			continue;
		if (drawn == BOX_ROWS) {
			pario_figure_add(s->canvas, &chart);
			pario_chart_release(&chart);
			if (++figures == 1)
				pario_text_add(s->canvas->out,
					       "<details class=\"more\"><summary>More of these "
					       "pictures</summary>\n");
			begin_latency(&chart, p);
			drawn = 0;
		}
		add_latency(&chart, s, i);
		drawn++;
	}
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
	if (figures == BOX_FIGURES)
		pario_text_add(s->canvas->out, "<p class=\"hint\">The table has the others.</p>\n");
	if (figures)
		pario_text_add(s->canvas->out, "</details>\n");
}

/* ---- what a longer queue costs ---- */

static void add_quantile(struct pario_chart *chart, const struct pario_section *s,
			 const struct pario_small_multiple *f, size_t x, size_t i, bool high)
{
	const struct pario_group *g = s->group[i];
	struct pario_text name = { 0 };
	struct pario_mark *m;

	pario_section_name(s, i, f->series, &name);
	pario_text_add(&name, "%s%s", name.length ? ", " : "", high ? "p99" : "p50");
	m = pario_chart_mark(chart, pario_chart_series(chart, pario_text_string(&name)),
			     pario_section_number(s, i, x),
			     1e-9 * (high ? g->latency_ns.p99 : g->latency_ns.p50));
	m->flags = g->suspects ? PARIO_MARK_SUSPECT : 0;
	if (*g->reason)
		pario_chart_note(chart, m, g->reason);
	pario_text_release(&name);
}

static void one_latency_over(struct pario_section *s, const struct pario_picture *p,
			     const struct pario_small_multiple *f, size_t x)
{
	struct pario_chart chart;

	pario_small_multiple_chart(&chart, PARIO_CHART_LINE, s, p, f, p->title);
	chart.x = (struct pario_chart_axis){ .title = s->dim[x].name,
					     .scale = pario_dim_scale(&s->dim[x]) };
	chart.y = (struct pario_chart_axis){ .title = "time of one operation",
					     .format = PARIO_FORMAT_SECONDS,
					     .zero = true };
	for (size_t i = 0; i < s->count; i++) {
		if (pario_small_multiple_has(s, f, i) && s->group[i]->latency_ns.count > 0) {
			add_quantile(&chart, s, f, x, i, false);
			add_quantile(&chart, s, f, x, i, true);
		}
	}
	pario_chart_log_where_wide(&chart);
	if (chart.series_count)
		pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

void pario_picture_latency_over(struct pario_section *s, const struct pario_picture *p)
{
	size_t x = pario_section_find(s, p->x);

	if (x != SIZE_MAX && s->dim[x].count > 1 && s->dim[x].numeric)
		pario_small_multiples_each(s, p, pario_dim_bit(x), PARIO_SMALL_MULTIPLES_SERIES / 2,
					   one_latency_over, x);
}

/* ---- latency distribution ---- */

/* All operations of a group's repetitions by their time; the buckets are those of the histogram. */
static bool count_times(const struct pario_section *s, const struct pario_group *g, double *counts)
{
	bool any = false;

	memset(counts, 0, PARIO_HISTOGRAM_BUCKETS * sizeof(*counts));
	for (size_t i = 0; i < g->count; i++) {
		json_t *detail = pario_reading_detail(s->groups->member[g->begin + i]);
		const json_t *list = json_object_get(detail, "latency");

		for (size_t k = 0; k < json_array_size(list); k++) {
			double from = pario_detail_number(json_array_get(list, k), 0);
			double count = pario_detail_number(json_array_get(list, k), 1);

			if (!(from >= 0 && from < 0x1p62) || !(count > 0))
				continue;
			counts[pario_histogram_index((uint64_t)from)] += count;
			any = true;
		}
		json_decref(detail);
	}
	return any;
}

/* The end of a bucket is the beginning of the next that is written: eight of the histogram's own. */
static double bucket_end(unsigned i)
{
	return (double)pario_histogram_from(
		       i + 8 < PARIO_HISTOGRAM_BUCKETS ? i + 8 : PARIO_HISTOGRAM_BUCKETS - 1) *
	       1e-9;
}

static void add_times(struct pario_chart *chart, unsigned series, const double *counts, bool sum)
{
	double all = 0, below = 0;

	for (unsigned i = 0; i < PARIO_HISTOGRAM_BUCKETS; i++)
		all += counts[i];
	for (unsigned i = 0; i < PARIO_HISTOGRAM_BUCKETS; i++) {
		double from = (double)pario_histogram_from(i) * 1e-9;

		below += counts[i];
		if (!(counts[i] > 0))
			continue;
		if (sum)
			pario_chart_mark(chart, series, bucket_end(i), 100 * below / all);
		else
			pario_chart_mark(chart, series, sqrt(fmax(from, 1e-9) * bucket_end(i)),
					 100 * counts[i] / all);
	}
}

/* `x`: 1 = the shares summed up. */
static void one_times(struct pario_section *s, const struct pario_picture *p,
		      const struct pario_small_multiple *f, size_t x)
{
	double counts[PARIO_HISTOGRAM_BUCKETS];
	struct pario_chart chart;

	pario_small_multiple_chart(&chart, PARIO_CHART_LINE, s, p, f, p->title);
	chart.x = (struct pario_chart_axis){ .title = "time of one operation",
					     .scale = PARIO_SCALE_LOG,
					     .format = PARIO_FORMAT_SECONDS };
	chart.y = (struct pario_chart_axis){ .title = x ? "operations done by then"
							: "share of the operations",
					     .unit = "%",
					     .zero = true };
	for (size_t i = 0; i < s->count; i++) {
		if (pario_small_multiple_has(s, f, i) && count_times(s, s->group[i], counts))
			add_times(&chart, pario_small_multiple_series(&chart, s, i, f->series),
				  counts, x);
	}
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

void pario_picture_times(struct pario_section *s, const struct pario_picture *p)
{
	pario_small_multiples_each(s, p, 0, PARIO_SMALL_MULTIPLES_SERIES, one_times, 0);
}

void pario_picture_times_summed(struct pario_section *s, const struct pario_picture *p)
{
	pario_small_multiples_each(s, p, 0, PARIO_SMALL_MULTIPLES_SERIES, one_times, 1);
}
