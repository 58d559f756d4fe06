/*
 * team: who does what: groups of ranks that share memory, the planes and rows of each rank.
 *
 * Interior planes are split over all groups by their ranks, so that a group's planes lie side by side; between
 * groups go messages. Within a group work is shared in finer pieces than planes or rows: see solver.c and pipeline.c.
 */
#ifndef PARIO_TESTS_NHT1_BT_TEAM_H
#define PARIO_TESTS_NHT1_BT_TEAM_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "base/err.h"

struct pario_bt_barrier;
struct pario_bt_mark;
struct pario_bt_lot;

struct pario_bt_team {
	MPI_Comm comm;	/* all ranks, own duplicate */
	MPI_Comm group; /* those that share memory with this one */
	int n, rank, ranks;
	int groups, mine; /* number of groups, and which is this rank's */
	int seat, seats;  /* this rank within its group */
	int *start;	  /* position of each group's first rank, groups + 1 of them */
	int *member;	  /* position -> rank in comm */
	void *shared;	  /* the memory of the group; NULL where a rank is alone, */
	size_t bytes;
	void *alone; /* which has its own */
	struct pario_bt_barrier *barrier;
	struct pario_bt_mark *mark;
	struct pario_bt_lot *lot;
};

/* Collective. `share`: at most so many ranks per group, 0 for all of a node. */
int pario_bt_team_init(struct pario_bt_team *team, MPI_Comm comm, int n, int share,
		       struct pario_err *err);
void pario_bt_team_release(struct pario_bt_team *team);

/* Memory common to the group, 64-byte aligned, not cleared; marks and lots at 0. Once per team. Collective. */
int pario_bt_team_allocate(struct pario_bt_team *team, size_t bytes, int marks, int lots,
			   void **memory, struct pario_err *err);

/* Waits for the group; what its members wrote before is seen after. */
void pario_bt_team_wait(struct pario_bt_team *team);

/* Adds to a mark; and waits until others have brought it to `count`. What they wrote before is seen after. */
void pario_bt_team_mark(struct pario_bt_team *team, int mark, unsigned add);
void pario_bt_team_await(struct pario_bt_team *team, int mark, unsigned count);
bool pario_bt_team_reached(const struct pario_bt_team *team, int mark, unsigned count);

/*
 * A lot is a row of things that are taken one by one: dealt anew by one rank while nobody takes from it, until a wait;
 * then taken by that rank from its front, and by others from its back. take() is the number of a thing, -1 for none.
 */
enum pario_bt_side { PARIO_BT_FRONT, PARIO_BT_BACK };

void pario_bt_team_deal(struct pario_bt_team *team, int lot, int from, int to);
int pario_bt_team_take(struct pario_bt_team *team, int lot, enum pario_bt_side side);
bool pario_bt_team_empty(const struct pario_bt_team *team, int lot);

/* Nothing to do so many times in a row: lets others have the processor when it was often. */
void pario_bt_team_idle(int times);

/* First interior plane of a group; of the group after the last: n - 1. */
int pario_bt_team_plane(const struct pario_bt_team *team, int group);

/* The ranks of a group. */
int pario_bt_team_seats(const struct pario_bt_team *team, int group);

/* Where the part-th of `parts` equal shares of so many things begins. */
static inline int pario_bt_share(int things, int part, int parts)
{
	return (int)((long long)things * part / parts);
}

/* -1 on every rank with the lowest failing rank's sentence, when any rank's status is below 0. */
int pario_bt_team_agree(const struct pario_bt_team *team, int status, struct pario_err *err);

#endif
