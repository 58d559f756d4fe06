/*
 * document: the answer of a replay, from the journal: makespan and I/O time, classes of calls and call sites, each
 * beside the original's, and what was not made again. Times are medians where there are several repetitions.
 */
#include "tests/replay/report/document.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/units.h"
#include "journal/table.h"

#define TEST "trace_replay"

enum { NAME_WIDTH = 28 };

static bool counts(const json_t *result)
{
	return strcmp(pario_history_text(result, "test"), TEST) == 0 &&
	       strcmp(pario_history_text(result, "outcome"), "fail") != 0 &&
	       strcmp(pario_history_text(result, "outcome"), "skip") != 0;
}

/* A number that every result has; NaN when none does. */
typedef double number_of(const json_t *result, const void *key);

static double median(const struct pario_history *h, number_of *number, const void *key)
{
	double *values = calloc(h->result_count + 1, sizeof(*values)), found = NAN;
	size_t n = 0;

	for (size_t i = 0; values && i < h->result_count; i++) {
		double value = counts(h->results[i]) ? number(h->results[i], key) : NAN;

		if (isfinite(value))
			values[n++] = value;
	}
	if (n)
		found = pario_stats_median(values, n);
	free(values);
	return found;
}

static double metric(const json_t *result, const void *name)
{
	return pario_history_metric(result, name);
}

/* A cell by its table, the text in the row's first column, and the name of the column. */
struct cell {
	const char *table, *row, *column;
};

static double cell(const json_t *result, const void *key)
{
	const struct cell *c = key;
	struct pario_result_table_view view;
	struct pario_err err = { 0 };
	int column;

	if (pario_result_table_find(result, c->table, &view, &err) < 0)
		return NAN;
	column = pario_result_table_column(&view, c->column, &err);
	for (size_t i = 0; i < view.row_count; i++) {
		if (strcmp(pario_result_table_text(&view, i, 0), c->row) == 0)
			return pario_result_table_number(&view, i, column);
	}
	return NAN;
}

static void add_time(struct pario_text *out, double seconds)
{
	char text[PARIO_UNITS_CAPACITY];

	pario_text_add(out, "  %11s", isfinite(seconds) ? pario_units_time(text, seconds) : "-");
}

static void add_line(struct pario_text *out, const char *name, double calls, double there,
		     double here)
{
	pario_text_add(out, "%-*.*s", NAME_WIDTH, 3 * NAME_WIDTH, name);
	if (isfinite(calls))
		pario_text_add(out, "  %9.0f", calls);
	else
		pario_text_add(out, "  %9s", "");
	add_time(out, there);
	add_time(out, here);
	if (there > 0 && isfinite(here))
		pario_text_add(out, "  %+8.1f %%", 100 * (here - there) / there);
	pario_text_add(out, "\n");
}

/* The rows of the first result that has the table; of several, the medians. */
static void add_table(const struct pario_history *h, const char *table, const char *title,
		      struct pario_text *out)
{
	struct pario_result_table_view view;
	struct pario_err err = { 0 };
	size_t first = 0;

	while (first < h->result_count &&
	       (!counts(h->results[first]) ||
		pario_result_table_find(h->results[first], table, &view, &err) < 0))
		first++;
	if (first == h->result_count)
		return;
	pario_text_add(out, "\n%s\n", title);
	for (size_t i = 0; i < view.row_count; i++) {
		const char *row = pario_result_table_text(&view, i, 0);

		add_line(out, row, median(h, cell, &(struct cell){ table, row, "calls" }),
			 median(h, cell, &(struct cell){ table, row, "original_s" }),
			 median(h, cell, &(struct cell){ table, row, "seconds" }));
	}
}

static void add_left(const struct pario_history *h, struct pario_text *out)
{
	double left = median(h, metric, "left_percent");

	/* a table that no result has is not there */
	add_table(h, "left", "Not made again", out);
	if (left > 0)
		pario_text_add(out,
			       "Calls on storage among them took %.1f %% of the original's I/O "
			       "time. It was spent as think time.\n",
			       left);
}

/* What makes the times here differ from a program's that has several requests under way. */
static void add_serial(const struct pario_history *h, struct pario_text *out)
{
	double serial = median(h, metric, "serial");

	if (serial > 0)
		pario_text_add(
			out,
			"\n%.0f asynchronous requests were made one after the other, when they were "
			"submitted. Their times in the original last until the program looked.\n",
			serial);
}

static int write_summary(const struct pario_history *h, struct pario_text *out,
			 struct pario_err *err)
{
	static const struct {
		const char *name, *there, *here;
	} lines[] = {
		{ "first call to last", "original_makespan_s", "makespan_s" },
		{ "in calls on storage", "original_io_s", "io_s" },
	};
	const char *trace = pario_history_param(h, "trace");

	(void)err;
	pario_text_add(out, "Replay of %s\n", trace ? trace : "a trace");
	pario_text_add(out, "%-*s  %9s  %11s  %11s  %10s\n", NAME_WIDTH, "", "calls", "original",
		       "here", "difference");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		add_line(out, lines[i].name, i ? median(h, metric, "calls") : NAN,
			 median(h, metric, lines[i].there), median(h, metric, lines[i].here));
	add_table(h, "classes", "By class", out);
	add_table(h, "sites", "By call site, those with most time in the trace", out);
	add_left(h, out);
	add_serial(h, out);
	return 0;
}

const struct pario_document pario_replay_summary = {
	.test = TEST,
	.file = "replay.txt",
	.shown = true,
	.write = write_summary,
};
