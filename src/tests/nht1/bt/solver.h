/*
 * solver: what its two parts know of each other: solver.c makes a solver and hands out its values, step.c computes.
 */
#ifndef PARIO_TESTS_NHT1_BT_SOLVER_H
#define PARIO_TESTS_NHT1_BT_SOLVER_H

#include "tests/nht1/bt/bt.h"
#include "tests/nht1/bt/kernel.h"
#include "tests/nht1/bt/pipeline.h"
#include "tests/nht1/bt/team.h"

/* Units from .. to-1 of plane k. */
struct pario_bt_piece {
	int k, from, to;
};

struct pario_bt {
	const struct pario_bt_problem *problem;
	const struct pario_bt_kernel *kernel;
	struct pario_bt_team team;
	struct pario_bt_grid grid;
	struct pario_bt_pipeline *pipeline; /* NULL with one group */
	int low, high;			    /* interior planes of the group: low .. high-1 */
	int begin, end;	    /* all planes this rank starts and hands out: begin .. end-1 */
	int units, batches; /* of a plane: eight rows each; of its columns */
	struct pario_bt_piece head, tail; /* of planes shared with other ranks; may be empty */
	int first, last;		  /* whole planes of this rank: first .. last-1 */
	int first_line, end_line;	  /* its z lines, in batches: first_line .. end_line-1 */
	unsigned round;			  /* how often planes were shared */
	double *scratch;		  /* what the kernel needs for one batch */
	double *neighbour;		  /* 5 x width */
};

/* Lots that a team needs for so many planes. */
static inline int pario_bt_lots(const struct pario_bt_team *team, int planes)
{
	return team->seats + 2 * planes;
}

/* Deals out the next plane pass, and the next line pass. */
void pario_bt_share_planes(struct pario_bt *bt);
void pario_bt_share_lines(struct pario_bt *bt);

/* Planes whose neighbours at distance 2 are the group's own, or do not exist: the z pass makes their L_z. */
void pario_bt_derivable(const struct pario_bt *bt, int *from, int *to);

#endif
