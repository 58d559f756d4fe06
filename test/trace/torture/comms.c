/*
 * comms: communicators of every kind, and of none.
 */
#include "torture.h"

#include <stddef.h>

static MPI_Comm made;

static void give_up(void)
{
	if (made != MPI_COMM_NULL)
		T(MPI_Comm_free(&made));
}

#define MADE(call) (made = MPI_COMM_NULL, T(call), give_up())

static void right(void)
{
	int n = 3, yes = 1, index[] = { 1, 2, 3 }, edges[] = { 1, 2, 0 }, next = (rank + 1) % 3,
	    before = (rank + 2) % 3;
	MPI_Request q;
	MPI_Group group, part;
	MPI_Comm line;

	T(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
	T(MPI_Comm_split(comm, rank % 2, rank, &half));
	T(MPI_Intercomm_create(half, 0, comm, 1 - rank % 2, 3, &inter));
	MADE(MPI_Comm_dup(MPI_COMM_SELF, &made));
	MADE(MPI_Comm_dup(inter, &made));
	MADE(MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &made));
	made = MPI_COMM_NULL;
	T(MPI_Comm_idup(comm, &made, &q));
	T(MPI_Wait(&q, MPI_STATUS_IGNORE));
	give_up();
	MADE(MPI_Comm_split(comm, rank ? MPI_UNDEFINED : 0, 0, &made));
	MADE(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
	MADE(MPI_Comm_split_type(comm, MPI_UNDEFINED, 0, MPI_INFO_NULL, &made));
	MPI_Comm_group(comm, &group);
	MPI_Group_incl(group, 1, &(int){ 1 }, &part);
	MADE(MPI_Comm_create(comm, part, &made));
	MADE(MPI_Comm_create(comm, MPI_GROUP_EMPTY, &made));
	if (rank == 1)
		MADE(MPI_Comm_create_group(comm, part, 5, &made));
	MPI_Group_free(&group);
	MPI_Group_free(&part);
	MADE(MPI_Intercomm_merge(inter, rank % 2, &made));
	T(MPI_Cart_create(comm, 1, &n, &yes, 0, &line));
	MADE(MPI_Cart_sub(line, &(int){ 0 }, &made));
	MPI_Comm_free(&line);
	MADE(MPI_Cart_create(comm, 1, &(int){ 1 }, &yes, 0, &made)); /* two are none of it */
	MADE(MPI_Graph_create(comm, 3, index, edges, 0, &made));
	MADE(MPI_Dist_graph_create(comm, 1, &rank, &(int){ 1 }, &next, MPI_UNWEIGHTED,
				   MPI_INFO_NULL, 0, &made));
	MADE(MPI_Dist_graph_create_adjacent(comm, 1, &before, MPI_UNWEIGHTED, 1, &next,
					    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
}

static void wrong(void)
{
	MPI_Comm none = MPI_COMM_NULL, world = MPI_COMM_WORLD;
	int error[3];
	MPI_Request q;

	MADE(MPI_Comm_dup(MPI_COMM_NULL, &made));
	MADE(MPI_Comm_dup_with_info(MPI_COMM_NULL, MPI_INFO_NULL, &made));
	MADE(MPI_Comm_idup(MPI_COMM_NULL, &made, &q));
	MADE(MPI_Comm_split(MPI_COMM_NULL, 0, 0, &made));
	MADE(MPI_Comm_split(comm, -ABSENT, 0, &made));
	MADE(MPI_Comm_split_type(MPI_COMM_NULL, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made));
	MADE(MPI_Comm_create(comm, MPI_GROUP_NULL, &made));
	MADE(MPI_Comm_create(MPI_COMM_NULL, MPI_GROUP_EMPTY, &made));
	MADE(MPI_Comm_create_group(MPI_COMM_NULL, MPI_GROUP_EMPTY, 5, &made));
	MADE(MPI_Comm_create_group(comm, MPI_GROUP_NULL, 5, &made));
	MADE(MPI_Intercomm_create(MPI_COMM_NULL, 0, comm, 0, 3, &made));
	MADE(MPI_Intercomm_merge(MPI_COMM_NULL, 0, &made));
	MADE(MPI_Cart_create(MPI_COMM_NULL, 1, &(int){ 1 }, &(int){ 0 }, 0, &made));
	MADE(MPI_Cart_sub(MPI_COMM_NULL, &(int){ 1 }, &made));
	MADE(MPI_Cart_sub(comm, &(int){ 1 }, &made));
	MADE(MPI_Graph_create(MPI_COMM_NULL, 1, &(int){ 0 }, &(int){ 0 }, 0, &made));
	MADE(MPI_Dist_graph_create(MPI_COMM_NULL, 0, NULL, NULL, NULL, MPI_UNWEIGHTED,
				   MPI_INFO_NULL, 0, &made));
	MADE(MPI_Dist_graph_create_adjacent(MPI_COMM_NULL, 0, NULL, MPI_UNWEIGHTED, 0, NULL,
					    MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
	MADE(MPI_Comm_spawn("/nowhere", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_NULL, &made,
			    error));
	T(MPI_Comm_free(&none));
	T(MPI_Comm_free(NULL));
	T(MPI_Comm_free(&world));
}

void torture_comms(void)
{
	right();
	wrong();
}
