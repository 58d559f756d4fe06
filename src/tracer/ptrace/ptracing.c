/*
 * ptracing: runs the first program under ptrace, with a filter, until it and all its children have ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/ptrace/ptracer.h"
#include "tracer/setup.h"

enum { SIGNALLED = 128 };

/* Waits until the tracer holds it, then becomes the program. */
static void child(const struct pario_tracing *t, int go, int told)
{
	int error = 0;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(1);
	pario_tracing_regroup(t);
	error = pario_ptracer_filter();
	if (!error) {
		execv(t->program, t->argv);
		error = errno;
	}
	if (write(told, &error, sizeof(error)) < 0)
		_exit(1);
	_exit(1);
}

/* The status of the first process. */
static int loop(struct pario_ptracer *tracer, pid_t first)
{
	int status, ended = 0;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		if (tid < 0)
			continue;
		if (tid == first && !WIFSTOPPED(status))
			ended = status;
		pario_ptracer_saw(tracer, tid, status);
	}
	return ended;
}

int pario_tracing_ptrace(struct pario_tracing *t, int *error)
{
	struct pario_ptracer tracer = { .directory = t->directory,
					.reach = t->reach,
					.counter = t->counter,
					.filtered = true };
	int go[2], told[2], status;
	pid_t first;

	pario_ptrace_fallback_share(t, &tracer);
	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(told, O_CLOEXEC) < 0) {
		*error = errno;
		return -1;
	}
	first = fork();
	if (first == 0) {
		close(go[1]);
		child(t, go[0], told[1]);
	}
	close(go[0]);
	close(told[1]);
	if (first < 0 || pario_ptracer_hold(&tracer, first) != 0) {
		close(go[1]);
		close(told[0]);
		if (first > 0)
			waitpid(first, NULL, 0);
		return PARIO_TRACING_REFUSED;
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	pario_tracing_forward(first);
	if (write(go[1], "g", 1) != 1)
		*error = errno;
	status = loop(&tracer, first);
	if (read(told[0], error, sizeof(*error)) != sizeof(*error))
		*error = 0;
	close(go[1]);
	close(told[0]);
	if (*error)
		return -1;
	return WIFSIGNALED(status) ? SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}
