/*
 * ratio: the three equations, as published and without corrections; where a number is missing the result is NaN.
 */
#include "predict/estimate/ratio.h"

#include <math.h>

#include "base/stats.h"

double pario_ratio(double target, double reference)
{
	return target / reference;
}

double pario_ratio_predict(const double *target, const double *reference, const double *application,
			   size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += pario_ratio(target[i], reference[i]) * application[i];
	return sum;
}

double pario_ratio_accuracy(double predicted, double actual)
{
	return 100 * (predicted - actual) / actual;
}

double pario_ratio_rsd(const double *values, size_t count)
{
	struct pario_stats s = pario_stats_of(values, count);

	return 100 * sqrt(s.variance) / s.mean;
}

double pario_ratio_mean_error(const double *accuracies, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += fabs(accuracies[i]);
	return sum / (double)count;
}
