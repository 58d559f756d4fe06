/*
 * pipeline: strips of z lines go through the groups as their messages arrive.
 *
 * A strip is a row of z lines or, where rows alone would not share evenly, a part of one; all groups cut alike. Every
 * strip of this rank has three moments: its elimination (when the state from the group before has come), its
 * substitution (when the solution from the group after has come), and the exchange of its part of the halo planes.
 * Strips are taken in the order in which messages arrive; those that wait for nobody fill the gaps. The owner of a
 * strip in the neighbour group follows from that group's size, so groups may differ in size.
 *
 * A halo strip is overwritten only after this rank's elimination has read it: the neighbour sends it after its own
 * substitution, and that waits for this elimination, directly or through the other groups.
 */
#include "tests/nht1/bt/pipeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HALO = 2, SIDES = 2, ALIGN = 64 };
enum { TAG_STATE, TAG_SOLUTION, TAG_HALO, TAGS = TAG_HALO + HALO };
enum { UNEVEN_PERCENT = 5 }; /* more than this over an equal share, and rows are cut */

struct strip {
	int number, j;		      /* the row it is of */
	int first, batches;	      /* of the row */
	size_t place, doubles;	      /* of the row, in a field */
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
	int parts;     /* strips of a row */
	int strips, batches;
	struct strip *strip;
	double *memory;
	MPI_Request *arrival; /* state of each strip, then solution of each strip */
	MPI_Request *other;   /* sends and halo strips, waited for at the end */
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

/* What a strip of one batch keeps and sends. */
static size_t strip_doubles(const struct pario_bt_pipeline *p)
{
	return batch_doubles(p) + 2 * state_doubles(p) + 2 * 5 * (size_t)p->kernel->width;
}

double pario_bt_pipeline_bytes(const struct pario_bt_grid *g)
{
	return (double)g->n * (double)g->n * (double)g->row * PARIO_BT_STATE * sizeof(double);
}

/* How much the fullest rank of all groups has over an equal share, in percent, with so many strips of a row. */
static int unevenness(const struct pario_bt_team *t, int parts)
{
	int worst = 0, strips = (t->n - 2) * parts;

	for (int g = 0; g < t->groups; g++) {
		int seats = pario_bt_team_seats(t, g), most = (strips + seats - 1) / seats;
		int over = (int)(100LL * most * seats / strips) - 100;

		worst = over > worst ? over : worst;
	}
	return worst;
}

/* As few messages as an even share allows. */
static int cut(const struct pario_bt_pipeline *p)
{
	int most = (int)(p->grid->row / PARIO_BT_UNIT), best = 1;

	for (int parts = 1; parts <= most; parts++) {
		if (unevenness(p->team, parts) < unevenness(p->team, best))
			best = parts;
		if (unevenness(p->team, best) <= UNEVEN_PERCENT)
			break;
	}
	return best;
}

/* The rank in the group at `side` of this one that owns a strip; -1 where there is no group. */
static int owner(const struct pario_bt_pipeline *p, int side, int strip)
{
	const struct pario_bt_team *t = p->team;
	int group = t->mine + (side ? 1 : -1), seats, seat = 0;

	if (group < 0 || group >= t->groups)
		return -1;
	seats = pario_bt_team_seats(t, group);
	while (pario_bt_share((t->n - 2) * p->parts, seat + 1, seats) <= strip)
		seat++;
	return t->member[t->start[group] + seat];
}

/* Strips are cut between groups of eight points, so that each is one piece of memory. */
static void place_strip(const struct pario_bt_pipeline *p, struct strip *s)
{
	int units = (int)(p->grid->row / PARIO_BT_UNIT), part = s->number % p->parts;
	int from = pario_bt_share(units, part, p->parts), width = p->kernel->width;
	int to = pario_bt_share(units, part + 1, p->parts), end = to * PARIO_BT_UNIT / width;

	s->j = 1 + s->number / p->parts;
	s->first = from * PARIO_BT_UNIT / width;
	s->batches = (end < p->batches ? end : p->batches) - s->first;
	s->place = (size_t)s->j * p->grid->line + (size_t)(5 * from * PARIO_BT_UNIT);
	s->doubles = (size_t)(5 * (to - from) * PARIO_BT_UNIT);
}

static void set_strip(const struct pario_bt_pipeline *p, struct strip *s, int number)
{
	int up, count = p->high - p->low;

	s->number = number;
	place_strip(p, s);
	for (int side = 0; side < SIDES; side++)
		s->peer[side] = owner(p, side, number);
	up = s->j % 2;
	s->from = !up;
	s->to = up;
	s->z = up ? (struct pario_bt_stretch){ .before = p->low - 1, .step = 1, .count = count }
		  : (struct pario_bt_stretch){ .before = p->high, .step = -1, .count = count };
}

static double *give_memory(const struct pario_bt_pipeline *p, struct strip *s, double *memory)
{
	size_t batches = (size_t)s->batches, width = (size_t)p->kernel->width;

	s->work = memory;
	s->state_in = s->work + batches * batch_doubles(p);
	s->state_out = s->state_in + batches * state_doubles(p);
	s->solution_in = s->state_out + batches * state_doubles(p);
	s->solution_out = s->solution_in + batches * 5 * width;
	return memory + batches * strip_doubles(p);
}

/* One strip more than there are: a rank without any need not be thought of. */
static int allocate(struct pario_bt_pipeline *p, int first)
{
	size_t strips = (size_t)p->strips + 1, batches = 1, bytes;
	double *memory;

	p->strip = calloc(strips, sizeof(*p->strip));
	p->arrival = calloc(2 * strips, sizeof(*p->arrival));
	/* Per strip one state, one solution, and halo strips to and from either side. */
	p->other = calloc((2 + 2 * SIDES * HALO) * strips, sizeof(*p->other));
	if (!p->strip || !p->arrival || !p->other)
		return -1;
	for (int i = 0; i < p->strips; i++) {
		set_strip(p, &p->strip[i], first + i);
		batches += (size_t)p->strip[i].batches;
	}
	bytes = batches * strip_doubles(p) * sizeof(double);
	memory = p->memory = aligned_alloc(ALIGN, (bytes + ALIGN - 1) / ALIGN * ALIGN);
	for (int i = 0; i < p->strips && memory; i++)
		memory = give_memory(p, &p->strip[i], memory);
	return p->memory ? 0 : -1;
}

int pario_bt_pipeline_create(struct pario_bt_pipeline **pipeline, struct pario_bt_team *team,
			     const struct pario_bt_grid *grid, const struct pario_bt_kernel *kernel,
			     struct pario_err *err)
{
	struct pario_bt_pipeline *p = calloc(1, sizeof(*p));
	int status = -1;

	if (p) {
		int strips, first;

		p->team = team;
		p->grid = grid;
		p->kernel = kernel;
		p->low = pario_bt_team_plane(team, team->mine);
		p->high = pario_bt_team_plane(team, team->mine + 1);
		p->batches = (grid->n + kernel->width - 1) / kernel->width;
		p->parts = cut(p);
		strips = (grid->n - 2) * p->parts;
		first = pario_bt_share(strips, team->seat, team->seats);
		p->strips = pario_bt_share(strips, team->seat + 1, team->seats) - first;
		status = allocate(p, first);
	}
	if (status < 0)
		pario_err_sys(err, ENOMEM, NULL, "memory for the z lines of BT failed");
	if (pario_bt_team_agree(team, status, err) < 0) {
		pario_bt_pipeline_free(p);
		return -1;
	}
	*pipeline = p;
	return 0;
}

void pario_bt_pipeline_free(struct pario_bt_pipeline *p)
{
	if (!p)
		return;
	free(p->strip);
	free(p->arrival);
	free(p->other);
	free(p->memory);
	free(p);
}

/* ---- messages ---- */

static int tag(const struct strip *s, int kind)
{
	return s->number * TAGS + kind;
}

static double *halo(const struct pario_bt_pipeline *p, int k, const struct strip *s)
{
	return p->grid->u + (size_t)(k - p->grid->k0) * p->grid->plane + s->place;
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

static void expect_halo(struct pario_bt_pipeline *p, const struct strip *s)
{
	for (int side = 0; side < SIDES; side++)
		for (int h = 0; h < HALO && s->peer[side] >= 0; h++)
			MPI_Irecv(halo(p, far_plane(p, side, h), s), (int)s->doubles, MPI_DOUBLE,
				  s->peer[side], tag(s, TAG_HALO + h), p->team->comm,
				  &p->other[p->others++]);
}

static void send_halo(struct pario_bt_pipeline *p, const struct strip *s)
{
	for (int side = 0; side < SIDES; side++)
		for (int h = 0; h < HALO && s->peer[side] >= 0; h++)
			MPI_Isend(halo(p, own_plane(p, side, h), s), (int)s->doubles, MPI_DOUBLE,
				  s->peer[side], tag(s, TAG_HALO + h), p->team->comm,
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
	for (int i = 0; i < p->strips; i++)
		expect_halo(p, &p->strip[i]);
	for (int i = 0; i < p->strips; i++)
		send_halo(p, &p->strip[i]);
	finish(p);
}

static int doubles(const struct pario_bt_pipeline *p, const struct strip *s, int vectors)
{
	return s->batches * vectors * p->kernel->width;
}

static void expect(struct pario_bt_pipeline *p)
{
	for (int i = 0; i < p->strips; i++) {
		struct strip *s = &p->strip[i];

		p->arrival[i] = p->arrival[p->strips + i] = MPI_REQUEST_NULL;
		if (s->peer[s->from] >= 0)
			MPI_Irecv(s->state_in, doubles(p, s, PARIO_BT_STATE), MPI_DOUBLE,
				  s->peer[s->from], tag(s, TAG_STATE), p->team->comm,
				  &p->arrival[i]);
		if (s->peer[s->to] >= 0)
			MPI_Irecv(s->solution_in, doubles(p, s, 5), MPI_DOUBLE, s->peer[s->to],
				  tag(s, TAG_SOLUTION), p->team->comm, &p->arrival[p->strips + i]);
		expect_halo(p, s);
	}
}

/* ---- work ---- */

static void substitute(struct pario_bt_pipeline *p, struct strip *s)
{
	size_t width = (size_t)p->kernel->width;

	memcpy(s->solution_out, s->solution_in, (size_t)doubles(p, s, 5) * sizeof(double));
	for (int b = 0; b < s->batches; b++) {
		int i = (s->first + b) * p->kernel->width;

		p->kernel->substitute(p->grid, s->z, s->j, i,
				      s->work + (size_t)b * batch_doubles(p),
				      s->solution_out + (size_t)b * 5 * width);
		if (p->from < p->to)
			p->kernel->derive(p->grid, p->from, p->to - p->from, s->j, i);
	}
	if (s->peer[s->from] >= 0)
		MPI_Isend(s->solution_out, doubles(p, s, 5), MPI_DOUBLE, s->peer[s->from],
			  tag(s, TAG_SOLUTION), p->team->comm, &p->other[p->others++]);
	send_halo(p, s);
}

static void eliminate(struct pario_bt_pipeline *p, struct strip *s)
{
	size_t state = state_doubles(p);

	if (s->peer[s->from] < 0)
		memset(s->state_in, 0, (size_t)s->batches * state * sizeof(double));
	for (int b = 0; b < s->batches; b++) {
		double *work = s->work + (size_t)b * batch_doubles(p);

		memcpy(work, s->state_in + (size_t)b * state, state * sizeof(double));
		p->kernel->eliminate(p->grid, s->z, s->j, (s->first + b) * p->kernel->width, work);
		memcpy(s->state_out + (size_t)b * state, work + (size_t)s->z.count * state,
		       state * sizeof(double));
	}
	if (s->peer[s->to] >= 0) {
		MPI_Isend(s->state_out, doubles(p, s, PARIO_BT_STATE), MPI_DOUBLE, s->peer[s->to],
			  tag(s, TAG_STATE), p->team->comm, &p->other[p->others++]);
		return;
	}
	memset(s->solution_in, 0, (size_t)doubles(p, s, 5) * sizeof(double));
	substitute(p, s);
}

/* The next strip that waits for nobody; p->strips when there is none left. */
static int starter(const struct pario_bt_pipeline *p, int i)
{
	while (i < p->strips && p->strip[i].peer[p->strip[i].from] >= 0)
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
		if (next < p->strips) {
			MPI_Testany(2 * p->strips, p->arrival, &which, &came, MPI_STATUS_IGNORE);
			if (!came || which == MPI_UNDEFINED) {
				eliminate(p, &p->strip[next]);
				next = starter(p, next + 1);
				continue;
			}
		} else {
			MPI_Waitany(2 * p->strips, p->arrival, &which, MPI_STATUS_IGNORE);
			if (which == MPI_UNDEFINED)
				break;
		}
		if (which < p->strips)
			eliminate(p, &p->strip[which]);
		else
			substitute(p, &p->strip[which - p->strips]);
	}
	finish(p);
}
