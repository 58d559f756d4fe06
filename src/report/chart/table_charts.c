/*
 * table_charts: finds the results that carry tables, names what sets each apart, and writes the frame around them.
 */
#include "report/chart/table_charts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/page/markup.h"
#include "report/page/page.h"

const struct pario_reading *pario_table_chart_next(const struct pario_section *s,
						   const struct pario_reading *last)
{
	const struct pario_archive *a = s->groups->archive;

	for (size_t i = last ? (size_t)(last - a->reading) + 1 : 0; i < a->reading_count; i++) {
		if (a->reading[i].of->test == s->test && a->reading[i].more->carried->line)
			return &a->reading[i];
	}
	return NULL;
}

void pario_table_chart_name(const struct pario_section *s, const struct pario_reading *r,
			    struct pario_text *out)
{
	bool runs = false, clients = false, points = false, repetitions = false;
	size_t before = out->length;

	for (const struct pario_reading *o = pario_table_chart_next(s, NULL); o;
	     o = pario_table_chart_next(s, o)) {
		runs |= o->of->volume != r->of->volume;
		clients |= o->of->clients != r->of->clients;
		points |= o->of->point != r->of->point;
		repetitions |= o->repetition != r->repetition;
	}
	if (runs)
		pario_text_add(out, "%s", s->groups->archive->volume[r->of->volume].label);
	if (clients)
		pario_text_add(out, "%s%llu clients", out->length > before ? ", " : "",
			       (unsigned long long)r->of->clients);
	if (points && *r->of->point)
		pario_text_add(out, "%s%s", out->length > before ? ", " : "", r->of->point);
	if (repetitions)
		pario_text_add(out, "%srepetition %llu", out->length > before ? ", " : "",
			       (unsigned long long)r->repetition + 1);
}

void pario_table_chart_chart(struct pario_chart *chart, enum pario_chart_kind kind,
			     const struct pario_section *s, const struct pario_reading *r,
			     const char *title, const char *text)
{
	struct pario_text full = { 0 }, name = { 0 };

	pario_table_chart_name(s, r, &name);
	pario_text_add(&full, "%s%s%s", title, name.length ? ": " : "", pario_text_string(&name));
	pario_chart_init(chart, kind, pario_text_string(&full));
	pario_chart_text(chart, text);
	pario_text_release(&full);
	pario_text_release(&name);
}

void pario_table_chart_doubt(struct pario_chart *chart, struct pario_mark *mark,
			     const struct pario_reading *r)
{
	if (r->outcome == PARIO_SUSPECT)
		mark->flags |= PARIO_MARK_SUSPECT;
	else if (r->outcome == PARIO_FAIL)
		mark->flags |= PARIO_MARK_FAILED;
	if (mark->flags && *r->reason)
		pario_chart_note(chart, mark, r->reason);
}

int pario_table_chart_history(const struct pario_section *s, size_t volume,
			      struct pario_history *history)
{
	size_t capacity = 1;

	memset(history, 0, sizeof(*history));
	for (const struct pario_reading *r = pario_table_chart_next(s, NULL); r;
	     r = pario_table_chart_next(s, r))
		capacity++;
	history->results = calloc(capacity, sizeof(*history->results));
	if (!history->results) {
		s->canvas->out->failed = true;
		return -1;
	}
	history->result_capacity = capacity;
	for (const struct pario_reading *r = pario_table_chart_next(s, NULL); r;
	     r = pario_table_chart_next(s, r)) {
		if (r->of->volume == volume)
			history->results[history->result_count++] =
				json_incref(r->more->carried->line);
	}
	return 0;
}

/* ---- several pictures ---- */

void pario_table_chart_turn(struct pario_section *s, size_t *drawn, size_t shown)
{
	if (++*drawn == shown + 1)
		pario_text_add(s->canvas->out, "<details class=\"more\"><summary>More of these "
					       "pictures</summary>\n");
}

void pario_table_chart_done(struct pario_section *s, size_t drawn, size_t shown)
{
	if (drawn > shown)
		pario_text_add(s->canvas->out, "</details>\n");
}

/* ---- tables ---- */

void pario_table_chart_table(struct pario_section *s, const char *title, const char *text,
			     const char *const *heads)
{
	struct pario_text *out = s->canvas->out;

	pario_text_add(out, "<figure class=\"broad\"><figcaption><h3>");
	pario_markup_text(out, title);
	pario_text_add(out, "</h3><p>");
	pario_markup_text(out, text);
	pario_text_add(
		out,
		"</p></figcaption><div class=\"wide\" tabindex=\"0\"><table class=\"sortable\">"
		"<thead><tr><th scope=\"col\">result</th>");
	for (; *heads; heads++) {
		pario_text_add(out, "<th scope=\"col\">");
		pario_markup_text(out, *heads);
		pario_text_add(out, "</th>");
	}
	pario_text_add(out, "<th scope=\"col\">remark</th></tr></thead><tbody>\n");
}

void pario_table_chart_row(struct pario_section *s, const struct pario_reading *r, const char *name)
{
	pario_text_add(s->canvas->out, "<tr%s>",
		       r->outcome == PARIO_SUSPECT ? " class=\"suspect\""
		       : r->outcome == PARIO_FAIL  ? " class=\"failed\""
						   : "");
	pario_page_cell(s->canvas->out, NULL, *name ? name : s->test);
}

static void cell(struct pario_section *s, double value, const char *text)
{
	pario_text_add(s->canvas->out, "<td class=\"n\"");
	if (isfinite(value)) {
		pario_text_add(s->canvas->out, " data-v=\"");
		pario_markup_number(s->canvas->out, value);
		pario_text_add(s->canvas->out, "\"");
	}
	pario_text_add(s->canvas->out, ">%s</td>", isfinite(value) ? text : "–");
}

void pario_table_chart_cell(struct pario_section *s, double value)
{
	char text[PARIO_UNITS_CAPACITY];

	cell(s, value, isfinite(value) ? pario_units_number(text, value) : "");
}

void pario_table_chart_bytes(struct pario_section *s, double value)
{
	char text[PARIO_UNITS_CAPACITY];

	cell(s, value, value >= 0 && value < 9e18 ? pario_units_size(text, (uint64_t)value) : "");
}

void pario_table_chart_row_end(struct pario_section *s, const struct pario_reading *r,
			       const char *remark)
{
	struct pario_text full = { 0 };

	pario_text_add(&full, "%s", remark ? remark : "");
	if (r->outcome == PARIO_SUSPECT || r->outcome == PARIO_FAIL)
		pario_text_add(&full, "%s%s%s%s", full.length ? "; " : "",
			       r->outcome == PARIO_SUSPECT ? "suspect" : "failed",
			       *r->reason ? ": " : "", r->reason);
	pario_page_cell(s->canvas->out, NULL, pario_text_string(&full));
	pario_text_add(s->canvas->out, "</tr>\n");
	pario_text_release(&full);
}

void pario_table_chart_table_end(struct pario_section *s)
{
	pario_text_add(s->canvas->out, "</tbody></table></div></figure>\n");
}
