/*
 * pulse: see pulse.h.
 */
#include "cmd/pulse.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/units.h"
#include "cmd/terminal.h"

/* Runs shorter than this show no progress line; afterwards it is drawn this often. */
#define AFTER_S 2.0
#define EVERY_S 1

/* Counters of another thread: an old value is as good as a new one here. */
static uint64_t peek(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

/* How far the phase is and how fast it goes, as client 0 sees itself; the others are taken to be alike. */
static void look(const struct pario_pulse *p, struct pario_ticker *t, int64_t now)
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
static void draw(struct pario_pulse *p)
{
	struct pario_ticker ticker = p->ticker;
	struct pario_text line = { 0 };
	int64_t now = pario_clock_ns();

	ticker.elapsed_s = pario_clock_s(now - p->start_ns);
	if (!p->running || !p->active || ticker.elapsed_s < AFTER_S || !ticker.planned)
		return;
	look(p, &ticker, now);
	pario_ticker_add(&line, &ticker, pario_terminal_columns(p->columns));
	fprintf(stderr, "\r\033[K%s", pario_text_string(&line));
	fflush(stderr);
	pario_text_release(&line);
	p->shown = true;
}

static void wipe(struct pario_pulse *p)
{
	if (p->shown)
		fprintf(stderr, "\r\033[K");
	p->shown = false;
}

static void *beat(void *self)
{
	struct pario_pulse *p = self;
	struct timespec next;

	pthread_mutex_lock(&p->lock);
	clock_gettime(CLOCK_MONOTONIC, &next);
	while (!p->stopping) {
		next.tv_sec += EVERY_S;
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

void pario_pulse_start(struct pario_pulse *pulse, const struct pario_style *style)
{
	pthread_condattr_t attributes;
	sigset_t all, before;

	*pulse = (struct pario_pulse){ .columns = style->columns, .start_ns = pario_clock_ns() };
	pthread_mutex_init(&pulse->lock, NULL);
	if (!style->progress)
		return;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&pulse->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	/* Signals must reach the thread that makes the calls. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pulse->running = pthread_create(&pulse->thread, NULL, beat, pulse) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void pario_pulse_begin(struct pario_pulse *pulse, const struct pario_pulse_phase *phase)
{
	if (!pulse->running)
		return;
	pthread_mutex_lock(&pulse->lock);
	pulse->ticker = phase->ticker;
	if (phase->ticker.last_phase) {
		snprintf(pulse->last_phase, sizeof(pulse->last_phase), "%s",
			 phase->ticker.last_phase);
		pulse->ticker.last_phase = pulse->last_phase;
	}
	pulse->meter = phase->meter;
	pulse->meter_start_ns = phase->meter->start_ns;
	pulse->phase_ns = pario_clock_ns();
	pulse->expected_bytes = phase->expected_bytes;
	pulse->limit_s = phase->limit_s;
	pulse->active = true;
	draw(pulse);
	pthread_mutex_unlock(&pulse->lock);
}

void pario_pulse_end(struct pario_pulse *pulse)
{
	if (!pulse->running)
		return;
	pthread_mutex_lock(&pulse->lock);
	pulse->meter = NULL;
	pulse->limit_s = 0;
	pulse->ticker.done++;
	pthread_mutex_unlock(&pulse->lock);
}

void pario_pulse_clear(struct pario_pulse *pulse)
{
	if (!pulse->running)
		return;
	pthread_mutex_lock(&pulse->lock);
	wipe(pulse);
	pulse->active = false;
	pthread_mutex_unlock(&pulse->lock);
}

void pario_pulse_pause(struct pario_pulse *pulse)
{
	if (!pulse->running)
		return;
	pthread_mutex_lock(&pulse->lock);
	wipe(pulse);
}

void pario_pulse_resume(struct pario_pulse *pulse)
{
	if (pulse->running)
		pthread_mutex_unlock(&pulse->lock);
}

void pario_pulse_stop(struct pario_pulse *pulse)
{
	if (!pulse->running)
		return;
	pario_pulse_clear(pulse);
	pthread_mutex_lock(&pulse->lock);
	pulse->stopping = true;
	pthread_cond_signal(&pulse->changed);
	pthread_mutex_unlock(&pulse->lock);
	pthread_join(pulse->thread, NULL);
	pulse->running = false;
}
