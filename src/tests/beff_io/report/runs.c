/*
 * runs: from tables to records. Result lines of one run share point, clients and repetition; their tables say
 * which partition a row belongs to.
 */
#include "tests/beff_io/report/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "journal/table.h"

/* A table with its columns found by name; the tables of a line that was written by a later release may have more. */
struct table {
	struct pario_result_table_view view;
	bool there;
};

static bool table_open(const json_t *line, const char *name, struct table *t)
{
	t->there = pario_result_table_find(line, name, &t->view, NULL) == 0;
	return t->there;
}

static double number(const struct table *t, size_t row, const char *column)
{
	int at = pario_result_table_column(&t->view, column, NULL);

	return at < 0 ? (double)NAN : pario_result_table_number(&t->view, row, at);
}

/* Whole numbers from outside: what is none, or not in range, is 0. */
static uint64_t whole(const struct table *t, size_t row, const char *column)
{
	double value = number(t, row, column);

	return value >= 0 && value < 9.2e18 ? (uint64_t)value : 0;
}

/* Times: longer than this (a hundred days) none can be, and sums of them stay whole numbers. */
static int64_t time_of(const struct table *t, size_t row, const char *column)
{
	uint64_t ns = whole(t, row, column);

	return ns < (uint64_t)1e16 ? (int64_t)ns : 0;
}

static int access_of(const json_t *line)
{
	const char *phase = pario_history_text(line, "phase");

	for (int a = 0; a < PARIO_BEFF_IO_ACCESSES; a++)
		if (strcmp(phase, pario_beff_io_access_names[a]) == 0)
			return a;
	return -1;
}

static uint64_t member(const json_t *line, const char *name)
{
	json_int_t value = json_integer_value(json_object_get(line, name));

	return value > 0 ? (uint64_t)value : 0;
}

static struct pario_beff_io_run *find(struct pario_beff_io_runs *runs, const json_t *line,
				      unsigned partition)
{
	const char *point = pario_history_text(line, "point");
	uint64_t clients = member(line, "clients"), repetition = member(line, "repetition");
	struct pario_beff_io_run *grown;

	for (size_t i = 0; i < runs->count; i++) {
		struct pario_beff_io_run *r = &runs->run[i];

		if (r->clients == clients && r->repetition == repetition &&
		    r->partition == partition && strcmp(r->point, point) == 0)
			return r;
	}
	grown = realloc(runs->run, (runs->count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	runs->run = grown;
	grown += runs->count++;
	memset(grown, 0, sizeof(*grown));
	grown->point = point;
	grown->clients = clients;
	grown->repetition = repetition;
	grown->partition = partition;
	return grown;
}

static void take_partition(const struct table *t, size_t i, struct pario_beff_io_run *r)
{
	int release = pario_result_table_column(&t->view, "release", NULL);
	const char *name = release < 0 ? "" : pario_result_table_text(&t->view, i, release);
	struct pario_beff_io_record *record = &r->record;

	record->clients = whole(t, i, "clients");
	record->nodes = whole(t, i, "nodes");
	record->per_node = whole(t, i, "per_node");
	record->mpart = whole(t, i, "mpart_bytes");
	record->segment = whole(t, i, "segment_bytes");
	record->plan.release =
		strcmp(name, "paper") == 0 ? PARIO_BEFF_IO_PAPER : PARIO_BEFF_IO_RELEASE_2;
	record->plan.seconds = number(t, i, "seconds");
	record->plan.partitions = (unsigned)whole(t, i, "partitions");
	record->plan.rewrite_all = whole(t, i, "rewrite_all") != 0;
	r->node_bytes = whole(t, i, "node_bytes");
	r->memory_bytes = whole(t, i, "memory_bytes");
	r->pointers = whole(t, i, "shared_pointers") != 0;
	r->durable = whole(t, i, "durable") != 0;
	r->brief = whole(t, i, "short") != 0;
}

static void take_pattern(const struct table *t, size_t i, int access, struct pario_beff_io_run *r)
{
	uint64_t p = whole(t, i, "pattern");
	struct pario_beff_io_timing *to;

	if (p >= PARIO_BEFF_IO_PATTERNS)
		return;
	to = &r->record.pattern[access][p];
	r->scheduled_ns[p] = time_of(t, i, "scheduled_ns");
	r->chunk[p] = whole(t, i, "chunk_bytes");
	r->call[p] = whole(t, i, "call_bytes");
	*to = (struct pario_beff_io_timing){
		.calls = whole(t, i, "calls"),
		.bytes = whole(t, i, "bytes"),
		.errors = whole(t, i, "errors"),
		.ns = time_of(t, i, "ns"),
		.io_ns = time_of(t, i, "io_ns"),
		.barrier_ns = time_of(t, i, "barrier_ns"),
		.bcast_ns = time_of(t, i, "bcast_ns"),
		.sync_ns = time_of(t, i, "sync_ns"),
		.loop_ns = time_of(t, i, "loop_ns"),
		.decide_ns = time_of(t, i, "decide_ns"),
		.last_call_ns = time_of(t, i, "last_call_ns"),
		.last_decide_ns = time_of(t, i, "last_decide_ns"),
		.check_ns = time_of(t, i, "check_ns"),
		.done = whole(t, i, "complete") != 0,
	};
}

static void take_type(const struct table *t, size_t i, int access, struct pario_beff_io_run *r)
{
	uint64_t type = whole(t, i, "type");

	if (type >= PARIO_BEFF_IO_TYPES)
		return;
	r->record.type[access][type].open_ns = time_of(t, i, "open_ns");
	r->record.type[access][type].close_ns = time_of(t, i, "close_ns");
	r->record.type[access][type].done = whole(t, i, "complete") != 0;
}

/* Data that were found wrong after the time have no count in the pattern's own row. */
static void take_error(const struct table *t, size_t i, int access, struct pario_beff_io_run *r)
{
	uint64_t p = whole(t, i, "pattern");

	if (p >= PARIO_BEFF_IO_PATTERNS)
		return;
	if (r->record.pattern[access][p].errors == 0)
		r->record.pattern[access][p].errors = 1;
	r->first[p].seen = true;
	r->first[p].access = access;
	r->first[p].client = whole(t, i, "client");
	r->first[p].call = whole(t, i, "call");
	r->first[p].element = whole(t, i, "element");
	r->first[p].found = number(t, i, "found");
	r->first[p].expected = number(t, i, "expected");
}

/* Rows of a table, each to the run it belongs to. */
static int take_line(struct pario_beff_io_runs *runs, const json_t *line, int access,
		     struct pario_err *err)
{
	static const char *const tables[] = { "partitions", "patterns", "types", "errors" };
	struct pario_beff_io_run *r;
	struct table t;

	for (size_t s = 0; s < sizeof(tables) / sizeof(tables[0]); s++) {
		if (!table_open(line, tables[s], &t))
			continue;
		for (size_t i = 0; i < t.view.row_count; i++) {
			uint64_t partition = whole(&t, i, "partition");

			if (partition >= PARIO_BEFF_IO_PARTITIONS)
				continue;
			r = find(runs, line, (unsigned)partition);
			if (!r)
				return pario_err_memory(err, "the results of b_eff_io");
			if (s == 0)
				take_partition(&t, i, r);
			else if (s == 1)
				take_pattern(&t, i, access, r);
			else if (s == 2)
				take_type(&t, i, access, r);
			else
				take_error(&t, i, access, r);
		}
	}
	return 0;
}

int pario_beff_io_runs_load(struct pario_beff_io_runs *runs, const struct pario_history *history,
			    struct pario_err *err)
{
	int status = 0;

	memset(runs, 0, sizeof(*runs));
	for (size_t i = 0; i < history->result_count && status == 0; i++) {
		const json_t *line = history->results[i];
		int access = access_of(line);

		if (access >= 0 && strcmp(pario_history_text(line, "test"), "beff_io") == 0)
			status = take_line(runs, line, access, err);
	}
	if (status < 0)
		pario_beff_io_runs_release(runs);
	return status;
}

void pario_beff_io_runs_release(struct pario_beff_io_runs *runs)
{
	free(runs->run);
	memset(runs, 0, sizeof(*runs));
}

double pario_beff_io_run_seconds(const struct pario_beff_io_run *r)
{
	unsigned parts = r->record.plan.partitions;

	return r->record.plan.seconds / (parts ? parts : 1);
}

unsigned pario_beff_io_run_flaws(const struct pario_beff_io_run *r)
{
	unsigned flaws = 0;

	if (r->brief || !pario_beff_io_official(&r->record.plan))
		flaws |= PARIO_BEFF_IO_TOO_SHORT;
	if (!r->pointers)
		flaws |= PARIO_BEFF_IO_NO_POINTERS;
	if (pario_beff_io_errors(&r->record) > 0)
		flaws |= PARIO_BEFF_IO_ERRORS;
	if (!pario_beff_io_record_complete(&r->record))
		flaws |= PARIO_BEFF_IO_INCOMPLETE;
	return flaws;
}

const struct pario_beff_io_run *pario_beff_io_runs_best(const struct pario_beff_io_runs *runs)
{
	const struct pario_beff_io_run *best = NULL;

	for (size_t i = 0; i < runs->count; i++) {
		double value =
			pario_beff_io_sound(&runs->run[i].record, pario_beff_io_record_value);

		if (!isnan(value) && (!best || value > pario_beff_io_record_value(&best->record)))
			best = &runs->run[i];
	}
	return best;
}
