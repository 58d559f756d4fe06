/*
 * test_clock: the clock of all measurements against MPI_Wtime, which the consortium asks for: it agrees, and it is
 * finer.
 *
 * run:
 * clients: 1
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/ticks.h"

enum { READS = 200000 };

static int failures;

static void check(int fine, const char *what, double a, double b)
{
	if (!fine) {
		printf("test_clock: %s: %.12g and %.12g\n", what, a, b);
		failures++;
	}
}

/* Both clocks at one moment, in seconds, and how far apart they may have been read: the closest of many tries. */
struct moment {
	double wtime_s, own_s, apart_s;
};

static struct moment now(void)
{
	struct moment best = { .apart_s = 1e9 };

	for (int i = 0; i < 2000; i++) {
		double before = MPI_Wtime(), own_s = (double)pario_ticks_ns() * 1e-9,
		       after = MPI_Wtime();

		if (after - before < best.apart_s)
			best = (struct moment){ (before + after) / 2, own_s, after - before };
	}
	return best;
}

static void agrees(void)
{
	struct moment from = now(), to;
	double wtime_s, own_s;

	do
		to = now();
	while (to.wtime_s - from.wtime_s < 0.5);
	wtime_s = to.wtime_s - from.wtime_s;
	own_s = to.own_s - from.own_s;
	check(own_s - wtime_s < 1e-5 * wtime_s + from.apart_s + to.apart_s &&
		      wtime_s - own_s < 1e-5 * wtime_s + from.apart_s + to.apart_s,
	      "half a second by MPI_Wtime and by the clock of measurements", wtime_s, own_s);
}

/* The smallest step that two readings in a row show, other than none. */
static double smallest_step(double (*clock)(void))
{
	double smallest = 1e9, last = clock();

	for (int i = 0; i < READS; i++) {
		double t = clock();

		if (t > last && t - last < smallest)
			smallest = t - last;
		last = t;
	}
	return smallest;
}

static double own_clock(void)
{
	static int64_t base;

	if (base == 0)
		base = pario_ticks_ns();
	return (double)(pario_ticks_ns() - base) * 1e-9;
}

static void never_goes_back(void)
{
	int64_t last = pario_ticks_ns(), back = 0;

	for (int i = 0; i < READS; i++) {
		int64_t t = pario_ticks_ns();

		back += t < last;
		last = t;
	}
	check(back == 0, "readings that went back, of", (double)back, READS);
}

int main(int argc, char **argv)
{
	double own, wtime;

	pario_ticks_start();
	MPI_Init(&argc, &argv);
	pario_ticks_settle();
	agrees();
	never_goes_back();
	own = smallest_step(own_clock);
	wtime = smallest_step(MPI_Wtime);
	check(own <= 2 * wtime, "smallest step of the clock of measurements and of MPI_Wtime", own,
	      wtime);
	if (argc > 1)
		printf("%.3g s, MPI_Wtime %.3g s, MPI_Wtick %.3g s\n", own, wtime, MPI_Wtick());
	MPI_Finalize();
	return failures ? 1 : 0;
}
