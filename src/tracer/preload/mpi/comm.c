/*
 * comm: communicators. Each gets a number within the process when it is made or first seen, and an identity that all
 * its members compute alike, without a message: from that of the communicator it was made of, from its members in
 * their order, and from how many of the same members were made of the same one before.
 */
#include "tracer/preload/mpi/mpi.h"

#include <string.h>

enum { COMMS = 4096, COUNTERS = 4096 };

static struct comm {
	uint64_t handle,
		id; /* handle: 0 = free, PARIO_MPI_CLOSED = free, but searches go on behind it */
	int number;
} comms[COMMS];

/* How many communicators were made of the same members. */
static struct {
	uint64_t key;
	uint32_t count;
} counters[COUNTERS];

static int numbers = PARIO_COMM_FIRST;

/* ---- what MPI is asked ---- */

#define ASK(name, type, ...)                                        \
	static struct pario_symbol symbol = { "PMPI_" name, NULL }; \
	int(*ask) type = (int(*) type)pario_next(&symbol);          \
	return ask && ask(__VA_ARGS__) == MPI_SUCCESS

static bool group_of(MPI_Comm comm, MPI_Group *group)
{
	ASK("Comm_group", (MPI_Comm, MPI_Group *), comm, group);
}

static bool remote_group_of(MPI_Comm comm, MPI_Group *group)
{
	ASK("Comm_remote_group", (MPI_Comm, MPI_Group *), comm, group);
}

static bool is_inter(MPI_Comm comm, int *inter)
{
	ASK("Comm_test_inter", (MPI_Comm, int *), comm, inter);
}

static bool size_of(MPI_Group group, int *size)
{
	ASK("Group_size", (MPI_Group, int *), group, size);
}

static bool translate(MPI_Group from, int n, const int *ranks, MPI_Group to, int *answers)
{
	ASK("Group_translate_ranks", (MPI_Group, int, const int *, MPI_Group, int *), from, n,
	    ranks, to, answers);
}

static bool free_group(MPI_Group *group)
{
	ASK("Group_free", (MPI_Group *), group);
}

static bool asked_rank(MPI_Comm comm, int *rank)
{
	ASK("Comm_rank", (MPI_Comm, int *), comm, rank);
}

int pario_mpi_rank_in(MPI_Comm comm)
{
	int rank = -1;

	return asked_rank(comm, &rank) ? rank : -1;
}

static bool is_initialized(int *is)
{
	ASK("Initialized", (int *), is);
}

static bool is_finalized(int *is)
{
	ASK("Finalized", (int *), is);
}

/* In sessions there may be none. */
static bool has_world(void)
{
	int is = 0, was = 0;

	return pario_mpi_names()->world && is_initialized(&is) && is && is_finalized(&was) && !was;
}

/* ---- members ---- */

struct members {
	uint32_t *ranks; /* in MPI_COMM_WORLD; UINT32_MAX: not there */
	int count;
	size_t bytes;
};

static bool list(struct members *m, MPI_Group group)
{
	MPI_Group world;
	int *own;

	*m = (struct members){ 0 };
	if (!size_of(group, &m->count) || m->count <= 0 ||
	    !group_of(pario_mpi_names()->world, &world))
		return false;
	m->bytes = 2 * (size_t)m->count * sizeof(int);
	m->ranks = pario_mpi_memory(m->bytes);
	own = m->ranks ? (int *)m->ranks + m->count : NULL;
	for (int i = 0; own && i < m->count; i++)
		own[i] = i;
	if (own && !translate(group, m->count, own, world, (int *)m->ranks)) {
		pario_mpi_memory_free(m->ranks, m->bytes);
		m->ranks = NULL;
	}
	free_group(&world);
	for (int i = 0; m->ranks && i < m->count; i++) {
		if ((int)m->ranks[i] == MPI_UNDEFINED)
			m->ranks[i] = UINT32_MAX;
	}
	return m->ranks != NULL;
}

static uint64_t mix(uint64_t h, uint64_t value)
{
	h = (h ^ value) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t hash_of(const struct members *m)
{
	uint64_t h = 0x436f6d6d756e6963u;

	for (int i = 0; i < m->count; i++)
		h = mix(h, m->ranks[i]);
	return h;
}

static uint32_t count_up(uint64_t key)
{
	for (uint64_t i = 0; i < 64; i++) {
		uint64_t at = (key + i) % COUNTERS, none = 0;

		if (__atomic_load_n(&counters[at].key, __ATOMIC_ACQUIRE) == key ||
		    __atomic_compare_exchange_n(&counters[at].key, &none, key, false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
		    none == key)
			return __atomic_fetch_add(&counters[at].count, 1, __ATOMIC_RELAXED);
	}
	return 0;
}

/* The leader, and a number that tells apart what has the same one. */
static uint64_t identity(uint64_t h, uint32_t before, uint32_t leader)
{
	uint32_t low = (uint32_t)(mix(h, before) >> 20);

	return (uint64_t)leader << 32 |
	       (low > PARIO_COMM_SELF_LOW ? low : low + PARIO_COMM_SELF_LOW + 1);
}

/* ---- writing it down ---- */

static void put_members(struct pario_trace_record *note, const struct members *m)
{
	enum { MOST = PARIO_TRACE_TEXT_MAX / sizeof(struct pario_trace_members) };
	struct pario_trace_members runs[MOST];
	uint64_t parts = 1, part = 0;

	for (int pass = 0; pass < 2; pass++) { /* first how many parts, then the parts */
		size_t n = 0;

		part = 0;
		for (int i = 0; i < m->count; i++) {
			struct pario_trace_members *last = n ? &runs[n - 1] : NULL;

			if (last && last->count == 1)
				last->step = (int32_t)(m->ranks[i] - last->first);
			if (last &&
			    m->ranks[i] == last->first + last->count * (uint32_t)last->step) {
				last->count++;
				continue;
			}
			if (n == MOST) {
				note->more = part++ << 32 | parts;
				if (pass && part <= PARIO_TRACE_PARTS)
					pario_trace_note(note, (const char *)runs, sizeof(runs));
				n = 0;
			}
			runs[n++] = (struct pario_trace_members){ m->ranks[i], 0, 1 };
		}
		note->more = part << 32 | parts;
		if (pass && part < PARIO_TRACE_PARTS)
			pario_trace_note(note, (const char *)runs, n * sizeof(runs[0]));
		parts = part + 1;
	}
}

static struct comm *slot_of(uint64_t handle, bool add)
{
	for (uint64_t i = 0; handle && i < COMMS; i++) {
		struct comm *c = &comms[(handle / 16 + i) % COMMS];
		uint64_t there = __atomic_load_n(&c->handle, __ATOMIC_ACQUIRE);

		if (there == handle)
			return c;
		if (add && (there == 0 || there == PARIO_MPI_CLOSED) &&
		    __atomic_compare_exchange_n(&c->handle, &there, handle, false, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return c;
		if (!add && there == 0)
			break;
	}
	return NULL;
}

static uint64_t id_of(MPI_Comm comm)
{
	const struct pario_mpi_names *names = pario_mpi_names();
	const struct comm *c;
	int rank;

	if (comm == names->no_comm)
		return 0;
	if (comm == names->world)
		return PARIO_COMM_WORLD_ID;
	if (comm == names->self) {
		rank = pario_mpi_rank_in(names->world);
		return rank < 0 ? 0 : (uint64_t)(uint32_t)rank << 32 | PARIO_COMM_SELF_LOW;
	}
	c = slot_of(PARIO_HANDLE(comm), false);
	return c ? c->id : 0;
}

/* Its number, 0 when it cannot be known. `like` has the same members and may be asked already. */
static int learn(MPI_Comm comm, MPI_Comm like, MPI_Comm parent, uint16_t op)
{
	struct pario_trace_record note = { .op = PARIO_TRACE_COMM, .t0 = pario_ticks(), .arg = op };
	struct members own = { 0 }, other = { 0 };
	MPI_Group group, remote;
	struct comm *c;
	uint64_t h;
	int inter = 0;

	if (!has_world() || !is_inter(like, &inter) || !group_of(like, &group))
		return 0;
	if (list(&own, group) && inter && remote_group_of(like, &remote)) {
		list(&other, remote);
		free_group(&remote);
	}
	free_group(&group);
	c = own.ranks ? slot_of(PARIO_HANDLE(comm), true) : NULL;
	if (c) {
		h = hash_of(&own);
		note.site = id_of(parent);
		/* both sides of an intercommunicator must come to the same; they have other parents */
		h = inter ? h ^ (other.ranks ? hash_of(&other) : 0) : mix(h, note.site);
		note.result = (int32_t)count_up(h ? h : 1);
		c->id = identity(h, (uint32_t)note.result,
				 inter && other.ranks && other.ranks[0] < own.ranks[0]
					 ? other.ranks[0]
					 : own.ranks[0]);
		c->number = __atomic_fetch_add(&numbers, 1, __ATOMIC_RELAXED);
		note.fd = pario_mpi_rank_in(like);
		note.file = (uint32_t)c->number;
		note.offset = c->id;
		put_members(&note, &own);
		note.flags = PARIO_COMM_REMOTE;
		if (other.ranks)
			put_members(&note, &other);
	}
	pario_mpi_memory_free(own.ranks, own.bytes);
	pario_mpi_memory_free(other.ranks, other.bytes);
	return c ? c->number : 0;
}

int pario_mpi_comm_known(MPI_Comm comm)
{
	const struct pario_mpi_names *names = pario_mpi_names();
	const struct comm *c;

	if (comm == names->world)
		return PARIO_COMM_WORLD;
	if (comm == names->self)
		return PARIO_COMM_SELF;
	c = comm == names->no_comm ? NULL : slot_of(PARIO_HANDLE(comm), false);
	return c ? c->number : -1;
}

int pario_mpi_comm(MPI_Comm comm)
{
	int number = pario_mpi_comm_known(comm);

	if (number < 0 && comm != pario_mpi_names()->no_comm)
		number = learn(comm, comm, pario_mpi_names()->no_comm, 0);
	return number == 0 && comm != pario_mpi_names()->world ? -1 : number;
}

static struct comm forget(MPI_Comm comm)
{
	struct comm *c = slot_of(PARIO_HANDLE(comm), false), was = { 0 };

	if (c) {
		was = *c;
		__atomic_store_n(&c->handle, PARIO_MPI_CLOSED, __ATOMIC_RELEASE);
	}
	return was;
}

static void remember(struct comm was)
{
	struct comm *c = slot_of(was.handle, true);

	if (c) {
		c->id = was.id;
		c->number = was.number;
	}
}

/* ---- wrappers ---- */

static void made(struct pario_call *c, MPI_Comm parent, const MPI_Comm *to, MPI_Comm like, int r)
{
	MPI_Comm none = pario_mpi_names()->no_comm;

	pario_mpi_answered(c, r);
	if (r != MPI_SUCCESS)
		return;
	c->result = pario_mpi_comm(parent);
	if (*to == none)
		return;
	forget(*to); /* of one that was freed where nobody saw it */
	c->more = (uint64_t)learn(*to, like == none ? *to : like, parent, c->op);
}

/* Its handle may be another one's as soon as it is free: it is forgotten before. */
static struct comm freeing(struct pario_call *c, const MPI_Comm *comm)
{
	if (!comm)
		return (struct comm){ 0 };
	c->result = pario_mpi_comm_known(*comm);
	return forget(*comm);
}

static void freed(struct pario_call *c, struct comm was, int r)
{
	pario_mpi_answered(c, r);
	if (r != MPI_SUCCESS)
		remember(was);
}

/* clang-format off */

#define CALL(name, params, args, before, after) PARIO_MPI(name, name, MPI, params, args, before, after)
#define MAKES(name, params, args) CALL(name, params, args, , made(&c, comm, to, pario_mpi_names()->no_comm, r))

MAKES(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *to), (comm, to))
MAKES(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *to), (comm, info, to))
CALL(MPI_Comm_idup, (MPI_Comm comm, MPI_Comm *to, MPI_Request *q), (comm, to, q), ,
     made(&c, comm, to, comm, r); if (r == MPI_SUCCESS) pario_mpi_request(*q, false))
MAKES(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *to), (comm, color, key, to))
MAKES(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *to), (comm, type, key, info, to))
MAKES(MPI_Comm_create, (MPI_Comm comm, MPI_Group g, MPI_Comm *to), (comm, g, to))
MAKES(MPI_Comm_create_group, (MPI_Comm comm, MPI_Group g, int tag, MPI_Comm *to), (comm, g, tag, to))
MAKES(MPI_Intercomm_create, (MPI_Comm comm, int leader, MPI_Comm peer, int other, int tag, MPI_Comm *to),
      (comm, leader, peer, other, tag, to))
MAKES(MPI_Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *to), (comm, high, to))
MAKES(MPI_Cart_create, (MPI_Comm comm, int n, const int sizes[], const int periods[], int reorder, MPI_Comm *to),
      (comm, n, sizes, periods, reorder, to))
MAKES(MPI_Cart_sub, (MPI_Comm comm, const int remains[], MPI_Comm *to), (comm, remains, to))
MAKES(MPI_Graph_create, (MPI_Comm comm, int n, const int index[], const int edges[], int reorder, MPI_Comm *to),
      (comm, n, index, edges, reorder, to))
MAKES(MPI_Dist_graph_create, (MPI_Comm comm, int n, const int sources[], const int degrees[], const int to_whom[],
      const int weights[], MPI_Info info, int reorder, MPI_Comm *to), (comm, n, sources, degrees, to_whom, weights, info, reorder, to))
MAKES(MPI_Dist_graph_create_adjacent, (MPI_Comm comm, int n, const int from[], const int in[], int m, const int to_whom[],
      const int out[], MPI_Info info, int reorder, MPI_Comm *to), (comm, n, from, in, m, to_whom, out, info, reorder, to))
MAKES(MPI_Comm_spawn, (const char *command, char *argv[], int n, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *to,
      int errors[]), (command, argv, n, info, root, comm, to, errors))
CALL(MPI_Comm_free, (MPI_Comm *comm), (comm), struct comm was = freeing(&c, comm), freed(&c, was, r))

/* clang-format on */
