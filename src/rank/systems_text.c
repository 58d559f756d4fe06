/*
 * systems_text: the table of systems and measurements for a terminal, a few columns at a time, and as comma-separated
 * values, a line for each number.
 */
#include "rank/systems.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/units.h"
#include "report/text/quantity.h"

enum { NAME_LEAST = 20, WIDTH = 12, PIPE = 160 };

static const char *const per_text[] = { "", "per client node", "per client", "" };

/* A long name goes over two lines, broken where a word of it ends. */
static void add_heads(const struct pario_systems *s, size_t name, size_t from, size_t to,
		      struct pario_text *out)
{
	for (int line = 0; line < 2; line++) {
		pario_style_fit(out, "", name + 2, false);
		for (size_t c = from; c < to; c++) {
			const char *what = s->column[c].name;
			size_t length = strlen(what), first = length < WIDTH ? length : WIDTH - 1;
			char part[WIDTH + 1];

			while (length >= WIDTH && first > 2 && !strchr("-_ ", what[first - 1]))
				first--;
			snprintf(part, sizeof(part), "%.*s", line ? WIDTH - 1 : (int)first,
				 line ? what + first : what);
			pario_style_fit(out, part, WIDTH, true);
		}
		pario_text_add(out, "\n");
	}
	pario_style_fit(out, "", name + 2, false);
	for (size_t c = from; c < to; c++)
		pario_style_fit(out, s->column[c].like.unit, WIDTH, true);
	pario_text_add(out, "\n");
}

static void add_row(const struct pario_systems *s, size_t i, size_t name, size_t from, size_t to,
		    enum pario_rank_per per, const struct pario_style *style,
		    struct pario_text *out)
{
	bool marked = i == s->marked;

	pario_text_add(out, "%s%s ", marked ? pario_style_tone(style, PARIO_TONE_LOOK) : "",
		       marked ? "▶" : " ");
	pario_style_fit(out, s->archive->volume[i].label, name, false);
	for (size_t c = from; c < to; c++) {
		double value = pario_systems_value(s, i, c, per);
		const struct pario_rate *rate = pario_systems_cell(s, i, c);
		char number[PARIO_UNITS_CAPACITY] = "–", cell[PARIO_UNITS_CAPACITY + 4];

		if (isfinite(value))
			pario_units_number(number, value);
		snprintf(cell, sizeof(cell), "%s%s", number,
			 rate->group && rate->group->suspects ? "?" : "");
		pario_style_fit(out, cell, WIDTH, true);
	}
	pario_text_add(out, "%s\n", marked ? pario_style_tone(style, PARIO_TONE_PLAIN) : "");
}

/* A third of a terminal at most; nothing is cut elsewhere. */
static size_t name_width(const struct pario_systems *s, const struct pario_style *style)
{
	size_t width = NAME_LEAST, most = style->columns / 3;

	for (size_t i = 0; i < s->count; i++) {
		size_t letters = pario_style_letters(s->archive->volume[i].label);

		width = letters > width ? letters : width;
	}
	return style->columns && width > most ? (most > NAME_LEAST ? most : NAME_LEAST) : width;
}

void pario_systems_text(const struct pario_systems *s, enum pario_rank_per per,
			const struct pario_style *style, struct pario_text *out)
{
	size_t room = style->columns ? style->columns : PIPE, name = name_width(s, style);
	size_t step = room > name + 2 + 2 * WIDTH ? (room - name - 2) / WIDTH : 2;
	bool doubt = false;

	pario_text_add(out, "%zu systems, %zu measurement%s%s%s", s->count, s->column_count,
		       s->column_count == 1 ? "" : "s", *per_text[per] ? ", " : "", per_text[per]);
	if (s->left_out)
		pario_text_add(out, "; %zu that fewer of them have are left out", s->left_out);
	pario_text_add(out, "\n");
	for (size_t from = 0; from < s->column_count; from += step) {
		size_t to = from + step < s->column_count ? from + step : s->column_count;

		pario_text_add(out, "\n");
		add_heads(s, name, from, to, out);
		for (size_t i = 0; i < s->count; i++)
			add_row(s, i, name, from, to, per, style, out);
	}
	for (size_t i = 0; i < s->count * s->column_count; i++)
		doubt |= s->cell[i].group && s->cell[i].group->suspects;
	if (doubt)
		pario_text_add(out, "\n? the number is suspect: the run's own report says why\n");
}

static void csv_line(const struct pario_systems *s, size_t i, size_t c, struct pario_csv *csv)
{
	const struct pario_rate *rate = pario_systems_cell(s, i, c);
	const struct pario_volume *v = &s->archive->volume[i];

	if (!rate->group)
		return;
	pario_csv_text(csv, v->label);
	pario_csv_text(csv, v->time ? v->time : "");
	pario_csv_text(csv, s->column[c].name);
	pario_csv_real(csv, rate->value);
	pario_csv_text(csv, rate->unit);
	pario_csv_real(csv, rate->nodes);
	pario_csv_real(csv, rate->clients);
	pario_csv_count(csv, rate->group->suspects > 0);
	pario_csv_end(csv);
}

void pario_systems_csv(const struct pario_systems *s, struct pario_text *out)
{
	static const char *const head[] = { "system", "time",  "measurement", "value",
					    "unit",   "nodes", "clients",     "suspect" };
	struct pario_csv csv = { .out = out };

	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		pario_csv_text(&csv, head[i]);
	pario_csv_end(&csv);
	for (size_t i = 0; i < s->count; i++) {
		for (size_t c = 0; c < s->column_count; c++)
			csv_line(s, i, c, &csv);
	}
}
