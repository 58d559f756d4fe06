/*
 * run: from tables to a table. A journal may come from anywhere, so every index is checked.
 */
#include "tests/beff/report/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Far above what is ever measured; bounds the memory that a journal can ask for. */
enum { PATTERNS_MAX = 1000, REPETITIONS_MAX = 100 };

static int malformed(struct pario_err *err, const char *what)
{
	return pario_err_set(err, PARIO_SYSTEM,
			     "a result of beff in the journal has %s; it was altered or is from "
			     "another version of pario. Measure again with this one.",
			     what);
}

/* Names are pario's own and are shown as they stand; others could speak to a terminal. */
static bool plain(const char *text)
{
	while (*text >= ' ' && *text < 0x7f)
		text++;
	return !*text;
}

static size_t find_item(const struct pario_beff_run *run, const char *item)
{
	size_t i = 0;

	while (i < run->head.row_count &&
	       strcmp(pario_result_table_text(&run->head, i, 0), item) != 0)
		i++;
	return i;
}

const char *pario_beff_run_text(const struct pario_beff_run *run, const char *item)
{
	return pario_result_table_text(&run->head, find_item(run, item), 1);
}

double pario_beff_run_number(const struct pario_beff_run *run, const char *item)
{
	return pario_result_table_number(&run->head, find_item(run, item), 1);
}

/* A whole number from 0 to below `end`, else -1. */
static int index_of(double value, unsigned end)
{
	return value >= 0 && value < end && value == floor(value) ? (int)value : -1;
}

static enum pario_beff_kind kind_of(const char *group, const char *name)
{
	if (strcmp(group, "ring") == 0)
		return PARIO_BEFF_RING;
	if (strcmp(group, "random") == 0)
		return PARIO_BEFF_RANDOM;
	return strcmp(name, "ping-pong") == 0 ? PARIO_BEFF_PING_PONG : PARIO_BEFF_GRID;
}

static int read_patterns(struct pario_beff_run *run, struct pario_err *err)
{
	struct pario_result_table_view table;
	int name, group, used, messages;

	if (pario_result_table_find(run->line, "patterns", &table, err) < 0 ||
	    (name = pario_result_table_column(&table, "name", err)) < 0 ||
	    (group = pario_result_table_column(&table, "group", err)) < 0 ||
	    (used = pario_result_table_column(&table, "processes", err)) < 0 ||
	    (messages = pario_result_table_column(&table, "messages", err)) < 0)
		return -1;
	if (table.row_count == 0 || table.row_count > PATTERNS_MAX)
		return malformed(err, "no usable list of patterns");
	run->patterns = calloc(table.row_count, sizeof(*run->patterns));
	if (!run->patterns)
		return pario_err_memory(err, "the patterns of b_eff");
	run->table.patterns = (unsigned)table.row_count;
	for (unsigned p = 0; p < run->table.patterns; p++) {
		struct pario_beff_pattern *pattern = &run->patterns[p];
		double many = pario_result_table_number(&table, p, messages);

		if (!plain(pario_result_table_text(&table, p, name)))
			return malformed(err, "a pattern without a proper name");
		snprintf(pattern->name, sizeof(pattern->name), "%s",
			 pario_result_table_text(&table, p, name));
		pattern->kind = kind_of(pario_result_table_text(&table, p, group), pattern->name);
		pattern->n = run->context.n;
		pattern->used = (unsigned)fmax(
			0, index_of(pario_result_table_number(&table, p, used), 1u << 30));
		pattern->messages = many >= 0 && many < 1e15 ? (uint64_t)many : 0;
	}
	return 0;
}

static int read_lengths(struct pario_beff_run *run, struct pario_err *err)
{
	struct pario_result_table_view table;
	int bytes;

	if (pario_result_table_find(run->line, "lengths", &table, err) < 0 ||
	    (bytes = pario_result_table_column(&table, "bytes", err)) < 0)
		return -1;
	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++) {
		int length = index_of(pario_result_table_number(&table, i, bytes), 1u << 30);

		if (length < 1)
			return malformed(err, "no usable list of message lengths");
		run->lengths[i] = (uint64_t)length;
	}
	run->context.lmax = run->lengths[PARIO_BEFF_LENGTHS - 1];
	return 0;
}

enum { REPETITION, LENGTH, PATTERN, METHOD, LOOP, MIN, MEAN, MAX, BANDWIDTH, MARK, COLUMNS };

static int read_row(struct pario_beff_run *run, size_t row, const int columns[COLUMNS],
		    struct pario_err *err)
{
	const struct pario_result_table_view *table = &run->measurements;
	double cell[MARK];
	int repetition, length, pattern, method;
	const char *mark = pario_result_table_text(table, row, columns[MARK]);

	for (unsigned i = 0; i < MARK; i++)
		cell[i] = pario_result_table_number(table, row, columns[i]);
	repetition = index_of(cell[REPETITION], run->table.repetitions);
	length = index_of(cell[LENGTH], PARIO_BEFF_LENGTHS);
	pattern = index_of(cell[PATTERN], run->table.patterns);
	method = index_of(cell[METHOD], PARIO_BEFF_METHODS);
	if (repetition < 0 || length < 0 || pattern < 0 || method < 0 ||
	    !(cell[LOOP] >= 1 && cell[LOOP] < 1e15) || !(cell[BANDWIDTH] > 0) ||
	    !strchr("MR", *mark))
		return malformed(err, "a measurement that cannot be");
	*pario_beff_at(&run->table, (unsigned)pattern, (unsigned)length, (unsigned)method,
		       (unsigned)repetition) =
		(struct pario_beff_record){ .bandwidth = cell[BANDWIDTH],
					    .min_ns = cell[MIN],
					    .mean_ns = cell[MEAN],
					    .max_ns = cell[MAX],
					    .loop = (uint64_t)cell[LOOP],
					    .mark = *mark ? *mark : ' ' };
	return 0;
}

static int read_measurements(struct pario_beff_run *run, struct pario_err *err)
{
	static const char *const names[COLUMNS] = { "repetition", "length", "pattern", "method",
						    "loop",	  "min_ns", "mean_ns", "max_ns",
						    "bandwidth",  "mark" };
	int columns[COLUMNS], repetitions;

	repetitions = index_of(pario_beff_run_number(run, "repetitions"), REPETITIONS_MAX);
	if (repetitions < 1)
		return malformed(err, "no number of repetitions");
	if (pario_beff_table_init(&run->table, run->table.patterns, (unsigned)repetitions, err) < 0)
		return -1;
	/* A run that was stopped at once has measured nothing. */
	if (!json_object_get(json_object_get(run->line, "sheets"), "measurements"))
		return 0;
	if (pario_result_table_find(run->line, "measurements", &run->measurements, err) < 0)
		return -1;
	for (unsigned i = 0; i < COLUMNS; i++)
		if ((columns[i] = pario_result_table_column(&run->measurements, names[i], err)) < 0)
			return -1;
	for (size_t row = 0; row < run->measurements.row_count; row++)
		if (read_row(run, row, columns, err) < 0)
			return -1;
	return 0;
}

static int read_head(struct pario_beff_run *run, struct pario_err *err)
{
	if (pario_result_table_find(run->line, "head", &run->head, err) < 0)
		return -1;
	for (size_t i = 0; i < run->head.row_count; i++)
		if (!plain(pario_result_table_text(&run->head, i, 0)))
			return malformed(err, "an item without a proper name");
	snprintf(run->mark, sizeof(run->mark), "%s", pario_beff_run_text(run, "mark"));
	return plain(run->mark) ? 0 : malformed(err, "a mark that cannot be");
}

static int read_all(struct pario_beff_run *run, struct pario_err *err)
{
	double memory;
	int n = index_of(json_number_value(json_object_get(run->line, "clients")), 1u << 30);

	if (n < 2)
		return malformed(err, "no number of processes");
	run->context.n = (unsigned)n;
	if (read_head(run, err) < 0 || read_patterns(run, err) < 0 || read_lengths(run, err) < 0 ||
	    read_measurements(run, err) < 0)
		return -1;
	memory = pario_beff_run_number(run, "memory_bytes");
	run->context.memory_bytes = memory > 0 && memory < 1e18 ? (uint64_t)memory : 0;
	run->context.rmax = pario_beff_run_number(run, "rmax");
	run->elapsed_s = pario_beff_run_number(run, "elapsed_s");
	run->complete = pario_beff_average(&run->table, run->patterns, &run->figures) &&
			pario_beff_run_number(run, "complete") > 0;
	pario_beff_publish(&run->context, &run->figures, run->numbers);
	return 0;
}

bool pario_beff_run_is(const json_t *line)
{
	return json_object_get(line, "sheets") &&
	       strcmp(pario_history_text(line, "phase"), "hpcc") != 0;
}

int pario_beff_run_read(struct pario_beff_run *run, const json_t *line, struct pario_err *err)
{
	memset(run, 0, sizeof(*run));
	run->line = line;
	if (read_all(run, err) == 0)
		return 0;
	pario_beff_run_release(run);
	return -1;
}

void pario_beff_run_release(struct pario_beff_run *run)
{
	pario_beff_table_release(&run->table);
	free(run->patterns);
	memset(run, 0, sizeof(*run));
}
