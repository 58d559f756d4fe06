/*
 * profiled: a prediction from the classes of a profile instead of the trace: no calls are simulated.
 *
 * Each class costs what the target's surface says, corrected as hybrid.h does by what it took on the reference. Paths
 * are those that were inferred; where nothing was told apart, the nearer of the reference's two surfaces decides. What
 * is not modelled: the order of calls, what memory holds on the target, and ranks that wait for each other.
 */
#ifndef PARIO_PREDICT_SHEET_PROFILED_H
#define PARIO_PREDICT_SHEET_PROFILED_H

#include "predict/estimate/predict.h"
#include "predict/sheet/sheet.h"

/* Fills in what the two simulations would: reference, hybrid and target. Sheet and costs are there. */
int pario_profiled(struct pario_prediction *p, double background, struct pario_err *err);

/* What was measured, by the sheet alone. */
void pario_profiled_measured(const struct pario_sheet *sheet, double quantities[PARIO_QUANTITIES]);

#endif
