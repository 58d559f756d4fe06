/*
 * pictures: see pictures.h. The table at the end says which test gets which picture.
 */
#include "report/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

enum { HEAT_ROWS = 64, BOX_ROWS = 24, BOX_FIGURES = 6, BAR_SERIES = 6, GUIDE_STEPS = 24 };

static uint32_t bit(size_t dim)
{
	return UINT32_C(1) << dim;
}

static struct pario_chart_axis value_axis(bool operations)
{
	return (struct pario_chart_axis){ .title = operations ? "operations" : "bandwidth",
					  .unit = operations ? "ops/s" : "MiB/s",
					  .zero = true };
}

static void init(struct pario_chart *chart, enum pario_chart_kind kind,
		 const struct pario_section *s, const struct pario_picture *p,
		 const struct pario_facet *f, const char *title)
{
	struct pario_text text = { 0 };

	pario_facet_title(s, f, title, &text);
	pario_chart_init(chart, kind, pario_text_string(&text));
	if (p->text)
		pario_chart_text(chart, p->text);
	chart->failed |= text.failed;
	pario_text_release(&text);
}

static unsigned series_of(struct pario_chart *chart, const struct pario_section *s, size_t i,
			  uint32_t dims)
{
	struct pario_text name = { 0 };
	unsigned series;

	pario_section_name(s, i, dims, &name);
	/* A phase is named even where there is only one. */
	series = pario_chart_series(chart, name.length ? pario_text_string(&name)
						       : s->group[i]->first->phase);
	pario_text_release(&name);
	return series;
}

static bool is_size(const char *name)
{
	size_t n = strlen(name);

	return (n > 4 && strcmp(name + n - 4, "size") == 0) ||
	       (n > 5 && strcmp(name + n - 5, "bytes") == 0);
}

/* Few steps over a wide range want a logarithmic axis. */
static enum pario_chart_scale spread_scale(const struct pario_dimension *dim)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < dim->count; i++) {
		low = fmin(low, dim->number[i]);
		high = fmax(high, dim->number[i]);
	}
	return low > 0 && high / low >= 8 ? PARIO_SCALE_LOG : PARIO_SCALE_LINEAR;
}

/* ---- the number over a parameter ---- */

static void one_over(struct pario_section *s, const struct pario_picture *p,
		     const struct pario_facet *f, size_t x)
{
	struct pario_text title = { 0 };
	struct pario_chart chart;

	pario_text_add(&title, "%s over %s", f->operations ? "Operations" : "Bandwidth",
		       s->dim[x].name);
	init(&chart, PARIO_CHART_LINE, s, p, f, p->title ? p->title : pario_text_string(&title));
	chart.x = (struct pario_chart_axis){ .title = s->dim[x].name,
					     .scale = spread_scale(&s->dim[x]),
					     .format = is_size(s->dim[x].name)
							       ? PARIO_FORMAT_BYTES
							       : PARIO_FORMAT_NUMBER };
	chart.y = value_axis(f->operations);
	for (size_t i = 0; i < s->count; i++) {
		if (pario_facet_has(s, f, i))
			pario_facet_fill(&chart,
					 pario_chart_mark(&chart,
							  series_of(&chart, s, i, f->series),
							  pario_section_number(s, i, x),
							  s->group[i]->median),
					 s->group[i]);
	}
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
	pario_text_release(&title);
}

static void draw_over(struct pario_section *s, const struct pario_picture *p)
{
	for (size_t d = PARIO_DIM_PARAM; d < s->dim_count; d++) {
		bool named = p->x && strcmp(p->x, s->dim[d].name) == 0;

		if (s->dim[d].count > 1 && s->dim[d].numeric && (!p->x || named))
			pario_facets_each(s, p, bit(d), PARIO_FACETS_SERIES, one_over, d);
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
			const struct pario_facet *f, size_t x)
{
	struct pario_chart chart;

	init(&chart, PARIO_CHART_LINE, s, p, f, p->title);
	chart.x =
		(struct pario_chart_axis){ .title = "clients", .scale = spread_scale(&s->dim[x]) };
	chart.y = value_axis(f->operations);
	for (size_t i = 0; i < s->count; i++) {
		if (pario_facet_has(s, f, i))
			pario_facet_fill(&chart,
					 pario_chart_mark(&chart,
							  series_of(&chart, s, i, f->series),
							  (double)s->group[i]->first->clients,
							  s->group[i]->median),
					 s->group[i]);
	}
	add_ideal(&chart);
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

static void draw_scaling(struct pario_section *s, const struct pario_picture *p)
{
	if (s->dim[PARIO_DIM_CLIENTS].count > 1)
		pario_facets_each(s, p, bit(PARIO_DIM_CLIENTS), PARIO_FACETS_SERIES, one_scaling,
				  PARIO_DIM_CLIENTS);
}

/* ---- pattern by size ---- */

static void size_label(const struct pario_dimension *dim, size_t value, struct pario_text *out)
{
	char buf[PARIO_UNITS_ROOM];

	if (is_size(dim->name) && isfinite(dim->number[value]))
		pario_text_add(out, "%s", pario_units_size(buf, (uint64_t)dim->number[value]));
	else
		pario_text_add(out, "%s", dim->value[value]);
}

static void heat_columns(struct pario_chart *chart, const struct pario_section *s, size_t x)
{
	const struct pario_dimension *dim = &s->dim[x];
	double last = -1;

	/* In rising order, whatever the order of the sweep. */
	for (size_t n = 0; n < dim->count; n++) {
		struct pario_text label = { 0 };
		size_t best = SIZE_MAX;

		for (size_t i = 0; i < dim->count; i++) {
			if (dim->number[i] > last &&
			    (best == SIZE_MAX || dim->number[i] < dim->number[best]))
				best = i;
		}
		if (best == SIZE_MAX)
			return;
		last = dim->number[best];
		size_label(dim, best, &label);
		pario_chart_category(chart, &chart->x, pario_text_string(&label));
		pario_text_release(&label);
	}
}

/* Best median of all ways to move the same bytes with as many clients in the same direction. */
static double best_alike(const struct pario_section *s, size_t i, size_t x)
{
	uint32_t alike =
		bit(PARIO_DIM_PHASE) | bit(PARIO_DIM_CLIENTS) | bit(PARIO_DIM_RUN) | bit(x);
	double best = NAN;

	for (size_t k = 0; k < s->count; k++) {
		if (pario_section_same(s, i, k, alike))
			best = fmax(best, s->group[k]->median);
	}
	return best;
}

static void fill_heat(struct pario_chart *chart, const struct pario_section *s,
		      const struct pario_facet *f, size_t x, bool slowness)
{
	unsigned cells = pario_chart_series(chart, "cells");

	heat_columns(chart, s, x);
	for (size_t i = 0; i < s->count; i++) {
		struct pario_text row = { 0 }, column = { 0 };
		const struct pario_group *g = s->group[i];
		struct pario_mark *m;

		if (!pario_facet_has(s, f, i))
			continue;
		pario_section_name(s, i, f->series, &row);
		size_label(&s->dim[x], pario_section_at(s, i, x), &column);
		m = pario_chart_mark(
			chart, cells,
			pario_chart_category(chart, &chart->x, pario_text_string(&column)),
			pario_chart_category(chart, &chart->y,
					     row.length ? pario_text_string(&row) : "all"));
		m->z = slowness ? best_alike(s, i, x) / g->median : g->median;
		pario_facet_fill(chart, m, g);
		pario_text_release(&row);
		pario_text_release(&column);
	}
}

static void one_heat(struct pario_section *s, const struct pario_picture *p,
		     const struct pario_facet *f, size_t x)
{
	struct pario_chart chart;

	init(&chart, PARIO_CHART_HEAT, s, p, f, p->title);
	chart.x =
		(struct pario_chart_axis){ .title = s->dim[x].name, .scale = PARIO_SCALE_CATEGORY };
	chart.y = (struct pario_chart_axis){ .title = "pattern", .scale = PARIO_SCALE_CATEGORY };
	chart.z_title = f->operations ? "operations" : "bandwidth";
	chart.z_unit = f->operations ? "ops/s" : "MiB/s";
	chart.z_log = true;
	fill_heat(&chart, s, f, x, false);
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

static void one_map(struct pario_section *s, const struct pario_picture *p,
		    const struct pario_facet *f, size_t x)
{
	struct pario_chart chart;

	init(&chart, PARIO_CHART_HEAT, s, p, f, p->title);
	chart.x =
		(struct pario_chart_axis){ .title = s->dim[x].name, .scale = PARIO_SCALE_CATEGORY };
	chart.y = (struct pario_chart_axis){ .title = "way", .scale = PARIO_SCALE_CATEGORY };
	chart.z_title = "slower than the best way";
	chart.z_unit = "times";
	chart.z_log = true;
	fill_heat(&chart, s, f, x, true);
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

/* Worth a picture when there is more than one row and more than one column. */
static void draw_cells(struct pario_section *s, const struct pario_picture *p,
		       void (*draw)(struct pario_section *, const struct pario_picture *,
				    const struct pario_facet *, size_t))
{
	size_t x = pario_section_find(s, p->x);
	uint32_t pictures = bit(PARIO_DIM_PHASE) | bit(PARIO_DIM_CLIENTS) | bit(PARIO_DIM_RUN);
	uint32_t rows = (bit(s->dim_count) - 1) & ~pictures;

	if (x == SIZE_MAX || !s->dim[x].numeric ||
	    pario_section_combinations(s, rows & ~bit(x)) < 2 ||
	    pario_section_combinations(s, rows & ~bit(x)) > HEAT_ROWS)
		return;
	/* Phases, counts and runs are pictures of their own here: a cell holds one number. */
	for (int operations = 0; operations < 2; operations++) {
		struct pario_facet f = { rows & ~bit(x), pictures, operations, 0 };
		size_t firsts[PARIO_FACETS_MAX], count = 0;

		for (size_t i = 0; i < s->count && count < PARIO_FACETS_MAX; i++) {
			size_t k = 0;

			f.first = i;
			while (k < count && !pario_section_same(s, i, firsts[k], pictures))
				k++;
			if (k < count || !s->group[i]->numbers ||
			    s->group[i]->operations != f.operations)
				continue;
			firsts[count++] = i;
			draw(s, p, &f, x);
		}
	}
}

static void draw_heat(struct pario_section *s, const struct pario_picture *p)
{
	draw_cells(s, p, one_heat);
}

static void draw_map(struct pario_section *s, const struct pario_picture *p)
{
	for (size_t i = 0; i < s->groups->archive->volume_count; i++) {
		if (strcmp(s->groups->archive->volume[i].test, "survey") == 0) {
			draw_cells(s, p, one_map);
			return;
		}
	}
}

/* ---- latency ---- */

static const char *const quantiles[] = { "min", "p50", "p90", "p99", "p99.9", "max", NULL };

static void add_latency(struct pario_chart *chart, const struct pario_section *s, size_t i)
{
	const struct pario_group *g = s->group[i];
	const struct pario_latency *l = &g->latency_ns;
	const double ns[] = { l->min, l->p50, l->p90, l->p99, l->p999, l->max };
	uint32_t others = (bit(s->dim_count) - 1) & ~bit(PARIO_DIM_PHASE);
	struct pario_text row = { 0 };
	struct pario_mark *m;

	pario_text_add(&row, "%s ", g->first->phase);
	pario_section_name(s, i, others, &row);
	m = pario_chart_mark(chart, pario_chart_series(chart, g->first->phase), NAN,
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

static void draw_latency(struct pario_section *s, const struct pario_picture *p)
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

/* ---- one bar per phase ---- */

static void one_bars(struct pario_section *s, const struct pario_picture *p,
		     const struct pario_facet *f, size_t x)
{
	struct pario_chart chart;

	init(&chart, PARIO_CHART_BAR, s, p, f, p->title);
	chart.x =
		(struct pario_chart_axis){ .title = s->dim[x].name, .scale = PARIO_SCALE_CATEGORY };
	chart.y = value_axis(f->operations);
	for (size_t i = 0; i < s->count; i++) {
		struct pario_text name = { 0 };

		if (!pario_facet_has(s, f, i))
			continue;
		pario_section_name(s, i, f->series, &name);
		pario_facet_fill(
			&chart,
			pario_chart_mark(
				&chart,
				pario_chart_series(&chart, name.length ? pario_text_string(&name)
								       : s->test),
				pario_chart_category(&chart, &chart.x,
						     pario_section_value(s, i, x)),
				s->group[i]->median),
			s->group[i]);
		pario_text_release(&name);
	}
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

/* Phases are the rows, or, where there is but one, the choice with most values. */
static size_t rows_of(const struct pario_section *s)
{
	size_t rows = PARIO_DIM_PHASE;

	for (size_t d = PARIO_DIM_PARAM; d < s->dim_count && s->dim[PARIO_DIM_PHASE].count < 2;
	     d++) {
		if (!s->dim[d].numeric && s->dim[d].count > s->dim[rows].count)
			rows = d;
	}
	return rows;
}

/* Where nothing varies along an axis of numbers, or where the phases are the subject. */
static void draw_bars(struct pario_section *s, const struct pario_picture *p)
{
	bool lines = s->dim[PARIO_DIM_CLIENTS].count > 1;

	for (size_t d = PARIO_DIM_PARAM; d < s->dim_count; d++)
		lines |= s->dim[d].numeric && s->dim[d].count > 1;
	if (!lines || s->dim[PARIO_DIM_PHASE].count > 4)
		pario_facets_each(s, p, bit(rows_of(s)), BAR_SERIES, one_bars, rows_of(s));
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
	pario_text_add(&row, "%s ", s->group[i]->first->phase);
	pario_section_name(s, i, (bit(s->dim_count) - 1) & ~bit(PARIO_DIM_PHASE), &row);
	m = pario_chart_mark(chart, pario_chart_series(chart, name),
			     pario_chart_category(chart, &chart->x, pario_text_string(&row)),
			     median);
	pario_facet_fill(chart, m, s->group[i]);
	m->low = low;
	m->high = high;
	pario_text_release(&row);
}

static void draw_waits(struct pario_section *s, const struct pario_picture *p)
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
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

/* ---- tiles ---- */

static double param(const struct pario_section *s, size_t i, const char *name)
{
	uint64_t value = 0;

	pario_units_parse_size("",
			       pario_reading_param(s->groups->archive, s->group[i]->first, name),
			       &value, NULL);
	return (double)value;
}

static void draw_tiles(struct pario_section *s, const struct pario_picture *p)
{
	double low, high, width, height, wide, tall, over_x, over_y;
	struct pario_chart chart;
	uint64_t clients;

	if (!s->count)
		return;
	wide = param(s, 0, "sz_tile_x");
	tall = param(s, 0, "sz_tile_y");
	over_x = param(s, 0, "overlap_x");
	over_y = param(s, 0, "overlap_y");
	width = pario_group_amount(s->groups, s->group[0], "width", &low, &high);
	height = pario_group_amount(s->groups, s->group[0], "height", &low, &high);
	clients = s->group[0]->first->clients;
	if (!(width >= wide) || !(height >= tall) || !(wide > over_x) || !(tall > over_y))
		return;
	pario_chart_init(&chart, PARIO_CHART_SPAN, p->title);
	pario_chart_text(&chart, p->text);
	chart.x = (struct pario_chart_axis){ .title = "column", .unit = "elements" };
	chart.y = (struct pario_chart_axis){ .title = "row", .unit = "elements" };
	for (uint64_t c = 0; c < clients && c < 256; c++) {
		uint64_t nx = (uint64_t)((width - over_x) / (wide - over_x) + 0.5);
		double x = (double)(c % (nx ? nx : 1)) * (wide - over_x);
		double y = (double)(c / (nx ? nx : 1)) * (tall - over_y);
		char name[32];
		struct pario_mark *m;

		if (y + tall > height)
			break;
		snprintf(name, sizeof(name), "client %llu", (unsigned long long)c);
		m = pario_chart_mark(&chart, pario_chart_series(&chart, name), x, y);
		m->x_end = x + wide;
		m->y_end = y + tall;
	}
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

/* ---- the table ---- */

static const struct pario_picture pictures[] = {
	{ "transfer", "transfer_size", "Where it is slow",
	  "How many times slower a way is than the best way to move the same bytes with as many clients. The right end of the scale is where to look.",
	  draw_map },
	{ "tile", NULL, "The tiles", "Which part of the data set each client moves.", draw_tiles },
	{ "interactive", NULL, "What a person waits for",
	  "Median time of one command, with empty and with filled caches.", draw_waits },
	{ NULL, NULL, "At one look",
	  "Median of the repetitions; whiskers show the interval of the median.", draw_bars },
	{ NULL, NULL, NULL, "Median of the repetitions; bars show the interval of the median.",
	  draw_over },
	{ NULL, NULL, "Scaling with clients",
	  "Median of the repetitions. The dashed line is what the best start would give if every client added as much as the first.",
	  draw_scaling },
	{ NULL, "transfer_size", "Pattern by size",
	  "One picture for each direction and client count; the scale of colours is above it.",
	  draw_heat },
	{ NULL, NULL, "Times of single operations",
	  "Whiskers from the fastest to the slowest, boxes from p50 to p99, lines at p50, p90, p99 and p99.9; medians over the repetitions.",
	  draw_latency },
};

void pario_pictures_add(struct pario_section *section)
{
	for (size_t i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++) {
		const struct pario_picture *p = &pictures[i];

		if (!p->test || strcmp(p->test, section->test) == 0)
			p->draw(section, p);
	}
}
