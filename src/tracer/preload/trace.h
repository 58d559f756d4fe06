/*
 * trace: what every wrapper shares.
 *
 * A wrapper begins a call, lets the next function of that name do the work, and ends the call. Nothing here allocates,
 * locks, prints or changes errno; what needs the kernel asks it directly (raw.h). Wrappers work before the library's
 * constructor and after its destructor: the first call of a thread opens its segment, and nothing is ever torn down.
 *
 * State that a child of fork must not share lies in memory the kernel wipes on fork: the child finds zeroes and starts
 * segments of its own, however it was forked. A child of vfork runs in its parent's memory and is recorded there, under
 * its own number (child.c).
 */
#ifndef PARIO_TRACER_PRELOAD_TRACE_H
#define PARIO_TRACER_PRELOAD_TRACE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/clock.h"
#include "trace/format.h"

#define PARIO_EXPORT __attribute__((visibility("default")))
#define PARIO_HIDDEN __attribute__((visibility("hidden")))

_Static_assert(sizeof(long) == 8, "64-bit twins are taken for the plain functions they are here");

/* ---- the next function of a name ---- */

struct pario_symbol {
	const char *name;
	void *next;
} __attribute__((aligned(16)));

#define PARIO_SYMBOL(symbol)                             \
	static struct pario_symbol pario_symbol_##symbol \
		__attribute__((section("pario_symbols"), used)) = { #symbol, NULL }
/* Of a library that may not be there: looked up at the start where it is, or when first called. */
#define PARIO_SYMBOL_LATE(symbol)                        \
	static struct pario_symbol pario_symbol_##symbol \
		__attribute__((section("pario_late"), used)) = { #symbol, NULL }

/* A shim for another library has a function of its own: "next" counts from the library that asks. */
#ifndef PARIO_RESOLVE
#define PARIO_RESOLVE pario_trace_resolve
#define PARIO_PUT     pario_trace_put_here /* records.h */
/* Shims see it as well, and nobody replaces it: here it is reached without a detour. */
#define PARIO_SHOWN __attribute__((visibility("protected")))
PARIO_HIDDEN void *pario_trace_resolve(struct pario_symbol *symbol);
#else
#define PARIO_PUT   pario_trace_put
#define PARIO_SHOWN PARIO_EXPORT
#endif

static inline void *pario_next(struct pario_symbol *symbol)
{
	void *next = __atomic_load_n(&symbol->next, __ATOMIC_RELAXED);

	return __builtin_expect(next != NULL, 1) ? next : PARIO_RESOLVE(symbol);
}

/* ---- a thread's segment ---- */

enum { PARIO_FRAMES = 7, PARIO_SCRATCHES = 6, PARIO_SCRATCH_BYTES = 8256 };

/* In the window, records whose writer may still come back. */
struct pario_hole {
	uint64_t at, count;
};
enum { PARIO_HOLES = 8 };

struct pario_thread {
	/* What every call looks at, side by side. */
	struct pario_trace_segment *segment; /* NULL: not open, or wiped in a child of fork */
	uint64_t looked;		     /* when the thread's processor time was looked at */
	uint64_t ended;			     /* ticks when its last call ended */
	struct pario_fd *fds;		     /* the process' table; NULL in a child of vfork */
	const char *frame[PARIO_FRAMES];     /* stack addresses of the calls we are in, */
	unsigned depth;			     /* so many */
	bool named;			     /* the call has named a new file */
	bool busy;			     /* the segment is being opened */
	bool submits; /* within libaio, which makes the same call once more, by syscall() */

	struct pario_hole holes[PARIO_HOLES];
	unsigned hole, hole_count;   /* the next that the records come to; how many there are */
	uint64_t lost;		     /* calls in a row that were not recorded */
	unsigned number;	     /* of the segment, for its name */
	uint64_t usable, file_bytes; /* records of the window that are there; length of the file */
	struct pario_trace_segment *previous; /* the one before, where a writer may still be */
	uint64_t own_read, own_written; /* bytes the kernel counts for us, not for the program */
	/* The segment while it is not known whether the parent or a child of vfork runs. */
	struct pario_trace_segment *away;
	uint32_t child; /* the child of vfork that writes here, 0 = none */
	void *borrowed; /* what that left behind, of `borrowed_bytes` */
	size_t borrowed_bytes;
	uint64_t forked, left, forked_from; /* ticks of the vfork and of its end, call site */
	uint64_t looked_used;		    /* records there were then */
	uint64_t used_ns;		    /* the thread's processor time when it was looked at */
	unsigned scratch_taken;		    /* a bit each */
	char scratch[PARIO_SCRATCHES][PARIO_SCRATCH_BYTES];
};

struct pario_call {
	uint64_t start, stop, site, offset, size, more;
	uint32_t file, arg;
	int32_t result, fd;
	uint16_t op;
	uint8_t layer, flags;
	const void *frame; /* of the wrapper, as long as it has not returned; or NULL */
};

extern PARIO_EXPORT __thread struct pario_thread *pario_trace_self
	__attribute__((tls_model("initial-exec")));

/*
 * Room for names: a thread's stack may be small, and that of its handlers of signals smaller still. Until the function
 * ends, or on its stack where none is left: what handlers jump out of is not given back.
 */
static inline void *pario_scratch_take(void)
{
	struct pario_thread *t = pario_trace_self;
	unsigned i = t ? (unsigned)__builtin_ctz(~t->scratch_taken) : PARIO_SCRATCHES;

	if (i >= PARIO_SCRATCHES)
		return NULL;
	t->scratch_taken |= 1u << i; /* a handler that comes between gives back what it takes */
	__asm__ volatile("" : : : "memory");
	return t->scratch[i];
}

static inline void pario_scratch_give(void *taken)
{
	struct pario_thread *t = pario_trace_self;
	uintptr_t at = *(uintptr_t *)taken, first = t ? (uintptr_t)t->scratch[0] : 0;

	__asm__ volatile("" : : : "memory");
	if (t && at >= first && at < first + sizeof(t->scratch))
		t->scratch_taken &= ~(1u << (at - first) / PARIO_SCRATCH_BYTES);
}

#define PARIO_SCRATCH(type, name, bytes)                                                \
	type *name __attribute__((cleanup(pario_scratch_give))) = pario_scratch_take(); \
	_Static_assert((size_t)(bytes) <= PARIO_SCRATCH_BYTES, "it is too much");       \
	if (!(name))                                                                    \
	name = __builtin_alloca(bytes)

extern PARIO_SHOWN bool pario_trace_counter;

PARIO_EXPORT uint64_t pario_trace_ticks_slowly(void);

/* Ticks of about a millisecond: a thread that makes no call for longer has its processor time looked at (gap.c). */
extern PARIO_SHOWN uint64_t pario_trace_gap;
/* The thread's call at `now` ended, or one begins, and the last look is long ago. */
PARIO_EXPORT void pario_gap_begins(struct pario_thread *t, uint64_t now);
PARIO_EXPORT void pario_gap_ends(struct pario_thread *t, uint64_t now);

static inline uint64_t pario_ticks(void)
{
	if (__builtin_expect(pario_trace_counter, 1))
		return pario_clock_count();
	return pario_trace_ticks_slowly();
}

/* The process may make no system calls but its own (confine.h). */
PARIO_HIDDEN extern bool pario_trace_mute;
/* No clock may be read any more: it is this moment for ever. */
PARIO_HIDDEN void pario_trace_stop_clock(uint64_t now);

/* ---- children of vfork (child.c) ---- */

/* Who runs, the parent or its child? The segment is there again. */
PARIO_HIDDEN bool pario_child_look(struct pario_thread *t);
/* A child becomes another program or ends: the next call may be its parent's. */
PARIO_HIDDEN void pario_child_leaves(struct pario_thread *t);
/* The table of descriptors of this process. */
PARIO_HIDDEN struct pario_fd *pario_process_fds(void);

/* Opens the thread's segment; false when nothing is to be recorded. */
PARIO_EXPORT bool pario_trace_open(void);

/* Private memory that a forked child finds empty; NULL when there is none. */
PARIO_HIDDEN void *pario_trace_wiped(size_t bytes);

/* Writes the record of a call. */
PARIO_EXPORT void pario_trace_put(const struct pario_call *call);

/* Writes a record that is no call, with text when length > 0. */
PARIO_EXPORT void pario_trace_note(struct pario_trace_record *note, const char *text,
				   size_t length);

enum { PARIO_TRACE_DIRECTORY_MAX = 3500 };
PARIO_HIDDEN extern char pario_trace_directory[PARIO_TRACE_DIRECTORY_MAX + 1];

/* What proves that the path still leads there (directory.c); without a name nothing needs to be proved. */
struct pario_trace_key {
	char name[24];
	uint32_t owner;
};
PARIO_HIDDEN extern struct pario_trace_key pario_trace_key;

/* A descriptor of the directory, or the negative errno: ESTALE when something else has taken its place. */
PARIO_HIDDEN long pario_trace_directory_open(void);
/* A file in it. */
PARIO_HIDDEN long pario_trace_directory_file(const char *name, long flags);

/* Writes the digits and a zero; where that zero is. */
static inline char *pario_number_text(char *to, uint64_t number)
{
	char digits[20];
	int n = 0;

	do
		digits[n++] = (char)('0' + number % 10);
	while (number /= 10);
	while (n)
		*to++ = digits[--n];
	*to = '\0';
	return to;
}

/* What must be in the environment of programs that are started from here; trace is "" when nothing is recorded. */
struct pario_trace_variables {
	char trace[3600];   /* "PARIO_TRACE=..." */
	char library[4096]; /* what LD_PRELOAD must hold, beside the shims that a program needs */
	size_t directory; /* how much of it is the directory, where the shims are as well; with the slash */
};
PARIO_HIDDEN extern struct pario_trace_variables pario_trace_variables;

/*
 * What is mapped where: at the first call of a process, at a call from `site` that may come from something new, at the
 * end.
 */
PARIO_HIDDEN void pario_modules_begin(void);
PARIO_HIDDEN void pario_modules_see(uint64_t site);
PARIO_HIDDEN void pario_modules_end(void);
/* Around fork(). */
PARIO_HIDDEN void pario_modules_fork(void);
PARIO_HIDDEN void pario_modules_forked(bool in_child);
/* Was a library with this in its name there? */
PARIO_HIDDEN bool pario_modules_have(const char *word);
PARIO_HIDDEN extern bool pario_modules_stale; /* something was loaded since */

/* The first line of a small file, "" when there is none. */
PARIO_HIDDEN void pario_read_small(const char *path, char *to, size_t capacity);
/* Writes down which program this is. */
PARIO_HIDDEN void pario_describe_program(void);
/* Writes down the status with which the program ends. */
PARIO_HIDDEN void pario_exit_note(int status);
/* Writes down how much memory the process had at the most so far, and once, how much there is for it. */
PARIO_HIDDEN void pario_usage_note(void);
PARIO_HIDDEN void pario_memory_note(void);
/* Writes down what the kernel counted for this thread: at its first call, and whenever the next may be its last. */
PARIO_HIDDEN void pario_io_note(bool begin);

/*
 * A program is about to become another one, or to start it: when that is one no preloaded library reaches, `pario
 * trace` is told, and asked to hold this thread from outside. Otherwise it gets the shims it needs. `flags` are those
 * of execveat, `on_path` searches as execvp does.
 */
struct pario_leave {
	unsigned reach; /* enum pario_preloadable */
	bool held;
	bool unreadable; /* the environment, which the kernel shall refuse */
	unsigned shims;	 /* of enum pario_shim */
	char *preload;	 /* what the program gets instead of its LD_PRELOAD */
	void *memory; /* for that and its environment, where they are long; NULL = on the stack */
	size_t bytes;
};
PARIO_HIDDEN struct pario_leave pario_leave(int dir, const char *path, int flags, bool on_path,
					    char *const *argv, char *const *environment);
/* Writes the path of a shim, the i-th; where its end is. */
PARIO_HIDDEN char *pario_shim_path(char *to, unsigned i);
/* It is about to go where nobody can be asked any more: the same for whatever program comes next. */
PARIO_HIDDEN struct pario_leave pario_leave_sight(void);
/* It did not, or the other program has a process of its own by now. */
PARIO_HIDDEN void pario_leave_not(struct pario_leave leave);
/* This thread cannot be recorded. */
PARIO_HIDDEN void pario_preloadable_no_segment(int error);

/* The frames above a wrapper's caller, when --stack asks for them. */
PARIO_SHOWN extern unsigned pario_trace_stack;

/* So many more calls of this thread were jumped out of. */
PARIO_EXPORT void pario_call_left(struct pario_thread *t, int calls);

/* Can records be put? A thread's first one opens its segment. */
static inline bool pario_trace_ready(void)
{
	return (pario_trace_self && pario_trace_self->segment) || pario_trace_open();
}

static inline bool pario_trace_begin(struct pario_call *call, uint16_t op, uint8_t layer,
				     void *site, void *frame)
{
	struct pario_thread *t = pario_trace_self;

	if (__builtin_expect(!t || !t->segment, 0)) {
		if (!pario_trace_open())
			return false;
		t = pario_trace_self;
	}
	/* A call that was left by longjmp or cancellation lies below us on the stack and is over. */
	while (__builtin_expect(t->depth && t->frame[t->depth - 1] <= (const char *)frame, 0)) {
		t->depth--;
		pario_call_left(t, 1);
	}
	call->start = pario_ticks();
	if (__builtin_expect(call->start - t->looked > pario_trace_gap, 0) && !t->depth) {
		pario_gap_ends(t, call->start);
		call->start = pario_ticks();
	}
	call->op = op;
	call->layer = layer;
	call->flags = (uint8_t)t->depth;
	call->site = (uint64_t)(uintptr_t)site;
	call->offset = PARIO_TRACE_NOWHERE;
	call->size = 0;
	call->more = 0;
	call->file = 0;
	call->arg = 0;
	call->result = 0;
	call->fd = PARIO_TRACE_NO_FD;
	call->frame = frame;
	if (__builtin_expect(t->depth < PARIO_FRAMES, 1)) /* all that are further in look alike */
		t->frame[t->depth++] = frame;
	return true;
}

/* The call is over; afterwards there is time to find out what it did. */
static inline void pario_trace_stop(struct pario_call *call)
{
	struct pario_thread *t = pario_trace_self;

	call->stop = pario_ticks();
	if (__builtin_expect(t->depth && t->frame[t->depth - 1] == call->frame, 1))
		t->depth--;
	else if ((call->flags & PARIO_TRACE_DEPTH) < PARIO_FRAMES)
		pario_call_left(t, -1); /* not so: what came between ran on another stack */
	t->ended = call->stop;
	if (__builtin_expect(call->stop - t->looked > pario_trace_gap, 0))
		pario_gap_begins(t, call->stop);
}

static inline void pario_failed(struct pario_call *call, int error)
{
	call->flags |= PARIO_TRACE_FAILED;
	call->result = error;
}

static inline void pario_result(struct pario_call *call, long result)
{
	call->result = result > INT32_MAX   ? INT32_MAX
		       : result < INT32_MIN ? INT32_MIN
					    : (int32_t)result;
}

/* The result of a call that returns -1 and errno. */
static inline void pario_answered(struct pario_call *call, long result)
{
	if (result == -1)
		pario_failed(call, errno);
	else
		pario_result(call, result);
}

/* ---- files ---- */

enum pario_place {
	PARIO_PLACE_UNKNOWN,
	PARIO_PLACE_NONE,    /* a pipe, a terminal */
	PARIO_PLACE_TRACKED, /* nobody else moves it: counted here */
	PARIO_PLACE_ASK,     /* shared or appended to: the kernel knows */
	PARIO_PLACE_STREAM,  /* read and written through stdio: the place the program sees */
};

/* A cache line each: threads that read and write by neighbouring descriptors count their places here at every call. */
struct pario_fd {
	uint32_t file;	  /* 0 = not known yet */
	uint32_t waiting; /* or else the file, whose state is asked at the first use (names.c) */
	uint8_t place;
	bool direct;
	uint64_t at;
} __attribute__((aligned(64)));

enum { PARIO_FDS = 65536 };

/* What is kept about a descriptor; NULL beyond the table, and in a child of vfork, whose descriptors are others. */
static inline struct pario_fd *pario_fd_entry(int fd)
{
	const struct pario_thread *t = pario_trace_self;

	return (unsigned)fd < PARIO_FDS && t && t->fds ? &t->fds[fd] : NULL;
}

/* Looks at a descriptor we did not see opened. */
PARIO_HIDDEN struct pario_fd *pario_fd_look(int fd);

static inline struct pario_fd *pario_fd(int fd)
{
	struct pario_fd *f = pario_fd_entry(fd);

	return __builtin_expect(f && f->file != 0, 1) ? f : pario_fd_look(fd);
}

/* A file as it was before the program first opened it (state.c). */
struct pario_state {
	bool asked, link; /* of a link the rest is that of the file it leads to */
	int32_t exists;	  /* -1 = not known */
	uint32_t mode;
	uint64_t size, allocated, device, inode;
};

/* What a call that opens a file is told, and what is known of the file. */
enum { PARIO_FLAGS_UNKNOWN = -1 };
struct pario_opening {
	int dir, flags;
	const char *path;   /* NULL: it is opened by something else */
	bool stated;	    /* its state is to be written down */
	bool later;	    /* that may wait until the descriptor is used */
	uint64_t directory; /* of its name (known.h), 0 = not known */
	struct pario_state state;
};
/* Before the call: what can only be found out now. */
PARIO_HIDDEN void pario_state_before(struct pario_opening *opening);
/* The name as it is now, and its state. */
PARIO_HIDDEN void pario_state_ask(struct pario_opening *opening);
/* After the call: writes down what is not yet known of the file; fd -1: it was not there. */
PARIO_HIDDEN void pario_state_after(struct pario_opening *opening, uint32_t file, int fd);
/* The program has said what a file is; `opening` is about it. */
PARIO_HIDDEN void pario_state_told(struct pario_opening *opening, const void *stat);
/* The program has asked for the state of a name itself, which was no link if it says so. */
PARIO_HIDDEN void pario_state_seen(uint32_t file, const void *stat);

/* After a successful open: which file is it, and from where does it count? */
PARIO_HIDDEN void pario_fd_opened(struct pario_call *call, int fd, struct pario_opening *opening);
PARIO_HIDDEN void pario_fd_set_flags(int fd, int flags); /* by fcntl */
PARIO_HIDDEN void pario_fd_shared(int fd, int twin);	 /* two descriptors, one place */
PARIO_HIDDEN void pario_fd_stream(int fd, bool append);
PARIO_HIDDEN void pario_fds_shared(void); /* all of them: the process forks */
PARIO_HIDDEN void pario_fds_forget(unsigned first, unsigned last);
PARIO_HIDDEN uint64_t pario_fd_where(int fd); /* asks the kernel; PARIO_TRACE_NOWHERE for pipes */

static inline void pario_fd_forget(int fd)
{
	struct pario_fd *f = pario_fd_entry(fd);

	if (f)
		f->file = f->waiting = 0;
}

/* The same, at the end of a descriptor: which file was it? */
static inline uint32_t pario_fd_closes(struct pario_fd *f)
{
	uint32_t file = f->file ? f->file : f->waiting;

	f->file = f->waiting = 0;
	return file;
}

/* The program has asked for the state of a descriptor itself. */
PARIO_HIDDEN void pario_fd_stated(int fd, const void *stat);
static inline void pario_fd_seen(int fd, const void *stat)
{
	const struct pario_fd *f = pario_fd_entry(fd);

	if (f && f->waiting)
		pario_fd_stated(fd, stat);
}

static inline void pario_of_fd(struct pario_call *call, int fd)
{
	const struct pario_fd *f = fd >= 0 ? pario_fd(fd) : NULL;

	call->fd = fd;
	if (f) {
		call->file = f->file;
		call->flags |= f->direct ? PARIO_TRACE_DIRECT : 0;
	}
}

/* The number of a name, new ones are written down. `dir` as in openat. */
PARIO_EXPORT uint32_t pario_file_of_path(int dir, const char *path);
/* The same for a name that is taken as it is. */
PARIO_EXPORT uint32_t pario_trace_file(const char *name, size_t length);
/* The first and the second name of a call that has been answered: most often the kernel has read them already. */
PARIO_HIDDEN uint32_t pario_file_of_call(const struct pario_call *call, int dir, const char *path);
PARIO_HIDDEN uint32_t pario_second_of_call(const struct pario_call *call, int dir,
					   const char *path);

/* A whole name is looked up in no directory. `path` was read before, by the kernel or here. */
static inline int pario_looked_up_in(int dir, const char *path)
{
	return *path == '/' ? PARIO_TRACE_NO_FD : dir;
}

/* The name of a call that has not been answered. */
static inline void pario_of_path(struct pario_call *call, int dir, const char *path)
{
	call->file = path ? pario_file_of_path(dir, path) : 0;
	call->fd = call->file ? pario_looked_up_in(dir, path) : dir;
}

static inline void pario_of_name(struct pario_call *call, int dir, const char *path)
{
	call->file = pario_file_of_call(call, dir, path);
	call->fd = call->file ? pario_looked_up_in(dir, path) : dir;
}

/* The working directory is another one: `apart`, only that of this thread, and so from now on. */
PARIO_HIDDEN void pario_went(bool apart);

/* Of chdir: the name led there from where it was before, so the directory is asked what it is called. */
static inline void pario_went_to(struct pario_call *call, const char *path)
{
	if (call->flags & PARIO_TRACE_FAILED) {
		pario_of_name(call, AT_FDCWD, path);
		return;
	}
	pario_went(false);
	pario_of_path(call, AT_FDCWD, ".");
	call->fd = pario_looked_up_in(AT_FDCWD, path);
}

/* The second name of a call that has two. */
static inline void pario_and_path(struct pario_call *call, int dir, const char *path)
{
	call->more = pario_second_of_call(call, dir, path);
}

/* A text that is an argument: the target of a link, the name of an attribute. It gets a number as names do. */
PARIO_EXPORT uint32_t pario_trace_text(const char *text);
PARIO_HIDDEN uint32_t pario_trace_taken_text(const struct pario_call *call, const char *text);

/* ---- wrappers ---- */

/*
 * One row of a table of wrappers. `before` runs ahead of the call, `after` knows the result `r`; both see the call `c`
 * and the arguments.
 */
#define PARIO_WRAP_AS(declare, type, name, op, layer_, params, args, before, after)              \
	PARIO_EXPORT type name params;                                                           \
	declare(name);                                                                           \
	PARIO_EXPORT type name params                                                            \
	{                                                                                        \
		type(*next) params = (type(*) params)pario_next(&pario_symbol_##name);           \
		struct pario_call c;                                                             \
		type r;                                                                          \
                                                                                                 \
		if (!pario_trace_begin(&c, PARIO_OP_##op, PARIO_TRACE_##layer_,                  \
				       __builtin_return_address(0), __builtin_frame_address(0))) \
			return next args;                                                        \
		before;                                                                          \
		r = next args;                                                                   \
		pario_trace_stop(&c);                                                            \
		after;                                                                           \
		PARIO_PUT(&c);                                                                   \
		return r;                                                                        \
	}

#define PARIO_WRAP(type, name, op, layer, params, args, before, after) \
	PARIO_WRAP_AS(PARIO_SYMBOL, type, name, op, layer, params, args, before, after)

/* Another name of a wrapper. */
#define PARIO_TWIN(twin, name) \
	__asm__(".globl " #twin "\n.type " #twin ", @function\n.set " #twin ", " #name)

#endif
