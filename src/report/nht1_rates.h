/*
 * nht1_rates: what NHT-1 asks to be reported of its peak disk and its network benchmark, from the journal.
 */
#ifndef PARIO_REPORT_NHT1_RATES_H
#define PARIO_REPORT_NHT1_RATES_H

#include "report/document.h"

extern const struct pario_document pario_document_nht1_peak, pario_document_nht1_network;

#endif
