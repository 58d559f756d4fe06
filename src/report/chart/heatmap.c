/*
 * heatmap: pattern by size as a heat map, where a run has both; a picture as data, drawn by the figure.
 */
#include "report/chart/pictures.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

/* More rows than this are no picture any more. */
enum { HEAT_ROWS = 64 };

static void size_label(const struct pario_dimension *dim, size_t value, struct pario_text *out)
{
	char buf[PARIO_UNITS_CAPACITY];

	if (pario_dim_is_size(dim->name) && isfinite(dim->number[value]))
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

static void fill(struct pario_chart *chart, const struct pario_section *s,
		 const struct pario_small_multiple *f, size_t x)
{
	unsigned cells = pario_chart_series(chart, "cells");

	heat_columns(chart, s, x);
	for (size_t i = 0; i < s->count; i++) {
		struct pario_text row = { 0 }, column = { 0 };
		struct pario_mark *m;

		if (!pario_small_multiple_has(s, f, i))
			continue;
		pario_section_name(s, i, f->series, &row);
		size_label(&s->dim[x], pario_section_at(s, i, x), &column);
		m = pario_chart_mark(
			chart, cells,
			pario_chart_category(chart, &chart->x, pario_text_string(&column)),
			pario_chart_category(chart, &chart->y,
					     row.length ? pario_text_string(&row) : "all"));
		m->z = s->group[i]->median;
		pario_small_multiple_fill(chart, m, s->group[i]);
		pario_text_release(&row);
		pario_text_release(&column);
	}
}

struct range {
	double low, high;
};

/* The same colour means the same number in all pictures of a section. */
static struct range range_of(const struct pario_section *s, const char *unit)
{
	struct range r = { INFINITY, -INFINITY };

	for (size_t i = 0; i < s->count; i++) {
		double value = s->group[i]->median;

		if (s->group[i]->numbers && strcmp(s->group[i]->unit, unit) == 0 && value > 0) {
			r.low = fmin(r.low, value);
			r.high = fmax(r.high, value);
		}
	}
	return r;
}

static void one(struct pario_section *s, const struct pario_picture *p,
		const struct pario_small_multiple *f, size_t x, struct range range)
{
	struct pario_chart chart;

	pario_small_multiple_chart(&chart, PARIO_CHART_HEAT, s, p, f, p->title);
	chart.x =
		(struct pario_chart_axis){ .title = s->dim[x].name, .scale = PARIO_SCALE_CATEGORY };
	chart.y = (struct pario_chart_axis){ .title = "way", .scale = PARIO_SCALE_CATEGORY };
	chart.z_title = pario_small_multiple_axis(s, f).title;
	chart.z_unit = f->unit;
	chart.z_log = true;
	chart.z_low = range.low;
	chart.z_high = range.high;
	fill(&chart, s, f, x);
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

/* Phases, counts and runs are pictures of their own here: a cell holds one number. */
static void draw(struct pario_section *s, const struct pario_picture *p, size_t x, const char *unit)
{
	uint32_t pictures = pario_dim_bit(PARIO_DIM_PHASE) | pario_dim_bit(PARIO_DIM_CLIENTS) |
			    pario_dim_bit(PARIO_DIM_RUN);
	uint32_t rows = (pario_dim_bit(s->dim_count) - 1) & ~pictures & ~pario_dim_bit(x);
	struct pario_small_multiple f = { rows, pictures, unit, 0 };
	struct range range = range_of(s, unit);
	size_t firsts[PARIO_SMALL_MULTIPLES_MAX], count = 0;

	if (pario_section_combinations(s, rows) < 2 ||
	    pario_section_combinations(s, rows) > HEAT_ROWS)
		return;
	for (size_t i = 0; i < s->count && count < PARIO_SMALL_MULTIPLES_MAX; i++) {
		size_t k = 0;

		f.first = i;
		while (k < count && !pario_section_same(s, i, firsts[k], pictures))
			k++;
		if (k < count || !s->group[i]->numbers || strcmp(s->group[i]->unit, unit) != 0)
			continue;
		firsts[count++] = i;
		if (count == PARIO_SMALL_MULTIPLES_SHOWN + 1)
			pario_text_add(s->canvas->out,
				       "<details class=\"more\"><summary>More of these "
				       "pictures</summary>\n");
		one(s, p, &f, x, range);
	}
	if (count > PARIO_SMALL_MULTIPLES_SHOWN)
		pario_text_add(s->canvas->out, "</details>\n");
}

void pario_picture_heat(struct pario_section *s, const struct pario_picture *p)
{
	size_t x = pario_section_find(s, p->x);

	if (x == SIZE_MAX || !s->dim[x].numeric)
		return;
	for (size_t n = 0; pario_small_multiple_unit(s, n); n++)
		draw(s, p, x, pario_small_multiple_unit(s, n));
}
