/*
 * pending: asynchronous requests between their submission and their completion.
 *
 * A request is put here before it is submitted, since another thread may see it complete before the call that submits
 * it returns. Whoever sees the completion writes the record: from the submission until then, with the bytes or the
 * errno of the completion. What is still here when the process ends is recorded as started.
 *
 * No locks: a place is taken by one exchange of its key. Several requests may have one key; they complete in their
 * order.
 */
#include "tracer/preload/pending.h"

#include "tracer/preload/rings.h"
#include "tracer/preload/site.h"

enum { PLACES = 4096, PROBE = 256 };

#define TAKEN 1u /* a key while its call is written or read */

/* Wiped in children, which have none of their parent's requests. */
static struct table {
	uint64_t keys[PLACES];
	struct pario_call calls[PLACES];
} * table;

static uint64_t proper(uint64_t key)
{
	return key > TAKEN ? key : key + 2;
}

static unsigned place_of(uint64_t key, unsigned i)
{
	return (unsigned)((key * 0x9e3779b97f4a7c15u >> 52) + i) % PLACES;
}

static bool pending_add(uint64_t key, const struct pario_call *call)
{
	key = proper(key);
	if (!table)
		table = pario_trace_wiped(sizeof(*table));
	for (unsigned i = 0; table && i < PROBE; i++) {
		unsigned at = place_of(key, i);
		uint64_t none = 0;

		if (__atomic_load_n(&table->keys[at], __ATOMIC_RELAXED) == 0 &&
		    __atomic_compare_exchange_n(&table->keys[at], &none, TAKEN, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			table->calls[at] = *call;
			table->calls[at].site = pario_site(call);
			table->calls[at].frame = NULL;
			__atomic_store_n(&table->keys[at], key, __ATOMIC_RELEASE);
			return true;
		}
	}
	return false;
}

bool pario_pending_take(uint64_t key, struct pario_call *call)
{
	key = proper(key);
	for (int tries = 0; table && tries < 8; tries++) {
		unsigned oldest = PLACES;
		uint64_t there = key;

		for (unsigned i = 0; i < PROBE; i++) {
			unsigned at = place_of(key, i);

			if (__atomic_load_n(&table->keys[at], __ATOMIC_ACQUIRE) == key &&
			    (oldest == PLACES ||
			     table->calls[at].start < table->calls[oldest].start))
				oldest = at;
		}
		if (oldest == PLACES)
			return false;
		if (__atomic_compare_exchange_n(&table->keys[oldest], &there, TAKEN, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			*call = table->calls[oldest];
			__atomic_store_n(&table->keys[oldest], 0, __ATOMIC_RELEASE);
			return true;
		}
	}
	return false;
}

void pario_pending_done(struct pario_call *call, int64_t got)
{
	call->stop = pario_ticks();
	call->flags |= PARIO_TRACE_COMPLETED;
	if (got < 0) {
		pario_failed(call, (int)-got);
	} else {
		pario_result(call, got);
		/* seen too late to know what was asked for */
		if (!call->size &&
		    (call->op == PARIO_OP_uring_read || call->op == PARIO_OP_uring_write))
			call->size = (uint64_t)got;
		if ((uint64_t)got == call->size)
			call->flags |= PARIO_TRACE_WHOLE;
	}
	pario_trace_put(call);
}

bool pario_pending_complete(uint64_t key, int64_t got)
{
	struct pario_call call;

	if (!pario_pending_take(key, &call) || !pario_trace_ready())
		return false;
	pario_pending_done(&call, got);
	return true;
}

void pario_pending_start(uint64_t key, struct pario_call *call)
{
	if (pending_add(key, call))
		return;
	/* no room: its end will not be known */
	call->stop = pario_ticks();
	call->flags |= PARIO_TRACE_STARTED;
	pario_trace_put(call);
}

void pario_pending_end(void)
{
	pario_raw_rings_end();
	for (unsigned at = 0; table && at < PLACES; at++) {
		uint64_t key = __atomic_load_n(&table->keys[at], __ATOMIC_ACQUIRE);
		struct pario_call call;

		if (key <= TAKEN ||
		    !__atomic_compare_exchange_n(&table->keys[at], &key, TAKEN, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		call = table->calls[at];
		__atomic_store_n(&table->keys[at], 0, __ATOMIC_RELEASE);
		call.stop = pario_ticks();
		call.flags |= PARIO_TRACE_STARTED;
		if (pario_trace_ready())
			pario_trace_put(&call);
	}
}
