/*
 * simulate_flow: threads that wait for each other through pipes and sockets.
 *
 * A read goes on when its bytes have begun to be written, a write when there is room for them. Where a thread waited in
 * the trace, in the call or before it (select and poll are not in the trace, so a gap in which the bytes came counts as
 * waiting, but for the processor time that is known of it), only what it took after that is its own. So who waits here
 * goes on as long after the other one as it did there.
 */
#include <math.h>
#include <stdlib.h>

#include "predict/simulate/simulation.h"

bool pario_sim_flows(struct pario_sim_state *s)
{
	const struct pario_flows *f;

	if (!s->in->learnt || s->in->by_trace)
		return true;
	f = &s->in->learnt->flows;
	s->pipes = calloc(f->flow_of.count + 1ul, sizeof(*s->pipes));
	s->pipe_calls = calloc(f->user_of.count + 1ul, sizeof(*s->pipe_calls));
	if (!s->pipes || !s->pipe_calls)
		return false;
	for (uint32_t i = 1; i <= f->flow_of.count && i < f->capacity; i++) {
		s->pipes[i].writers = f->list[i].writers;
		s->pipes[i].ended = f->list[i].writers ? (double)NAN : -INFINITY;
	}
	for (uint32_t i = 1; i <= f->user_of.count && i < f->user_capacity; i++)
		s->pipe_calls[i] = f->users[i].calls;
	return true;
}

void pario_sim_flows_release(struct pario_sim_state *s)
{
	for (uint32_t i = 1; s->pipes && i <= s->in->learnt->flows.flow_of.count; i++) {
		free(s->pipes[i].written.list);
		free(s->pipes[i].read.list);
	}
	free(s->pipes);
	free(s->pipe_calls);
}

/* ---- what a call needs ---- */

static bool reads(const struct pario_sim_thread *t)
{
	return t->step.part == PARIO_IO_READ;
}

/* Where its bytes go through: what is read from a socket was written into another. */
static uint32_t pipe_of(const struct pario_sim_state *s, const struct pario_sim_thread *t)
{
	uint32_t n = pario_flow_of(&s->in->learnt->flows, &t->step);

	if (!n || t->step.part == PARIO_IO_NAMES)
		return 0;
	if (reads(t))
		return s->in->learnt->flows.list[n].source;
	return t->step.bytes && s->in->learnt->flows.list[n].reader ? n : 0;
}

/* Bytes that must have come (or gone) before a call can go on, up to its n-th; 0: none. */
static uint64_t needed(const struct pario_sim_state *s, const struct pario_sim_thread *t,
		       uint64_t n)
{
	const struct pario_sim_pipe *p = &s->pipes[t->flow];
	uint64_t room = s->in->learnt->flows.list[t->flow].room;

	if (reads(t))
		return p->read.begun + n;
	return p->written.begun + n > room ? p->written.begun + n - room : 0;
}

/* When it was there in the trace, for which this call waits; NaN: at once. */
static double when_ns(const struct pario_sim_state *s, const struct pario_sim_thread *t,
		      uint64_t total)
{
	const struct pario_flows *f = &s->in->learnt->flows;
	const struct pario_flow_call *c;

	if (reads(t) && !t->step.bytes)
		return f->list[t->flow].writers ? f->list[t->flow].last_ns : (double)NAN;
	if (!total)
		return (double)NAN;
	if (reads(t)) {
		c = pario_flow_at(&f->list[t->flow].written, total);
		return c ? c->start_ns : (double)NAN;
	}
	c = pario_flow_at(&f->list[f->list[t->flow].reader].read, total);
	return c ? c->end_ns : (double)NAN;
}

/* ---- thinking ---- */

/* When the process that it waits for made its last call, in the trace; NaN: it waits for none. */
static double departed_ns(const struct pario_sim_state *s, const struct pario_sim_thread *t)
{
	uint32_t child = t->step.kind == PARIO_STEP_OTHER
				 ? pario_family_awaited(&s->family, t->step.call)
				 : 0;
	double last = 0;

	for (uint32_t i = 1; child && i <= s->sim->threads; i++) {
		if (pario_family_is(&s->family, i, child))
			last = fmax(last, s->in->learnt->ended_ns[i]);
	}
	return last > 0 ? last : (double)NAN;
}

double pario_sim_think(struct pario_sim_state *s, uint32_t number)
{
	struct pario_sim_thread *t = &s->threads[number];
	double before = t->step.before_ns, start = t->step.start_ns;
	const struct pario_trace_call *call = t->step.call;

	t->flow = s->pipes ? pipe_of(s, t) : 0;
	t->flowing = t->gap_waited = false;
	if (!s->pipes)
		return before * 1e-9;
	before -= pario_sim_gap_within(s, number);
	t->awaited_ns = t->flow ? when_ns(s, t, needed(s, t, reads(t) ? t->step.bytes : 1))
				: departed_ns(s, t);
	t->gap_waited = t->awaited_ns > start - before && t->awaited_ns <= start;
	if (!t->gap_waited)
		return before * 1e-9;
	return (call->gap_known ? fmin(before, call->gap_cpu_ns) : 0) * 1e-9;
}

/* ---- the other side ---- */

static bool has(const struct pario_sim_pipe *p, const struct pario_sim_pipe_end *e, uint64_t total,
		bool end)
{
	return p->broken || (end ? !isnan(p->ended)
				 : !total || (e->count && e->list[e->count - 1].total >= total));
}

/* When that many had come. */
static double came(const struct pario_sim_pipe_end *e, uint64_t total)
{
	uint32_t low = 0, high = e->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (e->list[middle].total < total)
			low = middle + 1;
		else
			high = middle;
	}
	return total && low < e->count ? e->list[low].at : -INFINITY;
}

/* All who wait here look again. */
static void wake(struct pario_sim_state *s, struct pario_sim_pipe_end *e, double now)
{
	uint32_t t = e->waiting;

	e->waiting = 0;
	while (t) {
		uint32_t next = s->threads[t].next_waiting;

		pario_sim_push(s, t, fmax(now, s->threads[t].at), PARIO_SIM_AGAIN);
		t = next;
	}
}

static void moved(struct pario_sim_state *s, struct pario_sim_pipe_end *e, uint64_t total,
		  double now)
{
	void *grown = pario_map_grow(e->list, &e->capacity, e->count, sizeof(*e->list));

	if (!grown) {
		s->shared.no_memory = true;
		return;
	}
	e->list = grown;
	e->list[e->count++] = (struct pario_sim_moved){ total, now };
	wake(s, e, now);
}

static void wait_at(struct pario_sim_state *s, struct pario_sim_pipe_end *e, uint32_t number)
{
	struct pario_sim_thread *t = &s->threads[number];

	t->phase = PARIO_SIM_BLOCKED;
	t->next_waiting = e->waiting;
	e->waiting = number;
}

/* ---- calls ---- */

/* Seconds from when it was there until the call was over, or was made, in the trace. */
static double after(const struct pario_sim_thread *t, double until_ns)
{
	return (until_ns - t->awaited_ns) * 1e-9;
}

static void read_on(struct pario_sim_state *s, uint32_t number)
{
	struct pario_sim_thread *t = &s->threads[number];
	struct pario_sim_pipe *p = &s->pipes[t->flow];
	struct pario_sim_pipe_end *e = &p->written;
	double start = t->step.start_ns, seconds = t->step.ns * 1e-9, there, until;
	uint64_t total = needed(s, t, t->step.bytes);
	bool end = !t->step.bytes;

	if (!has(p, e, total, end)) {
		wait_at(s, e, number);
		return;
	}
	there = p->broken ? -INFINITY : end ? p->ended : came(e, total);
	if (t->gap_waited)
		until = fmax(t->begun, there + after(t, start) * s->in->think) + seconds;
	else if (t->awaited_ns > start)
		until = fmax(t->begun, there + after(t, fmax(start + t->step.ns, t->awaited_ns)));
	else
		until = fmax(t->begun, there) + seconds;
	p->read.begun += t->step.bytes;
	pario_sim_push(s, number, fmax(until, t->at), PARIO_SIM_END);
}

/* Until its bytes are on their way, and from then on until they have room. */
static void write_on(struct pario_sim_state *s, uint32_t number)
{
	struct pario_sim_thread *t = &s->threads[number];
	struct pario_sim_pipe *p = &s->pipes[t->flow];
	struct pario_sim_pipe_end *e = &p->read;
	uint64_t first = t->flowing ? 0 : needed(s, t, 1), room;
	double end_ns = t->step.start_ns + t->step.ns, seconds = t->step.ns * 1e-9;

	if (!t->flowing) {
		if (!has(p, e, first, false)) {
			wait_at(s, e, number);
			return;
		}
		if (t->gap_waited && !p->broken) {
			double start = came(e, first) + after(t, t->step.start_ns) * s->in->think;

			t->gap_waited = false;
			if (start > t->at) {
				pario_sim_push(s, number, start, PARIO_SIM_AGAIN);
				return;
			}
		}
		t->flowing = true;
		t->begun = t->at;
		p->written.begun += t->step.bytes;
		moved(s, &p->written, p->written.begun, t->at);
	}
	room = needed(s, t, 0);
	t->awaited_ns = when_ns(s, t, room);
	if (!has(p, e, room, false)) {
		wait_at(s, e, number);
		return;
	}
	if (t->awaited_ns > t->step.start_ns) /* it waited: only what came after that is its own */
		seconds = fmax(0, after(t, end_ns));
	pario_sim_push(s, number, fmax(fmax(t->begun, came(e, room)) + seconds, t->at),
		       PARIO_SIM_END);
}

void pario_sim_flow(struct pario_sim_state *s, uint32_t number)
{
	if (reads(&s->threads[number]))
		read_on(s, number);
	else
		write_on(s, number);
}

void pario_sim_flow_over(struct pario_sim_state *s, struct pario_sim_thread *t, double now)
{
	const struct pario_flows *f = &s->in->learnt->flows;
	uint32_t n = s->pipes ? pario_flow_of(f, &t->step) : 0, user;

	if (!n)
		return;
	if (t->flow && reads(t) && t->step.bytes) {
		struct pario_sim_pipe_end *e = &s->pipes[t->flow].read;

		moved(s, e, (e->count ? e->list[e->count - 1].total : 0) + t->step.bytes, now);
	}
	user = pario_flow_user_of(f, t->step.process, t->step.file);
	if (!user || --s->pipe_calls[user] || !f->users[user].ends || --s->pipes[n].writers)
		return;
	s->pipes[n].ended = now;
	wake(s, &s->pipes[n].written, now);
}

void pario_sim_flow_give_up(struct pario_sim_state *s, uint32_t number)
{
	struct pario_sim_pipe *p = &s->pipes[s->threads[number].flow];
	double now = s->threads[number].at;

	p->broken = true;
	wake(s, &p->written, now);
	wake(s, &p->read, now);
}
