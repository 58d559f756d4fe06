/*
 * replayed: what a trace took when it was replayed, from the journals of `pario replay`.
 *
 * On the target that is the prediction. Replays on the reference, where there are some, say by how much a replay is
 * off, and correct it.
 */
#ifndef PARIO_PREDICT_ESTIMATE_REPLAYED_H
#define PARIO_PREDICT_ESTIMATE_REPLAYED_H

#include "predict/estimate/predict.h"

/* Fills the estimates of the replay; NaN where none was given. */
int pario_replayed(struct pario_prediction *p, const struct pario_predict_request *request,
		   struct pario_err *err);

#endif
