/*
 * collectives: what counts at which rank. Where an argument does not, a null handle stands in its place.
 */
#include "torture.h"

#include <stddef.h>

#define NO_TYPE MPI_DATATYPE_NULL

static MPI_Request q;

static void wait(void)
{
	T(MPI_Wait(&q, MPI_STATUS_IGNORE));
}

/* A collective call and its twin that does not wait. */
#define BOTH(name, iname, ...)                                      \
	do {                                                        \
		T(MPI_##name(__VA_ARGS__));                         \
		q = MPI_REQUEST_NULL;                               \
		if (T(MPI_##iname(__VA_ARGS__, &q)) == MPI_SUCCESS) \
			wait();                                     \
	} while (0)

/* The same from the root and from the others. */
#define ROOTED(name, iname, root_arguments, others)               \
	do {                                                      \
		if (rank == 1)                                    \
			BOTH(name, iname, UNPACK root_arguments); \
		else                                              \
			BOTH(name, iname, UNPACK others);         \
	} while (0)
#define UNPACK(...) __VA_ARGS__

static void rooted(void)
{
	ROOTED(Bcast, Ibcast, (x, 4, MPI_INT, 1, comm), (y, 1, vector, 1, comm));
	ROOTED(Bcast, Ibcast, (NULL, 0, MPI_INT, 1, comm), (NULL, 0, MPI_INT, 1, comm));
	ROOTED(Reduce, Ireduce, (MPI_IN_PLACE, x, 4, MPI_INT, MPI_SUM, 1, comm),
	       (x, NULL, 4, MPI_INT, MPI_SUM, 1, comm));
	ROOTED(Gather, Igather, (MPI_IN_PLACE, ABSENT, NO_TYPE, y, 2, MPI_INT, 1, comm),
	       (x, 2, MPI_INT, NULL, -ABSENT, NO_TYPE, 1, comm));
	ROOTED(Gather, Igather, (x, 2, MPI_INT, y, 2, MPI_INT, 1, comm),
	       (x, 2, MPI_INT, NULL, -ABSENT, NO_TYPE, 1, comm));
	ROOTED(Gatherv, Igatherv,
	       (MPI_IN_PLACE, ABSENT, NO_TYPE, y, ones, places, MPI_INT, 1, comm),
	       (x, 1, MPI_INT, NULL, NULL, NULL, NO_TYPE, 1, comm));
	ROOTED(Scatter, Iscatter, (x, 2, MPI_INT, MPI_IN_PLACE, ABSENT, NO_TYPE, 1, comm),
	       (NULL, -ABSENT, NO_TYPE, y, 2, MPI_INT, 1, comm));
	ROOTED(Scatter, Iscatter, (x, 2, MPI_INT, y, 2, MPI_INT, 1, comm),
	       (NULL, -ABSENT, NO_TYPE, y, 2, MPI_INT, 1, comm));
	ROOTED(Scatterv, Iscatterv,
	       (x, ones, places, MPI_INT, MPI_IN_PLACE, ABSENT, NO_TYPE, 1, comm),
	       (NULL, NULL, NULL, NO_TYPE, y, 1, MPI_INT, 1, comm));
}

static void among_all(void)
{
	const MPI_Datatype types[] = { MPI_INT, MPI_INT, MPI_INT };
	const int bytes[] = { 0, 4, 8 };

	BOTH(Allreduce, Iallreduce, MPI_IN_PLACE, x, 4, MPI_INT, MPI_SUM, comm);
	BOTH(Allreduce, Iallreduce, NULL, NULL, 0, MPI_INT, MPI_SUM, comm);
	BOTH(Scan, Iscan, MPI_IN_PLACE, x, 4, MPI_INT, MPI_MAX, comm);
	BOTH(Exscan, Iexscan, MPI_IN_PLACE, x, 4, MPI_INT, MPI_MAX, comm);
	BOTH(Reduce_scatter_block, Ireduce_scatter_block, MPI_IN_PLACE, x, 1, MPI_INT, MPI_SUM,
	     comm);
	BOTH(Reduce_scatter, Ireduce_scatter, MPI_IN_PLACE, x, ones, MPI_INT, MPI_SUM, comm);
	BOTH(Allgather, Iallgather, MPI_IN_PLACE, ABSENT, NO_TYPE, x, 1, MPI_INT, comm);
	BOTH(Allgather, Iallgather, x, 1, MPI_INT, y, 1, MPI_INT, comm);
	BOTH(Allgatherv, Iallgatherv, MPI_IN_PLACE, ABSENT, NO_TYPE, x, ones, places, MPI_INT,
	     comm);
	BOTH(Alltoall, Ialltoall, MPI_IN_PLACE, ABSENT, NO_TYPE, x, 1, MPI_INT, comm);
	BOTH(Alltoall, Ialltoall, x, 1, MPI_INT, y, 1, MPI_INT, comm);
	BOTH(Alltoallv, Ialltoallv, MPI_IN_PLACE, NULL, NULL, NO_TYPE, x, ones, places, MPI_INT,
	     comm);
	BOTH(Alltoallw, Ialltoallw, MPI_IN_PLACE, NULL, NULL, NULL, x, ones, bytes, types, comm);
	BOTH(Barrier, Ibarrier, comm);
}

/* All ranks are wrong alike, so that none waits for another. */
#define WRONG_BOTH(call, icall)       \
	do {                          \
		T(call);              \
		q = MPI_REQUEST_NULL; \
		T(icall);             \
	} while (0)

static void wrong(MPI_Comm where, int n, MPI_Datatype t, int root)
{
	const MPI_Datatype types[] = { t, t, t };
	const int counts[] = { n, n, n };

	WRONG_BOTH(MPI_Bcast(x, n, t, root, where), MPI_Ibcast(x, n, t, root, where, &q));
	WRONG_BOTH(MPI_Reduce(x, y, n, t, MPI_SUM, root, where),
		   MPI_Ireduce(x, y, n, t, MPI_SUM, root, where, &q));
	WRONG_BOTH(MPI_Gather(x, n, t, y, n, t, root, where),
		   MPI_Igather(x, n, t, y, n, t, root, where, &q));
	WRONG_BOTH(MPI_Scatter(x, n, t, y, n, t, root, where),
		   MPI_Iscatter(x, n, t, y, n, t, root, where, &q));
	WRONG_BOTH(MPI_Gatherv(x, n, t, y, counts, places, t, root, where),
		   MPI_Igatherv(x, n, t, y, counts, places, t, root, where, &q));
	WRONG_BOTH(MPI_Scatterv(x, counts, places, t, y, n, t, root, where),
		   MPI_Iscatterv(x, counts, places, t, y, n, t, root, where, &q));
	if (root == ABSENT)
		return;
	WRONG_BOTH(MPI_Allreduce(x, y, n, t, MPI_SUM, where),
		   MPI_Iallreduce(x, y, n, t, MPI_SUM, where, &q));
	WRONG_BOTH(MPI_Scan(x, y, n, t, MPI_SUM, where), MPI_Iscan(x, y, n, t, MPI_SUM, where, &q));
	WRONG_BOTH(MPI_Exscan(x, y, n, t, MPI_SUM, where),
		   MPI_Iexscan(x, y, n, t, MPI_SUM, where, &q));
	WRONG_BOTH(MPI_Reduce_scatter_block(x, y, n, t, MPI_SUM, where),
		   MPI_Ireduce_scatter_block(x, y, n, t, MPI_SUM, where, &q));
	WRONG_BOTH(MPI_Reduce_scatter(x, y, counts, t, MPI_SUM, where),
		   MPI_Ireduce_scatter(x, y, counts, t, MPI_SUM, where, &q));
	WRONG_BOTH(MPI_Allgather(x, n, t, y, n, t, where),
		   MPI_Iallgather(x, n, t, y, n, t, where, &q));
	WRONG_BOTH(MPI_Allgatherv(x, n, t, y, counts, places, t, where),
		   MPI_Iallgatherv(x, n, t, y, counts, places, t, where, &q));
	WRONG_BOTH(MPI_Alltoall(x, n, t, y, n, t, where),
		   MPI_Ialltoall(x, n, t, y, n, t, where, &q));
	WRONG_BOTH(MPI_Alltoallv(x, counts, places, t, y, counts, places, t, where),
		   MPI_Ialltoallv(x, counts, places, t, y, counts, places, t, where, &q));
	WRONG_BOTH(MPI_Alltoallw(x, counts, places, types, y, counts, places, types, where),
		   MPI_Ialltoallw(x, counts, places, types, y, counts, places, types, where, &q));
	if (where == MPI_COMM_NULL)
		WRONG_BOTH(MPI_Barrier(where), MPI_Ibarrier(where, &q));
}

void torture_collectives(void)
{
	rooted();
	among_all();
	wrong(MPI_COMM_NULL, 1, MPI_INT, 0);
	wrong(comm, 1, MPI_DATATYPE_NULL, 0);
#if defined(OPEN_MPI) /* others do not look at counts */
	wrong(comm, -1, MPI_INT, 0);
#endif
	wrong(comm, 1, MPI_INT, ABSENT);
}

/* Between two groups: of the root's group all but the root say MPI_PROC_NULL, and nothing else counts. */
void torture_between(void)
{
	const int root = rank == 0 ? MPI_ROOT : rank == 1 ? 0 : MPI_PROC_NULL;
	const MPI_Datatype give = rank == 1 ? MPI_INT : NO_TYPE,
			   take = rank == 0 ? MPI_INT : NO_TYPE;
	const int *counts = rank == 0 ? ones : NULL, *at = rank == 0 ? places : NULL;

	BOTH(Barrier, Ibarrier, inter);
	BOTH(Bcast, Ibcast, x, 2, MPI_INT, root, inter);
	BOTH(Reduce, Ireduce, x, y, 2, MPI_INT, MPI_SUM, root, inter);
	BOTH(Gather, Igather, x, 1, give, y, 1, take, root, inter);
	BOTH(Gatherv, Igatherv, x, 1, give, y, counts, at, take, root, inter);
	BOTH(Scatter, Iscatter, x, 1, take, y, 1, give, root, inter);
	BOTH(Scatterv, Iscatterv, x, counts, at, take, y, 1, give, root, inter);
	BOTH(Allreduce, Iallreduce, x, y, 2, MPI_INT, MPI_SUM, inter);
	BOTH(Allgather, Iallgather, x, 1, MPI_INT, y, 1, MPI_INT, inter);
	BOTH(Alltoall, Ialltoall, x, 1, MPI_INT, y, 1, MPI_INT, inter);
	BOTH(Allgather, Iallgather, MPI_IN_PLACE, 1, NO_TYPE, y, 0, NO_TYPE, MPI_COMM_NULL);
}
