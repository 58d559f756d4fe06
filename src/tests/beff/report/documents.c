/*
 * documents: what people read of a run of b_eff. All bandwidths are in MB/s = 10^6 byte/s.
 */
#include "tests/beff/report/documents.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "tests/beff/report/run.h"

/* Columns by message length show these; the others are in the protocol. */
static const unsigned shown[] = { 0, 4, 8, 12, 16, 20 };
enum { SHOWN = sizeof(shown) / sizeof(shown[0]), LAST = PARIO_BEFF_LENGTHS - 1 };

typedef void section(const struct pario_history *history, const struct pario_beff_run *run,
		     struct pario_text *out);

/* A section for each result of beff that the journal holds. */
static int each(const struct pario_history *history, section *write, struct pario_text *out,
		struct pario_err *err)
{
	for (size_t i = 0; i < history->result_count; i++) {
		const json_t *line = history->results[i];
		struct pario_beff_run run;

		if (strcmp(pario_history_text(line, "test"), "beff") != 0 ||
		    !pario_beff_run_is(line))
			continue;
		if (pario_beff_run_read(&run, line, err) < 0)
			return -1;
		if (out->length)
			pario_text_add(out, "\n\n");
		write(history, &run, out);
		pario_beff_run_release(&run);
	}
	return 0;
}

/* ---- parts ---- */

static double value(const struct pario_beff_run *run, enum pario_beff_metric which)
{
	return run->numbers[which].value;
}

/* A number, or a dash for what was not measured. */
static void cell(struct pario_text *out, int width, int digits, double number)
{
	if (isfinite(number))
		pario_text_add(out, " %*.*f", width, digits, number);
	else
		pario_text_add(out, " %*s", width, "-");
}

static void result_line(const struct pario_history *history, const struct pario_beff_run *run,
			struct pario_text *out)
{
	const json_t *machine = json_object_get(history->begin, "machine");

	if (!run->complete) {
		pario_text_add(out,
			       "There is no b_eff: the run is incomplete (%zu measurements). What "
			       "was measured follows.\n",
			       run->measurements.row_count);
		return;
	}
	pario_text_add(out,
		       "b_eff%s%s = %10.3f MB/s = %7.3f * %3u processes, %3llu MB per process, on ",
		       *run->mark ? " " : "", run->mark, value(run, PARIO_BEFF_b_eff),
		       value(run, PARIO_BEFF_b_eff_per_process), run->context.n,
		       (unsigned long long)(run->context.memory_bytes >> 20));
	pario_text_clean(out, pario_history_text(machine, "host"));
	pario_text_add(out, " ");
	pario_text_clean(out, pario_history_text(machine, "kernel"));
	pario_text_add(out, " ");
	pario_text_clean(out, pario_history_text(machine, "architecture"));
	pario_text_add(out, ", ");
	pario_text_clean(out, pario_history_text(json_object_get(machine, "mpi"), "library"));
	pario_text_add(out, "\n");
}

static void final_table(const struct pario_beff_run *run, struct pario_text *out)
{
	static const enum pario_beff_metric all[] = { PARIO_BEFF_b_eff,
						      PARIO_BEFF_pingpong_mb_s,
						      PARIO_BEFF_b_eff_at_lmax,
						      PARIO_BEFF_rings_at_lmax,
						      PARIO_BEFF_latency_us,
						      PARIO_BEFF_latency_rings_us,
						      PARIO_BEFF_latency_pingpong_us };
	unsigned n = run->context.n;
	char lmax[PARIO_UNITS_CAPACITY];

	pario_text_add(
		out,
		"\n             processes       b_eff         Lmax   ping-pong     b_eff at    rings at  latency [us]:\n"
		"                              MB/s                     MB/s    Lmax MB/s   Lmax MB/s      all     rings ping-pong\n");
	pario_text_add(out, "accumulated  %9u %11.3f %12s %11.3f %12.3f %11.3f %8.3f %9.3f %9.3f\n",
		       n, value(run, all[0]), pario_units_size(lmax, run->context.lmax),
		       value(run, all[1]), value(run, all[2]), value(run, all[3]),
		       value(run, all[4]), value(run, all[5]), value(run, all[6]));
	pario_text_add(out, "per process            %11.3f %12s %11s %12.3f %11.3f\n",
		       value(run, PARIO_BEFF_b_eff_per_process), "", "",
		       value(run, PARIO_BEFF_b_eff_at_lmax_per_process),
		       value(run, PARIO_BEFF_rings_at_lmax_per_process));
}

static void curve(const struct pario_beff_run *run, struct pario_text *out)
{
	const struct pario_beff_figures *f = &run->figures;
	double scale = 1e6 * run->context.n;

	pario_text_add(out,
		       "\nMB/s per process by message length (equal steps on the paper's axis: "
		       "12 to 4 KiB, 8 to Lmax)\n"
		       "       bytes       rings      random      b_eff\n");
	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++) {
		pario_text_add(out, "%12llu", (unsigned long long)run->lengths[i]);
		cell(out, 11, 3, f->rings_by_length[i] / scale);
		cell(out, 11, 3, f->random_by_length[i] / scale);
		cell(out, 10, 3, f->by_length[i] / scale);
		pario_text_add(out, "\n");
	}
}

static void pattern_table(const struct pario_beff_run *run, struct pario_text *out)
{
	pario_text_add(out, "\nPATTERN\n     name              processes  messages\n");
	for (unsigned p = 0; p < run->table.patterns; p++)
		pario_text_add(out, "%4u %-17s %9u %9llu\n", p, run->patterns[p].name,
			       run->patterns[p].used,
			       (unsigned long long)run->patterns[p].messages);
}

static void additional(const struct pario_beff_run *run, struct pario_text *out)
{
	pario_text_add(out, "\nadditional patterns (not in the average), MB/s of all processes\n"
			    "                  processes  messages     average     at Lmax\n");
	for (unsigned p = 0; p < run->table.patterns; p++) {
		const struct pario_beff_pattern *pattern = &run->patterns[p];

		if (pattern->kind <= PARIO_BEFF_RANDOM)
			continue;
		pario_text_add(out, "%-17s ", pattern->name);
		pario_text_add(out, "%9u %9llu", pattern->used,
			       (unsigned long long)pattern->messages);
		cell(out, 11, 3, pario_beff_mean(&run->table, p) / 1e6);
		cell(out, 11, 3, pario_beff_best(&run->table, p, LAST, -1) / 1e6);
		pario_text_add(out, "\n");
	}
}

static void cautions(const struct pario_beff_run *run, struct pario_text *out)
{
	double metric = pario_history_metric(run->line, "b_eff");

	if (run->complete && metric != value(run, PARIO_BEFF_b_eff))
		pario_text_add(out,
			       "Caution: the journal says b_eff = %.17g MB/s, but its measurements "
			       "give %.17g. It was altered, or worked out on another machine.\n",
			       metric, value(run, PARIO_BEFF_b_eff));
	for (size_t i = 0; i < run->head.row_count; i++) {
		if (strcmp(pario_result_table_text(&run->head, i, 0), "caution") != 0)
			continue;
		pario_text_add(out, "Caution: ");
		pario_text_clean(out, pario_result_table_text(&run->head, i, 1));
		pario_text_add(out, "\n");
	}
	if (*run->mark && run->complete)
		pario_text_add(out, "Caution: %s is no b_eff to compare or publish.\n", run->mark);
}

static void circumstances(const struct pario_beff_run *run, struct pario_text *out)
{
	char memory[PARIO_UNITS_CAPACITY], took[PARIO_UNITS_CAPACITY], lasted[PARIO_UNITS_CAPACITY];

	pario_text_add(
		out, "\nrules of %s%s; random orders from seed %.0f; placement: ",
		strcmp(pario_beff_run_text(run, "release"), "3.6") == 0 ? "release " : "the ",
		pario_beff_run_text(run, "release"), pario_beff_run_number(run, "order_seed"));
	pario_text_clean(out, pario_beff_run_text(run, "placement"));
	pario_text_add(out, "; measured in %s\n", pario_units_time(lasted, run->elapsed_s));
	if (run->complete)
		pario_text_add(
			out,
			"The memory of all processes (%u times %s) is communicated in %s. By the "
			"coffee-cup rule a balanced system writes or reads it in about 10 minutes; a "
			"Cray T3E with 512 processes communicated its own in 3.2 s, a Hitachi SR 8000 "
			"with 24 in 13.6 s.\n",
			run->context.n, pario_units_size(memory, run->context.memory_bytes),
			pario_units_time(took, value(run, PARIO_BEFF_memory_communicated_s)));
	if (run->complete && isfinite(value(run, PARIO_BEFF_balance_factor)))
		pario_text_add(out, "Balance factor: %.4g byte per flop (R_max %g Gflop/s).\n",
			       value(run, PARIO_BEFF_balance_factor), run->context.rmax);
	cautions(run, out);
}

static void sum(const struct pario_history *history, const struct pario_beff_run *run,
		struct pario_text *out)
{
	result_line(history, run, out);
	if (run->complete)
		final_table(run, out);
	curve(run, out);
	additional(run, out);
	circumstances(run, out);
}

static int write_sum(const struct pario_history *history, struct pario_text *out,
		     struct pario_err *err)
{
	return each(history, sum, out, err);
}

const struct pario_document pario_beff_sum = {
	.test = "beff",
	.file = "beff.sum",
	.shown = true,
	.write = write_sum,
};

/* ---- short ---- */

static void length_head(const struct pario_beff_run *run, const char *title, struct pario_text *out)
{
	pario_text_add(out, "\n%-24s", title);
	for (unsigned i = 0; i < SHOWN; i++)
		pario_text_add(out, " %10llu", (unsigned long long)run->lengths[shown[i]]);
	pario_text_add(out, "    average accumulated\n");
}

/* One line of MB/s per process at some lengths and on average over all of them, and that of all processes. */
static void length_line(const struct pario_beff_run *run, const char *name,
			const double by_length[PARIO_BEFF_LENGTHS], double average,
			struct pario_text *out)
{
	double scale = 1e6 * run->context.n;

	pario_text_add(out, "%-24s", name);
	for (unsigned i = 0; i < SHOWN; i++)
		cell(out, 10, 3, by_length[shown[i]] / scale);
	cell(out, 10, 3, average / scale);
	cell(out, 11, 3, average / 1e6);
	pario_text_add(out, "\n");
}

/* Of one method (or -1) and repetition (or -1); returns the mean over the lengths. */
static double pattern_curve(const struct pario_beff_run *run, unsigned p, int method,
			    int repetition, double by_length[PARIO_BEFF_LENGTHS])
{
	double sum = 0;

	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++) {
		by_length[i] = NAN;
		for (unsigned k = 0; k < PARIO_BEFF_METHODS * run->table.repetitions; k++) {
			unsigned m = k / run->table.repetitions, r = k % run->table.repetitions;

			if ((method < 0 || m == (unsigned)method) &&
			    (repetition < 0 || r == (unsigned)repetition))
				by_length[i] =
					fmax(by_length[i],
					     pario_beff_at(&run->table, p, i, m, r)->bandwidth);
		}
		sum += by_length[i];
	}
	return sum / PARIO_BEFF_LENGTHS;
}

/* The double logarithmic average over rings and random patterns, length by length; returns that of their means. */
static double final_curve(const struct pario_beff_run *run, int method, int repetition,
			  double by_length[PARIO_BEFF_LENGTHS])
{
	double sums[2][PARIO_BEFF_LENGTHS] = { { 0 } }, means[2] = { 0 }, own[PARIO_BEFF_LENGTHS];
	unsigned counts[2] = { 0 };

	for (unsigned p = 0; p < run->table.patterns; p++) {
		enum pario_beff_kind kind = run->patterns[p].kind;

		if (kind > PARIO_BEFF_RANDOM)
			continue;
		if (kind == PARIO_BEFF_RANDOM && isnan(pario_beff_mean(&run->table, p)))
			continue;
		means[kind] += log(pattern_curve(run, p, method, repetition, own));
		for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++)
			sums[kind][i] += log(own[i]);
		counts[kind]++;
	}
	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++)
		by_length[i] = exp((sums[0][i] / counts[0] + sums[1][i] / counts[1]) / 2);
	return exp((means[0] / counts[0] + means[1] / counts[1]) / 2);
}

/* The paper asks for loops of 2.5 to 5 ms; a short run's are shorter in proportion. One iteration may take longer. */
static void window(const struct pario_beff_run *run, size_t count, struct pario_text *out)
{
	double least_s = 2.5e-3, most_s = 5e-3, below = 0, within = 0, above = 0, single = 0;

	for (size_t i = 0; i <= PARIO_BEFF_TEST; i++) {
		if (strcmp(pario_beff_scales[i].mark, run->mark) == 0) {
			least_s *= pario_beff_scales[i].loop_s / 3.5e-3;
			most_s *= pario_beff_scales[i].loop_s / 3.5e-3;
		}
	}
	for (size_t i = 0; i < count; i++) {
		const struct pario_beff_record *r = &run->table.records[i];
		double seconds = r->max_ns * 1e-9;

		if (isnan(r->bandwidth) || r->mark != ' ')
			continue;
		single += r->loop == 1;
		below += r->loop > 1 && seconds < least_s;
		within += r->loop > 1 && seconds >= least_s && seconds <= most_s;
		above += r->loop > 1 && seconds > most_s;
	}
	pario_text_add(
		out,
		"LOOPS    of %.0f with more than one iteration %.1f %% took %.4g to %.4g ms, "
		"%.1f %% less and %.1f %% more; %.0f had a single one\n",
		below + within + above, 100 * within / fmax(1, below + within + above),
		least_s * 1e3, most_s * 1e3, 100 * below / fmax(1, below + within + above),
		100 * above / fmax(1, below + within + above), single);
}

static void elapsed(const struct pario_beff_run *run, struct pario_text *out)
{
	size_t count = (size_t)run->table.patterns * PARIO_BEFF_LENGTHS * PARIO_BEFF_METHODS *
		       run->table.repetitions;
	double loops = 0;

	for (size_t i = 0; i < count; i++) {
		const struct pario_beff_record *r = &run->table.records[i];

		/* What release 3.6 copied took no time. */
		if (!isnan(r->bandwidth) && r->mark == ' ')
			loops += r->max_ns * 1e-9;
	}
	pario_text_add(out, "\nELAPSED  loops of the slowest process %.3f s of %.3f s in all\n",
		       loops, run->elapsed_s);
	if (strcmp(pario_beff_run_text(run, "release"), "3.6") != 0)
		window(run, count, out);
	if (loops > 1.05 * run->elapsed_s)
		pario_text_add(out,
			       "Caution: the loops add up to more than was measured by process 0; "
			       "the processes were not in step.\n");
}

static void by_method(const struct pario_beff_run *run, struct pario_text *out)
{
	const struct pario_beff_figures *f = &run->figures;
	double by_length[PARIO_BEFF_LENGTHS], average;
	char name[48];

	length_head(run, "BY-METHODS", out);
	for (int m = 0; m < PARIO_BEFF_METHODS; m++) {
		average = final_curve(run, m, -1, by_length);
		length_line(run, pario_beff_methods[m], by_length, average, out);
	}
	length_head(run, "BY-REPETITIONS", out);
	for (unsigned r = 0; r < run->table.repetitions; r++) {
		snprintf(name, sizeof(name), "repetition %u", r + 1);
		average = final_curve(run, -1, (int)r, by_length);
		length_line(run, name, by_length, average, out);
	}
	length_head(run, "BY-MSGLNG", out);
	length_line(run, "rings", f->rings_by_length, f->rings, out);
	length_line(run, "random", f->random_by_length, f->random, out);
	length_line(run, "rings and random", f->by_length, f->b_eff, out);
}

static void short_document(const struct pario_history *history, const struct pario_beff_run *run,
			   struct pario_text *out)
{
	const struct pario_beff_figures *f = &run->figures;
	double by_length[PARIO_BEFF_LENGTHS], average;
	char name[64];

	result_line(history, run, out);
	elapsed(run, out);
	pattern_table(run, out);
	length_head(run, "BY-PATTERN-MSGLNG", out);
	for (unsigned p = 0; p < run->table.patterns; p++) {
		average = pattern_curve(run, p, -1, -1, by_length);
		length_line(run, run->patterns[p].name, by_length, average, out);
	}
	by_method(run, out);
	length_head(run, "BY-MTHD-MSGLNG", out);
	for (unsigned k = 0; k < run->table.patterns * PARIO_BEFF_METHODS; k++) {
		unsigned p = k / PARIO_BEFF_METHODS, m = k % PARIO_BEFF_METHODS;

		snprintf(name, sizeof(name), "%.18s %.5s", run->patterns[p].name,
			 pario_beff_methods[m]);
		average = pattern_curve(run, p, (int)m, -1, by_length);
		length_line(run, name, by_length, average, out);
	}
	pario_text_add(out, "\nBEFF, MB/s of all processes\n"
			    "(1) b_eff                                          ");
	cell(out, 12, 3, f->b_eff / 1e6);
	pario_text_add(out, "\n(2) best method chosen after averaging the lengths     ");
	cell(out, 12, 3, f->method_after_length / 1e6);
	pario_text_add(out, "\n(3) best repetition chosen after averaging the lengths ");
	cell(out, 12, 3, f->repetition_after_length / 1e6);
	for (unsigned m = 0; m < PARIO_BEFF_METHODS; m++) {
		pario_text_add(out, "\n(4) %-51s", pario_beff_methods[m]);
		cell(out, 12, 3, f->by_method[m] / 1e6);
	}
	pario_text_add(out, "\n(5) by length: see BY-MSGLNG\n");
	circumstances(run, out);
}

static int write_short(const struct pario_history *history, struct pario_text *out,
		       struct pario_err *err)
{
	return each(history, short_document, out, err);
}

const struct pario_document pario_beff_short = {
	.test = "beff",
	.file = "beff.short",
	.shown = false,
	.write = write_short,
};

/* ---- plot ---- */

static void plot(const struct pario_history *history, const struct pario_beff_run *run,
		 struct pario_text *out)
{
	const struct pario_beff_figures *f = &run->figures;
	double scale = 1e6 * run->context.n;

	pario_text_add(out, "# ");
	result_line(history, run, out);
	pario_text_add(out, "# MB/s per process over the message length; step is the paper's axis\n"
			    "# step bytes rings random b_eff\n");
	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++)
		pario_text_add(out, "%u %llu %.6g %.6g %.6g\n", i,
			       (unsigned long long)run->lengths[i], f->rings_by_length[i] / scale,
			       f->random_by_length[i] / scale, f->by_length[i] / scale);
}

static int write_plot(const struct pario_history *history, struct pario_text *out,
		      struct pario_err *err)
{
	return each(history, plot, out, err);
}

const struct pario_document pario_beff_plot = {
	.test = "beff",
	.file = "beff.plot",
	.shown = false,
	.write = write_plot,
};

/* ---- protocol ---- */

static void head(const struct pario_beff_run *run, struct pario_text *out)
{
	pario_text_add(out, "\nHEAD\n");
	for (size_t i = 0; i < run->head.row_count; i++) {
		double number = pario_result_table_number(&run->head, i, 1);

		pario_text_add(out, "%-14s ", pario_result_table_text(&run->head, i, 0));
		if (isnan(number))
			pario_text_clean(out, pario_result_table_text(&run->head, i, 1));
		else
			pario_text_add(out, "%.15g", number);
		pario_text_add(out, "\n");
	}
	pario_text_add(out, "message lengths");
	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++)
		pario_text_add(out, " %llu", (unsigned long long)run->lengths[i]);
	pario_text_add(out, "\nmethods        ");
	for (unsigned m = 0; m < PARIO_BEFF_METHODS; m++)
		pario_text_add(out, " %u=%s", m, pario_beff_methods[m]);
	pario_text_add(out, "\n");
	pattern_table(run, out);
}

/* Loops of one length, method and repetition over all patterns. */
static void loops_line(const struct pario_beff_run *run, unsigned length, unsigned method,
		       unsigned repetition, struct pario_text *out)
{
	double least = INFINITY, most = 0, total = 0, few = INFINITY, many = 0;
	char mark = ' ';

	for (unsigned p = 0; p < run->table.patterns; p++) {
		const struct pario_beff_record *r =
			pario_beff_at(&run->table, p, length, method, repetition);

		if (isnan(r->bandwidth))
			continue;
		least = fmin(least, r->max_ns);
		most = fmax(most, r->max_ns);
		total += r->max_ns;
		few = fmin(few, (double)r->loop);
		many = fmax(many, (double)r->loop);
		mark = r->mark == ' ' ? mark : r->mark;
	}
	if (many > 0)
		pario_text_add(out, "%12llu %-11s %3u %8.0f %8.0f %12.3f %10.3f %10.3f %c\n",
			       (unsigned long long)run->lengths[length], pario_beff_methods[method],
			       repetition + 1, few, many, total * 1e-6, least * 1e-6, most * 1e-6,
			       mark);
}

static void value_line(const struct pario_beff_run *run, unsigned length, unsigned pattern,
		       unsigned method, unsigned repetition, struct pario_text *out)
{
	const struct pario_beff_record *r =
		pario_beff_at(&run->table, pattern, length, method, repetition);

	if (isnan(r->bandwidth))
		return;
	pario_text_add(out, "%12llu %-17s %-11s %3u %8llu %14.0f %14.0f %14.0f %14.3f %c\n",
		       (unsigned long long)run->lengths[length], run->patterns[pattern].name,
		       pario_beff_methods[method], repetition + 1, (unsigned long long)r->loop,
		       r->min_ns, r->mean_ns, r->max_ns, r->bandwidth / 1e6, r->mark);
}

static void protocol(const struct pario_history *history, const struct pario_beff_run *run,
		     struct pario_text *out)
{
	unsigned repetitions = run->table.repetitions;

	result_line(history, run, out);
	head(run, out);
	pario_text_add(
		out,
		"\nLOOPLNGS: iterations and times [ms] over all patterns; M, R: copied from another "
		"method, repetition\n"
		"       bytes method      rep    least     most        total        min        max\n");
	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++)
		for (unsigned k = 0; k < PARIO_BEFF_METHODS * repetitions; k++)
			loops_line(run, i, k / repetitions, k % repetitions, out);
	pario_text_add(
		out,
		"\nVALUES: loop, its time [ns] over the processes, bandwidth [MB/s] of all processes\n"
		"       bytes pattern           method      rep     loop         min_ns        mean_ns"
		"         max_ns           MB/s\n");
	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++)
		for (unsigned p = 0; p < run->table.patterns; p++)
			for (unsigned k = 0; k < PARIO_BEFF_METHODS * repetitions; k++)
				value_line(run, i, p, k / repetitions, k % repetitions, out);
	circumstances(run, out);
}

static int write_protocol(const struct pario_history *history, struct pario_text *out,
			  struct pario_err *err)
{
	return each(history, protocol, out, err);
}

const struct pario_document pario_beff_protocol = {
	.test = "beff",
	.file = "beff.prot",
	.shown = false,
	.write = write_protocol,
};
