/*
 * mdtest_tables: what mdtest prints, from pario's results, for scripts that read it.
 *
 * A rate is all operations over the time from the first start to the last stop, the slowest task's. A phase that was
 * not asked for has the rate 0, as in mdtest. The deviation is over n - 1.
 */
#include "compat/mdtest.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
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

	static const char *const titles[][2] = { { "rate", "time" },
						 { "rate (in ops/sec)", "time (in ms/op)" },
						 { "rate", "time" } };
	bool old = job->output == PARIO_PEER_ONLY_3_3;

	pario_text_add(out, "\nSUMMARY %s: (of %llu iterations)\n", titles[job->output][time],
		       (unsigned long long)pario_peer_number(job, run, "iterations"));
	pario_text_add(
		out,
		"   Operation%s                     Max            Min           Mean        Std Dev\n"
		"   ---------%s                     ---            ---           ----        -------\n",
		old ? " " : "", old ? " " : "");
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct sums s = sums_of(results, count, lines[i].phase, tasks, time);

		/* renaming came with 4.0 */
		if (old && strcmp(lines[i].phase, "dir_rename") == 0)
			continue;
		if ((lines[i].dirs && dirs) || (lines[i].files && files))
			pario_text_add(out,
				       old ? "   %-26s: %14.3f %14.3f %14.3f %14.3f\n"
					   : "   %-22s %14.3f %14.3f %14.3f %14.3f\n",
				       lines[i].title, s.max, s.min, s.mean, s.sd);
	}
}

/* Reading is a phase where it is asked for, or nothing is. */
static bool reads(const struct pario_peer_job *job, const struct pario_peer_run *run)
{
	static const char *const others[] = { "create", "stat", "remove", "rename" };
	bool any = false;

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		any = any || pario_peer_on(job, run, others[i]);
	return pario_peer_on(job, run, "read") || !any;
}

/* Path and room, in the way of each version. */
static void place(const struct pario_mdtest_frame *f, struct pario_text *out)
{
	bool old = f->job->output == PARIO_PEER_ONLY_3_3;

	/* 3.3 names the directory above */
	int length = (int)strlen(f->path);

	while (old && length > 1 && f->path[--length] != '/')
		;
	pario_text_add(out, old ? "%s: %.*s\n" : "%-20s: %.*s\n", "Path", length, f->path);
	pario_text_add(out, old ? "%s: " : "%-20s: ", "FS");
	pario_text_add(out, "%s   Used FS: %s   Inodes: %s   Used Inodes: %s\n", f->room.capacity,
		       f->room.used, f->room.inodes, f->room.used_inodes);
}

/* A digit for each task: does it run on the first one's node? Tasks are told in blocks. */
static void nodes(const struct pario_mdtest_frame *f, struct pario_text *out)
{
	pario_text_add(out, "Nodemap: ");
	for (uint64_t i = 0; i < f->tasks; i++)
		pario_text_add(out, "%d", i < f->tasks_per_node);
	pario_text_add(out, "\n");
}

void pario_mdtest_banner(const struct pario_mdtest_frame *f, struct pario_text *out)
{
	static const char *const names[] = { ("mdtest by pario " PARIO_VERSION), "mdtest-4.1.0",
					     "mdtest-3.3.0" };
	const struct pario_peer_run *run = &f->job->runs[0];
	bool old = f->job->output == PARIO_PEER_ONLY_3_3;
	char began[PARIO_CLOCK_CAPACITY];

	pario_text_add(out, "-- started at %s --\n\n", pario_clock_american(began, f->began_s));
	pario_text_add(out, "%s was launched with %llu total task(s) on %llu node(s)\n",
		       names[f->job->output], (unsigned long long)f->tasks,
		       (unsigned long long)f->nodes);
	pario_text_add(out, "Command line used: %s\n", f->command);
	if (old) {
		place(f, out);
		pario_text_add(out, "\n");
		nodes(f, out);
		return;
	}
	if (f->job->output == PARIO_PEER_ONLY && reads(f->job, run) &&
	    !pario_peer_number(f->job, run, "read-bytes"))
		pario_text_add(out, "WARNING: Read bytes is 0, thus, a read test will actually "
				    "just open/close\n");
	nodes(f, out);
	place(f, out);
}

void pario_mdtest_end(struct pario_text *out)
{
	char now[PARIO_CLOCK_CAPACITY];

	pario_text_add(out, "-- finished at %s --\n\n",
		       pario_clock_american(now, pario_clock_unix()));
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
	pario_text_add(out, "%s%llu tasks, %llu %s\n", job->output == PARIO_PEER_BOTH ? "\n" : "",
		       (unsigned long long)tasks, (unsigned long long)items, what);
	if (!pario_peer_on(job, run, "print-time"))
		table(job, results, count, tasks, false, out);
	if (pario_peer_on(job, run, "print-time") || pario_peer_on(job, run, "print-rate-and-time"))
		table(job, results, count, tasks, true, out);
}
