/*
 * test_ratio: the equations against values worked out by hand.
 */
#include "predict/estimate/ratio.h"

#include <math.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_equations),
		cmocka_unit_test(deviation_is_that_of_the_population),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
