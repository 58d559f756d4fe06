/*
 * step: a pass over planes (right-hand side, x and y factors), a wait, a pass over the z lines (z factor, u +=
 * solution, z part of the next right-hand side), and a wait. Only where there are several groups do messages flow:
 * pipeline.c.
 *
 * Both passes are shared to within eight lines. A rank's slab begins and ends inside a plane: the ranks that share a
 * plane first take its rows across, then all do their whole planes, and by the time they come to its columns the
 * others' rows are long done.
 *
 * Cores are not equally fast, and that changes from step to step: where each of 16 virtual ones did its own share and
 * waited for the slowest, a run took a third longer (median of nine). So a rank takes its rows, columns and lines one
 * by one, from the front, and who has no more takes from the back of another's. Shares that follow the speed of the
 * ranks brought nothing beside that. What is computed does not depend on who computes it.
 */
#include <string.h>

#include "tests/nht1/bt/solver.h"

/* Looking for work once is like waiting so many times. */
enum { SWEEP = 200 };

/* The lots of the batches of z lines are the seats'; then the rows of each plane, in units; its columns, in batches. */
static int row_lot(const struct pario_bt *bt, int k)
{
	return bt->team.seats + k - bt->low;
}

static int column_lot(const struct pario_bt *bt, int k)
{
	return bt->team.seats + bt->high - bt->low + k - bt->low;
}

/* The whole planes of a seat: *first .. *last-1. */
static void whole_planes(const struct pario_bt *bt, int seat, int *first, int *last)
{
	int all = (bt->high - bt->low) * bt->units, seats = bt->team.seats;

	*first = bt->low + (pario_bt_share(all, seat, seats) + bt->units - 1) / bt->units;
	*last = bt->low + pario_bt_share(all, seat + 1, seats) / bt->units;
}

/* The plane pass: planes of the group times units. */
void pario_bt_share_planes(struct pario_bt *bt)
{
	struct pario_bt_team *t = &bt->team;
	int units = bt->units, all = (bt->high - bt->low) * units;
	int from = pario_bt_share(all, t->seat, t->seats),
	    to = pario_bt_share(all, t->seat + 1, t->seats);

	whole_planes(bt, t->seat, &bt->first, &bt->last);
	bt->head = (struct pario_bt_piece){ .k = bt->first - 1, .from = from % units, .to = units };
	bt->tail = (struct pario_bt_piece){ .k = bt->last, .to = to % units };
	if (from % units == 0)
		bt->head.from = bt->head.to;
	if (bt->first > bt->last) { /* one piece of one plane */
		bt->head.to = bt->tail.to;
		bt->tail.to = 0;
	}
	for (int k = bt->first; k < bt->last; k++) {
		pario_bt_team_deal(t, row_lot(bt, k), 0, units);
		pario_bt_team_deal(t, column_lot(bt, k), 0, bt->batches);
	}
}

void pario_bt_share_lines(struct pario_bt *bt)
{
	pario_bt_team_deal(&bt->team, bt->team.seat, bt->first_line, bt->end_line);
}

void pario_bt_derivable(const struct pario_bt *bt, int *from, int *to)
{
	*from = bt->low == 1 ? 1 : bt->low + 2;
	*to = bt->high == bt->grid.n - 1 ? bt->high : bt->high - 2;
}

static int row_at(const struct pario_bt *bt, int unit)
{
	return unit == bt->units ? bt->grid.n - 1 : 1 + unit * PARIO_BT_UNIT;
}

/* Where the z pass did not make L_z, since it had not the planes of the neighbour group yet, it is made here. */
static void derive_rows(struct pario_bt *bt, struct pario_bt_piece p)
{
	int from, to;

	pario_bt_derivable(bt, &from, &to);
	if (p.k >= from && p.k < to)
		return;
	for (int j = row_at(bt, p.from); j < row_at(bt, p.to); j++)
		for (int b = 0; b < bt->batches; b++)
			bt->kernel->derive(&bt->grid, p.k, 1, j, b * bt->kernel->width);
}

/* Rows of a piece; those up to the unit `ahead` come next. */
static void go_across(struct pario_bt *bt, struct pario_bt_piece p, int ahead)
{
	if (p.from == p.to)
		return;
	derive_rows(bt, p);
	bt->kernel->across(&bt->grid, p.k, row_at(bt, p.from), row_at(bt, p.to), row_at(bt, ahead),
			   bt->scratch);
	pario_bt_team_mark(&bt->team, p.k - bt->low, (unsigned)(p.to - p.from));
}

static void finish_shared(struct pario_bt *bt, struct pario_bt_piece p)
{
	if (p.from == p.to)
		return;
	pario_bt_team_await(&bt->team, p.k - bt->low, bt->round * (unsigned)bt->units);
	bt->kernel->along(&bt->grid, p.k, pario_bt_share(bt->batches, p.from, bt->units),
			  pario_bt_share(bt->batches, p.to, bt->units), -1, bt->scratch);
}

/* What is left of the rows of a plane; was there anything? */
static bool take_rows(struct pario_bt *bt, int k, enum pario_bt_side side)
{
	int taken = 0, unit;

	while ((unit = pario_bt_team_take(&bt->team, row_lot(bt, k), side)) >= 0) {
		struct pario_bt_piece p = { .k = k, .from = unit, .to = unit + 1 };

		go_across(bt, p, side == PARIO_BT_FRONT ? bt->units : p.to);
		taken++;
	}
	return taken > 0;
}

/* And of its columns. */
static bool take_columns(struct pario_bt *bt, int k, enum pario_bt_side side, int ahead)
{
	int taken = 0, batch;

	while ((batch = pario_bt_team_take(&bt->team, column_lot(bt, k), side)) >= 0)
		bt->kernel->along(&bt->grid, k, batch, batch + 1, taken++ ? -1 : ahead,
				  bt->scratch);
	return taken > 0;
}

/* What can be done now for another rank. *more: there will be something later. */
static bool help(struct pario_bt *bt, int seat, bool *more)
{
	struct pario_bt_team *t = &bt->team;
	bool helped = false;
	int first, last;

	whole_planes(bt, seat, &first, &last);
	for (int k = last - 1; k >= first; k--) {
		if (pario_bt_team_empty(t, column_lot(bt, k)))
			continue;
		helped = take_rows(bt, k, PARIO_BT_BACK) || helped;
		if (pario_bt_team_reached(t, k - bt->low, bt->round * (unsigned)bt->units))
			helped = take_columns(bt, k, PARIO_BT_BACK, -1) || helped;
		else
			*more = true;
	}
	return helped;
}

/* Who has done his own planes helps the others, each beginning with another one. */
static void help_others(struct pario_bt *bt)
{
	const struct pario_bt_team *t = &bt->team;
	bool more = true;

	for (int idle = 0; more; idle += SWEEP) {
		more = false;
		for (int i = 1; i < t->seats; i++)
			if (help(bt, (t->seat + i) % t->seats, &more))
				idle = 0;
		pario_bt_team_idle(idle);
	}
}

static void plane_pass(struct pario_bt *bt)
{
	bt->round++;
	go_across(bt, bt->head, bt->head.to);
	go_across(bt, bt->tail, bt->tail.to);
	for (int k = bt->first; k < bt->last; k++) {
		take_rows(bt, k, PARIO_BT_FRONT);
		pario_bt_team_await(&bt->team, k - bt->low, bt->round * (unsigned)bt->units);
		take_columns(bt, k, PARIO_BT_FRONT, k + 1 < bt->last ? k + 1 : -1);
	}
	finish_shared(bt, bt->head);
	finish_shared(bt, bt->tail);
	help_others(bt);
}

static void z_lines(struct pario_bt *bt, int l)
{
	const struct pario_bt_kernel *kernel = bt->kernel;
	const struct pario_bt_stretch z = { .before = 0, .step = 1, .count = bt->grid.n - 2 };
	size_t width = (size_t)kernel->width;
	int j = 1 + l / bt->batches, i = l % bt->batches * kernel->width;

	memset(bt->scratch, 0, PARIO_BT_STATE * width * sizeof(double));
	memset(bt->neighbour, 0, 5 * width * sizeof(double));
	kernel->eliminate(&bt->grid, z, j, i, bt->scratch);
	kernel->substitute(&bt->grid, z, j, i, bt->scratch, bt->neighbour);
	kernel->derive(&bt->grid, 1, bt->grid.n - 2, j, i);
}

/*
 * Its own first, then what the others have not come to yet. Across groups a strip stays with its owner, to whom the
 * neighbours send.
 */
static void line_pass(struct pario_bt *bt)
{
	struct pario_bt_team *t = &bt->team;
	int from, to;

	if (bt->pipeline) {
		pario_bt_derivable(bt, &from, &to);
		pario_bt_pipeline_run(bt->pipeline, from, to);
		return;
	}
	for (int i = 0; i < t->seats; i++) {
		int seat = (t->seat + i) % t->seats, l;

		while ((l = pario_bt_team_take(t, seat, i ? PARIO_BT_BACK : PARIO_BT_FRONT)) >= 0)
			z_lines(bt, l);
	}
}

int pario_bt_step(struct pario_bt *bt, struct pario_err *err)
{
	(void)err; /* MPI's errors end the program; the argument is for those that may not one day */
	plane_pass(bt);
	pario_bt_team_wait(&bt->team);
	pario_bt_share_planes(bt); /* of the next step */
	line_pass(bt);
	pario_bt_team_wait(&bt->team);
	pario_bt_share_lines(bt);
	return 0;
}
