/*
 * trace: runs a program under the tracer and packs what it left behind.
 *
 * The program's input, output and exit code stay its own. pario speaks on standard error: what could not be recorded,
 * and one last line with the trace, its size and the next command.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "console/console.h"
#include "trace/join.h"
#include "trace/missing.h"
#include "trace/pack.h"
#include "trace/ranks.h"
#include "trace/segment.h"
#include "profile/show/show.h"
#include "tracer/setup.h"

/* What shells answer. */
enum { NOT_EXECUTABLE = 126, NOT_FOUND = 127, SIGNALLED = 128, WORDS = 16 };

/* Processes that left nothing whose names are looked up, in the segments of those that started them. */
enum { NAMED = 256 };

/* After the last rank that arrived. */
static const int64_t PATIENCE_NS = 5000000000;

static volatile sig_atomic_t child_pid;

static void pass_on(int signal)
{
	if (child_pid > 0)
		kill((pid_t)child_pid, signal);
}

struct params {
	char output[4096], join[4096];
	uint64_t stack;
	bool live, ptrace, force, quiet;
};

#define OPTION(field, ...) \
	PARIO_OPTION(struct params, field, .flags = PARIO_OPTION_NO_SWEEP, __VA_ARGS__)

_Static_assert(PARIO_TRACE_STACK_MAX == 32, "the largest --stack below is another");

const struct pario_option pario_trace_options[] = {
	OPTION(output, .def = "", .letter = 'o',
	       .help = "file for the trace; the program's name with .trace by default"),
	OPTION(stack, .def = "0", .max = "32", .unit = "frames",
	       .help = "callers of each call to record as well"),
	OPTION(live, .def = "0", .help = "show a table on standard error while the program runs"),
	OPTION(ptrace, .def = "0",
	       .help = "trace system calls from outside; chosen by itself for static and Go programs"),
	OPTION(force, .def = "0", .help = "replace the file also when it is not a trace"),
	OPTION(quiet, .def = "0", .help = "do not end with a line about the trace"),
	OPTION(join, .def = "",
	       .help = "run nothing: write the traces and directories of segments that follow into this file, as one trace"),
	{ 0 },
};

/* Is the word after an option its value? Of a switch only what its help shows: `--live yes` runs the program yes. */
static bool takes_next(const char *word, const char *next)
{
	if (strchr(word, '=') || !next)
		return false;
	for (const struct pario_option *o = pario_trace_options; o->name; o++) {
		bool named = word[1] == '-' ? strcmp(word + 2, o->name) == 0
					    : o->letter && word[1] == o->letter && !word[2];

		if (named)
			return o->type != PARIO_TYPE_BOOL || strcmp(next, "0") == 0 ||
			       strcmp(next, "1") == 0;
	}
	return false;
}

int pario_trace_command_at(int argc, char **argv)
{
	int i = 0;

	while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0)
		i += takes_next(argv[i], i + 1 < argc ? argv[i + 1] : NULL) ? 2 : 1;
	return i < argc ? i : argc;
}

static int parse(struct pario_tracing *t, const char **join, int argc, char **argv,
		 struct pario_err *err)
{
	static struct params params;
	const struct pario_table table = { "trace", pario_trace_options, sizeof(params) };
	int at = pario_trace_command_at(argc, argv), count = 0;
	const char *words[WORDS];

	if (pario_cmd_options("trace", &table, &params, at, argv, words, WORDS, &count, err) < 0)
		return -1;
	if (at < argc && strcmp(argv[at], "--") == 0)
		at++;
	if (at >= argc || count)
		return pario_err_set(err, PARIO_USAGE, "which %s [ARGUMENT ...]`.",
				     *params.join ? "traces? `pario trace --join FILE TRACE"
						  : "program? `pario trace [-o FILE] -- COMMAND");
	t->output = *params.output ? params.output : NULL;
	*join = *params.join ? params.join : NULL;
	t->stack = (unsigned)params.stack;
	t->live = params.live;
	t->force = params.force;
	t->quiet = params.quiet;
	t->ptrace = params.ptrace;
	t->argv = argv + at;
	return 0;
}

static int exit_code(int status)
{
	return WIFSIGNALED(status) ? SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

void pario_tracing_forward(pid_t pid)
{
	struct sigaction forward = { .sa_handler = pass_on };

	child_pid = pid;
	sigaction(SIGTERM, &forward, NULL);
	sigaction(SIGHUP, &forward, NULL);
}

/* Until the program ends; what it and its children ask meanwhile is done. */
static int wait_for(struct pario_tracing *t, pid_t pid, bool live)
{
	int status = 0;

	if (!t->fallback) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	} else if (live) {
		pario_tracing_watch(t, pid, &status);
	} else {
		pario_ptrace_fallback_serve(t, pid, -1, &status);
	}
	child_pid = 0;
	return status;
}

/*
 * A launcher ends a job one of whose ranks has failed by killing process groups, Hydra at once and with SIGKILL: nobody
 * would be left to write the trace, just when it is wanted. So that is done by a process which has stepped out of the
 * group in which the program stays, while this one waits for it. The exit code, or -1 in the process that goes on.
 */
static int step_aside(struct pario_tracing *t)
{
	pid_t group = getpgrp(), pid = t->job ? fork() : -1;
	int status = 0;

	if (pid == 0) {
		setpgid(0, 0);
		t->group = group;
	}
	if (pid <= 0)
		return -1;
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	pario_tracing_forward(pid);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return exit_code(status);
}

/* Runs the program; -1 when it could not be started, with its errno in *error. */
static int run(struct pario_tracing *t, int *error)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old_int, old_quit;
	int told[2], status;
	pid_t pid;

	if (pipe2(told, O_CLOEXEC) < 0) {
		*error = errno;
		return -1;
	}
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	pid = fork();
	if (pid == 0) {
		sigaction(SIGINT, &old_int, NULL);
		sigaction(SIGQUIT, &old_quit, NULL);
		pario_tracing_regroup(t);
		execv(t->program, t->argv);
		*error = errno;
		if (write(told[1], error, sizeof(*error)) < 0)
			_exit(NOT_EXECUTABLE);
		_exit(NOT_FOUND);
	}
	pario_tracing_forward(pid);
	close(told[1]);
	if (pid < 0) {
		*error = errno;
		close(told[0]);
		return -1;
	}
	if (read(told[0], error, sizeof(*error)) != sizeof(*error))
		*error = 0;
	close(told[0]);
	status = wait_for(t, pid, t->live && !*error);
	return *error ? -1 : exit_code(status);
}

static int not_started(const char *name, int error)
{
	struct pario_err err = { 0 };

	pario_err_sys(&err, error, "", "the program %s cannot be started", name);
	pario_console_say(&err);
	return error == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

static void report_requests(const struct pario_pack_totals *totals)
{
	struct pario_text lines = { 0 };
	const char *at, *end;

	pario_job_requests(totals->requests, &lines);
	for (at = pario_text_string(&lines); *at; at = end + 1) {
		end = strchr(at, '\n');
		fprintf(stderr, "pario: %.*s\n", (int)(end - at), at);
	}
	pario_text_release(&lines);
}

static void report_losses(const struct pario_pack_totals *totals)
{
	report_requests(totals);
	if (totals->dropped)
		pario_console_warn(
			"CALLS WERE LOST: %llu calls could not be recorded (%s); the trace is not complete.",
			(unsigned long long)totals->dropped,
			totals->why ? pario_err_name(totals->why) : "signal handlers");
	if (totals->damaged)
		pario_console_warn("%llu segment%s could not be read and %s not in the trace.",
				   (unsigned long long)totals->damaged,
				   totals->damaged == 1 ? "" : "s",
				   totals->damaged == 1 ? "is" : "are");
	if (totals->unfinished)
		pario_console_warn(
			"%llu call%s not finished: the process or thread ended within, or jumped out.",
			(unsigned long long)totals->unfinished,
			totals->unfinished == 1 ? " was" : "s were");
}

/* Of ranks with a launcher each, that of rank 0 speaks for all. */
static void report(const struct pario_tracing *t, const struct pario_pack_totals *totals,
		   const struct pario_ranks *ranks)
{
	uint64_t calls = ranks->calls ? ranks->calls : totals->calls,
		 processes = ranks->processes ? ranks->processes : totals->processes;
	char size[PARIO_UNITS_CAPACITY] = "";
	struct stat st;

	if (t->quiet || !pario_tracing_speaks(t) || stat(t->output, &st) < 0)
		return;
	pario_console_warn("%s (%s, %llu calls of %llu process%s); next: pario profile %s",
			   t->output, pario_units_size(size, (uint64_t)st.st_size),
			   (unsigned long long)calls, (unsigned long long)processes,
			   processes == 1 ? "" : "es", t->output);
}

/* Who was started and left nothing is named, in the trace as well. */
static int add_missing(struct pario_tracing *t, struct pario_pack *file, struct pario_err *err)
{
	struct pario_text lines = { 0 };
	const struct pario_missing_start *s;
	uint32_t at = 0, named = 0;
	char name[4096];
	int status;

	while ((s = pario_missing_next(file->missing, &at))) {
		name[0] = '\0';
		if (named++ < NAMED)
			pario_missing_name(s, t->reach, name, sizeof(name));
		if (!*name && t->others[0] && named <= NAMED)
			pario_missing_name(s, t->others, name, sizeof(name));
		pario_ptrace_fallback_missing(t, (int)s->pid, name, s->exec);
	}
	pario_ptrace_fallback_list(t, &lines);
	status = pario_pack_unseen(file, pario_text_string(&lines), err);
	pario_text_release(&lines);
	return status;
}

static int pack_all(struct pario_tracing *t, struct pario_pack *file,
		    struct pario_pack_totals *totals, struct pario_ranks *ranks,
		    struct pario_err *err)
{
	struct pario_missing missing = { 0 };
	int status;

	file->missing = &missing;
	file->ranks = ranks;
	status = pario_pack_directory(file, t->reach, t->anchors, totals, err);
	if (status == 0 && t->others[0])
		status = pario_pack_directory(file, t->others, t->anchors, totals, err);
	if (status == 0)
		status = add_missing(t, file, err);
	file->missing = NULL;
	file->ranks = NULL;
	pario_missing_release(&missing);
	return status;
}

/*
 * Each rank has a launcher of its own, and none knows who is the last. That of rank 0 waits for the others, as long as
 * they keep coming.
 */
static void wait_for_ranks(const struct pario_tracing *t, struct pario_ranks *ranks)
{
	uint32_t before = 0, count = pario_ranks_count(ranks);
	int64_t since = pario_clock_ns();
	struct timespec nap = { 0, 20000000 };

	while (!pario_ranks_complete(ranks) && pario_clock_ns() - since < PATIENCE_NS) {
		nanosleep(&nap, NULL);
		if (nap.tv_nsec < 500000000)
			nap.tv_nsec *= 2;
		pario_ranks_read(ranks, t->output);
		before = count;
		count = pario_ranks_count(ranks);
		if (count > before)
			since = pario_clock_ns();
	}
}

/* What all launchers have written; who writes is waited for. */
static void count_all(const struct pario_tracing *t, struct pario_ranks *ranks)
{
	struct pario_pack file;
	struct pario_err err = { 0 };

	if (pario_pack_open(&file, t->output, t->job, false, &err) < 0)
		return;
	pario_ranks_read(ranks, t->output);
	pario_pack_close(&file, NULL);
}

/* A trace of some ranks must not pass for that of a smaller program. */
static void report_ranks(const struct pario_tracing *t, struct pario_ranks *ranks)
{
	struct pario_text missing = { 0 };
	const char *name = strrchr(t->directory, '/');

	if (pario_ranks_complete(ranks) || (t->job && !pario_ranks_has(ranks, 0)))
		return;
	pario_ranks_missing(ranks, &missing);
	if (t->job)
		pario_console_warn(
			"%s HOLDS %u OF %u RANKS; not yet there: %s. Where its directory is not "
			"shared, each node has a trace of that name: `pario trace --join ALL "
			"TRACE ...` makes them one.",
			t->output, pario_ranks_count(ranks), ranks->world,
			pario_text_string(&missing));
	else
		pario_console_warn(
			"%s HOLDS %u OF %u RANKS; missing: %s. On a node that does not see the "
			"trace's directory their segments are in " PARIO_TRACE_AWAY "%s: `pario "
			"trace --join ALL %s DIRECTORY ...` takes them in.",
			t->output, pario_ranks_count(ranks), ranks->world,
			pario_text_string(&missing), name ? name : "", t->output);
	pario_text_release(&missing);
}

static void pack(struct pario_tracing *t)
{
	struct pario_pack_totals totals = { 0 };
	struct pario_ranks ranks = { 0 };
	struct pario_pack file;
	struct pario_err err = { 0 };
	int status;

	/* Whoever read what is said here may be gone. */
	signal(SIGPIPE, SIG_IGN);
	pario_tracing_anchor(&t->anchors[1]);
	if (pario_pack_open(&file, t->output, t->job, t->force, &err) < 0) {
		pario_console_say(&err);
		pario_console_warn("the segments stay in %s; `pario profile` reads them there.",
				   t->directory);
		return;
	}
	status = pack_all(t, &file, &totals, &ranks, &err);
	if (pario_pack_close(&file, status < 0 ? NULL : &err) < 0)
		status = -1;
	if (status < 0) {
		pario_console_say(&err);
		if (totals.dropped)
			report_losses(&totals);
		pario_console_warn("the segments stay in %s; `pario profile` reads them there.",
				   t->directory);
		pario_ranks_release(&ranks);
		return;
	}
	report_losses(&totals);
	if (pario_tracing_was_moved(t))
		pario_console_warn(
			"%s WAS RENAMED OR EXCHANGED while the program ran: processes that began "
			"after that are not in the trace. Name a place with -o in which only you "
			"can rename.",
			t->directory);
	pario_tracing_remove(t);
	if (t->job && pario_ranks_has(&ranks, 0)) {
		wait_for_ranks(t, &ranks);
		count_all(t, &ranks);
	}
	report(t, &totals, &ranks);
	report_ranks(t, &ranks);
	pario_ranks_release(&ranks);
}

int pario_cmd_trace(int argc, char **argv)
{
	struct pario_tracing t = { 0 };
	struct pario_err err = { 0 };
	const char *join = NULL;
	int code, error = 0;

	if (parse(&t, &join, argc, argv, &err) < 0)
		return pario_console_say(&err);
	if (join)
		return pario_join(join, t.argv, t.force, &err) < 0 ? pario_console_say(&err) : 0;
	error = pario_tracing_find(&t);
	if (error)
		return not_started(t.argv[0], error);
	code = pario_tracing_prepare(&t, &err);
	if (code == PARIO_USAGE)
		return pario_console_say(&err);
	if (code != 0) {
		pario_console_say(&err);
		pario_console_warn("NOTHING WILL BE TRACED; the program runs without the tracer.");
		t.ptrace = false;
	}
	code = step_aside(&t);
	if (code >= 0)
		return code;
	code = t.ptrace ? pario_tracing_ptrace(&t, &error) : run(&t, &error);
	if (code == PARIO_TRACING_REFUSED) {
		pario_console_warn(
			"this system does not allow ptrace here: NOTHING WILL BE TRACED.");
		code = run(&t, &error);
	}
	pario_ptrace_fallback_close(&t);
	if (t.directory[0])
		pack(&t);
	pario_ptrace_fallback_say(&t);
	return code < 0 ? not_started(t.argv[0], error) : code;
}
