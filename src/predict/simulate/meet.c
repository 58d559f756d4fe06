/*
 * meet: gatherings by communicator and number, messages by sender, receiver and tag.
 */
#include "predict/simulate/meet.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"

enum { COMMS = 1 << 20, QUEUES = 1 << 22, REQUESTS = 1 << 22 };
enum shape { NONE, ALL, FROM_ROOT, TO_ROOT };

/* One collective call. */
struct gathering {
	uint32_t arrived, waiting; /* waiting: the first thread; 0 = none */
	double latest, root_at;	   /* root_at: NaN until it came */
	uint32_t root_waits;
	double least; /* rest of a member */
};

/* Those of a communicator that are not over: a ring, the oldest first. */
struct circle {
	struct gathering *ring;
	uint64_t first;
	uint32_t count, capacity;
};

/* Messages that were sent and not received, or the one who waits for the next. */
struct queue {
	double *sent;
	uint32_t first, count, capacity;
	uint32_t waiting;
};

struct pario_meets {
	const struct pario_trace *trace;
	const struct pario_costs *costs;
	struct pario_map circle_of, turn_of, queue_of, request_of;
	struct circle *circles;
	uint64_t *turns; /* how many collective calls a process has made on a communicator */
	struct queue *queues;
	uint32_t *request_queues;
	uint32_t circle_capacity, turn_capacity, queue_capacity, request_capacity;
	uint32_t *next; /* by thread: the one that waits with it */
	uint32_t *at;	/* by thread: how many requests of its call it has been through */
	struct pario_meet_release *released;
	uint32_t released_count, released_capacity, threads;
};

struct pario_meets *pario_meets_new(const struct pario_trace *trace,
				    const struct pario_costs *costs, uint32_t threads)
{
	struct pario_meets *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->trace = trace;
	m->costs = costs;
	m->threads = threads;
	m->circle_of.limit = m->turn_of.limit = COMMS;
	m->queue_of.limit = QUEUES;
	m->request_of.limit = REQUESTS;
	m->next = calloc(threads + 1ul, sizeof(*m->next));
	m->at = calloc(threads + 1ul, sizeof(*m->at));
	m->released = calloc(threads + 1ul, sizeof(*m->released));
	m->released_capacity = threads + 1;
	if (!m->next || !m->at || !m->released) {
		pario_meets_free(m);
		return NULL;
	}
	return m;
}

void pario_meets_free(struct pario_meets *m)
{
	for (uint32_t i = 0; m && i < m->circle_capacity; i++)
		free(m->circles[i].ring);
	for (uint32_t i = 0; m && i < m->queue_capacity; i++)
		free(m->queues[i].sent);
	if (m) {
		pario_map_release(&m->circle_of);
		pario_map_release(&m->turn_of);
		pario_map_release(&m->queue_of);
		pario_map_release(&m->request_of);
		free(m->circles);
		free(m->turns);
		free(m->queues);
		free(m->request_queues);
		free(m->next);
		free(m->at);
		free(m->released);
	}
	free(m);
}

const struct pario_meet_release *pario_meet_released(struct pario_meets *m, uint32_t *count)
{
	*count = m->released_count;
	m->released_count = 0;
	return m->released;
}

static void release(struct pario_meets *m, uint32_t thread, double at)
{
	if (m->released_count < m->released_capacity)
		m->released[m->released_count++] = (struct pario_meet_release){ thread, at };
}

static void release_all(struct pario_meets *m, struct gathering *g, double at)
{
	for (uint32_t t = g->waiting; t; t = m->next[t])
		release(m, t, at);
	g->waiting = 0;
}

/* ---- collective calls ---- */

static enum shape shape_of(uint16_t op)
{
	switch (op) {
	case PARIO_OP_MPI_Barrier:
	case PARIO_OP_MPI_Allreduce:
	case PARIO_OP_MPI_Allgather:
	case PARIO_OP_MPI_Allgatherv:
	case PARIO_OP_MPI_Alltoall:
	case PARIO_OP_MPI_Alltoallv:
	case PARIO_OP_MPI_Alltoallw:
	case PARIO_OP_MPI_Scan:
	case PARIO_OP_MPI_Exscan:
	case PARIO_OP_MPI_Reduce_scatter:
	case PARIO_OP_MPI_Reduce_scatter_block:
		return ALL;
	case PARIO_OP_MPI_Bcast:
	case PARIO_OP_MPI_Scatter:
	case PARIO_OP_MPI_Scatterv:
		return FROM_ROOT;
	case PARIO_OP_MPI_Reduce:
	case PARIO_OP_MPI_Gather:
	case PARIO_OP_MPI_Gatherv:
		return TO_ROOT;
	default:
		return NONE;
	}
}

/* The gathering that is next for a process; NULL: no memory. */
static struct gathering *turn(struct pario_meets *m, uint64_t comm, uint32_t process, bool files,
			      struct circle **circle)
{
	bool is_new;
	uint32_t c =
		pario_map_add(&m->circle_of, (struct pario_map_key){ comm, files, 0 }, &is_new);
	uint32_t t =
		pario_map_add(&m->turn_of, (struct pario_map_key){ comm, process, files }, &is_new);
	void *circles = pario_map_grow(m->circles, &m->circle_capacity, c, sizeof(*m->circles));
	void *turns =
		circles ? pario_map_grow(m->turns, &m->turn_capacity, t, sizeof(*m->turns)) : NULL;
	uint64_t number;

	if (circles)
		m->circles = circles;
	if (!turns || !c || !t)
		return NULL;
	m->turns = turns;
	*circle = &m->circles[c];
	number = m->turns[t]++;
	if (number < (*circle)->first)
		return NULL;
	number -= (*circle)->first;
	while ((*circle)->count <= number) {
		void *grown = pario_map_grow((*circle)->ring, &(*circle)->capacity,
					     (*circle)->count, sizeof(struct gathering));

		if (!grown)
			return NULL;
		(*circle)->ring = grown;
		(*circle)->ring[(*circle)->count++] = (struct gathering){ .latest = -INFINITY,
									  .root_at = (double)NAN,
									  .least = INFINITY };
	}
	return &(*circle)->ring[number];
}

/* What is over at the front goes. */
static void close_circle(struct circle *c, uint32_t size)
{
	uint32_t over = 0;

	while (over < c->count && c->ring[over].arrived >= size)
		over++;
	for (uint32_t i = over; over && i < c->count; i++)
		c->ring[i - over] = c->ring[i];
	c->count -= over;
	c->first += over;
}

static bool wait_in(struct pario_meets *m, struct gathering *g, uint32_t thread)
{
	m->next[thread] = g->waiting;
	g->waiting = thread;
	return false;
}

static bool gather(struct pario_meets *m, struct gathering *g, enum shape shape, uint32_t thread,
		   bool root, uint32_t size, double now, double cost, double *until)
{
	bool last = ++g->arrived >= size;

	if (now > g->latest)
		g->latest = now;
	if (root)
		g->root_at = now;
	*until = now + cost;
	switch (shape) {
	case FROM_ROOT:
		if (root)
			release_all(m, g, now + cost);
		else if (isnan(g->root_at))
			return wait_in(m, g, thread);
		*until = fmax(now, g->root_at + cost);
		return true;
	case TO_ROOT:
		if (last && g->root_waits)
			release(m, g->root_waits, now + cost);
		if (root && !last) {
			g->root_waits = thread;
			return false;
		}
		return true;
	default:
		if (!last)
			return wait_in(m, g, thread);
		*until = g->latest + cost + (isfinite(g->least) ? g->least : 0);
		release_all(m, g, *until);
		return true;
	}
}

static bool collective(struct pario_meets *m, uint32_t thread, const struct pario_trace_call *call,
		       enum shape shape, double now, double *until)
{
	struct pario_trace_comm comm;
	struct circle *circle = NULL;
	struct gathering *g;
	bool go;

	if (!pario_trace_comm_of(m->trace, call->process, call->arguments.collective.comm, &comm) ||
	    comm.size < 2 || comm.remote_size)
		return true;
	g = turn(m, comm.id, call->process, false, &circle);
	if (!g)
		return true;
	go = gather(
		m, g, shape, thread, call->arguments.collective.root == comm.rank, comm.size, now,
		pario_cost_barrier(m->costs, comm.size) + pario_cost_message(m->costs, call->size),
		until);
	close_circle(circle, comm.size);
	return go;
}

bool pario_meet_all(struct pario_meets *m, uint32_t thread, uint32_t process, int32_t number,
		    double now, double rest, double *until)
{
	struct pario_trace_comm comm;
	struct circle *circle = NULL;
	struct gathering *g;
	bool go;

	*until = now + rest;
	if (!pario_trace_comm_of(m->trace, process, number, &comm) || comm.size < 2)
		return true;
	g = turn(m, comm.id, process, true, &circle);
	if (!g)
		return true;
	g->least = fmin(g->least, rest);
	go = gather(m, g, ALL, thread, false, comm.size, now, 0, until);
	close_circle(circle, comm.size);
	return go;
}

/* ---- messages ---- */

static struct queue *queue_of(struct pario_meets *m, uint64_t comm, int32_t from, int32_t to,
			      uint32_t tag, uint32_t *number)
{
	bool is_new;
	uint32_t n = pario_map_add(
		&m->queue_of,
		(struct pario_map_key){ comm, (uint64_t)(uint32_t)from << 32 | (uint32_t)to, tag },
		&is_new);
	void *grown = pario_map_grow(m->queues, &m->queue_capacity, n, sizeof(*m->queues));

	if (grown)
		m->queues = grown;
	*number = n;
	return grown && n ? &m->queues[n] : NULL;
}

static void send(struct pario_meets *m, struct queue *q, double at)
{
	void *grown;

	if (q->first == q->count)
		q->first = q->count = 0;
	grown = pario_map_grow(q->sent, &q->capacity, q->count, sizeof(*q->sent));
	if (!grown)
		return;
	q->sent = grown;
	q->sent[q->count++] = at;
	if (q->waiting)
		release(m, q->waiting, at);
	q->waiting = 0;
}

static bool receive(struct queue *q, uint32_t thread, double now, double *until)
{
	if (q->first == q->count) {
		q->waiting = thread;
		return false;
	}
	*until = fmax(now, q->sent[q->first++]);
	return true;
}

static bool sends(uint16_t op)
{
	return (op >= PARIO_OP_MPI_Send && op <= PARIO_OP_MPI_Irsend) ||
	       op == PARIO_OP_MPI_Sendrecv || op == PARIO_OP_MPI_Sendrecv_replace;
}

static void remember_request(struct pario_meets *m, const struct pario_trace_call *call,
			     uint32_t queue)
{
	bool is_new;
	uint32_t n = pario_map_add(
		&m->request_of,
		(struct pario_map_key){ call->process, call->arguments.message.request, 0 },
		&is_new);
	void *grown = pario_map_grow(m->request_queues, &m->request_capacity, n,
				     sizeof(*m->request_queues));

	if (!grown || !n)
		return;
	m->request_queues = grown;
	m->request_queues[n] = queue;
}

static bool message(struct pario_meets *m, uint32_t thread, const struct pario_trace_call *call,
		    double now, double *until)
{
	bool both = call->op == PARIO_OP_MPI_Sendrecv || call->op == PARIO_OP_MPI_Sendrecv_replace;
	int32_t from = both ? call->arguments.message.from : call->arguments.message.peer;
	uint32_t tag = both ? call->arguments.message.from_tag : call->arguments.message.tag, n;
	struct pario_trace_comm comm;
	struct queue *q;

	if (!pario_trace_comm_of(m->trace, call->process, call->arguments.message.comm, &comm))
		return true;
	if (sends(call->op) && !m->at[thread]) {
		m->at[thread] = 1;
		q = queue_of(m, comm.id, comm.rank, call->arguments.message.peer,
			     call->arguments.message.tag, &n);
		*until = now;
		if (q && call->arguments.message.peer >= 0)
			send(m, q, now + pario_cost_message(m->costs, call->size));
	}
	if (sends(call->op) && !both)
		return true;
	if (from < 0)
		return true;
	q = queue_of(m, comm.id, from, comm.rank, tag, &n);
	if (!q)
		return true;
	if (call->op == PARIO_OP_MPI_Irecv) {
		remember_request(m, call, n);
		*until = now;
		return true;
	}
	return receive(q, thread, now, until);
}

/* ---- requests ---- */

static bool wait_for(struct pario_meets *m, uint32_t thread, const struct pario_trace_call *call,
		     double now, double *until)
{
	const uint32_t *requests =
		call->requests ? call->requests : &call->arguments.requests.first;
	uint32_t count = call->requests ? call->request_count
					: (uint32_t)(call->arguments.requests.first != 0);

	for (; m->at[thread] < count; m->at[thread]++) {
		uint32_t n = pario_map_find(
			&m->request_of,
			(struct pario_map_key){ call->process, requests[m->at[thread]], 0 });

		if (!n || n >= m->request_capacity || !m->request_queues[n])
			continue;
		if (!receive(&m->queues[m->request_queues[n]], thread, now, until))
			return false;
		m->request_queues[n] = 0;
		now = *until;
	}
	return true;
}

bool pario_meet(struct pario_meets *m, uint32_t thread, const struct pario_trace_call *call,
		double now, double *until)
{
	enum shape shape = shape_of(call->op);
	bool go = true;

	*until = (double)NAN;
	if (shape != NONE && call->arguments.kind == PARIO_ARGUMENTS_COLLECTIVE)
		return collective(m, thread, call, shape, now, until);
	if (call->arguments.kind == PARIO_ARGUMENTS_MESSAGE)
		go = message(m, thread, call, now, until);
	else if (call->arguments.kind == PARIO_ARGUMENTS_REQUESTS &&
		 call->op <= PARIO_OP_MPI_Testsome)
		go = wait_for(m, thread, call, now, until);
	if (go)
		m->at[thread] = 0;
	return go;
}

void pario_meet_give_up(struct pario_meets *m, uint32_t thread)
{
	m->at[thread] = 0;
	for (uint32_t i = 1; i <= m->queue_of.count && i < m->queue_capacity; i++) {
		if (m->queues[i].waiting == thread)
			m->queues[i].waiting = 0;
	}
	for (uint32_t i = 1; i <= m->circle_of.count && i < m->circle_capacity; i++) {
		for (uint32_t k = 0; k < m->circles[i].count; k++) {
			struct gathering *g = &m->circles[i].ring[k];
			uint32_t *link = &g->waiting;

			while (*link && *link != thread)
				link = &m->next[*link];
			if (*link)
				*link = m->next[thread];
			if (g->root_waits == thread)
				g->root_waits = 0;
		}
	}
}
