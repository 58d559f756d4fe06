/*
 * documents: the documents of NHT-1: those of its application and the norms of its diagonals, from the journal alone.
 */
#ifndef PARIO_TESTS_NHT1_REPORT_DOCUMENTS_H
#define PARIO_TESTS_NHT1_REPORT_DOCUMENTS_H

#include "report/page/document.h"

extern const struct pario_document pario_document_nht1_application, pario_document_nht1_diagonals;

#endif
