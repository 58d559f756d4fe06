/*
 * The budget of a run: what is granted while there is time, and what is cut and named when there is not.
 */
#include "session/budget.h"

#include <string.h>

#include "unit.h"

static const struct pario_budget_visit never = { 0 };

/* A part with ten visits of a phase each, all the weight there is. */
static struct pario_budget begun(double ago_s, double untimed_s)
{
	struct pario_budget b;

	pario_budget_begin(&b, 100, ago_s);
	pario_budget_part(&b, 1, untimed_s);
	b.begun = true;
	return b;
}

static void while_nobody_disturbs_limits_stay_as_planned(void **state)
{
	struct pario_budget b = begun(0, 0);
	double limit = 3.6;

	(void)state;
	assert_true(pario_budget_grants(&b, &never, 10, 1, &limit));
	assert_true(limit == 3.6);
	pario_budget_took(&b, 1, &(struct pario_budget_visit){ 9, 3.6 });
	assert_true(pario_budget_grants(&b, &never, 9, 1, &limit));
	assert_true(limit == 3.6);
}

static void slow_visits_shorten_limits_then_cut_repetitions(void **state)
{
	struct pario_budget b = begun(0, 0);
	struct pario_budget_visit slow = { 40, 3.6 };
	double limit = 3.6;

	(void)state;
	pario_budget_took(&b, 1, &slow);
	assert_true(pario_budget_grants(&b, &slow, 9, 1, &limit));
	assert_true(limit < 3.6 && limit >= 1.8);
	b.begun_ns -= 70000000000;
	limit = 3.6;
	assert_false(pario_budget_grants(&b, &slow, 8, 1, &limit));
}

/* Commands and one numbers take what they take: where they did not fit, nothing is begun. */
static void what_no_limit_bounds_is_begun_only_where_it_fits(void **state)
{
	struct pario_budget b = begun(80, 8);
	double none = 0;

	(void)state;
	assert_true(pario_budget_grants(&b, &never, 1, 1, &none));
	pario_budget_took(&b, 1, &(struct pario_budget_visit){ 30, 3 });
	assert_false(pario_budget_grants(&b, &never, 1, 1, &none));
	assert_true(none == 0);
}

static void the_first_measurement_is_made_and_everything_ends(void **state)
{
	struct pario_budget b = begun(99, 0);
	double limit = 3.6;

	(void)state;
	b.begun = false;
	assert_true(pario_budget_grants(&b, &never, 10, 1, &limit));
	assert_true(pario_budget_stops(&b) > 0 && pario_budget_stops(&b) < 15);
	b.begun = true;
	assert_false(pario_budget_grants(&b, &never, 10, 1, &limit));
	pario_budget_begin(&b, 100, 300);
	assert_true(pario_budget_stops(&b) > 0 && pario_budget_stops(&b) < 1);
}

static void what_was_cut_is_named(void **state)
{
	struct pario_budget b = begun(0, 0);
	struct pario_text out = { 0 };

	(void)state;
	pario_budget_part_done(&b, "large", 5, 5);
	pario_budget_say(&b, &out);
	assert_int_equal(out.length, 0);
	pario_budget_part_done(&b, "metadata", 2, 5);
	pario_budget_part_done(&b, "beff", 0, 1);
	pario_budget_part_done(&b, "beff_io", 0, 1);
	pario_budget_say(&b, &out);
	assert_string_equal(
		pario_text_string(&out),
		"the time was not enough for everything here: left out, wholly or at some client "
		"counts: beff, beff_io; fewer repetitions: metadata 2 of 5");
	pario_text_release(&out);
	pario_budget_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(while_nobody_disturbs_limits_stay_as_planned),
		cmocka_unit_test(slow_visits_shorten_limits_then_cut_repetitions),
		cmocka_unit_test(what_no_limit_bounds_is_begun_only_where_it_fits),
		cmocka_unit_test(the_first_measurement_is_made_and_everything_ends),
		cmocka_unit_test(what_was_cut_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
