/*
 * rates: what NHT-1 asks to be reported of its peak disk and its network benchmark, from the journal.
 */
#ifndef PARIO_TESTS_NHT1_REPORT_RATES_H
#define PARIO_TESTS_NHT1_REPORT_RATES_H

#include "report/page/document.h"

/* Of the tests nht1_peak and nht1_network, and of nht1, which is the one after the other. */
extern const struct pario_document pario_document_nht1_peak, pario_document_nht1_network,
	pario_document_nht1;

#endif
