/*
 * process: processes of the original as processes, threads as threads. What begins without a call of the trace that
 * starts it begins at its time.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/replay/measure/replay.h"

enum { NAP_NS = 500000, LOOK_NS = 50000000, STACK = 512 << 10, GRACE_S = 60 };

struct start {
	struct pario_replay_process *process;
	uint32_t thread;
	struct pario_replay_birth birth;
};

/* ---- threads ---- */

static void *begin(void *argument)
{
	struct start s = *(struct start *)argument;

	free(argument);
	pario_replay_thread(s.process, s.thread, s.birth);
	return NULL;
}

bool pario_replay_thread_start(struct pario_replay_process *p, uint32_t thread,
			       struct pario_replay_birth birth)
{
	struct start *s = malloc(sizeof(*s));
	pthread_attr_t attributes;

	if (!s || p->started[thread]) {
		free(s);
		return false;
	}
	*s = (struct start){ p, thread, birth };
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

static void replay_threads_begin(struct pario_replay_process *p)
{
	const struct pario_replay_scan *scan = p->replay->scan;

	for (uint32_t t = 1; t <= scan->thread_count; t++) {
		if (scan->threads[t].process == p->number && !scan->threads[t].first &&
		    !scan->threads[t].created && scan->threads[t].client == p->replay->client)
			pario_replay_thread_start(p, t, (struct pario_replay_birth){ 0 });
	}
}

static void replay_threads_end(struct pario_replay_process *p)
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

	*p = (struct pario_replay_process){ .replay = r, .number = number, .here.fd = -1 };
	p->slots = malloc((r->scan->slots + 1ul) * sizeof(*p->slots));
	p->threads = calloc(threads, sizeof(*p->threads));
	p->started = calloc(threads, sizeof(*p->started));
	p->begun = calloc(pario_trace_processes(r->trace) + 1ul, sizeof(*p->begun));
	if (!p->slots || !p->threads || !p->started || !p->begun)
		return false;
	for (unsigned i = 0; i < p->replay->scan->slots; i++)
		p->slots[i] = (struct pario_replay_slot){ .fd = -1 };
	return true;
}

static void release(struct pario_replay_process *p)
{
	for (unsigned i = 0; p->slots && i < p->replay->scan->slots; i++) {
		if (p->slots[i].stream)
			fclose(p->slots[i].stream);
		else if (p->slots[i].fd >= 0)
			close(p->slots[i].fd);
	}
	if (p->here.fd >= 0)
		close(p->here.fd);
	free(p->slots);
	free(p->threads);
	free(p->started);
	free(p->begun);
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

/* When the threads of a process, and of the programs it became, made their last calls. */
static struct pario_replay_birth end_of(const struct pario_replay *r, uint32_t number)
{
	struct pario_replay_birth end = { 0 };

	for (; number; number = next_program(r->trace, number)) {
		for (uint32_t t = 1; t <= r->scan->thread_count; t++) {
			if (r->scan->threads[t].process != number)
				continue;
			end.there_ns = fmax(end.there_ns, r->scan->threads[t].last_ns);
			if (r->tallies[t].last_ns > end.here_ns) {
				end.here_ns = r->tallies[t].last_ns;
				end.late_ns = r->tallies[t].late_ns;
			}
		}
	}
	return end;
}

static void close_on_exec(struct pario_replay_process *p)
{
	for (unsigned i = 0; i < p->replay->scan->slots; i++) {
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
	uint32_t thread, next, directory;

	for (;;) {
		directory = pario_trace_process(p->replay->trace, p->number)->directory;
		if (directory)
			pario_replay_go_to(p, directory);
		replay_threads_begin(p);
		thread = first_thread(p->replay->scan, p->number);
		if (thread)
			pario_replay_thread(p, thread, p->birth);
		replay_threads_end(p);
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

/* What system and popen start has no call of its own: it is the next that begins. */
static bool starts(const struct pario_trace_call *call, const struct pario_trace_process *p)
{
	if (call->op == PARIO_OP_system || call->op == PARIO_OP_popen)
		return p->start_ns >= call->start_ns &&
		       (call->op == PARIO_OP_popen || p->start_ns <= call->end_ns);
	return (int32_t)p->pid == call->result;
}

/* Children of a rank have its number, too. */
static bool is_own(const struct pario_replay *r, uint32_t number)
{
	uint32_t thread = first_thread(r->scan, number);

	return thread && r->scan->threads[thread].client == r->client;
}

static uint32_t child_number(const struct pario_replay_actor *a,
			     const struct pario_trace_call *call)
{
	const struct pario_trace *trace = a->replay->trace;
	uint32_t found = 0;

	for (uint32_t i = 1; i <= pario_trace_processes(trace); i++) {
		const struct pario_trace_process *p = pario_trace_process(trace, i);

		if (p->parent == call->process && p->before == 0 && starts(call, p) &&
		    !a->process->begun[i] && is_own(a->replay, i) &&
		    (!found || p->start_ns < pario_trace_process(trace, found)->start_ns))
			found = i;
	}
	return found;
}

static uint32_t *over_of(const struct pario_replay *r, uint32_t number)
{
	return &r->tallies[first_thread(r->scan, number)].over;
}

/* Its own end takes longer here than there, for it is a larger process: it is over with its last call. */
static void tell_end(const struct pario_replay *r, uint32_t number)
{
	__atomic_store_n(over_of(r, number), 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, over_of(r, number), FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* In the child only this thread lives on; descriptors are inherited as they are. */
static void be_child(struct pario_replay_actor *a, uint32_t number, struct pario_replay_birth birth)
{
	struct pario_replay_process *p = a->process;

	memset(p->started, 0, ((size_t)a->replay->scan->thread_count + 1) * sizeof(*p->started));
	p->child_count = 0;
	p->mpi = NULL;
	p->number = number;
	p->birth = birth;
	signal(SIGINT, SIG_IGN); /* the client tells its processes when it is over */
	signal(SIGTERM, SIG_DFL);
	live(p);
	for (unsigned i = 0; i < p->replay->scan->slots; i++) {
		if (p->slots[i].stream)
			fflush(p->slots[i].stream);
	}
	tell_end(a->replay, number);
	_exit(0);
}

static void wait_for_child(struct pario_replay_actor *a, uint32_t child)
{
	const struct timespec patience = { 0, LOOK_NS };
	struct pario_replay_process *p = a->process;
	uint32_t *over = over_of(a->replay, p->children[child].number);

	pario_replay_at_work(a->replay, -1);
	while (!__atomic_load_n(over, __ATOMIC_ACQUIRE) && p->children[child].here > 0) {
		syscall(SYS_futex, over, FUTEX_WAIT, 0, &patience, NULL, 0);
		if (waitpid(p->children[child].here, NULL, WNOHANG) != 0)
			p->children[child].here = 0; /* it was killed, or has just ended */
	}
	pario_replay_at_work(a->replay, 1);
	p->children[child].waited = true;
	a->end = end_of(a->replay, p->children[child].number);
}

/* Children that were waited for and are gone by now. */
static void bury(struct pario_replay_process *p)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < p->child_count; i++) {
		if (p->children[i].waited &&
		    (p->children[i].here <= 0 || waitpid(p->children[i].here, NULL, WNOHANG) != 0))
			continue;
		p->children[left++] = p->children[i];
	}
	p->child_count = left;
}

static int start_child(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_process *p = a->process;
	uint32_t number = call->failed ? 0 : child_number(a, call);
	pid_t pid;

	if (!number)
		return PARIO_NEEDLESS; /* it was not traced, or made no call */
	bury(p);
	if (p->child_count == PARIO_REPLAY_CHILDREN)
		wait_for_children(p);
	a->t0 = pario_run_now();
	pid = fork();
	a->t1 = pario_run_now();
	if (pid == 0)
		be_child(a, number,
			 (struct pario_replay_birth){ call->start_ns, a->begun, a->late_ns });
	if (pid < 0)
		return PARIO_FAILED_HERE;
	p->begun[number] = true;
	p->children[p->child_count].number = number;
	p->children[p->child_count].waited = false;
	p->children[p->child_count].pid =
		(int32_t)pario_trace_process(a->replay->trace, number)->pid;
	p->children[p->child_count].stream = call->op == PARIO_OP_popen ? call->result : -1;
	p->children[p->child_count++].here = pid;
	if (call->op == PARIO_OP_system)
		wait_for_child(a, p->child_count - 1);
	return PARIO_MADE;
}

/* The one that the original waited for, or whose stream it closed. */
static int wait_again(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	const struct pario_replay_process *p = a->process;

	for (uint32_t i = 0; i < p->child_count; i++) {
		if (p->children[i].here > 0 &&
		    (call->op == PARIO_OP_pclose ? p->children[i].stream == call->fd
						 : p->children[i].pid == call->result)) {
			wait_for_child(a, i);
			break;
		}
	}
	return PARIO_NEEDLESS;
}

int pario_replay_fork(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	switch (call->op) {
	case PARIO_OP_fork:
	case PARIO_OP_posix_spawn:
	case PARIO_OP_system:
	case PARIO_OP_popen:
		return start_child(a, call);
	case PARIO_OP_wait:
	case PARIO_OP_pclose:
		return wait_again(a, call);
	case PARIO_OP_exec:
		a->is_over = !call->failed;
		if (a->is_over)
			a->process->birth =
				(struct pario_replay_birth){ call->start_ns, a->begun, a->late_ns };
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

bool pario_replay_root(struct pario_replay *r, uint32_t number)
{
	static struct pario_replay_process p;
	bool good = init(&p, r, number);

	if (good)
		live(&p);
	release(&p);
	return good;
}

static void nap(void)
{
	const struct timespec t = { 0, NAP_NS };

	nanosleep(&t, NULL);
}

/* Has it ended? `*early` is set when it did so before its last call. */
static bool has_ended(pid_t *root, bool *early)
{
	int how = 0;
	pid_t pid = waitpid(*root, &how, WNOHANG);

	if (pid == 0 || (pid < 0 && errno == EINTR))
		return false;
	*early |= pid > 0 && how != 0;
	*root = 0;
	return true;
}

/* Waits, and tells them when it is over. */
static void attend(struct pario_replay *r, pid_t *roots, uint32_t count, bool *early)
{
	int64_t told = 0;
	uint32_t left = count;

	while (left) {
		left = 0;
		for (uint32_t i = 0; i < count; i++) {
			if (roots[i] <= 0 || has_ended(&roots[i], early))
				continue;
			left++;
			if (told && pario_run_now() - told > (int64_t)GRACE_S * 1000000000)
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

/* All of them, and they begin when all have read the trace. */
static int start_roots(struct pario_replay *r, pid_t *roots, uint32_t *count, bool *early,
		       struct pario_err *err)
{
	uint32_t ended = 0;
	int error;

	__atomic_store_n(r->ready, 0, __ATOMIC_RELEASE);
	__atomic_store_n(r->go, 0, __ATOMIC_RELEASE);
	for (uint32_t i = 1; i <= pario_trace_processes(r->trace); i++) {
		if (!is_root(r, i) || pario_trace_process(r->trace, i)->rank != UINT32_MAX)
			continue;
		roots[*count] = pario_replay_alone_start(r, i, &error);
		if (roots[*count] < 0)
			return pario_err_sys(err, error, NULL,
					     "a process of the trace cannot be started");
		++*count;
	}
	while (__atomic_load_n(r->ready, __ATOMIC_ACQUIRE) + (int32_t)ended < (int32_t)*count &&
	       !pario_run_over(r->run)) {
		for (uint32_t i = 0; i < *count; i++)
			ended += roots[i] > 0 && has_ended(&roots[i], early);
		nap();
	}
	return 0;
}

static void let_go(const struct pario_replay *r)
{
	__atomic_store_n(r->go, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, r->go, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* The process that is this client's rank, 0 = none. */
static uint32_t own_process(const struct pario_replay *r)
{
	for (uint32_t i = 1; i <= pario_trace_processes(r->trace); i++) {
		if (is_root(r, i) && pario_trace_process(r->trace, i)->rank != UINT32_MAX)
			return i;
	}
	return 0;
}

static int be_rank(struct pario_replay *r, uint32_t number, struct pario_err *err)
{
	static struct pario_replay_process rank;
	int status = 0;

	if (!init(&rank, r, number) || !(rank.mpi = pario_replay_mpi_open(r)))
		status = pario_err_memory(err, "the rank of the trace");
	else
		live(&rank);
	pario_replay_mpi_close(rank.mpi);
	release(&rank);
	return status;
}

int pario_replay_play(struct pario_replay *r, struct pario_err *err)
{
	uint32_t processes = pario_trace_processes(r->trace), count = 0, own = own_process(r);
	pid_t *roots = calloc((size_t)processes + 1, sizeof(*roots));
	bool early = false;
	int status = 0;

	if (!roots)
		status = pario_err_memory(err, "%u processes", processes);
	else if (!r->scan->ranks)
		status = start_roots(r, roots, &count, &early, err);
	MPI_Barrier(r->run->comm); /* those with processes to start come later */
	let_go(r);
	if (own && status == 0)
		status = be_rank(r, own, err);
	attend(r, roots, count, &early);
	free(roots);
	if (early && status == 0 && !pario_run_over(r->run))
		status = pario_err_set(err, PARIO_SYSTEM,
				       "a process of the trace ended here before its last call.");
	return status;
}
