/*
 * simulate_call: path, surface, correction, and who else is there: the cost of one call at its moment. It moves no
 * clock.
 */
#include <math.h>
#include <string.h>

#include "predict/simulate/simulation.h"

static bool on_device(const struct pario_sim_step *step)
{
	return step->key.path == PARIO_SYSTEM_MISS || step->key.path == PARIO_SYSTEM_THROTTLED ||
	       step->key.path == PARIO_SYSTEM_SYNC || step->key.path == PARIO_SYSTEM_DIRECT;
}

static double factor_of(const struct pario_sim_state *s, struct pario_class *class, double cost)
{
	if (class->factor == 0)
		class->factor = s->in->factor ? s->in->factor(s->in->factor_self, class, cost) : 1;
	return class->factor;
}

/* What the device needs at least for reading the bytes: smaller measurements may have been made within a burst. */
static double least(const struct pario_costs *costs, const struct pario_cost_key *key,
		    uint64_t bytes)
{
	return key->op == PARIO_SYSTEM_READ && key->path == PARIO_SYSTEM_MISS
		       ? (double)bytes / costs->read_rate
		       : 0;
}

/* How much slower calls of a class are with others beside them. */
static const float *curve_of(const struct pario_sim_state *s, struct pario_class *class,
			     uint64_t bytes)
{
	double alone, shared = least(s->in->costs, &class->key, bytes);
	unsigned ignored = 0;

	if (class->has_curve)
		return class->curve;
	alone = fmax(shared, pario_cost(s->in->costs, &class->key, bytes, 1, &ignored));
	for (unsigned k = 0; k < PARIO_STATION_CURVE; k++) {
		double cost = fmax((k + 1) * shared,
				   pario_cost(s->in->costs, &class->key, bytes, k + 1, &ignored));

		class->curve[k] = (float)(alone > 0 && cost > alone ? cost / alone : 1);
	}
	class->has_curve = true;
	return class->curve;
}

/* What it would take by both systems' surfaces, alone and in sequence: the terms of the difference. */
static void explain(const struct pario_sim_state *s, struct pario_class *class,
		    const struct pario_sim_thread *t)
{
	const struct pario_costs *both[] = { s->in->reference, s->in->costs };
	struct pario_cost_key key = t->step.key;
	unsigned ignored = 0;

	for (int i = 0; i < 2; i++) {
		key.locality = t->step.key.locality;
		class->explain[i] += pario_cost(both[i], &key, t->step.bytes, 1, &ignored);
		if (key.locality != PARIO_SYSTEM_ANYWHERE)
			key.locality = PARIO_SYSTEM_SEQUENTIAL;
		class->explain[2 + i] += pario_cost(both[i], &key, t->step.bytes, 1, &ignored);
	}
	class->explain[4] +=
		pario_cost(s->in->reference, &t->step.key, t->step.bytes, t->clients, &ignored);
}

void pario_sim_call(struct pario_sim_state *s, uint32_t number, struct pario_sim_thread *t,
		    uint64_t device_bytes)
{
	struct pario_sim_step *step = &t->step;
	struct pario_class *class;
	uint64_t bytes = step->bytes, rest = 0;
	unsigned rests_on = 0;
	double cost, factor;

	t->class = pario_class_of(&s->sim->classes, &step->key, step->part, bytes);
	class = &s->sim->classes.list[t->class];
	/* of a read that finds a part in memory, that part costs what memory costs */
	if (step->key.path == PARIO_SYSTEM_MISS && device_bytes < bytes) {
		rest = bytes - device_bytes;
		bytes = device_bytes;
	}
	cost = pario_cost(s->in->costs, &step->key, bytes, on_device(step) ? 1 : t->clients,
			  &rests_on);
	if (isnan(cost)) /* nothing is known: it takes what it took */
		cost = step->ns * 1e-9;
	cost = fmax(cost, least(s->in->costs, &step->key, bytes));
	if (rest) {
		struct pario_cost_key hit = step->key;

		hit.path = PARIO_SYSTEM_HIT;
		cost += fmax(0, pario_cost(s->in->costs, &hit, step->bytes, 1, &rests_on) -
					pario_cost(s->in->costs, &hit, bytes, 1, &rests_on));
	}
	factor = factor_of(s, class, cost);
	class->rests_on |= rests_on;
	class->rough += rests_on ? cost * factor : 0;
	if (s->in->reference)
		explain(s, class, t);
	if (step->joins) {
		t->phase = PARIO_SIM_JOINED;
		return;
	}
	t->cost = cost * factor * (s->in->stretch > 0 ? s->in->stretch : 1);
	if (on_device(step)) {
		struct pario_station_job job = { .owner = number, .left = t->cost };

		memcpy(job.slowdown, curve_of(s, class, step->bytes), sizeof(job.slowdown));
		s->reads += step->key.op == PARIO_SYSTEM_READ;
		s->station.others = s->in->background + (s->memory.flushing && s->reads ? 1 : 0);
		t->phase = PARIO_SIM_STATION;
		pario_station_add(&s->station, t->begun, &job);
	} else {
		pario_sim_push(s, number, t->begun + t->cost, PARIO_SIM_END);
	}
}
