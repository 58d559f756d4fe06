/*
 * beff_io: the documents of b_eff_io, beff_io.prot with every measurement and beff_io.sum with the values.
 */
#ifndef PARIO_REPORT_BEFF_IO_H
#define PARIO_REPORT_BEFF_IO_H

#include "report/document.h"

int pario_beff_io_protocol(const struct pario_history *history, struct pario_text *out,
			   struct pario_err *err);
int pario_beff_io_summary(const struct pario_history *history, struct pario_text *out,
			  struct pario_err *err);

#endif
