/*
 * madbench2: MADbench2's own report.
 */
#ifndef PARIO_REPORT_MADBENCH2_H
#define PARIO_REPORT_MADBENCH2_H

#include "report/document.h"

extern const struct pario_document pario_madbench2_report;

#endif
