/*
 * systems_page: many systems on one page: all of them on one axis, the table behind it, and a picture for each
 * measurement. Whole systems, and for one node and client where these are known, are views of the same page that the
 * style switches; the script highlights another system.
 *
 * The axis is the number over the median of all systems, on a log scale: a point far to the right is far above the
 * middle of those that are on the page, and of no others.
 */
#include "rank/systems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/page/markup.h"
#include "report/page/page.h"

enum { SHADES = 5, VIEWS = 3 };

/* Of the picture of all systems, and of a small one. */
enum {
	FULL = 1100,
	LEFT_LEAST = 120,
	LEFT_MOST = 360,
	LETTER = 7,
	RIGHT = 840,
	ROW = 30,
	HEAD = 26
};
enum { WIDTH = 320, HEIGHT = 150, SIDE = 52, TOP = 8, FOOT = 12 };

static const struct view {
	enum pario_rank_per per;
	const char *id, *name;
} views[VIEWS] = { { PARIO_RANK_WHOLE, "whole", "whole systems" },
		   { PARIO_RANK_NODE, "node", "per client node" },
		   { PARIO_RANK_CLIENT, "client", "per client" } };

struct writer {
	const struct pario_systems *s;
	struct pario_text *out;
	const struct view *view;
	int left;	/* of the picture of all systems, right of the names */
	double *sorted; /* of the column that is written */
	size_t known;
};

static void begin_column(struct writer *w, size_t c)
{
	w->known = pario_systems_sorted(w->s, c, w->view->per, w->sorted);
}

static double value_of(const struct writer *w, size_t i, size_t c)
{
	return pario_systems_value(w->s, i, c, w->view->per);
}

static size_t below(const struct writer *w, double value)
{
	size_t n = 0;

	while (n < w->known && w->sorted[n] < value)
		n++;
	return n;
}

/* "4.2 GiB/s" */
static void add_value(struct writer *w, size_t c, double value)
{
	char buf[PARIO_UNITS_CAPACITY];

	pario_text_add(w->out, "%s ", pario_units_number(buf, value));
	pario_markup_text(w->out, w->s->column[c].like.unit);
}

/* What the highlighted system has there; the script says the same of another one. */
static void add_standing(struct writer *w, size_t c)
{
	double value = value_of(w, w->s->marked, c);

	if (!isfinite(value)) {
		pario_text_add(w->out, "not measured");
		return;
	}
	add_value(w, c, value);
	if (w->known > 1)
		pario_text_add(w->out, ", above %zu of %zu", below(w, value), w->known - 1);
}

/* ---- the table ---- */

static void add_cell(struct writer *w, size_t i, size_t c)
{
	const struct pario_rate *rate = pario_systems_cell(w->s, i, c);
	double value = value_of(w, i, c);
	char buf[PARIO_UNITS_CAPACITY];
	size_t shade;

	if (!isfinite(value)) {
		pario_text_add(w->out, "<td class=\"n\">–</td>");
		return;
	}
	shade = w->known > 1 ? below(w, value) * SHADES / w->known : SHADES - 1;
	if (rate->group->suspects)
		pario_text_add(w->out, "<td class=\"n suspect\" data-v=\"");
	else
		pario_text_add(w->out, "<td class=\"n h%zu\" data-v=\"", shade);
	pario_markup_number(w->out, value);
	pario_text_add(w->out, "\">%s%s</td>", pario_units_number(buf, value),
		       rate->group->suspects ? "?" : "");
}

static void add_size(struct writer *w, size_t i, enum pario_rank_per per)
{
	double size = pario_systems_size(w->s, i, per);

	if (isfinite(size))
		pario_text_add(w->out, "<td class=\"n\" data-v=\"%.0f\">%.0f</td>", size, size);
	else
		pario_text_add(w->out, "<td class=\"n\">–</td>");
}

static void add_heads(struct writer *w)
{
	pario_text_add(w->out, "<tr><th scope=\"col\">system</th><th scope=\"col\">date</th>"
			       "<th scope=\"col\">nodes</th><th scope=\"col\">clients</th>");
	for (size_t c = 0; c < w->s->column_count; c++) {
		pario_text_add(w->out, "<th scope=\"col\">");
		pario_markup_text(w->out, w->s->column[c].name);
		pario_text_add(w->out, ", ");
		pario_markup_text(w->out, w->s->column[c].like.unit);
		pario_text_add(w->out, "</th>");
	}
	pario_text_add(w->out, "</tr>");
}

static void add_date(struct pario_text *out, const char *time)
{
	char date[11];

	snprintf(date, sizeof(date), "%s", time ? time : "");
	pario_page_cell(out, "date", date);
}

/* Cells are made column by column, since their shades come from the whole column. */
static int add_rows(struct writer *w)
{
	struct pario_text *row = calloc(w->s->count + 1, sizeof(*row)), *out = w->out;

	if (!row)
		return -1;
	for (size_t c = 0; c < w->s->column_count; c++) {
		begin_column(w, c);
		for (size_t i = 0; i < w->s->count; i++) {
			w->out = &row[i];
			add_cell(w, i, c);
		}
	}
	w->out = out;
	for (size_t i = 0; i < w->s->count; i++) {
		const struct pario_volume *v = &w->s->archive->volume[i];

		pario_text_add(out, "<tr data-s=\"%zu\"%s><th scope=\"row\">", i,
			       i == w->s->marked ? " class=\"marked\"" : "");
		pario_markup_text(out, v->label);
		pario_text_add(out, "</th>");
		add_date(out, v->time);
		add_size(w, i, PARIO_RANK_NODE);
		add_size(w, i, PARIO_RANK_CLIENT);
		pario_text_add(out, "%s</tr>\n", pario_text_string(&row[i]));
		out->failed |= row[i].failed;
		pario_text_release(&row[i]);
	}
	free(row);
	return 0;
}

static int add_table(struct writer *w)
{
	pario_text_add(
		w->out,
		"<section><h2>Every number</h2><p class=\"hint\">A press on a head sorts, on "
		"a row highlights its system. The darker a cell, the better it is among those "
		"of its column, in fifths; ? marks what is suspect.</p><div class=\"wide tall\" tabindex=\"0\">"
		"<table class=\"sortable systems\"><thead>");
	add_heads(w);
	pario_text_add(w->out, "</thead><tbody>\n");
	if (add_rows(w) < 0)
		return -1;
	pario_text_add(w->out, "</tbody></table></div></section>\n");
	return 0;
}

/* ---- pictures ---- */

static void add_dot(struct writer *w, size_t i, size_t c, double x, double y)
{
	const struct pario_group *g = pario_systems_cell(w->s, i, c)->group;
	bool marked = i == w->s->marked;

	pario_text_add(w->out, "<circle data-s=\"%zu\"", i);
	if (marked || g->suspects)
		pario_text_add(w->out, " class=\"%s%s%s\"", g->suspects ? "suspect" : "",
			       marked && g->suspects ? " " : "", marked ? "marked" : "");
	pario_text_add(w->out, " cx=\"");
	pario_markup_place(w->out, x);
	pario_text_add(w->out, "\" cy=\"");
	pario_markup_place(w->out, y);
	pario_text_add(w->out, "\" r=\"3\"/>");
}

/* Where the dots of a column go: a log axis between two values, and the rest by rank or at one height. */
struct place {
	double low, high; /* logarithms of the ends of the axis */
	double centre;	  /* of the row, where values lie along it */
	bool ranked;	  /* values go upwards, systems from the best to the last */
};

static double along(const struct place *p, double value)
{
	double share = p->high > p->low ? (log10(value) - p->low) / (p->high - p->low) : 0.5;

	return fmin(fmax(share, 0), 1);
}

/* Beside each other where many have nearly the same. */
static double apart(size_t i)
{
	return ((double)(i * 5 % 9) - 4) * 1.4;
}

/* The one that is highlighted comes last and lies on top. */
static void add_dots(struct writer *w, size_t c, const struct place *p)
{
	double step = (WIDTH - SIDE - 8.0) / fmax(1, (double)w->known - 1);

	pario_text_add(w->out, "<g class=\"dots\" data-c=\"%zu\">", c);
	for (size_t k = 1; k <= w->s->count; k++) {
		size_t i = (w->s->marked + k) % w->s->count;
		double value = value_of(w, i, c);

		if (!isfinite(value))
			continue;
		if (p->ranked)
			add_dot(w, i, c, SIDE + 4 + step * (double)(w->known - 1 - below(w, value)),
				TOP + (HEIGHT - TOP - FOOT) * (1 - along(p, value)));
		else
			add_dot(w, i, c, w->left + (RIGHT - w->left) * along(p, value),
				p->centre + apart(i));
	}
	pario_text_add(w->out, "</g>\n");
}

static void add_line(struct writer *w, const char *class, double x1, double y1, double x2,
		     double y2)
{
	const double at[] = { x1, y1, x2, y2 };
	static const char *const names[] = { "x1", "y1", "x2", "y2" };

	pario_text_add(w->out, "<line class=\"%s\"", class);
	for (size_t i = 0; i < 4; i++) {
		pario_text_add(w->out, " %s=\"", names[i]);
		pario_markup_place(w->out, at[i]);
		pario_text_add(w->out, "\"");
	}
	pario_text_add(w->out, "/>");
}

static void add_label(struct writer *w, const char *class, double x, double y, const char *text)
{
	pario_text_add(w->out, "<text class=\"%s\" x=\"", class);
	pario_markup_place(w->out, x);
	pario_text_add(w->out, "\" y=\"");
	pario_markup_place(w->out, y);
	pario_text_add(w->out, "\">");
	pario_markup_text(w->out, text);
	pario_text_add(w->out, "</text>");
}

/* Half of the systems are above it. */
static double median_of(const struct writer *w)
{
	return w->known ? sqrt(w->sorted[(w->known - 1) / 2] * w->sorted[w->known / 2])
			: (double)NAN;
}

/* How far apart systems are, in powers of ten from the median: the same for all rows, and three at most. */
static void span_of(struct writer *w, int *low, int *high)
{
	*low = *high = 0;
	for (size_t c = 0; c < w->s->column_count; c++) {
		begin_column(w, c);
		if (!w->known)
			continue;
		*low = (int)fmin(*low, floor(log10(w->sorted[0] / median_of(w))));
		*high = (int)fmax(*high, ceil(log10(w->sorted[w->known - 1] / median_of(w))));
	}
	*low = *low < -3 ? -3 : *low;
	*high = *high > 3 ? 3 : *high > *low ? *high : *low + 1;
}

static void add_axis(struct writer *w, int low, int high, double bottom)
{
	static const char *const names[] = { "1/1000 of it", "1/100 of it", "1/10 of it", "median",
					     "10 times",     "100 times",   "1000 times" };

	for (int e = low; e <= high; e++) {
		double x = w->left + (double)(RIGHT - w->left) * (e - low) / (high - low);

		add_line(w, e ? "grid" : "grid middle", x, HEAD - 6, x, bottom);
		add_label(w, "mid", x, HEAD - 12, names[e + 3]);
	}
}

static void add_strip(struct writer *w, size_t c, int low, int high, double y)
{
	const double middle = median_of(w);
	const struct place p = { log10(middle) + low, log10(middle) + high, y, false };

	add_label(w, "title end", w->left - 14, y + 4, w->s->column[c].name);
	if (w->known > 3)
		add_line(w, "half",
			 w->left + (RIGHT - w->left) * along(&p, w->sorted[w->known / 4]), y,
			 w->left + (RIGHT - w->left) * along(&p, w->sorted[w->known * 3 / 4]), y);
	add_dots(w, c, &p);
	pario_text_add(w->out, "<text class=\"standing\" data-c=\"%zu\" x=\"%d\" y=\"%.0f\">", c,
		       RIGHT + 14, y + 4);
	add_standing(w, c);
	pario_text_add(w->out, "</text>\n");
}

static void open_picture(struct writer *w, int width, double height, const char *about)
{
	pario_text_add(w->out, "<svg class=\"plot\" viewBox=\"0 0 %d %.0f\" role=\"img\"", width,
		       height);
	pario_markup_attribute(w->out, "aria-label", about);
	pario_text_add(w->out, ">\n");
}

/* Names stand at the left of the rows. */
static int left_of(const struct pario_systems *s)
{
	size_t most = 0;

	for (size_t c = 0; c < s->column_count; c++) {
		size_t letters = pario_style_letters(s->column[c].name);

		most = letters > most ? letters : most;
	}
	most = 24 + LETTER * most;
	return most < LEFT_LEAST ? LEFT_LEAST : most > LEFT_MOST ? LEFT_MOST : (int)most;
}

static void add_strips(struct writer *w)
{
	double bottom = HEAD + (double)ROW * (double)w->s->column_count;
	int low, high;

	w->left = left_of(w->s);
	span_of(w, &low, &high);
	pario_text_add(
		w->out,
		"<section><h2>All systems on one axis, %s</h2><p class=\"hint\">A dot is a "
		"system, its place the number over the median of all systems here, on a log "
		"scale; what is farther off is drawn at the edge. The bar holds the middle half. "
		"At the right: <b class=\"who\">",
		w->view->name);
	pario_markup_text(w->out, w->s->archive->volume[w->s->marked].label);
	pario_text_add(w->out, "</b>, the highlighted one.</p><figure class=\"broad\">");
	open_picture(w, FULL, bottom + 6, "every system's numbers over the median of all systems");
	add_axis(w, low, high, bottom);
	for (size_t c = 0; c < w->s->column_count; c++) {
		begin_column(w, c);
		if (w->known)
			add_strip(w, c, low, high, HEAD + ROW * ((double)c + 0.5));
	}
	pario_text_add(w->out, "</svg></figure></section>\n");
}

static void add_small_axis(struct writer *w, const struct place *p)
{
	char buf[PARIO_UNITS_CAPACITY];

	for (int e = (int)ceil(p->low); e <= (int)floor(p->high); e++) {
		double y = TOP + (HEIGHT - TOP - FOOT) * (1 - along(p, pow(10, e)));

		add_line(w, "grid", SIDE, y, WIDTH, y);
		add_label(w, "end", SIDE - 6, y + 4, pario_units_count(buf, pow(10, e)));
	}
}

static void add_small(struct writer *w, size_t c)
{
	struct place p = { .ranked = true };

	begin_column(w, c);
	if (!w->known)
		return;
	p.low = floor(log10(w->sorted[0]));
	p.high = fmax(p.low + 1, ceil(log10(w->sorted[w->known - 1])));
	pario_text_add(w->out, "<figure><figcaption><h3>");
	pario_markup_text(w->out, w->s->column[c].name);
	pario_text_add(w->out, "</h3><p class=\"standing\" data-c=\"%zu\">", c);
	add_standing(w, c);
	pario_text_add(w->out, "</p></figcaption>");
	open_picture(w, WIDTH, HEIGHT, w->s->column[c].name);
	add_small_axis(w, &p);
	add_dots(w, c, &p);
	pario_text_add(w->out, "</svg></figure>\n");
}

static void add_smalls(struct writer *w)
{
	pario_text_add(w->out,
		       "<section><h2>Measurement by measurement</h2><p class=\"hint\">Systems from "
		       "the best on the left to the last, %s, on log scales of their own.</p>"
		       "<div class=\"small\">\n",
		       w->view->name);
	for (size_t c = 0; c < w->s->column_count; c++)
		add_small(w, c);
	pario_text_add(w->out, "</div></section>\n");
}

/* ---- the page ---- */

/* Is anything but scores known in this view? */
static bool is_known(const struct pario_systems *s, enum pario_rank_per per)
{
	for (size_t i = 0; i < s->count * s->column_count; i++) {
		if (s->cell[i].group && strcmp(s->cell[i].unit, "score") != 0 &&
		    isfinite(pario_rate_per(&s->cell[i], per)))
			return true;
	}
	return false;
}

static const char *not_known(enum pario_rank_per per)
{
	return per == PARIO_RANK_NODE ? "None of the systems tells on how many nodes it was "
					"measured."
				      : "None of the systems tells with how many clients it was "
					"measured.";
}

static void add_choice(const struct pario_systems *s, enum pario_rank_per first,
		       struct pario_text *out)
{
	for (int i = 0; i < VIEWS; i++)
		pario_text_add(out,
			       "<input type=\"radio\" name=\"per\" id=\"per-%s\"%s%s>"
			       "<label for=\"per-%s\">%s</label>\n",
			       views[i].id, views[i].per == first ? " checked" : "",
			       is_known(s, views[i].per) ? "" : " disabled", views[i].id,
			       views[i].name);
}

static int add_view(struct writer *w)
{
	int status = 0;

	pario_text_add(w->out, "<div class=\"view %s\">\n", w->view->id);
	add_strips(w);
	status = add_table(w);
	if (status == 0)
		add_smalls(w);
	pario_text_add(w->out, "</div>\n");
	return status;
}

static void add_header(const struct pario_systems *s, struct pario_text *out)
{
	char title[80];

	snprintf(title, sizeof(title), "%zu systems side by side", s->count);
	pario_page_open(out, title);
	pario_text_add(out,
		       "<header><h1>%s</h1><p class=\"machine\">%zu measurement%s that "
		       "several of them have",
		       title, s->column_count, s->column_count == 1 ? "" : "s");
	if (s->left_out)
		pario_text_add(out, "; %zu more are left out: fewer systems have them",
			       s->left_out);
	pario_text_add(out, "</p></header>\n<main class=\"many\">\n");
}

int pario_systems_page(const struct pario_systems *s, enum pario_rank_per per, const char *program,
		       struct pario_text *out, struct pario_err *err)
{
	struct writer w = { .s = s, .out = out };
	int status = 0;

	if (per == PARIO_RANK_AUTO)
		per = PARIO_RANK_WHOLE;
	if (!is_known(s, per))
		return pario_err_set(err, PARIO_USAGE, "%s", not_known(per));
	w.sorted = calloc(s->count + 1, sizeof(*w.sorted));
	status = w.sorted ? 0 : -1;
	add_header(s, out);
	add_choice(s, per, out);
	for (int i = 0; i < VIEWS && status == 0; i++) {
		w.view = &views[i];
		if (is_known(s, views[i].per))
			status = add_view(&w);
	}
	pario_text_add(out, "</main>\n");
	pario_page_close(out, program);
	free(w.sorted);
	return status < 0 || out->failed ? pario_err_memory(err, "the page") : 0;
}
