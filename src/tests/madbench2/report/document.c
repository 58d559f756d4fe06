/*
 * document: MADbench2's own report, from the journal (docs/madbench2.md).
 *
 * For each point and repetition head lines with its arguments and its environment, then a line per phase and kind
 * of time: the average over the processes and [least:most], in seconds. Kinds that took no time have no line. In
 * full mode dC[0] is last, before the averages of all reads, all writes and both. Where there are several
 * repetitions, these three come again at the end: their means over the repetitions, and the deviations in percent
 * of the mean.
 */
#include "tests/madbench2/report/document.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "journal/table.h"

static const char *const arguments[] = { "no_pix",     "no_bin", "no_gang", "sblocksize",
					 "fblocksize", "r_mod",	 "w_mod",   NULL };
static const char *const environment[] = {
	"iomethod", "iomode", "filetype", "remap", "bwexp", NULL
};

/* A swept parameter stands with the result, the others with the run. */
static const char *value_of(const struct pario_history *history, const json_t *result,
			    const char *name)
{
	const char *value = pario_history_text(json_object_get(result, "params"), name);

	if (!*value)
		value = pario_history_param(history, name);
	return value ? value : "";
}

static void add_capitals(struct pario_text *out, const char *word)
{
	for (; *word; word++)
		pario_text_add(out, "%c", toupper((unsigned char)*word));
}

/* As the original takes it: numbers without units, words in capitals. */
static void add_value(struct pario_text *out, const char *value, bool number)
{
	struct pario_err err = { 0 };
	struct pario_text clean = { 0 };
	uint64_t plain;

	if (number && pario_units_parse_size("", value, &plain, &err) == 0) {
		pario_text_add(out, "%llu", (unsigned long long)plain);
		return;
	}
	pario_text_clean(&clean, value);
	add_capitals(out, pario_text_string(&clean));
	pario_text_release(&clean);
}

/* The side of the matrices may have followed from the memory: then only the result has it. */
static void add_parameter(struct pario_text *out, const struct pario_history *history,
			  const json_t *result, const char *name, bool number)
{
	double measured = strcmp(name, "no_pix") == 0 ? pario_history_metric(result, name) : NAN;

	add_capitals(out, name);
	pario_text_add(out, " = ");
	if (isnan(measured))
		add_value(out, value_of(history, result, name), number);
	else
		pario_text_add(out, "%.0f", measured);
}

static void add_head(struct pario_text *out, const struct pario_history *history,
		     const json_t *result)
{
	bool full = strcmp(value_of(history, result, "mode"), "full") == 0;

	pario_text_add(out, "%sMADbench2, %s mode\nNO_PE = %.0f", out->length ? "\n" : "",
		       full ? "full" : "I/O",
		       json_number_value(json_object_get(result, "clients")));
	for (size_t i = 0; arguments[i]; i++) {
		pario_text_add(out, "  ");
		add_parameter(out, history, result, arguments[i], true);
	}
	pario_text_add(out, "\n");
	for (size_t i = 0; environment[i]; i++) {
		pario_text_add(out, "%s", i ? "  " : "");
		add_parameter(out, history, result, environment[i], false);
	}
	pario_text_add(out, "\n");
}

/* Seconds of a repetition over all its phases, as averages over the processes. */
struct sums {
	double read, write;
	bool whole; /* its last phase is there */
};

enum { POINTS = 256, TIMES = 3 }; /* read, write, both */

/* The repetitions of a point: how many, their sums and sums of squares. */
struct repetitions {
	const char *point;
	double clients, count, sum[TIMES], squares[TIMES];
};

struct all {
	struct repetitions points[POINTS];
	size_t count;
	struct repetitions *current; /* NULL: beyond the last */
};

static void choose_point(struct all *all, const json_t *result)
{
	const char *point = pario_history_text(result, "point");
	double clients = json_number_value(json_object_get(result, "clients"));

	for (size_t i = 0; i < all->count; i++) {
		all->current = &all->points[i];
		if (strcmp(all->current->point, point) == 0 && all->current->clients == clients)
			return;
	}
	all->current = all->count < POINTS ? &all->points[all->count++] : NULL;
	if (all->current)
		*all->current = (struct repetitions){ .point = point, .clients = clients };
}

static void keep(struct all *all, const struct sums *sums)
{
	const double times[TIMES] = { sums->read, sums->write, sums->read + sums->write };

	if (!all->current)
		return;
	all->current->count++;
	for (int i = 0; i < TIMES; i++) {
		all->current->sum[i] += times[i];
		all->current->squares[i] += times[i] * times[i];
	}
}

/* Deviations divide by the number of repetitions. */
static void add_repetitions(struct pario_text *out, const struct all *all)
{
	bool headed = false;

	for (size_t i = 0; i < all->count; i++) {
		const struct repetitions *r = &all->points[i];

		if (r->count < 2)
			continue;
		if (!headed)
			pario_text_add(
				out,
				"\nmeans over the repetitions, in seconds, and their deviations in percent\n"
				"%9s %11s %10s %7s %10s %7s %10s %7s\n",
				"processes", "repetitions", "read", "RSD %", "write", "RSD %",
				"I/O", "RSD %");
		headed = true;
		pario_text_add(out, "%9.0f %11.0f", r->clients, r->count);
		for (int k = 0; k < TIMES; k++) {
			double mean = r->sum[k] / r->count;
			double variance = fmax(0, r->squares[k] / r->count - mean * mean);

			pario_text_add(out, " %10.2f %7.2f", mean,
				       mean > 0 ? 100 * sqrt(variance) / mean : 0.0);
		}
		pario_text_add(out, "%s", *r->point ? "  " : "");
		pario_text_clean(out, r->point);
		pario_text_add(out, "\n");
	}
}

static void take(struct sums *sums, const char *line, double mean)
{
	const char *ending = strrchr(line, '_');

	if (ending && strcmp(ending, "_r") == 0)
		sums->read += mean;
	else if (ending && strcmp(ending, "_w") == 0)
		sums->write += mean;
}

static void add_sums(struct pario_text *out, struct sums *sums, struct all *all)
{
	if (sums->whole && sums->read + sums->write > 0)
		keep(all, sums);
	if (sums->read + sums->write > 0)
		pario_text_add(out, "%-8s %10.2f\n%-8s %10.2f\n%-8s %10.2f\n", "read", sums->read,
			       "write", sums->write, "I/O", sums->read + sums->write);
	*sums = (struct sums){ 0 };
}

static int add_times(struct pario_text *out, const json_t *result, struct sums *sums,
		     struct pario_err *err)
{
	struct pario_result_table_view times;
	int line, mean, least, most;

	if (pario_result_table_find(result, "times", &times, err) < 0)
		return -1;
	line = pario_result_table_column(&times, "line", err);
	mean = pario_result_table_column(&times, "mean_s", err);
	least = pario_result_table_column(&times, "min_s", err);
	most = pario_result_table_column(&times, "max_s", err);
	if (line < 0 || mean < 0 || least < 0 || most < 0)
		return -1;
	for (size_t i = 0; i < times.row_count; i++) {
		const char *name = pario_result_table_text(&times, i, line);

		pario_text_clean(out, name);
		pario_text_add(out, "%*s %10.2f [%10.2f:%10.2f]\n",
			       strlen(name) < 8 ? 8 - (int)strlen(name) : 0, "",
			       pario_result_table_number(&times, i, mean),
			       pario_result_table_number(&times, i, least),
			       pario_result_table_number(&times, i, most));
		take(sums, name, pario_result_table_number(&times, i, mean));
	}
	return 0;
}

static int write_report(const struct pario_history *history, struct pario_text *out,
			struct pario_err *err)
{
	static struct all all;
	struct sums sums = { 0 };

	all = (struct all){ 0 };
	for (size_t i = 0; i < history->result_count; i++) {
		const json_t *result = history->results[i];
		const char *outcome = pario_history_text(result, "outcome");
		double answer = pario_history_metric(result, "dC0");

		if (strcmp(outcome, "skip") == 0 || strcmp(outcome, "fail") == 0 ||
		    strcmp(pario_history_text(result, "test"), "madbench2") != 0)
			continue;
		if (strcmp(pario_history_text(result, "phase"), "S") == 0) {
			add_sums(out, &sums, &all);
			choose_point(&all, result);
			add_head(out, history, result);
		}
		/* A phase that was interrupted has no times. */
		if (json_object_get(json_object_get(result, "sheets"), "times") &&
		    add_times(out, result, &sums, err) < 0)
			return -1;
		sums.whole |= strcmp(pario_history_text(result, "phase"), "C") == 0;
		if (!isnan(answer))
			pario_text_add(out, "dC[0] = %.5e\n", answer);
	}
	add_sums(out, &sums, &all);
	add_repetitions(out, &all);
	return 0;
}

const struct pario_document pario_madbench2_report = {
	.test = "madbench2",
	.file = "madbench2.txt",
	.shown = true,
	.write = write_report,
};
