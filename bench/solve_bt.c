/*
 * solve_bt: how fast does pario's BT solver compute here?
 *
 * usage: solve_bt CLASS [STEPS [ISA [SHARE]]]; 0 and - stand for the default. As NPB does: one untimed step, start
 * again, the steps timed from a barrier to the slowest rank's end. Prints Gop/s by NPB's count, ns per interior
 * point and step, seconds, the shortest step (what a disturbed machine could do), and what it ran on; a whole run is
 * verified, and fails when the norms are not the reference's. A second line says what the fields' way through memory
 * needs beside what all ranks together get by a plain triad (a = b + s c, as STREAM counts) in the same minute.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/nht1/bt/bt.h"

static void stop(const char *what)
{
	fprintf(stderr, "solve_bt: %s\n", what);
	MPI_Abort(MPI_COMM_WORLD, 3);
}

static double timed(struct pario_bt *bt, int steps, double *shortest)
{
	struct pario_err err = { 0 };
	double start, before, mine, slowest, least = 1e30;

	pario_bt_initialize(bt);
	pario_bt_step(bt, &err);
	pario_bt_initialize(bt);
	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	before = start;
	for (int i = 0; i < steps; i++) {
		double now;

		if (pario_bt_step(bt, &err) < 0)
			stop(err.text);
		now = MPI_Wtime();
		least = now - before < least ? now - before : least;
		before = now;
	}
	mine = before - start;
	MPI_Allreduce(&least, shortest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return slowest;
}

static void show(const struct pario_bt *bt, char class, int steps, double seconds, double shortest,
		 const char *word)
{
	double inner = pario_bt_points(class) - 2, share = (double)steps / pario_bt_steps(class);

	printf("%.3f Gop/s  %.2f ns/point/step  %.3f s  shortest step %.2f ns/point  "
	       "class %c  %d steps  %s  %d group%s  %s\n",
	       pario_bt_operations(class) * share / seconds * 1e-9,
	       seconds * 1e9 / (inner * inner * inner * steps), seconds,
	       shortest * 1e9 / (inner * inner * inner), class, steps, pario_bt_isa(bt),
	       pario_bt_groups(bt), pario_bt_groups(bt) > 1 ? "s" : "", word);
}

/*
 * What a point and step move at the least, when nothing but a plane and a batch of lines stays in a cache: the plane
 * pass reads u and rhs and writes rhs, the z pass reads u, rhs and forcing and writes u and rhs; 40 bytes each.
 */
enum { POINT_BYTES = 8 * 40, TRIAD = 8 << 20, TRIAD_ROUNDS = 4 };

/* Bytes per second of all ranks at once, the best of some rounds; 0 without memory. */
static double triad(void)
{
	double *a = malloc(3 * TRIAD * sizeof(double)), *b, *c, best = 0, least;
	int here = a != NULL, all;

	MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (!a || !all) {
		free(a);
		return 0;
	}
	b = a + TRIAD;
	c = b + TRIAD;
	for (long i = 0; i < 3 * TRIAD; i++)
		a[i] = (double)(i % 7);
	for (int r = 0; r < TRIAD_ROUNDS; r++) {
		double start, took;

		MPI_Barrier(MPI_COMM_WORLD);
		start = MPI_Wtime();
		for (long i = 0; i < TRIAD; i++)
			a[i] = b[i] + (double)r * c[i];
		took = MPI_Wtime() - start;
		__asm__ volatile("" : : "r"(a) : "memory");
		best = fmax(best, 3 * TRIAD * sizeof(double) / took);
	}
	free(a);
	MPI_Allreduce(&best, &least, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return least;
}

static void show_memory(int rank, char class, int steps, double seconds)
{
	double inner = pario_bt_points(class) - 2, stream = triad();

	if (rank == 0)
		printf("memory %.1f GB/s of %.1f by triad\n",
		       POINT_BYTES * inner * inner * inner * steps / seconds * 1e-9, stream * 1e-9);
}

int main(int argc, char **argv)
{
	struct pario_bt_options options = { .class = 'A' };
	struct pario_err err = { 0 };
	bool verified = true;
	struct pario_bt *bt;
	int rank, steps = 0;
	double seconds, shortest, xcr[5], xce[5];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 1)
		options.class = argv[1][0];
	if (argc > 2)
		steps = atoi(argv[2]);
	if (argc > 3 && strcmp(argv[3], "-") != 0)
		options.isa = argv[3];
	if (argc > 4)
		options.share = atoi(argv[4]);
	if (pario_bt_create(&bt, MPI_COMM_WORLD, &options, &err) < 0) {
		stop(err.text);
		return 3;
	}
	if (steps <= 0)
		steps = pario_bt_steps(options.class);
	seconds = timed(bt, steps, &shortest);
	if (steps == pario_bt_steps(options.class) &&
	    pario_bt_verify(bt, xcr, xce, &verified, &err) < 0)
		stop(err.text);
	if (rank == 0)
		show(bt, options.class, steps, seconds, shortest,
		     steps != pario_bt_steps(options.class) ? "not verified"
		     : verified				    ? "verified"
							    : "WRONG");
	show_memory(rank, options.class, steps, seconds);
	pario_bt_destroy(bt);
	MPI_Finalize();
	return verified ? 0 : 4;
}
