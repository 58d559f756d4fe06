/*
 * documents: the documents of b_eff, made from its journal alone (docs/beff.md).
 *
 *	beff.sum     the result line, Table 1's columns, the curve over message lengths, what to know about them
 *	beff.short   the same measurements averaged by pattern, method, repetition and length
 *	beff.prot    every single measurement
 *	beff.plot    the curve, for gnuplot
 *	beff.hpcc    with --phases hpcc: latencies and bandwidths of its rings
 */
#ifndef PARIO_TESTS_BEFF_REPORT_DOCUMENTS_H
#define PARIO_TESTS_BEFF_REPORT_DOCUMENTS_H

#include "report/page/document.h"

extern const struct pario_document pario_beff_sum, pario_beff_short, pario_beff_protocol,
	pario_beff_plot, pario_beff_hpcc;

#endif
