/*
 * simulate_count: times by part, thread and call site; calls around others count what these leave.
 */
#include <math.h>

#include "predict/simulate/simulation.h"

static struct pario_sim_site *site_of(struct pario_sim_state *s, const struct pario_sim_step *step)
{
	const struct pario_job *job = &s->in->trace->job;
	uint16_t op = step->call->op;
	size_t slot = (((step->site ^ (uint64_t)step->process << 40 ^ (uint64_t)op << 52) *
			0x9e3779b97f4a7c15u) >>
		       32) %
		      PARIO_SIM_LOOKED_UP;
	const struct pario_job_mapping *m;
	uint32_t module, number;
	uint64_t offset;
	bool is_new;
	void *grown;

	if (s->looked_up[slot].site == step->site && s->looked_up[slot].process == step->process &&
	    s->looked_up[slot].op == op && s->looked_up[slot].number)
		return &s->sim->sites[s->looked_up[slot].number];
	m = pario_job_mapping(job, step->process, step->site - 1);
	module = m ? m->module : UINT32_MAX;
	offset = m ? step->site - m->base : step->site;
	number = pario_map_add(&s->sim->site_of, (struct pario_map_key){ module, offset, op },
			       &is_new);
	grown = pario_map_grow(s->sim->sites, &s->sim->site_capacity, number,
			       sizeof(*s->sim->sites));
	if (!grown)
		return NULL;
	s->sim->sites = grown;
	s->sim->sites[number].op = op;
	s->sim->sites[number].module = module;
	s->sim->sites[number].offset = offset;
	s->looked_up[slot].site = step->site;
	s->looked_up[slot].process = step->process;
	s->looked_up[slot].op = op;
	s->looked_up[slot].number = number;
	return &s->sim->sites[number];
}

/* The first call within others remembers when it began. */
void pario_sim_enter(struct pario_sim_thread *t)
{
	for (unsigned k = 0; k < t->step.depth && k < PARIO_SIM_DEPTHS; k++) {
		if (t->within[k])
			continue;
		t->within[k] = true;
		t->outer_at[k] = t->begun;
		t->outer_start_ns[k] = t->within_ns > 0 ? t->within_ns : t->step.start_ns;
	}
}

/* Seconds that a call took in the simulation which had others within it. */
static double span(struct pario_sim_thread *t, double end)
{
	unsigned depth = t->step.depth < PARIO_SIM_DEPTHS ? t->step.depth : PARIO_SIM_DEPTHS - 1;
	double at = t->begun;

	if (t->within[depth])
		at = t->outer_at[depth] - (t->outer_start_ns[depth] - t->step.start_ns) * 1e-9;
	for (unsigned k = depth; k < PARIO_SIM_DEPTHS; k++)
		t->within[k] = false;
	return fmax(0, end - at);
}

static void add_site(struct pario_sim_state *s, const struct pario_sim_thread *t, double seconds)
{
	struct pario_sim_site *site = site_of(s, &t->step);

	if (!site)
		return;
	site->calls++;
	site->measured += t->step.ns * 1e-9;
	site->seconds += seconds;
}

/* One of the program's own calls on storage is over. */
void pario_sim_count(struct pario_sim_state *s, uint32_t number, struct pario_sim_thread *t,
		     double end)
{
	struct pario_sim_part *p = &s->sim->parts[t->step.part];
	double measured = t->step.ns * 1e-9, seconds;
	bool outer = t->step.kind == PARIO_STEP_OUTER;

	if (outer) {
		if (t->step.depth)
			return;
		seconds = span(t, end);
		p->rest_measured += measured - t->inner_measured;
		p->rest_seconds += seconds - t->inner;
		p->measured += measured - t->inner_measured;
		p->seconds += seconds - t->inner;
		t->inner = t->inner_measured = 0;
		add_site(s, t, seconds);
	} else {
		seconds = end - t->begun;
		p->measured += measured;
		p->seconds += seconds;
		if (t->step.depth) {
			t->inner += seconds;
			t->inner_measured += measured;
		} else {
			add_site(s, t, seconds);
		}
		if (t->step.kind == PARIO_STEP_KEEP) {
			s->sim->kept += measured;
			p->rest_measured += measured;
			p->rest_seconds += seconds;
		}
	}
	p->calls += !outer || !t->step.depth;
	p->bytes += t->step.kind == PARIO_STEP_IO && t->step.key.op <= PARIO_SYSTEM_WRITE
			    ? t->step.bytes
			    : 0;
	s->sim->thread_io[number] += outer || !t->step.depth ? seconds : 0;
	s->sim->thread_io_measured[number] += outer || !t->step.depth ? measured : 0;
}
