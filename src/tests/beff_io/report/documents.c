/*
 * documents: the protocol and the summary of b_eff_io, made from the journal alone (docs/beff_io.md).
 *
 * Bandwidths are MB/s, 10^6 bytes; sizes of chunks count 1024. A pattern with errors shows -999.999 and one that was
 * not measured a dash.
 */
#include "tests/beff_io/report/documents.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "journal/table.h"
#include "tests/beff_io/report/runs.h"

enum { CAPACITY = 24 };

/* Data are on disk to 95 % when 20 times what a cache can hold was moved (paper, section 5.4). */
#define CACHE_TIMES 20.0

static char *shown(char text[CAPACITY], double value)
{
	if (isnan(value))
		snprintf(text, CAPACITY, "-");
	else
		snprintf(text, CAPACITY, "%.3f", value);
	return text;
}

static char *pattern_shown(char text[CAPACITY], const struct pario_beff_io_record *r, int access,
			   unsigned pattern)
{
	if (r->pattern[access][pattern].errors > 0)
		return shown(text, -999.999);
	return shown(text,
		     pario_beff_io_pattern_mb_s(r, (enum pario_beff_io_access)access, pattern));
}

static double s_of(int64_t ns)
{
	return (double)ns / 1e9;
}

/* The value by its release's rule, and beside it by the other one. */
static void value_line(struct pario_text *out, const struct pario_beff_io_record *r)
{
	bool paper = r->plan.release == PARIO_BEFF_IO_PAPER;
	char value[CAPACITY], other[CAPACITY];

	pario_text_add(out, "  b_eff_io of this partition = %s MB/s (%s: %s MB/s)\n",
		       shown(value, pario_beff_io_sound(r, pario_beff_io_record_value)),
		       paper ? "release 2.1's rule" : "the paper's weights",
		       shown(other, paper ? pario_beff_io_sound(r, pario_beff_io_record_release)
					  : pario_beff_io_sound(r, pario_beff_io_record_paper)));
}

static const char *yes(bool well)
{
	return well ? "yes" : "NO";
}

/* ---- protocol ---- */

/* Without the prefix that tells runs apart; with type 2 each process has its own. */
static char *file_name(char name[48], const struct pario_beff_io_run *run,
		       enum pario_beff_io_type type)
{
	snprintf(name, 48, "p%u.n%llu.t%d%s", run->partition,
		 (unsigned long long)run->record.clients, (int)type,
		 type == PARIO_BEFF_IO_SEPARATED ? ".*" : "");
	return name;
}

/* The definition prints one error of a pattern, and counts the others. */
static void error_line(struct pario_text *out, const struct pario_beff_io_run *run, int access,
		       unsigned p)
{
	uint64_t errors = run->record.pattern[access][p].errors;

	pario_text_add(out, "      %llu error%s in pattern %u", (unsigned long long)errors,
		       errors == 1 ? "" : "s", p);
	if (run->first[p].seen && run->first[p].access == access)
		pario_text_add(
			out,
			"; the first on client %llu: element %llu of call %llu is %.17g instead of %.17g",
			(unsigned long long)run->first[p].client,
			(unsigned long long)run->first[p].element,
			(unsigned long long)run->first[p].call, run->first[p].found,
			run->first[p].expected);
	pario_text_add(out, "\n");
}

static void pattern_line(struct pario_text *out, const struct pario_beff_io_run *run, int access,
			 unsigned p)
{
	const struct pario_beff_io_record *r = &run->record;
	const struct pario_beff_io_timing *t = &r->pattern[access][p];
	char bw[CAPACITY], file[48];

	pario_text_add(
		out,
		"%5llu %-7s %-9s %2u %8.3f %9llu %9llu %-12s %10llu %12.3f %9.4f %9.4f %8.4f %8.4f "
		"%8.4f %8.4f %9.6f %9.6f %6.3f %10s%s\n",
		(unsigned long long)r->clients, pario_beff_io_access_names[access],
		pario_beff_io_type_names[pario_beff_io_patterns[p].type], p,
		s_of(run->scheduled_ns[p]), (unsigned long long)run->chunk[p],
		(unsigned long long)run->call[p],
		file_name(file, run, pario_beff_io_patterns[p].type), (unsigned long long)t->calls,
		(double)(r->clients * t->bytes) / 1e6, s_of(t->ns), s_of(t->io_ns),
		s_of(t->barrier_ns), s_of(t->bcast_ns), s_of(t->sync_ns), s_of(t->check_ns),
		s_of(t->last_call_ns), s_of(t->last_decide_ns),
		t->ns > 0 ? 100.0 * (double)t->decide_ns / (double)t->ns : 0.0,
		pattern_shown(bw, r, access, p), t->done ? "" : "  incomplete");
	if (t->errors)
		error_line(out, run, access, p);
}

static void type_line(struct pario_text *out, const struct pario_beff_io_run *run, int access,
		      int type)
{
	const struct pario_beff_io_record *r = &run->record;
	enum pario_beff_io_access a = (enum pario_beff_io_access)access;
	enum pario_beff_io_type t = (enum pario_beff_io_type)type;
	char wbw[CAPACITY], value[CAPACITY];

	pario_text_add(
		out,
		"      S = %.3f MB, t = %.4f s, t_open = %.4f s, t_close = %.4f s, wbw = %s MB/s, "
		"b_eff_io_%s_%s = %s MB/s",
		(double)pario_beff_io_type_bytes(r, a, t) / 1e6,
		s_of(pario_beff_io_type_ns(r, a, t)), s_of(r->type[a][t].open_ns),
		s_of(r->type[a][t].close_ns),
		shown(wbw, pario_beff_io_weighted_mb_s(r, a, (unsigned)type)),
		pario_beff_io_access_names[access], pario_beff_io_type_names[type],
		shown(value, pario_beff_io_type_mb_s(r, a, t)));
	if (type >= PARIO_BEFF_IO_SEGMENTED)
		pario_text_add(out, ", Lseg = %llu", (unsigned long long)r->segment);
	pario_text_add(out, "\n");
}

static bool measured(const struct pario_beff_io_record *r, int access, int type)
{
	for (unsigned p = pario_beff_io_first[type]; p < pario_beff_io_first[type + 1]; p++)
		if (r->pattern[access][p].ns > 0)
			return true;
	return false;
}

/* Returns the time of the access method, open to close of all types. */
static int64_t access_lines(struct pario_text *out, const struct pario_beff_io_run *run, int access)
{
	const struct pario_beff_io_record *r = &run->record;
	enum pario_beff_io_access a = (enum pario_beff_io_access)access;
	uint64_t bytes = pario_beff_io_access_bytes(r, a);
	char bw[CAPACITY], wbw[CAPACITY], value[CAPACITY];
	int64_t ns = 0;

	for (int t = 0; t < PARIO_BEFF_IO_TYPES; t++) {
		if (!measured(r, access, t))
			continue;
		for (unsigned p = pario_beff_io_first[t]; p < pario_beff_io_first[t + 1]; p++)
			if (r->pattern[access][p].ns > 0)
				pattern_line(out, run, access, p);
		type_line(out, run, access, t);
		ns += pario_beff_io_type_ns(r, a, (enum pario_beff_io_type)t);
	}
	if (ns > 0)
		pario_text_add(out,
			       "  %s: S = %.3f MB, t = %.4f s, Tn = %.1f s, bw = %s MB/s, wbw = %s "
			       "MB/s, b_eff_io_%s = %s MB/s\n\n",
			       pario_beff_io_access_names[access], (double)bytes / 1e6, s_of(ns),
			       pario_beff_io_run_seconds(run),
			       shown(bw, pario_beff_io_mb_s(bytes, ns)),
			       shown(wbw, pario_beff_io_weighted_mb_s(r, a, PARIO_BEFF_IO_TYPES)),
			       pario_beff_io_access_names[access],
			       shown(value, pario_beff_io_access_mb_s(r, a)));
	return ns;
}

/* Patterns that end by time: did they, and what did deciding cost? */
static void schedule_lines(struct pario_text *out, const struct pario_beff_io_run *run)
{
	double worst_share = 0, worst_late = 0;
	unsigned late = 0, dear = 0;

	for (int a = 0; a < PARIO_BEFF_IO_ACCESSES; a++)
		for (unsigned p = 0; p < PARIO_BEFF_IO_PATTERNS; p++) {
			const struct pario_beff_io_timing *t = &run->record.pattern[a][p];
			double share, over = 0;

			if (!t->done || t->ns <= 0)
				continue;
			share = (double)t->decide_ns / (double)t->ns;
			if (share > worst_share) {
				worst_share = share;
				dear = p;
			}
			if (a != PARIO_BEFF_IO_WRITE || run->scheduled_ns[p] == 0 ||
			    pario_beff_io_patterns[p].type >= PARIO_BEFF_IO_SEGMENTED)
				continue;
			over = (double)t->loop_ns / (double)run->scheduled_ns[p] - 1;
			worst_late = over > worst_late ? over : worst_late;
			late += over > 0.1 && t->loop_ns - run->scheduled_ns[p] >
						      t->io_ns / (int64_t)(t->calls ? t->calls : 1);
		}
	pario_text_add(
		out,
		"  decisions cost at most %.3f %% of a pattern's time (pattern %u); %u scheduled "
		"patterns ended later than 10 %% and one call after their time, the latest by "
		"%.1f %%\n\n",
		100 * worst_share, dear, late, 100 * worst_late);
}

static void partition_lines(struct pario_text *out, const struct pario_beff_io_run *run)
{
	const struct pario_beff_io_record *r = &run->record;
	uint64_t bytes = 0;
	int64_t ns = 0;

	for (int a = 0; a < PARIO_BEFF_IO_ACCESSES; a++) {
		ns += access_lines(out, run, a);
		bytes += pario_beff_io_access_bytes(r, (enum pario_beff_io_access)a);
	}
	schedule_lines(out, run);
	pario_text_add(out, "  total of this partition: S = %.3f MB, t = %.4f s\n",
		       (double)bytes / 1e6, s_of(ns));
	value_line(out, r);
	pario_text_add(out, "\n");
}

/* A partition is a number of nodes with so many processes on each; journals of old do not say how many. */
static char *nodes_shown(char *text, size_t capacity, const struct pario_beff_io_record *r)
{
	int n = snprintf(text, capacity, "%llu node%s", (unsigned long long)r->nodes,
			 r->nodes == 1 ? "" : "s");

	if (r->per_node)
		snprintf(text + n, capacity - (size_t)n, " x %s%llu",
			 r->nodes * r->per_node == r->clients ? "" : "at most ",
			 (unsigned long long)r->per_node);
	return text;
}

static void head(struct pario_text *out, const struct pario_beff_io_run *run)
{
	const struct pario_beff_io_record *r = &run->record;
	char memory[PARIO_UNITS_CAPACITY], mpart[PARIO_UNITS_CAPACITY], nodes[64];

	pario_text_add(out,
		       "b_eff_io, %s: partition of %llu process%s on %s, T = %.4g min, memory "
		       "per node %s, M_PART = %s%s%s%s\n",
		       r->plan.release == PARIO_BEFF_IO_PAPER ? "as the paper defines it"
							      : "schedule of release 2.0",
		       (unsigned long long)r->clients, r->clients == 1 ? "" : "es",
		       nodes_shown(nodes, sizeof(nodes), r), pario_beff_io_run_seconds(run) / 60,
		       pario_units_size(memory, run->memory_bytes),
		       pario_units_size(mpart, r->mpart), run->brief ? ", short" : "",
		       run->durable ? ", with an fsync after each pattern that writes" : "",
		       run->repetition ? ", repeated" : "");
	if (run->point[0]) {
		pario_text_add(out, "point: ");
		pario_text_clean(out, run->point);
		pario_text_add(out, "\n");
	}
}

static int protocol(const struct pario_history *history, struct pario_text *out,
		    struct pario_err *err)
{
	struct pario_beff_io_runs runs;
	char value[CAPACITY];

	if (pario_beff_io_runs_load(&runs, history, err) < 0)
		return -1;
	for (size_t i = 0; i < runs.count; i++) {
		head(out, &runs.run[i]);
		pario_text_add(out,
			       "%5s %-7s %-9s %2s %8s %9s %9s %-12s %10s %12s %9s %9s %8s %8s %8s "
			       "%8s %9s %9s %6s %10s\n",
			       "n", "access", "type", "p", "Tp/s", "l", "L", "file", "calls", "MB",
			       "t/s", "io/s", "barr./s", "bcast/s", "sync/s", "check/s", "last io",
			       "last dec.", "dec./%", "bw/MB/s");
		partition_lines(out, &runs.run[i]);
	}
	if (pario_beff_io_runs_best(&runs))
		pario_text_add(out, "maximum over the partitions: b_eff_io = %s MB/s\n",
			       shown(value, pario_beff_io_record_value(
						    &pario_beff_io_runs_best(&runs)->record)));
	pario_beff_io_runs_release(&runs);
	return 0;
}

/* ---- summary ---- */

static unsigned pattern_at(int type, unsigned row)
{
	for (unsigned p = pario_beff_io_first[type]; p < pario_beff_io_first[type + 1]; p++)
		if (pario_beff_io_patterns[p].row == row)
			return p;
	return 0;
}

static void access_table(struct pario_text *out, const struct pario_beff_io_record *r, int access)
{
	const char *name = pario_beff_io_access_names[access];
	enum pario_beff_io_access a = (enum pario_beff_io_access)access;
	char text[CAPACITY], label[32];

	pario_text_add(out, "\n  %-14s", "MB/s");
	for (int t = 0; t < PARIO_BEFF_IO_TYPES; t++)
		pario_text_add(out, " %11s", pario_beff_io_type_names[t]);
	for (unsigned row = 1; row <= PARIO_BEFF_IO_ROWS; row++) {
		snprintf(label, sizeof(label), "%s %s", name, pario_beff_io_row_names[row]);
		pario_text_add(out, "\n  %-14s", label);
		for (int t = 0; t < PARIO_BEFF_IO_TYPES; t++)
			pario_text_add(out, " %11s",
				       pattern_shown(text, r, access, pattern_at(t, row)));
	}
	snprintf(label, sizeof(label), "total-%s", name);
	pario_text_add(out, "\n  %-14s", label);
	for (int t = 0; t < PARIO_BEFF_IO_TYPES; t++)
		pario_text_add(
			out, " %11s",
			shown(text, pario_beff_io_type_mb_s(r, a, (enum pario_beff_io_type)t)));
	pario_text_add(out, "\n  scatter with 1 MB on disk and 2 MB in memory: %s MB/s\n",
		       pattern_shown(text, r, access, 2));
	pario_text_add(out, "  weighted mean of the patterns: %s MB/s\n",
		       shown(text, pario_beff_io_weighted_mb_s(r, a, PARIO_BEFF_IO_TYPES)));
	pario_text_add(out, "  b_eff_io_%s = %s MB/s\n", name,
		       shown(text, pario_beff_io_access_mb_s(r, a)));
}

static void volume(struct pario_text *out, const struct pario_beff_io_run *run)
{
	const struct pario_beff_io_record *r = &run->record;
	double memory = (double)run->node_bytes * (double)r->nodes, least = INFINITY;
	double write = pario_beff_io_access_mb_s(r, PARIO_BEFF_IO_WRITE);
	double written = (double)pario_beff_io_access_bytes(r, PARIO_BEFF_IO_WRITE) / 1e6;
	char size[PARIO_UNITS_CAPACITY];

	for (int a = 0; a < PARIO_BEFF_IO_ACCESSES; a++) {
		double bytes = (double)pario_beff_io_access_bytes(r, (enum pario_beff_io_access)a);

		pario_text_add(out, "  %-8s moved %.1f MBytes, %.2f %% of the memory\n",
			       pario_beff_io_access_names[a], bytes / 1e6, 100 * bytes / memory);
		if (a != PARIO_BEFF_IO_REWRITE || r->plan.rewrite_all)
			least = bytes < least ? bytes : least;
	}
	pario_text_add(out,
		       "  20 times the cache: each access method should move %.0f MBytes, 20 times "
		       "the memory that could cache it (%s), and the least moved %.3g times: %s\n",
		       CACHE_TIMES * memory / 1e6, pario_units_size(size, (uint64_t)memory),
		       least / memory,
		       least > CACHE_TIMES * memory
			       ? "met"
			       : "NOT met, so the values may be those of the cache");
	if (!isnan(write))
		pario_text_add(out,
			       "  smallest size of all files: %.1f MBytes, the rate of the initial "
			       "write for 300 s, and %.1f were written: %s\n",
			       pario_beff_io_smallest_mb(r), written,
			       yes(written >= pario_beff_io_smallest_mb(r)));
	if (!isnan(write))
		pario_text_add(out,
			       "  coffee cup: %.3g minutes to write the whole memory (10 are "
			       "expected of a balanced system)\n",
			       memory / 1e6 / write / 60);
}

static void verdict(struct pario_text *out, const struct pario_beff_io_run *run)
{
	unsigned flaws = pario_beff_io_run_flaws(run);

	pario_text_add(
		out,
		"  %s: scheduled at least 15 min per partition %s%s, shared file pointers used for "
		"type 1 %s, no errors %s, all patterns measured %s\n",
		flaws ? "NOT VALID" : "VALID", yes(!(flaws & PARIO_BEFF_IO_TOO_SHORT)),
		flaws & PARIO_BEFF_IO_TOO_SHORT
			? run->brief ? " (short: not official)" : " (not official)"
			: "",
		yes(!(flaws & PARIO_BEFF_IO_NO_POINTERS)), yes(!(flaws & PARIO_BEFF_IO_ERRORS)),
		yes(!(flaws & PARIO_BEFF_IO_INCOMPLETE)));
	if (run->record.clients == 1)
		pario_text_add(out,
			       "  One process: nothing is left out, but nothing is shared either; "
			       "the types differ only in the calls of MPI.\n");
}

static void partition(struct pario_text *out, const struct pario_beff_io_run *run)
{
	const struct pario_beff_io_record *r = &run->record;

	head(out, run);
	for (int a = 0; a < PARIO_BEFF_IO_ACCESSES; a++) {
		bool any = false;

		for (int t = 0; t < PARIO_BEFF_IO_TYPES; t++)
			any = any || measured(r, a, t);
		if (any)
			access_table(out, r, a);
		else
			pario_text_add(out, "\n  %s: not measured\n",
				       pario_beff_io_access_names[a]);
	}
	pario_text_add(out, "\n");
	volume(out, run);
	value_line(out, r);
	verdict(out, run);
	pario_text_add(out, "\n");
}

static const char *machine(const struct pario_history *history, const char *part, const char *name)
{
	const json_t *m = json_object_get(history->begin, "machine");
	const char *text =
		json_string_value(json_object_get(part ? json_object_get(m, part) : m, name));

	return text ? text : "unknown";
}

/* Words of users and machines may hold anything. */
static void clean(struct pario_text *out, const char *before, const char *words)
{
	pario_text_add(out, "%s", before);
	pario_text_clean(out, words);
}

/* All results of a run have the same hints. */
static void hint_lines(struct pario_text *out, const struct pario_history *history)
{
	struct pario_result_table_view hints;
	size_t i = 0;

	while (i < history->result_count &&
	       pario_result_table_find(history->results[i], "hints", &hints, NULL) < 0)
		i++;
	for (size_t row = 0; i < history->result_count && row < hints.row_count; row++) {
		pario_text_add(out, "  hint:");
		for (int c = 0; c < 6; c++)
			clean(out, " ", pario_result_table_text(&hints, row, c));
		pario_text_add(out, "\n");
	}
}

/* What the library said of its open files, striping among it, and what the environment told it. */
static void force_lines(struct pario_text *out, const struct pario_history *history)
{
	struct pario_result_table_view force;
	const char *type = "";
	size_t i = 0;

	while (i < history->result_count &&
	       pario_result_table_find(history->results[i], "in_force", &force, NULL) < 0)
		i++;
	if (i == history->result_count) {
		pario_text_add(out, "  in force: the MPI library tells nothing\n");
		return;
	}
	for (size_t row = 0; row < force.row_count; row++) {
		if (strcmp(type, pario_result_table_text(&force, row, 1)) != 0) {
			type = pario_result_table_text(&force, row, 1);
			clean(out, row ? "\n  in force, " : "  in force, ", type);
			pario_text_add(out, ":");
		}
		clean(out, " ", pario_result_table_text(&force, row, 2));
		clean(out, "=", pario_result_table_text(&force, row, 3));
	}
	pario_text_add(out, "\n");
}

/* The definition asks for all that was not left as it is. */
static void circumstances(struct pario_text *out, const struct pario_history *history)
{
	json_t *params = json_object_get(history->begin, "params"), *param;
	const char *name;

	clean(out, "  file system: ", machine(history, "filesystem", "type"));
	clean(out, " on ", machine(history, "filesystem", "mount"));
	clean(out, " (", machine(history, "filesystem", "detail"));
	clean(out, "; ", machine(history, "filesystem", "options"));
	pario_text_add(out, ")");
	clean(out, ", by ", machine(history, "mpi", "library"));
	pario_text_add(out, "\n  not left as it is:");
	json_object_foreach(params, name, param)
	{
		const char *value = json_string_value(json_object_get(param, "value"));
		const char *origin = json_string_value(json_object_get(param, "origin"));

		if (!value || !origin || strcmp(origin, "default") == 0)
			continue;
		clean(out, " ", name);
		clean(out, "=", value);
	}
	pario_text_add(out, "\n");
	hint_lines(out, history);
	force_lines(out, history);
}

static void system_value(struct pario_text *out, const struct pario_beff_io_runs *runs,
			 const struct pario_history *history)
{
	const struct pario_beff_io_run *best = pario_beff_io_runs_best(runs);
	bool repeated = false;
	double memory;

	if (!best) {
		pario_text_add(out, "b_eff_io: no value, no partition was measured completely and "
				    "without errors\n");
		return;
	}
	memory = (double)best->memory_bytes * (double)best->record.nodes;
	pario_text_add(
		out,
		"b_eff_io = %8.3f MB/s on %llu process%s with %3.0f MByte per process and scheduled "
		"time %.4g min on",
		pario_beff_io_record_value(&best->record), (unsigned long long)best->record.clients,
		best->record.clients == 1 ? "" : "es",
		memory / (double)best->record.clients / PARIO_MIB,
		pario_beff_io_run_seconds(best) / 60);
	clean(out, " ", machine(history, NULL, "host"));
	clean(out, " ", machine(history, NULL, "kernel"));
	clean(out, " ", machine(history, NULL, "architecture"));
	pario_text_add(out, "%s\n", pario_beff_io_run_flaws(best) ? ", NOT VALID" : "");
	for (size_t i = 0; i < runs->count; i++)
		repeated |= runs->run[i].repetition > 0;
	if (runs->count > 1)
		pario_text_add(out, "(the maximum over %zu %s)\n", runs->count,
			       repeated ? "runs, repetitions counted" : "partitions");
}

/* Values over processes and T: the paper's second diagram, and what a longer time makes of caches (its section 5.4). */
static void series(struct pario_text *out, const struct pario_beff_io_runs *runs)
{
	char nodes[64], cell[4][CAPACITY];

	if (runs->count < 2)
		return;
	pario_text_add(out, "\n  %9s %-18s %8s %11s %11s %11s %11s  %s\n", "processes", "on",
		       "T/min", "write", "rewrite", "read", "b_eff_io", "MB/s");
	for (size_t i = 0; i < runs->count; i++) {
		const struct pario_beff_io_run *run = &runs->run[i];
		const struct pario_beff_io_record *r = &run->record;

		for (int a = 0; a < PARIO_BEFF_IO_ACCESSES; a++)
			shown(cell[a], pario_beff_io_access_mb_s(r, (enum pario_beff_io_access)a));
		pario_text_add(out, "  %9llu %-18s %8.4g %11s %11s %11s %11s%s\n",
			       (unsigned long long)r->clients, nodes_shown(nodes, sizeof(nodes), r),
			       pario_beff_io_run_seconds(run) / 60, cell[0], cell[1], cell[2],
			       shown(cell[3], pario_beff_io_sound(r, pario_beff_io_record_value)),
			       pario_beff_io_run_flaws(run) ? "  NOT VALID" : "");
	}
	pario_text_add(out, "\n");
}

static int summary(const struct pario_history *history, struct pario_text *out,
		   struct pario_err *err)
{
	struct pario_beff_io_runs runs;

	if (pario_beff_io_runs_load(&runs, history, err) < 0)
		return -1;
	for (size_t i = 0; i < runs.count; i++)
		partition(out, &runs.run[i]);
	series(out, &runs);
	circumstances(out, history);
	system_value(out, &runs, history);
	pario_beff_io_runs_release(&runs);
	return 0;
}

const struct pario_document pario_beff_io_protocol = {
	.test = "beff_io",
	.file = "beff_io.prot",
	.write = protocol,
};

const struct pario_document pario_beff_io_summary = {
	.test = "beff_io",
	.file = "beff_io.sum",
	.shown = true,
	.write = summary,
};
