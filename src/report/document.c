/*
 * document: the list of all documents.
 */
#include "report/document.h"

#include <string.h>

#include "report/beff_io.h"

const struct pario_document pario_documents[] = {
	{ "beff_io", "beff_io.prot", false, pario_beff_io_protocol },
	{ "beff_io", "beff_io.sum", true, pario_beff_io_summary },
	{ 0 },
};

bool pario_document_applies(const struct pario_document *document,
			    const struct pario_history *history)
{
	for (size_t i = 0; i < history->result_count; i++) {
		const char *outcome = pario_history_text(history->results[i], "outcome");

		if (strcmp(pario_history_text(history->results[i], "test"), document->test) == 0 &&
		    strcmp(outcome, "skip") != 0 && strcmp(outcome, "fail") != 0)
			return true;
	}
	return false;
}
