/*
 * members: reductions, and a split by shared memory; collective, all of them.
 */
#include "tests/common/members.h"

bool pario_members_well(MPI_Comm comm, int status)
{
	int worst;

	MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MIN, comm);
	return worst == 0;
}

uint64_t pario_members_node(MPI_Comm comm)
{
	MPI_Comm node;
	int rank, lowest;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
	MPI_Allreduce(&rank, &lowest, 1, MPI_INT, MPI_MIN, node);
	MPI_Comm_free(&node);
	return (uint64_t)lowest;
}

uint64_t pario_members_nodes(MPI_Comm comm)
{
	uint64_t first, nodes;
	int rank;

	MPI_Comm_rank(comm, &rank);
	first = pario_members_node(comm) == (uint64_t)rank;
	MPI_Allreduce(&first, &nodes, 1, MPI_UINT64_T, MPI_SUM, comm);
	return nodes;
}

uint64_t pario_members_per_node(MPI_Comm comm)
{
	MPI_Comm node;
	int own, most;

	MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
	MPI_Comm_size(node, &own);
	MPI_Comm_free(&node);
	MPI_Allreduce(&own, &most, 1, MPI_INT, MPI_MAX, comm);
	return (uint64_t)most;
}
