/*
 * preloadable: what a program does before it becomes, or starts, one that no preloaded library reaches: it asks `pario
 * trace` to hold it. Everything here is also done by children of vfork, in their parent's memory, and leaves nothing
 * behind there.
 */
#include "tracer/preloadable.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tracer/preload/readable.h"
#include "tracer/preload/trace.h"
#include "tracer/program.h"

enum { PATIENCE = 500, STEP_NS = 1000000, WORD = 4096 };

static void pause_a_little(void)
{
	const struct timespec step = { 0, STEP_NS };

	pario_raw3(SYS_nanosleep, (long)&step, 0, 0);
}

/* A pipe nobody reads any more would kill the program: the signal is taken away before it is seen. */
static long write_quietly(long fd, const struct pario_ask *a)
{
	const uint64_t pipe_signal = 1ull << (SIGPIPE - 1);
	const struct timespec at_once = { 0, 0 };
	uint64_t old = 0;
	long n = -EAGAIN;

	pario_raw6(SYS_rt_sigprocmask, SIG_BLOCK, (long)&pipe_signal, (long)&old, sizeof(old), 0,
		   0);
	for (int i = 0; n == -EAGAIN && i < PATIENCE; i++) {
		n = pario_raw3(SYS_write, fd, (long)a, sizeof(*a));
		if (n == -EAGAIN)
			pause_a_little();
	}
	if (n == -EPIPE && !(old & pipe_signal))
		pario_raw6(SYS_rt_sigtimedwait, (long)&pipe_signal, 0, (long)&at_once,
			   sizeof(pipe_signal), 0, 0);
	pario_raw6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&old, 0, sizeof(old), 0, 0);
	return n;
}

static bool ask(struct pario_ask *a)
{
	long fd, n;

	a->tid = (int32_t)pario_raw3(SYS_gettid, 0, 0, 0);
	fd = pario_trace_directory_file(PARIO_ASK_PIPE, O_WRONLY | O_NONBLOCK);
	if (fd < 0)
		return false;
	n = write_quietly(fd, a);
	pario_raw3(SYS_close, fd, 0, 0);
	return n == sizeof(*a);
}

/* All of a small file, whose descriptor this takes. */
static long read_file(long fd, void *to, size_t capacity)
{
	long n;

	if (fd < 0)
		return fd;
	n = pario_raw3(SYS_read, fd, (long)to, (long)capacity);
	pario_raw3(SYS_close, fd, 0, 0);
	return n;
}

/* Does pario hold processes, and does our number mean to it what it means to us? */
static bool holds(void)
{
	uint64_t theirs = 0;
	struct stat ours;
	long fd = pario_trace_directory_file(PARIO_ASK_HOLDS, O_RDONLY | O_NONBLOCK);

	return read_file(fd, &theirs, sizeof(theirs)) == sizeof(theirs) &&
	       pario_raw6(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/ns/pid", (long)&ours, 0, 0,
			  0) == 0 &&
	       ours.st_ino == theirs;
}

static bool is_held(void)
{
	char text[512];
	long fd = pario_raw6(SYS_openat, AT_FDCWD, (long)"/proc/thread-self/status",
			     O_RDONLY | O_CLOEXEC, 0, 0, 0);
	long n = read_file(fd, text, sizeof(text) - 1);
	const char *at;

	if (n <= 0)
		return false;
	text[n] = '\0';
	at = strstr(text, "TracerPid:");
	return at && strtol(at + sizeof("TracerPid:"), NULL, 10) != 0;
}

/* The end of a path says more than its beginning. */
static void set_path(struct pario_ask *a, const char *path)
{
	size_t length = strlen(path), capacity = sizeof(a->path) - 1;

	if (length > capacity)
		path += length - capacity;
	strncpy(a->path, path, capacity);
}

static bool ask_for(enum pario_preloadable reach, const char *path)
{
	struct pario_ask a = { .what = PARIO_ASK_TELL, .reach = reach };

	set_path(&a, path);
	if (reach == PARIO_PRELOADABLE_PRIVILEGED || reach == PARIO_PRELOADABLE_WORD || !holds()) {
		ask(&a);
		return false;
	}
	a.what = PARIO_ASK_HOLD;
	if (!ask(&a))
		return false;
	for (int i = 0; i < PATIENCE; i++) {
		if (is_held())
			return true;
		if (!holds())
			break;
		pause_a_little();
	}
	a.what = PARIO_ASK_LET_GO; /* should it come round after all */
	ask(&a);
	return false;
}

/* After chroot or as another user the tracer's library may be out of reach: the loader would complain to the user. */
static bool is_there(const char *library)
{
	long r = pario_raw6(SYS_faccessat2, AT_FDCWD, (long)library, R_OK, AT_EACCESS, 0, 0);

	return r == 0 || r == -ENOSYS;
}

char *pario_shim_path(char *to, unsigned i)
{
	static const char *const names[] = PARIO_SHIM_NAMES;

	memcpy(to, pario_trace_variables.library, pario_trace_variables.directory);
	to += pario_trace_variables.directory;
	strcpy(to, PARIO_SHIM_BEGIN);
	strcat(to, names[i]);
	strcat(to, PARIO_SHIM_END);
	return to + strlen(to);
}

/* Those of them that are there, beside the library. */
__attribute__((noinline)) static unsigned find_shims(unsigned wanted)
{
	unsigned found = 0;
	PARIO_SCRATCH(char, path, sizeof(pario_trace_variables.library) + 64);

	for (unsigned i = 0; pario_trace_variables.directory && i < PARIO_SHIMS; i++) {
		if (!(wanted & 1u << i))
			continue;
		pario_shim_path(path, i);
		if (is_there(path))
			found |= 1u << i;
	}
	return found;
}

/* Its calls of that library will not be seen, only those below: the user is told once it has ended. */
__attribute__((noinline)) static void tell_of_shims(unsigned missing, const char *path)
{
	struct pario_ask a = { .what = PARIO_ASK_TELL,
			       .reach = PARIO_PRELOADABLE_NO_SHIM,
			       .error = (int32_t)missing };

	set_path(&a, path);
	ask(&a);
}

static bool readable_words(char *const *argv)
{
	return argv && pario_readable_list(argv);
}

struct pario_leave pario_leave_sight(void)
{
	struct pario_leave leave = { .reach = PARIO_PRELOADABLE_SIGHT };
	long n;
	PARIO_SCRATCH(char, self, WORD);

	if (!pario_trace_variables.trace[0])
		return leave;
	n = pario_raw3(SYS_readlink, (long)"/proc/self/exe", (long)self, WORD - 1);
	self[n > 0 ? n : 0] = '\0';
	leave.held = ask_for(PARIO_PRELOADABLE_SIGHT, self);
	return leave;
}

struct pario_leave pario_leave(int dir, const char *path, int flags, bool on_path,
			       char *const *argv, char *const *environment)
{
	struct pario_leave leave = { .reach = PARIO_PRELOADABLE_YES };
	char script[256];
	long n;

	pario_trace_ready(); /* a thread without a segment has no room */
	PARIO_SCRATCH(char, found, WORD);
	if (!pario_trace_variables.trace[0] || !path)
		return leave;
	leave.unreadable = environment && !pario_readable_list(environment);
	if (pario_readable_length(path, WORD) < 0)
		return leave;
	if (on_path && !strchr(path, '/')) {
		if (!pario_program_find(path, getenv("PATH"), found))
			return leave;
		path = found;
	}
	leave.reach = pario_preloadable_check(dir, path, flags, script);
	if (leave.reach == PARIO_PRELOADABLE_YES && !is_there(pario_trace_variables.library))
		leave.reach = PARIO_PRELOADABLE_SIGHT;
	/* with neither of them it is a shell that the C library starts, which gets our own environment as it is */
	if ((argv || environment) && !leave.unreadable && !pario_trace_mute) {
		const struct pario_start start = { .dir = dir,
						   .path = path,
						   .flags = flags,
						   .interpreter = script,
						   .argv = readable_words(argv) ? argv : NULL,
						   .environment = environment };
		unsigned wanted = pario_program_shims(&start);

		leave.shims = find_shims(wanted);
		if (leave.shims != wanted && leave.reach == PARIO_PRELOADABLE_YES)
			tell_of_shims(wanted & ~leave.shims, path);
	}
	if (leave.reach == PARIO_PRELOADABLE_YES)
		return leave;
	if (path[0] == '\0' && dir >= 0) {
		char link[32] = "/proc/self/fd/";

		pario_number_text(link + strlen(link), (uint64_t)dir);
		n = pario_raw3(SYS_readlink, (long)link, (long)found, WORD - 1);
		found[n > 0 ? n : 0] = '\0';
		path = found;
	}
	leave.held = ask_for(leave.reach, script[0] ? script : path);
	return leave;
}

void pario_leave_not(struct pario_leave leave)
{
	struct pario_ask a = { .what = PARIO_ASK_LET_GO };

	if (leave.memory) {
		pario_raw3(SYS_munmap, (long)leave.memory, (long)leave.bytes, 0);
		if (pario_trace_self)
			pario_trace_self->borrowed = NULL;
	}
	if (leave.held)
		ask(&a);
}

void pario_preloadable_no_segment(int error)
{
	struct pario_ask a = { .what = PARIO_ASK_TELL,
			       .reach = PARIO_PRELOADABLE_NO_SEGMENT,
			       .error = error };
	long n = pario_raw3(SYS_readlink, (long)"/proc/self/exe", (long)a.path, sizeof(a.path) - 1);

	a.path[n > 0 ? n : 0] = '\0';
	ask(&a);
}
