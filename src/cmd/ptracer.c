/*
 * ptracer: the loop of stops.
 */
#include "cmd/ptracer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/tracing.h"

enum { SIGNALLED = 128, BUCKETS = 1024 };

struct tracer {
	const char *directory;
	bool counter;
	struct pario_ptracer_thread *threads[BUCKETS];
	struct pario_ptracer_process *processes;
	pid_t first;
	bool running; /* the first process has become the program */
	int status;
};

static uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct pario_ptracer_process *process_of(struct tracer *tracer, pid_t pid)
{
	struct pario_ptracer_process *p = tracer->processes;

	while (p && p->pid != pid)
		p = p->next;
	if (p)
		return p;
	p = calloc(1, sizeof(*p));
	if (p) {
		p->pid = pid;
		p->started = monotonic_ns();
		p->next = tracer->processes;
		tracer->processes = p;
	}
	return p;
}

/* The process a thread belongs to. */
static pid_t leader_of(pid_t tid)
{
	char path[64], line[256];
	pid_t pid = tid;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Tgid: %d", &pid) == 1)
			break;
	}
	if (file)
		fclose(file);
	return pid;
}

static void open_segment(struct tracer *tracer, struct pario_ptracer_thread *t)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_THREAD, .size = (uint64_t)t->tid };

	pario_ptracer_segment_open(&t->segment, tracer->directory, t->process->pid, t->tid,
				   t->process->started, t->process->segments++, tracer->counter);
	pario_ptracer_segment_put(&t->segment, &note, NULL, 0);
	if (t->process->threads++ == 0)
		pario_ptracer_introduce(t);
}

static struct pario_ptracer_thread *thread_of(struct tracer *tracer, pid_t tid)
{
	struct pario_ptracer_thread **bucket = &tracer->threads[(unsigned)tid % BUCKETS],
				    *t = *bucket;

	while (t && t->tid != tid)
		t = t->next;
	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->tid = tid;
	t->segment.fd = -1;
	t->process = process_of(tracer, leader_of(tid));
	if (!t->process) {
		free(t);
		return NULL;
	}
	open_segment(tracer, t);
	t->next = *bucket;
	*bucket = t;
	return t;
}

static void forget(struct tracer *tracer, pid_t tid)
{
	struct pario_ptracer_thread **at = &tracer->threads[(unsigned)tid % BUCKETS], *t;
	struct pario_ptracer_process **of;

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	t = *at;
	if (!t)
		return;
	*at = t->next;
	pario_ptracer_segment_close(&t->segment);
	if (--t->process->threads == 0) {
		for (of = &tracer->processes; *of && *of != t->process; of = &(*of)->next)
			;
		if (*of)
			*of = t->process->next;
		pario_map_release(&t->process->names);
		free(t->process);
	}
	free(t);
}

/* The kernel's filter stopped it at the beginning of a call. */
static void begins(struct tracer *tracer, struct pario_ptracer_thread *t)
{
	struct __ptrace_syscall_info info;
	uint64_t above = 0;
	struct iovec local = { &above, sizeof(above) }, remote;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, t->tid, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_SECCOMP ||
	    !(t->call = pario_ptracer_find(info.seccomp.nr))) {
		t->in_call = false;
		return;
	}
	t->record = (struct pario_trace_record){ .op = t->call->op,
						 .layer = t->call->layer,
						 .site = info.instruction_pointer,
						 .offset = PARIO_TRACE_NOWHERE };
	for (int i = 0; i < 6; i++)
		t->arguments[i] = info.seccomp.args[i];
	/* a call within a wrapper that made no frame: its caller is the place */
	remote = (struct iovec){ (void *)(uintptr_t)info.stack_pointer, sizeof(above) };
	if (process_vm_readv(t->tid, &local, 1, &remote, 1, 0) == sizeof(above) &&
	    pario_ptracer_returns(t->process->pid, above))
		t->record.site = above;
	pario_ptracer_enter(t);
	t->in_call = true;
	t->record.t0 = pario_ptracer_ticks(tracer->counter);
	if (t->call->op == PARIO_OP_exec ||
	    t->call->op == PARIO_OP_exit) { /* they do not come back */
		pario_ptracer_segment_put(&t->segment, &t->record, NULL, 0);
		t->in_call = false;
	}
}

static void ends(struct tracer *tracer, struct pario_ptracer_thread *t)
{
	uint64_t stop = pario_ptracer_ticks(tracer->counter);
	struct __ptrace_syscall_info info;

	t->in_call = false;
	if (ptrace(PTRACE_GET_SYSCALL_INFO, t->tid, sizeof(info), &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_EXIT)
		return;
	t->record.duration = pario_trace_pack_ticks(stop - t->record.t0);
	pario_ptracer_leave(t, info.exit.rval);
	pario_ptracer_segment_put(&t->segment, &t->record, NULL, 0);
}

/* Another program in the same process: other threads are gone, descriptors may be closed, addresses are new. */
static void became(struct tracer *tracer, struct pario_ptracer_thread *t)
{
	struct pario_ptracer_process *p = t->process;

	pario_ptracer_segment_close(&t->segment);
	memset(p->files, 0, sizeof(p->files));
	pario_map_release(&p->names);
	p->started = monotonic_ns();
	p->threads = 0;
	open_segment(tracer, t);
}

static void stopped(struct tracer *tracer, pid_t tid, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;
	struct pario_ptracer_thread *t;
	long how = PTRACE_CONT, pass = 0;

	if (!tracer->running && event != PTRACE_EVENT_EXEC) { /* still pario */
		ptrace(PTRACE_CONT, tid, 0, event ? 0 : signal);
		return;
	}
	t = thread_of(tracer, tid);
	if (!t) {
		ptrace(PTRACE_DETACH, tid, 0, 0);
		return;
	}
	if (signal == (SIGTRAP | 0x80)) {
		if (t->in_call)
			ends(tracer, t);
	} else if (event == PTRACE_EVENT_SECCOMP) {
		begins(tracer, t);
		how = t->in_call ? PTRACE_SYSCALL : PTRACE_CONT;
	} else if (event == PTRACE_EVENT_EXEC) {
		if (tracer->running)
			became(tracer, t);
		tracer->running = true;
	} else if (event == PTRACE_EVENT_STOP) {
		/* a new thread begins, or the whole group was stopped by a signal and stays so */
		if (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN ||
		    signal == SIGTTOU)
			how = PTRACE_LISTEN;
	} else if (event == 0) {
		pass = signal;
		how = t->in_call ? PTRACE_SYSCALL : PTRACE_CONT;
	}
	ptrace((enum __ptrace_request)how, tid, 0, pass);
}

static void loop(struct tracer *tracer)
{
	int status;
	pid_t tid;

	for (;;) {
		tid = waitpid(-1, &status, __WALL);
		if (tid < 0 && errno == EINTR)
			continue;
		if (tid < 0)
			break;
		if (WIFSTOPPED(status)) {
			stopped(tracer, tid, status);
			continue;
		}
		if (tid == tracer->first)
			tracer->status = status;
		forget(tracer, tid);
	}
}

/* Waits until the tracer holds it, then becomes the program. */
static void child(const struct pario_tracing *t, int go, int told)
{
	int error = 0;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(1);
	error = pario_ptracer_filter();
	if (!error) {
		execv(t->program, t->argv);
		error = errno;
	}
	if (write(told, &error, sizeof(error)) < 0)
		_exit(1);
	_exit(1);
}

int pario_tracing_ptrace(struct pario_tracing *t, int *error)
{
	const unsigned long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP |
				      PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
				      PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
	struct tracer tracer = { .directory = t->directory, .counter = t->counter };
	int go[2], told[2];

	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(told, O_CLOEXEC) < 0) {
		*error = errno;
		return -1;
	}
	tracer.first = fork();
	if (tracer.first == 0) {
		close(go[1]);
		child(t, go[0], told[1]);
	}
	close(go[0]);
	close(told[1]);
	if (tracer.first < 0 || ptrace(PTRACE_SEIZE, tracer.first, 0, options) < 0) {
		close(go[1]);
		close(told[0]);
		if (tracer.first > 0)
			waitpid(tracer.first, NULL, 0);
		return PARIO_TRACING_REFUSED;
	}
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	if (write(go[1], "g", 1) != 1)
		*error = errno;
	loop(&tracer);
	if (read(told[0], error, sizeof(*error)) != sizeof(*error))
		*error = 0;
	close(go[1]);
	close(told[0]);
	if (*error)
		return -1;
	return WIFSIGNALED(tracer.status) ? SIGNALLED + WTERMSIG(tracer.status)
					  : WEXITSTATUS(tracer.status);
}
