/*
 * show: a prediction as text for people, from the finished prediction alone: nothing is worked out while it is shown.
 */
#ifndef PARIO_PREDICT_SHOW_SHOW_H
#define PARIO_PREDICT_SHOW_SHOW_H

#include "predict/estimate/predict.h"
#include "trace/symbols.h"

struct pario_prediction_view {
	unsigned models; /* a bit each */
	unsigned rows;	 /* longest table */
	bool explain;
};

void pario_prediction_show(const struct pario_prediction *p,
			   const struct pario_prediction_view *view, struct pario_symbols *symbols,
			   struct pario_text *text);

/* Class numbers of the target, the one with most time first; the caller frees it. NULL: no memory. */
uint32_t *pario_prediction_ranked(const struct pario_prediction *p);

/* Call sites of the target, the one that changes most first; the caller frees it. NULL: no memory. */
uint32_t *pario_prediction_sites(const struct pario_prediction *p);

/* "function file:line", as the profile names call sites. */
void pario_prediction_site(const struct pario_prediction *p, const struct pario_sim_site *site,
			   struct pario_symbols *symbols, struct pario_text *text);

#endif
