/*
 * The budget of a run: what is granted while there is time, and what is cut and named when there is not.
 */
#include "session/budget.h"

#include <string.h>

#include "unit.h"

/* Everything usually takes 90 of 100 seconds; `ago_s` of them are over. */
static struct pario_budget begun(double ago_s)
{
	struct pario_budget b;

	pario_budget_begin(&b, 100, ago_s, 90);
	b.begun = true;
	return b;
}

/* A point: nine seconds, of which limits bound 3.6. */
static struct pario_budget_visit point(void)
{
	return (struct pario_budget_visit){ .usual_s = 9, .limits_s = 3.6 };
}

static void while_nobody_disturbs_limits_stay_as_planned(void **state)
{
	struct pario_budget b = begun(0);
	struct pario_budget_visit v = point();

	(void)state;
	for (int i = 0; i < 10; i++) {
		assert_true(pario_budget_grants(&b, &v));
		assert_true(v.scale == 1);
		pario_budget_took(&b, &v, 9);
		b.begun_ns -= 9000000000;
	}
	assert_false(pario_budget_grants(&b, &v));
}

static void slow_visits_shorten_limits_then_cut_repetitions(void **state)
{
	struct pario_budget b = begun(0);
	struct pario_budget_visit v = point();

	(void)state;
	assert_true(pario_budget_grants(&b, &v));
	pario_budget_took(&b, &v, 30);
	b.begun_ns -= 30000000000;
	assert_true(pario_budget_grants(&b, &v));
	assert_true(v.scale < 1 && v.scale >= 0.5);
	b.begun_ns -= 45000000000;
	assert_false(pario_budget_grants(&b, &v));
}

/* Commands and one numbers take what they take: where they do not fit, nothing is begun. */
static void what_no_limit_bounds_is_begun_only_where_it_fits(void **state)
{
	struct pario_budget b = begun(80);
	struct pario_budget_visit v = point(), command = { .usual_s = 8 };

	(void)state;
	assert_true(pario_budget_grants(&b, &command));
	v.scale = 1;
	pario_budget_took(&b, &v, 30);
	assert_false(pario_budget_grants(&b, &command));
	assert_true(command.scale == 1);
}

static void the_first_measurement_is_made_and_everything_ends(void **state)
{
	struct pario_budget b = begun(99);
	struct pario_budget_visit v = point();

	(void)state;
	b.begun = false;
	assert_true(pario_budget_grants(&b, &v));
	assert_true(pario_budget_stops(&b) > 0 && pario_budget_stops(&b) < 15);
	b.begun = true;
	assert_false(pario_budget_grants(&b, &v));
	b = begun(300);
	assert_true(pario_budget_stops(&b) > 0 && pario_budget_stops(&b) < 1);
}

static void what_was_cut_is_named(void **state)
{
	struct pario_budget b = begun(0);
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
