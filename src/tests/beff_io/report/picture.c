/*
 * picture: the paper's figures of b_eff_io. Figure 3: one diagram for each access method, bandwidth over chunk
 * size on an axis that is logarithmic in steps only, with the chunks that are not well-formed ("+8") beside their power
 * of two, one line per pattern type. Figure 4: the value over partitions. (docs/beff_io.md)
 */
#include "report/chart/table_charts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "tests/beff_io/report/runs.h"

/* Three diagrams of one partition are in view at once. */
enum { ROWS = 7, SHOWN = 1 };

/* Places of the seven chunk sizes; the last is M_PART. */
static const struct {
	uint64_t chunk;
	double place;
	const char *label;
} axis[ROWS] = {
	{ 1 << 10, 0.03, "1k" },
	{ (1 << 10) + 8, 0.11, "1k+8" },
	{ 32 << 10, 0.34, "32k" },
	{ (32 << 10) + 8, 0.43, "32k+8" },
	{ 1 << 20, 0.65, "1M" },
	{ (1 << 20) + 8, 0.73, "1M+8" },
	{ PARIO_BEFF_IO_MPART, 0.9, NULL },
};

/* Whose result was it? NULL only when the journal contradicts itself. */
static const struct pario_reading *reading_of(const struct pario_section *s, size_t volume,
					      const struct pario_beff_io_run *run, int access)
{
	const struct pario_reading *r = pario_table_chart_next(s, NULL);

	while (r && (r->of->volume != volume || r->of->clients != run->clients ||
		     r->repetition != run->repetition ||
		     strcmp(pario_history_text(r->more->carried->line, "point"), run->point) != 0 ||
		     strcmp(r->of->phase, pario_beff_io_access_names[access]) != 0))
		r = pario_table_chart_next(s, r);
	return r;
}

/* "4 processes" where a run has several partitions, and what sets the result apart. */
static void name_run(const struct pario_section *s, const struct pario_reading *r,
		     const struct pario_beff_io_run *run, struct pario_text *out)
{
	pario_text_add(out, "%llu process%s", (unsigned long long)run->record.clients,
		       run->record.clients == 1 ? "" : "es");
	if (r) {
		struct pario_text more = { 0 };

		pario_table_chart_name(s, r, &more);
		pario_text_add(out, "%s%s", more.length ? ", " : "", pario_text_string(&more));
		pario_text_release(&more);
	}
}

/* ---- Figure 3 ---- */

static void add_pattern(struct pario_chart *chart, const struct pario_beff_io_run *run,
			const struct pario_reading *r, int access, unsigned p)
{
	const struct pario_beff_io_pattern *pattern = &pario_beff_io_patterns[p];
	const struct pario_beff_io_timing *t = &run->record.pattern[access][p];
	struct pario_mark *m;

	if (pattern->row < 1 || pattern->row > ROWS || (t->ns <= 0 && !t->errors))
		return;
	m = pario_chart_mark(
		chart, pario_chart_series(chart, pario_beff_io_type_names[pattern->type]),
		(double)pario_beff_io_chunk(p, run->record.mpart, 0),
		pario_beff_io_pattern_mb_s(&run->record, (enum pario_beff_io_access)access, p));
	if (r)
		pario_table_chart_doubt(chart, m, r);
	if (!t->done) {
		m->flags |= PARIO_MARK_SUSPECT;
		pario_chart_note(chart, m, "the pattern was cut short");
	}
	if (t->errors) {
		m->flags |= PARIO_MARK_FAILED;
		pario_chart_note(chart, m, "calls failed or data were wrong");
	}
}

static void lay_axis(struct pario_chart *chart, uint64_t mpart)
{
	for (unsigned i = 0; i < ROWS; i++) {
		char size[PARIO_UNITS_CAPACITY], label[PARIO_UNITS_CAPACITY + 16];
		uint64_t chunk = axis[i].label ? axis[i].chunk : mpart;

		if (!axis[i].label)
			snprintf(label, sizeof(label), "M_PART %s", pario_units_size(size, mpart));
		/* Anchors rise; M_PART is at least 2 MiB unless the journal was altered. */
		if (axis[i].label || mpart > axis[i - 1].chunk)
			pario_chart_anchor(chart, &chart->x, (double)chunk, axis[i].place,
					   axis[i].label ? axis[i].label : label);
	}
}

static void diagram(struct pario_section *s, const struct pario_picture *p, size_t volume,
		    const struct pario_beff_io_run *run, int access)
{
	const struct pario_reading *r = reading_of(s, volume, run, access);
	struct pario_text title = { 0 };
	struct pario_chart chart;

	pario_text_add(&title, "%s over chunk size: %s, ", p->title,
		       pario_beff_io_access_names[access]);
	name_run(s, r, run, &title);
	pario_chart_init(&chart, PARIO_CHART_LINE, pario_text_string(&title));
	pario_chart_text(&chart, p->text);
	chart.x = (struct pario_chart_axis){ .title = "contiguous chunk",
					     .scale = PARIO_SCALE_CUSTOM,
					     .format = PARIO_FORMAT_BYTES };
	chart.y = (struct pario_chart_axis){ .title = "bandwidth",
					     .unit = "MB/s",
					     .scale = PARIO_SCALE_LOG };
	lay_axis(&chart, run->record.mpart);
	for (unsigned i = 0; i < PARIO_BEFF_IO_PATTERNS; i++)
		add_pattern(&chart, run, r, access, i);
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
	pario_text_release(&title);
}

/* ---- Figure 4 ---- */

static const char *verdict(const struct pario_beff_io_run *run)
{
	unsigned flaws = pario_beff_io_run_flaws(run);

	return flaws & PARIO_BEFF_IO_INCOMPLETE	   ? "incomplete: no value"
	       : flaws & PARIO_BEFF_IO_ERRORS	   ? "not valid: errors"
	       : flaws & PARIO_BEFF_IO_NO_POINTERS ? "not valid: no shared file pointers"
	       : flaws & PARIO_BEFF_IO_TOO_SHORT   ? "not official: less than 15 minutes"
						   : "valid";
}

static const struct pario_reading *worst_of(const struct pario_section *s, size_t volume,
					    const struct pario_beff_io_run *run)
{
	const struct pario_reading *worst = NULL;

	for (int a = 0; a < PARIO_BEFF_IO_ACCESSES; a++) {
		const struct pario_reading *r = reading_of(s, volume, run, a);

		if (r && (!worst || r->outcome == PARIO_FAIL ||
			  (r->outcome == PARIO_SUSPECT && worst->outcome != PARIO_FAIL)))
			worst = r;
	}
	return worst;
}

static void add_value(struct pario_section *s, struct pario_chart *chart, size_t volume,
		      const struct pario_beff_io_run *run)
{
	static const struct pario_reading none = { .reason = "" };
	const struct pario_beff_io_record *record = &run->record;
	const struct pario_reading *r = worst_of(s, volume, run);
	double value = pario_beff_io_sound(record, pario_beff_io_record_value);
	struct pario_text name = { 0 };
	struct pario_mark *m;

	r = r ? r : &none;
	name_run(s, r == &none ? NULL : r, run, &name);
	pario_table_chart_row(s, r, pario_text_string(&name));
	for (int a = 0; a < PARIO_BEFF_IO_ACCESSES; a++)
		pario_table_chart_cell(
			s, pario_beff_io_access_mb_s(record, (enum pario_beff_io_access)a));
	pario_table_chart_cell(s, value);
	pario_table_chart_cell(s, pario_beff_io_sound(record, pario_beff_io_record_release));
	pario_table_chart_bytes(s, (double)record->mpart);
	pario_table_chart_row_end(s, r, verdict(run));
	if (!isfinite(value)) {
		pario_text_release(&name);
		return;
	}
	pario_text_clear(&name);
	pario_text_add(&name, "%s, T = %.4g min",
		       s->groups->archive->volume_count > 1
			       ? s->groups->archive->volume[volume].label
			       : "b_eff_io",
		       pario_beff_io_run_seconds(run) / 60);
	m = pario_chart_mark(chart, pario_chart_series(chart, pario_text_string(&name)),
			     (double)record->clients, value);
	pario_text_release(&name);
	pario_table_chart_doubt(chart, m, r);
	if (pario_beff_io_run_flaws(run) & (PARIO_BEFF_IO_ERRORS | PARIO_BEFF_IO_NO_POINTERS)) {
		m->flags |= PARIO_MARK_SUSPECT;
		pario_chart_note(chart, m, verdict(run));
	}
}

/* ---- both ---- */

/* One call of `draw` for each partition of each run. */
static void each(struct pario_section *s,
		 void (*draw)(void *self, size_t volume, const struct pario_beff_io_run *run),
		 void *self)
{
	for (size_t v = 0; v < s->groups->archive->volume_count; v++) {
		struct pario_history history;
		struct pario_beff_io_runs runs;
		struct pario_err err = { 0 };

		if (pario_table_chart_history(s, v, &history) < 0)
			return;
		if (pario_beff_io_runs_load(&runs, &history, &err) == 0) {
			for (size_t i = 0; i < runs.count; i++)
				draw(self, v, &runs.run[i]);
			pario_beff_io_runs_release(&runs);
		}
		pario_history_release(&history);
	}
}

struct drawing {
	struct pario_section *section;
	const struct pario_picture *picture;
	struct pario_chart *chart;
	size_t drawn;
};

static void draw_value(void *self, size_t volume, const struct pario_beff_io_run *run)
{
	struct drawing *d = self;

	add_value(d->section, d->chart, volume, run);
}

static void draw_diagrams(void *self, size_t volume, const struct pario_beff_io_run *run)
{
	struct drawing *d = self;

	if (d->drawn >= PARIO_SMALL_MULTIPLES_MAX)
		return;
	pario_table_chart_turn(d->section, &d->drawn, SHOWN);
	for (int a = 0; a < PARIO_BEFF_IO_ACCESSES; a++)
		diagram(d->section, d->picture, volume, run, a);
}

static bool several(const struct pario_chart *chart)
{
	for (size_t i = 0; i < chart->series_count; i++)
		for (size_t k = 0; k < chart->series[i].count; k++)
			if (chart->series[i].mark[k].x != chart->series[0].mark[0].x)
				return true;
	return false;
}

void pario_picture_beff_io(struct pario_section *s, const struct pario_picture *p)
{
	static const char *const heads[] = { "write",	    "rewrite", "read", "b_eff_io",
					     "release 2.1", "M_PART",  NULL };
	struct pario_chart chart;
	struct drawing d = { s, p, &chart, 0 };

	if (!pario_table_chart_next(s, NULL))
		return;
	pario_chart_init(&chart, PARIO_CHART_LINE, "b_eff_io over partitions");
	pario_chart_text(&chart, "The system's value is the largest.");
	chart.x = (struct pario_chart_axis){ .title = "processes", .scale = PARIO_SCALE_LOG };
	chart.y = (struct pario_chart_axis){ .title = "b_eff_io", .unit = "MB/s", .zero = true };
	pario_table_chart_table(s, "b_eff_io of each partition",
				"MB/s (10^6 bytes): the access methods, and 25 % writing, 25 % "
				"rewriting, 50 % reading.",
				heads);
	each(s, draw_value, &d);
	pario_table_chart_table_end(s);
	if (several(&chart))
		pario_figure_add(s->canvas, &chart);
	each(s, draw_diagrams, &d);
	pario_table_chart_done(s, d.drawn, SHOWN);
	pario_chart_release(&chart);
}
