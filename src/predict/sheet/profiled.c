/*
 * profiled: one class after the other, on both systems; no class knows of another but by the sums at the end.
 */
#include "predict/sheet/profiled.h"

#include <math.h>
#include <stdlib.h>

static uint64_t each(const struct pario_sheet_row *r)
{
	return r->bytes / r->calls;
}

static double clients_of(const struct pario_sheet_row *r)
{
	return fmax(1, r->clients / (double)r->calls);
}

static bool is_data(const struct pario_cost_key *key)
{
	return key->op == PARIO_SYSTEM_READ || key->op == PARIO_SYSTEM_WRITE;
}

/* ---- the path ---- */

static enum pario_system_path fast_path(const struct pario_cost_key *key)
{
	return key->op == PARIO_SYSTEM_READ ? PARIO_SYSTEM_HIT : PARIO_SYSTEM_ABSORBED;
}

static enum pario_system_path slow_path(const struct pario_cost_key *key)
{
	return key->op == PARIO_SYSTEM_READ ? PARIO_SYSTEM_MISS : PARIO_SYSTEM_THROTTLED;
}

static double cost_by(const struct pario_costs *c, const struct pario_sheet_row *r,
		      enum pario_system_path path)
{
	struct pario_cost_key key = r->key;
	unsigned ignored = 0;

	key.path = path;
	return pario_cost(c, &key, each(r), clients_of(r), &ignored);
}

/* Nearer to the slow path than to the fast one, in proportion; where the two hardly differ it does not matter. */
static bool was_slow(const struct pario_costs *c, const struct pario_sheet_row *r)
{
	double fast = cost_by(c, r, fast_path(&r->key)), slow = cost_by(c, r, slow_path(&r->key));

	return slow > 1.5 * fast && r->seconds / (double)r->calls > sqrt(slow * fast);
}

/*
 * Where files are memory, whatever made calls slower was no device; and where all that the program writes may be dirty
 * at the same time, no write waits for that.
 */
static enum pario_system_path path_on(const struct pario_prediction *p, int system,
				      const struct pario_cost_key *key)
{
	const struct pario_costs *c = &p->costs[system];
	double written = (double)p->sheet.parts[PARIO_IO_WRITE].bytes;
	bool fits = c->stays || written <= (c->background_bytes + c->limit_bytes) / 2;

	if ((key->path == PARIO_SYSTEM_MISS && c->stays) ||
	    (key->path == PARIO_SYSTEM_THROTTLED && fits))
		return fast_path(key);
	return key->path;
}

static struct pario_cost_key key_here(const struct pario_prediction *p,
				      const struct pario_sheet_row *r)
{
	struct pario_cost_key key = r->key;

	if (key.path == PARIO_SYSTEM_ANY && is_data(&key))
		key.path = was_slow(&p->costs[0], r) ? slow_path(&key) : fast_path(&key);
	key.path = path_on(p, 0, &key);
	return key;
}

/* ---- the reference ---- */

static struct pario_class *class_for(struct pario_classes *classes,
				     const struct pario_cost_key *key,
				     const struct pario_sheet_row *r)
{
	uint32_t number = pario_class_of(classes, key, r->part, pario_trace_power_bytes(r->power));
	struct pario_class *c = classes->no_memory ? NULL : &classes->list[number];

	if (!c)
		return NULL;
	c->calls += r->calls;
	c->bytes += r->bytes;
	c->measured += r->seconds;
	c->clients += r->clients;
	return c;
}

static bool add_here(struct pario_prediction *p, const struct pario_sheet_row *r)
{
	struct pario_cost_key key = key_here(p, r);
	struct pario_class *c = class_for(&p->reference.classes, &key, r);
	unsigned rests_on = 0;
	double cost;

	if (!c)
		return false;
	cost = pario_cost(&p->costs[0], &key, each(r), clients_of(r), &rests_on);
	c->model += isnan(cost) ? r->seconds : cost * (double)r->calls;
	c->seconds += r->seconds;
	c->rests_on |= rests_on;
	c->rough += rests_on ? r->seconds : 0;
	return true;
}

static bool take_sums(struct pario_sim *sim, const struct pario_sheet *s)
{
	for (int i = 0; i < PARIO_IO_PARTS; i++)
		sim->parts[i] = (struct pario_sim_part){ .calls = s->parts[i].calls,
							 .bytes = s->parts[i].bytes,
							 .measured = s->parts[i].seconds,
							 .seconds = s->parts[i].seconds,
							 .rest_measured = s->parts[i].rest,
							 .rest_seconds = s->parts[i].rest };
	sim->calls = s->calls;
	sim->makespan = sim->makespan_measured = s->makespan;
	sim->kept = s->kept;
	sim->asynchronous = s->asynchronous;
	sim->asynchronous_seconds = s->asynchronous_seconds;
	sim->mapped = s->mapped;
	/* one thread, the last one to end */
	sim->threads = sim->busiest = 1;
	sim->thread_io = calloc(2, sizeof(double));
	sim->thread_io_measured = calloc(2, sizeof(double));
	sim->thread_end = calloc(2, sizeof(double));
	if (!sim->thread_io || !sim->thread_io_measured || !sim->thread_end)
		return false;
	sim->thread_io[1] = sim->thread_io_measured[1] = s->last_io;
	sim->thread_end[1] = s->makespan;
	return true;
}

/* ---- the target ---- */

static bool on_device(enum pario_system_path path)
{
	return path == PARIO_SYSTEM_MISS || path == PARIO_SYSTEM_THROTTLED ||
	       path == PARIO_SYSTEM_SYNC || path == PARIO_SYSTEM_DIRECT;
}

/* The terms of the difference, as simulate_call.c has them. */
static void explain(const struct pario_prediction *p, struct pario_class *c,
		    const struct pario_cost_key *of, const struct pario_sheet_row *r)
{
	struct pario_cost_key key = *of;
	double calls = (double)r->calls;
	unsigned ignored = 0;

	for (int i = 0; i < 2; i++) {
		key.locality = of->locality;
		c->explain[i] += calls * pario_cost(&p->costs[i], &key, each(r), 1, &ignored);
		if (key.locality != PARIO_SYSTEM_ANYWHERE)
			key.locality = PARIO_SYSTEM_SEQUENTIAL;
		c->explain[2 + i] += calls * pario_cost(&p->costs[i], &key, each(r), 1, &ignored);
	}
	c->explain[4] += calls * pario_cost(&p->costs[0], of, each(r), clients_of(r), &ignored);
}

static bool add_there(struct pario_prediction *p, const struct pario_sheet_row *r,
		      double background)
{
	struct pario_cost_key key = key_here(p, r);
	struct pario_class *c;
	unsigned rests_on = 0;
	double cost, factor;

	key.path = path_on(p, 1, &key);
	c = class_for(&p->target.classes, &key, r);
	if (!c)
		return false;
	cost = pario_cost(&p->costs[1], &key, each(r),
			  clients_of(r) + (on_device(key.path) ? background : 0), &rests_on);
	factor = pario_hybrid_factor(&p->hybrid, c, cost);
	cost = isnan(cost) ? r->seconds : cost * (double)r->calls;
	c->factor = factor;
	c->model += cost;
	c->seconds += cost * factor;
	c->rests_on |= rests_on;
	c->rough += rests_on ? cost * factor : 0;
	p->target.parts[r->part].seconds += cost * factor;
	explain(p, c, &key, r);
	return true;
}

/*
 * The thread with most I/O has its share of what all of it takes more or less, and the program ends so much later or
 * earlier. Whoever ended last may only have waited for it.
 */
static void end_later(struct pario_prediction *p)
{
	struct pario_sim *t = &p->target;
	double measured = pario_sim_io_measured(&p->reference), io = pario_sim_io(t);

	t->thread_io_measured[1] = p->sheet.busiest_io;
	t->thread_io[1] = measured > 0 ? p->sheet.busiest_io * io / measured : 0;
	t->makespan =
		fmax(t->thread_io[1], t->makespan_measured + t->thread_io[1] - p->sheet.busiest_io);
	t->thread_end[1] = t->makespan;
}

int pario_profiled(struct pario_prediction *p, double background, struct pario_err *err)
{
	const struct pario_sheet *s = &p->sheet;
	bool good = take_sums(&p->reference, s) && take_sums(&p->target, s);

	for (size_t i = 0; good && i < s->row_count; i++)
		good = add_here(p, &s->rows[i]);
	if (good)
		pario_hybrid_init(&p->hybrid, &p->reference.classes, &p->costs[0]);
	for (int i = 0; i < PARIO_IO_PARTS; i++)
		p->target.parts[i].seconds = s->parts[i].rest;
	for (size_t i = 0; good && i < s->row_count; i++)
		good = add_there(p, &s->rows[i], background);
	if (!good)
		return pario_err_memory(err, "the classes of a profile");
	end_later(p);
	return 0;
}

void pario_profiled_measured(const struct pario_sheet *s, double quantities[PARIO_QUANTITIES])
{
	quantities[PARIO_QUANTITY_TOTAL] = 0;
	for (int i = 0; i < PARIO_IO_PARTS; i++) {
		quantities[i] = s->parts[i].seconds;
		quantities[PARIO_QUANTITY_TOTAL] += s->parts[i].seconds;
	}
	quantities[PARIO_QUANTITY_MAKESPAN] = s->makespan;
}
