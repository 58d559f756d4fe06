/*
 * message: wrappers of the calls by which processes wait for each other: time, communicator and bytes only. The
 * communicator is the result, see pario_mpi_comm.
 */
#include "tracer/preload/mpi/mpi.h"

static void told(struct pario_call *c, MPI_Comm comm, uint64_t count, MPI_Datatype type, int r)
{
	c->size = count * pario_mpi_type_bytes(type);
	c->result = pario_mpi_comm(comm);
	pario_mpi_answered(c, r);
}

static void met(struct pario_call *c, MPI_Comm comm, int r)
{
	c->result = pario_mpi_comm(comm);
	pario_mpi_answered(c, r);
}

/* MPI knows who we are now. */
static void introduce(struct pario_call *c, int r)
{
	static struct pario_symbol rank_symbol = { "PMPI_Comm_rank", NULL },
				   size_symbol = { "PMPI_Comm_size", NULL };
	int (*rank_of)(MPI_Comm, int *) = (int (*)(MPI_Comm, int *))pario_next(&rank_symbol);
	int (*size_of)(MPI_Comm, int *) = (int (*)(MPI_Comm, int *))pario_next(&size_symbol);
	struct pario_trace_record note = { .op = PARIO_TRACE_RANK };
	int rank = 0, size = 0;

	pario_mpi_answered(c, r);
	if (r != MPI_SUCCESS || !rank_of || !size_of ||
	    rank_of(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
	    size_of(MPI_COMM_WORLD, &size) != MPI_SUCCESS)
		return;
	note.file = (uint32_t)rank;
	note.size = (uint64_t)size;
	pario_trace_note(&note, NULL, 0);
}

/* clang-format off */

#define CALL(name, params, args, after) PARIO_MPI(name, name, MPI, params, args, , after)

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
CALL(MPI_Ibarrier, (MPI_Comm comm, MPI_Request *q), (comm, q), met(&c, comm, r))

#define PAIR(name, iname, params, iparams, args, iargs, count, type) \
	CALL(MPI_##name, params, args, told(&c, comm, (uint64_t)(count), type, r)) \
	CALL(MPI_##iname, iparams, iargs, told(&c, comm, (uint64_t)(count), type, r))

PAIR(Bcast, Ibcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm comm),
     (void *b, int n, MPI_Datatype t, int root, MPI_Comm comm, MPI_Request *q),
     (b, n, t, root, comm), (b, n, t, root, comm, q), n, t)
PAIR(Reduce, Ireduce, (const void *b, void *to, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm),
     (const void *b, void *to, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm comm, MPI_Request *q),
     (b, to, n, t, op, root, comm), (b, to, n, t, op, root, comm, q), n, t)

#define REDUCING(name, iname) \
	PAIR(name, iname, (const void *b, void *to, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm), \
	     (const void *b, void *to, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm, MPI_Request *q), \
	     (b, to, n, t, op, comm), (b, to, n, t, op, comm, q), n, t)
REDUCING(Allreduce, Iallreduce)
REDUCING(Scan, Iscan)
REDUCING(Exscan, Iexscan)

#define ROOTED(name, iname) \
	PAIR(name, iname, (const void *b, int n, MPI_Datatype t, void *to, int m, MPI_Datatype u, int root, MPI_Comm comm), \
	     (const void *b, int n, MPI_Datatype t, void *to, int m, MPI_Datatype u, int root, MPI_Comm comm, MPI_Request *q), \
	     (b, n, t, to, m, u, root, comm), (b, n, t, to, m, u, root, comm, q), n, t)
ROOTED(Gather, Igather)
ROOTED(Scatter, Iscatter)

#define UNROOTED(name, iname) \
	PAIR(name, iname, (const void *b, int n, MPI_Datatype t, void *to, int m, MPI_Datatype u, MPI_Comm comm), \
	     (const void *b, int n, MPI_Datatype t, void *to, int m, MPI_Datatype u, MPI_Comm comm, MPI_Request *q), \
	     (b, n, t, to, m, u, comm), (b, n, t, to, m, u, comm, q), n, t)
UNROOTED(Allgather, Iallgather)
UNROOTED(Alltoall, Ialltoall)

PAIR(Gatherv, Igatherv,
     (const void *b, int n, MPI_Datatype t, void *to, const int m[], const int d[], MPI_Datatype u, int root, MPI_Comm comm),
     (const void *b, int n, MPI_Datatype t, void *to, const int m[], const int d[], MPI_Datatype u, int root, MPI_Comm comm,
      MPI_Request *q),
     (b, n, t, to, m, d, u, root, comm), (b, n, t, to, m, d, u, root, comm, q), n, t)
PAIR(Scatterv, Iscatterv,
     (const void *b, const int m[], const int d[], MPI_Datatype u, void *to, int n, MPI_Datatype t, int root, MPI_Comm comm),
     (const void *b, const int m[], const int d[], MPI_Datatype u, void *to, int n, MPI_Datatype t, int root, MPI_Comm comm,
      MPI_Request *q),
     (b, m, d, u, to, n, t, root, comm), (b, m, d, u, to, n, t, root, comm, q), n, t)
PAIR(Allgatherv, Iallgatherv,
     (const void *b, int n, MPI_Datatype t, void *to, const int m[], const int d[], MPI_Datatype u, MPI_Comm comm),
     (const void *b, int n, MPI_Datatype t, void *to, const int m[], const int d[], MPI_Datatype u, MPI_Comm comm,
      MPI_Request *q),
     (b, n, t, to, m, d, u, comm), (b, n, t, to, m, d, u, comm, q), n, t)
PAIR(Alltoallv, Ialltoallv,
     (const void *b, const int n[], const int e[], MPI_Datatype t, void *to, const int m[], const int d[], MPI_Datatype u,
      MPI_Comm comm),
     (const void *b, const int n[], const int e[], MPI_Datatype t, void *to, const int m[], const int d[], MPI_Datatype u,
      MPI_Comm comm, MPI_Request *q),
     (b, n, e, t, to, m, d, u, comm), (b, n, e, t, to, m, d, u, comm, q), 0, t)
PAIR(Alltoallw, Ialltoallw,
     (const void *b, const int n[], const int e[], const MPI_Datatype t[], void *to, const int m[], const int d[],
      const MPI_Datatype u[], MPI_Comm comm),
     (const void *b, const int n[], const int e[], const MPI_Datatype t[], void *to, const int m[], const int d[],
      const MPI_Datatype u[], MPI_Comm comm, MPI_Request *q),
     (b, n, e, t, to, m, d, u, comm), (b, n, e, t, to, m, d, u, comm, q), 0, t[0])

#define SEND(name) \
	CALL(MPI_##name, (const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm), (b, n, t, to, tag, comm), \
	     told(&c, comm, (uint64_t)n, t, r))
#define ISEND(name, memory) \
	CALL(MPI_##name, (memory *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm, MPI_Request *q), \
	     (b, n, t, to, tag, comm, q), told(&c, comm, (uint64_t)n, t, r))
SEND(Send)
SEND(Ssend)
SEND(Bsend)
SEND(Rsend)
ISEND(Isend, const void)
ISEND(Issend, const void)
ISEND(Ibsend, const void)
ISEND(Irsend, const void)
ISEND(Irecv, void)
CALL(MPI_Recv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Status *s),
     (b, n, t, from, tag, comm, s), told(&c, comm, (uint64_t)n, t, r))
CALL(MPI_Sendrecv, (const void *b, int n, MPI_Datatype t, int to, int tag, void *g, int m, MPI_Datatype u, int from, int tag2,
     MPI_Comm comm, MPI_Status *s), (b, n, t, to, tag, g, m, u, from, tag2, comm, s), told(&c, comm, (uint64_t)n, t, r))
CALL(MPI_Sendrecv_replace, (void *b, int n, MPI_Datatype t, int to, int tag, int from, int tag2, MPI_Comm comm, MPI_Status *s),
     (b, n, t, to, tag, from, tag2, comm, s), told(&c, comm, (uint64_t)n, t, r))
CALL(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *to), (comm, to), met(&c, comm, r))
CALL(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *to), (comm, color, key, to), met(&c, comm, r))
CALL(MPI_Comm_create, (MPI_Comm comm, MPI_Group g, MPI_Comm *to), (comm, g, to), met(&c, comm, r))
CALL(MPI_Comm_free, (MPI_Comm *comm), (comm), pario_mpi_answered(&c, r))
CALL(MPI_Comm_spawn, (const char *command, char *argv[], int n, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *to,
     int errors[]), (command, argv, n, info, root, comm, to, errors), met(&c, comm, r))

/* clang-format on */
