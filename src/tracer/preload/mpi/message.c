/*
 * message: wrappers of the calls by which processes wait for each other: communicator, bytes, peer or root, tag and
 * request. The communicator is the result, see pario_mpi_comm. What makes communicators is in comm.c.
 */
#include "tracer/preload/mpi/mpi.h"

static void met(struct pario_call *c, MPI_Comm comm, int r)
{
	pario_mpi_answered(c, r);
	if (r == MPI_SUCCESS)
		c->result = pario_mpi_comm(comm);
}

/* What a rank gives or takes. Without elements there may be any type. */
struct part {
	int64_t count;
	MPI_Datatype type;
};

static uint64_t bytes_of(struct part p, int r)
{
	return r == MPI_SUCCESS && p.count > 0 ? (uint64_t)p.count * pario_mpi_type_bytes(p.type)
					       : 0;
}

static void told(struct pario_call *c, MPI_Comm comm, struct part p, int r)
{
	met(c, comm, r);
	c->size = bytes_of(p, r);
}

/* ---- which arguments count ---- */

/* Of a message; also of a root's: in its group of an intercommunicator the others say MPI_PROC_NULL, and no more. */
static struct part message(int count, MPI_Datatype type, int peer)
{
	return (struct part){ peer == MPI_PROC_NULL ? 0 : count, type };
}

/* What one gives to the root: a root may have it in place already, and takes no part in the other group's. */
static struct part given(const void *from, struct part give, struct part take, int root)
{
	if (root < 0)
		return (struct part){ 0 };
	return from == MPI_IN_PLACE ? take : give;
}

/* What one takes from the root, who may leave it in place; in the other group it only gives. */
static struct part taken(const void *to, struct part give, struct part take, int root)
{
	if (root == MPI_PROC_NULL)
		return (struct part){ 0 };
	return root == MPI_ROOT || to == MPI_IN_PLACE ? give : take;
}

/* One of many counts, of the rank's own part. */
static struct part own(const int counts[], MPI_Datatype type, int rank)
{
	return (struct part){ rank < 0 ? 0 : counts[rank], type };
}

/* Whom it is about: a peer and its tag, or the root. */
static void with(struct pario_call *c, int rank, int tag)
{
	c->fd = pario_mpi_rank(rank);
	c->arg = tag < 0 ? PARIO_TAG_ANY : (uint32_t)tag;
}

static void at_root(struct pario_call *c, int root)
{
	c->fd = pario_mpi_rank(root);
}

static void starts(struct pario_call *c, const MPI_Request *q, bool wild, int r)
{
	if (r == MPI_SUCCESS)
		c->more = pario_mpi_request(*q, wild);
}

/* From whom it came is known once it has come. */
static void received(struct pario_call *c, const MPI_Status *s, int from, int tag, int r)
{
	bool over = r == MPI_SUCCESS && from != MPI_PROC_NULL;

	with(c, over && from == MPI_ANY_SOURCE ? s->MPI_SOURCE : from,
	     over && tag == MPI_ANY_TAG ? s->MPI_TAG : tag);
}

/* The receiving side of a call that also sends. */
static void exchanged(struct pario_call *c, const MPI_Status *s, int from, int tag, uint64_t bytes,
		      int r)
{
	struct pario_call other = { 0 };

	received(&other, s, from, tag, r);
	c->more = (uint64_t)(uint32_t)other.fd << 32 | other.arg;
	c->offset = bytes;
}

/* MPI knows who we are now. */
static void introduce(struct pario_call *c, int r)
{
	static struct pario_symbol symbol = { "PMPI_Comm_size", NULL };
	int (*size_of)(MPI_Comm, int *) = (int (*)(MPI_Comm, int *))pario_next(&symbol);
	struct pario_trace_record note = { .op = PARIO_TRACE_RANK };
	MPI_Comm world = pario_mpi_names()->world;
	int rank, size = 0;

	pario_mpi_answered(c, r);
	if (r != MPI_SUCCESS || !world || !size_of || (rank = pario_mpi_rank_in(world)) < 0 ||
	    size_of(world, &size) != MPI_SUCCESS)
		return;
	note.file = (uint32_t)rank;
	note.size = (uint64_t)size;
	pario_trace_note(&note, NULL, 0);
}

/* clang-format off */

#define CALL(name, params, args, after) PARIO_MPI(name, name, MPI, params, args, , after)
/* Who ignores the status lets us have it. */
#define CALL_STATUS(name, params, args, after) \
	PARIO_MPI(name, name, MPI, params, args, MPI_Status instead = { 0 }; if (s == MPI_STATUS_IGNORE) s = &instead, after)

CALL(MPI_Init, (int *argc, char ***argv), (argc, argv), introduce(&c, r))
CALL(MPI_Init_thread, (int *argc, char ***argv, int want, int *got), (argc, argv, want, got), introduce(&c, r))
CALL(MPI_Finalize, (void), (), pario_mpi_answered(&c, r))
CALL(MPI_Abort, (MPI_Comm comm, int code), (comm, code), pario_mpi_answered(&c, r))
#if MPI_VERSION >= 4
CALL(MPI_Session_init, (MPI_Info info, MPI_Errhandler e, MPI_Session *s), (info, e, s), pario_mpi_answered(&c, r))
CALL(MPI_Session_finalize, (MPI_Session *s), (s), pario_mpi_answered(&c, r))
#endif

/* The collective calls, each also without waiting. */
CALL(MPI_Barrier, (MPI_Comm comm), (comm), met(&c, comm, r))
CALL(MPI_Ibarrier, (MPI_Comm comm, MPI_Request *q), (comm, q), met(&c, comm, r); starts(&c, q, false, r))

/* `part` is looked at after a success only: without one its counts may be anywhere. */
#define PAIR(name, iname, params, iparams, args, iargs, part) \
	PAIR_AT(name, iname, params, iparams, args, iargs, part, )
#define PAIR_ROOT(name, iname, params, iparams, args, iargs, part) \
	PAIR_AT(name, iname, params, iparams, args, iargs, part, at_root(&c, root))
#define PAIR_AT(name, iname, params, iparams, args, iargs, part, also) \
	CALL(MPI_##name, params, args, told(&c, comm, r == MPI_SUCCESS ? (part) : NOTHING, r); also) \
	CALL(MPI_##iname, iparams, iargs, \
	     told(&c, comm, r == MPI_SUCCESS ? (part) : NOTHING, r); starts(&c, q, false, r); also)
#define NOTHING ((struct part){ 0 })
#define PART(count, type) ((struct part){ count, type })

PAIR_ROOT(Bcast, Ibcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm comm),
     (void *b, int n, MPI_Datatype t, int root, MPI_Comm comm, MPI_Request *q),
     (b, n, t, root, comm), (b, n, t, root, comm, q), message(n, t, root))
PAIR_ROOT(Reduce, Ireduce, (const void *b, void *to, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm),
     (const void *b, void *to, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm, MPI_Request *q),
     (b, to, n, t, op, root, comm), (b, to, n, t, op, root, comm, q), message(n, t, root))

#define REDUCING(name, iname) \
	PAIR(name, iname, (const void *b, void *to, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm), \
	     (const void *b, void *to, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm, MPI_Request *q), \
	     (b, to, n, t, op, comm), (b, to, n, t, op, comm, q), PART(n, t))
REDUCING(Allreduce, Iallreduce)
REDUCING(Scan, Iscan)
REDUCING(Exscan, Iexscan)
REDUCING(Reduce_scatter_block, Ireduce_scatter_block)
PAIR(Reduce_scatter, Ireduce_scatter, (const void *b, void *to, const int n[], MPI_Datatype t, MPI_Op op, MPI_Comm comm),
     (const void *b, void *to, const int n[], MPI_Datatype t, MPI_Op op, MPI_Comm comm, MPI_Request *q),
     (b, to, n, t, op, comm), (b, to, n, t, op, comm, q), NOTHING)

#define ROOTED(name, iname, part) \
	PAIR_ROOT(name, iname, (const void *b, int n, MPI_Datatype t, void *to, int m, MPI_Datatype u, int root, MPI_Comm comm), \
	     (const void *b, int n, MPI_Datatype t, void *to, int m, MPI_Datatype u, int root, MPI_Comm comm, MPI_Request *q), \
	     (b, n, t, to, m, u, root, comm), (b, n, t, to, m, u, root, comm, q), part)
ROOTED(Gather, Igather, given(b, PART(n, t), PART(m, u), root))
ROOTED(Scatter, Iscatter, taken(to, PART(n, t), PART(m, u), root))

#define UNROOTED(name, iname) \
	PAIR(name, iname, (const void *b, int n, MPI_Datatype t, void *to, int m, MPI_Datatype u, MPI_Comm comm), \
	     (const void *b, int n, MPI_Datatype t, void *to, int m, MPI_Datatype u, MPI_Comm comm, MPI_Request *q), \
	     (b, n, t, to, m, u, comm), (b, n, t, to, m, u, comm, q), given(b, PART(n, t), PART(m, u), 0))
UNROOTED(Allgather, Iallgather)
UNROOTED(Alltoall, Ialltoall)

PAIR_ROOT(Gatherv, Igatherv,
     (const void *b, int n, MPI_Datatype t, void *to, const int m[], const int d[], MPI_Datatype u, int root, MPI_Comm comm),
     (const void *b, int n, MPI_Datatype t, void *to, const int m[], const int d[], MPI_Datatype u, int root, MPI_Comm comm,
      MPI_Request *q),
     (b, n, t, to, m, d, u, root, comm), (b, n, t, to, m, d, u, root, comm, q),
     b == MPI_IN_PLACE ? own(m, u, root) : given(b, PART(n, t), NOTHING, root))
PAIR_ROOT(Scatterv, Iscatterv,
     (const void *b, const int m[], const int d[], MPI_Datatype u, void *to, int n, MPI_Datatype t, int root, MPI_Comm comm),
     (const void *b, const int m[], const int d[], MPI_Datatype u, void *to, int n, MPI_Datatype t, int root, MPI_Comm comm,
      MPI_Request *q),
     (b, m, d, u, to, n, t, root, comm), (b, m, d, u, to, n, t, root, comm, q),
     to == MPI_IN_PLACE ? own(m, u, root) : taken(to, NOTHING, PART(n, t), root))
PAIR(Allgatherv, Iallgatherv,
     (const void *b, int n, MPI_Datatype t, void *to, const int m[], const int d[], MPI_Datatype u, MPI_Comm comm),
     (const void *b, int n, MPI_Datatype t, void *to, const int m[], const int d[], MPI_Datatype u, MPI_Comm comm,
      MPI_Request *q),
     (b, n, t, to, m, d, u, comm), (b, n, t, to, m, d, u, comm, q),
     b == MPI_IN_PLACE ? own(m, u, pario_mpi_rank_in(comm)) : PART(n, t))
PAIR(Alltoallv, Ialltoallv,
     (const void *b, const int n[], const int e[], MPI_Datatype t, void *to, const int m[], const int d[], MPI_Datatype u,
      MPI_Comm comm),
     (const void *b, const int n[], const int e[], MPI_Datatype t, void *to, const int m[], const int d[], MPI_Datatype u,
      MPI_Comm comm, MPI_Request *q),
     (b, n, e, t, to, m, d, u, comm), (b, n, e, t, to, m, d, u, comm, q), NOTHING)
PAIR(Alltoallw, Ialltoallw,
     (const void *b, const int n[], const int e[], const MPI_Datatype t[], void *to, const int m[], const int d[],
      const MPI_Datatype u[], MPI_Comm comm),
     (const void *b, const int n[], const int e[], const MPI_Datatype t[], void *to, const int m[], const int d[],
      const MPI_Datatype u[], MPI_Comm comm, MPI_Request *q),
     (b, n, e, t, to, m, d, u, comm), (b, n, e, t, to, m, d, u, comm, q), NOTHING)

#define SEND(name) \
	CALL(MPI_##name, (const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm), (b, n, t, to, tag, comm), \
	     told(&c, comm, message(n, t, to), r); with(&c, to, tag))
#define STARTED(name, memory, wild) \
	CALL(MPI_##name, (memory *b, int n, MPI_Datatype t, int who, int tag, MPI_Comm comm, MPI_Request *q), \
	     (b, n, t, who, tag, comm, q), \
	     told(&c, comm, message(n, t, who), r); with(&c, who, tag); starts(&c, q, wild, r))
#define WILD (who == MPI_ANY_SOURCE || tag == MPI_ANY_TAG)
SEND(Send)
SEND(Ssend)
SEND(Bsend)
SEND(Rsend)
STARTED(Isend, const void, false)
STARTED(Issend, const void, false)
STARTED(Ibsend, const void, false)
STARTED(Irsend, const void, false)
STARTED(Irecv, void, WILD)
STARTED(Send_init, const void, false)
STARTED(Ssend_init, const void, false)
STARTED(Bsend_init, const void, false)
STARTED(Rsend_init, const void, false)
STARTED(Recv_init, void, WILD)
CALL_STATUS(MPI_Recv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Status *s),
	    (b, n, t, from, tag, comm, s), told(&c, comm, message(n, t, from), r); received(&c, s, from, tag, r))
CALL_STATUS(MPI_Sendrecv, (const void *b, int n, MPI_Datatype t, int to, int tag, void *g, int m, MPI_Datatype u, int from,
	    int tag2, MPI_Comm comm, MPI_Status *s), (b, n, t, to, tag, g, m, u, from, tag2, comm, s),
	    told(&c, comm, message(n, t, to), r); with(&c, to, tag);
	    exchanged(&c, s, from, tag2, bytes_of(message(m, u, from), r), r))
CALL_STATUS(MPI_Sendrecv_replace, (void *b, int n, MPI_Datatype t, int to, int tag, int from, int tag2, MPI_Comm comm,
	    MPI_Status *s), (b, n, t, to, tag, from, tag2, comm, s),
	    told(&c, comm, message(n, t, to), r); with(&c, to, tag);
	    exchanged(&c, s, from, tag2, bytes_of(message(n, t, from), r), r))

/* clang-format on */
