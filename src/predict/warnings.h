/*
 * warnings: when a prediction is worth little, and why, in plain sentences.
 */
#ifndef PARIO_PREDICT_WARNINGS_H
#define PARIO_PREDICT_WARNINGS_H

#include "predict/predict.h"

void pario_prediction_warn(struct pario_prediction *p);

#endif
