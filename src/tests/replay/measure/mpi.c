/*
 * mpi: the calls by which ranks wait for each other, on communicators of the same members. The amounts are those of the
 * trace where all members must agree on them; what each gives and takes in the calls with vectors of counts is not in a
 * trace, and one byte keeps the dependency.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "tests/replay/measure/mpi.h"

enum { TAG = 4711, COUNT_MOST = 1 << 28 };

struct pario_replay_mpi *pario_replay_mpi_open(struct pario_replay *r)
{
	struct pario_replay_mpi *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->replay = r;
	m->world = r->run->comm;
	MPI_Comm_group(m->world, &m->group);
	MPI_Comm_size(m->world, &m->size);
	return m;
}

static void release_requests(struct pario_replay_mpi *m)
{
	for (uint32_t i = 0; i < m->request_capacity; i++) {
		struct pario_replay_request *q = &m->requests[i];

		if (q->used && q->request != MPI_REQUEST_NULL && !q->received)
			MPI_Wait(&q->request, MPI_STATUS_IGNORE);
		else if (q->used && q->request != MPI_REQUEST_NULL) {
			MPI_Cancel(&q->request);
			MPI_Request_free(&q->request);
		}
		free(q->memory);
	}
	free(m->requests);
}

void pario_replay_mpi_close(struct pario_replay_mpi *m)
{
	if (!m)
		return;
	release_requests(m);
	pario_replay_mpiio_close(m);
	for (uint32_t i = 0; i < m->comm_count; i++) {
		if (m->comms[i].comm != MPI_COMM_NULL)
			MPI_Comm_free(&m->comms[i].comm);
		free(m->comms[i].ranks);
	}
	free(m->comms);
	free(m->scratch);
	MPI_Group_free(&m->group);
	free(m);
}

/* ---- communicators ---- */

static struct pario_replay_comm *known(struct pario_replay_mpi *m, int32_t number)
{
	for (uint32_t i = 0; i < m->comm_count; i++) {
		if (m->comms[i].number == number)
			return &m->comms[i];
	}
	return NULL;
}

static void remember(struct pario_replay_mpi *m, int32_t number, MPI_Comm comm, int *ranks,
		     int size)
{
	struct pario_replay_comm *c = known(m, number);
	void *grown;

	if (!c) {
		grown = pario_map_grow(m->comms, &m->comm_capacity, m->comm_count,
				       sizeof(*m->comms));
		if (!grown) {
			free(ranks);
			return;
		}
		m->comms = grown;
		c = &m->comms[m->comm_count++];
	} else
		free(c->ranks);
	*c = (struct pario_replay_comm){
		.number = number, .comm = comm, .ranks = ranks, .size = size
	};
}

/* Of the members, whose ranks in the world are written in their order. */
static MPI_Comm create(struct pario_replay_mpi *m, const struct pario_trace_comm *c, int *ranks)
{
	MPI_Comm comm = MPI_COMM_NULL;
	MPI_Group group;

	for (uint32_t i = 0; i < c->size; i++) {
		uint32_t rank = pario_trace_member(c->members, c->member_runs, i);

		if (rank >= (uint32_t)m->size)
			return MPI_COMM_NULL;
		ranks[i] = (int)rank;
	}
	if (MPI_Group_incl(m->group, (int)c->size, ranks, &group) != MPI_SUCCESS)
		return MPI_COMM_NULL;
	if (MPI_Comm_create_group(m->world, group, TAG, &comm) != MPI_SUCCESS)
		comm = MPI_COMM_NULL;
	MPI_Group_free(&group);
	return comm;
}

MPI_Comm pario_replay_comm_of(struct pario_replay_actor *a, int32_t number)
{
	struct pario_replay_mpi *m = a->process->mpi;
	struct pario_replay_comm *k = known(m, number);

	if (number == PARIO_COMM_WORLD)
		return m->world;
	if (number == PARIO_COMM_SELF)
		return MPI_COMM_SELF;
	return k ? k->comm : MPI_COMM_NULL;
}

static int make_comm(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_mpi *m = a->process->mpi;
	struct pario_trace_comm c;
	MPI_Comm comm;
	int *ranks;

	if (call->arguments.kind != PARIO_ARGUMENTS_COMM || call->arguments.comm.made == 0 ||
	    call->failed)
		return PARIO_NEEDLESS;
	if (!pario_trace_comm_of(a->replay->trace, call->process, call->arguments.comm.made, &c) ||
	    !c.whole || c.size == 0 || c.size > (uint32_t)m->size || c.remote_size)
		return pario_left(PARIO_LEFT_UNKNOWN);
	ranks = malloc(c.size * sizeof(*ranks));
	if (!ranks)
		return pario_left(PARIO_LEFT_UNKNOWN);
	a->t0 = pario_run_now();
	comm = create(m, &c, ranks);
	a->t1 = pario_run_now();
	if (comm == MPI_COMM_NULL) {
		free(ranks);
		return pario_left(PARIO_LEFT_UNKNOWN);
	}
	remember(m, call->arguments.comm.made, comm, ranks, (int)c.size);
	return PARIO_MADE;
}

/* ---- memory ---- */

/* Of a collective call: one part for each member. */
static char *scratch(struct pario_replay_mpi *m, uint64_t bytes)
{
	char *bigger;

	if (bytes <= m->scratch_bytes && m->scratch)
		return m->scratch;
	bigger = realloc(m->scratch, bytes);
	if (!bigger)
		return NULL;
	m->scratch = bigger;
	m->scratch_bytes = bytes;
	return bigger;
}

static int count_of(uint64_t bytes)
{
	return bytes > COUNT_MOST ? COUNT_MOST : (int)bytes;
}

/* ---- collective calls ---- */

/* Those whose amounts differ between the members. */
static bool uneven(uint16_t op)
{
	switch (op) {
	case PARIO_OP_MPI_Gatherv:
	case PARIO_OP_MPI_Scatterv:
	case PARIO_OP_MPI_Allgatherv:
	case PARIO_OP_MPI_Alltoallv:
	case PARIO_OP_MPI_Alltoallw:
	case PARIO_OP_MPI_Igatherv:
	case PARIO_OP_MPI_Iscatterv:
	case PARIO_OP_MPI_Iallgatherv:
	case PARIO_OP_MPI_Ialltoallv:
	case PARIO_OP_MPI_Ialltoallw:
	case PARIO_OP_MPI_Gather: /* what the root says of its own part may be MPI_IN_PLACE */
	case PARIO_OP_MPI_Scatter:
	case PARIO_OP_MPI_Igather:
	case PARIO_OP_MPI_Iscatter:
	case PARIO_OP_MPI_Allgather:
	case PARIO_OP_MPI_Iallgather:
	case PARIO_OP_MPI_Alltoall:
	case PARIO_OP_MPI_Ialltoall:
	case PARIO_OP_MPI_Reduce_scatter:
	case PARIO_OP_MPI_Ireduce_scatter:
	case PARIO_OP_MPI_Reduce_scatter_block:
	case PARIO_OP_MPI_Ireduce_scatter_block:
		return true;
	default:
		return false;
	}
}

/* How it makes its members wait: for a root, for all, or for those before. */
static int meet(uint16_t op, int n, int root, MPI_Comm comm, char *from, char *to, MPI_Request *q)
{
	switch (op) {
	case PARIO_OP_MPI_Barrier:
	case PARIO_OP_MPI_Ibarrier:
		return MPI_Ibarrier(comm, q);
	case PARIO_OP_MPI_Bcast:
	case PARIO_OP_MPI_Ibcast:
		return MPI_Ibcast(from, n, MPI_BYTE, root, comm, q);
	case PARIO_OP_MPI_Reduce:
	case PARIO_OP_MPI_Ireduce:
		return MPI_Ireduce(from, to, n, MPI_BYTE, MPI_BOR, root, comm, q);
	case PARIO_OP_MPI_Gather:
	case PARIO_OP_MPI_Gatherv:
	case PARIO_OP_MPI_Igather:
	case PARIO_OP_MPI_Igatherv:
		return MPI_Igather(from, n, MPI_BYTE, to, n, MPI_BYTE, root, comm, q);
	case PARIO_OP_MPI_Scatter:
	case PARIO_OP_MPI_Scatterv:
	case PARIO_OP_MPI_Iscatter:
	case PARIO_OP_MPI_Iscatterv:
		return MPI_Iscatter(from, n, MPI_BYTE, to, n, MPI_BYTE, root, comm, q);
	case PARIO_OP_MPI_Scan:
	case PARIO_OP_MPI_Iscan:
		return MPI_Iscan(from, to, n, MPI_BYTE, MPI_BOR, comm, q);
	case PARIO_OP_MPI_Exscan:
	case PARIO_OP_MPI_Iexscan:
		return MPI_Iexscan(from, to, n, MPI_BYTE, MPI_BOR, comm, q);
	case PARIO_OP_MPI_Allreduce:
	case PARIO_OP_MPI_Iallreduce:
		return MPI_Iallreduce(from, to, n, MPI_BYTE, MPI_BOR, comm, q);
	default: /* all wait for all */
		return MPI_Iallgather(from, n, MPI_BYTE, to, n, MPI_BYTE, comm, q);
	}
}

static int collective(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_mpi *m = a->process->mpi;
	MPI_Comm comm = pario_replay_comm_of(a, call->arguments.collective.comm);
	int n = uneven(call->op) ? 1 : count_of(call->size), root = call->arguments.collective.root;
	uint32_t request = call->arguments.collective.request;
	MPI_Request q = MPI_REQUEST_NULL;
	char *memory, *own = NULL;
	uint64_t parts;
	int size, rc;

	if (comm == MPI_COMM_NULL)
		return pario_left(PARIO_LEFT_UNKNOWN);
	MPI_Comm_size(comm, &size);
	if (root >= size)
		return pario_left(PARIO_LEFT_UNKNOWN);
	if (root < 0)
		root = 0;
	/* where a root has a part for each member, n is 1 */
	parts = uneven(call->op) ? (uint64_t)size : (uint64_t)n;
	memory = request ? (own = malloc(2 * parts + 2)) : scratch(m, 2 * parts + 2);
	if (!memory)
		return pario_left(PARIO_LEFT_LIBRARY);
	a->t0 = pario_run_now();
	rc = meet(call->op, n, root, comm, memory, memory + parts, &q);
	if (rc == MPI_SUCCESS && !request)
		rc = MPI_Wait(&q, MPI_STATUS_IGNORE);
	a->t1 = pario_run_now();
	if (request)
		pario_replay_request_add(m, request, q, own, false);
	return rc == MPI_SUCCESS ? PARIO_MADE : PARIO_FAILED_HERE;
}

/* ---- messages ---- */

static bool receives(uint16_t op)
{
	return op == PARIO_OP_MPI_Recv || op == PARIO_OP_MPI_Irecv || op == PARIO_OP_MPI_Recv_init;
}

/* Ranks of a trace that are none. */
static int rank_here(int32_t rank)
{
	return rank == PARIO_RANK_ANY ? MPI_ANY_SOURCE : rank < 0 ? MPI_PROC_NULL : rank;
}

static int tag_here(uint32_t tag)
{
	return tag == PARIO_TAG_ANY ? MPI_ANY_TAG : (int)(tag & 0x7fff);
}

static int exchange(struct pario_replay_actor *a, const struct pario_trace_call *call,
		    MPI_Comm comm)
{
	int n = count_of(call->size), back = count_of(call->arguments.message.receives);
	char *memory = scratch(a->process->mpi, (uint64_t)n + (uint64_t)back + 2);
	int rc;

	if (!memory)
		return pario_left(PARIO_LEFT_LIBRARY);
	a->t0 = pario_run_now();
	rc = MPI_Sendrecv(memory, n, MPI_BYTE, rank_here(call->arguments.message.peer),
			  tag_here(call->arguments.message.tag), memory + n, back, MPI_BYTE,
			  rank_here(call->arguments.message.from),
			  tag_here(call->arguments.message.from_tag), comm, MPI_STATUS_IGNORE);
	a->t1 = pario_run_now();
	return rc == MPI_SUCCESS ? PARIO_MADE : PARIO_FAILED_HERE;
}

static int message(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	struct pario_replay_mpi *m = a->process->mpi;
	MPI_Comm comm = pario_replay_comm_of(a, call->arguments.message.comm);
	int n = count_of(call->size), peer = rank_here(call->arguments.message.peer),
	    tag = tag_here(call->arguments.message.tag), size, rc;
	uint32_t request = call->arguments.message.request;
	bool synchronous = call->op == PARIO_OP_MPI_Ssend || call->op == PARIO_OP_MPI_Issend;
	MPI_Request q = MPI_REQUEST_NULL;
	char *memory, *own = NULL;

	if (comm == MPI_COMM_NULL || call->failed)
		return pario_left(PARIO_LEFT_UNKNOWN);
	MPI_Comm_size(comm, &size);
	if (peer >= size)
		return pario_left(PARIO_LEFT_UNKNOWN);
	if (call->op == PARIO_OP_MPI_Sendrecv || call->op == PARIO_OP_MPI_Sendrecv_replace)
		return exchange(a, call, comm);
	memory = request ? (own = malloc((size_t)n + 1)) : scratch(m, (uint64_t)n + 1);
	if (!memory)
		return pario_left(PARIO_LEFT_LIBRARY);
	a->t0 = pario_run_now();
	if (receives(call->op))
		rc = MPI_Irecv(memory, n, MPI_BYTE, peer, tag, comm, &q);
	else if (synchronous)
		rc = MPI_Issend(memory, n, MPI_BYTE, peer, tag == MPI_ANY_TAG ? 0 : tag, comm, &q);
	else
		rc = MPI_Isend(memory, n, MPI_BYTE, peer, tag == MPI_ANY_TAG ? 0 : tag, comm, &q);
	if (rc == MPI_SUCCESS && !request)
		rc = MPI_Wait(&q, MPI_STATUS_IGNORE);
	a->t1 = pario_run_now();
	if (request)
		pario_replay_request_add(m, request, q, own, receives(call->op));
	return rc == MPI_SUCCESS ? PARIO_MADE : PARIO_FAILED_HERE;
}

/* ---- requests ---- */

void pario_replay_request_add(struct pario_replay_mpi *m, uint32_t number, MPI_Request request,
			      char *memory, bool received)
{
	void *grown = number < 1u << 24 ? pario_map_grow(m->requests, &m->request_capacity, number,
							 sizeof(*m->requests))
					: NULL;
	struct pario_replay_request *q;

	if (!grown) {
		if (request != MPI_REQUEST_NULL)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		free(memory);
		return;
	}
	m->requests = grown;
	q = &m->requests[number];
	if (q->used && q->request != MPI_REQUEST_NULL)
		MPI_Wait(&q->request, MPI_STATUS_IGNORE);
	free(q->memory);
	*q = (struct pario_replay_request){
		.request = request, .memory = memory, .used = true, .received = received
	};
}

static void complete(struct pario_replay_mpi *m, uint32_t number)
{
	struct pario_replay_request *q = number < m->request_capacity ? &m->requests[number] : NULL;

	if (!q || !q->used)
		return;
	if (q->request != MPI_REQUEST_NULL)
		MPI_Wait(&q->request, MPI_STATUS_IGNORE);
	free(q->memory);
	*q = (struct pario_replay_request){ .request = MPI_REQUEST_NULL };
}

/* Waits for those that the original saw done; a test that saw none asks for nothing. */
static int wait_again(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	a->t0 = pario_run_now();
	if (call->request_count == 0 && call->arguments.kind == PARIO_ARGUMENTS_REQUESTS &&
	    call->arguments.requests.done)
		complete(a->process->mpi, call->arguments.requests.first);
	for (uint32_t i = 0; i < call->request_count; i++)
		complete(a->process->mpi, call->requests[i]);
	a->t1 = pario_run_now();
	return PARIO_MADE;
}

/* Nobody leaves MPI_Init before all have come; here it is a barrier, whose time does not count. */
static int begin(struct pario_replay_actor *a)
{
	struct pario_replay_mpi *m = a->process->mpi;

	if (a->replay->scan->meets && !m->begun && a->replay->scan->threads[a->thread].first)
		MPI_Barrier(m->world);
	m->begun = true;
	return PARIO_NEEDLESS;
}

/* ---- lateness ---- */

static double late_of(const struct pario_replay_actor *a, int rank)
{
	const struct pario_replay *r = a->replay;
	uint32_t thread =
		rank < (int)r->scan->ranks && r->near[rank] ? r->scan->clients[rank].thread : 0;

	return thread ? r->tallies[thread].late_ns : 0;
}

/*
 * Who was waited for may have been late by what replaying took there. It makes up for that in its next gap; so must
 * whoever waited for it, or else it waits for them there, and what was made up is lost. No more is taken than the call
 * took longer here, and of each node's own ranks alone: `peer` of the communicator, or all up to so many.
 */
static void wait_late(struct pario_replay_actor *a, const struct pario_trace_call *call,
		      int32_t number, int peer)
{
	enum { MOST = 64 };
	struct pario_replay_mpi *m = a->process->mpi;
	const struct pario_replay_comm *k = known(m, number);
	int size = number == PARIO_COMM_WORLD ? m->size : k ? k->size : 0;
	double longer = (double)(a->t1 - a->t0) - (call->end_ns - call->start_ns), late = 0;

	if (!(longer > 0))
		return;
	for (int i = peer < 0 ? 0 : peer; i < size && i < (peer < 0 ? MOST : peer + 1); i++)
		late = fmax(late, late_of(a, k ? k->ranks[i] : i));
	if (late > a->late_ns)
		a->late_ns = fmin(late, a->late_ns + longer);
}

int pario_replay_mpi(struct pario_replay_actor *a, const struct pario_trace_call *call)
{
	int answer;

	if (pario_replay_own(call->op))
		return call->op == PARIO_OP_MPI_Finalize ? PARIO_NEEDLESS : begin(a);
	a->tally->late_ns = a->late_ns; /* for those that wait for this one */
	switch (call->arguments.kind) {
	case PARIO_ARGUMENTS_COLLECTIVE:
		answer = collective(a, call);
		if (answer == PARIO_MADE)
			wait_late(a, call, call->arguments.collective.comm, -1);
		return answer;
	case PARIO_ARGUMENTS_MESSAGE:
		answer = message(a, call);
		if (answer == PARIO_MADE && call->arguments.message.peer >= 0)
			wait_late(a, call, call->arguments.message.comm,
				  call->arguments.message.peer);
		return answer;
	case PARIO_ARGUMENTS_REQUESTS:
		return call->op == PARIO_OP_MPI_Request_free || call->op == PARIO_OP_MPI_Start ||
				       call->op == PARIO_OP_MPI_Startall
			       ? pario_left(PARIO_LEFT_LIBRARY)
			       : wait_again(a, call);
	case PARIO_ARGUMENTS_COMM:
		return make_comm(a, call);
	default:
		return PARIO_NEEDLESS;
	}
}
