/*
 * text: a line for each number, then the changes, latest first.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history/show.h"
#include "report/text/quantity.h"
#include "report/text/spark.h"

enum { BARS = 16, NAME_MOST = 60, LINES_MOST = 200, CHANGES_MOST = 50 };

/* The trend of a line in a few bars, each the median of its part. */
static void add_course(const struct pario_line *l, struct pario_text *out)
{
	double bars[BARS];
	size_t count = l->count < BARS ? l->count : BARS;

	for (size_t i = 0; i < count; i++) {
		size_t from = i * l->count / count, to = (i + 1) * l->count / count;

		bars[i] = l->moment[from + (to - from) / 2].value;
	}
	pario_spark_add(out, bars, count);
}

static void add_line(const struct pario_line *l, const struct pario_style *style, size_t width,
		     struct pario_text *out)
{
	const struct pario_moment *last = &l->moment[l->count - 1];
	char value[PARIO_QUANTITY_CAPACITY], interval[PARIO_QUANTITY_CAPACITY];
	struct pario_text name = { 0 };

	pario_line_name(l, &name);
	pario_text_add(out, " ");
	pario_style_fit(out, pario_text_string(&name), width, false);
	pario_text_add(out, " %5zu  ", l->count);
	pario_style_fit(out, pario_quantity_text(value, last->value, l->unit), 14, false);
	pario_text_add(out, "  ");
	pario_style_fit(out,
			isfinite(last->low) && last->repetitions > 1
				? pario_quantity_interval(interval, last->value, last->low,
							  last->high, l->unit)
				: "",
			20, false);
	pario_text_add(out, "  ");
	add_course(l, out);
	if (l->changes)
		pario_text_add(out, "  %s%zu change%s%s", pario_style_tone(style, PARIO_TONE_LOOK),
			       l->changes, l->changes == 1 ? "" : "s",
			       pario_style_tone(style, PARIO_TONE_PLAIN));
	if (last->suspect)
		pario_text_add(out, "  suspect");
	pario_text_add(out, "\n");
	pario_text_release(&name);
}

static void add_change(const struct pario_chronicle *c, const struct pario_change *change,
		       const struct pario_style *style, struct pario_text *out)
{
	const struct pario_line *l = &c->line[change->line];
	struct pario_text text = { 0 };
	char date[PARIO_DATE];

	pario_text_add(&text, "  %s  %s", pario_date(date, l->moment[change->at].time_s),
		       pario_style_tone(style, change->worse ? PARIO_TONE_BAD : PARIO_TONE_STRONG));
	pario_line_name(l, &text);
	pario_text_add(&text, "%s\n", pario_style_tone(style, PARIO_TONE_PLAIN));
	pario_style_wrap(style, pario_text_string(&text), 14, out);
	pario_text_clear(&text);
	pario_text_add(&text, "              ");
	pario_change_words(c, change, &text);
	pario_text_add(&text, "\n");
	for (const char *with = change->with; with && *with; with += strcspn(with, "\n") + 1)
		pario_text_add(&text, "              with it, %.*s\n", (int)strcspn(with, "\n"),
			       with);
	if (!change->with)
		pario_text_add(&text, "              nothing that pario records changed with it\n");
	pario_style_wrap(style, pario_text_string(&text), 14, out);
	pario_text_release(&text);
}

static size_t longest(const struct pario_chronicle *c)
{
	size_t most = 4;

	for (size_t i = 0; i < c->lines && i < LINES_MOST; i++) {
		struct pario_text name = { 0 };

		pario_line_name(&c->line[i], &name);
		if (pario_style_letters(pario_text_string(&name)) > most)
			most = pario_style_letters(pario_text_string(&name));
		pario_text_release(&name);
	}
	return most < NAME_MOST ? most : NAME_MOST;
}

static void add_lines(const struct pario_chronicle *c, const struct pario_style *style,
		      struct pario_text *out)
{
	size_t width = longest(c);

	if (style->columns > 80 && width + 66 > style->columns)
		width = style->columns - 66;
	pario_text_add(out, "%s ", pario_style_tone(style, PARIO_TONE_STRONG));
	pario_style_fit(out, "what", width, false);
	pario_text_add(out, "  runs  last number     interval              over time%s\n",
		       pario_style_tone(style, PARIO_TONE_PLAIN));
	for (size_t i = 0; i < c->lines && i < LINES_MOST; i++)
		add_line(&c->line[i], style, width, out);
	if (c->lines > LINES_MOST)
		pario_text_add(out, " … and %zu more; --out or --csv has all.\n",
			       c->lines - LINES_MOST);
}

void pario_chronicle_text(const struct pario_chronicle *c, const struct pario_style *style,
			  struct pario_text *out)
{
	struct pario_text words = { 0 };

	if (c->lines)
		add_lines(c, style, out);
	if (c->changes)
		pario_text_add(out, "\n%s Changes%s\n", pario_style_tone(style, PARIO_TONE_STRONG),
			       pario_style_tone(style, PARIO_TONE_PLAIN));
	for (size_t i = 0; i < c->changes && i < CHANGES_MOST; i++)
		add_change(c, &c->change[i], style, out);
	if (c->changes > CHANGES_MOST)
		pario_text_add(out, "  … and %zu earlier ones; --out has all.\n",
			       c->changes - CHANGES_MOST);
	pario_text_add(&words, "%s ", c->lines ? "\n" : "");
	pario_chronicle_words(c, &words);
	pario_text_add(&words, "\n");
	pario_style_wrap(style, pario_text_string(&words), 1, out);
	pario_text_release(&words);
}
