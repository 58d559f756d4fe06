/*
 * core: segments of threads, and how records get into them.
 *
 * The environment variable PARIO_TRACE tells what the launcher decided: "clock:stack:others:directory". Without it
 * nothing is recorded and every wrapper passes on. `others` is the directory of those that cannot write to the last, or
 * "".
 */
#include "tracer/preload/trace.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tracer/preload/pending.h"
#include "tracer/preload/python.h"
#include "tracer/preload/raw.h"
#include "tracer/preload/window.h"

enum {
	DIRECTORY_MAX = PARIO_TRACE_DIRECTORY_MAX,
	SPARE = 64, /* segments of ended threads that wait for new ones */
};

__thread struct pario_thread *pario_trace_self;
bool pario_trace_counter;
unsigned pario_trace_stack;
char pario_trace_directory[DIRECTORY_MAX + 1];

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

struct pario_trace_variables pario_trace_variables;

/* The part of LD_PRELOAD from our own name on: the shims of other libraries stand behind it. */
static void keep_variables(const char *trace)
{
	const char *preload = getenv("LD_PRELOAD");
	const char *own = preload ? strstr(preload, "libpario-trace.so") : NULL;

	if (!own)
		return;
	while (own > preload && own[-1] != ':' && own[-1] != ' ')
		own--;
	if (strlen(own) >= sizeof(pario_trace_variables.library))
		return;
	strcpy(pario_trace_variables.library, own);
	strcpy(pario_trace_variables.trace, "PARIO_TRACE=");
	strcat(pario_trace_variables.trace, trace);
}

static const char *const ranks[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
				     "SLURM_PROCID", NULL };

static uint32_t number_from(const char *const *names)
{
	for (; *names; names++) {
		const char *text = getenv(*names);

		if (text && *text >= '0' && *text <= '9')
			return (uint32_t)strtoul(text, NULL, 10);
	}
	return UINT32_MAX;
}

static bool may_write(const char *directory)
{
	long r = pario_raw6(SYS_faccessat2, AT_FDCWD, (long)directory, W_OK | X_OK, AT_EACCESS, 0,
			    0);

	if (r == -ENOSYS)
		r = pario_raw3(SYS_faccessat, AT_FDCWD, (long)directory, W_OK | X_OK);
	return r == 0;
}

/*
 * A rank on a node that does not see the directory keeps its segments in one of the same name in /tmp; `pario trace
 * --join` takes them from there.
 */
static bool choose_away(const char *directory)
{
	const char *name = strrchr(directory, '/');
	char *to = pario_trace_directory;
	struct stat st;

	if (!name || !name[1] || strlen(name) > 64 || number_from(ranks) == UINT32_MAX)
		return false;
	strcpy(to, PARIO_TRACE_AWAY);
	strcat(to, name);
	pario_raw3(SYS_mkdirat, AT_FDCWD, (long)to, 0700);
	if (pario_raw6(SYS_newfstatat, AT_FDCWD, (long)to, (long)&st, AT_SYMLINK_NOFOLLOW, 0, 0) ==
		    0 &&
	    S_ISDIR(st.st_mode) && st.st_uid == (uid_t)pario_raw3(SYS_geteuid, 0, 0, 0) &&
	    !(st.st_mode & 022))
		return true;
	*to = '\0';
	return false;
}

/* "/some/directory", or where this process cannot write there, that before it. */
static bool choose_directory(const char *others)
{
	const char *directory = strchr(others, ':');
	size_t length;

	if (!directory)
		return false;
	length = strlen(++directory);
	if (pario_raw3(SYS_faccessat, AT_FDCWD, (long)directory, F_OK) == -ENOENT &&
	    choose_away(directory))
		return true;
	if (directory - others > 1 && !may_write(directory)) {
		length = (size_t)(directory - others) - 1;
		directory = others;
	}
	if (length == 0 || length > DIRECTORY_MAX)
		return false;
	memcpy(pario_trace_directory, directory, length);
	return true;
}

/* "tsc:0::/some/directory" */
static bool read_environment(void)
{
	const char *text = getenv("PARIO_TRACE");

	if (!text || strlen(text) > DIRECTORY_MAX)
		return false;
	keep_variables(text);
	counts = pario_trace_counter = strncmp(text, "tsc:", 4) == 0;
	text = strchr(text, ':');
	if (!text)
		return false;
	for (text++; *text >= '0' && *text <= '9'; text++)
		pario_trace_stack = pario_trace_stack * 10 + (unsigned)(*text - '0');
	if (*text != ':')
		return false;
	if (pario_trace_stack > PARIO_TRACE_STACK_MAX)
		pario_trace_stack = PARIO_TRACE_STACK_MAX;
	return choose_directory(text + 1);
}

/* A thread ended: its segment goes on with the next thread that starts. */
static void thread_ended(void *thread)
{
	struct pario_thread *t = thread;

	if (t->segment)
		pario_io_note(false);
	pario_trace_self = NULL;
	for (int i = 0; i < SPARE; i++) {
		struct pario_thread *none = NULL;

		if (__atomic_compare_exchange_n(&process->spare[i], &none, t, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return;
	}
	if (t->segment != process->first)
		pario_window_leave(t);
	pario_raw3(SYS_munmap, (long)t, sizeof(*t), 0);
}

/* Runs at the first call of the process, which may come before the constructor. */
static bool start(void)
{
	struct process *p;
	struct pario_fd *fds;

	if (!read_environment())
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
	static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
					     "SLURM_STEP_NUM_TASKS", NULL };
	struct utsname machine;

	s->version = PARIO_TRACE_VERSION;
	s->header_bytes = PARIO_TRACE_HEADER;
	s->pid = (uint32_t)pario_raw3(SYS_getpid, 0, 0, 0);
	s->ppid = (uint32_t)pario_raw3(SYS_getppid, 0, 0, 0);
	s->tid = (uint32_t)pario_raw3(SYS_gettid, 0, 0, 0);
	s->rank = number_from(ranks);
	s->ranks = number_from(sizes);
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

/* Without signals: a handler would make a segment of its own for the same thread. */
static bool create(struct pario_thread *t)
{
	uint64_t old = pario_signals_hold();
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
	pario_signals_release(old);
	if (error < 0 && t->lost == 0)
		pario_preloadable_no_segment((int)-error);
	if (error < 0 && process->first) {
		__atomic_fetch_add(&process->first->dropped, 1, __ATOMIC_RELAXED);
		process->first->why = process->first->why ? process->first->why : (uint64_t)-error;
	}
	return error == 0;
}

/* What failed is tried again, ever more rarely: descriptors and space may come back. */
static bool is_worth_trying(struct pario_thread *t)
{
	return (t->lost & (t->lost - 1)) == 0;
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
	if (is_worth_trying(t) && create(t)) {
		t->lost = 0;
		return true;
	}
	if (t->lost && !is_worth_trying(t) && process->first)
		__atomic_fetch_add(&process->first->dropped, 1, __ATOMIC_RELAXED);
	t->lost++;
	return false;
}

bool pario_trace_open(void)
{
	struct pario_thread *t = pario_trace_self;
	uint64_t none = 0;
	bool first;

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
	first = __atomic_compare_exchange_n(&process->started, &none, now(CLOCK_MONOTONIC), false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
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

static void drop(struct pario_thread *t, uint64_t count)
{
	__atomic_fetch_add(&t->segment->dropped, count, __ATOMIC_RELAXED);
}

/* Anchors let the reader scale the counter. */
static void anchor(void)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_CLOCK };

	if (stopped_at)
		return;
	note.offset = now(CLOCK_MONOTONIC);
	note.t0 = pario_ticks();
	note.size = now(CLOCK_REALTIME);
	pario_trace_note(&note, NULL, 0);
}

/*
 * Adds at once as far as signal handlers of this thread can see; no other thread writes here, so no bus lock is needed.
 */
static inline uint64_t advance(uint64_t *counter, uint64_t by)
{
#if defined(__x86_64__)
	__asm__ volatile("xaddq %0, %1" : "+r"(by), "+m"(*counter) : : "cc", "memory");
	return by;
#else
	return __atomic_fetch_add(counter, by, __ATOMIC_RELAXED);
#endif
}

static void pad(struct pario_thread *t, uint64_t from, uint64_t count)
{
	struct pario_trace_record *r = &t->records[from - t->base];

	r->size = count;
	__atomic_store_n(&r->op, PARIO_TRACE_PAD, __ATOMIC_RELEASE);
}

/*
 * Handlers of signals come between any two lines of what follows, except while signals are held. The outermost of those
 * that interrupt each other says where it writes: `open` is the number of its record + 1, first as it expects it, which
 * those that come before it has reserved the place put right, then as it is. Has it reserved it?
 */
static bool has_place(const struct pario_thread *t, uint64_t used)
{
	return t->open && t->open_count && used >= t->open - 1 + t->open_count;
}

/* The next record goes to `used`: so does that of one who has been interrupted before he had reserved a place. */
static void set_used(struct pario_thread *t, uint64_t before, uint64_t used)
{
	if (t->open && !has_place(t, before))
		t->open = used + 1;
	__atomic_store_n(&t->segment->used, used, __ATOMIC_RELEASE);
}

/*
 * A handler spills while the call that it interrupted is in the midst of writing its record. That place is kept free in
 * the next window, where the record then goes; should it never be written, since the handler was left by longjmp, it
 * holds nothing.
 */
static void keep_open(struct pario_thread *t, uint64_t open)
{
	t->hole = t->base + (open - 1) % PARIO_WINDOW_RECORDS;
	t->hole_count = t->open_count;
	pad(t, t->hole, t->hole_count);
	t->limit = t->hole;
}

/* Behind the hole it goes on. What does not fit before it stays empty. */
static long pass_hole(struct pario_thread *t, uint64_t used)
{
	if (used < t->hole)
		pad(t, used, t->hole - used);
	set_used(t, used, t->hole + t->hole_count);
	t->limit = t->base + t->usable;
	t->hole = 0;
	return 0;
}

/* From `used` on nothing is needed; what lies before it is complete but for the record that is being written. */
static long begin_anew(struct pario_thread *t, uint64_t used)
{
	bool placed = has_place(t, used),
	     inside = placed && t->open > t->base && t->open - 1 + t->open_count <= t->limit &&
		      t->records[t->open - 1 - t->base].op == PARIO_TRACE_EMPTY;
	uint64_t open = t->open;
	long error;

	if (used < t->limit)
		pad(t, used, t->limit - used);
	if (inside)
		pad(t, open - 1, t->open_count);
	error = pario_window_spill(t);
	if (error < 0) {
		if (inside)
			t->records[open - 1 - t->base].op = PARIO_TRACE_EMPTY;
		return error;
	}
	t->limit = t->base + t->usable;
	if (inside)
		keep_open(t, open);
	else if (placed && open <= t->base - PARIO_WINDOW_RECORDS)
		t->open = 0; /* of an earlier window, and kept once */
	else if (placed)
		t->open_count = 0; /* it was not in the window, and has to ask again */
	set_used(t, used, t->base);
	return 0;
}

/* A file may not grow any longer: the thread goes on in another one. */
static long begin_another(struct pario_thread *t)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_THREAD };
	const struct pario_thread old = *t;
	long error = t->open || t->child ? -EFBIG : pario_window_create(t, &process->segments);

	if (error < 0)
		return error;
	if (old.segment != process->first)
		pario_window_leave(&old);
	t->open = t->hole = 0;
	fill_header(t->segment, process->started);
	note.size = t->segment->tid;
	note.more = (uint64_t)pthread_self();
	pario_trace_note(&note, NULL, 0);
	pario_io_note(true);
	return 0;
}

/* 0 when `count` records behind `used` fit. */
static long find_capacity(struct pario_thread *t, uint64_t *used, uint64_t count)
{
	long error = 0;

	while (error == 0 && *used + count > t->limit) {
		error = t->hole ? -ENOBUFS : pario_window_grow(t);
		if (error == -ENOBUFS && t->hole)
			error = pass_hole(t, *used);
		else if (error == -ENOBUFS)
			error = begin_anew(t, *used);
		if (error == -EFBIG)
			error = begin_another(t);
		*used = t->segment->used;
	}
	return error;
}

static void not_recorded(struct pario_thread *t, long error)
{
	struct pario_trace_segment *s = t->segment;

	s->why = s->why ? s->why : (uint64_t)-error;
	t->lost += t->lost == 0;
	drop(t, 1);
}

/* The window is full. No handler comes while there is made room. */
static struct pario_trace_record *make_capacity(struct pario_thread *t, uint64_t count, bool ours)
{
	struct pario_trace_record *to = NULL;
	uint64_t old, used;
	long error;

	if (pario_trace_mute || (t->lost && ++t->lost && !is_worth_trying(t))) {
		if (pario_trace_mute)
			t->segment->why = EPERM;
		drop(t, 1);
		return NULL;
	}
	old = pario_signals_hold();
	if (ours)
		t->open = 0;
	used = t->segment->used;
	error = find_capacity(t, &used, count);
	if (error == 0) {
		to = &t->records[used - t->base];
		set_used(t, used, used + count);
		t->lost = 0;
	} else {
		not_recorded(t, error);
	}
	if (ours && to) {
		t->open_count = count;
		t->open = used + 1;
	}
	pario_signals_release(old);
	return to;
}

/* Reserved, and too long for the window. Gives the place back, unless handlers have made room and written behind it. */
static bool keeps_place(struct pario_thread *t, uint64_t i, uint64_t count, bool ours)
{
	uint64_t end = i + count;

	if (__atomic_compare_exchange_n(&t->segment->used, &end, i, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		return false;
	return ours && t->open == i + 1 && t->open_count == count && i >= t->base &&
	       i + count <= t->limit;
}

/* Room for `count` records in a row; NULL when they are dropped. The outermost of several is `ours`. */
static inline struct pario_trace_record *reserve(struct pario_thread *t, uint64_t count, bool *ours)
{
	uint64_t *used = &t->segment->used, i;

	*ours = !t->open;
	if (*ours) {
		t->open_count = count;
		do {
			t->open = __atomic_load_n(used, __ATOMIC_RELAXED) + 1;
			__asm__ volatile("" : : : "memory");
		} while (__builtin_expect(__atomic_load_n(used, __ATOMIC_RELAXED) + 1 != t->open,
					  0));
	}
	i = advance(used, count);
	if (!*ours && t->open == i + 1)
		t->open = i + count + 1;
	if (__builtin_expect(i + count > t->limit, 0) && !keeps_place(t, i, count, *ours)) {
		if (!*ours && t->open == i + count + 1)
			t->open = i + 1;
		return make_capacity(t, count, *ours);
	}
	return &t->records[i - t->base];
}

static inline void written(struct pario_thread *t, bool ours)
{
	__asm__ volatile("" : : : "memory");
	if (ours)
		t->open = 0;
}

void pario_trace_note(struct pario_trace_record *note, const char *text, size_t length)
{
	struct pario_thread *t = pario_trace_self;
	struct pario_trace_record *to;
	bool ours;

	if (length > PARIO_TRACE_TEXT_MAX)
		length = PARIO_TRACE_TEXT_MAX;
	if (length)
		note->size = length;
	if (!t || !t->segment)
		return;
	to = reserve(t, 1 + (length ? pario_trace_text_records(length) : 0), &ours);
	if (!to)
		return;
	memcpy(to + 1, text ? text : "", length);
	to->t0 = note->t0;
	to->site = note->site;
	to->offset = note->offset;
	to->size = note->size;
	to->more = note->more;
	to->duration = note->duration;
	to->file = note->file;
	to->result = note->result;
	to->fd = note->fd;
	to->arg = note->arg;
	to->layer = note->layer;
	to->flags = note->flags;
	__atomic_store_n(&to->op, note->op, __ATOMIC_RELEASE);
	written(t, ours);
}

/* The callers of the call site, four to a record. Deep stacks are what the user asked for, and what costs. */
static void put_frames(const struct pario_call *call)
{
	void *frames[PARIO_TRACE_STACK_MAX + 8];
	int want = (int)pario_trace_stack, n = backtrace(frames, want + 8), i = 0;

	while (i < n && (uint64_t)(uintptr_t)frames[i] != call->site)
		i++;
	if (i + 1 + want < n)
		n = i + 1 + want;
	for (i++; i < n; i += 4) {
		struct pario_trace_record note = { .op = PARIO_TRACE_STACK };

		note.t0 = (uint64_t)(uintptr_t)frames[i];
		note.site = i + 1 < n ? (uint64_t)(uintptr_t)frames[i + 1] : 0;
		note.offset = i + 2 < n ? (uint64_t)(uintptr_t)frames[i + 2] : 0;
		note.size = i + 3 < n ? (uint64_t)(uintptr_t)frames[i + 3] : 0;
		pario_trace_note(&note, NULL, 0);
	}
}

void pario_trace_put(const struct pario_call *call)
{
	struct pario_thread *t = pario_trace_self;
	struct pario_trace_record *to;
	uint64_t base = t->base;
	uint64_t site = call->site;
	bool ours;

	if (!t->segment && !pario_trace_open()) /* this is the child of a fork */
		return;
	if (__builtin_expect(pario_python_known, 0) && !(call->flags & PARIO_TRACE_DEPTH))
		site = pario_python_line(site);
	to = reserve(t, 1, &ours);
	if (!to)
		return;
	to->t0 = call->start;
	to->site = site;
	to->offset = call->offset;
	to->size = call->size;
	to->duration =
		pario_trace_pack_ticks(call->stop > call->start ? call->stop - call->start : 0);
	to->file = call->file;
	to->result = call->result;
	to->more = call->more;
	to->fd = call->fd;
	to->arg = call->arg;
	to->layer = call->layer;
	to->flags = call->flags;
	__atomic_store_n(&to->op, call->op, __ATOMIC_RELEASE);
	written(t, ours);
	if (__builtin_expect(pario_trace_stack, 0))
		put_frames(call);
	if (__builtin_expect(base != t->base, 0)) {
		anchor();
		pario_usage_note();
		pario_memory_note();
		t->named = true;
	}
	if (__builtin_expect(t->named | pario_modules_stale, 0)) {
		t->named = false;
		pario_modules_see(call->site);
	}
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
 * not be done in children of fork and in signal handlers.
 */
__attribute__((constructor(101))) static void resolve_all(void)
{
	resolve(__start_pario_symbols, __stop_pario_symbols);
	on_exit(exited, NULL);
	if (pario_trace_self || pario_trace_open()) {
		void *frame;

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
	anchor();
}
