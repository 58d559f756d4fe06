/*
 * ahead: a ring of decoded calls. Whoever has the lock decodes into it: the helper, or the thread itself when the ring
 * is empty, so that a helper that gets no processor keeps nobody waiting for longer than a few calls take.
 */
#include "tests/replay/measure/ahead.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

enum {
	CALLS = 2048, /* decoded before their turn; a power of two */
	PART = 64,    /* with the lock held */
	MANY = 20000, /* calls of a thread that are worth a helper */
	STACK = 256 << 10,
};

struct pario_replay_ahead {
	struct pario_trace_stream *stream;
	struct pario_trace_call *calls;
	uint64_t taken, known; /* of the thread alone: its turn, and how many are there for sure */
	_Alignas(64) uint64_t made; /* decoded so far */
	uint64_t done;		    /* those before it are no longer needed */
	uint64_t
		pause; /* nothing behind this one is decoded before it is done; UINT64_MAX = none */
	bool over, helped, sleeps, ends;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t helper;
	struct pario_err err; /* of the stream, which ends there */
};

/* ---- with the lock held ---- */

static bool may_decode(const struct pario_replay_ahead *h)
{
	uint64_t done = __atomic_load_n(&h->done, __ATOMIC_SEQ_CST);

	return !h->over && h->made - done < CALLS && (h->pause == UINT64_MAX || h->pause < done);
}

static void decode(struct pario_replay_ahead *h)
{
	for (int i = 0; i < PART && may_decode(h); i++) {
		struct pario_trace_call *call = &h->calls[h->made % CALLS];

		h->over = pario_trace_stream_next(h->stream, call, &h->err) <= 0;
		if (h->over)
			return;
		/* its lists are the stream's until the next one is read */
		h->pause = call->request_count || call->match_count ? h->made : UINT64_MAX;
		__atomic_store_n(&h->made, h->made + 1, __ATOMIC_RELEASE);
	}
}

/* ---- the helper ---- */

static void *help(void *argument)
{
	struct pario_replay_ahead *h = argument;

	pthread_mutex_lock(&h->lock);
	while (!h->ends && !h->over) {
		if (may_decode(h)) {
			decode(h);
			pthread_mutex_unlock(&h->lock);
			pthread_mutex_lock(&h->lock);
			continue;
		}
		__atomic_store_n(&h->sleeps, true, __ATOMIC_SEQ_CST);
		if (!may_decode(
			    h)) /* it says first what it is done with, and then looks who sleeps */
			pthread_cond_wait(&h->wake, &h->lock);
		__atomic_store_n(&h->sleeps, false, __ATOMIC_SEQ_CST);
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

static bool is_busy(const struct pario_replay *r, uint32_t thread)
{
	int32_t client = r->scan->threads[thread].client;

	return client >= 0 && r->near[client] &&
	       pario_trace_thread(r->trace, thread)->calls >= MANY;
}

/* Is there a processor that no thread of this kind needs? */
static bool is_worth_a_helper(const struct pario_replay *r, uint32_t thread)
{
	int left = 0;
	cpu_set_t cpus;

	if (!is_busy(r, thread) || sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
		return false;
	left = CPU_COUNT(&cpus);
	for (uint32_t t = 1; left > 0 && t <= r->scan->thread_count; t++)
		left -= is_busy(r, t);
	return left > 0;
}

static void start_helper(struct pario_replay_ahead *h)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	h->helped = pthread_create(&h->helper, &attributes, help, h) == 0;
	pthread_attr_destroy(&attributes);
}

/* ---- the thread ---- */

struct pario_replay_ahead *pario_replay_ahead_open(const struct pario_replay *r, uint32_t thread,
						   struct pario_err *err)
{
	struct pario_replay_ahead *h = aligned_alloc(64, sizeof(*h));
	bool worth = is_worth_a_helper(r, thread);

	if (!h) {
		pario_err_set(err, PARIO_SYSTEM, "no memory for the calls of the trace.");
		return NULL;
	}
	*h = (struct pario_replay_ahead){ .pause = UINT64_MAX };
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->wake, NULL);
	h->calls = calloc(worth ? CALLS : 1, sizeof(*h->calls));
	h->stream = pario_trace_stream_open(r->trace, thread, r->scan->threads[thread].ahead, err);
	if (!h->calls || !h->stream) {
		pario_replay_ahead_close(h);
		return NULL;
	}
	if (worth)
		start_helper(h);
	return h;
}

void pario_replay_ahead_close(struct pario_replay_ahead *h)
{
	if (!h)
		return;
	if (h->helped) {
		pthread_mutex_lock(&h->lock);
		h->ends = true;
		pthread_cond_signal(&h->wake);
		pthread_mutex_unlock(&h->lock);
		pthread_join(h->helper, NULL);
	}
	pario_trace_stream_close(h->stream);
	free(h->calls);
	pthread_cond_destroy(&h->wake);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

/* All before its turn are done with. */
static void tell(struct pario_replay_ahead *h)
{
	__atomic_store_n(&h->done, h->taken, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&h->sleeps, __ATOMIC_SEQ_CST))
		return;
	pthread_mutex_lock(&h->lock);
	pthread_cond_signal(&h->wake);
	pthread_mutex_unlock(&h->lock);
}

static bool have(struct pario_replay_ahead *h)
{
	h->known = __atomic_load_n(&h->made, __ATOMIC_ACQUIRE);
	if (h->taken < h->known)
		return true;
	tell(h);
	pthread_mutex_lock(&h->lock);
	if (h->made == h->taken)
		decode(h);
	h->known = h->made;
	pthread_mutex_unlock(&h->lock);
	return h->taken < h->known;
}

const struct pario_trace_call *pario_replay_ahead_next(struct pario_replay_ahead *h)
{
	const struct pario_trace_call *call;

	if (!h->helped)
		return pario_trace_stream_next(h->stream, h->calls, &h->err) > 0 ? h->calls : NULL;
	if (h->taken % (CALLS / 4) == 0)
		tell(h);
	if (h->taken == h->known && !have(h))
		return NULL;
	call = &h->calls[h->taken++ % CALLS];
	__builtin_prefetch(call + 4); /* it comes from the cache of another processor */
	__builtin_prefetch((const char *)(call + 4) + 64);
	return call;
}
