/*
 * solver: makes a solver for a team of ranks, sets its fields, and hands out what they hold.
 *
 * The fields of a group of ranks lie in memory they share, laid out as kernel.h says, with two planes of the neighbour
 * groups on either side. What a time step does to them is in step.c.
 */
#include "tests/nht1/bt/solver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/nht1/bt/operator.h"

enum { ALIGN = 64, FIELDS = 3 };

/* An odd number of cache lines between planes: the points of a z line then fall into different sets. */
static void lay_out(struct pario_bt_grid *g, const struct pario_bt_problem *p)
{
	size_t unit = PARIO_BT_UNIT;

	g->n = p->n;
	g->dt = p->dt;
	g->row = ((size_t)p->n + unit - 1) / unit * unit;
	g->line = 5 * g->row;
	g->plane = (size_t)p->n * g->line;
	if (g->plane / unit % 2 == 0)
		g->plane += unit;
}

static int planes_with_halo(int n, int low, int high)
{
	return (high + 2 < n ? high + 2 : n) - (low - 2 > 0 ? low - 2 : 0);
}

static size_t field_bytes(const struct pario_bt_grid *g, int low, int high)
{
	return (size_t)planes_with_halo(g->n, low, high) * g->plane * sizeof(double);
}

double pario_bt_memory_bytes(char class, int ranks, int groups)
{
	const struct pario_bt_problem *p = pario_bt_problem(class);
	struct pario_bt_grid g;
	double planes, batch;

	if (!p || ranks < 1 || groups < 1)
		return 0;
	lay_out(&g, p);
	planes = p->n + 4.0 * (groups - 1);
	batch = (double)p->n * PARIO_BT_UNIT * (PARIO_BT_STATE + 10) * sizeof(double);
	return FIELDS * planes * (double)g.plane * sizeof(double) + ranks * batch +
	       (groups > 1 ? pario_bt_pipeline_bytes(&g) : 0);
}

static const struct pario_bt_kernel *choose(const char *name)
{
	const struct pario_bt_kernel *k, *best = NULL;

	for (int i = 0; (k = pario_bt_kernel_at(i)); i++)
		if (!name || !strcmp(name, k->name))
			best = k;
	return best;
}

const char *pario_bt_isa_name(int i)
{
	const struct pario_bt_kernel *k = pario_bt_kernel_at(i);

	return k ? k->name : NULL;
}

static int settle(struct pario_bt *bt, const struct pario_bt_options *o, struct pario_err *err)
{
	bt->problem = pario_bt_problem(o->class);
	if (!bt->problem)
		return pario_err_set(err, PARIO_USAGE,
				     "BT has no class %c. Choose one of the classes %s.", o->class,
				     pario_bt_classes());
	bt->kernel = choose(o->isa);
	if (!bt->kernel)
		return pario_err_set(err, PARIO_USAGE,
				     "BT has no build \"%s\" that this processor can run. Choose "
				     "portable, v3 or v4 as the processor allows, or none for "
				     "the fastest.",
				     o->isa);
	return 0;
}

static void *aligned(size_t doubles)
{
	size_t bytes = (doubles * sizeof(double) + ALIGN - 1) / ALIGN * ALIGN;

	return aligned_alloc(ALIGN, bytes);
}

/* The planes of the group, those each rank starts and hands out, and its z lines. */
static void divide(struct pario_bt *bt)
{
	const struct pario_bt_team *t = &bt->team;
	int n = bt->grid.n, bottom, top;

	bt->low = pario_bt_team_plane(t, t->mine);
	bt->high = pario_bt_team_plane(t, t->mine + 1);
	bt->units = (n - 2 + PARIO_BT_UNIT - 1) / PARIO_BT_UNIT;
	bt->batches = (n + bt->kernel->width - 1) / bt->kernel->width;
	/* Boundary planes belong to the group beside them. */
	bottom = bt->low == 1 ? 0 : bt->low;
	top = bt->high == n - 1 ? n : bt->high;
	bt->begin = bottom + pario_bt_share(top - bottom, t->seat, t->seats);
	bt->end = bottom + pario_bt_share(top - bottom, t->seat + 1, t->seats);
	bt->first_line = pario_bt_share((n - 2) * bt->batches, t->seat, t->seats);
	bt->end_line = pario_bt_share((n - 2) * bt->batches, t->seat + 1, t->seats);
}

/* What this rank needs alone; the fields are the group's. */
static int allocate(struct pario_bt *bt, struct pario_err *err)
{
	struct pario_bt_team *t = &bt->team;
	int status = 0, planes;
	size_t field;
	void *memory;

	lay_out(&bt->grid, bt->problem);
	divide(bt);
	bt->scratch = aligned(bt->kernel->scratch(&bt->grid));
	bt->neighbour = aligned(5 * (size_t)bt->kernel->width);
	if (!bt->scratch || !bt->neighbour)
		status = pario_err_sys(err, ENOMEM, NULL, "working memory for BT failed");
	if (pario_bt_team_agree(t, status, err) < 0)
		return -1;
	field = field_bytes(&bt->grid, bt->low, bt->high);
	planes = bt->high - bt->low;
	if (pario_bt_team_allocate(t, FIELDS * field, planes, pario_bt_lots(t, planes), &memory,
				   err) < 0)
		return -1;
	pario_bt_share_planes(bt);
	pario_bt_share_lines(bt);
	bt->grid.k0 = bt->low - 2 > 0 ? bt->low - 2 : 0;
	bt->grid.u = memory;
	bt->grid.rhs = bt->grid.u + field / sizeof(double);
	bt->grid.forcing = bt->grid.rhs + field / sizeof(double);
	if (t->groups == 1)
		return 0;
	return pario_bt_pipeline_create(&bt->pipeline, t, &bt->grid, bt->kernel, err);
}

int pario_bt_create(struct pario_bt **bt, MPI_Comm comm, const struct pario_bt_options *options,
		    struct pario_err *err)
{
	struct pario_bt settled = { 0 }, *s;
	int mine, worst;

	/* The same sentence on every rank, also where processors differ. */
	mine = settle(&settled, options, err);
	MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MIN, comm);
	if (worst < 0)
		return mine < 0 ? -1
				: pario_err_set(err, PARIO_USAGE,
						"another rank cannot run this build of BT.");
	if (pario_bt_team_init(&settled.team, comm, settled.problem->n, options->share, err) < 0)
		return -1;
	s = malloc(sizeof(*s));
	mine = s ? 0 : pario_err_sys(err, ENOMEM, NULL, "memory for BT failed");
	if (pario_bt_team_agree(&settled.team, mine, err) < 0) {
		free(s);
		pario_bt_team_release(&settled.team);
		return -1;
	}
	*s = settled;
	if (allocate(s, err) < 0) {
		pario_bt_destroy(s);
		return -1;
	}
	*bt = s;
	return 0;
}

void pario_bt_destroy(struct pario_bt *bt)
{
	if (!bt)
		return;
	pario_bt_pipeline_free(bt->pipeline);
	pario_bt_team_release(&bt->team);
	free(bt->scratch);
	free(bt->neighbour);
	free(bt);
}

/* ---- values ---- */

static double *row_of(const struct pario_bt *bt, double *field, int k, int j)
{
	const struct pario_bt_grid *g = &bt->grid;

	return field + (size_t)(k - g->k0) * g->plane + (size_t)j * g->line;
}

/* The padding repeats the last point: never looked at, but divided by. */
static void set_plane(struct pario_bt *bt, int k)
{
	const struct pario_bt_grid *g = &bt->grid;

	memset(row_of(bt, g->rhs, k, 0), 0, g->plane * sizeof(double));
	memset(row_of(bt, g->forcing, k, 0), 0, g->plane * sizeof(double));
	for (int j = 0; j < g->n; j++) {
		double *u = row_of(bt, g->u, k, j);

		for (int i = 0; i < (int)g->row; i++) {
			double value[5];

			pario_bt_initial(g->n, i < g->n ? i : g->n - 1, j, k, value);
			for (size_t m = 0; m < 5; m++)
				u[pario_bt_place(m, (size_t)i)] = value[m];
		}
	}
}

static void forcing_at(int n, const int at[3], double out[5])
{
	double h = 1.0 / (n - 1), values[5][5];
	const double *p[5];

	memset(out, 0, 5 * sizeof(*out));
	for (int direction = 0; direction < 3; direction++) {
		for (int q = 0; q < 5; q++) {
			double x[3] = { at[0] * h, at[1] * h, at[2] * h };

			x[direction] = (at[direction] + q - 2) * h;
			pario_bt_exact(x[0], x[1], x[2], values[q]);
			p[q] = values[q];
		}
		pario_bt_operator(n, direction, at[direction], p, out);
	}
}

/* The forcing makes the exact solution stationary. */
static void set_forcing(struct pario_bt *bt, int k)
{
	const struct pario_bt_grid *g = &bt->grid;

	for (int j = 1; j < g->n - 1; j++)
		for (int i = 1; i < g->n - 1; i++) {
			double out[5], *f = row_of(bt, g->forcing, k, j);

			forcing_at(g->n, (const int[3]){ i, j, k }, out);
			for (size_t m = 0; m < 5; m++)
				f[pario_bt_place(m, (size_t)i)] = -out[m];
		}
}

/* L_z of this rank's z lines, of the planes from .. to-1. */
static void derive_lines(struct pario_bt *bt, int from, int to)
{
	for (int l = bt->first_line; l < bt->end_line && from < to; l++)
		bt->kernel->derive(&bt->grid, from, to - from, 1 + l / bt->batches,
				   l % bt->batches * bt->kernel->width);
}

void pario_bt_initialize(struct pario_bt *bt)
{
	int from, to;

	for (int k = bt->begin; k < bt->end; k++) {
		set_plane(bt, k);
		if (k > 0 && k < bt->grid.n - 1)
			set_forcing(bt, k);
	}
	pario_bt_team_wait(&bt->team);
	if (bt->pipeline)
		pario_bt_pipeline_halo(bt->pipeline);
	pario_bt_derivable(bt, &from, &to);
	derive_lines(bt, from, to);
	pario_bt_team_wait(&bt->team);
}

/* ---- what comes out ---- */

void pario_bt_extent(const struct pario_bt *bt, uint64_t *z0, uint64_t *nz, uint64_t *n)
{
	*z0 = (uint64_t)bt->begin;
	*nz = (uint64_t)(bt->end - bt->begin);
	*n = (uint64_t)bt->grid.n;
}

/* A row in points of five components. Whole units have fixed bounds: the compiler turns each into plain moves. */
static void copy_row(double *restrict to, const double *restrict from, size_t n)
{
	size_t whole = n / PARIO_BT_UNIT * PARIO_BT_UNIT;

	for (size_t i = 0; i < whole;
	     i += PARIO_BT_UNIT, to += 5 * PARIO_BT_UNIT, from += 5 * PARIO_BT_UNIT) {
		for (size_t l = 0; l < PARIO_BT_UNIT; l++)
			for (size_t m = 0; m < 5; m++)
				to[5 * l + m] = from[m * PARIO_BT_UNIT + l];
	}
	for (size_t l = 0; l < n - whole; l++)
		for (size_t m = 0; m < 5; m++)
			to[5 * l + m] = from[m * PARIO_BT_UNIT + l];
}

void pario_bt_copy_planes(const struct pario_bt *bt, uint64_t z, uint64_t count, double *to)
{
	const struct pario_bt_grid *g = &bt->grid;
	size_t n = (size_t)g->n;

	for (uint64_t k = z; k < z + count; k++)
		for (size_t j = 0; j < n; j++, to += 5 * n)
			copy_row(to, row_of(bt, g->u, (int)k, (int)j), n);
}

static int add_up(struct pario_bt *bt, double sums[10], struct pario_err *err)
{
	struct pario_bt_norms *norms = NULL;
	uint64_t z0, nz, n, z, count;
	double *plane;
	int status;

	pario_bt_extent(bt, &z0, &nz, &n);
	plane = malloc(n * n * 5 * sizeof(double));
	status = plane ? 0 : pario_err_sys(err, ENOMEM, NULL, "a plane for the norms of BT failed");
	if (status == 0 && nz > 0)
		status = pario_bt_norms_create(&norms, bt->problem->class, z0, nz, true, err);
	if (status == 0 && nz > 0) {
		pario_bt_norms_wants(norms, &z, &count);
		for (uint64_t k = z; k < z + count; k++) {
			pario_bt_copy_planes(bt, k, 1, plane);
			pario_bt_norms_plane(norms, plane);
		}
		pario_bt_norms_sums(norms, sums, sums + 5);
	}
	pario_bt_norms_free(norms);
	free(plane);
	return pario_bt_team_agree(&bt->team, status, err);
}

int pario_bt_verify(struct pario_bt *bt, double xcr[5], double xce[5], bool *verified,
		    struct pario_err *err)
{
	double mine[10] = { 0 }, all[10];

	if (add_up(bt, mine, err) < 0)
		return -1;
	MPI_Allreduce(mine, all, 10, MPI_DOUBLE, MPI_SUM, bt->team.comm);
	memcpy(xcr, all, 5 * sizeof(double));
	memcpy(xce, all + 5, 5 * sizeof(double));
	pario_bt_norms_finish(bt->problem->class, xcr, xce);
	*verified =
		pario_bt_agrees(xcr, bt->problem->xcr) && pario_bt_agrees(xce, bt->problem->xce);
	return 0;
}

const char *pario_bt_isa(const struct pario_bt *bt)
{
	return bt->kernel->name;
}

int pario_bt_groups(const struct pario_bt *bt)
{
	return bt->team.groups;
}
