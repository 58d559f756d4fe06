/*
 * picture: how b_eff came about: bandwidth per process over message length on the paper's axis of two scales, and
 * the columns of its Table 1.
 *
 * The axis has 12 equal steps from 1 byte to 4 KiB and 8 from there to Lmax: as far apart as lengths stand, so much
 * they count in a pattern's average. Heights are linear, since b_eff averages bandwidths over the lengths. A length's
 * b_eff is that of this length alone; their mean is not b_eff, which is averaged over the patterns last. Everything is
 * worked out again from the tables.
 */
#include "report/chart/table_charts.h"

#include <math.h>
#include <stdio.h>

#include "tests/beff/report/run.h"

enum { LABEL_EACH = 4, LAST = PARIO_BEFF_LENGTHS - 1, CAPACITY = 32 };

/* Labels at the ends need a little space. */
#define EDGE 0.02

/* Between 4 KiB and Lmax lengths are not round. */
static void label_of(char label[CAPACITY], uint64_t length)
{
	bool large = length >= 1 << 20;

	if (length < 1024)
		snprintf(label, CAPACITY, "%llu B", (unsigned long long)length);
	else
		snprintf(label, CAPACITY, "%.3g %s", (double)length / (large ? 1 << 20 : 1 << 10),
			 large ? "MiB" : "KiB");
}

static void lay_axis(struct pario_chart *chart, const uint64_t lengths[PARIO_BEFF_LENGTHS])
{
	uint64_t last = 0;

	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++) {
		char label[CAPACITY];

		if (lengths[i] <= last) /* Lmax of 4 KiB has no second scale */
			continue;
		last = lengths[i];
		label_of(label, lengths[i]);
		pario_chart_anchor(chart, &chart->x, (double)lengths[i],
				   EDGE + (1 - 2 * EDGE) * i / LAST,
				   i % LABEL_EACH == 0 ? label : NULL);
	}
}

static void add_curve(struct pario_chart *chart, const struct pario_beff_run *run,
		      const struct pario_reading *r, const char *name, const double *by_length)
{
	unsigned series = pario_chart_series(chart, name);

	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++) {
		struct pario_mark *m;

		if (!(by_length[i] > 0) || !isfinite(by_length[i]))
			continue;
		m = pario_chart_mark(chart, series, (double)run->lengths[i],
				     by_length[i] / 1e6 / run->context.n);
		if (!run->complete)
			m->flags |= PARIO_MARK_SUSPECT;
		pario_table_chart_doubt(chart, m, r);
	}
}

static void curve(struct pario_section *s, const struct pario_picture *p,
		  const struct pario_beff_run *run, const struct pario_reading *r)
{
	const struct pario_beff_figures *f = &run->figures;
	struct pario_chart chart;

	pario_table_chart_chart(&chart, PARIO_CHART_LINE, s, r, p->title, p->text);
	chart.x = (struct pario_chart_axis){ .title = "message length",
					     .scale = PARIO_SCALE_CUSTOM,
					     .format = PARIO_FORMAT_BYTES };
	chart.y = (struct pario_chart_axis){ .title = "bandwidth per process",
					     .unit = "MB/s",
					     .zero = true };
	lay_axis(&chart, run->lengths);
	add_curve(&chart, run, r, "rings", f->rings_by_length);
	add_curve(&chart, run, r, "random", f->random_by_length);
	add_curve(&chart, run, r, "b_eff", f->by_length);
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

static void row(struct pario_section *s, const struct pario_beff_run *run,
		const struct pario_reading *r)
{
	static const enum pario_beff_metric rates[] = { PARIO_BEFF_pingpong_mb_s,
							PARIO_BEFF_b_eff_at_lmax,
							PARIO_BEFF_b_eff_at_lmax_per_process,
							PARIO_BEFF_rings_at_lmax_per_process };
	const struct pario_beff_number *numbers = run->numbers;
	struct pario_text name = { 0 }, remark = { 0 };

	pario_table_chart_name(s, r, &name);
	pario_table_chart_row(s, r, pario_text_string(&name));
	pario_table_chart_cell(s, run->context.n);
	pario_table_chart_cell(s, run->complete ? numbers[PARIO_BEFF_b_eff].value : (double)NAN);
	pario_table_chart_cell(s, run->complete ? numbers[PARIO_BEFF_b_eff_per_process].value
						: (double)NAN);
	pario_table_chart_bytes(s, (double)run->context.lmax);
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		pario_table_chart_cell(s, numbers[rates[i]].value);
	pario_text_add(&remark, "%s%s", run->mark,
		       run->complete ? ""
		       : *run->mark  ? ", incomplete"
				     : "incomplete");
	pario_table_chart_row_end(s, r, pario_text_string(&remark));
	pario_text_release(&name);
	pario_text_release(&remark);
}

/* The next result of b_eff itself. */
static const struct pario_reading *next(const struct pario_section *s,
					const struct pario_reading *r)
{
	do
		r = pario_table_chart_next(s, r);
	while (r && !pario_beff_run_is(r->more->carried->line));
	return r;
}

/* Of each result whose tables make sense; the others have their place in the table of numbers. */
static size_t each(struct pario_section *s, const struct pario_picture *p, bool rows)
{
	size_t drawn = 0;

	for (const struct pario_reading *r = next(s, NULL); r; r = next(s, r)) {
		struct pario_beff_run run;
		struct pario_err err = { 0 };

		if (drawn == PARIO_SMALL_MULTIPLES_MAX ||
		    pario_beff_run_read(&run, r->more->carried->line, &err) < 0)
			continue;
		if (rows) {
			row(s, &run, r);
		} else {
			pario_table_chart_turn(s, &drawn, PARIO_SMALL_MULTIPLES_SHOWN);
			curve(s, p, &run, r);
		}
		pario_beff_run_release(&run);
	}
	return drawn;
}

void pario_picture_beff(struct pario_section *s, const struct pario_picture *p)
{
	static const char *const heads[] = { "processes",   "b_eff",
					     "per process", "Lmax",
					     "ping-pong",   "b_eff at Lmax",
					     "per process", "rings at Lmax per process",
					     NULL };

	if (!next(s, NULL))
		return;
	pario_table_chart_table(
		s, "b_eff in the columns of the paper's Table 1",
		"MB/s (10^6 bytes), of all processes together where a column does not say otherwise.",
		heads);
	each(s, p, true);
	pario_table_chart_table_end(s);
	pario_table_chart_done(s, each(s, p, false), PARIO_SMALL_MULTIPLES_SHOWN);
}
