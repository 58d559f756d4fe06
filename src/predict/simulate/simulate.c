/*
 * simulate: events in the order of their time: which thread goes on next. What a call costs is simulate_call.c.
 */
#include "predict/simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "predict/simulate/simulation.h"

enum { SITES = 100000 };

static int advance(struct pario_sim_state *s, uint32_t number)
{
	struct pario_sim_thread *t = &s->threads[number];
	int more = pario_steps_next(&t->steps, &t->step, s->err);
	double at;

	if (more <= 0) {
		pario_sim_close_window(s, &t->window);
		pario_steps_close(&t->steps);
		t->phase = PARIO_SIM_OVER;
		s->sim->thread_end[number] = t->last;
		if (s->in->by_trace && s->in->learnt)
			s->in->learnt->ended_ns[number] = t->steps.cursor_ns;
		pario_sim_depart(s, number);
		return more;
	}
	t->flow = 0;
	s->sim->calls++;
	s->sim->thinking += t->step.before_ns * 1e-9;
	if (s->in->by_trace)
		at = (t->step.kind == PARIO_STEP_OUTER ? t->step.start_ns + t->step.ns
						       : t->step.start_ns) *
		     1e-9;
	else if (t->phase == PARIO_SIM_UNBORN && t->last == 0)
		at = t->step.start_ns * 1e-9;
	else if (t->step.kind == PARIO_STEP_OUTER && pario_sim_is_together(s, &t->step))
		at = t->last; /* what is left of it is mostly waiting */
	else
		at = t->last + pario_sim_think(s, number) * s->in->think;
	t->at = fmax(at, t->last);
	/* whoever was started in between does not wait until this thread makes its next call */
	if (t->children && t->phase != PARIO_SIM_UNBORN && t->step.start_ns >= t->next_birth_ns)
		pario_sim_give_birth(s, t, t->last, t->step.start_ns - t->step.before_ns,
				     t->step.start_ns, t->last);
	if (t->phase != PARIO_SIM_UNBORN)
		pario_sim_push(s, number, t->at, PARIO_SIM_BEGIN);
	return 0;
}

static void release(struct pario_sim_state *s)
{
	uint32_t count;
	const struct pario_meet_release *list = pario_meet_released(s->meets, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct pario_sim_thread *t = &s->threads[list[i].thread];

		/* who waits for several messages waits for the next of them */
		if (t->phase == PARIO_SIM_BLOCKED)
			pario_sim_push(s, list[i].thread, fmax(list[i].at, t->begun),
				       t->step.call->arguments.kind == PARIO_ARGUMENTS_COLLECTIVE ||
						       t->step.kind != PARIO_STEP_MEET
					       ? PARIO_SIM_END
					       : PARIO_SIM_AGAIN);
	}
}

/* Somebody else makes classes of the calls. */
static void show_call(struct pario_sim_state *s, uint32_t number, struct pario_sim_thread *t,
		      enum pario_system_path told)
{
	if (t->step.key.op == PARIO_SYSTEM_READ || t->step.key.op == PARIO_SYSTEM_WRITE)
		t->step.key.path = told;
	s->in->see(s->in->see_self, number, &t->step, s->active);
}

static void begin_meeting(struct pario_sim_state *s, uint32_t number, struct pario_sim_thread *t)
{
	double until = t->at + t->step.ns * 1e-9;
	bool go = s->in->by_trace || pario_meet(s->meets, number, t->step.call, t->at, &until);

	if (s->in->see)
		s->in->see(s->in->see_self, number, &t->step, s->active);
	if (go)
		pario_sim_push(s, number, isnan(until) ? t->begun + t->step.ns * 1e-9 : until,
			       PARIO_SIM_END);
	else
		t->phase = PARIO_SIM_BLOCKED;
	release(s);
}

static void begin_kept(struct pario_sim_state *s, uint32_t number, struct pario_sim_thread *t)
{
	double until = t->at + (t->step.kind == PARIO_STEP_OUTER ? 0 : t->step.ns * 1e-9);

	if (t->awaits)
		until = pario_sim_reaped(s, t);
	t->awaits = 0;
	if (t->step.call->op == PARIO_OP_MPI_File_open)
		pario_sim_remember_handle(s, t->step.call);
	if (pario_sim_is_together(s, &t->step) && !pario_sim_end_together(s, number, &until))
		t->phase = PARIO_SIM_BLOCKED;
	else
		pario_sim_push(s, number, until, PARIO_SIM_END);
	release(s);
}

static void learn(struct pario_sim_state *s, uint32_t number)
{
	if (s->threads[number].step.flow)
		pario_flows_learn(&s->in->learnt->flows, &s->threads[number].step);
	pario_sim_learn_collective(s, number);
}

static void begin(struct pario_sim_state *s, uint32_t number)
{
	struct pario_sim_thread *t = &s->threads[number];
	enum pario_system_path told = t->step.key.path;
	uint64_t device_bytes;

	t->begun = t->at;
	t->works |= t->step.kind != PARIO_STEP_OTHER;
	if (t->children && t->step.start_ns + t->step.ns >= t->next_birth_ns)
		pario_sim_give_birth(s, t, t->begun, t->step.start_ns,
				     t->step.start_ns + t->step.ns, t->at);
	if (t->step.kind != PARIO_STEP_OUTER)
		pario_sim_enter(t);
	if (!s->in->by_trace && t->step.kind == PARIO_STEP_OTHER) {
		t->awaits = pario_family_awaited(&s->family, t->step.call);
		if (t->awaits && !pario_family_ended(&s->family, t->awaits)) {
			t->phase = PARIO_SIM_BLOCKED;
			return;
		}
	}
	if (t->step.kind == PARIO_STEP_MEET) {
		begin_meeting(s, number, t);
		return;
	}
	if (s->in->by_trace && s->in->learnt)
		learn(s, number);
	if (t->flow) {
		pario_sim_flow(s, number);
		return;
	}
	if (t->step.effect == PARIO_EFFECT_EVICT)
		pario_memory_evict(&s->memory, t->step.file);
	if (t->step.kind != PARIO_STEP_IO) {
		begin_kept(s, number, t);
		return;
	}
	pario_memory_advance(&s->memory, t->at);
	device_bytes = pario_memory_meet(&s->memory, &t->step);
	t->clients = ++s->active;
	if (s->in->by_trace) {
		if (s->in->see)
			show_call(s, number, t, told);
		else
			pario_sim_compare(s, t);
		pario_sim_push(s, number, t->begun + t->step.ns * 1e-9, PARIO_SIM_END);
	} else {
		pario_sim_call(s, number, t, device_bytes);
	}
}

static void end_joined(struct pario_sim_state *s, uint32_t file, double now)
{
	for (uint32_t i = 1; i <= s->sim->threads; i++) {
		struct pario_sim_thread *t = &s->threads[i];

		if (t->phase == PARIO_SIM_JOINED && t->step.file == file)
			pario_sim_push(s, i, now, PARIO_SIM_END);
	}
}

static void finish_io(struct pario_sim_state *s, struct pario_sim_thread *t, double now)
{
	struct pario_class *class;

	s->active--;
	if (pario_memory_over(&s->memory, &t->step))
		end_joined(s, t->step.file, now);
	if (s->in->by_trace)
		return;
	class = &s->sim->classes.list[t->class];
	class->calls++;
	class->bytes += t->step.bytes;
	class->measured += t->step.ns * 1e-9;
	class->seconds += now - t->begun;
	class->model += (now - t->begun) / class->factor;
	class->clients += t->clients;
}

static int end(struct pario_sim_state *s, uint32_t number, double now)
{
	struct pario_sim_thread *t = &s->threads[number];

	if (t->step.kind == PARIO_STEP_IO)
		finish_io(s, t, now);
	if (t->step.flow)
		pario_sim_flow_over(s, t, now);
	if (t->step.kind == PARIO_STEP_MEET) {
		s->sim->waiting += now - t->begun;
		s->sim->waiting_measured += t->step.ns * 1e-9;
	} else if (t->step.kind != PARIO_STEP_OTHER) {
		pario_sim_count(s, number, t, now);
	} else if (t->step.depth == 0) {
		for (unsigned k = 0; k < PARIO_SIM_DEPTHS; k++)
			t->within[k] = false;
		t->inner = t->inner_measured = 0;
	}
	t->last = now;
	return advance(s, number);
}

/* When all wait, calls are missing in the trace: the first goes on, as it would not have come otherwise. */
static bool give_up(struct pario_sim_state *s)
{
	for (uint32_t i = 1; i <= s->sim->threads; i++) {
		struct pario_sim_thread *t = &s->threads[i];

		if (t->phase != PARIO_SIM_BLOCKED)
			continue;
		s->sim->given_up++;
		if (t->flow) {
			pario_sim_flow_give_up(s, i);
			return true;
		}
		pario_meet_give_up(s->meets, i);
		t->awaits = 0;
		pario_sim_push(s, i, t->begun + t->step.ns * 1e-9, PARIO_SIM_END);
		return true;
	}
	return false;
}

static int one_event(struct pario_sim_state *s)
{
	double next = s->heap_count ? s->threads[s->heap[0]].at : INFINITY;
	double done = s->station.count ? pario_station_next(&s->station) : INFINITY;
	uint32_t number;

	if (done <= next) {
		number = pario_station_done(&s->station, done);
		s->reads -= s->threads[number].step.key.op == PARIO_SYSTEM_READ;
		return end(s, number, done);
	}
	number = pario_sim_pop(s);
	if (s->threads[number].phase == PARIO_SIM_BEGIN) {
		begin(s, number);
		return 0;
	}
	if (s->threads[number].phase == PARIO_SIM_AGAIN) {
		if (s->threads[number].flow)
			pario_sim_flow(s, number);
		else
			begin_meeting(s, number, &s->threads[number]);
		return 0;
	}
	return end(s, number, s->threads[number].at);
}

static int run(struct pario_sim_state *s)
{
	for (uint32_t i = 1; i <= s->sim->threads; i++) {
		if (pario_steps_open(&s->threads[i].steps, &s->shared, i, s->err) < 0 ||
		    advance(s, i) < 0)
			return -1;
	}
	for (uint32_t i = 1; i <= s->sim->threads; i++)
		pario_sim_adopt(s, i);
	while (s->heap_count || s->station.count || give_up(s)) {
		if (one_event(s) < 0)
			return -1;
	}
	if (s->shared.no_memory || s->sim->classes.no_memory || pario_cache_failed(s->memory.cache))
		return pario_err_memory(s->err, "the simulation");
	return 0;
}

/* ---- all of it ---- */

/* Threads that the MPI library has for itself sleep until they are needed. */
static bool counts(const struct pario_sim_state *s, uint32_t thread)
{
	return pario_family_counts(&s->family, thread) &&
	       (!s->family.ranks || s->threads[thread].works);
}

static void sum_up(struct pario_sim_state *s)
{
	struct pario_sim *sim = s->sim;
	double first = INFINITY;

	for (uint32_t i = 1; i <= sim->threads; i++) {
		if (!counts(s, i))
			continue;
		sim->makespan = fmax(sim->makespan, sim->thread_end[i]);
		sim->makespan_measured =
			fmax(sim->makespan_measured, s->threads[i].steps.cursor_ns * 1e-9);
		if (sim->thread_end[i] >= sim->makespan)
			sim->busiest = i;
		if (s->threads[i].steps.begun)
			first = fmin(first, s->threads[i].steps.first_ns * 1e-9);
	}
	if (isfinite(first)) {
		sim->makespan -= first;
		sim->makespan_measured -= first;
	}
	if (s->in->by_trace)
		pario_classes_settle(&sim->classes);
	sim->elsewhere = s->shared.elsewhere;
	sim->asynchronous = s->shared.asynchronous;
	sim->asynchronous_seconds = s->shared.asynchronous_ns * 1e-9;
	sim->mapped = s->shared.mapped;
	sim->mapped_seconds = s->shared.mapped_ns * 1e-9;
}

static int prepare(struct pario_sim_state *s)
{
	const struct pario_trace *trace = s->in->trace;
	struct pario_sim *sim = s->sim;
	uint32_t files = pario_trace_files(trace);

	sim->threads = pario_trace_threads(trace);
	sim->site_of.limit = SITES;
	s->handles.map.limit = SITES;
	s->threads = calloc(sim->threads + 1ul, sizeof(*s->threads));
	s->heap = calloc(sim->threads + 1ul, sizeof(*s->heap));
	sim->thread_io = calloc(sim->threads + 1ul, sizeof(double));
	sim->thread_io_measured = calloc(sim->threads + 1ul, sizeof(double));
	sim->thread_end = calloc(sim->threads + 1ul, sizeof(double));
	sim->firsts = calloc(files + 1ul, sizeof(*sim->firsts));
	s->meets = pario_meets_new(trace, s->in->costs, sim->threads);
	if (!pario_sim_flows(s) || !s->threads || !s->heap || !sim->thread_io ||
	    !sim->thread_io_measured || !sim->thread_end || !sim->firsts || !s->meets)
		return pario_err_memory(s->err, "the simulation");
	if (pario_family_init(&s->family, trace, s->err) < 0 ||
	    pario_steps_share(&s->shared, trace, s->in->point, s->err) < 0 ||
	    pario_memory_init(&s->memory, s->in->costs, files, s->in->background, s->err) < 0)
		return -1;
	for (uint32_t i = 1; i <= files; i++) {
		const struct pario_trace_file *f = pario_trace_file_of(trace, i);

		if (s->in->warm && s->in->warm[i])
			pario_memory_warm(&s->memory, i);
		/* where one with holes has its blocks is not known: what is written there may need new ones */
		if (f && f->exists == 1 && S_ISREG(f->mode) && f->allocated >= f->size)
			pario_memory_found(&s->memory, i, f->size);
	}
	return 0;
}

int pario_simulate(struct pario_sim *sim, const struct pario_sim_input *input,
		   struct pario_err *err)
{
	struct pario_sim_state *s = calloc(1, sizeof(*s));
	int status = -1;

	*sim = (struct pario_sim){ 0 };
	if (!s)
		return pario_err_memory(err, "the simulation");
	s->in = input;
	s->sim = sim;
	s->err = err;
	if (prepare(s) == 0)
		status = run(s);
	if (status == 0)
		sum_up(s);
	for (uint32_t i = 1; s->threads && i <= sim->threads; i++)
		pario_steps_close(&s->threads[i].steps);
	pario_steps_release(&s->shared);
	pario_memory_release(&s->memory);
	pario_station_release(&s->station);
	pario_meets_free(s->meets);
	pario_family_release(&s->family);
	pario_sim_flows_release(s);
	pario_map_release(&s->handles.map);
	free(s->handles.comms);
	free(s->threads);
	free(s->heap);
	free(s);
	if (status < 0)
		pario_sim_release(sim);
	return status;
}

void pario_sim_release(struct pario_sim *sim)
{
	pario_classes_release(&sim->classes);
	pario_map_release(&sim->site_of);
	free(sim->sites);
	free(sim->firsts);
	free(sim->thread_io);
	free(sim->thread_io_measured);
	free(sim->thread_end);
	*sim = (struct pario_sim){ 0 };
}
