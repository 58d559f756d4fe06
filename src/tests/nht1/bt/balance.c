/*
 * balance: shares by the speed of each rank, smoothed, and within bounds.
 */
#include "tests/nht1/bt/balance.h"

/* The weight of the newest pass: a disturbance of one pass shall not turn everything over, a lasting one be followed
 * within a few. */
static const double newest = 0.25;

/* A rank is taken to be at the most so many times faster or slower than the mean. */
static const double bound = 4;

void pario_bt_balance_note(struct pario_bt_pace *mine, enum pario_bt_pass pass, double things,
			   double seconds)
{
	double cost, old = mine->cost[pass];

	if (!(things > 0) || seconds <= 0)
		return;
	cost = seconds / things;
	mine->cost[pass] = old > 0 ? old + newest * (cost - old) : cost;
}

/* Mean cost of all; 0 when one is not known. */
static double mean_of(const struct pario_bt_pace *all, int seats, enum pario_bt_pass pass)
{
	double sum = 0;

	for (int i = 0; i < seats; i++) {
		if (all[i].cost[pass] <= 0)
			return 0;
		sum += all[i].cost[pass];
	}
	return sum / seats;
}

static double speed(double cost, double mean)
{
	double s = mean > 0 ? mean / cost : 1;

	return s > bound ? bound : s < 1 / bound ? 1 / bound : s;
}

void pario_bt_balance_cut(const struct pario_bt_pace *all, int seats, enum pario_bt_pass pass,
			  int things, int *border)
{
	double mean = mean_of(all, seats, pass), before = 0, sum = 0;

	for (int i = 0; i < seats; i++)
		sum += speed(all[i].cost[pass], mean);
	for (int i = 0; i < seats; i++) {
		border[i] = (int)(things * (before / sum));
		before += speed(all[i].cost[pass], mean);
	}
	border[seats] = things;
}
