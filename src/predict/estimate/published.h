/*
 * published: the results of the study that the ratio model comes from, MADbench2 predicted from IOR on seven systems:
 * Meswani, Laurenzano, Carrington, Snavely, "Modeling and Predicting Disk I/O Time of HPC Applications", 2010.
 */
#ifndef PARIO_PREDICT_ESTIMATE_PUBLISHED_H
#define PARIO_PREDICT_ESTIMATE_PUBLISHED_H

#include <stddef.h>

#include "base/text.h"

enum { PARIO_PUBLISHED_PARTS = 3 }; /* read, write, total */

/* Its Table 3: accuracy in percent, equation 3. */
struct pario_published_accuracy {
	const char *machine, *api;
	double percent[PARIO_PUBLISHED_PARTS];
};

/* Its Table 4: deviation of five runs in percent. */
struct pario_published_rsd {
	const char *machine, *api;
	double application[PARIO_PUBLISHED_PARTS], benchmark[PARIO_PUBLISHED_PARTS];
};

extern const struct pario_published_accuracy pario_published_accuracies[];
extern const struct pario_published_rsd pario_published_rsds[];
extern const size_t pario_published_accuracy_count, pario_published_rsd_count;

/* Mean of the absolute values of a column of Table 3; `api` NULL: all. */
double pario_published_error(const char *api, int part);

/* Both tables and the means worked out from them. */
void pario_published_show(struct pario_text *text);

#endif
