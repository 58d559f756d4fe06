/*
 * ptrace_fallback: programs that the preloaded library cannot reach, started by programs it has reached. They ask
 * through a named pipe (tracer/preloadable.h); those that may be are held by ptrace, the others are counted, and both
 * are said at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "tracer/preloadable.h"
#include "tracer/program.h"
#include "tracer/ptrace/ptracer.h"
#include "tracer/setup.h"

enum { PROGRAMS = 64, SHOWN = 8, TOLD = 4096, PIPES = 2, GENERATIONS = 64 };

struct program {
	char path[sizeof(((struct pario_ask *)0)->path)];
	unsigned reach;
	int error;
	bool held;
	uint64_t count;
};

struct pario_ptrace_fallback {
	struct pario_ptracer tracer;
	int pipes[PIPES], signals; /* the second is for other users */
	struct program programs[PROGRAMS];
	size_t count;
	uint64_t others; /* of programs beyond those */
	int told[TOLD];	 /* who said by himself that he would not be traced, or is held */
	size_t told_count;
};

static void path_of(const struct pario_tracing *t, int pipe, const char *name, char *path,
		    size_t capacity)
{
	snprintf(path, capacity, "%s/%s", pipe ? t->others : t->reach, name);
}

/* ---- what is remembered ---- */

static void remember(struct pario_ptrace_fallback *u, const char *path, unsigned reach, int error,
		     bool held)
{
	struct program *p = u->programs;

	while (p < u->programs + u->count &&
	       (strcmp(p->path, path) != 0 || p->reach != reach || p->held != held ||
		(reach == PARIO_PRELOADABLE_NO_SHIM && p->error != error)))
		p++;
	if (p == u->programs + PROGRAMS) {
		u->others += reach != PARIO_PRELOADABLE_NO_SHIM;
		return;
	}
	if (p == u->programs + u->count) {
		snprintf(p->path, sizeof(p->path), "%s", path);
		p->reach = reach;
		p->held = held;
		p->error = error;
		u->count++;
	}
	p->count++;
}

static void unseen(void *context, const char *path, unsigned reach, int error)
{
	if (context)
		remember(context, path, reach, error, reach == PARIO_PRELOADABLE_STRIPPED);
}

/* ---- asking ---- */

static void make_marker(const struct pario_tracing *t, int pipe)
{
	char path[4400];
	struct stat st;
	uint64_t space;
	int fd;

	path_of(t, pipe, PARIO_ASK_HOLDS, path, sizeof(path));
	if (stat("/proc/self/ns/pid", &st) < 0)
		return;
	space = st.st_ino;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0 &&
	    ((pipe && fchmod(fd, 0644) < 0) || write(fd, &space, sizeof(space)) != sizeof(space)))
		unlink(path);
	if (fd >= 0)
		close(fd);
}

static void remove_name(const struct pario_tracing *t, const char *name)
{
	char path[4400];

	for (int pipe = 0; pipe < (t->others[0] ? PIPES : 1); pipe++) {
		path_of(t, pipe, name, path, sizeof(path));
		unlink(path);
	}
}

static int open_pipe(const struct pario_tracing *t, int pipe)
{
	char path[4400];
	int fd;

	path_of(t, pipe, PARIO_ASK_PIPE, path, sizeof(path));
	fd = mkfifo(path, 0600) == 0 ? open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
				     : -1;
	if (fd >= 0 && pipe)
		fchmod(fd, 0622);
	if (fd >= 0)
		make_marker(t, pipe);
	return fd;
}

void pario_ptrace_fallback_listen(struct pario_tracing *t)
{
	struct pario_ptrace_fallback *u = calloc(1, sizeof(*u));

	if (!u)
		return;
	u->signals = -1;
	for (int i = 0; i < PIPES; i++)
		u->pipes[i] = i == 0 || t->others[0] ? open_pipe(t, i) : -1;
	u->tracer.directory = t->directory;
	u->tracer.reach = t->reach;
	u->tracer.library = t->library;
	u->tracer.counter = t->counter;
	u->tracer.unseen = unseen;
	u->tracer.context = u;
	t->fallback = u;
}

void pario_ptrace_fallback_share(struct pario_tracing *t, struct pario_ptracer *tracer)
{
	tracer->unseen = unseen;
	tracer->context = t->fallback;
}

/* Another user may ask for what is ours only: what we have started, or what carries the tracer. */
static bool is_ours(const struct pario_tracing *t, int tid)
{
	pid_t pid = tid;

	for (int i = 0; i < GENERATIONS && pid > 1; i++) {
		if (pid == getpid())
			return true;
		pid = pario_ptracer_parent(pid);
	}
	return pario_ptracer_carries(&t->fallback->tracer, tid);
}

static void answer(struct pario_tracing *t, const struct pario_ask *a)
{
	struct pario_ptrace_fallback *u = t->fallback;
	int error;

	if (u->told_count < TOLD && a->what != PARIO_ASK_LET_GO &&
	    a->reach != PARIO_PRELOADABLE_NO_SHIM)
		u->told[u->told_count++] = a->tid;

	switch (a->what) {
	case PARIO_ASK_LET_GO:
		pario_ptracer_let_go(&u->tracer, a->tid);
		break;
	case PARIO_ASK_HOLD:
		error = pario_ptracer_hold(&u->tracer, a->tid);
		remember(u, a->path, a->reach, error, error == 0);
		/* where ptrace is not allowed nobody needs to wait for it again */
		if (error && error != ESRCH)
			remove_name(t, PARIO_ASK_HOLDS);
		break;
	default:
		remember(u, a->path, a->reach, a->error, false);
	}
}

static void answer_all(struct pario_tracing *t)
{
	struct pario_ask a;

	for (int i = 0; i < PIPES; i++) {
		while (t->fallback->pipes[i] >= 0 &&
		       read(t->fallback->pipes[i], &a, sizeof(a)) == sizeof(a)) {
			a.path[sizeof(a.path) - 1] = '\0';
			if (i == 0 || is_ours(t, a.tid))
				answer(t, &a);
		}
	}
}

/* ---- waiting ---- */

static void listen_for_children(struct pario_ptrace_fallback *u)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	u->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* What the kernel says about the program and those that are held. True when the program has ended. */
static bool look(struct pario_ptrace_fallback *u, pid_t pid, int *status)
{
	int now;
	pid_t tid;

	while ((tid = waitpid(-1, &now, __WALL | WNOHANG)) > 0) {
		pario_ptracer_saw(&u->tracer, tid, now);
		if (tid == pid && !WIFSTOPPED(now)) {
			*status = now;
			return true;
		}
	}
	return tid < 0 && errno == ECHILD;
}

bool pario_ptrace_fallback_serve(struct pario_tracing *t, pid_t pid, int ms, int *status)
{
	struct pario_ptrace_fallback *u = t->fallback;
	int64_t end = pario_clock_ns() + (int64_t)ms * 1000000;
	struct signalfd_siginfo info;

	if (u->signals < 0)
		listen_for_children(u);
	for (;;) {
		struct pollfd polled[] = { { u->signals, POLLIN, 0 },
					   { u->pipes[0], POLLIN, 0 },
					   { u->pipes[1], POLLIN, 0 } };
		int64_t left = (end - pario_clock_ns()) / 1000000;

		if (look(u, pid, status))
			return true;
		if (ms >= 0 && left <= 0)
			return false;
		poll(polled, 3, ms < 0 ? -1 : (int)left);
		while (read(u->signals, &info, sizeof(info)) == sizeof(info))
			;
		answer_all(t);
	}
}

/* ---- saying ---- */

/* "uses mpich and hdf5, ..." */
static void list_shims(int missing, char *text, size_t capacity)
{
	static const char *const names[] = PARIO_SHIM_NAMES;
	int n = snprintf(text, capacity, "uses");

	for (int i = 0, listed = 0; i < PARIO_SHIMS; i++) {
		if (missing & 1 << i)
			n += snprintf(text + n, capacity - (size_t)n, "%s %s",
				      listed++ ? " and" : "", names[i]);
	}
}

static const char *reason(const struct program *p)
{
	static char text[128];

	switch (p->reach) {
	case PARIO_PRELOADABLE_NO_SHIM:
		list_shims(p->error, text, sizeof(text));
		return text;
	case PARIO_PRELOADABLE_GO:
		return "a Go program";
	case PARIO_PRELOADABLE_LOADER:
		return "made for another C library";
	case PARIO_PRELOADABLE_WORD:
		return "a program of another word size";
	case PARIO_PRELOADABLE_PRIVILEGED:
		return "runs with privileges of its own";
	case PARIO_PRELOADABLE_SIGHT:
		return "below another root";
	case PARIO_PRELOADABLE_MISSING:
		return "left no record: it ended at once, or the tracer was not loaded";
	case PARIO_PRELOADABLE_SILENT:
		return "forked, and no call was seen";
	case PARIO_PRELOADABLE_STRIPPED:
		return "WHICH RAN WITHOUT ITS PRIVILEGES";
	case PARIO_PRELOADABLE_NO_SEGMENT:
		snprintf(text, sizeof(text), "its segment could not be made: %s",
			 pario_err_name(p->error));
		return text;
	default:
		return "statically linked";
	}
}

static void add_program(const struct program *p, struct pario_text *text)
{
	pario_text_clean(text, *p->path ? p->path : "an unknown program");
	pario_text_add(text, " (%llu %s%s, %s)", (unsigned long long)p->count,
		       p->reach == PARIO_PRELOADABLE_SILENT ? "process" : "run",
		       p->count == 1			      ? ""
		       : p->reach == PARIO_PRELOADABLE_SILENT ? "es"
							      : "s",
		       reason(p));
}

void pario_ptrace_fallback_list(const struct pario_tracing *t, struct pario_text *text)
{
	const struct pario_ptrace_fallback *u = t->fallback;

	for (size_t i = 0; u && i < u->count; i++) {
		if (u->programs[i].held || u->programs[i].reach == PARIO_PRELOADABLE_NO_SHIM)
			continue;
		add_program(&u->programs[i], text);
		pario_text_add(text, "\n");
	}
	if (u && u->others)
		pario_text_add(text, "other programs (%llu runs)\n", (unsigned long long)u->others);
}

void pario_ptrace_fallback_missing(struct pario_tracing *t, int pid, const char *path, bool exec)
{
	struct pario_ptrace_fallback *u = t->fallback;

	for (size_t i = 0; u && i < u->told_count; i++) {
		if (u->told[i] == pid)
			return;
	}
	/* it was told by who started it */
	for (size_t i = 0; u && exec && i < u->count; i++) {
		if (!u->programs[i].held && u->programs[i].reach != PARIO_PRELOADABLE_MISSING &&
		    u->programs[i].reach != PARIO_PRELOADABLE_NO_SHIM &&
		    strcmp(u->programs[i].path, path) == 0)
			return;
	}
	if (u)
		remember(u, path, exec ? PARIO_PRELOADABLE_MISSING : PARIO_PRELOADABLE_SILENT, 0,
			 false);
}

enum kind { UNSEEN, HELD, WITHOUT_SHIM };

static enum kind kind_of(const struct program *p)
{
	if (p->reach == PARIO_PRELOADABLE_NO_SHIM)
		return WITHOUT_SHIM;
	return p->held ? HELD : UNSEEN;
}

/* The programs of one kind. */
static void say(const struct pario_ptrace_fallback *u, enum kind kind)
{
	static const char *const words[] = {
		[UNSEEN] = "NOT TRACED",
		[HELD] =
			"traced by ptrace, at microseconds per call, as preloading does not reach them",
		[WITHOUT_SHIM] =
			"this pario has no shim for a library, of which only the calls below it were traced, in",
	};
	uint64_t runs = kind == UNSEEN ? u->others : 0;
	struct pario_text name = { 0 };
	size_t shown = 0;

	for (size_t i = 0; i < u->count; i++) {
		if (kind_of(&u->programs[i]) == kind)
			runs += u->programs[i].count;
	}
	if (!runs)
		return;
	fprintf(stderr, "pario: %s:", words[kind]);
	for (size_t i = 0; i < u->count; i++) {
		const struct program *p = &u->programs[i];

		if (kind_of(p) != kind || shown++ >= SHOWN)
			continue;
		pario_text_clear(&name);
		add_program(p, &name);
		fprintf(stderr, "%s %s", shown > 1 ? "," : "", pario_text_string(&name));
	}
	pario_text_release(&name);
	if (shown > SHOWN || (kind == UNSEEN && u->others))
		fprintf(stderr, ", and others, in all %llu runs", (unsigned long long)runs);
	fputs(".\n", stderr);
}

void pario_ptrace_fallback_close(struct pario_tracing *t)
{
	struct pario_ptrace_fallback *u = t->fallback;

	if (!u)
		return;
	remove_name(t, PARIO_ASK_HOLDS);
	remove_name(t, PARIO_ASK_PIPE);
	answer_all(t);
	pario_ptracer_let_go(&u->tracer, 0);
	for (int i = 0; i < PIPES; i++) {
		if (u->pipes[i] >= 0)
			close(u->pipes[i]);
		u->pipes[i] = -1;
	}
	if (u->signals >= 0)
		close(u->signals);
	u->signals = -1;
}

void pario_ptrace_fallback_say(struct pario_tracing *t)
{
	if (!t->fallback)
		return;
	say(t->fallback, HELD);
	say(t->fallback, WITHOUT_SHIM);
	say(t->fallback, UNSEEN);
	free(t->fallback);
	t->fallback = NULL;
}
