/*
 * figure: picture, table and data are written from the same marks, so they cannot differ.
 */
#include "report/chart/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/chart/svg.h"
#include "report/page/markup.h"

size_t pario_palette_index(struct pario_palette *palette, const char *name)
{
	char **more;

	for (size_t i = 0; i < palette->count; i++) {
		if (strcmp(palette->name[i], name) == 0)
			return i;
	}
	more = realloc(palette->name, (palette->count + 1) * sizeof(*more));
	if (!more)
		return 0;
	palette->name = more;
	more[palette->count] = strdup(name);
	return more[palette->count] ? palette->count++ : 0;
}

size_t pario_palette_series(struct pario_palette *palette, const struct pario_chart *chart,
			    const struct pario_series *series)
{
	if (series->like)
		series = &chart->series[series->like - 1];
	else if ((series->flags & PARIO_SERIES_GUIDE) || chart->kind == PARIO_CHART_HEAT)
		return 0;
	return pario_palette_index(palette, series->name ? series->name : "");
}

void pario_palette_release(struct pario_palette *palette)
{
	for (size_t i = 0; i < palette->count; i++)
		free(palette->name[i]);
	free(palette->name);
	*palette = (struct pario_palette){ 0 };
}

/* ---- the text alternative ---- */

static const char *const kind_words[] = {
	[PARIO_CHART_LINE] = "Line chart", [PARIO_CHART_BAR] = "Bar chart",
	[PARIO_CHART_HEAT] = "Heat map",   [PARIO_CHART_BOX] = "Distributions",
	[PARIO_CHART_SPAN] = "Areas",
};

static double value_of(const struct pario_chart *chart, const struct pario_mark *m)
{
	return chart->kind == PARIO_CHART_HEAT ? m->z : m->y;
}

static void say_extreme(struct pario_text *out, const struct pario_chart *c, const char *word,
			double sign)
{
	const struct pario_mark *best = NULL;
	const struct pario_series *of = NULL;
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];
	bool heat = c->kind == PARIO_CHART_HEAT;

	for (size_t i = 0; i < c->series_count; i++) {
		for (size_t k = 0; k < c->series[i].count; k++) {
			const struct pario_mark *m = &c->series[i].mark[k];

			if (isfinite(value_of(c, m)) &&
			    !(c->series[i].flags & PARIO_SERIES_GUIDE) &&
			    (!best || sign * value_of(c, m) > sign * value_of(c, best))) {
				best = m;
				of = &c->series[i];
			}
		}
	}
	if (!best)
		return;
	pario_text_add(out, " %s: ", word);
	pario_markup_text(out, heat ? pario_units_number(a, best->z)
				    : pario_scale_label(&c->y, best->y, a));
	pario_text_add(out, " ");
	pario_markup_text(out, heat ? (c->z_unit ? c->z_unit : "") : (c->y.unit ? c->y.unit : ""));
	pario_text_add(out, " at ");
	pario_markup_text(out, pario_scale_label(&c->x, best->x, b));
	pario_text_add(out, ", ");
	pario_markup_text(out, heat ? pario_scale_label(&c->y, best->y, a) : of->name);
	pario_text_add(out, ".");
}

static void say_all(struct pario_text *out, const struct pario_chart *c)
{
	size_t suspect = pario_chart_flagged(c, PARIO_MARK_SUSPECT);
	size_t failed = pario_chart_flagged(c, PARIO_MARK_FAILED);

	pario_text_add(out, "%s", kind_words[c->kind]);
	/* Titles and units may be names of parameters and metrics, which journals bring. */
	if (c->y.title && c->y.title[0]) {
		pario_text_add(out, ": ");
		pario_markup_text(out, c->y.title);
	}
	if (c->x.title && c->x.title[0]) {
		pario_text_add(out, " over ");
		pario_markup_text(out, c->x.title);
	}
	pario_text_add(out, ", %zu series.", c->series_count);
	if (c->kind != PARIO_CHART_BOX && c->kind != PARIO_CHART_SPAN) {
		say_extreme(out, c, "Highest", 1);
		say_extreme(out, c, "Lowest", -1);
	}
	if (suspect)
		pario_text_add(out, " Suspect: %zu.", suspect);
	if (failed)
		pario_text_add(out, " Failed: %zu.", failed);
	pario_text_add(out, " The table below has the numbers.");
}

/* ---- legend ---- */

static void add_key(struct pario_canvas *canvas, const struct pario_chart *c,
		    const struct pario_series *s)
{
	size_t index = pario_palette_series(&canvas->palette, c, s);
	bool guide = s->flags & PARIO_SERIES_GUIDE;

	pario_text_add(canvas->out, "<li><svg class=\"key %s", guide ? "guide" : "series ");
	if (!guide)
		pario_svg_class(canvas->out, index);
	pario_text_add(
		canvas->out,
		"\" viewBox=\"0 0 26 12\" aria-hidden=\"true\"><path class=\"line\" d=\"M0 6H26\"/>");
	if (!guide)
		pario_text_add(canvas->out, "<use class=\"dot\" href=\"#k%zu\" x=\"13\" y=\"6\"/>",
			       index % 4);
	pario_text_add(canvas->out, "</svg>");
	pario_markup_text(canvas->out, s->name ? s->name : "");
	pario_text_add(canvas->out, "</li>");
}

static void add_ramp(struct pario_canvas *canvas, const struct pario_chart *c)
{
	char a[PARIO_UNITS_CAPACITY];
	double low, high;

	pario_glyphs_heat_range(c, &low, &high);
	if (!(high >= low))
		return;
	pario_text_add(canvas->out, "<p class=\"ramp\">%s ", pario_units_count(a, low));
	pario_text_add(canvas->out, "<svg viewBox=\"0 0 108 12\" aria-hidden=\"true\">");
	for (int i = 0; i < 9; i++)
		pario_text_add(
			canvas->out,
			"<g class=\"cell h%d\"><rect x=\"%d\" y=\"0\" width=\"12\" height=\"12\"/></g>",
			i, i * 12);
	pario_text_add(canvas->out, "</svg> %s", pario_units_count(a, high));
	pario_text_add(canvas->out, " ");
	pario_markup_text(canvas->out, c->z_unit ? c->z_unit : "");
	pario_text_add(canvas->out, "%s</p>", c->z_log ? " (logarithmic)" : "");
}

static void add_legend(struct pario_canvas *canvas, const struct pario_chart *c)
{
	if (c->kind == PARIO_CHART_HEAT) {
		add_ramp(canvas, c);
	} else if (c->series_count > 1 || (c->series_count && c->kind != PARIO_CHART_BAR)) {
		pario_text_add(canvas->out, "<ul class=\"legend\">");
		for (size_t i = 0; i < c->series_count; i++) {
			if (!c->series[i].like)
				add_key(canvas, c, &c->series[i]);
		}
		pario_text_add(canvas->out, "</ul>");
	}
	if (pario_chart_flagged(c, PARIO_MARK_SUSPECT))
		pario_text_add(
			canvas->out,
			"<p class=\"doubts\"><b>?</b> suspect: see the table for the reason</p>");
}

/* ---- table ---- */

static void add_head(struct pario_text *out, const char *title, const char *unit)
{
	pario_text_add(out, "<th scope=\"col\">");
	pario_markup_text(out, title && *title ? title : "value");
	if (unit && *unit) {
		pario_text_add(out, ", ");
		pario_markup_text(out, unit);
	}
	pario_text_add(out, "</th>");
}

static void add_heads(struct pario_text *out, const struct pario_chart *c)
{
	pario_text_add(out, "<tr>");
	if (c->kind != PARIO_CHART_HEAT)
		add_head(out, "series", NULL);
	switch (c->kind) {
	case PARIO_CHART_BOX:
		add_head(out, c->y.title, NULL);
		for (size_t i = 0; c->quantiles && c->quantiles[i]; i++)
			add_head(out, c->quantiles[i], c->x.unit);
		break;
	case PARIO_CHART_SPAN:
		add_head(out, c->y.title, c->y.unit);
		add_head(out, "from", c->x.unit);
		add_head(out, "to", c->x.unit);
		break;
	case PARIO_CHART_HEAT:
		add_head(out, c->y.title, NULL);
		add_head(out, c->x.title, NULL);
		add_head(out, c->z_title, c->z_unit);
		break;
	default:
		add_head(out, c->x.title, c->x.unit);
		add_head(out, c->y.title, c->y.unit);
		add_head(out, "low", c->y.unit);
		add_head(out, "high", c->y.unit);
		add_head(out, "samples", NULL);
	}
	add_head(out, "remark", NULL);
	pario_text_add(out, "</tr>");
}

/* A value that is not shown as a bare number carries it for sorting and for CSV. */
static void add_value(struct pario_text *out, const struct pario_chart_axis *axis, double value)
{
	char buf[PARIO_UNITS_CAPACITY];

	if (!isfinite(value)) {
		pario_text_add(out, "<td class=\"n\">–</td>");
		return;
	}
	pario_text_add(out, "<td class=\"n\"");
	if (axis->scale != PARIO_SCALE_CATEGORY) {
		pario_text_add(out, " data-v=\"");
		pario_markup_number(out, value);
		pario_text_add(out, "\"");
	}
	pario_text_add(out, ">");
	pario_markup_text(out, pario_scale_label(axis, value, buf));
	pario_text_add(out, "</td>");
}

static void add_cells(struct pario_text *out, const struct pario_chart *c,
		      const struct pario_mark *m)
{
	static const struct pario_chart_axis plain = { 0 };

	switch (c->kind) {
	case PARIO_CHART_BOX:
		add_value(out, &c->y, m->y);
		for (size_t i = 0; c->quantiles && c->quantiles[i]; i++)
			add_value(out, &c->x, m->q[i]);
		break;
	case PARIO_CHART_SPAN:
		add_value(out, &c->y, m->y);
		add_value(out, &c->x, m->x);
		add_value(out, &c->x, m->x_end);
		break;
	case PARIO_CHART_HEAT:
		add_value(out, &c->y, m->y);
		add_value(out, &c->x, m->x);
		add_value(out, &plain, m->z);
		break;
	default:
		add_value(out, &c->x, m->x);
		add_value(out, &c->y, m->y);
		add_value(out, &c->y, m->low);
		add_value(out, &c->y, m->high);
		add_value(out, &plain, m->samples ? (double)m->samples : NAN);
	}
}

static void add_row(struct pario_text *out, const struct pario_chart *c,
		    const struct pario_series *s, const struct pario_mark *m)
{
	const char *word = m->flags & PARIO_MARK_FAILED	   ? "failed"
			   : m->flags & PARIO_MARK_SUSPECT ? "suspect"
							   : "";

	pario_text_add(out, *word ? "<tr class=\"%s\">" : "<tr>", word);
	if (c->kind != PARIO_CHART_HEAT) {
		pario_text_add(out, "<td>");
		pario_markup_text(out, s->name ? s->name : "");
		pario_text_add(out, "</td>");
	}
	add_cells(out, c, m);
	pario_text_add(out, "<td>%s%s", word, *word && m->note ? ": " : "");
	if (m->note)
		pario_markup_text(out, m->note);
	pario_text_add(out, "</td></tr>\n");
}

static void add_table(struct pario_text *out, const struct pario_chart *c)
{
	pario_text_add(
		out,
		"<details><summary>The numbers</summary><div class=\"wide\" tabindex=\"0\"><table>"
		"<thead>");
	add_heads(out, c);
	pario_text_add(out, "</thead><tbody>\n");
	for (size_t i = 0; i < c->series_count; i++) {
		if (c->series[i].flags & PARIO_SERIES_GUIDE)
			continue;
		for (size_t k = 0; k < c->series[i].count; k++)
			add_row(out, c, &c->series[i], &c->series[i].mark[k]);
	}
	pario_text_add(out, "</tbody></table></div></details>\n");
}

/* ---- for who has no script: the same numbers, a line each, in few bytes ---- */

static void add_plain(struct pario_text *out, const struct pario_chart_axis *axis, double value)
{
	char buf[PARIO_UNITS_CAPACITY];

	pario_text_add(out, "<td>");
	if (isfinite(value))
		pario_markup_text(out, pario_scale_label(axis, value, buf));
	pario_text_add(out, "</td>");
}

/* The end of a range or an interval, and what is to be said against the mark. */
static void add_plain_rest(struct pario_text *out, const struct pario_chart *c,
			   const struct pario_mark *m, const struct pario_mark *above)
{
	const char *note = m->note;

	static const struct pario_chart_axis plain = { 0 };
	bool spread = c->kind != PARIO_CHART_SPAN && isfinite(m->low) && isfinite(m->high);

	if (c->kind == PARIO_CHART_BOX) {
		for (size_t i = 0; c->quantiles && c->quantiles[i]; i++)
			add_plain(out, &c->x, m->q[i]);
	} else {
		add_plain(out, c->kind == PARIO_CHART_HEAT ? &plain : &c->x,
			  c->kind == PARIO_CHART_SPAN	? m->x_end
			  : c->kind == PARIO_CHART_HEAT ? m->z
							: m->x);
	}
	if (spread) {
		add_plain(out, &c->y, m->low);
		add_plain(out, &c->y, m->high);
	}
	if (note && above && above->note && strcmp(above->note, note) == 0)
		note = "the same";
	if (m->flags || note) {
		pario_text_add(out, "<td>%s%s",
			       m->flags & PARIO_MARK_FAILED    ? "failed"
			       : m->flags & PARIO_MARK_SUSPECT ? "suspect"
							       : "",
			       m->flags && note ? ": " : "");
		pario_markup_text(out, note ? note : "");
		pario_text_add(out, "</td>");
	}
}

/* Many marks of which nothing but their place is known: a course over time, a distribution. */
static bool is_course(const struct pario_chart *c, const struct pario_series *s)
{
	enum { MANY = 12 };

	for (size_t i = 0; i < s->count; i++) {
		if (s->mark[i].flags || s->mark[i].note || isfinite(s->mark[i].low))
			return false;
	}
	return c->kind == PARIO_CHART_LINE && s->count > MANY;
}

/* One cell has them all. */
static void add_course(struct pario_text *out, const struct pario_chart *c,
		       const struct pario_series *s)
{
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];

	pario_text_add(out, "</th><td>");
	for (size_t i = 0; i < s->count; i++) {
		pario_text_add(out, "%s", i ? "; " : "");
		pario_markup_text(out, pario_scale_label(&c->x, s->mark[i].x, a));
		pario_text_add(out, ": ");
		pario_markup_text(out, pario_scale_label(&c->y, s->mark[i].y, b));
	}
	pario_text_add(out, "</td></tr>\n");
}

static void add_plain_table(struct pario_text *out, const struct pario_chart *c)
{
	pario_text_add(out, "<noscript><div class=\"wide\"><table><tbody>\n");
	for (size_t i = 0; i < c->series_count; i++) {
		const struct pario_series *s = &c->series[i];

		if ((s->flags & PARIO_SERIES_GUIDE) || !s->count)
			continue;
		pario_text_add(out, "<tr><th scope=\"row\">");
		pario_markup_text(out, s->name && *s->name ? s->name : "value");
		if (is_course(c, s)) {
			add_course(out, c, s);
			continue;
		}
		pario_text_add(out, "</th></tr>\n");
		for (size_t k = 0; k < s->count; k++) {
			const struct pario_mark *m = &s->mark[k];
			bool across = c->kind == PARIO_CHART_SPAN || c->kind == PARIO_CHART_HEAT;

			pario_text_add(out, "<tr>");
			add_plain(out, &c->y, m->y);
			if (across)
				add_plain(out, &c->x, m->x);
			add_plain_rest(out, c, m, k ? m - 1 : NULL);
			pario_text_add(out, "</tr>\n");
		}
	}
	pario_text_add(out, "</tbody></table></div></noscript>\n");
}

/* ---- data for the script ---- */

static void put_string(struct pario_json *j, const char *key, const char *text)
{
	struct pario_text clean = { 0 };

	if (!text)
		return;
	pario_markup_plain(&clean, text);
	pario_json_string(j, key, pario_text_string(&clean));
	pario_text_release(&clean);
}

static void put_axis(struct pario_json *j, const char *key, const struct pario_chart_axis *axis)
{
	pario_json_open(j, key, '{');
	put_string(j, "title", axis->title);
	put_string(j, "unit", axis->unit);
	pario_json_u64(j, "scale", axis->scale);
	pario_json_u64(j, "format", axis->format);
	pario_json_bool(j, "zero", axis->zero);
	pario_json_open(j, "ticks", '[');
	for (size_t i = 0; i < axis->tick_count; i++) {
		pario_json_open(j, NULL, '[');
		pario_json_real(j, NULL, axis->tick[i].value);
		pario_json_real(j, NULL, axis->tick[i].place);
		if (axis->tick[i].label)
			put_string(j, NULL, axis->tick[i].label);
		else
			pario_json_null(j, NULL);
		pario_json_close(j, ']');
	}
	pario_json_close(j, ']');
	pario_json_close(j, '}');
}

/* Numbers as an array: x y low high z x_end y_end flags samples, then the quantiles; trailing nulls are left out. */
static void put_mark(struct pario_json *j, const struct pario_mark *m)
{
	double v[9 + PARIO_CHART_QUANTILES] = { m->x,	  m->y,	    m->low,
						m->high,  m->z,	    m->x_end,
						m->y_end, m->flags, (double)m->samples };
	size_t count = sizeof(v) / sizeof(v[0]);

	memcpy(v + 9, m->q, sizeof(m->q));
	while (count > 9 && !isfinite(v[count - 1]))
		count--;
	/* Without quantiles nothing has to stand in for what is not there. */
	while (count > 2 && count <= 9 &&
	       (!isfinite(v[count - 1]) || (count > 7 && v[count - 1] == 0)))
		count--;
	pario_text_add(&j->text, "%s[", j->comma ? "," : "");
	for (size_t i = 0; i < count; i++) {
		pario_text_add(&j->text, "%s", i ? "," : "");
		if (isfinite(v[i]))
			pario_markup_number(&j->text, v[i]);
		else
			pario_text_add(&j->text, "null");
	}
	pario_text_add(&j->text, "]");
	j->comma = true;
}

/* The first of the marks shortly before that has the same note; `at` itself where there is none. */
static size_t same_note(const struct pario_series *s, size_t at)
{
	enum { NEAR = 64 };
	size_t first = at;

	for (size_t i = at; i > 0 && at - i < NEAR; i--) {
		if (s->mark[i - 1].note && strcmp(s->mark[i - 1].note, s->mark[at].note) == 0)
			first = i - 1;
	}
	return first;
}

static void put_series(struct pario_json *j, struct pario_canvas *canvas,
		       const struct pario_chart *c, const struct pario_series *s)
{
	pario_json_open(j, NULL, '{');
	put_string(j, "name", s->name ? s->name : "");
	pario_json_u64(j, "c", pario_palette_series(&canvas->palette, c, s));
	pario_json_u64(j, "flags", s->flags);
	if (s->like)
		pario_json_u64(j, "like", s->like - 1);
	pario_json_open(j, "marks", '[');
	for (size_t i = 0; i < s->count; i++)
		put_mark(j, &s->mark[i]);
	pario_json_close(j, ']');
	pario_json_open(j, "notes", '{');
	for (size_t i = 0; i < s->count; i++) {
		char key[24];

		snprintf(key, sizeof(key), "%zu", i);
		if (s->mark[i].note && same_note(s, i) < i)
			pario_json_u64(j, key, same_note(s, i));
		else
			put_string(j, key, s->mark[i].note);
	}
	pario_json_close(j, '}');
	pario_json_close(j, '}');
}

static void add_data(struct pario_canvas *canvas, const struct pario_chart *c)
{
	struct pario_json j = { 0 };

	pario_json_open(&j, NULL, '{');
	pario_json_u64(&j, "kind", c->kind);
	put_string(&j, "title", c->title);
	put_axis(&j, "x", &c->x);
	put_axis(&j, "y", &c->y);
	put_string(&j, "zTitle", c->z_title);
	put_string(&j, "zUnit", c->z_unit);
	pario_json_bool(&j, "zLog", c->z_log);
	pario_json_u64(&j, "lanes", c->lanes);
	pario_json_open(&j, "zRange", '[');
	pario_json_real(&j, NULL, c->z_low);
	pario_json_real(&j, NULL, c->z_high);
	pario_json_close(&j, ']');
	pario_json_open(&j, "quantiles", '[');
	for (size_t i = 0; c->quantiles && c->quantiles[i]; i++)
		pario_json_string(&j, NULL, c->quantiles[i]);
	pario_json_close(&j, ']');
	pario_json_open(&j, "box", '[');
	pario_json_u64(&j, NULL, c->box_from);
	pario_json_u64(&j, NULL, c->box_to);
	pario_json_close(&j, ']');
	pario_json_open(&j, "series", '[');
	for (size_t i = 0; i < c->series_count; i++)
		put_series(&j, canvas, c, &c->series[i]);
	pario_json_close(&j, ']');
	pario_json_close(&j, '}');
	pario_text_add(canvas->out, "<script type=\"application/json\">");
	pario_text_bytes(canvas->out, pario_text_string(&j.text), j.text.length);
	pario_text_add(canvas->out, "</script>\n");
	canvas->out->failed |= j.text.failed;
	pario_json_release(&j);
}

static bool has_marks(const struct pario_chart *c)
{
	for (size_t i = 0; i < c->series_count; i++) {
		if (c->series[i].count)
			return true;
	}
	return false;
}

void pario_figure_add(struct pario_canvas *canvas, const struct pario_chart *chart)
{
	unsigned id = canvas->figures;
	struct pario_text *below = canvas->out;
	bool first = canvas->first && id == 0, late = canvas->late && !first;

	canvas->out->failed |= chart->failed;
	if (!has_marks(chart) || chart->failed)
		return;
	if (first)
		canvas->out = canvas->first;
	pario_text_add(canvas->out,
		       "<figure class=\"chart%s\" id=\"f%u\"><figcaption><h3 id=\"t%u\">",
		       pario_svg_broad(chart) ? " broad" : "", id, id);
	pario_markup_text(canvas->out, chart->title ? chart->title : "");
	pario_text_add(canvas->out, "</h3>");
	if (chart->text) {
		pario_text_add(canvas->out, "<p>");
		pario_markup_text(canvas->out, chart->text);
		pario_text_add(canvas->out, "</p>");
	}
	pario_text_add(canvas->out, "<p class=\"unseen\" id=\"x%u\">", id);
	say_all(canvas->out, chart);
	pario_text_add(canvas->out, "</p></figcaption>");
	add_legend(canvas, chart);
	pario_svg_add(canvas, chart, late);
	(late ? add_plain_table : add_table)(canvas->out, chart);
	add_data(canvas, chart);
	pario_text_add(canvas->out, "</figure>\n");
	canvas->out = below;
	canvas->figures++;
}
