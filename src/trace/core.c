/*
 * core: segments, and how they grow.
 *
 * The environment variable PARIO_TRACE tells what the launcher decided: "clock:stack:others:directory". Without it nothing
 * is recorded and every wrapper passes on. `others` is the directory of those that cannot write to the last, or "".
 *
 * A full window is written behind itself in the same file and used again: its pages stay in the cache, and a page of
 * the file costs a copy instead of a page fault (measured: 15 against 45 ns per record). No descriptor stays open,
 * since programs close what they do not know; the file is opened by its path each time.
 */
#include "trace/trace.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "trace/pending.h"
#include "trace/raw.h"

enum {
	WINDOW = PARIO_TRACE_WINDOW / sizeof(struct pario_trace_record),
	MAPPED = PARIO_TRACE_SPILLED, /* the spare page holds the record after the last */
	DIRECTORY_MAX = PARIO_TRACE_DIRECTORY_MAX,
	SPARE = 64,	 /* segments of ended threads that wait for new ones */
	FREE_SHARE = 20, /* recording ends when less than 1/20 of the file system is free */
};

__thread struct pario_thread *pario_trace_self;
bool pario_trace_counter;
unsigned pario_trace_stack;
char pario_trace_directory[DIRECTORY_MAX + 1];

/* Set once, before the first segment. */
static enum { UNKNOWN, OFF, ON } mode;
static pthread_key_t ended;
static bool have_ended;

/* Wiped in children: what belongs to this process. */
struct process {
	uint64_t started; /* CLOCK_MONOTONIC, 0 = nothing recorded yet */
	unsigned segments;
	struct pario_thread *spare[SPARE];
};
static struct process *process;
static struct pario_fd *process_fds; /* wiped as well */

struct pario_fd *pario_process_fds(void)
{
	return process_fds;
}

void *pario_trace_resolve(struct pario_symbol *symbol)
{
	int error = errno;
	void *next = dlsym(RTLD_NEXT, symbol->name);

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

static bool may_write(const char *directory)
{
	long r = pario_raw6(SYS_faccessat2, AT_FDCWD, (long)directory, W_OK | X_OK, AT_EACCESS, 0,
			    0);

	if (r == -ENOSYS)
		r = pario_raw3(SYS_faccessat, AT_FDCWD, (long)directory, W_OK | X_OK);
	return r == 0;
}

/* "/some/directory", or where this process cannot write there, that before it. */
static bool choose_directory(const char *others)
{
	const char *directory = strchr(others, ':');
	size_t length;

	if (!directory)
		return false;
	length = strlen(++directory);
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
	pario_trace_counter = strncmp(text, "tsc:", 4) == 0;
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
	if (t->segment)
		pario_raw3(SYS_munmap, (long)t->segment, MAPPED, 0);
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

/* DIRECTORY/PID.NUMBER */
static void path_of(char *path, long pid, unsigned number)
{
	size_t length = strlen(pario_trace_directory);

	memcpy(path, pario_trace_directory, length);
	path += length;
	*path++ = '/';
	path = pario_number_text(path, (uint64_t)pid);
	*path++ = '.';
	pario_number_text(path, number);
}

/* Is there so much space that the program will not miss ours? */
static long room_left(int fd)
{
	struct statfs fs;
	long status = pario_raw3(SYS_fstatfs, fd, (long)&fs, 0);

	return status == 0 && fs.f_blocks && fs.f_bsize > 0 &&
			       fs.f_bavail <
				       fs.f_blocks / FREE_SHARE + MAPPED / (uint64_t)fs.f_bsize
		       ? -ENOSPC
		       : 0;
}

/* Allocated before it is mapped: a page without a place on the disk would kill the program when it is written. */
static long map(int fd, uint64_t length)
{
	static const char zeroes[4096];
	long p = room_left(fd);

	if (p == 0)
		p = pario_raw6(SYS_fallocate, fd, 0, 0, (long)length, 0, 0);
	for (uint64_t at = 0; p == -EOPNOTSUPP && at < length; at += sizeof(zeroes)) {
		long n = pario_raw6(SYS_pwrite64, fd, (long)zeroes, sizeof(zeroes), (long)at, 0, 0);

		if (n != sizeof(zeroes))
			p = n < 0 ? n : -ENOSPC;
	}
	if (p < 0 && p != -EOPNOTSUPP)
		return p;
	p = pario_raw6(SYS_mmap, 0, (long)length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p > 0)
		pario_raw3(SYS_madvise, p, (long)length, MADV_DONTFORK);
	return p;
}

static uint64_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A whole window goes to the end of the file, and the window begins anew. */
static bool spill(struct pario_thread *t)
{
	struct pario_trace_segment *s = t->segment;
	const char *from = (const char *)t->records;
	uint64_t left = WINDOW * sizeof(*t->records);
	uint64_t at = PARIO_TRACE_SPILLED + s->spilled * sizeof(*t->records);
	char path[DIRECTORY_MAX + 48];
	long fd, n = 0;

	path_of(path, s->pid, t->number);
	fd = pario_raw6(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0, 0, 0);
	n = fd < 0 ? fd : room_left((int)fd);
	for (; n >= 0 && left; left -= (uint64_t)n, from += n, at += (uint64_t)n) {
		n = pario_raw6(SYS_pwrite64, fd, (long)from, (long)left, (long)at, 0, 0);
		if (n == -EINTR)
			n = 0;
		else if (n == 0)
			n = -ENOSPC;
	}
	if (fd >= 0)
		pario_raw3(SYS_close, fd, 0, 0);
	if (n < 0) {
		s->why = s->why ? s->why : (uint64_t)-n;
		t->off = true;
		return false;
	}
	t->own_written += WINDOW * sizeof(*t->records);
	/* A reader that finds the new `spilled` finds the records in the file; with the old one, in the window. */
	t->records[0].op = PARIO_TRACE_EMPTY;
	__atomic_store_n(&s->spilled, s->spilled + WINDOW, __ATOMIC_RELEASE);
	return true;
}

static uint32_t number_from(const char *const *names)
{
	for (; *names; names++) {
		const char *text = getenv(*names);

		if (text && *text >= '0' && *text <= '9')
			return (uint32_t)strtoul(text, NULL, 10);
	}
	return UINT32_MAX;
}

static void fill_header(struct pario_trace_segment *s, uint64_t started)
{
	static const char *const ranks[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
					     "SLURM_PROCID", NULL };
	static const char *const sizes[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS",
					     NULL };

	s->version = PARIO_TRACE_VERSION;
	s->header_bytes = PARIO_TRACE_HEADER;
	s->pid = (uint32_t)pario_raw3(SYS_getpid, 0, 0, 0);
	s->ppid = (uint32_t)pario_raw3(SYS_getppid, 0, 0, 0);
	s->tid = (uint32_t)pario_raw3(SYS_gettid, 0, 0, 0);
	s->rank = number_from(ranks);
	s->ranks = number_from(sizes);
	s->counter = pario_trace_counter;
	s->process = started;
	s->start_ns = now(CLOCK_MONOTONIC);
	s->start_ticks = pario_ticks();
	s->start_real_ns = now(CLOCK_REALTIME);
	pario_read_small("/proc/sys/kernel/random/boot_id", s->boot, sizeof(s->boot));
	pario_read_small("/proc/sys/kernel/hostname", s->host, sizeof(s->host));
	__atomic_store_n(&s->magic, PARIO_TRACE_MAGIC, __ATOMIC_RELEASE);
}

/* A new file with a header and a first window. */
static bool create(struct pario_thread *t)
{
	char path[DIRECTORY_MAX + 48];
	long pid = pario_raw3(SYS_getpid, 0, 0, 0), fd = -EEXIST, p;

	for (int tries = 0; fd == -EEXIST && tries < 100000; tries++) {
		t->number = __atomic_fetch_add(&process->segments, 1, __ATOMIC_RELAXED);
		path_of(path, pid, t->number);
		fd = pario_raw6(SYS_openat, AT_FDCWD, (long)path,
				O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600, 0, 0);
	}
	p = fd < 0 ? fd : map((int)fd, MAPPED);
	if (fd >= 0)
		pario_raw3(SYS_close, fd, 0, 0);
	if (p < 0) {
		if (fd >= 0)
			pario_raw3(SYS_unlinkat, AT_FDCWD, (long)path, 0);
		pario_reach_no_segment((int)-p);
		return false;
	}
	t->segment = (struct pario_trace_segment *)p;
	fill_header(t->segment, process->started);
	t->records = (struct pario_trace_record *)(p + PARIO_TRACE_HEADER);
	t->limit = WINDOW;
	return true;
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
	t->depth = 0;
	t->own_read = t->own_written = 0;
	pario_trace_note(&note, NULL, 0);
	if (first)
		pario_describe_program();
	pario_io_note(true);
	pario_modules_look();
	if (have_ended)
		pthread_setspecific(ended, t);
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
	if (t && (t->off || t->busy))
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
	if (t->off)
		return false;
	if (!t->segment) {
		t->busy = true;
		t->off = !create(t);
		t->busy = false;
		if (t->off)
			return false;
	}
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

	note.offset = now(CLOCK_MONOTONIC);
	note.t0 = pario_ticks();
	note.size = now(CLOCK_REALTIME);
	pario_trace_note(&note, NULL, 0);
}

/* Adds at once as far as signal handlers of this thread can see; no other thread writes here, so no bus lock is needed. */
static inline uint64_t advance(uint64_t *counter, uint64_t by)
{
#if defined(__x86_64__)
	__asm__ volatile("xaddq %0, %1" : "+r"(by), "+m"(*counter) : : "cc", "memory");
	return by;
#else
	return __atomic_fetch_add(counter, by, __ATOMIC_RELAXED);
#endif
}

/*
 * The window is full. Handlers of signals may come between any two lines: before `busy` they make room themselves, while
 * it is set what they do is dropped and counted, and `limit` moves last, when everything else is in place.
 */
static struct pario_trace_record *make_room(struct pario_thread *t, uint64_t i, uint64_t count)
{
	uint64_t *used = &t->segment->used, now_used;

	if (t->busy || t->off) {
		__atomic_fetch_sub(used, count, __ATOMIC_RELAXED);
		drop(t, 1);
		return NULL;
	}
	t->busy = true;
	now_used = __atomic_load_n(used, __ATOMIC_RELAXED);
	if (now_used + count <= t->limit) { /* a handler made room */
		__atomic_store_n(used, now_used + count, __ATOMIC_RELAXED);
		t->busy = false;
		return &t->records[now_used + WINDOW - t->limit];
	}
	if (i < t->limit) {
		t->records[i + WINDOW - t->limit].size = t->limit - i;
		t->records[i + WINDOW - t->limit].op = PARIO_TRACE_PAD;
	}
	if (!spill(t)) {
		__atomic_store_n(used, i < t->limit ? i : t->limit, __ATOMIC_RELAXED);
		drop(t, 1);
		t->busy = false;
		return NULL;
	}
	__atomic_store_n(used, t->limit + count, __ATOMIC_RELEASE);
	__atomic_store_n(&t->limit, t->limit + WINDOW, __ATOMIC_RELEASE);
	t->busy = false;
	return t->records;
}

/* Room for `count` records in a row; NULL when they are dropped. */
static inline struct pario_trace_record *reserve(struct pario_thread *t, uint64_t count)
{
	uint64_t i = advance(&t->segment->used, count);

	if (__builtin_expect(i + count <= t->limit, 1))
		return &t->records[i + WINDOW - t->limit];
	return make_room(t, i, count);
}

void pario_trace_note(struct pario_trace_record *note, const char *text, size_t length)
{
	struct pario_thread *t = pario_trace_self;
	struct pario_trace_record *to;

	if (length > PARIO_TRACE_TEXT_MAX)
		length = PARIO_TRACE_TEXT_MAX;
	if (length)
		note->size = length;
	if (!t || !t->segment)
		return;
	to = reserve(t, 1 + (length ? pario_trace_text_records(length) : 0));
	if (!to)
		return;
	memcpy(to + 1, text ? text : "", length);
	to[1 + (length ? pario_trace_text_records(length) : 0)].op = PARIO_TRACE_EMPTY;
	*to = *note;
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
	uint64_t limit = t->limit;

	if (!t->segment && !pario_trace_open()) /* this is the child of a fork */
		return;
	to = reserve(t, 1);
	if (!to)
		return;
	to[1].op =
		PARIO_TRACE_EMPTY; /* so that the next one is not taken for finished before it is */
	to->t0 = call->start;
	to->site = call->site;
	to->offset = call->offset;
	to->size = call->size;
	to->duration =
		pario_trace_pack_ticks(call->stop > call->start ? call->stop - call->start : 0);
	to->file = call->file;
	to->result = call->result;
	to->layer = call->layer;
	to->flags = call->flags;
	__atomic_store_n(&to->op, call->op, __ATOMIC_RELEASE);
	if (__builtin_expect(pario_trace_stack, 0))
		put_frames(call);
	if (__builtin_expect(limit != t->limit, 0)) {
		anchor();
		pario_modules_look();
	}
}

extern PARIO_HIDDEN struct pario_symbol __start_pario_symbols[], __stop_pario_symbols[];

/* As early as the loader lets us: afterwards no wrapper has to look anything up, in signal handlers for example. */
__attribute__((constructor(101))) static void resolve_all(void)
{
	/* cppcheck-suppress comparePointers ; the linker lays them around one array */
	for (struct pario_symbol *s = __start_pario_symbols; s < __stop_pario_symbols; s++)
		pario_next(s);
	if (pario_trace_self || pario_trace_open()) {
		void *frame;

		if (pario_trace_stack)
			backtrace(&frame, 1); /* the first call loads a library */
	}
}

/* What the kernel counted, for the comparison with what was seen. Nothing is lost when this never runs. */
__attribute__((destructor)) static void last_look(void)
{
	if (!pario_trace_self || !pario_trace_self->segment)
		return;
	pario_pending_end();
	pario_io_note(false);
	pario_modules_look();
	anchor();
}
