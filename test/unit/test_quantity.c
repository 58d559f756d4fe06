/*
 * The number of a result: which one it is, in which unit, and how it is written.
 */
#include "report/text/quantity.h"

#include <math.h>
#include <string.h>

#include "unit.h"

static void reads(double value, const char *unit, const char *text)
{
	char buf[PARIO_QUANTITY_CAPACITY];

	assert_string_equal(pario_quantity_text(buf, value, unit), text);
}

static void units_are_written_out(void **state)
{
	(void)state;
	reads(18200, "ops/s", "18.2 k/s");
	reads(0.0035, "s", "3.5 ms");
	reads(3500, "us", "3.5 ms");
	reads(250, "ns", "250 ns");
	reads(633.25, "MB/s", "633.2 MB/s");
	reads(0.043, "", "0.043");
	/* Less than no time is noise, and is shown as what it is. */
	reads(-0.25, "us", "-0.25 us");
}

static void spans(double value, double low, double high, const char *unit, const char *text)
{
	char buf[PARIO_QUANTITY_CAPACITY];

	assert_string_equal(pario_quantity_interval(buf, value, low, high, unit), text);
}

static void an_interval_is_in_the_unit_of_its_number(void **state)
{
	(void)state;
	spans(504.5, 38.8, 970.2, "MiB/s", "[38.8, 970.2]");
	spans(1.2, 0.98, 1.4, "s", "[0.98, 1.4]");
	spans(0.0035, 0.0009, 1.25, "s", "[0.9, 1 250]");
	spans(18200, 9400, 21000, "ops/s", "[9.4, 21]");
	spans(112, 92, 130, "s", "[92 s, 2 min 10 s]");
	spans(3500, 900, 12000, "us", "[0.9, 12]");
}

static void result_with(struct pario_result *r, const char *name, const char *unit, double value)
{
	pario_result_init(r);
	r->bytes = 1 << 20;
	r->rate_mib_s = 512;
	pario_result_metric(r, name, unit, value);
}

static void the_headline_is_the_number(void **state)
{
	struct pario_result r;

	(void)state;
	result_with(&r, "b_eff", "MB/s", 4449);
	assert_float_equal(pario_quantity_of(&r), 512, 0);
	assert_string_equal(pario_quantity_unit(&r), "MiB/s");
	pario_result_headline(&r, "b_eff", 1);
	assert_float_equal(pario_quantity_of(&r), 4449, 0);
	assert_string_equal(pario_quantity_unit(&r), "MB/s");
	/* A headline that is not there is no number, and never that of the bytes. */
	pario_result_headline(&r, "R_IO", 1);
	assert_true(isnan(pario_quantity_of(&r)));
}

static void bytes_per_second_become_megabytes(void **state)
{
	struct pario_result r;

	(void)state;
	result_with(&r, "R_PEAK", "B/s", 2301402836.56);
	pario_result_headline(&r, "R_PEAK", 1);
	assert_float_equal(pario_quantity_of(&r), 2301.40283656, 1e-9);
	assert_string_equal(pario_quantity_unit(&r), "MB/s");
}

static void operations_where_no_bytes_were_moved(void **state)
{
	struct pario_result r;

	(void)state;
	pario_result_init(&r);
	r.ops = 1000;
	r.seconds.total = 0.5;
	assert_float_equal(pario_quantity_of(&r), 2000, 0);
	assert_string_equal(pario_quantity_unit(&r), "ops/s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_are_written_out),
		cmocka_unit_test(an_interval_is_in_the_unit_of_its_number),
		cmocka_unit_test(the_headline_is_the_number),
		cmocka_unit_test(bytes_per_second_become_megabytes),
		cmocka_unit_test(operations_where_no_bytes_were_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
