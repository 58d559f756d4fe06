/*
 * interval: how sure a prediction is: 90 % intervals from draws of everything that is uncertain in it.
 *
 * A draw moves every class by the deviation of its surfaces on both systems, by what leave-one-out says about the
 * correction, and by how far its costs were borrowed; all classes of a path together by half as much; and everything
 * by the noise floors of both systems.
 */
#ifndef PARIO_PREDICT_ESTIMATE_INTERVAL_H
#define PARIO_PREDICT_ESTIMATE_INTERVAL_H

#include "predict/estimate/predict.h"

/* Fills low and high of the estimates of `model` and `hybrid`. */
int pario_intervals(struct pario_prediction *p, struct pario_err *err);

/*
 * Those of their makespans: not narrower than what follows from the ends of the interval of the I/O time (NaN: not
 * known), nor than runs of a program differ.
 */
void pario_interval_of_makespan(struct pario_prediction *p, const double bounds[2]);

#endif
