/*
 * ratio: the prediction by ratios of benchmark times, as published for seven systems in 2010: a call class takes on
 * the target as many times longer as a benchmark of the same calls does.
 *
 *	(1) ratio_i   = benchmark_i on the target / benchmark_i on the reference
 *	(2) predicted = sum over i of ratio_i * application_i on the reference
 *	(3) accuracy  = 100 * (predicted - actual) / actual	percent; below zero: predicted too short
 */
#ifndef PARIO_PREDICT_ESTIMATE_RATIO_H
#define PARIO_PREDICT_ESTIMATE_RATIO_H

#include <stddef.h>

double pario_ratio(double target, double reference);
double pario_ratio_predict(const double *target, const double *reference, const double *application,
			   size_t count);
double pario_ratio_accuracy(double predicted, double actual);

/* 100 * deviation / mean; population deviation, divided by n. */
double pario_ratio_rsd(const double *values, size_t count);
double pario_ratio_mean_error(const double *accuracies, size_t count); /* of the absolute values */

#endif
