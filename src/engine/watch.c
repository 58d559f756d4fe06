/*
 * watch: holds the only mutable globals of the engine, because signal handlers take no context argument.
 */
#include "engine/watch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "comm/launch.h"

enum { NAP_NS = 20000000 };

static volatile sig_atomic_t signals;
static volatile sig_atomic_t leaving,
	leave_code; /* the work is done: a signal ends the process with this code */
static volatile enum pario_watch_cause heard;
static uint64_t *volatile loop_until;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_t thread;
static bool running, stopping;
/* The step under way, and the one around it while it is a part. */
static struct step {
	struct timespec end;
	double seconds;
	const char *what; /* NULL = no deadline */
} step, around;
static void (*on_expired)(const char *what, double seconds);
static void (*on_beat)(void);
static unsigned beat_every_s;
static int64_t end_ns; /* the time of the run is over then; 0 = never */

static void take(int number)
{
	static int64_t first_ns;
	uint64_t *until = loop_until;
	int64_t now_ns = pario_clock_ns();

	(void)number;
	if (leaving)
		_exit(leave_code);
	if (signals && now_ns - first_ns < PARIO_LAUNCH_ONE_SIGNAL_NS)
		return;
	first_ns = now_ns;
	if (++signals > 1)
		_exit(PARIO_INTERRUPTED);
	if (until)
		__atomic_store_n(until, 0, __ATOMIC_RELAXED);
}

void pario_watch_signals(void)
{
	static const int caught[] = { SIGINT, SIGTERM, SIGUSR1 };
	struct sigaction action = { .sa_handler = take, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		sigaction(caught[i], &action, NULL);
	action.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &action, NULL);
	sigaction(SIGXFSZ, &action, NULL);
}

void pario_watch_leave(int code)
{
	leave_code = code;
	leaving = 1;
}

enum pario_watch_cause pario_watch_cause(void)
{
	return signals > 0 ? PARIO_WATCH_SIGNAL : heard;
}

bool pario_watch_interrupted(void)
{
	return pario_watch_cause() != PARIO_WATCH_NONE;
}

void pario_watch_nap(double seconds)
{
	const struct timespec nap = { 0, NAP_NS };
	int64_t end = pario_clock_ns() + (int64_t)(seconds * 1e9);

	while (pario_clock_ns() < end && !pario_watch_interrupted()) {
		nanosleep(&nap, NULL);
		pario_watch_again();
	}
}

void pario_watch_heard(enum pario_watch_cause cause)
{
	if (cause > heard)
		heard = cause;
}

void pario_watch_loop(uint64_t *until)
{
	loop_until = until;
}

/* The time of the run is over: the running loop ends as it does when a signal comes. */
static void look_at_end(void)
{
	uint64_t *until = loop_until;

	if (!end_ns || pario_clock_ns() < end_ns)
		return;
	end_ns = 0;
	pario_watch_heard(PARIO_WATCH_TIME);
	if (until)
		__atomic_store_n(until, 0, __ATOMIC_RELAXED);
}

/* Waits for what comes first: a change, the end of the step or of the run's time, the next beat. */
static void wait_for_next(const struct timespec *beat)
{
	const struct timespec end = { end_ns / 1000000000, end_ns % 1000000000 };
	const struct timespec *until = step.what ? &step.end : NULL;

	if (on_beat && (!until || beat->tv_sec < until->tv_sec))
		until = beat;
	if (end_ns && (!until || end.tv_sec < until->tv_sec))
		until = &end;
	if (until)
		pthread_cond_timedwait(&changed, &lock, until);
	else
		pthread_cond_wait(&changed, &lock);
}

static void *watch(void *unused)
{
	struct timespec now, beat;

	(void)unused;
	clock_gettime(CLOCK_MONOTONIC, &beat);
	pthread_mutex_lock(&lock);
	while (!stopping) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (on_beat && now.tv_sec >= beat.tv_sec) {
			beat.tv_sec = now.tv_sec + beat_every_s;
			on_beat();
		}
		if (step.what && now.tv_sec >= step.end.tv_sec) {
			on_expired(step.what, step.seconds);
			step.what = NULL;
		}
		look_at_end();
		wait_for_next(&beat);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

void pario_watch_start(void (*expired)(const char *what, double seconds), void (*beat)(void),
		       unsigned beat_s)
{
	pthread_condattr_t attributes;
	sigset_t all, before;

	on_expired = expired;
	on_beat = beat;
	beat_every_s = beat_s;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &attributes);
	pthread_condattr_destroy(&attributes);
	/* Signals must reach the thread that makes the calls. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	running = pthread_create(&thread, NULL, watch, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* A later end needs no signal: the thread looks again when the earlier one has come. */
static void change(const struct step *next)
{
	bool sooner = !step.what || (next->what && next->end.tv_sec < step.end.tv_sec);

	step = *next;
	if (running && sooner)
		pthread_cond_signal(&changed);
}

static struct step step_of(double seconds, const char *what)
{
	struct step next = { .seconds = seconds, .what = seconds > 0 ? what : NULL };

	clock_gettime(CLOCK_MONOTONIC, &next.end);
	next.end.tv_sec += (time_t)seconds + (seconds > (double)(time_t)seconds);
	return next;
}

void pario_watch_step(double seconds, const char *what)
{
	struct step next = step_of(seconds, what);

	pthread_mutex_lock(&lock);
	change(&next);
	pthread_mutex_unlock(&lock);
}

void pario_watch_end(double seconds)
{
	pthread_mutex_lock(&lock);
	end_ns = seconds > 0 ? pario_clock_ns() + (int64_t)(seconds * 1e9) : 0;
	if (running && end_ns)
		pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

void pario_watch_again(void)
{
	pthread_mutex_lock(&lock);
	if (step.what)
		step = step_of(step.seconds, step.what);
	pthread_mutex_unlock(&lock);
}

void pario_watch_hurry(double seconds)
{
	struct step next;

	pthread_mutex_lock(&lock);
	next = step_of(seconds, step.what);
	next.seconds = step.seconds;
	if (step.what && next.end.tv_sec < step.end.tv_sec)
		change(&next);
	pthread_mutex_unlock(&lock);
}

/* Whoever holds the lock is at the end already, or ends a step in a moment; then it is asked for again. */
void pario_watch_now(void)
{
	if (pthread_mutex_trylock(&lock) != 0)
		return;
	clock_gettime(CLOCK_MONOTONIC, &step.end);
	if (running && step.what)
		pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

void pario_watch_part(double seconds, const char *what)
{
	struct step next = step_of(seconds, what);

	pthread_mutex_lock(&lock);
	around = step;
	if (step.what && next.what && next.end.tv_sec < step.end.tv_sec)
		change(&next);
	pthread_mutex_unlock(&lock);
}

void pario_watch_whole(void)
{
	pthread_mutex_lock(&lock);
	change(&around);
	pthread_mutex_unlock(&lock);
}

void pario_watch_stop(void)
{
	if (!running)
		return;
	pthread_mutex_lock(&lock);
	stopping = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	running = false;
}
