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

static void pad(struct pario_thread *t, uint64_t from, uint64_t count)
{
	struct pario_trace_record *r = &t->records[from - t->base];

	r->size = count;
	__atomic_store_n(&r->op, PARIO_TRACE_PAD, __ATOMIC_RELEASE);
}

/*
 * Handlers of signals come between any two lines of what follows, except while signals are held. The outermost of those
 * that interrupt each other says where it writes: `open` is the number of its record + 1, first as it expects it, which
 * those that come before it has reserved the place put right, then as it is. Has it reserved it?
 */
static bool has_place(const struct pario_thread *t, uint64_t used)
{
	return t->open && t->open_count && used >= t->open - 1 + t->open_count;
}

/* The next record goes to `used`: so does that of one who has been interrupted before he had reserved a place. */
static void set_used(struct pario_thread *t, uint64_t before, uint64_t used)
{
	if (t->open && !has_place(t, before))
		t->open = used + 1;
	__atomic_store_n(&t->segment->used, used, __ATOMIC_RELEASE);
}

/*
 * A handler spills while the call that it interrupted is in the midst of writing its record. That place is kept free in
 * the next window, where the record then goes; should it never be written, since the handler was left by longjmp, it
 * holds nothing.
 */
static void keep_open(struct pario_thread *t, uint64_t open)
{
	t->hole = t->base + (open - 1) % PARIO_WINDOW_RECORDS;
	t->hole_count = t->open_count;
	pad(t, t->hole, t->hole_count);
	t->limit = t->hole;
}

/* Behind the hole it goes on. What does not fit before it stays empty. */
static long pass_hole(struct pario_thread *t, uint64_t used)
{
	if (used < t->hole)
		pad(t, used, t->hole - used);
	set_used(t, used, t->hole + t->hole_count);
	t->limit = t->base + t->usable;
	t->hole = 0;
	return 0;
}

/* From `used` on nothing is needed; what lies before it is complete but for the record that is being written. */
static long begin_anew(struct pario_thread *t, uint64_t used)
{
	bool placed = has_place(t, used),
	     inside = placed && t->open > t->base && t->open - 1 + t->open_count <= t->limit &&
		      t->records[t->open - 1 - t->base].op == PARIO_TRACE_EMPTY;
	uint64_t open = t->open;
	long error;

	if (used < t->limit)
		pad(t, used, t->limit - used);
	if (inside)
		pad(t, open - 1, t->open_count);
	error = pario_window_spill(t);
	if (error < 0) {
		if (inside)
			t->records[open - 1 - t->base].op = PARIO_TRACE_EMPTY;
		return error;
	}
	t->limit = t->base + t->usable;
	if (inside)
		keep_open(t, open);
	else if (placed && open <= t->base - PARIO_WINDOW_RECORDS)
		t->open = 0; /* of an earlier window, and kept once */
	else if (placed)
		t->open_count = 0; /* it was not in the window, and has to ask again */
	set_used(t, used, t->base);
	return 0;
}

/* 0 when `count` records behind `used` fit. */
static long find_capacity(struct pario_thread *t, uint64_t *used, uint64_t count)
{
	long error = 0;

	while (error == 0 && *used + count > t->limit) {
		error = t->hole ? -ENOBUFS : pario_window_grow(t);
		if (error == -ENOBUFS && t->hole)
			error = pass_hole(t, *used);
		else if (error == -ENOBUFS)
			error = begin_anew(t, *used);
		if (error == -EFBIG)
			error = pario_segment_another(t);
		*used = t->segment->used;
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

/* The window is full. No handler comes while there is made room. */
static struct pario_trace_record *make_capacity(struct pario_thread *t, uint64_t count, bool ours)
{
	struct pario_trace_record *to = NULL;
	uint64_t old, used;
	long error;

	if (pario_trace_mute || (t->lost && ++t->lost && !pario_segment_worth_trying(t))) {
		if (pario_trace_mute)
			t->segment->why = EPERM;
		drop(t, 1);
		return NULL;
	}
	old = pario_signals_hold();
	if (ours)
		t->open = 0;
	used = t->segment->used;
	error = find_capacity(t, &used, count);
	if (error == 0) {
		to = &t->records[used - t->base];
		set_used(t, used, used + count);
		t->lost = 0;
	} else {
		not_recorded(t, error);
	}
	if (ours && to) {
		t->open_count = count;
		t->open = used + 1;
	}
	pario_signals_release(old);
	return to;
}

/* Reserved, and too long for the window. Gives the place back, unless handlers have made room and written behind it. */
static bool keeps_place(struct pario_thread *t, uint64_t i, uint64_t count, bool ours)
{
	uint64_t end = i + count;

	if (__atomic_compare_exchange_n(&t->segment->used, &end, i, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		return false;
	return ours && t->open == i + 1 && t->open_count == count && i >= t->base &&
	       i + count <= t->limit;
}

/* Where `count` records go that were claimed from i on, behind the window's end; NULL when they are dropped. */
static struct pario_trace_record *make_place(struct pario_thread *t, uint64_t i, uint64_t count,
					     bool ours)
{
	if (keeps_place(t, i, count, ours))
		return pario_record_at(t, i);
	if (!ours && t->open == i + count + 1)
		t->open = i + 1;
	return make_capacity(t, count, ours);
}

/* Room for `count` records in a row; NULL when they are dropped. The outermost of several is `ours`. */
static inline struct pario_trace_record *reserve(struct pario_thread *t, uint64_t count, bool *ours)
{
	uint64_t i;

	*ours = !t->open;
	if (*ours) {
		i = pario_record_claim(t, count);
	} else {
		i = pario_record_advance(&t->segment->used, count);
		if (t->open == i + 1)
			t->open = i + count + 1;
	}
	return __builtin_expect(i + count > t->limit, 0) ? make_place(t, i, count, *ours)
							 : pario_record_at(t, i);
}

static inline void written(struct pario_thread *t, bool ours)
{
	__asm__ volatile("" : : : "memory");
	if (ours)
		t->open = 0;
}

void pario_trace_note(struct pario_trace_record *note, const char *text, size_t length)
{
	struct pario_thread *t = pario_trace_self;
	struct pario_trace_record *to;
	bool ours;

	if (length > PARIO_TRACE_TEXT_MAX)
		length = PARIO_TRACE_TEXT_MAX;
	if (length)
		note->size = length;
	if (!t || !t->segment)
		return;
	to = reserve(t, 1 + (length ? pario_trace_text_records(length) : 0), &ours);
	if (!to)
		return;
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
	to->layer = note->layer;
	to->flags = note->flags;
	__atomic_store_n(&to->op, note->op, __ATOMIC_RELEASE);
	written(t, ours);
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
static void look_around(struct pario_thread *t, uint64_t site, uint64_t base)
{
	if (__builtin_expect(pario_trace_stack, 0))
		put_frames(site);
	if (__builtin_expect(base != t->base, 0)) {
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

void pario_record_put(const struct pario_call *call, uint64_t i, bool full)
{
	struct pario_thread *t = pario_trace_self;
	uint64_t base = t->base;
	struct pario_trace_record *to = full ? make_place(t, i, 1, true) : pario_record_at(t, i);

	if (!to)
		return;
	pario_record_write(to, call, call->site);
	written(t, true);
	look_around(t, call->site, base);
}

void pario_trace_put(const struct pario_call *call)
{
	struct pario_thread *t = pario_trace_self;
	struct pario_trace_record *to;
	uint64_t base = t->base;
	uint64_t place, site;
	bool ours;

	if (!t->segment && !pario_trace_open()) /* this is the child of a fork */
		return;
	if (__builtin_expect(pario_modules_stale, 0))
		pario_sites_forget();
	place = pario_site(call);
	site = place;
	if (__builtin_expect(pario_python_known, 0) && !(call->flags & PARIO_TRACE_DEPTH))
		site = pario_python_line(site);
	to = reserve(t, 1, &ours);
	if (!to)
		return;
	pario_record_write(to, call, site);
	written(t, ours);
	look_around(t, place, base);
}
