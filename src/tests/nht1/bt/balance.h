/*
 * balance: who does how much of what the ranks of a group share?
 *
 * Cores are not equally fast: others use them too, share their execution units or draw on the same power. Measured on
 * 16 virtual cores, the slowest took a third longer than the mean for the same work, and all others waited for it. So
 * a rank's share follows the time it took for its last ones. What is computed does not depend on who computes it.
 *
 * note() is called by each rank after a pass and cut() by all of them, between the wait after that pass and the wait
 * before the next one is noted: then all see the same numbers and come to the same cuts.
 */
#ifndef PARIO_TESTS_NHT1_BT_BALANCE_H
#define PARIO_TESTS_NHT1_BT_BALANCE_H

enum pario_bt_pass { PARIO_BT_PLANES, PARIO_BT_LINES, PARIO_BT_PASSES };

/* Of one rank, in memory common to the group; all zero at first. A cache line each. */
struct pario_bt_pace {
	_Alignas(64) double cost[PARIO_BT_PASSES]; /* seconds per thing; 0 = not known */
};

/* This rank took so long for so many things. */
void pario_bt_balance_note(struct pario_bt_pace *mine, enum pario_bt_pass pass, double things,
			   double seconds);

/* A seat's things: border[seat] .. border[seat + 1]-1. Equal shares as long as not all are known. */
void pario_bt_balance_cut(const struct pario_bt_pace *all, int seats, enum pario_bt_pass pass,
			  int things, int *border);

#endif
