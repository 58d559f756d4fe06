/*
 * hybrid: by what the reference corrects the model.
 *
 * On the reference both are known, what a class of calls took and what the model says. Their ratio says what the
 * model does not know about these calls, and is taken to hold on the target too, to the power a: a = 0 is the model
 * alone, and a = 1 with one class the ratio model. A class that the reference has is corrected by its own ratio, with
 * the less of it the less it stands out from the noise of the reference's surfaces. One that it has not is corrected by
 * the ratio of the others on the same path, with the a that would have been best for predicting each class of the
 * reference from the others.
 */
#ifndef PARIO_PREDICT_HYBRID_H
#define PARIO_PREDICT_HYBRID_H

#include "predict/classes.h"

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
double pario_hybrid_factor(const void *hybrid, const struct pario_class *class);
/* Deviation of the logarithm of a factor: how much a class may differ from what is predicted for it. */
double pario_hybrid_spread(const struct pario_hybrid *h, const struct pario_class *class);

#endif
