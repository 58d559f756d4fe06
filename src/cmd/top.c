/*
 * top: a live table of a running job, refreshed every second from the directory its segments are written to. The one
 * trace that runs is found by itself.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/cmd.h"
#include "console/console.h"
#include "profile/analyse/live.h"
#include "trace/segment.h"
#include "tracer/running.h"
#include "tracer/setup.h"

enum { ROWS = 8, INTERVAL_MS = 1000, WORDS = 16 };

/*
 * Three tables with their heads fit a terminal; what is none, or cannot move its cursor, gets one look after the other.
 */
static void fit(FILE *to, unsigned *rows, unsigned *columns)
{
	const char *term = getenv("TERM");
	struct winsize size;

	*rows = ROWS;
	*columns = 0;
	if (!isatty(fileno(to)) || !term || strcmp(term, "dumb") == 0)
		return;
	*columns = 80;
	if (ioctl(fileno(to), TIOCGWINSZ, &size) < 0 || !size.ws_col)
		return;
	*columns = size.ws_col;
	if (size.ws_row)
		*rows = size.ws_row < 8 + 3 * 2 ? 1 : (size.ws_row - 8u) / 3;
}

static void show(const struct pario_live *live, double seconds, FILE *to)
{
	struct pario_text text = { 0 };
	unsigned rows, columns;

	fit(to, &rows, &columns);

	pario_live_show(live, seconds, rows, columns, &text);
	if (columns)
		fputs("\033[H\033[2J", to);
	fputs(pario_text_string(&text), to);
	fflush(to);
	pario_text_release(&text);
}

/* One look per interval, until the program ends, when it is ours, or the directory is gone. */
static int watch(const char *directory, uint64_t rounds, struct pario_tracing *t, pid_t pid,
		 int *status, FILE *to)
{
	struct pario_live *live = pario_live_new();
	int64_t last, now;
	int segments = 0;
	bool ended = false;

	if (live) /* what was done before belongs to no interval */
		segments = pario_live_look(live, directory);
	last = pario_clock_ns();
	for (uint64_t i = 0; live && segments >= 0 && !ended && (!rounds || i < rounds); i++) {
		if (t)
			ended = pario_ptrace_fallback_serve(t, pid, INTERVAL_MS, status);
		else
			poll(NULL, 0, INTERVAL_MS);
		segments = pario_live_look(live, directory);
		now = pario_clock_ns();
		if (segments >= 0)
			show(live, pario_clock_s(now - last), to);
		last = now;
	}
	pario_live_free(live);
	if (t && !ended)
		pario_ptrace_fallback_serve(t, pid, -1, status);
	return segments;
}

void pario_tracing_watch(struct pario_tracing *t, pid_t pid, int *status)
{
	watch(t->reach, 0, t, pid, status, stderr);
}

struct params {
	uint64_t rounds;
};

const struct pario_option pario_top_options[] = {
	PARIO_OPTION(struct params, rounds, .def = "0", .unit = "looks",
		     .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "end after so many; 0 = when the program ends"),
	{ 0 },
};

/* An empty directory is one whose program has not begun. */
static bool may_hold_segments(const char *directory)
{
	struct dirent **names = NULL;
	int segments = 0, count = scandir(directory, &names, NULL, NULL);

	for (int i = 0; i < count; i++) {
		segments += pario_segment_is_name(names[i]) != 0;
		free(names[i]);
	}
	free(names);
	return segments > 0 || (count >= 0 && count <= 2);
}

/* The directory of the one trace that runs. */
static const char *find(struct pario_err *err)
{
	static struct pario_running running[PARIO_RUNNING_MAX];
	size_t count = pario_running_find(running);

	if (count == 1)
		return running[0].directory;
	if (count == 0) {
		pario_err_set(err, PARIO_USAGE,
			      "no trace of yours runs on this machine; start one with `pario trace "
			      "-- PROGRAM`, or name its directory: `pario top DIR`.");
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		pario_console_warn("pario top %s  (%s, process %d)", running[i].directory,
				   running[i].program, running[i].pid);
	pario_err_set(err, PARIO_USAGE, "%zu traces run: choose one of these.", count);
	return NULL;
}

int pario_cmd_top(int argc, char **argv)
{
	struct params params = { 0 };
	const struct pario_table table = { "top", pario_top_options, sizeof(params) };
	const char *words[WORDS];
	struct pario_err err = { 0 };
	int count = 0;
	int status =
		pario_cmd_options("top", &table, &params, argc, argv, words, WORDS, &count, &err);

	if (status == 0 && count > 1)
		status = pario_err_set(&err, PARIO_USAGE,
				       "which directory? `pario top DIR` takes one pario-trace-... "
				       "directory of a running trace.");
	if (status == 0 && count == 0) {
		words[0] = find(&err);
		status = words[0] ? 0 : -1;
	}
	if (status == 0 && access(words[0], R_OK | X_OK) < 0)
		status = pario_err_sys(&err, errno, "",
				       "the directory %s of a running trace cannot be read",
				       words[0]);
	if (status == 0 && !may_hold_segments(words[0]))
		status = pario_err_set(&err, PARIO_USAGE,
				       "%s holds no segments of a trace; `pario top` takes the "
				       "pario-trace-... directory of a running trace.",
				       words[0]);
	if (status < 0)
		return pario_console_say(&err);
	watch(words[0], params.rounds, NULL, 0, NULL, stdout);
	return 0;
}
