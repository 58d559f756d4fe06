/*
 * watch: signals and deadlines, the two things that end a run from outside.
 *
 * The first signal asks for a stop after the current operation: the running loop's limit is pulled to zero, which
 * costs the loop nothing while no signal comes. The second ends the process at once, unless it comes so shortly after
 * the first that it belongs to it (PARIO_LAUNCH_ONE_SIGNAL_NS). A deadline is kept by a
 * thread of its own, because a client that waits for a dead one cannot look at the clock.
 */
#ifndef PARIO_ENGINE_WATCH_H
#define PARIO_ENGINE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* Catches SIGINT, SIGTERM, SIGUSR1; ignores SIGPIPE and SIGXFSZ so that they become errors of the call. */
void pario_watch_signals(void);

/* Why everything stops after the current operation; the later outweighs the earlier. */
enum pario_watch_cause { PARIO_WATCH_NONE, PARIO_WATCH_TIME, PARIO_WATCH_SIGNAL };

/* The time that pario_watch_end gave is over, or a signal came, here or, as `heard` says, to another client. */
enum pario_watch_cause pario_watch_cause(void);
bool pario_watch_interrupted(void);
void pario_watch_heard(enum pario_watch_cause cause);

/* So many seconds from now the time of the run is over; 0 or less = it has no end. */
void pario_watch_end(double seconds);

/* The work is done and recorded: from now on a signal ends the process at once, with this code. */
void pario_watch_leave(int code);

/* The limit to pull to zero when a signal comes; NULL while no loop runs. */
void pario_watch_loop(uint64_t *until);

/*
 * Starts or restarts the deadline of a step; seconds 0 = none. When it passes, `expired` is called from the
 * watching thread with `what`; it must not return to the run.
 */
void pario_watch_step(double seconds, const char *what);

/* Something was done: the step under way gets its whole time again. For long work in small pieces. */
void pario_watch_again(void);

/* The deadline of the step under way passes now, as that of another client did. Any thread. */
void pario_watch_now(void);

/* The step under way, where it has a deadline at all, ends in so many seconds if that is sooner: it has failed here. */
void pario_watch_hurry(double seconds);

/* Waits so long; a signal ends it. The deadline of the step under way begins anew afterwards. */
void pario_watch_nap(double seconds);

/*
 * A part of the step that must end sooner, where the step has a deadline at all; whole: the part is over. Parts are
 * not nested, and no step begins within one.
 */
void pario_watch_part(double seconds, const char *what);
void pario_watch_whole(void);

/*
 * Starts the watching thread, before MPI and anything that can hang. `beat`, unless NULL, is called by it every
 * `beat_s` seconds, and at once: the sign that this process lives.
 */
void pario_watch_start(void (*expired)(const char *what, double seconds), void (*beat)(void),
		       unsigned beat_s);
void pario_watch_stop(void);

#endif
