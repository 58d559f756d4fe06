/*
 * rates: what NHT-1 asks to be reported of its peak disk and its network benchmark, from the journal.
 */
#ifndef PARIO_TESTS_NHT1_REPORT_RATES_H
#define PARIO_TESTS_NHT1_REPORT_RATES_H

#include "report/page/document.h"

extern const struct pario_document pario_document_nht1_peak, pario_document_nht1_network;

#endif
