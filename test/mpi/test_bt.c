/*
 * test_bt: the whole solver against the golden values and reference norms, at this number of ranks, with every
 * build this processor can run, sharing memory and by messages. test/cli/bt.bats adds odd numbers of ranks.
 *
 * run: S
 * run: W
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/nht1/bt/bt.h"

static int rank, ranks, failures;

static void check(bool good, const char *what, const char *detail)
{
	if (good)
		return;
	failures++;
	fprintf(stderr, "test_bt: rank %d of %d: %s: %s\n", rank, ranks, what, detail);
}

/* All slabs together are the grid, in order of z, without gap. */
static void check_extent(const struct pario_bt *bt, char class)
{
	uint64_t mine[3], all[64][3], n = (uint64_t)pario_bt_points(class), covered = 0;

	pario_bt_extent(bt, &mine[0], &mine[1], &mine[2]);
	check(mine[1] <= n && mine[2] == n, "extent", "wrong size");
	MPI_Allgather(mine, 3, MPI_UINT64_T, all, 3, MPI_UINT64_T, MPI_COMM_WORLD);
	for (uint64_t z = 0; z < n;) {
		uint64_t before = z;

		for (int r = 0; r < ranks; r++)
			if (all[r][0] == z && all[r][1] > 0) {
				z += all[r][1];
				covered += all[r][1];
				break;
			}
		if (z == before)
			break;
	}
	check(covered == n, "extent", "the slabs leave a gap");
}

static const struct golden {
	char class;
	double corner[5], centre[5]; /* u[1][1][1] and u[n/2][n/2][n/2] after one step */
	double sum;		     /* of all values at the end */
} goldens[] = {
	{ 'S',
	  { 4.4459520956202e0, 1.1112509897721e0, 3.0800083700511e0, 2.9432165331377e0,
	    6.5844527553509e1 },
	  { 3.1591563061841e2, 1.7634308799435e1, 8.1699216049576e1, 7.4453421631462e1,
	    8.0801381079003e2 },
	  5.2773796582714e4 },
	{ 'W',
	  { 3.0128765892088e0, 9.4908566877685e-1, 2.4321812202176e0, 2.4026951332059e0,
	    5.4685569343726e1 },
	  { 2.6229506694107e2, 1.4901241514082e1, 7.0635177294903e1, 6.4105622181017e1,
	    7.6723125728675e2 },
	  5.5540685908860e5 },
	{ 'A',
	  { 2.2128209884608e0, 1.0522207277498e0, 2.1662268218621e0, 2.1486171103016e0,
	    4.9232368796310e1 },
	  { 2.3994395269584e2, 1.3265807425415e1, 6.5119187336550e1, 5.9209299365279e1,
	    7.3195205859756e2 },
	  1.0715890026700e7 },
	{ 'B',
	  { 2.1314781077694e0, 1.0290957919754e0, 2.1000445954662e0, 2.0899499727277e0,
	    4.7537482017092e1 },
	  { 2.3386495148104e2, 1.2961707169353e1, 6.3756829016071e1, 5.7970054723597e1,
	    7.2375923877338e2 },
	  1.8219936890787e8 },
};

static void near(const char *what, double is, double should)
{
	char text[100];

	snprintf(text, sizeof(text), "%.14g, should be %.14g", is, should);
	check(fabs(is - should) <= 1e-11 * fabs(should), what, text);
}

/* This rank's planes as they would go to a file: [z][y][x][5]. */
static double *planes_of(const struct pario_bt *bt, uint64_t *z0, uint64_t *nz, uint64_t *n)
{
	double *planes;

	pario_bt_extent(bt, z0, nz, n);
	planes = malloc(*nz * *n * *n * 5 * sizeof(double));
	if (!planes) {
		check(false, "planes", "no memory");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	pario_bt_copy_planes(bt, *z0, *nz, planes);
	return planes;
}

static void check_first_step(const struct pario_bt *bt, const struct golden *g)
{
	uint64_t z0, nz, n;
	double *planes = planes_of(bt, &z0, &nz, &n);

	for (uint64_t m = 0; m < 5; m++) {
		if (z0 <= 1 && z0 + nz > 1)
			near("corner", planes[5 * (((1 - z0) * n + 1) * n + 1) + m], g->corner[m]);
		if (z0 <= n / 2 && z0 + nz > n / 2)
			near("centre", planes[5 * (((n / 2 - z0) * n + n / 2) * n + n / 2) + m],
			     g->centre[m]);
	}
	free(planes);
}

/* Error norms of what was copied out, as a program that reads the file back makes them; and the sum of all. */
static double add_errors(const struct pario_bt *bt, char class, double mean[5], double share)
{
	struct pario_err err = { 0 };
	struct pario_bt_norms *norms;
	uint64_t z0, nz, n;
	double *planes = planes_of(bt, &z0, &nz, &n), mine[11] = { 0 }, all[11];

	check(pario_bt_norms_create(&norms, class, z0, nz, false, &err) == 0, "norms", err.text);
	for (uint64_t z = 0; z < nz; z++)
		pario_bt_norms_plane(norms, planes + z * n * n * 5);
	pario_bt_norms_sums(norms, mine, mine + 5);
	for (uint64_t i = 0; i < nz * n * n * 5; i++)
		mine[10] += planes[i];
	MPI_Allreduce(mine, all, 11, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	pario_bt_norms_finish(class, all, all + 5);
	for (int m = 0; m < 5; m++)
		mean[m] += all[5 + m] * share;
	pario_bt_norms_free(norms);
	free(planes);
	return all[10];
}

static void steps(struct pario_bt *bt, int count)
{
	struct pario_err err = { 0 };

	for (int i = 0; i < count; i++)
		check(pario_bt_step(bt, &err) == 0, "step", err.text);
}

static int groups(int share)
{
	return share ? (ranks + share - 1) / share : 1;
}

static void solve(char class, const char *isa, int share)
{
	struct pario_bt_options options = { .class = class, .isa = isa, .share = share };
	struct pario_err err = { 0 };
	struct pario_bt *bt = NULL;
	const struct golden *golden = &goldens[class == goldens[1].class];
	double xcr[5], xce[5], mean[5] = { 0 }, sum = 0;
	int count = pario_bt_steps(class);
	bool verified = false;
	char what[200];

	if (pario_bt_create(&bt, MPI_COMM_WORLD, &options, &err) < 0) {
		check(false, "create", err.text);
		return;
	}
	check(!strcmp(pario_bt_isa(bt), isa), "build", pario_bt_isa(bt));
	check(pario_bt_groups(bt) == groups(share), "groups", "number");
	check_extent(bt, class);
	pario_bt_initialize(bt);
	steps(bt, 1);
	check_first_step(bt, golden);
	/* The second start must not remember the first. */
	pario_bt_initialize(bt);
	for (int i = 5; i <= count; i += 5) {
		steps(bt, 5);
		sum = add_errors(bt, class, mean, 5.0 / count);
		if (i + 5 == count) {
			check(pario_bt_verify(bt, xcr, xce, &verified, &err) == 0, "verify",
			      err.text);
			check(!verified, "verify", "passed five steps too early");
		}
	}
	snprintf(what, sizeof(what), "class %c, %s, share %d", class, isa, share);
	near(what, sum, golden->sum);
	check(pario_bt_agrees(mean, pario_bt_problem(class)->xce_io), what, "mean of the errors");
	check(pario_bt_verify(bt, xcr, xce, &verified, &err) == 0, "verify", err.text);
	check(verified, what, "the norms are not the reference's");
	pario_bt_destroy(bt);
}

/* The large classes have no time here for more than their first step. */
static void begin(const struct golden *golden)
{
	struct pario_bt_options options = { .class = golden->class };
	struct pario_err err = { 0 };
	struct pario_bt *bt = NULL;

	if (pario_bt_create(&bt, MPI_COMM_WORLD, &options, &err) < 0) {
		check(false, "create", err.text);
		return;
	}
	pario_bt_initialize(bt);
	steps(bt, 1);
	check_first_step(bt, golden);
	pario_bt_destroy(bt);
}

static void refused(struct pario_bt_options options, const char *why)
{
	struct pario_err err = { 0 };
	struct pario_bt *bt = NULL;

	check(pario_bt_create(&bt, MPI_COMM_WORLD, &options, &err) < 0 && !bt, "refusal", why);
	check(strstr(err.text, why) != NULL, why, err.text);
}

int main(int argc, char **argv)
{
	char class;
	int planes;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	class = argc > 1 ? argv[1][0] : 'S';
	planes = pario_bt_points(class) - 2;
	if (ranks > planes * planes / 8) {
		refused((struct pario_bt_options){ .class = class },
			"more ranks than the grid can feed");
	} else {
		for (int i = 0; pario_bt_isa_name(i); i++) {
			if (class != 'S' && pario_bt_isa_name(i + 1) && getenv("CHECK_SANITIZED"))
				continue;
			solve(class, pario_bt_isa_name(i), 0);
			/* Messages do not depend on the build: in the large class the fastest is enough. */
			if (class != 'S' && pario_bt_isa_name(i + 1))
				continue;
			for (int share = 1; share < ranks && share < 7; share += share)
				if (2 * groups(share) <= planes)
					solve(class, pario_bt_isa_name(i), share);
		}
	}
	/* The large classes bring no code that the small ones do not run. */
	for (int i = 2; i < 4 && class == 'S' && !getenv("CHECK_SANITIZED"); i++)
		begin(&goldens[i]);
	if (2 * ranks > planes && ranks > 1)
		refused((struct pario_bt_options){ .class = class, .share = 1 },
			"more ranks than the grid can feed");
	refused((struct pario_bt_options){ .class = 'X' }, "no class X");
	refused((struct pario_bt_options){ .class = class, .isa = "v9" }, "no build \"v9\"");
	/* Class B within 600 MiB over all ranks, whether they share memory or send messages. */
	check(pario_bt_memory_bytes('B', 2, 1) > 3 * 42448320.0 &&
		      pario_bt_memory_bytes('B', 2, 1) < 600 * 1048576.0 &&
		      pario_bt_memory_bytes('B', 8, 4) < 600 * 1048576.0,
	      "memory", "class B takes too much");
	MPI_Finalize();
	return failures ? 1 : 0;
}
