/*
 * setup: what `pario trace` must know before the program starts, and clear away afterwards.
 */
#ifndef PARIO_TRACER_SETUP_H
#define PARIO_TRACER_SETUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "trace/pack.h"

struct pario_tracing {
	const char *output; /* NULL until prepared: the program's name with .trace */
	unsigned stack;
	bool live, ptrace, force, quiet;
	bool counter; /* ticks are of the time-stamp counter */
	char **argv;
	char program[4096];	 /* found on PATH */
	char directory[4096];	 /* of the segments; "" when nothing is traced */
	char reach[32], key[24]; /* it itself, by our descriptor, and what it is known by there */
	int above, dirfd;	 /* what it was made in, and it; valid while `reach` is set */
	uid_t owner;		 /* of what we make there */
	char others_outer[32], others[80]; /* for those of other users (others.h); "" = none */
	int others_lock;
	char library[8192]; /* for LD_PRELOAD */
	char name[4096];
	uint64_t job;
	pid_t group; /* of the launcher, in which the program runs; 0 = ours */
	struct pario_ptrace_fallback
		*fallback; /* what preloading does not reach; NULL: nobody is asked */
	struct pario_pack_anchor anchors[2]; /* at the start and at the end */
};

/* Where is the program? 0, or the errno of not finding it. */
int pario_tracing_find(struct pario_tracing *t);

/* Chooses the way of tracing, makes the directory of segments and sets the environment. The exit code of an error. */
int pario_tracing_prepare(struct pario_tracing *t, struct pario_err *err);

/* Is this the only launcher of a job, or the first of several? One of them says what there is to say. */
bool pario_tracing_speaks(const struct pario_tracing *t);

void pario_tracing_anchor(struct pario_pack_anchor *anchor);
/* Has the directory been renamed, or another been put in its place? */
bool pario_tracing_was_moved(const struct pario_tracing *t);
void pario_tracing_remove(struct pario_tracing *t);

/* Shows a table of the running program until it ends, with its status. */
void pario_tracing_watch(struct pario_tracing *t, pid_t pid, int *status);

/* ---- programs that preloading does not reach (ptrace/ptrace_fallback.c) ---- */

/* From now on programs may ask in the directory of the segments. */
void pario_ptrace_fallback_listen(struct pario_tracing *t);

/* Who else finds such programs. */
struct pario_ptracer;
void pario_ptrace_fallback_share(struct pario_tracing *t, struct pario_ptracer *tracer);

/* Serves requests for `ms` milliseconds, -1 = without a limit. True when the program has ended, with its status. */
bool pario_ptrace_fallback_serve(struct pario_tracing *t, pid_t pid, int ms, int *status);

/* The program has ended: what is still held is let go. */
void pario_ptrace_fallback_close(struct pario_tracing *t);

/* A process that left nothing: it became the program `path` (exec), or is a copy of that. */
void pario_ptrace_fallback_missing(struct pario_tracing *t, int pid, const char *path, bool exec);

/* What was not traced, a line each: "program (2 runs, reason)". */
struct pario_text;
void pario_ptrace_fallback_list(const struct pario_tracing *t, struct pario_text *text);

/* Says what was traced by ptrace and what not at all, and forgets it. */
void pario_ptrace_fallback_say(struct pario_tracing *t);

enum { PARIO_TRACING_REFUSED = -2 };

/*
 * Runs the program under ptrace; its exit code, or -1 and the errno of not starting it, or PARIO_TRACING_REFUSED when
 * this system does not let us: then the program has not run.
 */
int pario_tracing_ptrace(struct pario_tracing *t, int *error);

/* Signals that would end pario go to the program, whose end is ours. */
void pario_tracing_forward(pid_t pid);

/* Between fork and exec: the program belongs to the group that the launcher knows. */
void pario_tracing_regroup(const struct pario_tracing *t);

#endif
