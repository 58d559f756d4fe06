/*
 * count: what does a run of pario ask of MPI, how often and for how many bytes? Preloaded into its clients.
 *
 * SCALE_PER_NODE clients in a row make a node, if it is set: groups are then made as on several nodes. At the end
 * client 0 appends one line of JSON to the file SCALE_OUT: the largest count of any client, its own memory and the
 * largest of the others, as the kernel counts it and as the program asked for it (heap.c).
 */
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"

enum what {
	ALLREDUCE,
	ALLREDUCE_BYTES,
	BCAST,
	BARRIER,
	GATHER,
	GATHER_BYTES,
	REDUCE,
	SPLIT,
	MESSAGE,
	COUNTS
};

static const char *const names[COUNTS] = { "allreduce", "allreduce_bytes", "bcast",
					   "barrier",	"gather",	   "gather_bytes",
					   "reduce",	"split",	   "message" };
static uint64_t count[COUNTS], at_start[COUNTS];
static double began, started; /* client 0: MPI is there; the first point is ordered */
static int orders;

static uint64_t bytes_of(int n, MPI_Datatype type)
{
	int size = 0;

	PMPI_Type_size(type, &size);
	return (uint64_t)n * (uint64_t)size;
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided)
{
	int r = PMPI_Init_thread(argc, argv, wanted, provided);

	began = PMPI_Wtime();
	return r;
}

int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	count[ALLREDUCE]++;
	count[ALLREDUCE_BYTES] += bytes_of(n, type);
	return PMPI_Allreduce(from, to, n, type, op, comm);
}

int MPI_Bcast(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
	count[BCAST]++;
	return PMPI_Bcast(buffer, n, type, root, comm);
}

/* Orders of client 0: the workspace, then three broadcasts for each point. */
int MPI_Ibcast(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *q)
{
	if (++orders == 2) {
		memcpy(at_start, count, sizeof(count));
		started = PMPI_Wtime() - began;
	}
	count[BCAST]++;
	return PMPI_Ibcast(buffer, n, type, root, comm, q);
}

int MPI_Barrier(MPI_Comm comm)
{
	count[BARRIER]++;
	return PMPI_Barrier(comm);
}

int MPI_Allgather(const void *from, int n, MPI_Datatype type, void *to, int m, MPI_Datatype other,
		  MPI_Comm comm)
{
	int size;

	PMPI_Comm_size(comm, &size);
	count[GATHER]++;
	count[GATHER_BYTES] += bytes_of(m, other) * (uint64_t)size;
	return PMPI_Allgather(from, n, type, to, m, other, comm);
}

int MPI_Gather(const void *from, int n, MPI_Datatype type, void *to, int m, MPI_Datatype other,
	       int root, MPI_Comm comm)
{
	int size, rank;

	PMPI_Comm_size(comm, &size);
	PMPI_Comm_rank(comm, &rank);
	count[GATHER]++;
	if (rank == root)
		count[GATHER_BYTES] += bytes_of(m, other) * (uint64_t)size;
	return PMPI_Gather(from, n, type, to, m, other, root, comm);
}

int MPI_Reduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, int root,
	       MPI_Comm comm)
{
	count[REDUCE]++;
	return PMPI_Reduce(from, to, n, type, op, root, comm);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
	count[SPLIT]++;
	return PMPI_Comm_split(comm, color, key, part);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part)
{
	const char *per_node = getenv("SCALE_PER_NODE");
	int rank;

	count[SPLIT]++;
	if (!per_node || type != MPI_COMM_TYPE_SHARED)
		return PMPI_Comm_split_type(comm, type, key, info, part);
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return PMPI_Comm_split(comm, rank / atoi(per_node), key, part);
}

int MPI_Send(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	count[MESSAGE]++;
	return PMPI_Send(buffer, n, type, to, tag, comm);
}

int MPI_Isend(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	      MPI_Request *q)
{
	count[MESSAGE]++;
	return PMPI_Isend(buffer, n, type, to, tag, comm, q);
}

int MPI_Sendrecv(const void *out, int n, MPI_Datatype type, int to, int tag, void *in, int m,
		 MPI_Datatype other, int from, int tag2, MPI_Comm comm, MPI_Status *status)
{
	count[MESSAGE]++;
	return PMPI_Sendrecv(out, n, type, to, tag, in, m, other, from, tag2, comm, status);
}

/* kB of memory of its own. */
static uint64_t anonymous(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	unsigned long long kb = 0;

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "RssAnon: %llu", &kb) == 1)
			break;
	}
	if (file)
		fclose(file);
	return kb;
}

int MPI_Finalize(void)
{
	enum { ANONYMOUS = 2 * COUNTS, HEAP, ALL };
	uint64_t own[ALL], most[ALL];
	const uint64_t first_kb = anonymous(), first_heap = scale_heap_most();
	double seconds = PMPI_Wtime() - began;
	const char *path = getenv("SCALE_OUT");
	int rank, size;
	FILE *file;

	memcpy(own, count, sizeof(count));
	memcpy(own + COUNTS, at_start, sizeof(at_start));
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	own[ANONYMOUS] = rank == 0 ? 0 : first_kb;
	own[HEAP] = rank == 0 ? 0 : first_heap;
	PMPI_Reduce(own, most, ALL, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
	PMPI_Comm_size(MPI_COMM_WORLD, &size);
	file = rank == 0 && path ? fopen(path, "ae") : NULL;
	if (file) {
		fprintf(file,
			"{\"ranks\":%d,\"seconds\":%.6f,\"start_s\":%.6f,\"anonymous_kb\":%llu,"
			"\"first_kb\":%llu,\"heap_bytes\":%llu,\"first_heap_bytes\":%llu",
			size, seconds, started, (unsigned long long)most[ANONYMOUS],
			(unsigned long long)first_kb, (unsigned long long)most[HEAP],
			(unsigned long long)first_heap);
		for (int i = 0; i < 2 * COUNTS; i++)
			fprintf(file, ",\"%s%s\":%llu", i < COUNTS ? "" : "start_",
				names[i % COUNTS], (unsigned long long)most[i]);
		fprintf(file, "}\n");
		fclose(file);
	}
	return PMPI_Finalize();
}
