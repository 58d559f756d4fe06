/*
 * process: wrappers of the calls that start and end processes and threads.
 *
 * A program that gets an environment of its own would start untraced: the two variables that carry the tracer are put
 * back, with the shims that this program needs. They stand on the stack or in memory taken for them, since a child of
 * vfork may change nothing else. vfork is in child.c. Not wrapped on purpose: clone (a wrapper's frame would be gone
 * when the parent returns into it), dlopen (modules.c), sigaction (nothing has to be saved at the end).
 */
#include "tracer/preload/records.h"

#include <pthread.h>
#include <pty.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/preload/known.h"
#include "tracer/preload/pending.h"
#include "tracer/preload/raw.h"
#include "tracer/preloadable.h"
#include "tracer/program.h"

#define SITE	     __builtin_return_address(0), __builtin_frame_address(0)
#define BEGIN(c, op) pario_trace_begin(c, PARIO_OP_##op, PARIO_TRACE_PROCESS, SITE)

/* ---- the environment of new programs ---- */

enum { ADDED = 3, ON_STACK = 4096 };

static size_t count(char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* Is this one of the libraries of LD_PRELOAD that we put there? */
static bool is_ours(const char *name, size_t length)
{
	const char *own = pario_trace_variables.library;
	size_t directory = pario_trace_variables.directory, begin = strlen(PARIO_SHIM_BEGIN);

	if (length == strlen(own) && strncmp(name, own, length) == 0)
		return true;
	return directory && length > directory + begin && strncmp(name, own, directory) == 0 &&
	       strncmp(name + directory, PARIO_SHIM_BEGIN, begin) == 0;
}

static char *add_name(char *to, const char *begin, const char *name, size_t length)
{
	if (to > begin)
		*to++ = ':';
	memcpy(to, name, length);
	to[length] = '\0';
	return to + length;
}

/* The tracer, and behind it the shims that the program needs. */
static char *add_tracer(char *to, const char *begin, unsigned shims)
{
	to = add_name(to, begin, pario_trace_variables.library,
		      strlen(pario_trace_variables.library));
	for (unsigned i = 0; i < PARIO_SHIMS; i++) {
		if (shims & 1u << i) {
			*to++ = ':';
			to = pario_shim_path(to, i);
		}
	}
	return to;
}

static bool starts_without(const struct pario_leave *leave)
{
	return pario_trace_mute || leave->reach == PARIO_PRELOADABLE_LOADER ||
	       leave->reach == PARIO_PRELOADABLE_WORD || leave->reach == PARIO_PRELOADABLE_SIGHT;
}

static size_t preload_capacity(char *const *environment)
{
	const char *theirs = pario_environment_value(environment, "LD_PRELOAD");

	return (theirs ? strlen(theirs) : 0) +
	       (1 + PARIO_SHIMS) * (strlen(pario_trace_variables.library) + 16) + 16;
}

/*
 * Makes the LD_PRELOAD that the program gets: what others put there stays where it is, and the tracer goes where it was
 * or behind them. A program that would not start with it gets none. Can the environment stay as it is?
 */
static bool keeps(char *const *environment, struct pario_leave *leave, char *preload)
{
	const char *theirs = pario_environment_value(environment, "LD_PRELOAD"), *end;
	bool with = !starts_without(leave), placed = !with;
	char *begin, *to;

	leave->preload = strcpy(preload, "LD_PRELOAD=");
	begin = to = preload + strlen(preload);
	for (const char *at = theirs; at && *at; at = *end ? end + 1 : end) {
		size_t length = strcspn(at, ": ");

		end = at + length;
		if (length && !is_ours(at, length))
			to = add_name(to, begin, at, length);
		else if (length && !placed)
			to = add_tracer(to, begin, leave->shims);
		placed |= length && is_ours(at, length);
	}
	if (!placed)
		add_tracer(to, begin, leave->shims);
	return (theirs ? strcmp(begin, theirs) == 0 : !*begin) &&
	       (!with || pario_environment_value(environment, "PARIO_TRACE"));
}

/* The environment with that: `list` has room for count + ADDED entries. */
static char **changed(char *const *environment, const struct pario_leave *leave, char **list)
{
	bool with = !starts_without(leave);
	size_t n = 0;

	for (; environment && *environment; environment++) {
		if (strncmp(*environment, "LD_PRELOAD=", 11) != 0 &&
		    !(with && strncmp(*environment, "PARIO_TRACE=", 12) == 0))
			list[n++] = *environment;
	}
	if (strcmp(leave->preload, "LD_PRELOAD=") != 0)
		list[n++] = leave->preload;
	if (with)
		list[n++] = pario_trace_variables.trace;
	list[n] = NULL;
	return list;
}

/*
 * Memory for a long one, which a small stack has no room for. It is given back when the program has its own, or did not
 * start; what a child of vfork takes with it stays in its parent's memory, which gives it back (child.c).
 */
static void *of_its_own(struct pario_leave *leave, size_t bytes)
{
	struct pario_thread *t = pario_trace_self;
	long p = pario_raw6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p < 0 && p > -4096)
		return NULL;
	leave->memory = (void *)p;
	leave->bytes = bytes;
	if (t && t->child) {
		t->borrowed = leave->memory;
		t->borrowed_bytes = bytes;
	}
	return leave->memory;
}

static size_t environment_bytes(char *const *environment)
{
	return (count(environment) + ADDED) * sizeof(char *) + preload_capacity(environment);
}

/* With `memory` of so many bytes. */
static char **environment_for(char *const *environment, struct pario_leave *leave, void *memory)
{
	char **list = memory;

	if (!memory || keeps(environment, leave, (char *)(list + count(environment) + ADDED)))
		return (char **)(uintptr_t)environment;
	return changed(environment, leave, list);
}

/* An expression, since memory on the stack must be of the calling function. */
#define ENVIRONMENT(env, leave)                                                       \
	((leave).unreadable || !pario_trace_variables.trace[0]                        \
		 ? (char **)(uintptr_t)(env)                                          \
		 : environment_for(env, &(leave),                                     \
				   environment_bytes(env) <= ON_STACK                 \
					   ? __builtin_alloca(environment_bytes(env)) \
					   : of_its_own(&(leave), environment_bytes(env))))

/* ---- ending ---- */

/* The last look at what goes on beside the program's calls; exit() has a destructor for the first. */
static void at_the_end(const struct pario_call *c, bool at_once)
{
	if (at_once)
		pario_pending_end();
	pario_io_note(false);
	pario_usage_note();
	if (at_once && c->op == PARIO_OP_exit)
		pario_exit_note((int)c->arg);
}

/* Written before the call, which does not come back. */
static void last_call(struct pario_call *c, bool at_once)
{
	struct pario_thread *t = pario_trace_self;

	pario_trace_stop(c);
	pario_trace_put(c);
	/* in a child of vfork this is the parent's memory, and its counts are not the child's */
	if (t && t->segment && !pario_trace_mute &&
	    t->segment->pid == (uint32_t)pario_raw3(SYS_getpid, 0, 0, 0))
		at_the_end(c, at_once);
	if (t && t->child)
		pario_child_leaves(t);
}

#define ENDING(name, op, params, args, what, at_once)                                  \
	PARIO_EXPORT void name params __attribute__((noreturn));                       \
	PARIO_SYMBOL(name);                                                            \
	PARIO_EXPORT void name params                                                  \
	{                                                                              \
		void(*next) params = (void(*) params)pario_next(&pario_symbol_##name); \
		struct pario_call c;                                                   \
                                                                                       \
		if (BEGIN(&c, op)) {                                                   \
			c.size = what;                                                 \
			c.arg = (uint32_t)c.size;                                      \
			last_call(&c, at_once);                                        \
		}                                                                      \
		next args;                                                             \
		__builtin_unreachable();                                               \
	}

/* clang-format off */

ENDING(exit, exit, (int code), (code), (uint64_t)code, false)
ENDING(_exit, exit, (int code), (code), (uint64_t)code, true)
ENDING(_Exit, exit, (int code), (code), (uint64_t)code, true)
ENDING(quick_exit, exit, (int code), (code), (uint64_t)code, true)
ENDING(abort, abort, (void), (), 0, true)

/* A status as waitpid gives it. */
static uint32_t pario_status_of(const siginfo_t *info)
{
	return info->si_code == CLD_EXITED ? (uint32_t)(info->si_status & 255) << 8 : (uint32_t)info->si_status;
}

/* ---- forking ---- */

/*
 * The parent records it. The child begins a segment of its own at once: before its first call it may give up the
 * limits, the user or the descriptors that it takes.
 */
#define FORKING(name, params, args) \
	PARIO_EXPORT int name params; \
	PARIO_SYMBOL(name); \
	PARIO_EXPORT int name params \
	{ \
		int (*next) params = (int (*) params)pario_next(&pario_symbol_##name); \
		struct pario_call c; \
		int r; \
		\
		if (!BEGIN(&c, fork)) \
			return next args; \
		pario_fds_shared(); \
		pario_modules_fork(); \
		r = next args; \
		pario_modules_forked(r == 0); \
		if (r == 0) { \
			pario_trace_open(); \
			return r; \
		} \
		pario_trace_stop(&c); \
		pario_answered(&c, r); \
		pario_trace_put(&c); \
		return r; \
	}
FORKING(fork, (void), ())
FORKING(_Fork, (void), ())
FORKING(forkpty, (int *master, char *name, const struct termios *t, const struct winsize *w), (master, name, t, w))

PARIO_WRAP(int, system, system, PROCESS, (const char *command), (command),
	   pario_fds_shared(); struct pario_leave leave = pario_leave(-100, command ? "/bin/sh" : NULL, 0, false, NULL, NULL),
	   pario_leave_not(leave); pario_answered(&c, r))
/* The program that comes next finds no library there: it is held from outside as from now. */
PARIO_WRAP(int, chroot, chroot, POSIX, (const char *path), (path),
	   struct pario_leave leave = pario_leave_sight(); pario_of_path(&c, -100, path),
	   if (r) pario_leave_not(leave); else { pario_went(false); pario_forget_names(); } pario_answered(&c, r))
PARIO_WRAP(int, daemon, daemon, PROCESS, (int nochdir, int noclose), (nochdir, noclose), pario_fds_shared(),
	   pario_answered(&c, r))

/* The new process leaves from within the call: its parent is held so long, and the child from its beginning on. */
#define SPAWN(name, on_path) \
	PARIO_SYMBOL(name); \
	PARIO_EXPORT int name(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions, \
			      const posix_spawnattr_t *attributes, char *const argv[], char *const env[]) \
	{ \
		int (*next)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, \
			    char *const[], char *const[]) = (__typeof__(next))pario_next(&pario_symbol_##name); \
		struct pario_leave leave = pario_leave(-100, path, 0, on_path, argv, env); \
		struct pario_call c; \
		bool seen = BEGIN(&c, posix_spawn); \
		pid_t started = 0; \
		int r; \
		\
		pario_fds_shared(); \
		r = next(&started, path, actions, attributes, argv, ENVIRONMENT(env, leave)); \
		if (pid && r == 0) \
			*pid = started; \
		if (seen) \
			pario_trace_stop(&c); \
		pario_leave_not(leave); \
		if (seen) { \
			pario_of_path(&c, -100, path); \
			if (r) \
				pario_failed(&c, r); \
			else \
				pario_result(&c, started); \
			pario_trace_put(&c); \
		} \
		return r; \
	}
SPAWN(posix_spawn, false)
SPAWN(posix_spawnp, true)

PARIO_WRAP(int, pthread_create, pthread_create, PROCESS,
	   (pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *with),
	   (thread, attributes, run, with), , if (r) pario_failed(&c, r); else c.more = (uint64_t)*thread)
PARIO_WRAP(int, pthread_join, pthread_join, PROCESS, (pthread_t thread, void **result), (thread, result), ,
	   c.more = (uint64_t)thread; if (r) pario_failed(&c, r))

/* ---- waiting for others ---- */

/* Which was asked for, which it was, and how it ended; WNOHANG finds nobody. */
#define WAITING(name, params, args, which) \
	PARIO_WRAP(pid_t, name, wait, PROCESS, params, args, int own = 0; if (!status) status = &own, \
		   (c.more = (uint64_t)(int64_t)(which), pario_answered(&c, r), c.arg = r > 0 ? (uint32_t)*status : 0))
WAITING(wait, (int *status), (status), -1)
WAITING(waitpid, (pid_t pid, int *status, int options), (pid, status, options), pid)
WAITING(wait3, (int *status, int options, struct rusage *usage), (status, options, usage), -1)
WAITING(wait4, (pid_t pid, int *status, int options, struct rusage *usage), (pid, status, options, usage), pid)
PARIO_WRAP(int, waitid, wait, PROCESS, (idtype_t kind, id_t id, siginfo_t *info, int options), (kind, id, info, options), ,
	   (c.more = kind == P_PID ? id : UINT64_MAX, pario_answered(&c, r));
	   if (r == 0 && info) { pario_result(&c, info->si_pid); c.arg = pario_status_of(info); })

/* ---- other programs ---- */

#define OF(path) pario_file_of_path(-100, path)
#define EXEC(name, params, args, path_, leaving) \
	PARIO_EXPORT int name params; \
	PARIO_SYMBOL(name); \
	PARIO_EXPORT int name params \
	{ \
		int (*next) params = (int (*) params)pario_next(&pario_symbol_##name); \
		struct pario_leave leave = leaving; \
		struct pario_call c; \
		int r; \
		\
		if (BEGIN(&c, exec)) { \
			c.file = path_; \
			last_call(&c, true); \
		} \
		r = next args; \
		pario_leave_not(leave); \
		return r; \
	}
EXEC(execve, (const char *path, char *const argv[], char *const env[]), (path, argv, ENVIRONMENT(env, leave)), OF(path),
     pario_leave(-100, path, 0, false, argv, env))
EXEC(execvpe, (const char *path, char *const argv[], char *const env[]), (path, argv, ENVIRONMENT(env, leave)), OF(path),
     pario_leave(-100, path, 0, true, argv, env))
EXEC(fexecve, (int fd, char *const argv[], char *const env[]), (fd, argv, ENVIRONMENT(env, leave)), 0,
     pario_leave(fd, "", AT_EMPTY_PATH, false, argv, env))
EXEC(execveat, (int dir, const char *path, char *const argv[], char *const env[], int flags),
     (dir, path, argv, ENVIRONMENT(env, leave), flags), OF(path), pario_leave(dir, path, flags, false, argv, env))

/* clang-format on */

/* The rest are these with the process' own environment, which a program may have changed as well. */
static int exec_own(const char *path, char *const argv[], char *const env[], bool search,
		    void *site, void *frame)
{
	struct pario_symbol *symbol = search ? &pario_symbol_execvpe : &pario_symbol_execve;
	int (*next)(const char *, char *const[], char *const[]) =
		(int (*)(const char *, char *const[], char *const[]))pario_next(symbol);
	struct pario_leave leave = pario_leave(-100, path, 0, search, argv, env);
	struct pario_call c;
	int r;

	if (pario_trace_begin(&c, PARIO_OP_exec, PARIO_TRACE_PROCESS, site, frame)) {
		c.file = pario_file_of_path(-100, path);
		last_call(&c, true);
	}
	r = next(path, argv, ENVIRONMENT(env, leave));
	pario_leave_not(leave);
	return r;
}

PARIO_EXPORT int execv(const char *path, char *const argv[])
{
	return exec_own(path, argv, environ, false, SITE);
}

PARIO_EXPORT int execvp(const char *path, char *const argv[])
{
	return exec_own(path, argv, environ, true, SITE);
}

/* Arguments one by one, ended by a null pointer; execle has the environment behind it. */
#define EXEC_LIST(name, search, with_environment)                                 \
	PARIO_EXPORT int name(const char *path, const char *argument, ...)        \
	{                                                                         \
		char *const *env = environ;                                       \
		size_t n = 1;                                                     \
		char **argv;                                                      \
		va_list more;                                                     \
                                                                                  \
		va_start(more, argument);                                         \
		for (const char *a = argument; a; a = va_arg(more, const char *)) \
			n++;                                                      \
		if (with_environment)                                             \
			env = va_arg(more, char *const *);                        \
		va_end(more);                                                     \
		argv = __builtin_alloca(n * sizeof(*argv));                       \
		argv[0] = (char *)(uintptr_t)argument;                            \
		va_start(more, argument);                                         \
		for (size_t i = 1; i < n; i++)                                    \
			argv[i] = va_arg(more, char *);                           \
		va_end(more);                                                     \
		return exec_own(path, argv, env, search, SITE);                   \
	}

/* clang-format off */
EXEC_LIST(execl, false, false)
EXEC_LIST(execlp, true, false)
EXEC_LIST(execle, false, true)
/* clang-format on */

PARIO_TWIN(__fork, fork);
