/*
 * process: processes of the original as processes, threads as threads. What begins without a call of the trace that
 * starts it begins at its time.
 */
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/replay/measure/replay.h"

enum { NAP_NS = 500000, STACK = 512 << 10, GRACE_S = 60 };

struct start {
	struct pario_replay_process *process;
	uint32_t thread;
};

/* ---- threads ---- */

static void *begin(void *argument)
{
	struct start s = *(struct start *)argument;

	free(argument);
	pario_replay_thread(s.process, s.thread);
	return NULL;
}

bool pario_replay_thread_start(struct pario_replay_process *p, uint32_t thread)
{
	struct start *s = malloc(sizeof(*s));
	pthread_attr_t attributes;

	if (!s || p->started[thread]) {
		free(s);
		return false;
	}
	*s = (struct start){ p, thread };
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	p->started[thread] = pthread_create(&p->threads[thread], &attributes, begin, s) == 0;
	pthread_attr_destroy(&attributes);
	if (!p->started[thread]) {
		free(s);
		__atomic_store_n(&p->replay->tallies[thread].done, UINT64_MAX, __ATOMIC_RELEASE);
		p->replay->tallies[thread].unlike++;
		snprintf(p->replay->tallies[thread].first_unlike,
			 sizeof(p->replay->tallies[thread].first_unlike),
			 "a thread of the trace could not be started here (%s)", strerror(errno));
	}
	return p->started[thread];
}

void pario_replay_threads_begin(struct pario_replay_process *p)
{
	const struct pario_replay_scan *scan = p->replay->scan;

	for (uint32_t t = 1; t <= scan->thread_count; t++) {
		if (scan->threads[t].process == p->number && !scan->threads[t].first &&
		    !scan->threads[t].created && scan->threads[t].client == p->replay->client)
			pario_replay_thread_start(p, t);
	}
}

void pario_replay_threads_end(struct pario_replay_process *p)
{
	for (uint32_t t = 1; t <= p->replay->scan->thread_count; t++) {
		if (p->started[t])
			pthread_join(p->threads[t], NULL);
		p->started[t] = false;
	}
}

/* ---- a process ---- */

static bool init(struct pario_replay_process *p, struct pario_replay *r, uint32_t number)
{
	size_t threads = (size_t)r->scan->thread_count + 1;

	*p = (struct pario_replay_process){ .replay = r, .number = number };
	p->slots = malloc(PARIO_REPLAY_SLOTS * sizeof(*p->slots));
	p->threads = calloc(threads, sizeof(*p->threads));
	p->started = calloc(threads, sizeof(*p->started));
	if (!p->slots || !p->threads || !p->started)
		return false;
	for (unsigned i = 0; i < PARIO_REPLAY_SLOTS; i++)
		p->slots[i] = (struct pario_replay_slot){ .fd = -1 };
	return true;
}

static void release(struct pario_replay_process *p)
{
	for (unsigned i = 0; p->slots && i < PARIO_REPLAY_SLOTS; i++) {
		if (p->slots[i].stream)
			fclose(p->slots[i].stream);
		else if (p->slots[i].fd >= 0)
			close(p->slots[i].fd);
	}
	free(p->slots);
	free(p->threads);
	free(p->started);
}

/* Children that the original did not wait for. */
static void wait_for_children(struct pario_replay_process *p)
{
	for (uint32_t i = 0; i < p->child_count; i++) {
		while (p->children[i].here > 0 && waitpid(p->children[i].here, NULL, 0) < 0 &&
		       errno == EINTR)
			;
	}
	p->child_count = 0;
}

static uint32_t first_thread(const struct pario_replay_scan *scan, uint32_t process)
{
	for (uint32_t t = 1; t <= scan->thread_count; t++) {
		if (scan->threads[t].process == process && scan->threads[t].first)
			return t;
	}
	return 0;
}

/* The program that a process becomes, 0 = none. */
static uint32_t next_program(const struct pario_trace *trace, uint32_t number)
{
	for (uint32_t i = 1; i <= pario_trace_processes(trace); i++) {
		if (pario_trace_process(trace, i)->before == number)
			return i;
	}
	return 0;
}

static void close_on_exec(struct pario_replay_process *p)
{
	for (unsigned i = 0; i < PARIO_REPLAY_SLOTS; i++) {
		struct pario_replay_slot *s = &p->slots[i];

		if (s->stream) { /* the next program knows no streams; what was not written is lost there, too */
			fflush(s->stream);
			s->stream = NULL;
		}
		s->directory = NULL;
		if (s->fd >= 0 && s->on_exec) {
			close(s->fd);
			*s = (struct pario_replay_slot){ .fd = -1 };
		}
	}
}

/* A process from its first call to its last, with all the programs it becomes. */
static void live(struct pario_replay_process *p)
{
	uint32_t thread, next;

	for (;;) {
		pario_replay_threads_begin(p);
		thread = first_thread(p->replay->scan, p->number);
		if (thread)
			pario_replay_thread(p, thread);
		pario_replay_threads_end(p);
		next = next_program(p->replay->trace, p->number);
		if (!next || p->replay->scan->threads[first_thread(p->replay->scan, next)].client !=
				     p->replay->client)
			break;
		close_on_exec(p);
		p->number = next;
	}
	wait_for_children(p);
}

/* ---- children ---- */

static uint32_t child_number(const struct pario_replay_actor *a,
			     const struct pario_trace_call *call)
{
	const struct pario_trace *trace = a->replay->trace;

	for (uint32_t i = 1; i <= pario_trace_processes(trace); i++) {
		const struct pario_trace_process *p = pario_trace_process(trace, i);

		/* children of a rank have its number, too */
		if (p->parent == call->process && p->before == 0 &&
		    (int32_t)p->pid == call->result && first_thread(a->replay->scan, i) &&
		    a->replay->scan->threads[first_thread(a->replay->scan, i)].client ==
			    a->replay->client)
			return i;
	}
	return 0;
}

/* In the child only this thread lives on; descriptors are inherited as they are. */
static void be_child(struct pario_replay_actor *a, uint32_t number)
{
	struct pario_replay_process *p = a->process;

	memset(p->started, 0, ((size_t)a->replay->scan->thread_count + 1) * sizeof(*p->started));
	p->child_count = 0;
	p->mpi = NULL;
	p->number = number;
	signal(SIGINT, SIG_IGN); /* the client tells its processes when it is over */
	signal(SIGTERM, SIG_DFL);
	live(p);
	for (unsigned i = 0; i < PARIO_REPLAY_SLOTS; i++) {
		if (p->slots[i].stream)
			fflush(p->slots[i].stream);
	}
	_exit(0);
}

static int start_child(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_process *p = a->process;
	uint32_t number = call->failed ? 0 : child_number(a, call);
	pid_t pid;

	if (!number)
		return PARIO_NEEDLESS; /* it was not traced, or made no call */
	if (p->child_count == PARIO_REPLAY_CHILDREN)
		wait_for_children(p);
	a->t0 = pario_run_now();
	pid = fork();
	a->t1 = pario_run_now();
	if (pid == 0)
		be_child(a, number);
	if (pid < 0)
		return PARIO_FAILED_HERE;
	p->children[p->child_count].pid = call->result;
	p->children[p->child_count++].here = pid;
	return PARIO_MADE;
}

static int wait_for_child(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_process *p = a->process;

	for (uint32_t i = 0; i < p->child_count; i++) {
		if (p->children[i].pid != call->result || p->children[i].here <= 0)
			continue;
		pario_replay_at_work(a->replay, -1);
		while (waitpid(p->children[i].here, NULL, 0) < 0 && errno == EINTR)
			;
		pario_replay_at_work(a->replay, 1);
		p->children[i] = p->children[--p->child_count];
		break;
	}
	return PARIO_NEEDLESS;
}

int pario_replay_fork(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	switch (call->op) {
	case PARIO_OP_fork:
	case PARIO_OP_posix_spawn:
	case PARIO_OP_system:
		return start_child(a, call);
	case PARIO_OP_wait:
		return wait_for_child(a, call);
	case PARIO_OP_exec:
		a->is_over = !call->failed;
		return PARIO_NEEDLESS;
	case PARIO_OP_exit:
	case PARIO_OP_abort:
		return PARIO_NEEDLESS;
	default:
		return PARIO_NEEDLESS;
	}
}

/* ---- a client ---- */

/* Begins by itself: started by nobody of the trace (or by a launcher), and not by becoming another program. */
static bool is_root(const struct pario_replay *r, uint32_t number)
{
	const struct pario_trace_process *p = pario_trace_process(r->trace, number);
	uint32_t thread = first_thread(r->scan, number), from = p->before ? p->before : p->parent;
	uint32_t other = from ? first_thread(r->scan, from) : 0;

	return thread && r->scan->threads[thread].client == r->client &&
	       (!other || r->scan->threads[other].client != r->client);
}

static pid_t start_root(struct pario_replay *r, uint32_t number)
{
	static struct pario_replay_process p;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	if (init(&p, r, number))
		live(&p);
	release(&p);
	_exit(0);
}

static void nap(void)
{
	const struct timespec t = { 0, NAP_NS };

	nanosleep(&t, NULL);
}

/* Waits, and tells them when it is over. */
static void attend(struct pario_replay *r, pid_t *roots, uint32_t count)
{
	int64_t told = 0;
	uint32_t left = count;

	while (left) {
		left = 0;
		for (uint32_t i = 0; i < count; i++) {
			if (roots[i] > 0 && waitpid(roots[i], NULL, WNOHANG) != 0)
				roots[i] = 0;
			left += roots[i] > 0;
			if (roots[i] > 0 && told &&
			    pario_run_now() - told > (int64_t)GRACE_S * 1000000000)
				kill(roots[i], SIGKILL);
		}
		if (left && !told && pario_run_over(r->run)) {
			__atomic_store_n(r->stop, 1, __ATOMIC_RELAXED);
			told = pario_run_now();
		}
		if (left)
			nap();
	}
}

int pario_replay_play(struct pario_replay *r, struct pario_err *err)
{
	static struct pario_replay_process rank;
	uint32_t processes = pario_trace_processes(r->trace), count = 0, own = 0;
	pid_t *roots = calloc((size_t)processes + 1, sizeof(*roots));
	int status = 0;

	if (!roots)
		return pario_err_set(err, PARIO_SYSTEM, "no memory for %u processes.", processes);
	for (uint32_t i = 1; i <= processes && status == 0; i++) {
		if (!is_root(r, i))
			continue;
		if (pario_trace_process(r->trace, i)->rank != UINT32_MAX) {
			own = own ? own : i;
			continue;
		}
		roots[count] = start_root(r, i);
		if (roots[count] < 0)
			status = pario_err_sys(err, errno, NULL,
					       "a process of the trace cannot be started");
		count += roots[count] > 0;
	}
	MPI_Barrier(r->run->comm); /* those with processes to start come later */
	if (own && status == 0) {
		if (!init(&rank, r, own) || !(rank.mpi = pario_replay_mpi_open(r)))
			status = pario_err_set(err, PARIO_SYSTEM,
					       "no memory for the rank of the trace.");
		else
			live(&rank);
		pario_replay_mpi_close(rank.mpi);
		release(&rank);
	}
	attend(r, roots, count);
	free(roots);
	return status;
}
