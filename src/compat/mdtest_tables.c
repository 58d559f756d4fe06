/*
 * mdtest_tables: what mdtest prints, from pario's results, for scripts that read it.
 *
 * A rate is all operations over the time from the first start to the last stop, the slowest task's. A phase that was
 * not asked for has the rate 0, as in mdtest. The deviation is over n - 1.
 */
#include "compat/mdtest.h"

#include <math.h>
#include <string.h>

#include "version.h"

static const struct {
	const char *title, *phase;
	bool dirs, files;
} lines[] = {
	{ "Directory creation", "dir_create", true, false },
	{ "Directory stat", "dir_stat", true, false },
	{ "Directory rename", "dir_rename", true, false },
	{ "Directory removal", "dir_remove", true, false },
	{ "File creation", "file_create", false, true },
	{ "File stat", "file_stat", false, true },
	{ "File read", "file_read", false, true },
	{ "File removal", "file_remove", false, true },
	{ "Tree creation", "tree_create", true, true },
	{ "Tree removal", "tree_remove", true, true },
};

struct sums {
	unsigned count;
	double max, min, mean, sd;
};

static double value_of(const struct pario_result *r, bool time)
{
	return time ? r->seconds.total : (double)r->ops / r->seconds.total;
}

static struct sums sums_of(const struct pario_result *results, size_t count, const char *phase,
			   uint64_t tasks, bool time)
{
	struct sums s = { .min = INFINITY };
	double squares = 0;

	for (size_t i = 0; i < count; i++) {
		const struct pario_result *r = &results[i];
		double value = value_of(r, time);

		if (strcmp(r->phase, phase) != 0 || r->clients != tasks ||
		    !(r->seconds.total > 0) ||
		    (r->outcome != PARIO_PASS && r->outcome != PARIO_SUSPECT))
			continue;
		s.count++;
		s.max = fmax(s.max, value);
		s.min = fmin(s.min, value);
		s.mean += value;
		squares += value * value;
	}
	if (!s.count)
		return (struct sums){ 0 };
	s.mean /= s.count;
	if (s.count > 1)
		s.sd = sqrt(fmax(0, (squares - s.count * s.mean * s.mean) / (s.count - 1)));
	return s;
}

static void table(const struct pario_peer_job *job, const struct pario_result *results,
		  size_t count, uint64_t tasks, bool time, struct pario_text *out)
{
	const struct pario_peer_run *run = &job->runs[0];
	bool dirs = !pario_peer_on(job, run, "files-only");
	bool files = !pario_peer_on(job, run, "dirs-only");

	pario_text_add(out, "\nSUMMARY %s: (of %llu iterations)\n", time ? "time" : "rate",
		       (unsigned long long)pario_peer_number(job, run, "iterations"));
	pario_text_add(
		out,
		"   Operation                     Max            Min           Mean        Std Dev\n"
		"   ---------                     ---            ---           ----        -------\n");
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct sums s = sums_of(results, count, lines[i].phase, tasks, time);

		if ((lines[i].dirs && dirs) || (lines[i].files && files))
			pario_text_add(out, "   %-22s %14.3f %14.3f %14.3f %14.3f\n",
				       lines[i].title, s.max, s.min, s.mean, s.sd);
	}
}

void pario_mdtest_banner(const char *began, uint64_t tasks, uint64_t nodes, const char *command,
			 struct pario_text *out)
{
	pario_text_add(out, "-- started at %s --\n\n", began);
	pario_text_add(out,
		       "mdtest by pario " PARIO_VERSION
		       " was launched with %llu total task(s) on %llu node(s)\n",
		       (unsigned long long)tasks, (unsigned long long)nodes);
	pario_text_add(out, "Command line used: %s\n", command);
}

void pario_mdtest_summary(const struct pario_peer_job *job, const struct pario_result *results,
			  size_t count, uint64_t tasks, struct pario_text *out)
{
	const struct pario_peer_run *run = &job->runs[0];
	const char *what = pario_peer_on(job, run, "files-only")  ? "files"
			   : pario_peer_on(job, run, "dirs-only") ? "directories"
								  : "files/directories";
	uint64_t items = 0;

	for (size_t i = 0; i < count; i++) {
		if (results[i].clients == tasks && results[i].ops > items &&
		    strncmp(results[i].phase, "tree", 4) != 0)
			items = results[i].ops;
	}
	pario_text_add(out, "\n%llu tasks, %llu %s\n", (unsigned long long)tasks,
		       (unsigned long long)items, what);
	if (!pario_peer_on(job, run, "print-time"))
		table(job, results, count, tasks, false, out);
	if (pario_peer_on(job, run, "print-time") || pario_peer_on(job, run, "print-rate-and-time"))
		table(job, results, count, tasks, true, out);
}
