/*
 * model: pario's own groups, agreement and reductions in simulated time, for more clients than there are cores.
 * Built with SimGrid's smpicc from the sources of pario; bench/scale runs it. What the launcher says is not asked here.
 */
#include <mpi.h>

#include <stdio.h>

#include "comm/comm.h"
#include "comm/launch.h"
#include "engine/meter.h"

enum { TIMES = 20 };

uint64_t pario_launch_promised(void)
{
	return 0;
}

const char *pario_launch_flavour(void)
{
	return "SimGrid";
}

const char *pario_launch_program(void)
{
	return "smpirun";
}

static double since(double begin, double times)
{
	double own = (MPI_Wtime() - begin) / times, most;

	MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	return most;
}

int main(int argc, char **argv)
{
	static struct pario_comm_splits splits;
	static struct pario_meter meter;
	static struct pario_histogram latency;
	struct pario_comm world;
	struct pario_err err = { 0 };
	struct pario_result result;
	double at, start, fresh, kept, agree, reduce;

	at = MPI_Wtime();
	if (pario_comm_init(&world, &argc, &argv, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	start = since(at, 1);
	at = MPI_Wtime();
	pario_comm_split(&world, world.clients, PARIO_SPREAD_NUMBERS, &splits);
	fresh = since(at, 1);
	at = MPI_Wtime();
	pario_comm_split(&world, world.clients, PARIO_SPREAD_NUMBERS, &splits);
	kept = since(at, 1);
	at = MPI_Wtime();
	for (int i = 0; i < TIMES; i++)
		pario_comm_agree(world.mpi, 0, NULL, &err);
	agree = since(at, TIMES);
	pario_meter_clear(&meter);
	pario_result_init(&result);
	at = MPI_Wtime();
	for (int i = 0; i < TIMES; i++)
		pario_meter_reduce(&meter, &world, &result, &latency);
	reduce = since(at, TIMES);
	if (world.client == 0)
		printf("{\"ranks\":%llu,\"nodes\":%llu,\"start_s\":%.9f,\"split_s\":%.9f,"
		       "\"kept_s\":%.9f,\"agree_s\":%.9f,\"reduce_s\":%.9f}\n",
		       (unsigned long long)world.clients, (unsigned long long)world.nodes, start,
		       fresh, kept, agree, reduce);
	MPI_Finalize();
	return 0;
}
