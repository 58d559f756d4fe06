/*
 * beff_io: the documents of b_eff_io, beff_io.prot with every measurement and beff_io.sum with the values.
 */
#ifndef PARIO_REPORT_BEFF_IO_H
#define PARIO_REPORT_BEFF_IO_H

#include "report/document.h"

extern const struct pario_document pario_beff_io_protocol, pario_beff_io_summary;

#endif
