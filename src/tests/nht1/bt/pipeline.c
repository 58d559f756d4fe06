/*
 * pipeline: rows of z lines go through the groups as their messages arrive.
 *
 * Every row of this rank has three moments: its elimination (when the state from the group before has come), its
 * substitution (when the solution from the group after has come), and the exchange of its part of the halo planes.
 * Rows are taken in the order in which messages arrive; those that wait for nobody fill the gaps. The owner of a
 * row in the neighbour group follows from that group's size, so groups may differ in size.
 *
 * A halo row is overwritten only after this rank's elimination has read it: the neighbour sends it after its own
 * substitution, and that waits for this elimination, directly or through the other groups.
 */
#include "tests/nht1/bt/pipeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HALO = 2, SIDES = 2, ALIGN = 64 };
enum { TAG_STATE, TAG_SOLUTION, TAG_HALO, TAGS = TAG_HALO + HALO };

struct row {
	int j;
	int peer[SIDES];	      /* owner below and above, -1 where there is none */
	struct pario_bt_stretch z;    /* the way of the elimination through this group */
	int from, to;		      /* side it comes from, side it goes to */
	double *work;		      /* states of all batches */
	double *state_in, *state_out; /* as messages: the batches one after the other */
	double *solution_in, *solution_out;
};

struct pario_bt_pipeline {
	struct pario_bt_team *team;
	const struct pario_bt_grid *grid;
	const struct pario_bt_kernel *kernel;
	int low, high; /* planes of the group */
	int rows, batches;
	struct row *row;
	double *memory;
	MPI_Request *arrival; /* state of each row, then solution of each row */
	MPI_Request *other;   /* sends and halo rows, waited for at the end */
	int others;
	int from, to; /* planes whose L_z is made */
};

static size_t state_doubles(const struct pario_bt_pipeline *p)
{
	return PARIO_BT_STATE * (size_t)p->kernel->width;
}

static size_t batch_doubles(const struct pario_bt_pipeline *p)
{
	return (size_t)(p->high - p->low + 1) * state_doubles(p);
}

static size_t row_doubles(const struct pario_bt_pipeline *p)
{
	size_t width = (size_t)p->kernel->width;

	return (size_t)p->batches * (batch_doubles(p) + 2 * state_doubles(p) + 2 * 5 * width);
}

double pario_bt_pipeline_bytes(const struct pario_bt_grid *g)
{
	return (double)g->n * (double)g->n * (double)g->row * PARIO_BT_STATE * sizeof(double);
}

/* The rank in the group at `side` of this one that owns row j; -1 where there is no group. */
static int owner(const struct pario_bt_team *t, int side, int j)
{
	int group = t->mine + (side ? 1 : -1), seats, seat = 0;

	if (group < 0 || group >= t->groups)
		return -1;
	seats = t->start[group + 1] - t->start[group];
	while (pario_bt_team_row(t, seat + 1, seats) <= j)
		seat++;
	return t->member[t->start[group] + seat];
}

static void set_row(struct pario_bt_pipeline *p, struct row *r, int j, double *memory)
{
	size_t batches = (size_t)p->batches, width = (size_t)p->kernel->width;
	int up = j % 2, count = p->high - p->low;

	r->j = j;
	for (int side = 0; side < SIDES; side++)
		r->peer[side] = owner(p->team, side, j);
	r->from = !up;
	r->to = up;
	r->z = up ? (struct pario_bt_stretch){ .before = p->low - 1, .step = 1, .count = count }
		  : (struct pario_bt_stretch){ .before = p->high, .step = -1, .count = count };
	r->work = memory;
	r->state_in = r->work + batches * batch_doubles(p);
	r->state_out = r->state_in + batches * state_doubles(p);
	r->solution_in = r->state_out + batches * state_doubles(p);
	r->solution_out = r->solution_in + batches * 5 * width;
}

static int allocate(struct pario_bt_pipeline *p)
{
	size_t rows = (size_t)p->rows;
	size_t bytes = (rows * row_doubles(p) * sizeof(double) + ALIGN - 1) / ALIGN * ALIGN;

	p->row = calloc(rows, sizeof(*p->row));
	p->arrival = calloc(2 * rows, sizeof(*p->arrival));
	/* Per row one state, one solution, and halo rows to and from either side. */
	p->other = calloc((2 + 2 * SIDES * HALO) * rows, sizeof(*p->other));
	p->memory = aligned_alloc(ALIGN, bytes);
	return p->row && p->arrival && p->other && p->memory ? 0 : -1;
}

int pario_bt_pipeline_create(struct pario_bt_pipeline **pipeline, struct pario_bt_team *team,
			     const struct pario_bt_grid *grid, const struct pario_bt_kernel *kernel,
			     struct pario_err *err)
{
	struct pario_bt_pipeline *p = calloc(1, sizeof(*p));
	int first = pario_bt_team_row(team, team->seat, team->seats), status = -1;

	if (p) {
		p->team = team;
		p->grid = grid;
		p->kernel = kernel;
		p->low = pario_bt_team_plane(team, team->start[team->mine]);
		p->high = pario_bt_team_plane(team, team->start[team->mine + 1]);
		p->rows = pario_bt_team_row(team, team->seat + 1, team->seats) - first;
		p->batches = (grid->n + kernel->width - 1) / kernel->width;
		status = allocate(p);
	}
	if (status < 0)
		pario_err_sys(err, ENOMEM, NULL, "Memory for the z lines of BT failed");
	if (pario_bt_team_agree(team, status, err) < 0) {
		pario_bt_pipeline_free(p);
		return -1;
	}
	for (int i = 0; i < p->rows; i++)
		set_row(p, &p->row[i], first + i, p->memory + (size_t)i * row_doubles(p));
	*pipeline = p;
	return 0;
}

void pario_bt_pipeline_free(struct pario_bt_pipeline *p)
{
	if (!p)
		return;
	free(p->row);
	free(p->arrival);
	free(p->other);
	free(p->memory);
	free(p);
}

/* ---- messages ---- */

static int tag(const struct row *r, int kind)
{
	return r->j * TAGS + kind;
}

static double *halo_row(const struct pario_bt_pipeline *p, int k, int j)
{
	const struct pario_bt_grid *g = p->grid;

	return g->u + (size_t)(k - g->k0) * g->plane + (size_t)j * g->line;
}

/* Plane h of the two beside a border: this group's own, or the neighbour's. Counted upwards on both sides. */
static int own_plane(const struct pario_bt_pipeline *p, int side, int h)
{
	return side ? p->high - HALO + h : p->low + h;
}

static int far_plane(const struct pario_bt_pipeline *p, int side, int h)
{
	return side ? p->high + h : p->low - HALO + h;
}

static void expect_halo(struct pario_bt_pipeline *p, const struct row *r)
{
	for (int side = 0; side < SIDES; side++)
		for (int h = 0; h < HALO && r->peer[side] >= 0; h++)
			MPI_Irecv(halo_row(p, far_plane(p, side, h), r->j), (int)p->grid->line,
				  MPI_DOUBLE, r->peer[side], tag(r, TAG_HALO + h), p->team->comm,
				  &p->other[p->others++]);
}

static void send_halo(struct pario_bt_pipeline *p, const struct row *r)
{
	for (int side = 0; side < SIDES; side++)
		for (int h = 0; h < HALO && r->peer[side] >= 0; h++)
			MPI_Isend(halo_row(p, own_plane(p, side, h), r->j), (int)p->grid->line,
				  MPI_DOUBLE, r->peer[side], tag(r, TAG_HALO + h), p->team->comm,
				  &p->other[p->others++]);
}

static void finish(struct pario_bt_pipeline *p)
{
	while (p->others)
		MPI_Wait(&p->other[--p->others], MPI_STATUS_IGNORE);
}

/* Rows 0 and n-1 of halo planes are read by nothing: no line runs through them. */
void pario_bt_pipeline_halo(struct pario_bt_pipeline *p)
{
	for (int i = 0; i < p->rows; i++)
		expect_halo(p, &p->row[i]);
	for (int i = 0; i < p->rows; i++)
		send_halo(p, &p->row[i]);
	finish(p);
}

static int doubles(const struct pario_bt_pipeline *p, int vectors)
{
	return p->batches * vectors * p->kernel->width;
}

static void expect(struct pario_bt_pipeline *p)
{
	for (int i = 0; i < p->rows; i++) {
		struct row *r = &p->row[i];

		p->arrival[i] = p->arrival[p->rows + i] = MPI_REQUEST_NULL;
		if (r->peer[r->from] >= 0)
			MPI_Irecv(r->state_in, doubles(p, PARIO_BT_STATE), MPI_DOUBLE,
				  r->peer[r->from], tag(r, TAG_STATE), p->team->comm,
				  &p->arrival[i]);
		if (r->peer[r->to] >= 0)
			MPI_Irecv(r->solution_in, doubles(p, 5), MPI_DOUBLE, r->peer[r->to],
				  tag(r, TAG_SOLUTION), p->team->comm, &p->arrival[p->rows + i]);
		expect_halo(p, r);
	}
}

/* ---- work ---- */

static void substitute(struct pario_bt_pipeline *p, struct row *r)
{
	size_t width = (size_t)p->kernel->width;

	memcpy(r->solution_out, r->solution_in, (size_t)doubles(p, 5) * sizeof(double));
	for (int b = 0; b < p->batches; b++) {
		int i = b * p->kernel->width;

		p->kernel->substitute(p->grid, r->z, r->j, i,
				      r->work + (size_t)b * batch_doubles(p),
				      r->solution_out + (size_t)b * 5 * width);
		if (p->from < p->to)
			p->kernel->derive(p->grid, p->from, p->to - p->from, r->j, i);
	}
	if (r->peer[r->from] >= 0)
		MPI_Isend(r->solution_out, doubles(p, 5), MPI_DOUBLE, r->peer[r->from],
			  tag(r, TAG_SOLUTION), p->team->comm, &p->other[p->others++]);
	send_halo(p, r);
}

static void eliminate(struct pario_bt_pipeline *p, struct row *r)
{
	size_t state = state_doubles(p);

	if (r->peer[r->from] < 0)
		memset(r->state_in, 0, (size_t)p->batches * state * sizeof(double));
	for (int b = 0; b < p->batches; b++) {
		double *work = r->work + (size_t)b * batch_doubles(p);

		memcpy(work, r->state_in + (size_t)b * state, state * sizeof(double));
		p->kernel->eliminate(p->grid, r->z, r->j, b * p->kernel->width, work);
		memcpy(r->state_out + (size_t)b * state, work + (size_t)r->z.count * state,
		       state * sizeof(double));
	}
	if (r->peer[r->to] >= 0) {
		MPI_Isend(r->state_out, doubles(p, PARIO_BT_STATE), MPI_DOUBLE, r->peer[r->to],
			  tag(r, TAG_STATE), p->team->comm, &p->other[p->others++]);
		return;
	}
	memset(r->solution_in, 0, (size_t)doubles(p, 5) * sizeof(double));
	substitute(p, r);
}

/* The next row that waits for nobody; p->rows when there is none left. */
static int starter(const struct pario_bt_pipeline *p, int i)
{
	while (i < p->rows && p->row[i].peer[p->row[i].from] >= 0)
		i++;
	return i;
}

void pario_bt_pipeline_run(struct pario_bt_pipeline *p, int from, int to)
{
	int next = starter(p, 0), which, came;

	p->from = from;
	p->to = to;
	expect(p);
	for (;;) {
		if (next < p->rows) {
			MPI_Testany(2 * p->rows, p->arrival, &which, &came, MPI_STATUS_IGNORE);
			if (!came || which == MPI_UNDEFINED) {
				eliminate(p, &p->row[next]);
				next = starter(p, next + 1);
				continue;
			}
		} else {
			MPI_Waitany(2 * p->rows, p->arrival, &which, MPI_STATUS_IGNORE);
			if (which == MPI_UNDEFINED)
				break;
		}
		if (which < p->rows)
			eliminate(p, &p->row[which]);
		else
			substitute(p, &p->row[which - p->rows]);
	}
	finish(p);
}
