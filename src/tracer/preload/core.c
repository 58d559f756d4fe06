/*
 * core: the segments of threads, from a process's first call to its last.
 */
#include "tracer/preload/core.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tracer/preload/pending.h"
#include "tracer/preload/python.h"
#include "tracer/preload/raw.h"
#include "tracer/preload/unwind.h"
#include "tracer/preload/window.h"

enum { SPARE = 64 /* segments of ended threads that wait for new ones */ };

__thread struct pario_thread *pario_trace_self;
bool pario_trace_counter;
unsigned pario_trace_stack;

static bool counts;	    /* ticks are of the time-stamp counter */
static uint64_t stopped_at; /* 0 = the clock goes */

/* Set once, before the first segment. */
static enum { UNKNOWN, OFF, ON } mode;
static pthread_key_t ended;
static bool have_ended;

/* Wiped in children: what belongs to this process. */
struct process {
	uint64_t started; /* CLOCK_MONOTONIC, 0 = nothing recorded yet */
	unsigned segments;
	struct pario_trace_segment *first; /* stays mapped: threads without a segment count there */
	struct pario_thread *spare[SPARE];
};
static struct process *process;
static struct pario_fd *process_fds; /* wiped as well */

struct pario_fd *pario_process_fds(void)
{
	return process_fds;
}

/* Libraries that came with a plugin are not among those searched. */
static void *of_a_plugin(const char *name)
{
	static const char *const libraries[] = { "liburing.so.2", "liburing.so.1", "libaio.so.1",
						 "libaio.so.1t64" };
	void *next = NULL;

	if (strncmp(name, "io_", 3) != 0 && strncmp(name, "__io_", 5) != 0)
		return NULL;
	for (size_t i = 0; !next && i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		void *handle = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);

		next = handle ? dlsym(handle, name) : NULL;
	}
	return next;
}

void *pario_trace_resolve(struct pario_symbol *symbol)
{
	int error = errno;
	void *next = dlsym(RTLD_NEXT, symbol->name);

	if (!next)
		next = of_a_plugin(symbol->name);
	errno = error;
	__atomic_store_n(&symbol->next, next, __ATOMIC_RELAXED);
	return next;
}

/* Private memory that a forked child finds empty. */
void *pario_trace_wiped(size_t bytes)
{
	long p = pario_raw6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p < 0 && p > -4096)
		return NULL;
	if (pario_raw3(SYS_madvise, p, (long)bytes, MADV_WIPEONFORK) < 0) {
		pario_raw3(SYS_munmap, p, (long)bytes, 0);
		return NULL;
	}
	return (void *)p;
}

/* There is no segment in a child of fork that returns from a call of its parent. */
void pario_call_left(struct pario_thread *t, int calls)
{
	uint64_t *left = t->segment ? pario_trace_left(t->segment) : NULL;

	if (left && (calls > 0 || *left))
		*left += (uint64_t)(int64_t)calls;
}

/* A thread ended: its segment goes on with the next thread that starts. */
static void thread_ended(void *thread)
{
	struct pario_thread *t = thread;

	pario_call_left(t, (int)t->depth); /* cancelled within them */
	if (t->segment)
		pario_io_note(false);
	pario_trace_self = NULL;
	for (int i = 0; i < SPARE; i++) {
		struct pario_thread *none = NULL;

		if (__atomic_compare_exchange_n(&process->spare[i], &none, t, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return;
	}
	pario_window_leave(t->previous);
	if (t->segment != process->first)
		pario_window_leave(t->segment);
	pario_raw3(SYS_munmap, (long)t, sizeof(*t), 0);
}

/* Runs at the first call of the process, which may come before the constructor. */
static bool start(void)
{
	struct process *p;
	struct pario_fd *fds;

	if (!pario_environment_read(&counts))
		return false;
	p = pario_trace_wiped(sizeof(*p));
	fds = pario_trace_wiped(PARIO_FDS * sizeof(*fds));
	if (!p || !fds)
		return false;
	/* Two threads at once is no matter: the second set replaces the first, which nobody has used. */
	process = p;
	process_fds = fds;
	have_ended = pthread_key_create(&ended, thread_ended) == 0;
	return true;
}

uint64_t pario_trace_ticks_slowly(void)
{
	struct timespec t;

	if (stopped_at)
		return stopped_at;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void pario_trace_stop_clock(uint64_t now)
{
	stopped_at = now;
	pario_trace_counter = false;
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	if (stopped_at) /* the library reads the counter for it */
		pario_raw3(SYS_clock_gettime, clock, (long)&t, 0);
	else
		clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void fill_header(struct pario_trace_segment *s, uint64_t started)
{
	struct utsname machine;

	s->version = PARIO_TRACE_VERSION;
	s->header_bytes = PARIO_TRACE_HEADER;
	s->pid = (uint32_t)pario_raw3(SYS_getpid, 0, 0, 0);
	s->ppid = (uint32_t)pario_raw3(SYS_getppid, 0, 0, 0);
	s->tid = (uint32_t)pario_raw3(SYS_gettid, 0, 0, 0);
	s->rank = pario_environment_rank();
	s->ranks = pario_environment_ranks();
	s->counter = counts;
	s->process = started;
	s->start_ns = now(CLOCK_MONOTONIC);
	s->start_ticks = pario_ticks();
	s->start_real_ns = now(CLOCK_REALTIME);
	pario_read_small("/proc/sys/kernel/random/boot_id", s->boot, sizeof(s->boot));
	if (pario_raw3(SYS_uname, (long)&machine, 0, 0) == 0)
		memcpy(s->host, machine.nodename, strnlen(machine.nodename, sizeof(s->host) - 1));
	__atomic_store_n(&s->magic, PARIO_TRACE_MAGIC, __ATOMIC_RELEASE);
}

static bool create(struct pario_thread *t)
{
	long error = 0;

	t->busy = true;
	if (!t->segment)
		error = pario_window_create(t, &process->segments);
	if (error == 0) {
		fill_header(t->segment, process->started);
		if (!process->first)
			process->first = t->segment;
	}
	t->busy = false;
	if (error < 0 && t->lost == 0)
		pario_preloadable_no_segment((int)-error);
	if (error < 0 && process->first) {
		__atomic_fetch_add(&process->first->dropped, 1, __ATOMIC_RELAXED);
		process->first->why = process->first->why ? process->first->why : (uint64_t)-error;
	}
	return error == 0;
}

static struct pario_thread *take_spare(void)
{
	for (int i = 0; i < SPARE; i++) {
		struct pario_thread *t =
			__atomic_exchange_n(&process->spare[i], NULL, __ATOMIC_ACQ_REL);

		if (t)
			return t;
	}
	return NULL;
}

static void introduce(struct pario_thread *t, bool first)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_THREAD };

	note.size = (uint64_t)pario_raw3(SYS_gettid, 0, 0, 0);
	note.more = (uint64_t)pthread_self();
	t->depth = 0;
	t->looked = t->ended = 0;
	t->own_read = t->own_written = 0;
	pario_trace_note(&note, NULL, 0);
	if (first)
		pario_describe_program();
	pario_io_note(true);
	if (first) {
		pario_modules_begin();
		pario_python_begin();
	}
	if (have_ended)
		pthread_setspecific(ended, t);
}

/* A thread that has none gets its segment. */
static bool open_segment(struct pario_thread *t)
{
	if (t->segment)
		return true;
	if (pario_segment_worth_trying(t) && create(t)) {
		t->lost = 0;
		return true;
	}
	if (t->lost && !pario_segment_worth_trying(t) && process->first)
		__atomic_fetch_add(&process->first->dropped, 1, __ATOMIC_RELAXED);
	t->lost++;
	return false;
}

/* Without signals: a handler would make a segment of its own for the same thread, or jump out of what is said once. */
static bool begin(struct pario_thread *t)
{
	uint64_t none = 0;
	bool first = __atomic_compare_exchange_n(&process->started, &none, now(CLOCK_MONOTONIC),
						 false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);

	if (!t)
		t = take_spare();
	if (!t)
		t = pario_trace_wiped(sizeof(*t));
	if (!t)
		return false;
	pario_trace_self = t;
	t->fds = process_fds;
	if (!open_segment(t))
		return false;
	introduce(t, first);
	return true;
}

bool pario_trace_open(void)
{
	struct pario_thread *t = pario_trace_self;
	uint64_t old;
	bool begun;

	if (mode != ON) {
		if (mode == UNKNOWN)
			mode = start() ? ON : OFF;
		if (mode == OFF)
			return false;
	}
	if (t && t->away)
		return pario_child_look(t);
	if ((t && t->busy) || pario_trace_mute)
		return false;
	old = pario_signals_hold();
	begun = begin(t);
	pario_signals_release(old);
	return begun;
}

/* Anchors let the reader scale the counter. */
void pario_segment_anchor(void)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_CLOCK };

	if (stopped_at)
		return;
	note.offset = now(CLOCK_MONOTONIC);
	note.t0 = pario_ticks();
	note.size = now(CLOCK_REALTIME);
	pario_trace_note(&note, NULL, 0);
}

/* A file may not grow any longer: the thread goes on in another one. */
long pario_segment_another(struct pario_thread *t)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_THREAD };
	struct pario_trace_segment *old = t->segment;
	long error = t->child ? -EFBIG : pario_window_create(t, &process->segments);

	if (error < 0)
		return error;
	pario_window_leave(t->previous);
	t->previous = old != process->first ? old : NULL;
	fill_header(t->segment, process->started);
	note.size = t->segment->tid;
	note.more = (uint64_t)pthread_self();
	pario_trace_note(&note, NULL, 0);
	pario_io_note(true);
	return 0;
}

extern PARIO_HIDDEN struct pario_symbol __start_pario_symbols[], __stop_pario_symbols[];
extern PARIO_HIDDEN struct pario_symbol __start_pario_late[], __stop_pario_late[];

static void resolve(struct pario_symbol *from, const struct pario_symbol *to)
{
	/* cppcheck-suppress comparePointers ; the linker lays them around one array */
	for (struct pario_symbol *s = from; s < to; s++)
		pario_next(s);
}

void pario_exit_note(int status)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_EXIT };

	if (!pario_trace_self || !pario_trace_self->segment || pario_trace_mute)
		return;
	note.t0 = pario_ticks();
	note.size = (uint64_t)(status & 255);
	pario_trace_note(&note, NULL, 0);
}

/* Called last of all that exit() calls, since it was the first to ask for it. */
static void exited(int status, void *unused)
{
	(void)unused;
	pario_exit_note(status);
}

/*
 * As early as the loader lets us: afterwards no wrapper has to look anything up, which takes the loader's lock and must
 * not be done in children of fork and in signal handlers. What may not be there is looked for here alone: the loader
 * allocates memory to say that it is not, and a program's first call may come from within its allocator.
 */
__attribute__((constructor(101))) static void resolve_all(void)
{
	resolve(__start_pario_symbols, __stop_pario_symbols);
	on_exit(exited, NULL);
	if (pario_trace_self || pario_trace_open()) {
		void *frame;

		pario_unwind_find();
		pario_python_find();
		if (pario_modules_have("libaio.so") || pario_modules_have("liburing.so"))
			resolve(__start_pario_late, __stop_pario_late);
		if (pario_trace_stack)
			backtrace(&frame, 1); /* the first call loads a library */
	}
}

/* What the kernel counted, for the comparison with what was seen. Nothing is lost when this never runs. */
__attribute__((destructor)) static void last_look(void)
{
	if (!pario_trace_self || !pario_trace_self->segment || pario_trace_mute)
		return;
	pario_pending_end();
	pario_io_note(false);
	pario_usage_note();
	pario_modules_end();
	pario_segment_anchor();
}
