/*
 * bare: an MPI program that does nothing but what every run of pario asks of MPI: groups by node, broadcasts,
 * agreements and reductions. What it needs is MPI's own share of the memory and of the start. bench/scale preloads
 * clients/count.c, which writes it down.
 */
#include <mpi.h>

#include <stdlib.h>
#include <string.h>

enum { BYTES = 16384, TIMES = 40 };

static void add(void *from, void *to, int *count, MPI_Datatype *type)
{
	(void)from;
	(void)to;
	(void)count;
	(void)type;
}

int main(int argc, char **argv)
{
	static char from[BYTES], to[BYTES], *all;
	MPI_Datatype block;
	MPI_Op merge;
	MPI_Comm node, leaders, part;
	MPI_Request request;
	int provided, rank, size, local;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	all = calloc((size_t)size, 8);
	MPI_Type_contiguous(BYTES, MPI_BYTE, &block);
	MPI_Type_commit(&block);
	MPI_Op_create(add, 1, &merge);
	memset(from, 1, sizeof(from));
	memset(to, 1, sizeof(to));
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &local);
	MPI_Comm_split(MPI_COMM_WORLD, local == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
	MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &part);
	for (int i = 0; i < 4; i++) {
		MPI_Ibcast(from, 1024, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Gather(from, 8, MPI_BYTE, all, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
	free(all);
	for (int i = 0; i < TIMES; i++) {
		MPI_Barrier(part);
		MPI_Allreduce(from, to, 3, MPI_INT64_T, MPI_MAX, part);
		MPI_Allreduce(from, to, 1000, MPI_UINT64_T, MPI_SUM, part);
		MPI_Allreduce(from, to, 1, MPI_2INT, MPI_MAXLOC, part);
		MPI_Reduce(from, to, 1, block, merge, 0, part);
		MPI_Bcast(to, 136, MPI_BYTE, 0, part);
	}
	if (leaders != MPI_COMM_NULL)
		MPI_Comm_free(&leaders);
	MPI_Comm_free(&node);
	MPI_Comm_free(&part);
	MPI_Op_free(&merge);
	MPI_Type_free(&block);
	MPI_Finalize();
	return 0;
}
