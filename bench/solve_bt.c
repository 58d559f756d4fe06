/*
 * solve_bt: how fast does pario's BT solver compute here?
 *
 * usage: solve_bt CLASS [STEPS [ISA [SHARE]]]; 0 and - stand for the default. As NPB does: one untimed step, start
 * again, the steps timed from a barrier to the slowest rank's end. Prints Gop/s by NPB's count, ns per interior
 * point and step, seconds, the shortest step (what a disturbed machine could do), and what it ran on; a whole run is
 * verified, and fails when the norms are not the reference's.
 */
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

	printf("%.3f Gop/s  %.2f ns/point/step  %.3f s  shortest step %.2f ns/point  class %c  %d steps  %s  %d group%s  %s\n",
	       pario_bt_operations(class) * share / seconds * 1e-9,
	       seconds * 1e9 / (inner * inner * inner * steps), seconds,
	       shortest * 1e9 / (inner * inner * inner), class, steps, pario_bt_isa(bt),
	       pario_bt_groups(bt), pario_bt_groups(bt) > 1 ? "s" : "", word);
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
	pario_bt_destroy(bt);
	MPI_Finalize();
	return verified ? 0 : 4;
}
