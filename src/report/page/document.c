/*
 * document: which runs a document can be made of: the documents themselves belong to their tests.
 */
#include "report/page/document.h"

#include <string.h>

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
