/*
 * rank_page: the section of a report that says where the numbers of its run stand among public systems: a row for each,
 * with the distribution of the others as bars and the run's own place in it.
 */
#include <math.h>
#include <stdio.h>

#include "base/units.h"
#include "rank/rank.h"
#include "report/page/markup.h"
#include "report/page/page.h"
#include "report/text/quantity.h"

enum { BAR = 14, TALL = 26 };

/* Nine tenths of the others from left to right on a log axis; what lies beyond stands at the edge. */
static void add_bars(const struct pario_standing *s, struct pario_text *out)
{
	double most = 0, at = s->highest > s->lowest
				      ? log(s->value / s->lowest) / log(s->highest / s->lowest)
				      : 0.5;

	for (int i = 0; i < PARIO_RANK_BARS; i++)
		most = fmax(most, s->bars[i]);
	pario_text_add(
		out,
		"<svg class=\"place\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" aria-hidden=\"true\">",
		BAR * PARIO_RANK_BARS + 12, TALL + 8, BAR * PARIO_RANK_BARS + 12, TALL + 8);
	for (int i = 0; i < PARIO_RANK_BARS && most > 0; i++) {
		double height = 1 + (TALL - 1) * s->bars[i] / most;

		pario_text_add(out, "<rect x=\"%d\" y=\"", 6 + BAR * i);
		pario_markup_place(out, TALL - height);
		pario_text_add(out, "\" width=\"%d\" height=\"", BAR - 1);
		pario_markup_place(out, height);
		pario_text_add(out, "\"/>");
	}
	pario_text_add(out, "<path d=\"M");
	pario_markup_place(out, 6 + BAR * PARIO_RANK_BARS * fmin(fmax(at, 0), 1));
	pario_text_add(out, " %dv-%dm-5 %dh10l-5 -7z\"/></svg>", TALL, TALL, TALL + 7);
}

static void add_row(const struct pario_standing *s, bool least, struct pario_text *out)
{
	char number[PARIO_QUANTITY_CAPACITY];

	pario_text_add(out, "<tr%s><th scope=\"row\">", s->suspect ? " class=\"suspect\"" : "");
	pario_markup_text(out, s->name);
	pario_text_add(out, "</th><td class=\"n\" data-v=\"");
	pario_markup_number(out, s->value);
	pario_text_add(out, "\"><b>%s</b>%s%s</td><td>",
		       pario_quantity_text(number, s->value, s->unit), pario_standing_per(s),
		       s->suspect ? " <b class=\"doubt\">?</b>" : "");
	add_bars(s, out);
	pario_text_add(out,
		       "</td><td class=\"n\" data-v=\"%.0f\">%.0f %% of %zu</td><td>%s</td></tr>\n",
		       100 * s->better, 100 * s->better, s->others,
		       least ? "<span class=\"next\">weakest</span>" : "");
}

int pario_ranking_section(struct pario_archive *archive, struct pario_text *out,
			  struct pario_err *err)
{
	struct pario_ranking r = { 0 };
	struct pario_text about = { 0 };

	if (archive->volume_count != 1)
		return 0;
	if (pario_rank_world(archive, PARIO_RANK_AUTO, "", &r, err) < 0)
		return -1;
	if (r.count) {
		pario_ranking_about(&r, &about);
		pario_text_add(out, "<section><h2 id=\"standing\">Where it stands</h2>"
				    "<p class=\"hint\">");
		pario_markup_text(out, pario_text_string(&about));
		pario_text_add(
			out,
			" The bars hold nine tenths of them, on a log axis; the mark is this run. "
			"<code>pario rank</code> narrows them down or takes others.</p>"
			"<div class=\"wide\" tabindex=\"0\"><table class=\"sortable\"><thead><tr>"
			"<th scope=\"col\">measurement</th><th scope=\"col\">here</th>"
			"<th scope=\"col\">among the others</th>"
			"<th scope=\"col\">better than</th><th scope=\"col\">look</th></tr>"
			"</thead><tbody>\n");
		for (size_t i = 0; i < r.count; i++)
			add_row(&r.standing[i], &r.standing[i] == pario_ranking_weakest(&r), out);
		pario_text_add(out, "</tbody></table></div></section>\n");
	}
	pario_text_release(&about);
	pario_ranking_release(&r);
	return 0;
}
