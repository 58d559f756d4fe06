/*
 * ptracer: who is held, and what a stop means. What a call was told is read by the other ptracer_*.c.
 */
#include "tracer/ptrace/ptracer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracer/preloadable.h"

enum { LET_GO_MS = 1000, ENVIRONMENT_MAX = 1 << 18 };

static uint64_t monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- processes and threads ---- */

/* A number of /proc/TID/status, `otherwise` when it is not there. */
static pid_t status_of(pid_t tid, const char *word, pid_t otherwise)
{
	char path[64], line[256];
	pid_t number = otherwise;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, word, strlen(word)) == 0) {
			number = (pid_t)strtol(line + strlen(word), NULL, 10);
			break;
		}
	}
	if (file)
		fclose(file);
	return number;
}

pid_t pario_ptracer_parent(pid_t pid)
{
	return status_of(pid, "PPid:", 0);
}

static struct pario_ptracer_process *find_process(struct pario_ptracer *p, pid_t pid)
{
	struct pario_ptracer_process *of = p->processes;

	while (of && of->pid != pid)
		of = of->next;
	return of;
}

static struct pario_ptracer_process *process_of(struct pario_ptracer *p, pid_t pid)
{
	struct pario_ptracer_process *of = find_process(p, pid), *parent;

	if (of)
		return of;
	of = calloc(1, sizeof(*of));
	if (!of)
		return NULL;
	/* forked by one that waits to become another program: so does the child */
	parent = find_process(p, status_of(pid, "PPid:", 0));
	of->pid = pid;
	of->started = monotonic_ns();
	of->waits = parent && parent->waits;
	of->next = p->processes;
	p->processes = of;
	return of;
}

static void open_segment(struct pario_ptracer *p, struct pario_ptracer_thread *t)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_THREAD, .size = (uint64_t)t->tid };
	char path[64], exe[512] = "";

	pario_ptracer_segment_open(&t->segment, p->reach, t->process->pid, t->tid,
				   t->process->started, t->process->segments++, p->counter);
	if (!t->segment.head && p->unseen) {
		int error = errno;

		snprintf(path, sizeof(path), "/proc/%d/exe", (int)t->tid);
		if (readlink(path, exe, sizeof(exe) - 1) < 0)
			exe[0] = '\0';
		p->unseen(p->context, exe, PARIO_PRELOADABLE_NO_SEGMENT, error);
	}
	pario_ptracer_segment_put(&t->segment, &note, NULL, 0);
	if (!t->process->known)
		pario_ptracer_introduce(t);
	t->process->known = true;
}

static struct pario_ptracer_thread **bucket_of(struct pario_ptracer *p, pid_t tid)
{
	return &p->threads[(unsigned)tid % PARIO_PTRACER_BUCKETS];
}

static struct pario_ptracer_thread *find_thread(struct pario_ptracer *p, pid_t tid)
{
	struct pario_ptracer_thread *t = *bucket_of(p, tid);

	while (t && t->tid != tid)
		t = t->next;
	return t;
}

static struct pario_ptracer_thread *thread_of(struct pario_ptracer *p, pid_t tid)
{
	struct pario_ptracer_thread *t = find_thread(p, tid);

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->tid = tid;
	t->segment.fd = -1;
	t->process = process_of(p, status_of(tid, "Tgid:", tid));
	if (!t->process) {
		free(t);
		return NULL;
	}
	t->process->threads++;
	if (!t->process->waits)
		open_segment(p, t);
	t->next = *bucket_of(p, tid);
	*bucket_of(p, tid) = t;
	return t;
}

static void close_segment(struct pario_ptracer_thread *t)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_RING,
					   .file = PARIO_RING_PTRACE,
					   .size = t->requests };

	if (t->requests)
		pario_ptracer_segment_put(&t->segment, &note, NULL, 0);
	t->requests = 0;
	pario_ptracer_segment_close(&t->segment);
}

static void forget(struct pario_ptracer *p, pid_t tid)
{
	struct pario_ptracer_thread **at = bucket_of(p, tid), *t;
	struct pario_ptracer_process **of;

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	t = *at;
	if (!t)
		return;
	*at = t->next;
	close_segment(t);
	if (--t->process->threads == 0) {
		for (of = &p->processes; *of && *of != t->process; of = &(*of)->next)
			;
		if (*of)
			*of = t->process->next;
		pario_map_release(&t->process->names);
		free(t->process);
	}
	free(t);
}

/* ---- calls ---- */

/* A set-uid program must not be held, or it would run without its privileges. True when the thread was let go. */
static bool leaves_for_privileges(struct pario_ptracer *p, struct pario_ptracer_thread *t)
{
	char path[8192], script[256];
	const char *given = path;

	pario_ptracer_exec_path(t, path, sizeof(path));
	/* said as the program said it */
	if (strncmp(path, "/proc/", 6) == 0 && strstr(path, "/cwd/"))
		given = strstr(path, "/cwd/") + 5;
	else if (strncmp(path, "/proc/", 6) == 0 && strstr(path, "/root/"))
		given = strstr(path, "/root/") + 5;
	if (pario_preloadable_check(AT_FDCWD, path, 0, script) != PARIO_PRELOADABLE_PRIVILEGED)
		return false;
	if (p->filtered) {
		if (p->unseen && geteuid() != 0)
			p->unseen(p->context, given, PARIO_PRELOADABLE_STRIPPED, 0);
		return false;
	}
	if (p->unseen)
		p->unseen(p->context, given, PARIO_PRELOADABLE_PRIVILEGED, 0);
	return true;
}

/* It stopped at the beginning of a call, by the filter or without one. False when it is to be let go. */
static bool begins(struct pario_ptracer *p, struct pario_ptracer_thread *t,
		   const struct __ptrace_syscall_info *info)
{
	uint64_t above = 0;
	struct iovec local = { &above, sizeof(above) }, remote;

	t->in_call = false;
	t->number = info->seccomp.nr;
	t->call = pario_system_call(t->number);
	if (!t->call || info->arch != pario_ptracer_machine)
		return true;
	t->record = (struct pario_trace_record){ .op = t->call->op,
						 .layer = t->call->layer,
						 .site = info->instruction_pointer,
						 .offset = PARIO_TRACE_NOWHERE };
	for (int i = 0; i < 6; i++)
		t->arguments[i] = info->seccomp.args[i]; /* `entry` has the same beginning */
	/* a call within a wrapper that made no frame: its caller is the place */
	remote = (struct iovec){ (void *)(uintptr_t)info->stack_pointer, sizeof(above) };
	if (process_vm_readv(t->tid, &local, 1, &remote, 1, 0) == sizeof(above) &&
	    pario_ptracer_returns(t->process->pid, above))
		t->record.site = above;
	pario_ptracer_enter(t);
	t->in_call = true;
	t->record.t0 = pario_ptracer_ticks(p->counter);
	if (t->call->op == PARIO_OP_exec ||
	    t->call->op == PARIO_OP_exit) { /* they do not come back */
		pario_ptracer_segment_put(&t->segment, &t->record, NULL, 0);
		t->in_call = false;
	}
	return t->call->op != PARIO_OP_exec || !leaves_for_privileges(p, t);
}

static void ends(struct pario_ptracer *p, struct pario_ptracer_thread *t,
		 const struct __ptrace_syscall_info *info)
{
	uint64_t stop = pario_ptracer_ticks(p->counter);

	t->in_call = false;
	t->record.duration = pario_trace_pack_ticks(stop - t->record.t0);
	pario_ptracer_leave(t, info->exit.rval);
	if ((t->call->op == PARIO_OP_uring_submit || t->call->op == PARIO_OP_io_submit) &&
	    info->exit.rval > 0)
		t->requests += (uint64_t)info->exit.rval;
	pario_ptracer_segment_put(&t->segment, &t->record, NULL, 0);
}

/* At a call's beginning or end. False when the thread is to be let go. */
static bool called(struct pario_ptracer *p, struct pario_ptracer_thread *t)
{
	struct __ptrace_syscall_info info;

	if (t->process->waits || ptrace(PTRACE_GET_SYSCALL_INFO, t->tid, sizeof(info), &info) <= 0)
		return true;
	if (info.op == PTRACE_SYSCALL_INFO_EXIT && t->in_call)
		ends(p, t, &info);
	else if (info.op == PTRACE_SYSCALL_INFO_SECCOMP ||
		 (info.op == PTRACE_SYSCALL_INFO_ENTRY && !p->filtered))
		return begins(p, t, &info);
	return true;
}

/* ---- becoming another program ---- */

bool pario_ptracer_carries(const struct pario_ptracer *p, pid_t tid)
{
	char path[64], *text = malloc(ENVIRONMENT_MAX);
	size_t n = 0;
	FILE *file;
	bool has;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)tid);
	file = fopen(path, "re");
	if (file && text)
		n = fread(text, 1, ENVIRONMENT_MAX, file);
	if (file)
		fclose(file);
	has = text && p->library && memmem(text, n, p->library, strlen(p->library)) &&
	      memmem(text, n, p->directory, strlen(p->directory));
	free(text);
	return has;
}

/* Will the library record it? */
static bool is_reached(const struct pario_ptracer *p, pid_t tid)
{
	char path[64], script[256];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)tid);
	return !p->filtered && pario_ptracer_carries(p, tid) &&
	       pario_preloadable_check(AT_FDCWD, path, 0, script) == PARIO_PRELOADABLE_YES;
}

/* Another program in the same process: other threads are gone, descriptors may be closed, addresses are new. */
static bool became(struct pario_ptracer *p, struct pario_ptracer_thread *t)
{
	struct pario_ptracer_process *of = t->process;
	unsigned long former = 0;

	/* the thread that called it has the number of the first one from now on */
	if (ptrace(PTRACE_GETEVENTMSG, t->tid, 0, &former) == 0 && former &&
	    (pid_t)former != t->tid)
		forget(p, (pid_t)former);
	close_segment(t);
	t->in_call = false;
	if (is_reached(p, t->tid))
		return false;
	memset(of->files, 0, sizeof(of->files));
	pario_map_release(&of->names);
	of->started = monotonic_ns();
	of->waits = of->known = false;
	open_segment(p, t);
	return true;
}

/* ---- stops ---- */

static bool stops_group(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

static void stopped(struct pario_ptracer *p, pid_t tid, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16;
	struct pario_ptracer_thread *t = thread_of(p, tid);
	/* a signal that is about to be delivered is passed on, whatever else happens */
	long pass = event == 0 && signal != (SIGTRAP | 0x80) ? signal : 0, how;
	bool stays = t && !t->leaves;

	if (stays && (signal == (SIGTRAP | 0x80) || event == PTRACE_EVENT_SECCOMP))
		stays = called(p, t);
	else if (t && event == PTRACE_EVENT_EXEC)
		stays = became(p, t);
	if (!stays) {
		ptrace(PTRACE_DETACH, tid, 0, pass);
		forget(p, tid);
		return;
	}
	how = t->process->waits		   ? PTRACE_CONT
	      : !p->filtered || t->in_call ? PTRACE_SYSCALL
					   : PTRACE_CONT;
	/* the whole group was stopped by a signal and stays so; otherwise a new thread begins */
	if (event == PTRACE_EVENT_STOP && stops_group(signal))
		how = PTRACE_LISTEN;
	ptrace((enum __ptrace_request)how, tid, 0, pass);
}

void pario_ptracer_saw(struct pario_ptracer *p, pid_t tid, int status)
{
	if (WIFSTOPPED(status))
		stopped(p, tid, status);
	else
		forget(p, tid);
}

int pario_ptracer_hold(struct pario_ptracer *p, pid_t tid)
{
	unsigned long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
				PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
	struct pario_ptracer_process *of;
	struct pario_ptracer_thread *t;

	if (p->filtered) /* without us its calls would fail */
		options |= PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL;
	t = find_thread(p, tid);
	if (t) {
		t->leaves = false;
		return 0;
	}
	if (ptrace(PTRACE_SEIZE, tid, 0, options) < 0)
		return errno;
	of = process_of(p, status_of(tid, "Tgid:", tid));
	if (of)
		of->waits = true;
	/* otherwise there is no memory: the first stop lets it go */
	return of && thread_of(p, tid) ? 0 : ENOMEM;
}

static void mark(struct pario_ptracer_thread *t)
{
	t->leaves = true;
	ptrace(PTRACE_INTERRUPT, t->tid, 0, 0);
}

void pario_ptracer_let_go(struct pario_ptracer *p, pid_t tid)
{
	struct pario_ptracer_thread *t = tid ? find_thread(p, tid) : NULL;
	int status;

	if (t)
		mark(t);
	if (tid)
		return;
	for (int i = 0; i < PARIO_PTRACER_BUCKETS; i++) {
		for (t = p->threads[i]; t; t = t->next)
			mark(t);
	}
	/* a bounded time: those that do not stop by then are let go by our end */
	for (int ms = 0; ms < LET_GO_MS && p->processes;) {
		tid = waitpid(-1, &status, __WALL | WNOHANG);
		if (tid < 0)
			break;
		if (tid > 0) {
			pario_ptracer_saw(p, tid, status);
		} else {
			poll(NULL, 0, 1);
			ms++;
		}
	}
}
