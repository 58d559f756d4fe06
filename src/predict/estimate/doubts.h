/*
 * doubts: when a prediction is worth little, and why, in plain sentences.
 */
#ifndef PARIO_PREDICT_ESTIMATE_DOUBTS_H
#define PARIO_PREDICT_ESTIMATE_DOUBTS_H

#include "predict/estimate/predict.h"

void pario_prediction_doubt(struct pario_prediction *p);

#endif
