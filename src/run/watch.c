/*
 * watch: see watch.h. The only mutable globals of the engine live here, because signal handlers have no argument.
 */
#include "run/watch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"

static volatile sig_atomic_t signals;
static bool heard;
static uint64_t *volatile loop_until;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static pthread_t thread;
static bool running, stopping;
static struct timespec deadline;
static double deadline_seconds;
static const char *deadline_what;
static void (*on_expired)(const char *what, double seconds);

static void take(int number)
{
	uint64_t *until = loop_until;

	(void)number;
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

bool pario_watch_interrupted(void)
{
	return signals > 0 || heard;
}

void pario_watch_heard(void)
{
	heard = true;
}

void pario_watch_loop(uint64_t *until)
{
	loop_until = until;
}

static void *watch(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	while (!stopping) {
		if (!deadline_what) {
			pthread_cond_wait(&changed, &lock);
		} else if (pthread_cond_timedwait(&changed, &lock, &deadline) == ETIMEDOUT &&
			   deadline_what) {
			struct timespec now;

			clock_gettime(CLOCK_MONOTONIC, &now);
			if (now.tv_sec >= deadline.tv_sec) {
				on_expired(deadline_what, deadline_seconds);
				deadline_what = NULL;
			}
		}
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

void pario_watch_start(void (*expired)(const char *what, double seconds))
{
	pthread_condattr_t attributes;
	sigset_t all, before;

	on_expired = expired;
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

void pario_watch_step(double seconds, const char *what)
{
	pthread_mutex_lock(&lock);
	clock_gettime(CLOCK_MONOTONIC, &deadline);
	deadline.tv_sec += (time_t)seconds + (seconds > (double)(time_t)seconds);
	deadline_seconds = seconds;
	deadline_what = seconds > 0 ? what : NULL;
	if (running)
		pthread_cond_signal(&changed);
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
