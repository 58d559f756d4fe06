/*
 * document: MADbench2's own report, line by line as the program prints it, from the journal alone.
 */
#ifndef PARIO_TESTS_MADBENCH2_REPORT_DOCUMENT_H
#define PARIO_TESTS_MADBENCH2_REPORT_DOCUMENT_H

#include "report/page/document.h"

extern const struct pario_document pario_madbench2_report;

#endif
