/*
 * test_ratio: the equations against values worked out by hand, and the published tables against their own means.
 */
#include "predict/estimate/ratio.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "predict/estimate/published.h"
#include "unit.h"

static void near(double value, double expected, double off)
{
	if (!(fabs(value - expected) <= off))
		fail_msg("%.9g is not within %g of %.9g", value, off, expected);
}

static void the_equations(void **state)
{
	const double reference[] = { 100, 80, 110, 90 }, target[] = { 150, 60, 165, 45 };
	const double application[] = { 40, 30, 44, 36 };
	double predicted = pario_ratio_predict(target, reference, application, 4);

	(void)state;
	near(predicted, 166.5, 1e-12);
	near(pario_ratio_accuracy(predicted, 140), 18.928571, 5e-7);
	near(pario_ratio_accuracy(70, 140), -50, 1e-12);
	near(pario_ratio(150, 100), 1.5, 1e-12);
}

static void deviation_is_that_of_the_population(void **state)
{
	const double sample[] = { 10, 11, 9, 10.5, 9.5 };

	(void)state;
	near(pario_ratio_rsd(sample, 5), 7.071068, 5e-7);
}

static void the_means_follow_from_the_rows(void **state)
{
	const double all[] = { 41.16, 12.99, 23.87 }, posix[] = { 40.8433, 9.7, 21.15 },
		     mpiio[] = { 41.475, 16.285, 26.58 };

	(void)state;
	assert_int_equal(pario_published_accuracy_count, 12);
	assert_int_equal(pario_published_rsd_count, 14);
	for (int part = 0; part < PARIO_PUBLISHED_PARTS; part++) {
		near(pario_published_error(NULL, part), all[part], 0.006);
		near(pario_published_error("POSIX", part), posix[part], 5e-5);
		near(pario_published_error("MPIIO", part), mpiio[part], 5e-5);
	}
}

static void the_tables_are_printed(void **state)
{
	struct pario_text text = { 0 };

	(void)state;
	pario_published_show(&text);
	assert_non_null(strstr(text.data, " mean       all        41.16     12.99     23.87\n"));
	assert_non_null(strstr(text.data, "Mana       MPIIO     +54.55    +56.34    +55.74\n"));
	assert_non_null(strstr(
		text.data, "Mana       MPIIO     2.02    4.67    3.13   101.37   45.99   41.11\n"));
	pario_text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_equations),
		cmocka_unit_test(deviation_is_that_of_the_population),
		cmocka_unit_test(the_means_follow_from_the_rows),
		cmocka_unit_test(the_tables_are_printed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
