/*
 * svg: the frame of a chart. glyphs.c draws what is in it.
 */
#include "report/chart/svg.h"

#include <math.h>
#include <string.h>

#include "report/page/markup.h"

/* Sizes in the units of the viewBox; the page scales the picture to its column. */
enum {
	WIDTH = 560,
	BROAD = 1120, /* pictures that take the whole width of the page */
	HEIGHT = 320,
	TOP = 14,
	BOTTOM = 46,
	RIGHT = 18,
	LETTER = 7, /* about a letter of the tick labels */
	ROW = 30,
	BAR_ROW = 18,
	LANE = 12,	  /* of a row */
	GUTTER_MAX = 220, /* labels at the left; twice that where the picture is broad */
	TITLES_MAX = 400,
};

void pario_svg_class(struct pario_text *out, size_t index)
{
	pario_text_add(out, "s%zu d%zu", index % PARIO_PALETTE_COLOURS,
		       index / PARIO_PALETTE_COLOURS % 4);
}

double pario_drawing_h(const struct pario_drawing *d, double value)
{
	return d->left + d->width * pario_scale_place(&d->h, value);
}

double pario_drawing_v(const struct pario_drawing *d, double value)
{
	double place = pario_scale_place(&d->v, value);

	return d->top + d->height * (d->rows ? place : 1 - place);
}

/* ---- which values the axes must show ---- */

static void take_mark(struct pario_drawing *d, const struct pario_mark *m)
{
	switch (d->chart->kind) {
	case PARIO_CHART_BAR:
		pario_scale_take(&d->h, m->y);
		pario_scale_take(&d->h, m->high);
		pario_scale_take(&d->h, m->low);
		break;
	case PARIO_CHART_BOX:
		pario_scale_take(&d->h, m->x);
		for (size_t i = 0; i < PARIO_CHART_QUANTILES; i++)
			pario_scale_take(&d->h, m->q[i]);
		break;
	case PARIO_CHART_SPAN:
		pario_scale_take(&d->h, m->x);
		pario_scale_take(&d->h, m->x_end);
		pario_scale_take(&d->v, m->y);
		pario_scale_take(&d->v, m->y_end);
		break;
	default:
		pario_scale_take(&d->h, m->x);
		pario_scale_take(&d->v, m->y);
		pario_scale_take(&d->v, m->low);
		pario_scale_take(&d->v, m->high);
	}
}

static size_t count_marks(const struct pario_chart *chart)
{
	size_t count = 0;

	for (size_t i = 0; i < chart->series_count; i++)
		count += chart->series[i].count;
	return count;
}

static void set_scales(struct pario_drawing *d)
{
	const struct pario_chart *c = d->chart;
	bool bars = c->kind == PARIO_CHART_BAR;

	pario_scale_init(&d->h, bars ? &c->y : &c->x);
	pario_scale_init(&d->v, bars ? &c->x : &c->y);
	d->h.prefers_own = c->kind == PARIO_CHART_LINE;
	for (size_t i = 0; i < c->series_count; i++) {
		size_t own = d->h.own_count;

		for (size_t k = 0; k < c->series[i].count; k++)
			take_mark(d, &c->series[i].mark[k]);
		/* A guide's points are no data: they get no ticks. */
		if (c->series[i].flags & PARIO_SERIES_GUIDE)
			d->h.own_count = own;
	}
	pario_scale_settle(&d->h);
	pario_scale_settle(&d->v);
	d->rows = d->v.axis->scale == PARIO_SCALE_CATEGORY ||
		  (c->kind == PARIO_CHART_SPAN && !d->v.axis->zero);
}

static size_t letters(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

/* Rows whose names would be cut where they begin to differ need the room. */
static bool has_long_rows(const struct pario_chart *chart)
{
	char buf[PARIO_UNITS_CAPACITY];

	for (size_t i = 0; i < chart->y.tick_count; i++) {
		if (letters(pario_scale_label(&chart->y, (double)i, buf)) * LETTER > GUTTER_MAX)
			return true;
	}
	return false;
}

bool pario_svg_broad(const struct pario_chart *chart)
{
	return chart->kind == PARIO_CHART_BOX || chart->lanes ||
	       (chart->kind == PARIO_CHART_HEAT &&
		(chart->x.tick_count > 10 || has_long_rows(chart)));
}

static double gutter(const struct pario_drawing *d)
{
	double ticks[PARIO_SCALE_TICKS];
	size_t count = pario_scale_ticks(&d->v, 5, ticks), longest = 3;
	char buf[PARIO_UNITS_CAPACITY];

	for (size_t i = 0; i < count; i++) {
		size_t length = letters(pario_scale_label(d->v.axis, ticks[i], buf));

		longest = length > longest ? length : longest;
	}
	return fmin(
		(double)(longest * LETTER + (d->v.axis->scale == PARIO_SCALE_CATEGORY ? 14 : 32)),
		pario_svg_broad(d->chart) ? 2 * GUTTER_MAX : GUTTER_MAX);
}

static void set_area(struct pario_drawing *d)
{
	size_t rows = d->v.axis->tick_count ? d->v.axis->tick_count : 1;
	double height = HEIGHT - TOP - BOTTOM;

	d->full_width = pario_svg_broad(d->chart) ? BROAD : WIDTH;
	if (d->v.axis->scale == PARIO_SCALE_CATEGORY) {
		size_t bars = d->chart->series_count ? d->chart->series_count : 1;

		height = (double)(rows * (d->chart->kind == PARIO_CHART_BAR ? bars * BAR_ROW + 8
					  : d->chart->lanes ? d->chart->lanes * LANE + 10
							    : ROW));
	}
	d->left = gutter(d);
	d->top = TOP;
	d->width = d->full_width - RIGHT - d->left;
	/* Bars carry their value at the end. */
	if (d->chart->kind == PARIO_CHART_BAR)
		d->width -= 9 * LETTER;
	d->height = height;
	d->full_height = TOP + height + BOTTOM;
}

/* ---- axes ---- */

static void add_line(struct pario_drawing *d, const char *class, double x1, double y1, double x2,
		     double y2)
{
	const double v[] = { x1, y1, x2, y2 };
	static const char *const names[] = { "x1", "y1", "x2", "y2" };

	pario_text_add(d->out, "<line class=\"%s\"", class);
	for (int i = 0; i < 4; i++) {
		pario_text_add(d->out, " %s=\"", names[i]);
		pario_markup_place(d->out, v[i]);
		pario_text_add(d->out, "\"");
	}
	pario_text_add(d->out, "/>");
}

static void add_label(struct pario_drawing *d, const char *class, double x, double y,
		      const char *text)
{
	pario_text_add(d->out, "<text class=\"%s\" x=\"", class);
	pario_markup_place(d->out, x);
	pario_text_add(d->out, "\" y=\"");
	pario_markup_place(d->out, y);
	pario_text_add(d->out, "\">");
	pario_markup_text(d->out, text);
	pario_text_add(d->out, "</text>");
}

/* Labels that would run into each other are left out; their grid lines stay. */
static void add_h_axis(struct pario_drawing *d)
{
	double ticks[PARIO_SCALE_TICKS], free_from = -INFINITY;
	size_t count = pario_scale_ticks(&d->h, 7, ticks);
	double bottom = d->top + d->height;
	char buf[PARIO_UNITS_CAPACITY];

	for (size_t i = 0; i < count; i++) {
		double x = pario_drawing_h(d, ticks[i]), half;
		const char *label = pario_scale_label(d->h.axis, ticks[i], buf);

		half = (double)letters(label) * LETTER / 2;
		if (d->h.axis->scale != PARIO_SCALE_CATEGORY)
			add_line(d, "grid", x, d->top, x, bottom);
		if (x - half < free_from)
			continue;
		add_label(d, "tick mid", x, bottom + 16, label);
		free_from = x + half + LETTER;
	}
}

static void add_v_axis(struct pario_drawing *d)
{
	double ticks[PARIO_SCALE_TICKS];
	size_t count = pario_scale_ticks(&d->v, 5, ticks);
	size_t most = (size_t)((d->left - 10) / LETTER);
	char buf[PARIO_UNITS_CAPACITY], cut[GUTTER_MAX * 8];

	for (size_t i = 0; i < count; i++) {
		double y = pario_drawing_v(d, ticks[i]);
		const char *label = pario_scale_label(d->v.axis, ticks[i], buf);

		if (d->v.axis->scale != PARIO_SCALE_CATEGORY)
			add_line(d, "grid", d->left, y, d->left + d->width, y);
		if (letters(label) > most) {
			size_t n = 0, shown = 0;

			/* Stops in front of the first byte of a letter. */
			while (n < sizeof(cut) - 8 && label[n] &&
			       (shown + 1 < most || ((unsigned char)label[n] & 0xc0) == 0x80))
				shown += ((unsigned char)label[n++] & 0xc0) != 0x80;
			memcpy(cut, label, n);
			memcpy(cut + n, "…", sizeof("…"));
			label = cut;
		}
		add_label(d, "tick end", d->left - 6, y + 4, label);
	}
}

static void axis_title(struct pario_text *out, const struct pario_chart_axis *axis)
{
	pario_text_add(out, "%s", axis->title ? axis->title : "");
	if (axis->unit)
		pario_text_add(out, ", %s", axis->unit);
	if (axis->scale == PARIO_SCALE_LOG)
		pario_text_add(out, " (logarithmic)");
}

static void add_axis_titles(struct pario_drawing *d)
{
	struct pario_text text = { 0 };

	axis_title(&text, d->h.axis);
	if (text.length)
		add_label(d, "title mid", d->left + d->width / 2, d->full_height - 8,
			  pario_text_string(&text));
	pario_text_clear(&text);
	axis_title(&text, d->v.axis);
	if (text.length && d->v.axis->scale != PARIO_SCALE_CATEGORY) {
		pario_text_add(d->out, "<text class=\"title mid\" transform=\"translate(12 ");
		pario_markup_place(d->out, d->top + d->height / 2);
		pario_text_add(d->out, ") rotate(-90)\">");
		pario_markup_text(d->out, pario_text_string(&text));
		pario_text_add(d->out, "</text>");
	}
	pario_text_release(&text);
}

void pario_svg_add(struct pario_canvas *canvas, const struct pario_chart *chart, bool empty)
{
	struct pario_drawing d = { .out = canvas->out,
				   .chart = chart,
				   .palette = &canvas->palette,
				   .titles = count_marks(chart) <= TITLES_MAX };

	set_scales(&d);
	set_area(&d);
	pario_text_add(d.out,
		       "<svg class=\"plot\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
		       "aria-labelledby=\"t%u x%u\">",
		       d.full_width, d.full_height, canvas->figures, canvas->figures);
	if (!empty) {
		pario_text_add(d.out, "<g class=\"axes\" aria-hidden=\"true\">");
		add_h_axis(&d);
		add_v_axis(&d);
		add_axis_titles(&d);
		pario_text_add(d.out, "</g>");
		pario_glyphs_add(&d);
	}
	pario_text_add(d.out, "</svg>\n");
}
