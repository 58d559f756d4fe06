/*
 * compare_text: a comparison as a table for a terminal and as a page.
 */
#include "report/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/page/markup.h"
#include "report/page/page.h"
#include "report/text/quantity.h"

/*
 * Beside the name: two numbers, the ratio and the longest verdict. Where the terminal is too narrow for one line, name
 * and numbers go one below the other. In a pipe nothing is cut.
 */
enum { NUMBERS = 82, NAME_LEAST = 24, NAME_MOST = 512, INDENT = 3, PICTURE_MAX = 40 };

static enum pario_tone tone_of(enum pario_pair_verdict verdict)
{
	switch (verdict) {
	case PARIO_VERDICT_FASTER:
		return PARIO_TONE_STRONG;
	case PARIO_VERDICT_SLOWER:
	case PARIO_VERDICT_LOST:
		return PARIO_TONE_BAD;
	case PARIO_VERDICT_SAME:
		return PARIO_TONE_PLAIN;
	default:
		return PARIO_TONE_QUIET;
	}
}

static void number_of(const struct pario_pair *pair, size_t side, char text[64])
{
	const struct pario_group *g = side ? pair->b : pair->a;
	const struct pario_difference *d = &pair->difference;
	double value = side ? d->after : d->before;
	char buf[PARIO_QUANTITY_CAPACITY];

	/* a side whose other has no number was never compared */
	if (!isfinite(value))
		value = g->median;
	snprintf(text, 64, "%s", g->numbers ? pario_quantity_text(buf, value, g->unit) : "–");
}

/* Behind the point; of a large factor nobody reads the hundredths. */
static int digits(double ratio)
{
	return ratio < 10 ? 2 : ratio < 100 ? 1 : 0;
}

static void ratio_of(const struct pario_difference *d, char text[64])
{
	if (!isfinite(d->ratio))
		snprintf(text, 64, "–");
	else if (isfinite(d->low))
		snprintf(text, 64, "%.*f [%.*f, %.*f]", digits(d->ratio), d->ratio, digits(d->low),
			 d->low, digits(d->high), d->high);
	else
		snprintf(text, 64, "%.*f", digits(d->ratio), d->ratio);
}

static void add_line(const struct pario_pair *pair, const struct pario_style *style, size_t width,
		     struct pario_text *out)
{
	struct pario_text name = { 0 };
	char text[64];

	pario_pair_name(pair, &name);
	pario_text_add(out, " ");
	pario_style_fit(out, pario_text_string(&name), width, false);
	pario_text_add(out, "  ");
	number_of(pair, 0, text);
	pario_style_fit(out, text, 15, false);
	pario_text_add(out, " ");
	number_of(pair, 1, text);
	pario_style_fit(out, text, 15, false);
	pario_text_add(out, " ");
	ratio_of(&pair->difference, text);
	pario_style_fit(out, text, 19, false);
	pario_text_add(out, " %s%s%s%s%s\n", pario_style_tone(style, tone_of(pair->verdict)),
		       pario_verdict_words(pair->verdict), pair->regression ? " ◀" : "",
		       pair->suspect ? " (suspect)" : "",
		       pario_style_tone(style, PARIO_TONE_PLAIN));
	pario_text_release(&name);
}

/* Adds a piece to a line that is `at` letters long, or to a new one; returns the letters of that line. */
static size_t add_piece(struct pario_text *out, size_t at, const char *piece, size_t columns)
{
	size_t letters = 0;

	for (const char *c = piece; *c; c++)
		letters += ((unsigned char)*c & 0xc0) != 0x80;
	if (at > INDENT && at + 2 + letters >= columns) {
		pario_text_add(out, "\n%*s", INDENT, "");
		at = INDENT;
	} else if (at > INDENT) {
		pario_text_add(out, "  ");
		at += 2;
	}
	pario_text_add(out, "%s", piece);
	return at + letters;
}

static void add_block(const struct pario_pair *pair, const struct pario_style *style,
		      struct pario_text *out)
{
	struct pario_text name = { 0 }, verdict = { 0 };
	char a[64], b[64], both[160], ratio[64];
	size_t at = INDENT;

	pario_pair_name(pair, &name);
	number_of(pair, 0, a);
	number_of(pair, 1, b);
	snprintf(both, sizeof(both), "%s → %s", a, b);
	ratio_of(&pair->difference, ratio);
	pario_text_add(&verdict, "%s%s%s", pario_verdict_words(pair->verdict),
		       pair->regression ? " ◀" : "", pair->suspect ? " (suspect)" : "");
	pario_text_add(out, " ");
	pario_style_fit(out, pario_text_string(&name), style->columns - 2, false);
	pario_text_add(out, "\n%*s", INDENT, "");
	at = add_piece(out, at, both, style->columns);
	at = add_piece(out, at, ratio, style->columns);
	pario_text_add(out, "%s", pario_style_tone(style, tone_of(pair->verdict)));
	add_piece(out, at, pario_text_string(&verdict), style->columns);
	pario_text_add(out, "%s\n", pario_style_tone(style, PARIO_TONE_PLAIN));
	pario_text_release(&name);
	pario_text_release(&verdict);
}

/* What follows the table, wrapped at blanks. */
static void add_words(struct pario_text *out, const char *text, size_t columns)
{
	size_t at = 1;

	pario_text_add(out, "\n ");
	while (*text) {
		size_t length = strcspn(text, " ");

		if (at > 1 && columns && at + 1 + length >= columns) {
			pario_text_add(out, "\n ");
			at = 1;
		} else if (at > 1) {
			pario_text_add(out, " ");
			at++;
		}
		pario_text_bytes(out, text, length);
		at += length;
		text += length;
		text += *text == ' ';
	}
	pario_text_add(out, "\n");
}

static size_t longest_name(const struct pario_comparison *c)
{
	size_t longest = 5;

	for (size_t i = 0; i < c->count; i++) {
		struct pario_text name = { 0 };

		pario_pair_name(&c->pair[i], &name);
		longest = name.length > longest ? name.length : longest;
		pario_text_release(&name);
	}
	return longest;
}

static void add_lines(const struct pario_comparison *c, const struct pario_style *style,
		      struct pario_text *out)
{
	size_t most = style->columns ? style->columns - NUMBERS : NAME_MOST;
	size_t longest = longest_name(c), width = longest < most ? longest : most;

	pario_text_add(out, "%s ", pario_style_tone(style, PARIO_TONE_STRONG));
	pario_style_fit(out, "point", width, false);
	pario_text_add(out, "  ");
	for (size_t side = 0; side < 2; side++) {
		struct pario_text label = { 0 };

		pario_comparison_label(c, side, &label);
		pario_style_fit(out, pario_text_string(&label), 15, false);
		pario_text_add(out, " ");
		pario_text_release(&label);
	}
	pario_style_fit(out, "second/first", 20, false);
	pario_text_add(out, "verdict%s\n", pario_style_tone(style, PARIO_TONE_PLAIN));
	for (size_t i = 0; i < c->count; i++)
		add_line(&c->pair[i], style, width, out);
}

void pario_comparison_table(const struct pario_comparison *c, const struct pario_style *style,
			    struct pario_text *out)
{
	struct pario_text words = { 0 };

	if (style->columns && style->columns < NUMBERS + NAME_LEAST) {
		for (size_t i = 0; i < c->count; i++)
			add_block(&c->pair[i], style, out);
	} else {
		add_lines(c, style, out);
	}
	pario_comparison_say(c, &words);
	add_words(out, pario_text_string(&words), style->columns);
	pario_text_release(&words);
}

/* ---- page ---- */

static void add_picture(struct pario_canvas *canvas, const struct pario_comparison *c)
{
	static const char *const names[] = { "low", "ratio", "high", NULL };
	struct pario_chart chart;
	unsigned guide;

	pario_chart_init(&chart, PARIO_CHART_BOX, "Second run over first");
	pario_chart_text(
		&chart, "The ratio of the numbers with its 95 % interval. Intervals that contain 1 "
			"show no difference.");
	chart.x = (struct pario_chart_axis){ .title = "ratio", .scale = PARIO_SCALE_LOG };
	chart.y = (struct pario_chart_axis){ .title = "point", .scale = PARIO_SCALE_CATEGORY };
	chart.quantiles = names;
	chart.box_from = chart.box_to = 1;
	guide = pario_chart_series(&chart, "equal");
	chart.series[guide].flags |= PARIO_SERIES_GUIDE;
	pario_chart_mark(&chart, guide, 1, NAN);
	for (size_t i = 0; i < c->count && i < PICTURE_MAX; i++) {
		const struct pario_pair *p = &c->pair[i];
		struct pario_text name = { 0 };
		struct pario_mark *m;

		if (!isfinite(p->difference.ratio))
			continue;
		pario_pair_name(p, &name);
		m = pario_chart_mark(
			&chart, pario_chart_series(&chart, pario_verdict_words(p->verdict)), NAN,
			pario_chart_category(&chart, &chart.y, pario_text_string(&name)));
		m->q[0] = isfinite(p->difference.low) ? p->difference.low : p->difference.ratio;
		m->q[1] = p->difference.ratio;
		m->q[2] = isfinite(p->difference.high) ? p->difference.high : p->difference.ratio;
		m->flags = p->suspect ? PARIO_MARK_SUSPECT : 0;
		pario_text_release(&name);
	}
	pario_figure_add(canvas, &chart);
	pario_chart_release(&chart);
}

static void add_row(struct pario_text *out, const struct pario_pair *p)
{
	const char *class = p->verdict == PARIO_VERDICT_FASTER	 ? "faster"
			    : p->verdict == PARIO_VERDICT_SLOWER ? "slower"
								 : "";
	struct pario_text name = { 0 };
	char text[64];

	pario_pair_name(p, &name);
	pario_text_add(out, "<tr>");
	pario_page_cell(out, NULL, pario_text_string(&name));
	number_of(p, 0, text);
	pario_page_cell(out, "n", text);
	number_of(p, 1, text);
	pario_page_cell(out, "n", text);
	ratio_of(&p->difference, text);
	pario_page_cell(out, "n", text);
	snprintf(text, sizeof(text), "%.3f", p->difference.p);
	pario_page_cell(out, "n", isfinite(p->difference.ratio) ? text : "–");
	pario_text_add(out, "<td class=\"%s\">%s%s%s</td></tr>\n", class,
		       pario_verdict_words(p->verdict), p->regression ? ", a regression" : "",
		       p->suspect ? " (suspect)" : "");
	pario_text_release(&name);
}

int pario_comparison_page(const struct pario_comparison *c, const char *program,
			  struct pario_text *out, struct pario_err *err)
{
	struct pario_canvas canvas = { .out = out };
	struct pario_text title = { 0 }, label[2] = { { 0 }, { 0 } };
	struct pario_archive shown = *c->groups.archive;

	/* the earlier runs are not what is compared */
	shown.volume_count = c->sides.a + c->sides.b;
	pario_comparison_label(c, 0, &label[0]);
	pario_comparison_label(c, 1, &label[1]);
	pario_text_add(&title, "%s against %s", pario_text_string(&label[1]),
		       pario_text_string(&label[0]));
	pario_page_open(out, pario_text_string(&title));
	pario_text_add(out, "<header><h1>");
	pario_markup_text(out, pario_text_string(&title));
	pario_text_add(out, "</h1>");
	pario_machine_text_line(out, &shown);
	pario_text_add(out,
		       "</header>\n<main>\n<section><h2>Is it faster?</h2><p class=\"verdict\">");
	pario_comparison_say(c, out);
	pario_text_add(
		out,
		"</p><p class=\"hint\">A run is one observation. The interval of the ratio is "
		"Student&#8217;s, 95 %%, from how far runs scatter, and p belongs to it. A difference "
		"is reported where the interval excludes 1; where it does not and reaches beyond a "
		"fifth, nothing can be decided.</p><div class=\"wide\" tabindex=\"0\"><table><thead><tr>"
		"<th scope=\"col\">point</th><th scope=\"col\">");
	pario_markup_text(out, pario_text_string(&label[0]));
	pario_text_add(out, "</th><th scope=\"col\">");
	pario_markup_text(out, pario_text_string(&label[1]));
	pario_text_add(out, "</th><th scope=\"col\">second/first</th><th scope=\"col\">p</th>"
			    "<th scope=\"col\">verdict</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < c->count; i++)
		add_row(out, &c->pair[i]);
	pario_text_add(out, "</tbody></table></div><div class=\"charts\">\n");
	add_picture(&canvas, c);
	pario_text_add(out, "</div></section>\n");
	pario_machine_text_table(out, &shown);
	pario_text_add(out, "</main>\n");
	pario_page_close(out, program);
	pario_palette_release(&canvas.palette);
	pario_text_release(&title);
	pario_text_release(&label[0]);
	pario_text_release(&label[1]);
	return out->failed ? pario_err_memory(err, "the page") : 0;
}
