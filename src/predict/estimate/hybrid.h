/*
 * hybrid: by what the reference corrects the model.
 *
 * On the reference both are known, what a class of calls took and what the model, simulating the program there, says.
 * Their ratio holds what the model does not know, about the program and about the reference. Only the first is met
 * on the target again, so a part of the ratio is taken over: its root where memory serves the calls, less where a
 * device does, and less where few calls or a noisy surface speak. A class that the reference has not is corrected by
 * the others on the same path, to the power a that would have been best for predicting each class of the reference
 * from the others.
 */
#ifndef PARIO_PREDICT_ESTIMATE_HYBRID_H
#define PARIO_PREDICT_ESTIMATE_HYBRID_H

#include "predict/simulate/classes.h"

struct pario_hybrid {
	const struct pario_classes *reference;
	double pooled[PARIO_SYSTEM_OPS][PARIO_SYSTEM_PATHS]; /* NaN: the reference has none */
	double a;			 /* of classes that the reference has not */
	const struct pario_costs *costs; /* of the reference; NULL: its surfaces have no noise */
	double residual; /* deviation of the logarithm of what was measured from what the others predict */
	double bias; /* the same without any correction */
};

void pario_hybrid_init(struct pario_hybrid *h, const struct pario_classes *reference,
		       const struct pario_costs *costs);
/* A pario_sim_factor. */
double pario_hybrid_factor(const void *hybrid, const struct pario_class *class, double seconds);
/* Deviation of the logarithm of a factor: how much a class may differ from what is predicted for it. */
double pario_hybrid_spread(const struct pario_hybrid *h, const struct pario_class *class);

#endif
