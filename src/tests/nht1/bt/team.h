/*
 * team: who does what: groups of ranks that share memory, the planes and rows of each rank.
 *
 * Interior planes are split over all ranks, group by group, so that a group's planes lie side by side. Within a
 * group the plane pass is split by planes and the z pass by rows of y; between groups go messages.
 */
#ifndef PARIO_TESTS_NHT1_BT_TEAM_H
#define PARIO_TESTS_NHT1_BT_TEAM_H

#include <stddef.h>

#include <mpi.h>

#include "base/err.h"

struct pario_bt_barrier;

struct pario_bt_team {
	MPI_Comm comm;	/* all ranks, own duplicate */
	MPI_Comm group; /* those that share memory with this one */
	int n, rank, ranks;
	int groups, mine; /* number of groups, and which is this rank's */
	int seat, seats;  /* this rank within its group */
	int *start;	  /* position of each group's first rank, groups + 1 of them */
	int *member;	  /* position -> rank in comm */
	MPI_Win window;	  /* MPI_WIN_NULL where a rank is alone */
	void *alone;	  /* the memory of a rank that shares with nobody */
	struct pario_bt_barrier *barrier;
};

/* Collective. `share`: at most so many ranks per group, 0 for all of a node. */
int pario_bt_team_init(struct pario_bt_team *team, MPI_Comm comm, int n, int share,
		       struct pario_err *err);
void pario_bt_team_release(struct pario_bt_team *team);

/* Memory common to the group, 64-byte aligned, not cleared; once per team. Collective. */
int pario_bt_team_allocate(struct pario_bt_team *team, size_t bytes, void **memory,
			   struct pario_err *err);

/* Waits for the group; what its members wrote before is seen after. */
void pario_bt_team_wait(struct pario_bt_team *team);

/* First interior plane of the rank at a position; of the position after the last: n - 1. */
int pario_bt_team_plane(const struct pario_bt_team *team, int position);

/* First interior row of y of a seat in a group of `seats`; of the seat after the last: n - 1. */
int pario_bt_team_row(const struct pario_bt_team *team, int seat, int seats);

/* -1 on every rank with the lowest failing rank's sentence, when any rank's status is below 0. */
int pario_bt_team_agree(const struct pario_bt_team *team, int status, struct pario_err *err);

#endif
