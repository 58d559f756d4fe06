/*
 * simulate_trace: calls begin and end when they did, and go the path that fits their times.
 */
#include <math.h>

#include "predict/simulate/simulation.h"

enum { WINDOW_CALLS = 32 }; /* sequential calls whose path is judged together */

static void book(struct pario_sim_state *s, const struct pario_sim_window *w,
		 enum pario_system_path path, double model)
{
	struct pario_cost_key key = w->key;
	struct pario_class *class;
	uint32_t number;

	key.path = path;
	number = pario_class_of(&s->sim->classes, &key, w->part, w->bytes_each);
	class = &s->sim->classes.list[number];
	class->calls += w->calls;
	class->bytes += w->bytes;
	class->measured += w->measured;
	class->seconds += w->measured;
	class->model += model;
	class->clients += w->clients;
	class->rests_on |= w->rests_on;
	class->rough += w->rests_on ? w->measured : 0;
}

/* Nearer to the slow path than to the fast one, in proportion; what memory says where the two hardly differ. */
static bool was_slow(const struct pario_sim_window *w)
{
	if (w->slow > 1.5 * w->fast)
		return w->measured > sqrt(w->slow * w->fast);
	return w->guess == PARIO_SYSTEM_MISS || w->guess == PARIO_SYSTEM_THROTTLED;
}

void pario_sim_close_window(struct pario_sim_state *s, struct pario_sim_window *w)
{
	struct pario_judged *j;
	uint32_t number;

	if (!w->calls)
		return;
	w->key.path = w->guess;
	number = pario_class_of(&s->sim->classes, &w->key, w->part, w->bytes_each);
	s->sim->classes.list[number].rests_on |= w->rests_on;
	j = &s->sim->classes.list[number].judged[was_slow(w)];
	j->calls += w->calls;
	j->bytes += w->bytes;
	j->measured += w->measured;
	j->fast += w->fast;
	j->slow += w->slow;
	j->clients += w->clients;
	w->calls = 0;
}

static double cost_by(const struct pario_sim_state *s, const struct pario_sim_step *step,
		      enum pario_system_path path, double clients, unsigned *rests_on)
{
	struct pario_cost_key key = step->key;
	double cost;

	key.path = path;
	cost = pario_cost(s->in->costs, &key, step->bytes, clients, rests_on);
	return isnan(cost) ? step->ns * 1e-9 : cost;
}

/* Only the first one: later ones find what was read ahead for them. */
static void take_first(struct pario_sim_state *s, const struct pario_sim_step *step, double fast,
		       double slow)
{
	struct pario_sim_first *f = &s->sim->firsts[step->file];

	if (f->known)
		return;
	*f = (struct pario_sim_first){ .known = true,
				       .read = step->key.op == PARIO_SYSTEM_READ,
				       .measured = (float)(step->ns * 1e-9),
				       .fast = (float)fast,
				       .slow = (float)slow };
}

static bool continues(const struct pario_sim_window *w, const struct pario_sim_step *step)
{
	return w->calls && w->guess == step->key.path && w->key.op == step->key.op &&
	       w->key.shared == step->key.shared && w->key.locality == step->key.locality &&
	       w->part == step->part &&
	       pario_trace_power(w->bytes_each) == pario_trace_power(step->bytes) &&
	       w->calls < WINDOW_CALLS && step->key.locality == PARIO_SYSTEM_SEQUENTIAL;
}

static void judge(struct pario_sim_state *s, struct pario_sim_thread *t,
		  enum pario_system_path guess)
{
	const struct pario_sim_step *step = &t->step;
	bool read = step->key.op == PARIO_SYSTEM_READ;
	enum pario_system_path memory = read				  ? PARIO_SYSTEM_HIT
					: guess == PARIO_SYSTEM_REWRITTEN ? guess
									  : PARIO_SYSTEM_ABSORBED;
	struct pario_sim_window *w = &t->window;
	double fast, slow;

	if (!continues(w, step)) {
		pario_sim_close_window(s, w);
		*w = (struct pario_sim_window){ .key = step->key,
						.part = step->part,
						.bytes_each = step->bytes,
						.guess = guess };
	}
	fast = cost_by(s, step, memory, t->clients, &w->rests_on);
	slow = s->in->costs->stays
		       ? fast
		       : cost_by(s, step, read ? PARIO_SYSTEM_MISS : PARIO_SYSTEM_THROTTLED,
				 t->clients, &w->rests_on);
	take_first(s, step, fast, slow);
	w->calls++;
	w->bytes += step->bytes;
	w->measured += step->ns * 1e-9;
	w->fast += fast;
	w->slow += slow;
	w->clients += t->clients;
}

void pario_sim_compare(struct pario_sim_state *s, struct pario_sim_thread *t)
{
	enum pario_system_path path = t->step.key.path;
	struct pario_sim_window w = { .key = t->step.key,
				      .part = t->step.part,
				      .bytes_each = t->step.bytes,
				      .bytes = t->step.bytes,
				      .calls = 1,
				      .measured = t->step.ns * 1e-9,
				      .clients = t->clients };

	switch (path) {
	case PARIO_SYSTEM_HIT:
	case PARIO_SYSTEM_MISS:
	case PARIO_SYSTEM_ABSORBED:
	case PARIO_SYSTEM_REWRITTEN:
	case PARIO_SYSTEM_THROTTLED:
		judge(s, t, path);
		break;
	default:
		book(s, &w, path, cost_by(s, &t->step, path, t->clients, &w.rests_on));
	}
}
