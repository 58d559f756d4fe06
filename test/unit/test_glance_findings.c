/*
 * Findings stand on numbers that are trusted and repeated.
 */
#include "report/text/findings.h"

#include <string.h>

#include "unit.h"

static struct pario_region region(const char *id, double value, size_t numbers)
{
	struct pario_region r = {
		.id = id, .region = "metadata", .what = id, .value = PARIO_REGION_OPS
	};

	r.count = 1;
	r.clients[0] = 2;
	r.numbers[0] = r.all[0] = numbers;
	r.median[0] = value;
	r.low[0] = value * 0.9;
	r.high[0] = value * 1.1;
	return r;
}

static size_t found(const struct pario_region *regions)
{
	struct pario_finding findings[PARIO_FINDINGS_MAX];

	return pario_findings_of(regions, 2, findings);
}

static void only_trusted_and_repeated_numbers_make_a_finding(void **state)
{
	struct pario_region regions[2] = { region("file_create", 10, 5),
					   region("file_stat", 17510, 5) };

	(void)state;
	assert_int_equal(found(regions), 1);
	regions[1].suspect = true;
	assert_int_equal(found(regions), 0);
	regions[1] = region("file_stat", 17510, 1);
	assert_int_equal(found(regions), 0);
}

static void where_nothing_is_proved_that_is_said(void **state)
{
	struct pario_region regions[2] = { region("file_create", 10, 1),
					   region("file_stat", 17510, 1) };
	struct pario_text out = { 0 };

	(void)state;
	pario_findings_add(&out, NULL, 0, regions, 2);
	assert_non_null(
		strstr(pario_text_string(&out), "2 of 2 numbers are suspect, missing or rest"));
	pario_text_release(&out);
}

static void a_line_has_its_interval_in_the_unit_of_its_number(void **state)
{
	struct pario_region r = region("file_stat", 18200, 5);
	struct pario_region_cells cells;

	(void)state;
	r.low[0] = 9400;
	r.high[0] = 21000;
	pario_region_cells(&r, &cells);
	assert_string_equal(cells.number, "18.2 k/s");
	assert_string_equal(cells.interval, "[9.4, 21]");
	pario_text_release(&cells.look);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_trusted_and_repeated_numbers_make_a_finding),
		cmocka_unit_test(where_nothing_is_proved_that_is_said),
		cmocka_unit_test(a_line_has_its_interval_in_the_unit_of_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
