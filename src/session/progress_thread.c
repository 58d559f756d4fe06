/*
 * progress_thread: sleeps on a condition with a time-out; whoever prints pauses it.
 */
#include "session/progress_thread.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/units.h"
#include "session/terminal.h"

/* Runs shorter than this show no progress line; afterwards it is drawn this often. */
#define AFTER_S 2.0
#define EVERY_S 1

/* Letters of a line in a log. */
enum { LOG_COLUMNS = 160 };

/* Counters of another thread: an old value is as good as a new one here. */
static uint64_t peek(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* How far the phase is and how fast it goes, as client 0 sees itself; the others are taken to be alike. */
static void look(const struct pario_progress_thread *p, struct pario_progress_line *t, int64_t now)
{
	const struct pario_meter *m = p->meter;
	int64_t start = m ? __atomic_load_n(&m->start_ns, __ATOMIC_RELAXED) : p->meter_start_ns;
	uint64_t bytes, ops;
	double seconds;

	if (p->limit_s > 0)
		t->within = fmin(1, pario_clock_s(now - p->phase_ns) / p->limit_s);
	if (!m || start == p->meter_start_ns)
		return;
	bytes = peek(&m->bytes);
	ops = peek(&m->ops);
	seconds = pario_clock_s(__atomic_load_n(&m->last_ns, __ATOMIC_RELAXED) - start -
				__atomic_load_n(&m->excluded_ns, __ATOMIC_RELAXED));
	if (p->expected_bytes)
		t->within = fmin(1, fmax(t->within, (double)bytes / (double)p->expected_bytes));
	if (!(seconds > 0) || (!bytes && !ops))
		return;
	t->last_phase = t->phase;
	t->last_unit = bytes ? "MiB/s" : "ops/s";
	t->last_value =
		(bytes ? (double)bytes / PARIO_MIB : (double)ops) * (double)t->clients / seconds;
}

/* The lock is held. */
static void draw(struct pario_progress_thread *p)
{
	struct pario_progress_line state = p->state;
	struct pario_text line = { 0 };
	int64_t now = pario_clock_ns();

	state.left = &p->left;
	state.elapsed_s = pario_clock_s(now - p->start_ns);
	if (!p->running || !p->active || state.elapsed_s < (p->log ? p->every_s : AFTER_S) ||
	    !state.planned)
		return;
	look(p, &state, now);
	if (p->log) {
		pario_progress_line_add(&line, &state, LOG_COLUMNS);
		fprintf(stderr, "%s\n", pario_text_string(&line));
	} else {
		pario_progress_line_add(&line, &state, pario_terminal_columns(p->columns));
		fprintf(stderr, "\r\033[K%s", pario_text_string(&line));
	}
	fflush(stderr);
	pario_text_release(&line);
	p->shown = !p->log;
}

static void wipe(struct pario_progress_thread *p)
{
	if (p->shown)
		fprintf(stderr, "\r\033[K");
	p->shown = false;
}

static void *beat(void *self)
{
	struct pario_progress_thread *p = self;
	struct timespec next;

	pthread_mutex_lock(&p->lock);
	clock_gettime(CLOCK_MONOTONIC, &next);
	while (!p->stopping) {
		next.tv_sec += (time_t)p->every_s;
		next.tv_nsec += (long)((p->every_s - (double)(time_t)p->every_s) * 1e9);
		if (next.tv_nsec >= 1000000000) {
			next.tv_nsec -= 1000000000;
			next.tv_sec++;
		}
		while (!p->stopping &&
		       pthread_cond_timedwait(&p->changed, &p->lock, &next) != ETIMEDOUT)
			;
		if (!p->stopping)
			draw(p);
		clock_gettime(CLOCK_MONOTONIC, &next);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

void pario_progress_thread_start(struct pario_progress_thread *progress,
				 const struct pario_style *style, double log_s)
{
	pthread_condattr_t attributes;
	sigset_t all, before;

	*progress = (struct pario_progress_thread){ .columns = style->columns,
						    .log = !style->progress,
						    .every_s = style->progress ? EVERY_S : log_s,
						    .start_ns = pario_clock_ns() };
	pthread_mutex_init(&progress->lock, NULL);
	if (!(progress->every_s > 0))
		return;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&progress->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	/* Signals must reach the thread that makes the calls. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	progress->running = pthread_create(&progress->thread, NULL, beat, progress) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void pario_progress_thread_begin(struct pario_progress_thread *progress,
				 const struct pario_progress_thread_phase *phase)
{
	if (!progress->running)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->state = phase->state;
	if (phase->state.last_phase) {
		snprintf(progress->last_phase, sizeof(progress->last_phase), "%s",
			 phase->state.last_phase);
		progress->state.last_phase = progress->last_phase;
	}
	progress->meter = phase->meter;
	progress->meter_start_ns = phase->meter->start_ns;
	progress->phase_ns = pario_clock_ns();
	progress->expected_bytes = phase->expected_bytes;
	progress->limit_s = phase->limit_s;
	progress->active = true;
	if (!progress->log)
		draw(progress);
	pthread_mutex_unlock(&progress->lock);
}

void pario_progress_thread_end(struct pario_progress_thread *progress)
{
	if (!progress->running)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->meter = NULL;
	progress->limit_s = 0;
	progress->state.done++;
	pthread_mutex_unlock(&progress->lock);
}

void pario_progress_thread_clear(struct pario_progress_thread *progress)
{
	if (!progress->running)
		return;
	pthread_mutex_lock(&progress->lock);
	wipe(progress);
	progress->active = false;
	pthread_mutex_unlock(&progress->lock);
}

void pario_progress_thread_pause(struct pario_progress_thread *progress)
{
	if (!progress->running)
		return;
	pthread_mutex_lock(&progress->lock);
	wipe(progress);
}

void pario_progress_thread_resume(struct pario_progress_thread *progress)
{
	if (progress->running)
		pthread_mutex_unlock(&progress->lock);
}

void pario_progress_thread_stop(struct pario_progress_thread *progress)
{
	if (!progress->running)
		return;
	pario_progress_thread_clear(progress);
	pthread_mutex_lock(&progress->lock);
	progress->stopping = true;
	pthread_cond_signal(&progress->changed);
	pthread_mutex_unlock(&progress->lock);
	pthread_join(progress->thread, NULL);
	progress->running = false;
}
