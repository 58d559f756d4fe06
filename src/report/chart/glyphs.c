/*
 * glyphs: lines, bars, cells, boxes and spans. A suspect mark is hollow (or hatched) in the page's colour for doubt, a
 * failed one is a cross, in every kind.
 */
#include "report/chart/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/page/markup.h"

enum { SHAPES = 4 };

static void open_group(struct pario_drawing *d, const struct pario_series *s)
{
	pario_text_add(d->out, "<g class=\"%s ", s->like ? "guide own" : "series");
	pario_svg_class(d->out, pario_palette_series(d->palette, d->chart, s));
	pario_text_add(d->out, "\">");
}

/* Each # stands for one of the places, as long as there are any: one in a link is a letter like others. */
static void add_places(struct pario_text *out, const char *format, const double *v, size_t count)
{
	for (; *format; format++) {
		if (*format == '#' && count && count--)
			pario_markup_place(out, *v++);
		else
			pario_text_bytes(out, format, 1);
	}
}

#define PLACES(out, format, ...)                                 \
	add_places(out, format, (const double[]){ __VA_ARGS__ }, \
		   sizeof((const double[]){ __VA_ARGS__ }) / sizeof(double))

static const char *flag_class(const struct pario_mark *m)
{
	if (m->flags & PARIO_MARK_FAILED)
		return " failed";
	return m->flags & PARIO_MARK_SUSPECT ? " suspect" : "";
}

/* What the browser shows when the pointer rests on a mark. */
static void add_title(struct pario_drawing *d, const struct pario_series *s,
		      const struct pario_mark *m)
{
	const struct pario_chart *c = d->chart;
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];
	bool heat = c->kind == PARIO_CHART_HEAT;

	if (!d->titles)
		return;
	pario_text_add(d->out, "<title>");
	pario_markup_text(d->out, s->name ? s->name : "");
	if (c->kind == PARIO_CHART_BOX) {
		pario_text_add(d->out, ", ");
		pario_markup_text(d->out, pario_scale_label(&c->y, m->y, b));
	} else if (c->kind != PARIO_CHART_SPAN) {
		pario_text_add(d->out, ", ");
		pario_markup_text(d->out, pario_scale_label(&c->x, m->x, a));
		pario_text_add(d->out, ": ");
		if (heat) {
			pario_markup_text(d->out, pario_scale_label(&c->y, m->y, b));
			pario_text_add(d->out, ", %s",
				       isfinite(m->z) ? pario_units_number(a, m->z) : "–");
		} else {
			pario_markup_text(d->out, pario_scale_label(&c->y, m->y, b));
		}
		pario_text_add(d->out, " ");
		pario_markup_text(d->out, heat ? (c->z_unit ? c->z_unit : "")
					       : (c->y.unit ? c->y.unit : ""));
	}
	if (m->flags)
		pario_text_add(d->out, " (%s)", flag_class(m) + 1);
	if (m->note) {
		pario_text_add(d->out, " ");
		pario_markup_text(d->out, m->note);
	}
	pario_text_add(d->out, "</title>");
}

/* ---- line ---- */

static int by_x(const void *a, const void *b)
{
	const struct pario_mark *const *m = a, *const *n = b;

	return ((*m)->x > (*n)->x) - ((*m)->x < (*n)->x);
}

static void add_path(struct pario_drawing *d, const struct pario_mark **marks, size_t count)
{
	bool open = false;

	pario_text_add(d->out, "<path class=\"line\" d=\"");
	for (size_t i = 0; i < count; i++) {
		double x = pario_drawing_h(d, marks[i]->x), y = pario_drawing_v(d, marks[i]->y);

		if (!isfinite(x) || !isfinite(y)) {
			open = false;
			continue;
		}
		PLACES(d->out, open ? "L# #" : "M# #", x, y);
		open = true;
	}
	pario_text_add(d->out, "\"/>");
}

static void add_spreads(struct pario_drawing *d, const struct pario_mark **marks, size_t count)
{
	struct pario_text path = { 0 };

	for (size_t i = 0; i < count; i++) {
		double x = pario_drawing_h(d, marks[i]->x);
		double low = pario_drawing_v(d, marks[i]->low);
		double high = pario_drawing_v(d, marks[i]->high);

		if (isfinite(x) && isfinite(low) && isfinite(high) && low - high > 1)
			PLACES(&path, "M# #h6m-3 0V#m-3 0h6", x - 3, low, high);
	}
	if (path.length)
		pario_text_add(d->out, "<path class=\"spread\" d=\"%s\"/>",
			       pario_text_string(&path));
	pario_text_release(&path);
}

static void add_dot(struct pario_drawing *d, const struct pario_series *s,
		    const struct pario_mark *m, size_t shape)
{
	bool failed = (m->flags & PARIO_MARK_FAILED) || !isfinite(m->y);
	double x = pario_drawing_h(d, m->x);
	double y = failed ? d->top + d->height - 6 : pario_drawing_v(d, m->y);

	if (!isfinite(x) || !isfinite(y) || (failed && !(m->flags & PARIO_MARK_FAILED)))
		return;
	if (failed)
		pario_text_add(d->out, "<use class=\"dot failed\" href=\"#kx\"");
	else
		pario_text_add(d->out, "<use class=\"dot%s\" href=\"#k%zu\"", flag_class(m), shape);
	PLACES(d->out, " x=\"#\" y=\"#\">", x, y);
	add_title(d, s, m);
	pario_text_add(d->out, "</use>");
}

/* On top of all lines, where nothing hides them. */
static void add_questions(struct pario_drawing *d)
{
	for (size_t i = 0; i < d->chart->series_count; i++) {
		for (size_t k = 0; k < d->chart->series[i].count; k++) {
			const struct pario_mark *m = &d->chart->series[i].mark[k];
			double x = pario_drawing_h(d, m->x), y = pario_drawing_v(d, m->y);

			if (m->flags == PARIO_MARK_SUSPECT && isfinite(x) && isfinite(y))
				PLACES(d->out, "<text class=\"doubt mid\" x=\"#\" y=\"#\">?</text>",
				       x, y - 8);
		}
	}
}

static void add_lines(struct pario_drawing *d)
{
	for (size_t i = 0; i < d->chart->series_count; i++) {
		const struct pario_series *s = &d->chart->series[i];
		const struct pario_mark **sorted =
			malloc((s->count + 1) * sizeof(struct pario_mark *));
		size_t shape = pario_palette_series(d->palette, d->chart, s) % SHAPES;

		if (!sorted)
			return;
		for (size_t k = 0; k < s->count; k++)
			sorted[k] = &s->mark[k];
		qsort(sorted, s->count, sizeof(struct pario_mark *), by_x);
		if (s->flags & PARIO_SERIES_GUIDE) {
			if (s->like)
				open_group(d, s);
			else
				pario_text_add(d->out, "<g class=\"guide\">");
			add_path(d, sorted, s->count);
		} else {
			open_group(d, s);
			add_spreads(d, sorted, s->count);
			if (!(s->flags & PARIO_SERIES_POINTS))
				add_path(d, sorted, s->count);
			for (size_t k = 0; k < s->count; k++)
				add_dot(d, s, sorted[k], shape);
		}
		pario_text_add(d->out, "</g>");
		free(sorted);
	}
	add_questions(d);
}

/* ---- bar ---- */

/* Bars stand on 0, which is inside the picture where a number is negative. */
static double base_of(const struct pario_drawing *d)
{
	double zero = d->chart->y.scale == PARIO_SCALE_LINEAR ? pario_drawing_h(d, 0) : d->left;

	return zero > d->left ? zero : d->left;
}

static void add_bar(struct pario_drawing *d, const struct pario_series *s,
		    const struct pario_mark *m, double top, double height)
{
	double from = base_of(d), to = pario_drawing_h(d, m->y), end = fmax(from, to);
	double low = pario_drawing_h(d, m->low), high = pario_drawing_h(d, m->high);
	char buf[PARIO_UNITS_CAPACITY];

	if (!isfinite(to)) {
		if (m->flags & PARIO_MARK_FAILED) {
			pario_text_add(d->out, "<use class=\"dot failed\" href=\"#kx\"");
			PLACES(d->out, " x=\"#\" y=\"#\">", from + 8, top + height / 2);
			add_title(d, s, m);
			pario_text_add(d->out, "</use>");
		}
		return;
	}
	pario_text_add(d->out, "<rect class=\"bar%s\"", flag_class(m));
	PLACES(d->out, " x=\"#\" y=\"#\" width=\"#\" height=\"#\">", fmin(from, to), top,
	       fmax(fabs(to - from), 1), height);
	add_title(d, s, m);
	pario_text_add(d->out, "</rect>");
	if (isfinite(low) && isfinite(high) && high - low > 2) {
		PLACES(d->out, "<path class=\"spread\" d=\"M# #v6m0 -3H#m0 -3v6\"/>", low,
		       top + height / 2 - 3, high);
		end = fmax(end, high);
	}
	PLACES(d->out, "<text class=\"value\" x=\"#\" y=\"#\">", end + 5, top + height / 2 + 4);
	pario_markup_text(d->out, pario_scale_label(&d->chart->y, m->y, buf));
	pario_text_add(d->out, "%s</text>", m->flags & PARIO_MARK_SUSPECT ? " ?" : "");
}

static void add_bars(struct pario_drawing *d)
{
	size_t rows = d->chart->x.tick_count ? d->chart->x.tick_count : 1;
	double row = d->height / (double)rows;
	double bar = (row - 8) / (double)(d->chart->series_count ? d->chart->series_count : 1);

	for (size_t i = 0; i < d->chart->series_count; i++) {
		const struct pario_series *s = &d->chart->series[i];

		open_group(d, s);
		for (size_t k = 0; k < s->count; k++)
			add_bar(d, s, &s->mark[k],
				d->top + row * s->mark[k].x + 4 + bar * (double)i + 1, bar - 2);
		pario_text_add(d->out, "</g>");
	}
}

/* ---- heat ---- */

void pario_glyphs_heat_range(const struct pario_chart *chart, double *low, double *high)
{
	*low = chart->z_low;
	*high = chart->z_high;
	if (*high > *low)
		return;
	*low = INFINITY;
	*high = -INFINITY;
	for (size_t i = 0; i < chart->series_count; i++) {
		for (size_t k = 0; k < chart->series[i].count; k++) {
			double z = chart->series[i].mark[k].z;

			if (!isfinite(z) || (chart->z_log && z <= 0))
				continue;
			*low = fmin(*low, z);
			*high = fmax(*high, z);
		}
	}
}

int pario_glyphs_heat_step(double low, double high, bool logarithmic, double value)
{
	double place;

	if (!isfinite(value) || (logarithmic && value <= 0))
		return -1;
	if (!(high > low))
		return 4;
	place = logarithmic ? log(value / low) / log(high / low) : (value - low) / (high - low);
	return (int)fmin(8, fmax(0, place * 9));
}

static void add_cells(struct pario_drawing *d)
{
	const struct pario_chart *c = d->chart;
	double w = d->width / (double)(c->x.tick_count ? c->x.tick_count : 1);
	double h = d->height / (double)(c->y.tick_count ? c->y.tick_count : 1), low, high;
	char buf[PARIO_UNITS_CAPACITY];

	pario_glyphs_heat_range(c, &low, &high);
	for (size_t i = 0; i < c->series_count; i++) {
		for (size_t k = 0; k < c->series[i].count; k++) {
			const struct pario_mark *m = &c->series[i].mark[k];
			double x = d->left + w * m->x, y = d->top + h * m->y;
			int step = pario_glyphs_heat_step(low, high, c->z_log, m->z);
			double gap = w < 8 ? 0 : 1;

			pario_text_add(d->out, "<g class=\"cell h%d%s\">", step < 0 ? 9 : step,
				       flag_class(m));
			PLACES(d->out, "<rect x=\"#\" y=\"#\" width=\"#\" height=\"#\">", x + gap,
			       y + gap, w - 2 * gap, h - 2);
			/* Colour alone where there is no room for a number. */
			if (w < 28 || h < 14) {
				pario_text_add(d->out, "</rect></g>");
				continue;
			}
			add_title(d, &c->series[i], m);
			PLACES(d->out, "</rect><text class=\"mid\" x=\"#\" y=\"#\">", x + w / 2,
			       y + h / 2 + 4);
			pario_text_add(d->out, "%s%s</text></g>",
				       m->flags & PARIO_MARK_FAILED ? "×"
				       : isfinite(m->z)		    ? pario_units_count(buf, m->z)
								    : "–",
				       m->flags & PARIO_MARK_SUSPECT ? " ?" : "");
		}
	}
}

/* ---- box ---- */

static size_t quantile_count(const struct pario_chart *c)
{
	size_t count = 0;

	while (c->quantiles && c->quantiles[count] && count < PARIO_CHART_QUANTILES)
		count++;
	return count;
}

static void add_box(struct pario_drawing *d, const struct pario_series *s,
		    const struct pario_mark *m)
{
	const struct pario_chart *c = d->chart;
	size_t count = quantile_count(c);
	double y = pario_drawing_v(d, m->y), from, to;

	if (s->flags & PARIO_SERIES_GUIDE) {
		from = pario_drawing_h(d, m->x);
		if (isfinite(from))
			PLACES(d->out, "<path class=\"line\" d=\"M# #V#\"/>", from, d->top,
			       d->top + d->height);
		return;
	}
	if (!count)
		return;
	from = pario_drawing_h(d, m->q[0]);
	to = pario_drawing_h(d, m->q[count - 1]);
	if (!isfinite(from) || !isfinite(to))
		return;
	pario_text_add(d->out, "<g class=\"box%s\">", flag_class(m));
	add_title(d, s, m);
	PLACES(d->out, "<path class=\"whisker\" d=\"M# #v8m0 -4H#m0 -4v8\"/>", from, y - 4, to);
	from = pario_drawing_h(d, m->q[c->box_from]);
	to = pario_drawing_h(d, m->q[c->box_to]);
	/* A box of no width is a mark. */
	if (c->box_from == c->box_to) {
		from -= 2.5;
		to += 2.5;
	}
	if (isfinite(from) && isfinite(to))
		PLACES(d->out, "<rect class=\"bar\" x=\"#\" y=\"#\" width=\"#\" height=\"14\"/>",
		       from, y - 7, fmax(to - from, 1.5));
	for (size_t i = 1; i + 1 < count && c->box_from < c->box_to; i++) {
		double x = pario_drawing_h(d, m->q[i]);

		if (isfinite(x))
			PLACES(d->out, "<path class=\"notch\" d=\"M# #v14\"/>", x, y - 7);
	}
	if (m->flags & PARIO_MARK_SUSPECT) {
		PLACES(d->out, "<text class=\"doubt\" x=\"#\" y=\"#\"",
		       pario_drawing_h(d, m->q[count - 1]) + 4, y + 4);
		pario_text_add(d->out, ">?</text>");
	}
	pario_text_add(d->out, "</g>");
}

/* ---- span ---- */

static void add_span(struct pario_drawing *d, const struct pario_series *s,
		     const struct pario_mark *m)
{
	bool rows = d->chart->y.scale == PARIO_SCALE_CATEGORY;
	double x1 = pario_drawing_h(d, m->x), x2 = pario_drawing_h(d, m->x_end);
	bool lane = rows && d->chart->lanes;
	double y1 = pario_drawing_v(d, lane   ? m->y - 0.42 + 0.84 * m->low
				       : rows ? m->y - 0.35
					      : m->y);
	double y2 = pario_drawing_v(d, lane   ? m->y - 0.42 + 0.84 * m->high
				       : rows ? m->y + 0.35
					      : m->y_end);
	double left = fmin(x1, x2), top = fmin(y1, y2), w = fabs(x2 - x1), h = fabs(y2 - y1);

	if (!isfinite(w) || !isfinite(h))
		return;
	pario_text_add(d->out, "<rect class=\"span%s%s\"", lane ? " lane" : "", flag_class(m));
	PLACES(d->out, " x=\"#\" y=\"#\" width=\"#\" height=\"#\">", left, top, fmax(w, 0.8), h);
	add_title(d, s, m);
	pario_text_add(d->out, "</rect>");
	if (!rows && s->name && w > 7.0 * (double)strlen(s->name) && h > 14) {
		PLACES(d->out, "<text class=\"name mid\" x=\"#\" y=\"#\">", left + w / 2,
		       top + h / 2 + 4);
		pario_markup_text(d->out, s->name);
		pario_text_add(d->out, "</text>");
	}
}

static void add_each(struct pario_drawing *d,
		     void (*add)(struct pario_drawing *d, const struct pario_series *s,
				 const struct pario_mark *m))
{
	for (size_t i = 0; i < d->chart->series_count; i++) {
		const struct pario_series *s = &d->chart->series[i];

		if (s->flags & PARIO_SERIES_GUIDE)
			pario_text_add(d->out, "<g class=\"guide\">");
		else
			open_group(d, s);
		for (size_t k = 0; k < s->count; k++)
			add(d, s, &s->mark[k]);
		pario_text_add(d->out, "</g>");
	}
}

void pario_glyphs_add(struct pario_drawing *d)
{
	switch (d->chart->kind) {
	case PARIO_CHART_LINE:
		add_lines(d);
		break;
	case PARIO_CHART_BAR:
		add_bars(d);
		break;
	case PARIO_CHART_HEAT:
		add_cells(d);
		break;
	case PARIO_CHART_BOX:
		add_each(d, add_box);
		break;
	case PARIO_CHART_SPAN:
		add_each(d, add_span);
		break;
	}
}
