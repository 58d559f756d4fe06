/*
 * simulate: events in the order of their time.
 */
#include "predict/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/meet.h"
#include "predict/memory.h"

enum {
	SITES = 100000,
	LOOKED_UP = 1024,
	FIRST_READS = 8,
	WINDOW_CALLS = 32, /* sequential calls whose path is judged together */
	DEPTHS = 8,
};

enum phase { BEGIN, AGAIN, END, STATION, BLOCKED, OVER };

/* Sequential calls of one kind, until it is clear which path they went. */
struct window {
	struct pario_cost_key key;
	enum pario_part part;
	uint64_t bytes_each, bytes, calls;
	double measured, fast, slow, clients;
	enum pario_system_path guess;
	unsigned rests_on;
};

struct thread {
	struct pario_steps steps;
	struct pario_step step;
	struct window window;
	enum phase phase;
	double at;					 /* when the next thing happens */
	double begun, cost;				 /* of the call that is under way */
	double last;					 /* when the last one ended */
	double outer_at[DEPTHS], outer_start_ns[DEPTHS]; /* first call within, in both times */
	bool within[DEPTHS];
	double inner, inner_measured; /* seconds of calls within the program's own */
	double clients;
	uint32_t class;
	bool waits_for_files;
};

/* Communicators of files that are open for several ranks. */
struct handles {
	struct pario_map map;
	int32_t *comms;
	uint32_t capacity;
};

struct state {
	const struct pario_sim_input *in;
	struct pario_sim *sim;
	struct pario_steps_shared shared;
	struct pario_memory memory;
	struct pario_station station;
	struct pario_meets *meets;
	struct handles handles;
	struct thread *threads; /* from 1 */
	uint32_t *heap, heap_count, active, reads;
	struct {
		uint64_t site;
		uint32_t process, number;
		uint16_t op;
	} looked_up[LOOKED_UP];
	struct pario_err *err;
};

/* ---- the queue of threads ---- */

static void sift_up(struct state *s, uint32_t i)
{
	uint32_t t = s->heap[i];

	for (; i && s->threads[t].at < s->threads[s->heap[(i - 1) / 2]].at; i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = t;
}

static void push(struct state *s, uint32_t t, double at, enum phase phase)
{
	s->threads[t].at = at;
	s->threads[t].phase = phase;
	s->heap[s->heap_count++] = t;
	sift_up(s, s->heap_count - 1);
}

static uint32_t pop(struct state *s)
{
	uint32_t first = s->heap[0], last = s->heap[--s->heap_count], i = 0;

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child + 1 < s->heap_count &&
		    s->threads[s->heap[child + 1]].at < s->threads[s->heap[child]].at)
			child++;
		if (child >= s->heap_count || s->threads[s->heap[child]].at >= s->threads[last].at)
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	if (s->heap_count)
		s->heap[i] = last;
	return first;
}

/* ---- call sites ---- */

static struct pario_sim_site *site_of(struct state *s, const struct pario_step *step)
{
	const struct pario_job *job = &s->in->trace->job;
	uint16_t op = step->call->op;
	size_t slot = (((step->site ^ (uint64_t)step->process << 40 ^ (uint64_t)op << 52) *
			0x9e3779b97f4a7c15u) >>
		       32) %
		      LOOKED_UP;
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

/* ---- the clock of the trace: what the surfaces say beside what was measured ---- */

static void book(struct state *s, const struct window *w, enum pario_system_path path, double model)
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
static bool was_slow(const struct window *w)
{
	if (w->slow > 1.5 * w->fast)
		return w->measured > sqrt(w->slow * w->fast);
	return w->guess == PARIO_SYSTEM_MISS || w->guess == PARIO_SYSTEM_THROTTLED;
}

static void close_window(struct state *s, struct window *w)
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

static double cost_by(const struct state *s, const struct pario_step *step,
		      enum pario_system_path path, double clients, unsigned *rests_on)
{
	struct pario_cost_key key = step->key;
	double cost;

	key.path = path;
	cost = pario_cost(s->in->costs, &key, step->bytes, clients, rests_on);
	return isnan(cost) ? step->ns * 1e-9 : cost;
}

static void take_first(struct state *s, const struct pario_step *step, double fast, double slow)
{
	struct pario_sim_first *f = &s->sim->firsts[step->file];

	if (step->key.op == PARIO_SYSTEM_WRITE)
		f->written = true;
	if (f->written || f->reads >= FIRST_READS || step->key.op != PARIO_SYSTEM_READ)
		return;
	f->reads++;
	f->measured += (float)(step->ns * 1e-9);
	f->between += (float)sqrt(fast * slow);
}

static bool continues(const struct window *w, const struct pario_step *step)
{
	return w->calls && w->guess == step->key.path && w->key.op == step->key.op &&
	       w->key.shared == step->key.shared && w->key.locality == step->key.locality &&
	       w->part == step->part &&
	       pario_profile_power(w->bytes_each) == pario_profile_power(step->bytes) &&
	       w->calls < WINDOW_CALLS && step->key.locality == PARIO_SYSTEM_SEQUENTIAL;
}

static void judge(struct state *s, struct thread *t, enum pario_system_path guess)
{
	const struct pario_step *step = &t->step;
	bool read = step->key.op == PARIO_SYSTEM_READ;
	struct window *w = &t->window;
	double fast, slow;

	if (!continues(w, step)) {
		close_window(s, w);
		*w = (struct window){ .key = step->key,
				      .part = step->part,
				      .bytes_each = step->bytes,
				      .guess = guess };
	}
	fast = cost_by(s, step, read ? PARIO_SYSTEM_HIT : PARIO_SYSTEM_ABSORBED, t->clients,
		       &w->rests_on);
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

static void compare(struct state *s, struct thread *t)
{
	enum pario_system_path path = t->step.key.path;
	struct window w = { .key = t->step.key,
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
	case PARIO_SYSTEM_THROTTLED:
		judge(s, t, path);
		break;
	default:
		book(s, &w, path, cost_by(s, &t->step, path, t->clients, &w.rests_on));
	}
}

/* ---- what a call takes ---- */

static bool on_device(const struct pario_step *step)
{
	return step->key.path == PARIO_SYSTEM_MISS || step->key.path == PARIO_SYSTEM_THROTTLED ||
	       step->key.path == PARIO_SYSTEM_SYNC || step->key.path == PARIO_SYSTEM_DIRECT;
}

static double factor_of(const struct state *s, struct pario_class *class)
{
	if (class->factor == 0)
		class->factor = s->in->factor ? s->in->factor(s->in->factor_self, class) : 1;
	return class->factor;
}

/* How much slower calls of a class are with others beside them. */
static const float *curve_of(const struct state *s, struct pario_class *class, uint64_t bytes)
{
	unsigned ignored = 0;
	double alone;

	if (class->has_curve)
		return class->curve;
	alone = pario_cost(s->in->costs, &class->key, bytes, 1, &ignored);
	for (unsigned k = 0; k < PARIO_STATION_CURVE; k++) {
		double cost = pario_cost(s->in->costs, &class->key, bytes, k + 1, &ignored);

		class->curve[k] = (float)(alone > 0 && cost > alone ? cost / alone : 1);
	}
	class->has_curve = true;
	return class->curve;
}

/* What it would take by both systems' surfaces, alone and in sequence: the terms of the difference. */
static void explain(const struct state *s, struct pario_class *class, const struct thread *t)
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

static void simulate_call(struct state *s, uint32_t number, struct thread *t, uint64_t device_bytes)
{
	struct pario_step *step = &t->step;
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
	if (rest) {
		struct pario_cost_key hit = step->key;

		hit.path = PARIO_SYSTEM_HIT;
		cost += fmax(0, pario_cost(s->in->costs, &hit, step->bytes, 1, &rests_on) -
					pario_cost(s->in->costs, &hit, bytes, 1, &rests_on));
	}
	factor = factor_of(s, class);
	class->rests_on |= rests_on;
	class->rough += rests_on ? cost * factor : 0;
	if (s->in->reference)
		explain(s, class, t);
	t->cost = cost * factor;
	if (on_device(step)) {
		struct pario_station_job job = { .owner = number, .left = t->cost };

		memcpy(job.slowdown, curve_of(s, class, step->bytes), sizeof(job.slowdown));
		s->reads += step->key.op == PARIO_SYSTEM_READ;
		s->station.others = s->in->background + (s->memory.flushing && s->reads ? 1 : 0);
		t->phase = STATION;
		pario_station_add(&s->station, t->begun, &job);
	} else {
		push(s, number, t->begun + t->cost, END);
	}
}

/* ---- the program's own calls ---- */

/* The first call within others remembers when it began. */
static void enter(struct thread *t)
{
	for (unsigned k = 0; k < t->step.depth && k < DEPTHS; k++) {
		if (t->within[k])
			continue;
		t->within[k] = true;
		t->outer_at[k] = t->begun;
		t->outer_start_ns[k] = t->step.start_ns;
	}
}

/* Seconds that a call took in the simulation which had others within it. */
static double span(struct thread *t, double end)
{
	unsigned depth = t->step.depth < DEPTHS ? t->step.depth : DEPTHS - 1;
	double at = t->begun;

	if (t->within[depth])
		at = t->outer_at[depth] - (t->outer_start_ns[depth] - t->step.start_ns) * 1e-9;
	for (unsigned k = depth; k < DEPTHS; k++)
		t->within[k] = false;
	return fmax(0, end - at);
}

static void add_site(struct state *s, const struct thread *t, double seconds)
{
	struct pario_sim_site *site = site_of(s, &t->step);

	if (!site)
		return;
	site->calls++;
	site->measured += t->step.ns * 1e-9;
	site->seconds += seconds;
}

/* One of the program's own calls on storage is over. */
static void count(struct state *s, uint32_t number, struct thread *t, double end)
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

/* ---- events ---- */

static int advance(struct state *s, uint32_t number)
{
	struct thread *t = &s->threads[number];
	int more = pario_steps_next(&t->steps, &t->step, s->err);
	double at;

	if (more <= 0) {
		close_window(s, &t->window);
		pario_steps_close(&t->steps);
		t->phase = OVER;
		s->sim->thread_end[number] = t->last;
		return more;
	}
	s->sim->calls++;
	s->sim->thinking += t->step.before_ns * 1e-9;
	if (s->in->by_trace)
		at = (t->step.kind == PARIO_STEP_OUTER ? t->step.start_ns + t->step.ns
						       : t->step.start_ns) *
		     1e-9;
	else
		at = t->last + t->step.before_ns * 1e-9 * s->in->think;
	push(s, number, fmax(at, t->last), BEGIN);
	return 0;
}

static void remember_handle(struct state *s, const struct pario_trace_call *call)
{
	bool is_new;
	uint32_t n = pario_map_add(&s->handles.map,
				   (struct pario_map_key){ call->process, (uint32_t)call->fd, 0 },
				   &is_new);
	void *grown = pario_map_grow(s->handles.comms, &s->handles.capacity, n,
				     sizeof(*s->handles.comms));

	if (!grown || !n)
		return;
	s->handles.comms = grown;
	s->handles.comms[n] = call->arguments.mpi_open.comm;
}

static bool collective_on_file(uint16_t op)
{
	switch (op) {
	case PARIO_OP_MPI_File_read_all:
	case PARIO_OP_MPI_File_read_at_all:
	case PARIO_OP_MPI_File_write_all:
	case PARIO_OP_MPI_File_write_at_all:
	case PARIO_OP_MPI_File_read_ordered:
	case PARIO_OP_MPI_File_write_ordered:
	case PARIO_OP_MPI_File_close:
	case PARIO_OP_MPI_File_open:
		return true;
	default:
		return false;
	}
}

/* Who has nothing to do in a collective call on a file waits in it for those who have. True: it goes on. */
static bool end_together(struct state *s, uint32_t number, struct thread *t, double now,
			 double *until)
{
	const struct pario_trace_call *call = t->step.call;
	uint32_t n;

	*until = now;
	if (s->in->by_trace || call->layer != PARIO_TRACE_MPIIO || !collective_on_file(call->op))
		return true;
	if (call->op == PARIO_OP_MPI_File_open)
		remember_handle(s, call);
	n = pario_map_find(&s->handles.map,
			   (struct pario_map_key){ call->process, (uint32_t)call->fd, 0 });
	return !n ||
	       pario_meet_all(s->meets, number, call->process, s->handles.comms[n], now, until);
}

static void release(struct state *s)
{
	uint32_t count;
	const struct pario_meet_release *list = pario_meet_released(s->meets, &count);

	for (uint32_t i = 0; i < count; i++) {
		struct thread *t = &s->threads[list[i].thread];

		/* who waits for several messages waits for the next of them */
		if (t->phase == BLOCKED)
			push(s, list[i].thread, fmax(list[i].at, t->begun),
			     t->step.call->arguments.kind == PARIO_ARGUMENTS_COLLECTIVE ||
					     t->step.kind != PARIO_STEP_MEET
				     ? END
				     : AGAIN);
	}
}

static void begin_meeting(struct state *s, uint32_t number, struct thread *t)
{
	double until = t->at + t->step.ns * 1e-9;
	bool go = s->in->by_trace || pario_meet(s->meets, number, t->step.call, t->at, &until);

	if (go)
		push(s, number, isnan(until) ? t->begun + t->step.ns * 1e-9 : until, END);
	else
		t->phase = BLOCKED;
	release(s);
}

static void begin_kept(struct state *s, uint32_t number, struct thread *t)
{
	bool outer = t->step.kind == PARIO_STEP_OUTER;
	bool together = !s->in->by_trace && t->step.kind != PARIO_STEP_OTHER &&
			t->step.call->layer == PARIO_TRACE_MPIIO &&
			collective_on_file(t->step.call->op);
	double until = t->at + (outer || together ? 0 : t->step.ns * 1e-9);

	if (together && !end_together(s, number, t, t->at, &until))
		t->phase = BLOCKED;
	else
		push(s, number, until, END);
	release(s);
}

static void begin(struct state *s, uint32_t number)
{
	struct thread *t = &s->threads[number];
	uint64_t device_bytes;

	t->begun = t->at;
	if (t->step.kind != PARIO_STEP_OUTER)
		enter(t);
	if (t->step.kind == PARIO_STEP_MEET) {
		begin_meeting(s, number, t);
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
		compare(s, t);
		push(s, number, t->begun + t->step.ns * 1e-9, END);
	} else {
		simulate_call(s, number, t, device_bytes);
	}
}

static void finish_io(struct state *s, struct thread *t, double now)
{
	struct pario_class *class;

	s->active--;
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

static int end(struct state *s, uint32_t number, double now)
{
	struct thread *t = &s->threads[number];

	if (t->step.kind == PARIO_STEP_IO)
		finish_io(s, t, now);
	if (t->step.kind == PARIO_STEP_MEET) {
		s->sim->waiting += now - t->begun;
		s->sim->waiting_measured += t->step.ns * 1e-9;
	} else if (t->step.kind != PARIO_STEP_OTHER) {
		count(s, number, t, now);
	} else if (t->step.depth == 0) {
		for (unsigned k = 0; k < DEPTHS; k++)
			t->within[k] = false;
		t->inner = t->inner_measured = 0;
	}
	t->last = now;
	return advance(s, number);
}

/* When all wait, calls are missing in the trace: the first goes on, as it would not have come otherwise. */
static bool give_up(struct state *s)
{
	for (uint32_t i = 1; i <= s->sim->threads; i++) {
		struct thread *t = &s->threads[i];

		if (t->phase != BLOCKED)
			continue;
		pario_meet_give_up(s->meets, i);
		s->sim->given_up++;
		push(s, i, t->begun + t->step.ns * 1e-9, END);
		return true;
	}
	return false;
}

static int one_event(struct state *s)
{
	double next = s->heap_count ? s->threads[s->heap[0]].at : INFINITY;
	double done = s->station.count ? pario_station_next(&s->station) : INFINITY;
	uint32_t number;

	if (done <= next) {
		number = pario_station_done(&s->station, done);
		s->reads -= s->threads[number].step.key.op == PARIO_SYSTEM_READ;
		return end(s, number, done);
	}
	number = pop(s);
	if (s->threads[number].phase == BEGIN) {
		begin(s, number);
		return 0;
	}
	if (s->threads[number].phase == AGAIN) {
		begin_meeting(s, number, &s->threads[number]);
		return 0;
	}
	return end(s, number, s->threads[number].at);
}

static int run(struct state *s)
{
	for (uint32_t i = 1; i <= s->sim->threads; i++) {
		if (pario_steps_open(&s->threads[i].steps, &s->shared, i, s->err) < 0 ||
		    advance(s, i) < 0)
			return -1;
	}
	while (s->heap_count || s->station.count || give_up(s)) {
		if (one_event(s) < 0)
			return -1;
	}
	if (s->shared.no_memory || s->sim->classes.no_memory || pario_cache_failed(s->memory.cache))
		return pario_err_set(s->err, PARIO_SYSTEM, "no memory for the simulation.");
	return 0;
}

/* ---- all of it ---- */

static void sum_up(struct state *s)
{
	struct pario_sim *sim = s->sim;
	double first = INFINITY;

	for (uint32_t i = 1; i <= sim->threads; i++) {
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
	sim->asynchronous = s->shared.asynchronous;
	sim->asynchronous_seconds = s->shared.asynchronous_ns * 1e-9;
	sim->mapped = s->shared.mapped;
	sim->mapped_seconds = s->shared.mapped_ns * 1e-9;
}

static int prepare(struct state *s)
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
	if (!s->threads || !s->heap || !sim->thread_io || !sim->thread_io_measured ||
	    !sim->thread_end || !sim->firsts || !s->meets)
		return pario_err_set(s->err, PARIO_SYSTEM, "no memory for the simulation.");
	if (pario_steps_share(&s->shared, trace, s->err) < 0 ||
	    pario_memory_init(&s->memory, s->in->costs, files, s->in->background, s->err) < 0)
		return -1;
	for (uint32_t i = 1; s->in->warm && i <= files; i++) {
		if (s->in->warm[i])
			pario_memory_warm(&s->memory, i);
	}
	return 0;
}

int pario_simulate(struct pario_sim *sim, const struct pario_sim_input *input,
		   struct pario_err *err)
{
	struct state *s = calloc(1, sizeof(*s));
	int status = -1;

	*sim = (struct pario_sim){ 0 };
	if (!s)
		return pario_err_set(err, PARIO_SYSTEM, "no memory for the simulation.");
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
