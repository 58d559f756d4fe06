/*
 * picture: what a traced program did to its storage, in pictures: when each process read, wrote and waited, how large
 * its transfers were, how far apart in their files, and how unevenly the processes were busy. What is not storage has
 * a lane of its own and is in no other picture.
 *
 * Reads and writes are told apart by where they stand, not by colour alone: each row has a lane for each.
 */
#include "report/trace/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

enum { STEPS = 8, LANES = 6, SHOWN_PROCESSES = 24, CATEGORIES = 160, COLUMNS = 48, ROWS = 64 };

bool pario_trace_table(const struct pario_reading *r, const char *name,
		       struct pario_trace_table *table)
{
	struct pario_err err = { 0 };

	if (pario_result_table_find(r->more->carried->line, name, &table->view, &err) < 0)
		return false;
	table->rows = table->view.row_count;
	return table->rows > 0;
}

double pario_trace_number(const struct pario_trace_table *table, size_t row, const char *column)
{
	struct pario_err err = { 0 };
	int at = pario_result_table_column(&table->view, column, &err);

	return at < 0 ? (double)NAN : pario_result_table_number(&table->view, row, at);
}

const char *pario_trace_cell(const struct pario_trace_table *table, size_t row, const char *column)
{
	struct pario_err err = { 0 };
	int at = pario_result_table_column(&table->view, column, &err);

	return at < 0 ? "" : pario_result_table_text(&table->view, row, at);
}

static double amount(const struct pario_reading *r, const char *name)
{
	return pario_reading_find(r, name).value;
}

static const char *size_text(char *buf, double bytes)
{
	return pario_units_size(buf, bytes >= 0x1p64 ? UINT64_MAX
				     : bytes > 0     ? (uint64_t)bytes
						     : 0);
}

/* ---- the timeline ---- */

enum { READ, WRITE, ON_STORAGE = 4 };

static const char *const lanes[LANES] = { "read",  "write",	    "sync",
					  "other", "communication", "not storage" };

/* Neighbouring cells that look the same are one bar. */
struct bar {
	const char *row, *what;
	double from, to, calls, bytes, busy, processes;
	int step;
};

static int step_of(const struct bar *b)
{
	double share = b->busy / ((b->to - b->from) * fmax(b->processes, 1));

	return share > 0 ? (int)fmin(STEPS, fmax(1, ceil(share * STEPS - 0.5))) : 0;
}

static struct bar read_bar(const struct pario_trace_table *s, size_t i)
{
	struct bar b = {
		.row = pario_trace_cell(s, i, "row"),
		.what = pario_trace_cell(s, i, "what"),
		.from = pario_trace_number(s, i, "from_s"),
		.to = pario_trace_number(s, i, "to_s"),
		.calls = pario_trace_number(s, i, "calls"),
		.bytes = pario_trace_number(s, i, "bytes"),
		.busy = pario_trace_number(s, i, "busy_s"),
		.processes = pario_trace_number(s, i, "processes"),
	};

	b.step = b.to > b.from ? step_of(&b) : 0;
	return b;
}

/* LANES where it is none. */
static unsigned lane_of(const char *what)
{
	unsigned lane = 0;

	while (lane < LANES && strcmp(lanes[lane], what) != 0)
		lane++;
	return lane;
}

static void draw_bar(struct pario_chart *chart, const struct pario_reading *r, const struct bar *b,
		     const unsigned lane_at[LANES])
{
	double height = 1.0 / chart->lanes, share;
	char size[PARIO_UNITS_CAPACITY], note[160];
	struct pario_mark *m;
	unsigned lane = lane_of(b->what);

	if (lane == LANES || !b->step)
		return;
	m = pario_chart_mark(chart, pario_chart_series(chart, b->what), b->from,
			     pario_chart_category(chart, &chart->y, b->row));
	m->x_end = b->to;
	m->high = height * (lane_at[lane] + 1);
	m->low = m->high - height * b->step / STEPS;
	share = 100 * b->busy / ((b->to - b->from) * fmax(b->processes, 1));
	snprintf(note, sizeof(note), "%.0f calls, %s, busy %.3g %%", b->calls,
		 size_text(size, b->bytes), share);
	pario_table_chart_doubt(chart, m, r);
	if (!m->flags)
		pario_chart_note(chart, m, note);
}

static bool on_level(const struct pario_trace_table *s, size_t row, const char *level)
{
	return !level || strcmp(pario_trace_cell(s, row, "level"), level) == 0;
}

static void draw_level(struct pario_chart *chart, const struct pario_reading *r,
		       const struct pario_trace_table *s, const char *level)
{
	unsigned lane_at[LANES] = { 0 };
	struct bar bar = { 0 };

	for (unsigned k = 0; k < LANES; k++) {
		bool used = false;

		for (size_t i = 0; i < s->rows && !used; i++)
			used = on_level(s, i, level) &&
			       strcmp(pario_trace_cell(s, i, "what"), lanes[k]) == 0;
		lane_at[k] = chart->lanes;
		chart->lanes += used;
		if (used)
			pario_chart_series(chart, lanes[k]);
	}
	for (size_t i = 0; i < s->rows; i++) {
		struct bar next = read_bar(s, i);

		if (!on_level(s, i, level))
			continue;
		if (bar.row && strcmp(bar.row, next.row) == 0 && strcmp(bar.what, next.what) == 0 &&
		    next.step == bar.step &&
		    fabs(next.from - bar.to) < 0.01 * (next.to - next.from)) {
			bar.to = next.to;
			bar.calls += next.calls;
			bar.bytes += next.bytes;
			bar.busy += next.busy;
			continue;
		}
		if (bar.row)
			draw_bar(chart, r, &bar, lane_at);
		bar = next;
	}
	if (bar.row)
		draw_bar(chart, r, &bar, lane_at);
}

/* ---- the same at one look: processes against time, how busy with storage as colour ---- */

struct moment {
	double busy, processes, calls, bytes[2];
};

/* A column is as many bins of the table as it takes; `end`: when the last call on storage was over. */
static double column_width(const struct pario_trace_table *s, const char *level, double *end)
{
	double width = 0;

	for (size_t i = 0; i < s->rows; i++) {
		struct bar b = read_bar(s, i);

		if (on_level(s, i, level) && b.step && lane_of(b.what) < ON_STORAGE) {
			width = b.to - b.from;
			*end = fmax(*end, b.to);
		}
	}
	return width > 0 ? width * ceil(*end / width / COLUMNS - 1e-6) : 0;
}

/* Rows whose I/O takes less than this share of the busiest one's hide the others where there are many. */
#define HARDLY 0.002
enum { MANY_ROWS = 8 };

/* The rows get their places by `names`. */
static void gather(struct pario_chart *names, const struct pario_trace_table *s, const char *level,
		   double width, struct moment moments[ROWS][COLUMNS])
{
	for (size_t i = 0; i < s->rows; i++) {
		struct bar b = read_bar(s, i);
		unsigned lane = lane_of(b.what);
		double row, column = floor(b.from / width + 1e-6);
		struct moment *m;

		if (!on_level(s, i, level) || !b.step)
			continue;
		row = pario_chart_category(names, &names->y, b.row);
		if (lane >= ON_STORAGE || row >= ROWS || !(column >= 0 && column < COLUMNS))
			continue;
		m = &moments[(size_t)row][(size_t)column];
		m->busy += b.busy;
		m->calls += b.calls;
		m->processes = fmax(b.processes, 1);
		if (lane <= WRITE)
			m->bytes[lane] += b.bytes;
	}
}

static double busy_in(const struct moment moments[COLUMNS])
{
	double sum = 0;

	for (size_t column = 0; column < COLUMNS; column++)
		sum += moments[column].busy;
	return sum;
}

static void draw_row(struct pario_chart *chart, const struct pario_reading *r, double row,
		     const struct moment moments[COLUMNS], double width)
{
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY], note[160];

	for (size_t column = 0; column < chart->x.tick_count; column++) {
		const struct moment *c = &moments[column];
		struct pario_mark *m;

		if (!(c->processes > 0))
			continue;
		m = pario_chart_mark(chart, pario_chart_series(chart, "busy"), (double)column, row);
		m->z = fmin(100, 100 * c->busy / (width * c->processes));
		chart->z_high = fmax(chart->z_high, m->z);
		snprintf(note, sizeof(note), "%.0f calls, %s read, %s written", c->calls,
			 size_text(a, c->bytes[READ]), size_text(b, c->bytes[WRITE]));
		pario_table_chart_doubt(chart, m, r);
		if (!m->flags)
			pario_chart_note(chart, m, note);
	}
}

/* Returns how many rows are left out. */
static size_t draw_rows(struct pario_chart *chart, const struct pario_reading *r,
			const struct pario_chart *names, const struct moment moments[ROWS][COLUMNS],
			double width, double end)
{
	size_t rows = names->y.tick_count < ROWS ? names->y.tick_count : ROWS, left_out = 0;
	char a[PARIO_UNITS_CAPACITY];
	double most = 0;

	for (size_t column = 0; column < COLUMNS && width * (double)column < end; column++)
		pario_chart_category(chart, &chart->x, pario_units_time(a, width * (double)column));
	for (size_t row = 0; row < rows; row++)
		most = fmax(most, busy_in(moments[row]));
	for (size_t row = 0; row < rows; row++) {
		if (rows <= MANY_ROWS || busy_in(moments[row]) >= HARDLY * most)
			draw_row(chart, r,
				 pario_chart_category(chart, &chart->y, names->y.tick[row].label),
				 moments[row], width);
		else
			left_out++;
	}
	return left_out;
}

/* False where there is nothing to be seen. */
static bool add_map(struct pario_section *s, const struct pario_reading *r,
		    const struct pario_trace_table *table, const char *level, const char *title,
		    const char *meaning)
{
	double end = 0, width = column_width(table, level, &end);
	struct moment(*moments)[COLUMNS] = calloc(ROWS, sizeof(*moments));
	struct pario_chart chart, names = { 0 };
	struct pario_text text = { 0 };
	size_t left_out;

	if (!moments || !(width > 0)) {
		free(moments);
		return false;
	}
	pario_table_chart_chart(&chart, PARIO_CHART_HEAT, s, r, title, NULL);
	chart.x = (struct pario_chart_axis){ .title = "time since the start",
					     .scale = PARIO_SCALE_CATEGORY };
	chart.y = (struct pario_chart_axis){ .title = "process", .scale = PARIO_SCALE_CATEGORY };
	chart.z_title = "in calls on storage";
	chart.z_unit = "% of the time";
	gather(&names, table, level, width, moments);
	left_out =
		draw_rows(&chart, r, &names, (const struct moment(*)[COLUMNS])moments, width, end);
	pario_text_add(&text, "%s", meaning);
	if (left_out)
		pario_text_add(&text, " Rows with hardly any I/O are left out: %zu.", left_out);
	pario_chart_text(&chart, pario_text_string(&text));
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
	pario_chart_release(&names);
	pario_text_release(&text);
	free(moments);
	return true;
}

static void add_lanes(struct pario_section *s, const struct pario_reading *r,
		      const struct pario_trace_table *table, const char *level, const char *title)
{
	struct pario_text text = { 0 };
	struct pario_chart chart;

	pario_table_chart_chart(&chart, PARIO_CHART_SPAN, s, r, title, NULL);
	chart.x = (struct pario_chart_axis){ .title = "time since the start",
					     .zero = true,
					     .format = PARIO_FORMAT_SECONDS };
	chart.y = (struct pario_chart_axis){ .title = "process", .scale = PARIO_SCALE_CATEGORY };
	draw_level(&chart, r, table, level);
	pario_text_add(&text,
		       "The height of a bar is the share of the time spent in such calls. From "
		       "the top of each row:");
	for (size_t i = 0; i < chart.series_count; i++)
		pario_text_add(&text, "%s %s", i ? "," : "", chart.series[i].name);
	pario_text_add(&text, ".");
	pario_chart_text(&chart, pario_text_string(&text));
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
	pario_text_release(&text);
}

void pario_trace_timeline(struct pario_section *s, const struct pario_reading *r,
			  const struct pario_trace_table *table, const char *level,
			  const char *title, const char *meaning)
{
	bool mapped = add_map(s, r, table, level, title, meaning);

	if (mapped)
		pario_text_add(s->canvas->out, "<details class=\"more\"><summary>Reads, writes and "
					       "the rest in lanes</summary>\n");
	add_lanes(s, r, table, level, title);
	if (mapped)
		pario_text_add(s->canvas->out, "</details>\n");
}

static void timeline(struct pario_section *s, const struct pario_picture *p,
		     const struct pario_reading *r, const struct pario_trace_table *table,
		     const char *level)
{
	bool program = strcmp(level, "program") == 0;
	struct pario_text title = { 0 };

	pario_text_add(&title,
		       program ? "%s" : "%s with calls of %s, the program's own or within others",
		       p->title, level);
	pario_trace_timeline(s, r, table, level, pario_text_string(&title), p->text);
	pario_text_release(&title);
}

/* The program's own calls first, then layer by layer. */
static void timelines(struct pario_section *s, const struct pario_picture *p,
		      const struct pario_reading *r)
{
	struct pario_trace_table table;
	const char *last = "";
	size_t drawn = 0;

	if (!pario_trace_table(r, "timeline", &table))
		return;
	for (size_t i = 0; i < table.rows && drawn < PARIO_SMALL_MULTIPLES_MAX; i++) {
		const char *level = pario_trace_cell(&table, i, "level");

		if (strcmp(level, last) == 0)
			continue;
		last = level;
		pario_table_chart_turn(s, &drawn, 1);
		timeline(s, p, r, &table, level);
	}
	pario_table_chart_done(s, drawn, 1);
}

/* ---- histograms ---- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void size_name(char *buf, size_t capacity, double bytes)
{
	char size[PARIO_UNITS_CAPACITY];

	snprintf(buf, capacity, "%s%s", bytes > 1 ? "≤ " : "", size_text(size, bytes));
}

static void seek_name(char *buf, size_t capacity, double bytes)
{
	char size[PARIO_UNITS_CAPACITY];

	if (bytes == 0)
		snprintf(buf, capacity, "none");
	else
		snprintf(buf, capacity, "%s ≥ %s", bytes < 0 ? "back" : "on",
			 size_text(size, fabs(bytes)));
}

/* `by`: only these rows, and what they are; "" where the table does not tell them apart. */
struct histogram {
	const char *table, *by, *column;
	void (*label)(char *buf, size_t capacity, double bytes);
	const char *title, *text;
};

#define WITHIN(layer)                                                                                        \
	{                                                                                                    \
		"sizes", layer, "up_to_bytes", size_name,                                                    \
			"How large the transfers of " layer " within other calls are",                       \
			"What libraries made of the program's calls in this layer, and what they moved for " \
			"themselves."                                                                        \
	}

static const struct histogram histograms[] = {
	{ "sizes", "program", "up_to_bytes", size_name, "How large the transfers are",
	  "Bytes asked for by a call of the program on storage, by powers of two." },
	WITHIN("posix"),
	WITHIN("stdio"),
	WITHIN("async"),
	WITHIN("mpi-io"),
	WITHIN("hdf5"),
	WITHIN("pnetcdf"),
	{ "sizes", "within other calls", "up_to_bytes",
	  size_name, /* journals of earlier versions */
	  "How large the transfers within other calls are",
	  "What libraries made of the program's calls, and what they moved for themselves." },
	{ "seeks", "", "from_bytes", seek_name, "How far apart the transfers are",
	  "From the end of a process' last transfer on a file to the next; none is sequential." },
};

/* Categories in the order of their numbers, whatever the order of the rows. */
static void make_categories(struct pario_chart *chart, const struct pario_trace_table *table,
			    const struct histogram *h)
{
	double values[CATEGORIES] = { 0 };
	size_t count = 0;
	char buf[64];

	for (size_t i = 0; i < table->rows; i++) {
		double value = pario_trace_number(table, i, h->column);
		size_t k = 0;

		if (strcmp(pario_trace_cell(table, i, "by"), h->by) != 0)
			continue;
		while (k < count && values[k] != value)
			k++;
		if (k == count && count < CATEGORIES && isfinite(value))
			values[count++] = value;
	}
	qsort(values, count, sizeof(*values), ascending);
	for (size_t i = 0; i < count; i++) {
		h->label(buf, sizeof(buf), values[i]);
		pario_chart_category(chart, &chart->x, buf);
	}
}

static bool has_rows(const struct pario_trace_table *table, const char *by)
{
	for (size_t i = 0; i < table->rows; i++) {
		if (strcmp(pario_trace_cell(table, i, "by"), by) == 0)
			return true;
	}
	return false;
}

static void histogram(struct pario_section *s, const struct pario_reading *r,
		      const struct histogram *h)
{
	struct pario_trace_table table;
	struct pario_chart chart;
	char buf[64];

	if (!pario_trace_table(r, h->table, &table) || !has_rows(&table, h->by))
		return;
	pario_table_chart_chart(&chart, PARIO_CHART_BAR, s, r, h->title, h->text);
	chart.x = (struct pario_chart_axis){ .title = "bytes", .scale = PARIO_SCALE_CATEGORY };
	chart.y = (struct pario_chart_axis){ .title = "calls", .zero = true };
	make_categories(&chart, &table, h);
	for (size_t i = 0; i < table.rows; i++) {
		double value = pario_trace_number(&table, i, h->column);
		const char *what = pario_trace_cell(&table, i, "what");
		struct pario_mark *m;

		if (strcmp(pario_trace_cell(&table, i, "by"), h->by) != 0 || !isfinite(value))
			continue;
		h->label(buf, sizeof(buf), value);
		m = pario_chart_mark(&chart, pario_chart_series(&chart, what),
				     pario_chart_category(&chart, &chart.x, buf),
				     pario_trace_number(&table, i, "calls"));
		pario_table_chart_doubt(&chart, m, r);
	}
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

/* ---- imbalance ---- */

/* The busiest processes, those with a rank if there are any, in the order of their ranks. */
static size_t choose(const struct pario_trace_table *table, double chosen[SHOWN_PROCESSES][2],
		     bool *ranked)
{
	size_t count = 0;

	*ranked = false;
	for (size_t i = 0; i < table->rows; i++)
		*ranked |= isfinite(pario_trace_number(table, i, "rank"));
	for (size_t i = 0; i < table->rows && count < SHOWN_PROCESSES; i++) {
		double rank = pario_trace_number(table, i, "rank");

		if (*ranked && !isfinite(rank))
			continue;
		chosen[count][0] = *ranked ? rank : pario_trace_number(table, i, "pid");
		chosen[count++][1] = (double)i;
	}
	qsort(chosen, count, sizeof(chosen[0]), ascending);
	return count;
}

static void imbalance(struct pario_section *s, const struct pario_reading *r)
{
	static const char *const columns[][2] = { { "read_s", "read" },
						  { "write_s", "write" },
						  { "other_s", "other" },
						  { "communication_s", "communication" } };
	double chosen[SHOWN_PROCESSES][2], uneven = amount(r, "imbalance");
	struct pario_trace_table table;
	struct pario_text text = { 0 };
	struct pario_chart chart;
	size_t count;
	bool ranked;
	char name[64];

	if (!pario_trace_table(r, "processes", &table) || table.rows < 2)
		return;
	count = choose(&table, chosen, &ranked);
	pario_text_add(&text,
		       "Time spent in calls on storage%s; waiting for others is communication.",
		       count < table.rows ? " by those that spent most" : "");
	if (isfinite(uneven))
		pario_text_add(&text, " The busiest rank spent %.3g times the mean on storage.",
			       uneven);
	pario_table_chart_chart(&chart, PARIO_CHART_BAR, s, r, "How even the processes are",
				pario_text_string(&text));
	chart.x = (struct pario_chart_axis){ .title = "process", .scale = PARIO_SCALE_CATEGORY };
	chart.y = (struct pario_chart_axis){ .title = "time in calls on storage",
					     .zero = true,
					     .format = PARIO_FORMAT_SECONDS };
	for (size_t k = 0; k < sizeof(columns) / sizeof(columns[0]); k++) {
		unsigned series = pario_chart_series(&chart, columns[k][1]);

		for (size_t i = 0; i < count; i++) {
			unsigned image = 1;

			/* a program that became another keeps its number */
			for (size_t before = 0; before < i; before++)
				image += chosen[before][0] == chosen[i][0];
			snprintf(name, sizeof(name), image > 1 ? "%s %.0f (%u)" : "%s %.0f",
				 ranked ? "rank" : "pid", chosen[i][0], image);
			pario_table_chart_doubt(
				&chart,
				pario_chart_mark(&chart, series,
						 pario_chart_category(&chart, &chart.x, name),
						 pario_trace_number(&table, (size_t)chosen[i][1],
								    columns[k][0])),
				r);
		}
	}
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
	pario_text_release(&text);
}

void pario_picture_trace(struct pario_section *s, const struct pario_picture *p)
{
	for (const struct pario_reading *r = pario_table_chart_next(s, NULL); r;
	     r = pario_table_chart_next(s, r)) {
		timelines(s, p, r);
		pario_trace_tables_of_calls(s, r);
		for (size_t i = 0; i < sizeof(histograms) / sizeof(histograms[0]); i++)
			histogram(s, r, &histograms[i]);
		imbalance(s, r);
		pario_trace_tables_of_rest(s, r);
	}
}
