/*
 * nht1: the documents of NHT-1.
 */
#ifndef PARIO_REPORT_NHT1_H
#define PARIO_REPORT_NHT1_H

#include "report/document.h"

extern const struct pario_document pario_document_nht1_application, pario_document_nht1_diagonals;

#endif
