/*
 * simulate_family: threads that others start, and others that wait for them.
 */
#include <math.h>

#include "predict/simulate/simulation.h"

/* Threads begin when whoever starts them gets to where it was when they began. */
void pario_sim_adopt(struct pario_sim_state *s, uint32_t child)
{
	uint32_t parent = pario_family_parent(&s->family, child);
	struct pario_sim_thread *p = &s->threads[parent], *c = &s->threads[child];

	if (s->in->by_trace || !parent || parent == child || p->phase == PARIO_SIM_OVER ||
	    c->phase == PARIO_SIM_OVER || p->steps.first_ns > c->steps.first_ns) {
		if (c->phase == PARIO_SIM_UNBORN)
			pario_sim_push(s, child, c->at, PARIO_SIM_BEGIN);
		return;
	}
	if (!p->children || c->steps.first_ns < p->next_birth_ns)
		p->next_birth_ns = c->steps.first_ns;
	c->next_child = p->children;
	p->children = child;
}

/* Starts those that began until `until_ns` of the trace; `at` is when the parent is at `from_ns`. */
void pario_sim_give_birth(struct pario_sim_state *s, struct pario_sim_thread *t, double at,
			  double from_ns, double until_ns, double now)
{
	uint32_t *link = &t->children;

	t->next_birth_ns = INFINITY;
	while (*link) {
		struct pario_sim_thread *c = &s->threads[*link];
		uint32_t child = *link;

		if (c->steps.first_ns > until_ns) {
			t->next_birth_ns = fmin(t->next_birth_ns, c->steps.first_ns);
			link = &c->next_child;
			continue;
		}
		*link = c->next_child;
		pario_sim_push(s, child,
			       fmax(now, at + (c->steps.first_ns - from_ns) * 1e-9 * s->in->think),
			       PARIO_SIM_BEGIN);
	}
}

/* When a thread goes on that waits for a process which has ended: as long after its last call as in the trace. */
double pario_sim_reaped(const struct pario_sim_state *s, const struct pario_sim_thread *t)
{
	double at = t->begun, last_ns = 0;

	for (uint32_t i = 1; i <= s->sim->threads; i++) {
		if (!pario_family_is(&s->family, i, t->awaits))
			continue;
		at = fmax(at, s->sim->thread_end[i]);
		last_ns = fmax(last_ns, s->threads[i].steps.cursor_ns);
	}
	if (t->gap_waited) /* it waited before the call, for the signal that tells of it */
		return fmax(t->begun, at + (t->step.start_ns + t->step.ns - t->awaited_ns) * 1e-9);
	return at + fmax(0, t->step.start_ns + t->step.ns - fmax(last_ns, t->step.start_ns)) * 1e-9;
}

/* A thread has ended: whom it would still have started begins, and who waits for its process goes on. */
void pario_sim_depart(struct pario_sim_state *s, uint32_t number)
{
	struct pario_sim_thread *t = &s->threads[number];

	pario_family_end(&s->family, number);
	if (t->children)
		pario_sim_give_birth(s, t, t->last, t->steps.cursor_ns, INFINITY, t->last);
	for (uint32_t i = 1; i <= s->sim->threads; i++) {
		struct pario_sim_thread *w = &s->threads[i];

		if (w->phase == PARIO_SIM_BLOCKED && w->awaits &&
		    pario_family_ended(&s->family, w->awaits)) {
			pario_sim_push(s, i, pario_sim_reaped(s, w), PARIO_SIM_END);
			w->awaits = 0;
		}
	}
}
