/*
 * ior_tables: what IOR prints, from pario's results, for scripts that read it.
 *
 * bw is bytes over the time from the first open to the last close; IOPS of a line is over the transfers alone and of
 * the summary over all, as in IOR. wr/rd holds the fsync of -e. Latency is the mean time of a transfer of the slowest
 * task. Removing is not timed: there is no line "remove" but with --peer_output only, where IOR prints one, without a
 * number.
 */
#include "compat/ior.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "version.h"

static const char *const accesses[] = { "write", "read" };

/* Is this a number of that access? */
static bool counts(const struct pario_result *r, const char *access)
{
	return strcmp(r->phase, access) == 0 &&
	       (r->outcome == PARIO_PASS || r->outcome == PARIO_SUSPECT);
}

void pario_ior_result_of(const struct pario_result *r, struct pario_ior_result *row)
{
	double sync = isfinite(r->seconds.sync) ? r->seconds.sync : 0;

	row->mib_s = r->rate_mib_s;
	row->open_s = r->seconds.open;
	/* each is of its slowest client, so that both together may exceed the whole */
	row->access_s = fmin(r->seconds.transfer + sync, r->seconds.total);
	row->close_s = r->seconds.close;
	row->total_s = r->seconds.total;
	row->iops = row->access_s > 0 ? (double)r->ops / row->access_s : 0;
	row->latency_s = r->ops ? r->seconds.transfer * (double)r->clients / (double)r->ops : 0;
}

/* Six decimals below 1, two below an hour's seconds, none above: a column of ten. */
static void number(struct pario_text *out, double value, unsigned width)
{
	int digits = value < 1 ? 6 : value < 3600 ? 2 : 0;

	if (isfinite(value))
		pario_text_add(out, "%-*.*f ", (int)width, digits, value);
	else
		pario_text_add(out, "%-*s ", (int)width, "-");
}

static void line(const struct pario_ior_test *test, const struct pario_result *r,
		 struct pario_text *out)
{
	struct pario_ior_result row;

	pario_ior_result_of(r, &row);
	pario_text_add(out, "%-9s ", r->phase);
	number(out, row.mib_s, 10);
	number(out, row.iops, 10);
	number(out, row.latency_s, 11);
	number(out, (double)pario_peer_number(test->job, test->run, "blockSize") / 1024, 10);
	number(out, (double)pario_peer_number(test->job, test->run, "transferSize") / 1024, 10);
	number(out, row.open_s, 10);
	number(out, row.access_s, 10);
	number(out, row.close_s, 10);
	number(out, row.total_s, 10);
	pario_text_add(out, "%-4llu\n", (unsigned long long)r->repetition);
}

static unsigned verbosity(const struct pario_ior_test *test)
{
	return pario_peer_times(test->job, test->run, "verbose");
}

/* IOR 3.3 always tells the best rates and the removals, 4.1 with -v. */
static bool tells_all(const struct pario_ior_test *test)
{
	return test->job->output == PARIO_PEER_ONLY_3_3 || verbosity(test) > 0;
}

static void removal(const struct pario_ior_test *test, uint64_t repetition, struct pario_text *out)
{
	if (test->job->output == PARIO_PEER_BOTH || !tells_all(test) ||
	    pario_peer_on(test->job, test->run, "keepFile"))
		return;
	pario_text_add(out, "%-9s ", "remove");
	for (int i = 0; i < 8; i++)
		pario_text_add(out, "%-*s ", i == 2 ? 11 : 10, "-");
	pario_text_add(out, "%-10s %-4llu\n", "-", (unsigned long long)repetition);
}

static void best(const struct pario_ior_test *test, const char *access, const char *head,
		 struct pario_text *out)
{
	struct pario_ior_sums sums;

	if (pario_ior_sums(test, access, &sums))
		pario_text_add(out, "%s%.2f MiB/sec (%.2f MB/sec)\n", head, sums.max,
			       sums.max * PARIO_MIB / 1e6);
}

static void option(void *to, const char *name, const char *text, uint64_t number)
{
	struct pario_text *out = to;

	if (text)
		pario_text_add(out, "%-20s: %s\n", name, text);
	else
		pario_text_add(out, "%-20s: %llu\n", name, (unsigned long long)number);
}

uint64_t pario_ior_aggregate(const struct pario_ior_test *t)
{
	return pario_peer_number(t->job, t->run, "blockSize") *
	       pario_peer_number(t->job, t->run, "segmentCount") * t->tasks;
}

/* IOR's way: bytes below 1 MiB, and two decimals where they are needed. */
static char *human(char text[32], uint64_t bytes)
{
	static const char *const units[] = { "MiB", "GiB", "TiB" };
	unsigned unit = bytes >= (1ULL << 40) ? 2 : bytes >= (1 << 30) ? 1 : 0;
	double size = (double)bytes / (double)((uint64_t)1 << (20 + 10 * unit));

	if (bytes < (1 << 20))
		snprintf(text, 32, "%llu bytes", (unsigned long long)bytes);
	else
		snprintf(text, 32, "%.*f %s", size == floor(size) ? 0 : 2, size, units[unit]);
	return text;
}

void pario_ior_options(const struct pario_ior_test *t, pario_ior_option *say, void *to)
{
	const struct pario_peer_job *job = t->job;
	const struct pario_peer_run *run = t->run;
	uint64_t stonewall = pario_peer_number(job, run, "deadlineForStonewalling");
	bool random = pario_peer_on(job, run, "reorderTasksRandom");
	bool constant = pario_peer_on(job, run, "reorderTasks");
	char size[32];

	say(to, "api", pario_peer_text(job, run, "api"), 0);
	say(to, "apiVersion", t->api_version ? t->api_version : "", 0);
	say(to, "test filename", pario_peer_text(job, run, "testFile"), 0);
	say(to, "access",
	    pario_peer_on(job, run, "filePerProc") ? "file-per-process" : "single-shared-file", 0);
	say(to, "type", pario_peer_on(job, run, "collective") ? "collective" : "independent", 0);
	say(to, "segments", NULL, pario_peer_number(job, run, "segmentCount"));
	say(to, "ordering in a file",
	    pario_peer_on(job, run, "randomOffset") ? "random" : "sequential", 0);
	say(to, "ordering inter file",
	    constant ? "constant task offset"
	    : random ? "random task offset"
		     : "no tasks offsets",
	    0);
	if (constant || random)
		say(to, "task offset", NULL, pario_peer_number(job, run, "taskPerNodeOffset"));
	if (random)
		say(to, "reorder random seed", NULL,
		    pario_peer_number(job, run, "reorderTasksRandomSeed"));
	say(to, "nodes", NULL, t->nodes);
	say(to, "tasks", NULL, t->tasks);
	say(to, "clients per node", NULL, t->tasks_per_node);
	if (job->output != PARIO_PEER_ONLY_3_3) {
		say(to, "memoryBuffer", "CPU", 0);
		say(to, "dataAccess", "CPU", 0);
		say(to, "GPUDirect", "0", 0);
	}
	say(to, "repetitions", NULL, pario_peer_number(job, run, "repetitions"));
	say(to, "xfersize", human(size, pario_peer_number(job, run, "transferSize")), 0);
	say(to, "blocksize", human(size, pario_peer_number(job, run, "blockSize")), 0);
	say(to, "aggregate filesize", human(size, pario_ior_aggregate(t)), 0);
	if (verbosity(t) && job->output == PARIO_PEER_ONLY)
		say(to, "verbose", NULL, verbosity(t));
	if (stonewall) {
		say(to, "stonewallingTime", NULL, stonewall);
		say(to, "stoneWallingWearOut", NULL,
		    pario_peer_on(job, run, "stoneWallingWearOut"));
	}
}

void pario_ior_banner(const struct pario_ior_test *first, const char *command, const char *machine,
		      struct pario_text *out)
{
	char now[PARIO_CLOCK_CAPACITY];

	if (first->job->output == PARIO_PEER_BOTH)
		pario_text_add(out, "IOR by pario " PARIO_VERSION "\n");
	else
		pario_text_add(out, "IOR-%s: MPI Coordinated Test of Parallel I/O\n",
			       first->job->output == PARIO_PEER_ONLY ? "4.1.0" : "3.3.0");
	/* IOR tells no zone; where the line is not for its readers, ours does. */
	option(out, "Began",
	       first->job->output == PARIO_PEER_BOTH ? pario_clock_label_at(now, first->began_s)
						     : pario_clock_asctime(now, first->began_s),
	       0);
	option(out, "Command line", command, 0);
	option(out, "Machine", machine, 0);
}

/* Where the data were: IOR 4.1 names the file that the first task opens, 3.3 its directory. */
static void path(const struct pario_ior_test *t, struct pario_text *out)
{
	const char *file = pario_peer_text(t->job, t->run, "testFile");
	bool own = pario_peer_on(t->job, t->run, "filePerProc");

	if (t->job->output == PARIO_PEER_ONLY)
		pario_text_add(out, "%-20s: %s%s\n", "Path", file, own ? ".00000000" : "");
	else
		option(out, "Path", t->path, 0);
}

void pario_ior_results(const struct pario_ior_test *test, struct pario_text *out)
{
	char began[PARIO_CLOCK_CAPACITY];

	option(out, "TestID", NULL, test->number);
	option(out, "StartTime", pario_clock_asctime(began, test->began_s), 0);
	path(test, out);
	pario_text_add(out, "%-20s: %s   Used FS: %s   Inodes: %s   Used Inodes: %s\n", "FS",
		       test->room.capacity, test->room.used, test->room.inodes,
		       test->room.used_inodes);
	pario_text_add(out, "\nOptions: \n");
	pario_ior_options(test, option, out);
	pario_text_add(
		out, "\nResults: \n\n"
		     "access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    "
		     "wr/rd(s)   close(s)   total(s)   iter\n"
		     "------    ---------  ----       ----------  ---------- ---------  --------   "
		     "--------   --------   --------   ----\n");
	for (size_t i = 0; i < test->result_count; i++) {
		if (counts(&test->results[i], "write") || counts(&test->results[i], "read"))
			line(test, &test->results[i], out);
		if (i + 1 == test->result_count ||
		    test->results[i + 1].repetition != test->results[i].repetition)
			removal(test, test->results[i].repetition, out);
	}
	if (test->job->output == PARIO_PEER_BOTH || tells_all(test)) {
		best(test, "write", "Max Write: ", out);
		best(test, "read", "Max Read:  ", out);
	}
}

/* Means and deviations (over n, as in IOR) of the repetitions. */
bool pario_ior_sums(const struct pario_ior_test *test, const char *access, struct pario_ior_sums *s)
{
	double squares = 0, ops_squares = 0;

	*s = (struct pario_ior_sums){ .min = INFINITY, .ops_min = INFINITY, .stonewall_s = NAN };
	for (size_t i = 0; i < test->result_count; i++) {
		const struct pario_result *r = &test->results[i];
		const struct pario_metric *limit = pario_result_find(r, "rate_at_limit_mib_s");
		double ops = (double)r->ops / r->seconds.total;

		if (!counts(r, access))
			continue;
		s->count++;
		s->max = fmax(s->max, r->rate_mib_s);
		s->min = fmin(s->min, r->rate_mib_s);
		s->mean += r->rate_mib_s;
		squares += r->rate_mib_s * r->rate_mib_s;
		s->ops_max = fmax(s->ops_max, ops);
		s->ops_min = fmin(s->ops_min, ops);
		s->ops_mean += ops;
		ops_squares += ops * ops;
		s->seconds += r->seconds.total;
		if (limit) {
			s->stonewall_s = (double)pario_peer_number(test->job, test->run,
								   "deadlineForStonewalling");
			s->stonewall_mib_s += limit->value;
		}
	}
	if (!s->count)
		return false;
	s->mean /= s->count;
	s->ops_mean /= s->count;
	s->seconds /= s->count;
	s->stonewall_mib_s /= s->count;
	s->sd = sqrt(fmax(0, squares / s->count - s->mean * s->mean));
	s->ops_sd = sqrt(fmax(0, ops_squares / s->count - s->ops_mean * s->ops_mean));
	return true;
}

static void summary_line(const struct pario_ior_test *t, const char *access,
			 const struct pario_ior_sums *s, struct pario_text *out)
{
	pario_text_add(out, "%-9s", access);
	pario_text_add(out, " %10.2f %10.2f %10.2f %10.2f", s->max, s->min, s->mean, s->sd);
	pario_text_add(out, " %10.2f %10.2f %10.2f %10.2f %10.5f", s->ops_max, s->ops_min,
		       s->ops_mean, s->ops_sd, s->seconds);
	if (isfinite(s->stonewall_s))
		pario_text_add(out, " %10.2f %13.2f", s->stonewall_s, s->stonewall_mib_s);
	else
		pario_text_add(out, " %10s %13s", "NA", "NA");
	pario_text_add(
		out, " %5llu %6llu %3llu %4llu %3d %5d %8llu %9d %4llu",
		(unsigned long long)t->number, (unsigned long long)t->tasks,
		(unsigned long long)t->tasks_per_node,
		(unsigned long long)pario_peer_number(t->job, t->run, "repetitions"),
		pario_peer_on(t->job, t->run, "filePerProc"),
		pario_peer_on(t->job, t->run, "reorderTasks"),
		(unsigned long long)pario_peer_number(t->job, t->run, "taskPerNodeOffset"),
		pario_peer_on(t->job, t->run, "reorderTasksRandom"),
		(unsigned long long)pario_peer_number(t->job, t->run, "reorderTasksRandomSeed"));
	pario_text_add(out, " %6llu %8llu %8llu %9.1f %s %6llu\n",
		       (unsigned long long)pario_peer_number(t->job, t->run, "segmentCount"),
		       (unsigned long long)pario_peer_number(t->job, t->run, "blockSize"),
		       (unsigned long long)pario_peer_number(t->job, t->run, "transferSize"),
		       (double)pario_ior_aggregate(t) / PARIO_MIB,
		       pario_peer_text(t->job, t->run, "api"),
		       (unsigned long long)pario_peer_number(t->job, t->run, "refNum"));
}

void pario_ior_summary(const struct pario_ior_test *tests, size_t count, struct pario_text *out)
{
	char now[PARIO_CLOCK_CAPACITY];

	pario_text_add(
		out,
		"\nSummary of all tests:\n"
		"Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  "
		"Mean(OPs)     StdDev    Mean(s) Stonewall(s) Stonewall(MiB) Test# #Tasks tPN reps fPP "
		"reord reordoff reordrand seed segcnt   blksiz    xsize aggs(MiB)   API RefNum\n");
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < 2; k++) {
			struct pario_ior_sums sums;

			if (pario_ior_sums(&tests[i], accesses[k], &sums))
				summary_line(&tests[i], accesses[k], &sums, out);
		}
	}
	option(out, "Finished", pario_clock_asctime(now, pario_clock_unix()), 0);
}

void pario_ior_csv(const struct pario_ior_test *tests, size_t count, struct pario_text *out)
{
	pario_text_add(out, "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),"
			    "close(s),total(s),numTasks,iter\n");
	for (size_t i = 0; i < count; i++) {
		const struct pario_ior_test *t = &tests[i];

		for (size_t k = 0; k < t->result_count; k++) {
			const struct pario_result *r = &t->results[k];
			struct pario_ior_result row;

			if (!counts(r, "write") && !counts(r, "read"))
				continue;
			pario_ior_result_of(r, &row);
			pario_text_add(
				out, "%s,%.4f,%.4f,%.6f,%.2f,%.2f,%.6f,%.6f,%.6f,%.6f,%llu,%llu\n",
				r->phase, row.mib_s, row.iops, row.latency_s,
				(double)pario_peer_number(t->job, t->run, "blockSize") / 1024,
				(double)pario_peer_number(t->job, t->run, "transferSize") / 1024,
				row.open_s, row.access_s, row.close_s, row.total_s,
				(unsigned long long)t->tasks, (unsigned long long)r->repetition);
		}
	}
}
