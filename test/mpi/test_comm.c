/*
 * test_comm: groups over planted nodes. This program's own MPI_Comm_split_type says who shares a node, and what the
 * groups cost is counted.
 *
 * run:
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"

enum plan {
	BLOCKS,
	TURNS,
	LONELY,
	PLANS
}; /* two and two; dealt out over two nodes; the first alone */

static enum plan plan;
static int failures, splits, broadcasts, gathers;

static int node_of(int rank)
{
	return plan == BLOCKS ? rank / 2 : plan == TURNS ? rank % 2 : rank > 0;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part)
{
	int rank;

	(void)type;
	(void)info;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	return PMPI_Comm_split(comm, node_of(rank), key, part);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part)
{
	splits++;
	return PMPI_Comm_split(comm, color, key, part);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
	broadcasts++;
	return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Allgather(const void *from, int n, MPI_Datatype type, void *to, int m, MPI_Datatype other,
		  MPI_Comm comm)
{
	gathers++;
	return PMPI_Allgather(from, n, type, to, m, other, comm);
}

static void check(const char *what, uint64_t is, uint64_t should)
{
	if (is == should)
		return;
	printf("test_comm: plan %d: %s is %llu and should be %llu\n", plan, what,
	       (unsigned long long)is, (unsigned long long)should);
	failures++;
}

/* Everything about a group of the first `n` of the world, found the long way. */
static void check_group(const struct pario_comm *c, int n)
{
	int order[64], sizes[64] = { 0 }, first[64], nodes = 0, at = 0, largest = 0, rank;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < n; i++) {
		int k = 0;

		while (k < nodes && node_of(first[k]) != node_of(i))
			k++;
		if (k == nodes)
			first[nodes++] = i;
		sizes[k]++;
	}
	for (int k = 0; k < nodes; k++) {
		largest = sizes[k] > largest ? sizes[k] : largest;
		for (int i = 0, inside = 0; i < n; i++) {
			if (node_of(i) != node_of(first[k]))
				continue;
			if (i == rank) {
				check("node", c->node, (uint64_t)k);
				check("number within the node", c->node_client, (uint64_t)inside);
				check("clients of the node", c->node_clients, (uint64_t)sizes[k]);
			}
			order[at++] = i;
			inside++;
		}
	}
	check("clients", c->clients, (uint64_t)n);
	check("client", c->client, (uint64_t)rank);
	check("nodes", c->nodes, (uint64_t)nodes);
	check("largest node", c->node_clients_max, (uint64_t)largest);
	for (int i = 0; i < n; i++) {
		if (order[i] == rank)
			check("partner", c->partner,
			      (uint64_t)(nodes > 1 ? order[(i + largest) % n] : rank));
	}
	/* one clock: what it seems to be off by is never more than the error */
	if (llabs(c->clock_offset_ns) > c->clock_error_ns)
		check("clock's offset", (uint64_t)llabs(c->clock_offset_ns),
		      (uint64_t)c->clock_error_ns);
	if (c->clock_error_ns < 0 || (nodes > 1 && c->node > 0 && c->clock_error_ns == 0))
		check("clock's error", (uint64_t)c->clock_error_ns, 1);
}

/* Groups that were asked for before cost no new communicator; more than are kept are made again and are right. */
static void check_kept(const struct pario_comm *world, int size)
{
	struct pario_comm_splits all = { 0 };
	const struct pario_comm *part, *again;

	for (int round = 0; round < 3; round++) {
		for (int n = 1; n <= size && n <= PARIO_COMM_SPLITS; n++) {
			splits = broadcasts = 0;
			part = pario_comm_split(world, (uint64_t)n, PARIO_SPREAD_NUMBERS, &all);
			if (round)
				check("splits of a kept group", (uint64_t)splits, 0);
			if (part->mpi != MPI_COMM_NULL)
				check_group(part, n);
			if (broadcasts > 2)
				check("broadcasts", (uint64_t)broadcasts, 2);
		}
	}
	part = pario_comm_split(world, (uint64_t)size, PARIO_SPREAD_NUMBERS, &all);
	for (uint64_t n = 100; n < 100 + PARIO_COMM_SPLITS; n++)
		again = pario_comm_split(world, n, PARIO_SPREAD_NUMBERS, &all);
	again = pario_comm_split(world, (uint64_t)size, PARIO_SPREAD_NUMBERS, &all);
	check_group(again, size);
	pario_comm_release_splits(&all);
	(void)part;
}

static void check_agreement(const struct pario_comm *world, int size)
{
	struct pario_err err = { 0 };
	uint64_t failed = 7;
	int last = world->client + 1 == world->clients;
	char placed[100];

	check("agreement on nothing", (uint64_t)pario_comm_agree(world->mpi, 0, &failed, &err), 0);
	check("failures of nothing", failed, 0);
	pario_err_set(&err, PARIO_USAGE, "client %d", (int)world->client);
	check("agreement on a failure",
	      pario_comm_agree(world->mpi, last ? -1 : 0, &failed, &err) < 0, 1);
	check("failures", failed, 1);
	check("a mistake is placed", strstr(err.text, "First seen") != NULL, 0);
	check("client that speaks", (uint64_t)atoi(err.text + sizeof("client ") - 1),
	      (uint64_t)size - 1);
	pario_err_set(&err, PARIO_SYSTEM, "client %d", (int)world->client);
	pario_comm_agree(world->mpi, last ? -1 : 0, NULL, &err);
	snprintf(placed, sizeof(placed), "client %d First seen by client %d on ", size - 1,
		 size - 1);
	check("a failure is placed", strncmp(err.text, placed, strlen(placed)) == 0, 1);
	pario_comm_agree(world->mpi, -1, NULL, &err);
	check("and stays where it was", strstr(err.text + strlen(placed), "First seen") != NULL, 0);
}

int main(int argc, char **argv)
{
	struct pario_comm world;
	struct pario_err err = { 0 };
	int size;

	if (pario_comm_init(&world, &argc, &argv, &err) < 0) {
		printf("test_comm: %s\n", err.text);
		return 1;
	}
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (plan = BLOCKS; plan < PLANS; plan++) {
		struct pario_comm_splits all = { 0 };
		struct pario_comm planted = world;

		planted.nodes = 0; /* so that a group finds out itself */
		gathers = 0;
		check_group(pario_comm_split(&planted, (uint64_t)size, PARIO_SPREAD_NUMBERS, &all),
			    size);
		check_kept(&planted, size);
		check_agreement(&world, size);
		check("gathers", (uint64_t)gathers, 0);
		pario_comm_release_splits(&all);
	}
	pario_comm_release(&world);
	MPI_Finalize();
	return failures ? 1 : 0;
}
