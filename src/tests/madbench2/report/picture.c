/*
 * picture: where the time of MADbench2's functions went: computing, busy-work, reading, writing, as the mean
 * over the processes; whiskers reach from the fastest process to the slowest (docs/madbench2.md).
 */
#include "report/chart/table_charts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "journal/table.h"

/* How the journal's lines end, and what that means. */
static const struct {
	const char *ending, *name;
} kinds[] = {
	{ "_cc", "computing and communication" },
	{ "_bw", "busy-work" },
	{ "_r", "reading" },
	{ "_w", "writing" },
};

static void add_times(struct pario_chart *chart, const struct pario_reading *r,
		      const struct pario_result_table_view *v)
{
	struct pario_err err = { 0 };
	int line = pario_result_table_column(v, "line", &err),
	    mean = pario_result_table_column(v, "mean_s", &err);
	int least = pario_result_table_column(v, "min_s", &err),
	    most = pario_result_table_column(v, "max_s", &err);

	if (line < 0 || mean < 0 || least < 0 || most < 0)
		return;
	for (size_t i = 0; i < v->row_count; i++) {
		const char *name = pario_result_table_text(v, i, line),
			   *ending = strrchr(name, '_');

		for (size_t k = 0; ending && k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			struct pario_mark *m;

			if (strcmp(ending, kinds[k].ending) != 0)
				continue;
			m = pario_chart_mark(chart, pario_chart_series(chart, kinds[k].name),
					     pario_chart_category(chart, &chart->x, r->of->phase),
					     pario_result_table_number(v, i, mean));
			m->low = pario_result_table_number(v, i, least);
			m->high = pario_result_table_number(v, i, most);
			pario_table_chart_doubt(chart, m, r);
		}
	}
}

static bool same(const struct pario_reading *a, const struct pario_reading *b)
{
	return a->of->volume == b->of->volume && a->of->point == b->of->point &&
	       a->of->clients == b->of->clients && a->repetition == b->repetition;
}

/* All phases of one repetition, which begin with `first`. */
static void bars(struct pario_section *s, const struct pario_picture *p,
		 const struct pario_reading *first)
{
	struct pario_chart chart;

	pario_table_chart_chart(&chart, PARIO_CHART_BAR, s, first, p->title, p->text);
	chart.x = (struct pario_chart_axis){ .title = "function", .scale = PARIO_SCALE_CATEGORY };
	chart.y = (struct pario_chart_axis){ .title = "time",
					     .zero = true,
					     .format = PARIO_FORMAT_SECONDS };
	for (const struct pario_reading *r = first; r; r = pario_table_chart_next(s, r)) {
		struct pario_result_table_view v;
		struct pario_err err = { 0 };

		if (same(r, first) &&
		    pario_result_table_find(r->more->carried->line, "times", &v, &err) == 0)
			add_times(&chart, r, &v);
	}
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

void pario_picture_madbench2(struct pario_section *s, const struct pario_picture *p)
{
	const struct pario_reading *first = pario_table_chart_next(s, NULL);
	size_t drawn = 0;

	for (const struct pario_reading *r = first; r && drawn < PARIO_SMALL_MULTIPLES_MAX;
	     r = pario_table_chart_next(s, r)) {
		const struct pario_reading *before = first;

		while (!same(before, r))
			before = pario_table_chart_next(s, before);
		if (before != r)
			continue;
		pario_table_chart_turn(s, &drawn, PARIO_SMALL_MULTIPLES_SHOWN);
		bars(s, p, r);
	}
	pario_table_chart_done(s, drawn, PARIO_SMALL_MULTIPLES_SHOWN);
}
