/*
 * thread: the calls of one thread, one after the other. A call is made when the one before it is over, its think time
 * has passed, and the calls of other threads that it waits for are over.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "tests/replay/measure/replay.h"

enum {
	SPIN_NS = 50000,	/* sleeping is not more exact than that */
	PATIENCE_S = 5,		/* with nobody at work */
	LOOKS = 64,		/* calls between two looks at the clock of the run */
	COMPUTE_ALL = 64 << 20, /* bytes that all threads compute with */
	PAGE = 4096,
	KNOWN_NS = 2000000, /* longer gaps within a thread have their processor time in the trace */
};

const char *const pario_replay_left_names[PARIO_LEFTS] = {
	"",
	"not storage",
	"mapped memory",
	"tree walks by the C library",
	"ioctl, FIFOs, attributes",
	"origin not in the trace",
	"not possible by MPI-IO here",
};

/* ---- time ---- */

static void sleep_ns(int64_t ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&t, NULL);
}

/* Sleeps `idle` and computes for the rest, until `end`. */
static void pass_until(struct pario_replay_actor *a, int64_t now, int64_t end, int64_t idle)
{
	while (idle > SPIN_NS && now < end && !*a->replay->stop) {
		int64_t part = idle < 100000000 ? idle : 100000000; /* to hear that it is over */

		sleep_ns(part < end - now ? part : end - now);
		idle -= part;
		now = pario_run_now();
	}
	while (now < end && !*a->replay->stop) {
		pario_busy_some(&a->busy);
		now = pario_run_now();
	}
	a->late_ns = (double)(now - end); /* it may have slept longer */
	a->begun = now;
}

/* Does nothing but its own time matter? */
static bool is_quick(const struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	const struct pario_replay_thread *t = &a->replay->scan->threads[a->thread];

	return (call->layer == PARIO_TRACE_STDIO || call->layer == PARIO_TRACE_POSIX) &&
	       (call->class == PARIO_CLASS_WRITE || call->class == PARIO_CLASS_READ) &&
	       (a->edge >= t->edge_count || t->edges[a->edge].at > call->number);
}

/*
 * The time since `last`, the end of the call before; then it is `begun`. Reading the trace and counting takes some of
 * it; what is missing where gaps are shorter than that is taken off the following ones.
 */
static void think(struct pario_replay_actor *a, const struct pario_trace_call *call, double gap_ns,
		  int64_t last)
{
	double ns = gap_ns * a->replay->settings.think, idle = 0, left;
	int64_t now;

	a->is_quick = is_quick(a, call);
	a->hurries = a->is_quick && (a->late_ns > ns || !(a->replay->settings.think > 0));
	a->due_ns = last + (int64_t)(ns > 0 ? ns : 0) - (int64_t)a->late_ns;
	if (a->hurries)
		return;
	now = a->begun = pario_run_now();
	if (!(a->replay->settings.think > 0) || *a->replay->stop)
		return;
	left = (double)(last - now) + (ns > 0 ? ns : 0) - a->late_ns;
	a->late_ns = left < 0 ? -left : 0;
	if (!(left > 0))
		return;
	/* Whether a short gap was spent computing is not known; that is what most are. Before it began it waited. */
	if (call->gap_known)
		idle = ns * (call->gap_cpu_ns < gap_ns && gap_ns > 0 ? 1 - call->gap_cpu_ns / gap_ns
								     : 0);
	else if (gap_ns > KNOWN_NS)
		idle = ns;
	pass_until(a, now, now + (int64_t)left, (int64_t)(idle < left ? idle : left));
}

/* ---- order ---- */

static uint64_t done_of(const struct pario_replay *r, uint32_t thread)
{
	return __atomic_load_n(&r->tallies[thread].done, __ATOMIC_ACQUIRE);
}

int pario_replay_at_work(const struct pario_replay *r, int change)
{
	return __atomic_add_fetch(r->working, change, __ATOMIC_ACQ_REL);
}

/*
 * However slow it is, a call that is waited for comes as long as anybody is at work. When all wait, none ever will:
 * calls are missing in the trace, or it is damaged.
 */
static void wait_for(struct pario_replay_actor *a, const struct pario_replay_edge *e)
{
	const struct pario_replay *r = a->replay;
	int32_t client = r->scan->threads[e->thread].client;
	int64_t begun = pario_run_now(), now = begun, stuck = begun;

	if (client < 0 || !r->near[client] || done_of(r, e->thread) > e->number)
		return;
	pario_replay_at_work(r, -1);
	while (done_of(r, e->thread) <= e->number && !*r->stop) {
		if (pario_replay_at_work(r, 0) > 0)
			stuck = now;
		if (now - stuck > (int64_t)PATIENCE_S * 1000000000) {
			a->tally->given_up++;
			break;
		}
		if (now - begun < SPIN_NS) /* most are over in less than a nap takes */
			sched_yield();
		else
			sleep_ns(now - begun < 1000000 ? 20000 : 200000);
		now = pario_run_now();
	}
	pario_replay_at_work(r, 1);
}

static void keep_order(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	const struct pario_replay_thread *t = &a->replay->scan->threads[a->thread];

	for (; a->edge < t->edge_count && t->edges[a->edge].at <= call->number; a->edge++) {
		if (t->edges[a->edge].at == call->number && a->replay->settings.order) {
			wait_for(a, &t->edges[a->edge]);
			a->begun = pario_run_now();
		}
	}
}

/* ---- one call ---- */

static int process_call(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	uint32_t thread;

	switch (call->op) {
	case PARIO_OP_pthread_create:
		thread = pario_replay_thread_meant(a->replay->scan, a->replay->trace, call);
		if (thread)
			pario_replay_thread_start(a->process, thread,
						  (struct pario_replay_birth){
							  call->start_ns, a->begun, a->late_ns });
		return PARIO_NEEDLESS;
	case PARIO_OP_pthread_join:
		thread = pario_replay_thread_meant(a->replay->scan, a->replay->trace, call);
		if (thread && a->process->started[thread]) {
			pario_replay_at_work(a->replay, -1);
			pthread_join(a->process->threads[thread], NULL);
			a->end = (struct pario_replay_birth){
				a->replay->scan->threads[thread].last_ns,
				a->replay->tallies[thread].last_ns,
				a->replay->tallies[thread].late_ns
			};
			pario_replay_at_work(a->replay, 1);
			a->process->started[thread] = false;
		}
		return PARIO_NEEDLESS;
	default:
		return pario_replay_fork(a, call);
	}
}

static bool on_path(const struct pario_trace_call *call)
{
	switch (call->class) {
	case PARIO_CLASS_NAME:
	case PARIO_CLASS_LIST:
		return true;
	case PARIO_CLASS_STAT:
		return call->op != PARIO_OP_fstat && call->op != PARIO_OP_fstatfs &&
		       call->op != PARIO_OP_fstatvfs;
	case PARIO_CLASS_ATTR:
		return call->op != PARIO_OP_fchmod && call->op != PARIO_OP_fchown &&
		       call->op != PARIO_OP_futimens && call->op != PARIO_OP_futimes;
	default:
		return call->op == PARIO_OP_truncate;
	}
}

static int make(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	switch (call->layer) {
	case PARIO_TRACE_STDIO:
		return pario_replay_stdio(a, call);
	case PARIO_TRACE_PROCESS:
		return process_call(a, call);
	case PARIO_TRACE_MPI:
		return a->process->mpi ? pario_replay_mpi(a, call) : pario_left(PARIO_LEFT_UNKNOWN);
	case PARIO_TRACE_MPIIO:
		return a->process->mpi ? pario_replay_mpiio(a, call)
				       : pario_left(PARIO_LEFT_UNKNOWN);
	default:
		return on_path(call) && call->op != PARIO_OP_getdents ? pario_replay_names(a, call)
								      : pario_replay_posix(a, call);
	}
}

static void unlike(struct pario_replay_actor *a, const struct pario_trace_call *call, bool failed,
		   int sys)
{
	const struct pario_trace_file *f = pario_trace_file_of(a->replay->trace, call->file);

	if (a->tally->unlike++ > 0)
		return;
	snprintf(a->tally->first_unlike, sizeof(a->tally->first_unlike),
		 failed ? "%s of %.120s failed here (%s) and not in the trace"
			: "%s of %.120s failed in the trace (%s) and not here",
		 pario_trace_operation(call->op)->name, f && f->name ? f->name : "?",
		 strerror(failed ? sys : call->result));
}

static void count(struct pario_replay_actor *a, const struct pario_trace_call *call, int answer,
		  int sys)
{
	struct pario_replay_tally *t = a->tally;
	unsigned class = call->class < PARIO_CLASSES ? call->class : 0;
	double ns = call->end_ns - call->start_ns, here = (double)(a->t1 - a->t0);
	bool storage = pario_replay_storage(a->replay->scan, call);

	if (answer <= PARIO_LEFT) {
		t->left[PARIO_LEFT - answer].calls++;
		t->left[PARIO_LEFT - answer].ns += ns;
		t->left_storage_ns += storage && answer != PARIO_LEFT - PARIO_LEFT_SOCKET ? ns : 0;
		return;
	}
	if (answer == PARIO_NEEDLESS) {
		t->needless++;
		return;
	}
	if (!pario_replay_own(call->op))
		pario_replay_history_count(a, call, storage);
	if ((answer == PARIO_FAILED_HERE) != call->failed)
		unlike(a, call, answer == PARIO_FAILED_HERE, sys);
	if (!storage)
		return;
	t->classes[class].calls++;
	t->classes[class].bytes += answer == PARIO_MADE ? call->moved : 0;
	t->classes[class].original_ns += ns;
	t->classes[class].here_ns += here;
	pario_replay_site_count(t, call, here);
}

/* Others wait for messages of a rank that has stopped, so these go on; nothing else does. */
static bool skipped(const struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	return *a->replay->stop && call->layer != PARIO_TRACE_MPI &&
	       call->layer != PARIO_TRACE_PROCESS && call->layer != PARIO_TRACE_MPIIO;
}

/* Calls that wait for others take the time that these take here. */
static bool waits(const struct pario_trace_call *call)
{
	return call->op == PARIO_OP_wait || call->op == PARIO_OP_pthread_join ||
	       call->op == PARIO_OP_system || call->op == PARIO_OP_pclose ||
	       pario_replay_own(call->op);
}

/*
 * From where the gap to the next call is counted, there and here: the end of this one. Calls that were not made, and
 * those that start threads and processes, take the time of the original as think time: what they cost here is not the
 * program's.
 */
static double go_on(struct pario_replay_actor *a, const struct pario_trace_call *call, int answer,
		    int64_t *last)
{
	bool waited = !a->is_quick && waits(call);

	if (waited && a->end.here_ns > a->begun) { /* it is as late as what it waited for */
		*last = a->end.here_ns;
		a->late_ns = a->end.late_ns;
		return fmax(a->end.there_ns, call->start_ns);
	}
	if (waited) {
		*last = pario_run_now();
		return call->end_ns;
	}
	if (answer <= PARIO_NEEDLESS || call->layer == PARIO_TRACE_PROCESS ||
	    call->op == PARIO_OP_popen) {
		*last = a->begun;
		return call->start_ns;
	}
	*last = a->t1;
	return call->end_ns;
}

static void look_at_time(struct pario_replay_actor *a, uint64_t number)
{
	struct pario_replay *r = a->replay;

	if (number % LOOKS == 0 && a->process->mpi && pario_run_over(r->run))
		__atomic_store_n(r->stop, 1, __ATOMIC_RELAXED);
}

/* The beginning of the replay: whoever has read the first call of its thread first sets it. */
static int64_t origin(const struct pario_replay *r)
{
	int64_t none = 0;

	__atomic_compare_exchange_n(r->origin_ns, &none, pario_run_now(), false, __ATOMIC_RELAXED,
				    __ATOMIC_RELAXED);
	return __atomic_load_n(r->origin_ns, __ATOMIC_RELAXED);
}

/* Where the gap to the first call is counted from: what began the thread, or the beginning of all. */
static double set_out(struct pario_replay_actor *a, struct pario_replay_birth birth,
		      const struct pario_trace_call *call, int64_t *last)
{
	int64_t beginning = origin(a->replay);

	*last = birth.here_ns ? birth.here_ns : beginning;
	a->late_ns = birth.late_ns;
	return birth.here_ns
		       ? birth.there_ns
		       : call->start_ns - pario_replay_when(a->replay->scan, a->replay->client,
							    call->start_ns);
}

/* One call that is the thread's turn. */
static int take(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	int answer = PARIO_NEEDLESS, sys = 0;

	if (!a->is_quick)
		keep_order(a, call);
	look_at_time(a, call->number);
	a->t0 = a->t1 = a->hurries ? 0 : a->begun;
	a->end.here_ns = 0;
	if (!skipped(a, call)) {
		errno = 0;
		answer = make(a, call);
		sys = answer == PARIO_FAILED_HERE ? errno : 0;
	}
	if (a->hurries) {
		if (!a->t0)
			a->t0 = a->t1 = pario_run_now();
		a->begun = a->t0;
		a->late_ns = (double)(a->t0 - a->due_ns);
	}
	count(a, call, answer, sys);
	return answer;
}

static void follow(struct pario_replay_actor *a, struct pario_trace_stream *s,
		   struct pario_replay_birth birth, struct pario_err *err)
{
	struct pario_replay_nest nest = { 0 };
	struct pario_trace_call call;
	double before = 0;
	int64_t last = 0;
	bool any = false;

	while (!a->is_over && pario_trace_stream_next(s, &call, err) > 0) {
		if (pario_replay_wanted(&nest, &call, a->replay->settings.layer)) {
			if (!any)
				before = set_out(a, birth, &call, &last);
			think(a, &call, call.start_ns - before, last);
			before = go_on(a, &call, take(a, &call), &last);
			if (!any)
				a->tally->first_ns = a->t0;
			a->tally->last_ns = a->t1 > last ? a->t1 : last;
			a->tally->late_ns = a->late_ns;
			any = true;
		}
		__atomic_store_n(&a->tally->done, call.number + 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&a->tally->done, UINT64_MAX, __ATOMIC_RELEASE);
}

/* Each thread has memory of its own to compute with, as long as that does not become too much. */
static size_t computes_with(const struct pario_replay *r)
{
	uint32_t threads = r->scan->thread_count;

	return threads <= COMPUTE_ALL / PARIO_BUSY_BYTES ? PARIO_BUSY_BYTES
							 : COMPUTE_ALL / threads / PAGE * PAGE;
}

void pario_replay_thread(struct pario_replay_process *process, uint32_t thread,
			 struct pario_replay_birth birth)
{
	struct pario_replay *r = process->replay;
	struct pario_replay_actor a = { .replay = r,
					.process = process,
					.thread = thread,
					.tally = &r->tallies[thread],
					.capacity = r->scan->threads[thread].reads };
	struct pario_err err = { 0 };
	struct pario_trace_stream *s =
		pario_trace_stream_open(r->trace, thread, r->scan->threads[thread].ahead, &err);

	a.buffer = pario_replay_make_buffer(a.capacity + PARIO_REPLAY_MARGIN);
	pario_busy_init(&a.busy, computes_with(r));
	prctl(PR_SET_TIMERSLACK,
	      1); /* naps of a program were no longer than it asked for, either */
	if (s && a.buffer != MAP_FAILED) {
		pario_replay_at_work(r, 1);
		follow(&a, s, birth, &err);
		pario_replay_at_work(r, -1);
	} else {
		snprintf(a.tally->first_unlike, sizeof(a.tally->first_unlike),
			 "no memory for a buffer of %llu bytes", (unsigned long long)a.capacity);
		a.tally->unlike++;
	}
	if (a.buffer != MAP_FAILED)
		munmap(a.buffer, a.capacity + PARIO_REPLAY_MARGIN);
	pario_busy_release(&a.busy);
	pario_trace_stream_close(s);
	__atomic_store_n(&a.tally->done, UINT64_MAX, __ATOMIC_RELEASE);
}
