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

#endif
