/*
 * document: the list of all documents.
 */
#include "report/document.h"

#include <string.h>

#include "report/beff.h"
#include "report/beff_io.h"
#include "report/madbench2.h"
#include "report/nht1.h"
#include "report/nht1_rates.h"
#include "report/overlap.h"

const struct pario_document *const pario_documents[] = {
	&pario_beff_sum,
	&pario_beff_short,
	&pario_beff_protocol,
	&pario_beff_plot,
	&pario_beff_hpcc,
	&pario_beff_io_protocol,
	&pario_beff_io_summary,
	&pario_madbench2_report,
	&pario_document_nht1_application,
	&pario_document_nht1_diagonals,
	&pario_document_nht1_network,
	&pario_document_nht1_peak,
	&pario_overlap_summary,
	&pario_overlap_details,
	NULL,
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
