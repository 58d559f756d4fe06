/*
 * documents: the documents of the overlap study: its tables as the paper has them, from the journal alone.
 */
#ifndef PARIO_TESTS_OVERLAP_REPORT_DOCUMENTS_H
#define PARIO_TESTS_OVERLAP_REPORT_DOCUMENTS_H

#include "report/page/document.h"
#include "tests/overlap/model/table.h"

/* Every routine and phase of the run with its laws, repetitions put together; the caller frees *cases. */
int pario_overlap_cases(const struct pario_history *history, struct pario_overlap_case **cases,
			size_t *count, struct pario_err *err);

extern const struct pario_document
	pario_overlap_summary; /* Table 1, the laws, which routine to use */
extern const struct pario_document pario_overlap_details; /* R(B,N) and T_OH(B,N), size by size */

#endif
