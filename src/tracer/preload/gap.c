/*
 * gap: did a thread compute or wait while it made no calls? For gaps longer than a millisecond its processor time is
 * written down. Whoever makes many calls pays for two comparisons each, and for one look a millisecond.
 */
#include "tracer/preload/trace.h"

#include "tracer/preload/raw.h"

enum { MILLISECOND_NS = 1000000, SURE_NS = 20 * MILLISECOND_NS, CALLS = 64, LATE = 10 };

uint64_t pario_trace_gap = 2 * MILLISECOND_NS; /* of a counter of 2 GHz, until that is known */

static uint64_t used_ns(void)
{
	struct timespec t = { 0, 0 };

	pario_raw3(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&t, 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* How many ticks a millisecond has is known once some have passed. */
static void measure(const struct pario_trace_segment *s, uint64_t ticks)
{
	static bool known;
	struct timespec t;
	uint64_t ns;

	if (known)
		return;
	if (!s->counter) {
		pario_trace_gap = MILLISECOND_NS;
		known = true;
		return;
	}
	if (!pario_trace_counter) /* the program gave the counter up, by which the library reads its clock */
		return;
	clock_gettime(CLOCK_MONOTONIC, &t);
	ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec - s->start_ns;
	if (ns < MILLISECOND_NS || ticks <= s->start_ticks)
		return;
	pario_trace_gap =
		(uint64_t)((double)(ticks - s->start_ticks) * MILLISECOND_NS / (double)ns);
	known = ns > SURE_NS;
}

static void look(struct pario_thread *t, uint64_t now)
{
	t->looked = now;
	t->looked_used = t->segment ? t->segment->used : 0;
	if (pario_trace_mute || !t->segment)
		return;
	measure(t->segment, now);
	t->used_ns = used_ns();
}

/* A look costs a system call: one for many calls, or where they are slow, one in ten milliseconds. */
void pario_gap_begins(struct pario_thread *t, uint64_t now)
{
	if (t->depth || (t->segment && t->segment->used - t->looked_used < CALLS &&
			 now - t->looked < LATE * pario_trace_gap))
		return;
	look(t, now);
}

void pario_gap_ends(struct pario_thread *t, uint64_t now)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_GAP,
					   .t0 = t->looked,
					   .offset = t->used_ns,
					   .fd = PARIO_TRACE_NO_FD };
	bool known = t->looked && t->ended >= t->looked && now - t->ended > pario_trace_gap;

	if (!known && t->looked)
		return;
	note.duration = pario_trace_pack_ticks(now - t->looked);
	note.more = t->ended - t->looked;
	look(t, now);
	if (!known || pario_trace_mute || !t->segment)
		return;
	note.size = t->used_ns > note.offset ? t->used_ns - note.offset : 0;
	pario_trace_note(&note, NULL, 0);
	pario_memory_note();
}
