/*
 * journal: a prediction as an ordinary journal: one result per model, whose number is the I/O time.
 */
#ifndef PARIO_PREDICT_SHOW_JOURNAL_H
#define PARIO_PREDICT_SHOW_JOURNAL_H

#include "predict/estimate/predict.h"
#include "trace/symbols.h"

/* `directory` is made, or has no journal yet. */
int pario_prediction_journal(const struct pario_prediction *p, struct pario_symbols *symbols,
			     const char *directory, struct pario_err *err);

#endif
