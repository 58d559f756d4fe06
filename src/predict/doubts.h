/*
 * doubts: when a prediction is worth little, and why, in plain sentences.
 */
#ifndef PARIO_PREDICT_DOUBTS_H
#define PARIO_PREDICT_DOUBTS_H

#include "predict/predict.h"

void pario_prediction_doubt(struct pario_prediction *p);

#endif
