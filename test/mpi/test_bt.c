/*
 * test_bt: the whole solver against the reference norms, at this number of ranks, with every build this processor
 * can run, sharing memory and by messages.
 *
 * run: S
 * run: W
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bt/bt.h"

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
	check(mine[1] >= 1 && mine[2] == n, "extent", "wrong size");
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

static void steps(struct pario_bt *bt, int count)
{
	struct pario_err err = { 0 };

	for (int i = 0; i < count; i++)
		check(pario_bt_step(bt, &err) == 0, "step", err.text);
}

static void solve(char class, const char *isa, int share)
{
	struct pario_bt_options options = { .class = class, .isa = isa, .share = share };
	struct pario_err err = { 0 };
	struct pario_bt *bt = NULL;
	double xcr[5], xce[5];
	bool verified = false;
	char what[200];

	if (pario_bt_create(&bt, MPI_COMM_WORLD, &options, &err) < 0) {
		check(false, "create", err.text);
		return;
	}
	check(!strcmp(pario_bt_isa(bt), isa), "build", pario_bt_isa(bt));
	check(pario_bt_groups(bt) == (share ? (ranks + share - 1) / share : 1), "groups", "number");
	check_extent(bt, class);
	/* The second start must not remember the first. */
	pario_bt_initialize(bt);
	steps(bt, 1);
	pario_bt_initialize(bt);
	steps(bt, pario_bt_steps(class) - 1);
	check(pario_bt_verify(bt, xcr, xce, &verified, &err) == 0, "verify", err.text);
	check(!verified, "verify", "passed one step too early");
	steps(bt, 1);
	check(pario_bt_verify(bt, xcr, xce, &verified, &err) == 0, "verify", err.text);
	snprintf(what, sizeof(what), "class %c, %s, share %d", class, isa, share);
	check(verified, what, "the norms are not the reference's");
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
	int most;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	class = argc > 1 ? argv[1][0] : 'S';
	most = pario_bt_points(class) - 2;
	if (ranks > most) {
		refused((struct pario_bt_options){ .class = class },
			"more ranks than the grid can feed");
	} else {
		for (int i = 0; pario_bt_isa_name(i); i++) {
			solve(class, pario_bt_isa_name(i), 0);
			for (int share = 1; share < ranks && share < 3; share++)
				if (2 * ((ranks + share - 1) / share) <= most && 2 * ranks <= most)
					solve(class, pario_bt_isa_name(i), share);
		}
	}
	if (2 * ranks > most && ranks > 1)
		refused((struct pario_bt_options){ .class = class, .share = 1 },
			"more ranks than the grid can feed");
	refused((struct pario_bt_options){ .class = 'X' }, "no class X");
	refused((struct pario_bt_options){ .class = class, .isa = "v9" }, "no build \"v9\"");
	MPI_Finalize();
	return failures ? 1 : 0;
}
