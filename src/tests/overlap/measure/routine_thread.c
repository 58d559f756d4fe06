/*
 * routine_thread: a helper thread of the program's own that does synchronous I/O.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/overlap/measure/routine.h"

enum phase { IDLE, ASKED, DONE, LEAVE };

struct state {
	pthread_t helper;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool started;
	_Atomic int phase; /* changed under the lock, looked at without it */
	uint64_t offset;
	ssize_t moved;
	int sys;
};

static void serve(struct pario_channel *c)
{
	struct state *s = c->state;

	do
		s->moved = c->write ? pwrite(c->fd, c->buffer, c->size, (off_t)s->offset)
				    : pread(c->fd, c->buffer, c->size, (off_t)s->offset);
	while (s->moved < 0 && errno == EINTR);
	s->sys = errno;
}

static void *help(void *channel)
{
	struct pario_channel *c = channel;
	struct state *s = c->state;

	pthread_mutex_lock(&s->lock);
	while (s->phase != LEAVE) {
		if (s->phase != ASKED) {
			pthread_cond_wait(&s->changed, &s->lock);
			continue;
		}
		pthread_mutex_unlock(&s->lock);
		serve(c);
		pthread_mutex_lock(&s->lock);
		s->phase = DONE;
		pthread_cond_broadcast(&s->changed);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static int start(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = calloc(1, sizeof(*s));
	int sys;

	c->state = s;
	if (!s)
		return pario_routine_error(c, "starting a helper thread", 0, ENOMEM, err);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	sys = pthread_create(&s->helper, NULL, help, c);
	if (sys != 0)
		return pario_routine_error(c, "starting a helper thread", 0, sys, err);
	s->started = true;
	return 0;
}

static void turn(struct state *s, enum phase phase)
{
	pthread_mutex_lock(&s->lock);
	s->phase = phase;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

static int issue(struct pario_channel *c, uint64_t offset, struct pario_err *err)
{
	struct state *s = c->state;

	(void)err;
	s->offset = offset;
	turn(s, ASKED);
	return 0;
}

static int test(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = c->state;
	int phase = atomic_load_explicit(&s->phase, memory_order_acquire);

	if (phase != DONE)
		return phase == IDLE;
	s->phase = IDLE; /* the helper waits for ASKED and does not look at this */
	if (s->moved < 0)
		return pario_routine_error(c, c->write ? "writing" : "reading", s->offset, s->sys,
					   err);
	if (s->moved != (ssize_t)c->size)
		return pario_routine_short(c, c->write ? "writing" : "reading", s->offset, s->moved,
					   err);
	return 1;
}

static int wait_for(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = c->state;

	pthread_mutex_lock(&s->lock);
	while (s->phase == ASKED)
		pthread_cond_wait(&s->changed, &s->lock);
	pthread_mutex_unlock(&s->lock);
	return test(c, err);
}

static int stop(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = c->state;
	int status = 0;

	if (!s)
		return 0;
	if (s->started) {
		status = wait_for(c, err) < 0 ? -1 : 0;
		turn(s, LEAVE);
		pthread_join(s->helper, NULL);
	}
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
	c->state = NULL;
	return status;
}

const struct pario_routine pario_routine_thread = {
	.name = "thread",
	.summary = "a helper thread doing pread and pwrite",
	.open = start,
	.issue = issue,
	.test = test,
	.wait = wait_for,
	.close = stop,
};
