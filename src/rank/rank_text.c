/*
 * rank_text: a standing as a line: the number, the distribution with a mark below it, and the share.
 *
 *	 ior-easy-write   4.2 GiB/s per node   ▁▂▅█▆▃▂▁   better than 50 % of 240
 *	                                          ▲
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rank/rank.h"
#include "rank/world.h"
#include "base/csv.h"
#include "report/text/quantity.h"
#include "report/text/spark.h"

enum { FEW = 8 }; /* systems that make no distribution */

static const char *const per_word[] = { "", "node", "client", "whole" };

const char *pario_standing_per(const struct pario_standing *s)
{
	static const char *const text[] = { "", " per node", " per client", "" };

	return text[s->per];
}

void pario_ranking_about(const struct pario_ranking *r, struct pario_text *out)
{
	if (r->world)
		pario_text_add(
			out,
			"Compared with %u public IO500 runs of %s%s%s: large systems, tuned by "
			"their owners for these phases.",
			pario_world_systems, pario_world_years, *r->kind ? ", those on " : "",
			r->kind);
	else
		pario_text_add(out,
			       "Compared with the same measurements in the runs that were named.");
	if (r->without)
		pario_text_add(out, " %zu number%s no counterpart there.", r->without,
			       r->without == 1 ? " has" : "s have");
}

/* Which of the bars the value is in. */
static int bar_of(const struct pario_standing *s)
{
	double step = log(s->highest / s->lowest) / PARIO_RANK_BARS;
	int bar = step > 0 ? (int)(log(s->value / s->lowest) / step) : 0;

	return bar < 0 ? 0 : bar < PARIO_RANK_BARS ? bar : PARIO_RANK_BARS - 1;
}

static size_t longest(const struct pario_ranking *r)
{
	size_t most = 0;

	for (size_t i = 0; i < r->count; i++)
		most = strlen(r->standing[i].name) > most ? strlen(r->standing[i].name) : most;
	return most < 40 ? most : 40;
}

const struct pario_standing *pario_ranking_weakest(const struct pario_ranking *r)
{
	const struct pario_standing *least = NULL;

	for (size_t i = 0; i < r->count; i++) {
		if (!least || r->standing[i].better < least->better)
			least = &r->standing[i];
	}
	return r->count > 1 ? least : NULL;
}

static void add_line(const struct pario_standing *s, int width, bool least,
		     const struct pario_style *style, struct pario_text *out)
{
	char number[PARIO_QUANTITY_CAPACITY], value[PARIO_QUANTITY_CAPACITY + 16];

	snprintf(value, sizeof(value), "%s%s", pario_quantity_text(number, s->value, s->unit),
		 pario_standing_per(s));
	pario_text_add(out, " %-*.*s  %24s   ", width, width, s->name, value);
	if (s->others >= FEW)
		pario_spark_add(out, s->bars, PARIO_RANK_BARS);
	pario_text_add(out, "   better than %.0f %% of %zu%s", 100 * s->better, s->others,
		       s->suspect ? "  (suspect)" : "");
	if (least)
		pario_text_add(out, "  %s◀ weakest%s", pario_style_tone(style, PARIO_TONE_LOOK),
			       pario_style_tone(style, PARIO_TONE_PLAIN));
	pario_text_add(out, "\n");
	if (s->others >= FEW)
		pario_text_add(out, "%*s▲\n", width + 30 + bar_of(s), "");
}

void pario_ranking_text(const struct pario_ranking *r, const struct pario_style *style,
			struct pario_text *out)
{
	struct pario_text about = { 0 };
	int width = (int)longest(r);

	pario_ranking_about(r, &about);
	pario_style_wrap(style, pario_text_string(&about), 0, out);
	pario_text_release(&about);
	for (size_t i = 0; i < r->count; i++)
		add_line(&r->standing[i], width, &r->standing[i] == pario_ranking_weakest(r), style,
			 out);
}

void pario_ranking_csv(const struct pario_ranking *r, struct pario_text *out)
{
	static const char *const head[] = { "name",	    "value",	     "unit",
					    "per",	    "better_than",   "others",
					    "quartile_low", "quartile_high", "lowest",
					    "highest",	    "suspect" };
	struct pario_csv csv = { .out = out };

	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		pario_csv_text(&csv, head[i]);
	pario_csv_end(&csv);
	for (size_t i = 0; i < r->count; i++) {
		const struct pario_standing *s = &r->standing[i];

		pario_csv_text(&csv, s->name);
		pario_csv_real(&csv, s->value);
		pario_csv_text(&csv, s->unit);
		pario_csv_text(&csv, per_word[s->per]);
		pario_csv_real(&csv, s->better);
		pario_csv_count(&csv, s->others);
		pario_csv_real(&csv, s->low);
		pario_csv_real(&csv, s->high);
		pario_csv_real(&csv, s->lowest);
		pario_csv_real(&csv, s->highest);
		pario_csv_count(&csv, s->suspect);
		pario_csv_end(&csv);
	}
}
