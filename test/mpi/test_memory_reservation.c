/*
 * test_memory_reservation: how much memory is taken, and how much is never taken.
 *
 * run:
 * clients: 1
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "tests/nht1/peak/memory_reservation.h"
#include "tests/nht1/peak/tuner.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static int failures;

static void check(int fine, const char *what)
{
	if (!fine) {
		printf("test_memory_reservation: %s\n", what);
		failures++;
	}
}

static void shares(void)
{
	check(pario_memory_reservation_share(16 * GIB, 1, 0.5) == 8 * GIB, "half of 16 GiB");
	check(pario_memory_reservation_share(16 * GIB, 4, 0.5) == 2 * GIB,
	      "half of 16 GiB for 4 clients");
	check(pario_memory_reservation_share(10 * MIB + 1, 1, 1) == 11 * MIB,
	      "rounded up to whole units");
	check(pario_memory_reservation_share(16 * GIB, 3, 0.8) * 3 >=
		      (uint64_t)(0.8 * 16 * (double)GIB),
	      "3 clients together have at least 80 %");
	check(pario_memory_reservation_share(16 * GIB, 1, 1e-12) == MIB, "at least one unit");
}

static void short_of_nht1(void)
{
	struct pario_memory_reservation_amount a = { .bytes = 8 * GIB,
						     .wanted = 8 * GIB,
						     .memory = 10 * GIB,
						     .allowed = 10 * GIB,
						     .nodes = 2,
						     .world_nodes = 2 };
	char text[300];

	pario_memory_reservation_short(&a, 0.8, text);
	check(!*text, "80 % of all nodes is enough");
	a.bytes -= MIB;
	pario_memory_reservation_short(&a, 0.8, text);
	check(strstr(text, "instead of 80 %; memory or disk had no room") != NULL, text);
	a.bytes = 8 * GIB;
	a.world_nodes = 5;
	pario_memory_reservation_short(&a, 0.8, text);
	check(strncmp(text, "the data are those of 2 of 5 nodes", 34) == 0, text);
	a.world_nodes = 2;
	a.memory = 20 * GIB;
	pario_memory_reservation_short(&a, 0.8, text);
	check(strcmp(text,
		     "8 GiB were moved, 40 % of 20 GiB of memory, instead of 80 %; a container or cgroup "
		     "allows only 10 GiB of it") == 0,
	      text);
	a.memory = 10 * GIB;
	a.world_nodes = 5;
	a.bytes = a.wanted = MIB;
	pario_memory_reservation_short(&a, 0.8, text);
	check(strstr(text, "instead of 80 %; the data are those of 2 of 5 nodes") != NULL, text);
}

static void spare(void)
{
	/* a 32nd of all and 64 MiB stay free */
	check(pario_memory_reservation_spare(32 * GIB, 32 * GIB, 1) == 31 * GIB - 64 * MIB,
	      "an idle node");
	check(pario_memory_reservation_spare(32 * GIB, 32 * GIB, 2) == (31 * GIB - 64 * MIB) / 2,
	      "for two");
	check(pario_memory_reservation_spare(32 * GIB, GIB + 64 * MIB, 1) == 0, "nothing to spare");
	check(pario_memory_reservation_spare(32 * GIB, 0, 1) == 0, "nothing available");
	check(pario_memory_reservation_spare(32 * GIB, 32 * GIB, 1) >=
		      pario_memory_reservation_share(32 * GIB, 1, 0.8),
	      "80 % of an idle node can be had");
}

static void tuner(void)
{
	struct pario_tuner_choice fixed = { .method = 2, .direct = 2, .request = 4096, .depth = 7 };
	struct pario_tuner_choice free_choice = { 0 }, one_size = { .request = 65536 };
	struct pario_tuner all, some, one;
	struct pario_err err;

	check(pario_tuner_init(&one, &fixed, &err) == 0 && one.count == 1, "one way is left");
	check(one.way[0].method == PARIO_PEAK_IO_THREADS && one.way[0].direct &&
		      one.way[0].request == 4096 && one.way[0].depth == 7,
	      "the way that was asked for");
	check(pario_tuner_init(&all, &free_choice, &err) == 0 && all.count >= 11, "many ways");
	check(pario_tuner_init(&some, &one_size, &err) == 0 && some.count < all.count,
	      "fewer when the size is given");
	for (unsigned i = 0; i < some.count; i++)
		check(some.way[i].request == 65536, "all with the size that was given");
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	shares();
	spare();
	short_of_nht1();
	tuner();
	MPI_Finalize();
	return failures ? 1 : 0;
}
