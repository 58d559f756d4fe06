/*
 * document: files that a test's own definition asks for (a protocol, a summary), written beside the journal.
 *
 * A document is made from the journal alone, at the end of a run and by whoever reads the journal later: what it says
 * can be worked out again. The files in the folders `report` of src/tests end with their documents;
 * src/tests/report/reports.c lists them.
 */
#ifndef PARIO_REPORT_PAGE_DOCUMENT_H
#define PARIO_REPORT_PAGE_DOCUMENT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "journal/history.h"

struct pario_document {
	const char *test;
	const char *file; /* its name in the run directory */
	bool shown;	  /* also printed when the run ends */
	bool instead;	  /* and nothing else is: its table is the only one */
	int (*write)(const struct pario_history *history, struct pario_text *out,
		     struct pario_err *err);
	/*
	 * Instead of write, for a file per result: `file` gets a number, NAME_1.txt, for each result that has a text.
	 */
	int (*write_each)(const json_t *result, struct pario_text *out, struct pario_err *err);
};

/* Did the run measure this document's test, with at least one result that has a number? */
bool pario_document_applies(const struct pario_document *document,
			    const struct pario_history *history);

#endif
