/*
 * ptracer: traces programs that a preloaded library cannot reach: static ones, Go, set-uid.
 *
 * Each call is seen at its beginning and end and written to segments of the same format. Times include the stops: a few
 * microseconds per call that are not the program's. There are two ways to hold a process:
 *
 * When the first program is such a one, a filter in the kernel stops it and all its children only at the system calls
 * that are I/O. A process with the filter cannot be let go: its calls would fail.
 *
 * A process that was preloaded and becomes such a program (tracer/preloadable.h) has no filter: all its system calls
 * stop, which is slower, but it can be let go at any time: when it becomes a program that the library reaches, or a
 * set-uid one, which must not be held, or when `pario trace` ends.
 */
#ifndef PARIO_TRACER_PTRACE_PTRACER_H
#define PARIO_TRACER_PTRACE_PTRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/map.h"
#include "tracer/calls.h"

/* ---- one segment, written from outside ---- */

struct pario_ptracer_segment {
	struct pario_trace_segment *head; /* NULL: could not be made */
	struct pario_trace_record *window;
	uint64_t in_window;
	int fd;
};

void pario_ptracer_segment_open(struct pario_ptracer_segment *s, const char *directory, pid_t pid,
				pid_t tid, uint64_t started, unsigned number, bool counter);
void pario_ptracer_segment_put(struct pario_ptracer_segment *s,
			       const struct pario_trace_record *record, const char *text,
			       size_t length);
void pario_ptracer_segment_close(struct pario_ptracer_segment *s);

/* Ticks of the clock that segments use. */
uint64_t pario_ptracer_ticks(bool counter);

/* ---- what a system call is ---- */

extern const uint32_t pario_ptracer_machine; /* whose system calls these are */

/* Installs the filter in the calling process, which is about to become the program. 0 or the errno. */
int pario_ptracer_filter(void);

/* ---- who is traced ---- */

enum { PARIO_PTRACER_FDS = 1024 };

struct pario_ptracer_process {
	pid_t pid;
	uint64_t started;
	unsigned segments, threads;
	bool waits;			   /* has not become the program yet that is to be traced */
	bool known;			   /* its program is written down */
	uint32_t files[PARIO_PTRACER_FDS]; /* number of the file, 0 = not looked at */
	int64_t at[PARIO_PTRACER_FDS];	   /* -1 = unknown */
	struct pario_map names;
	struct pario_ptracer_process *next;
};

struct pario_ptracer_thread {
	pid_t tid;
	bool in_call;
	bool leaves; /* let it go when it stops next */
	struct pario_trace_record record;
	uint64_t arguments[6];
	const struct pario_system_call *call;
	uint64_t number;   /* of the call */
	uint64_t requests; /* that its calls submitted: asynchronous, and not seen */
	struct pario_ptracer_process *process;
	struct pario_ptracer_segment segment;
	struct pario_ptracer_thread *next;
};

enum { PARIO_PTRACER_BUCKETS = 1024 };

struct pario_ptracer {
	const char *directory; /* as preloaded programs have it in their environment, */
	const char *reach;     /* and how it is reached from here */
	const char *library;   /* what preloaded programs have in LD_PRELOAD */
	bool counter;
	bool filtered;
	struct pario_ptracer_thread *threads[PARIO_PTRACER_BUCKETS];
	struct pario_ptracer_process *processes;
	/* Programs that could not be followed, and why (enum pario_preloadable). */
	void (*unseen)(void *context, const char *path, unsigned reach, int error);
	void *context;
};

/*
 * Holds a thread from now on; its calls are recorded when it, or what it starts, becomes another program. 0 or the
 * errno.
 */
int pario_ptracer_hold(struct pario_ptracer *p, pid_t tid);
/* The parent of a process, 0 when there is none. */
pid_t pario_ptracer_parent(pid_t pid);
/* Was it started with the tracer's library and directory? */
bool pario_ptracer_carries(const struct pario_ptracer *p, pid_t tid);
/* What waitpid said. */
void pario_ptracer_saw(struct pario_ptracer *p, pid_t tid, int status);
/* Lets one thread go, or with 0 all; only without the filter. */
void pario_ptracer_let_go(struct pario_ptracer *p, pid_t tid);

/* The parts of a record that the arguments tell, before the call and after it. */
void pario_ptracer_enter(struct pario_ptracer_thread *t);
void pario_ptracer_leave(struct pario_ptracer_thread *t, int64_t result);

/* The path that execve or execveat was given, as seen from here. */
void pario_ptracer_exec_path(const struct pario_ptracer_thread *t, char *to, size_t capacity);

/* Writes down program and mappings of a process that has begun. */
void pario_ptracer_introduce(struct pario_ptracer_thread *t);

/* Is this address, found where a return address lies, really one? */
bool pario_ptracer_returns(pid_t pid, uint64_t address);

#endif
