/*
 * records: how they get into a thread's segment, whatever handler of a signal comes between.
 */
#include <execinfo.h>
#include <string.h>

#include "tracer/preload/core.h"
#include "tracer/preload/records.h"
#include "tracer/preload/window.h"

static void drop(struct pario_thread *t, uint64_t count)
{
	__atomic_fetch_add(&t->segment->dropped, count, __ATOMIC_RELAXED);
}

/*
 * Handlers of signals come between any two lines of what follows, except while signals are held, and they need not
 * come back. A place is taken in one instruction, and what is written there is a record from one store on. Whoever
 * makes room finds the places that are taken and no records yet: their writers were interrupted and go on writing
 * there, or were jumped out of.
 */
static void pad(struct pario_trace_record *r, uint64_t count)
{
	r->size = count;
	pario_record_finish(r, PARIO_TRACE_PAD, 0, 0);
}

static uint64_t length(const struct pario_trace_record *r)
{
	if (r->op == PARIO_TRACE_EMPTY)
		return 1u + r->layer;
	if (r->op == PARIO_TRACE_PAD)
		return r->size;
	return pario_trace_has_text(r->op) ? 1 + pario_trace_text_records(r->size) : 1;
}

/* The records go on behind the next hole, or at the window's end. */
static void set_limit(struct pario_thread *t)
{
	*pario_window_limit(t->segment) =
		t->segment->spilled + (t->hole < t->hole_count ? t->holes[t->hole].at : t->usable);
}

/* From `used` to the limit nothing is needed. */
static void pad_rest(struct pario_trace_segment *s)
{
	uint64_t limit = *pario_window_limit(s);

	if (s->used < limit)
		pad(pario_window_record(s, s->used), limit - s->used);
	s->used = limit;
}

static void pass_hole(struct pario_thread *t)
{
	pad_rest(t->segment);
	t->segment->used += t->holes[t->hole++].count;
	set_limit(t);
}

/* Whose writer had a whole window's time to come back, and did not. */
static bool was_hole(const struct pario_thread *t, uint64_t at)
{
	for (unsigned i = 0; i < t->hole_count; i++) {
		if (at >= t->holes[i].at && at < t->holes[i].at + t->holes[i].count)
			return true;
	}
	return false;
}

/* The last places of the full window that are no records yet. What lies side by side is one. */
static unsigned find_holes(const struct pario_thread *t, struct pario_hole *holes)
{
	unsigned n = 0;
	uint64_t step;

	for (uint64_t at = 0; at < PARIO_WINDOW_RECORDS; at += step) {
		const struct pario_trace_record *r = pario_window_record(t->segment, at);

		step = length(r);
		if (r->op != PARIO_TRACE_EMPTY || was_hole(t, at))
			continue;
		if (n && holes[n - 1].at + holes[n - 1].count == at) {
			holes[n - 1].count += step;
			continue;
		}
		if (n == PARIO_HOLES)
			memmove(holes, holes + 1, --n * sizeof(*holes));
		holes[n++] = (struct pario_hole){ at, step };
	}
	return n;
}

/* All is empty but what stands in holes. */
static void wipe(struct pario_thread *t)
{
	unsigned next = 0;

	for (uint64_t at = 0; at < PARIO_WINDOW_RECORDS; at++) {
		if (next < t->hole_count && at == t->holes[next].at)
			at += t->holes[next++].count - 1;
		else
			pario_record_finish(pario_window_record(t->segment, at), PARIO_TRACE_EMPTY,
					    0, 0);
	}
}

/*
 * The window is full. What is being written stays where it is, as a hole in the next window, and there is nothing in
 * its place in the file.
 */
static long begin_anew(struct pario_thread *t)
{
	struct pario_trace_record kept[PARIO_HOLES];
	struct pario_hole holes[PARIO_HOLES];
	unsigned n;
	long error;

	pad_rest(t->segment);
	n = find_holes(t, holes);
	for (unsigned i = 0; i < n; i++) {
		struct pario_trace_record *r = pario_window_record(t->segment, holes[i].at);

		kept[i] = *r;
		pad(r, holes[i].count);
	}
	error = pario_window_spill(t);
	for (unsigned i = 0; i < n; i++)
		*pario_window_record(t->segment, holes[i].at) = kept[i];
	if (error < 0)
		return error;
	memcpy(t->holes, holes, n * sizeof(*holes));
	t->hole_count = n;
	t->hole = 0;
	wipe(t);
	set_limit(t);
	return 0;
}

static long make_room(struct pario_thread *t, uint64_t count)
{
	long error = 0;

	while (error == 0 && t->segment->used + count > *pario_window_limit(t->segment)) {
		if (t->hole < t->hole_count) {
			pass_hole(t);
			continue;
		}
		error = pario_window_grow(t);
		if (error == -ENOBUFS)
			error = begin_anew(t);
		if (error == -EFBIG)
			error = pario_segment_another(t);
	}
	return error;
}

static void not_recorded(struct pario_thread *t, long error)
{
	struct pario_trace_segment *s = t->segment;

	s->why = s->why ? s->why : (uint64_t)-error;
	t->lost += t->lost == 0;
	drop(t, 1);
}

/* No handler comes while there is made room. */
static __attribute__((noinline)) struct pario_trace_record *place_slowly(struct pario_thread *t,
									 uint64_t count)
{
	struct pario_trace_record *to = NULL;
	uint64_t old;
	long error;

	if (pario_trace_mute || (t->lost && ++t->lost && !pario_segment_worth_trying(t))) {
		if (pario_trace_mute)
			t->segment->why = EPERM;
		drop(t, 1);
		return NULL;
	}
	old = pario_signals_hold();
	error = make_room(t, count);
	if (error == 0) {
		to = pario_record_place(t->segment, count);
		t->lost = 0;
	} else {
		not_recorded(t, error);
	}
	pario_signals_release(old);
	return to;
}

/* Room for `count` records in a row; NULL when they are dropped. */
static inline struct pario_trace_record *reserve(struct pario_thread *t, uint64_t count)
{
	struct pario_trace_record *to = pario_record_place(t->segment, count);

	return __builtin_expect(to != NULL, 1) ? to : place_slowly(t, count);
}

void pario_trace_note(struct pario_trace_record *note, const char *text, size_t length)
{
	struct pario_thread *t = pario_trace_self;
	struct pario_trace_record *to;
	uint64_t more;

	if (length > PARIO_TRACE_TEXT_MAX)
		length = PARIO_TRACE_TEXT_MAX;
	if (length)
		note->size = length;
	if (!t || !t->segment)
		return;
	more = length ? pario_trace_text_records(length) : 0;
	to = reserve(t, 1 + more);
	if (!to)
		return;
	pario_record_finish(to, PARIO_TRACE_EMPTY, (uint8_t)more, 0);
	memcpy(to + 1, text ? text : "", length);
	to->t0 = note->t0;
	to->site = note->site;
	to->offset = note->offset;
	to->size = note->size;
	to->more = note->more;
	to->duration = note->duration;
	to->file = note->file;
	to->result = note->result;
	to->fd = note->fd;
	to->arg = note->arg;
	pario_record_finish(to, note->op, note->layer, note->flags);
}

/* The callers of the call site, four to a record. Deep stacks are what the user asked for, and what costs. */
static void put_frames(uint64_t site)
{
	void *frames[PARIO_TRACE_STACK_MAX + 8];
	int want = (int)pario_trace_stack, n = backtrace(frames, want + 8), i = 0;

	while (i < n && (uint64_t)(uintptr_t)frames[i] != site)
		i++;
	if (i + 1 + want < n)
		n = i + 1 + want;
	for (i++; i < n; i += 4) {
		struct pario_trace_record note = { .op = PARIO_TRACE_STACK };

		note.t0 = (uint64_t)(uintptr_t)frames[i];
		note.site = i + 1 < n ? (uint64_t)(uintptr_t)frames[i + 1] : 0;
		note.offset = i + 2 < n ? (uint64_t)(uintptr_t)frames[i + 2] : 0;
		note.size = i + 3 < n ? (uint64_t)(uintptr_t)frames[i + 3] : 0;
		pario_trace_note(&note, NULL, 0);
	}
}

/* What a call may have brought along that is written down behind it. */
static void look_around(struct pario_thread *t, uint64_t site, uint64_t spilled)
{
	if (__builtin_expect(pario_trace_stack, 0))
		put_frames(site);
	if (__builtin_expect(spilled != t->segment->spilled, 0)) {
		pario_segment_anchor();
		pario_usage_note();
		pario_memory_note();
		t->named = true;
	}
	if (__builtin_expect(t->named | pario_modules_stale, 0)) {
		t->named = false;
		pario_modules_see(site);
	}
}

void pario_trace_put(const struct pario_call *call)
{
	struct pario_thread *t = pario_trace_self;
	struct pario_trace_record *to;
	uint64_t place, site, spilled;

	if (!t->segment && !pario_trace_open()) /* this is the child of a fork */
		return;
	if (__builtin_expect(pario_modules_stale, 0))
		pario_sites_forget();
	place = pario_site(call);
	site = place;
	if (__builtin_expect(pario_python_known, 0) && !(call->flags & PARIO_TRACE_DEPTH))
		site = pario_python_line(site);
	spilled = t->segment->spilled;
	to = reserve(t, 1);
	if (!to)
		return;
	pario_record_write(to, call, site);
	look_around(t, place, spilled);
}
