/*
 * documents: the documents of b_eff_io, beff_io.prot with every measurement and beff_io.sum with the values.
 */
#ifndef PARIO_TESTS_BEFF_IO_REPORT_DOCUMENTS_H
#define PARIO_TESTS_BEFF_IO_REPORT_DOCUMENTS_H

#include "report/page/document.h"

extern const struct pario_document pario_beff_io_protocol, pario_beff_io_summary;

#endif
