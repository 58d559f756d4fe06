/*
 * test_bt_balance: shares of ranks that are not equally fast, on planted times.
 */
#include "tests/nht1/bt/balance.h"

#include "unit.h"

enum { SEATS = 16, THINGS = 1300 };

/* All cuts meet, and all of it is cut. */
static void cut(const struct pario_bt_pace *all, int seats, int things, int *share)
{
	int border[SEATS + 1];

	pario_bt_balance_cut(all, seats, PARIO_BT_PLANES, things, border);
	assert_int_equal(border[0], 0);
	assert_int_equal(border[seats], things);
	for (int i = 0; i < seats; i++) {
		assert_true(border[i + 1] >= border[i]);
		share[i] = border[i + 1] - border[i];
	}
}

static void equal_shares_at_first(void **state)
{
	struct pario_bt_pace all[SEATS] = { 0 };
	int share[SEATS];

	(void)state;
	for (int things = 0; things < 40; things++)
		cut(all, SEATS, things, share);
	cut(all, SEATS, THINGS, share);
	for (int i = 0; i < SEATS; i++)
		assert_in_range(share[i], THINGS / SEATS, THINGS / SEATS + 1);
	/* One that is not known yet keeps all as they are. */
	pario_bt_balance_note(&all[3], PARIO_BT_PLANES, 10, 5);
	cut(all, SEATS, THINGS, share);
	assert_in_range(share[3], THINGS / SEATS, THINGS / SEATS + 1);
}

/* Seconds per thing of a rank: every third core is half as fast. */
static double planted(int seat)
{
	return seat % 3 ? 1e-5 : 2e-5;
}

static void times_become_equal(void **state)
{
	struct pario_bt_pace all[SEATS] = { 0 };
	int share[SEATS];
	double most = 0, sum = 0;

	(void)state;
	cut(all, SEATS, THINGS, share);
	for (int step = 0; step < 20; step++) {
		for (int i = 0; i < SEATS; i++)
			pario_bt_balance_note(&all[i], PARIO_BT_PLANES, share[i],
					      share[i] * planted(i));
		cut(all, SEATS, THINGS, share);
	}
	for (int i = 0; i < SEATS; i++) {
		double took = share[i] * planted(i);

		most = took > most ? took : most;
		sum += took;
	}
	assert_true(most < 1.05 * sum / SEATS);
}

/* A rank that was stopped for a moment, or measured as nothing, is not left without work, nor given all of it. */
static void shares_are_bounded(void **state)
{
	struct pario_bt_pace all[SEATS] = { 0 };
	int share[SEATS];

	(void)state;
	for (int i = 0; i < SEATS; i++)
		pario_bt_balance_note(&all[i], PARIO_BT_PLANES, 80, i ? 1e-3 : 1e3);
	cut(all, SEATS, THINGS, share);
	assert_true(share[0] > 0);
	pario_bt_balance_note(&all[1], PARIO_BT_PLANES, 0, 1); /* no work says nothing */
	pario_bt_balance_note(&all[1], PARIO_BT_PLANES, 80, 0);
	cut(all, SEATS, THINGS, share);
	assert_true(share[1] < THINGS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_shares_at_first),
		cmocka_unit_test(times_become_equal),
		cmocka_unit_test(shares_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
