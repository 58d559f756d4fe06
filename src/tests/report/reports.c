/*
 * reports: the pictures and the documents of single tests, one row each. The functions and documents named here are in
 * src/tests/<test>/report/.
 */
#include "tests/report/reports.h"

#include <stdlib.h>
#include <string.h>

#include "journal/table.h"
#include "tests/beff/report/documents.h"
#include "tests/beff_io/report/documents.h"
#include "tests/checkpoint/report/document.h"
#include "tests/madbench2/report/document.h"
#include "tests/nht1/model/formulae.h"
#include "tests/nht1/report/documents.h"
#include "tests/nht1/report/rates.h"
#include "tests/overlap/report/documents.h"
#include "tests/replay/report/document.h"
#include "tests/training/report/document.h"

static const struct pario_picture pictures[] = {
	{ "beff", NULL, "Bandwidth over message length",
	  "Twelve equal steps up to 4 KiB and eight to Lmax: each length counts alike in b_eff, which is why it is far below the largest bandwidth.",
	  pario_picture_beff, PARIO_HIDES_RATES },
	{ "beff_io", NULL, "Bandwidth",
	  "One line per pattern type. Chunks of 8 bytes more, which are not well-formed, stand beside their power of two.",
	  pario_picture_beff_io, PARIO_HIDES_RATES },
	{ "nht1_application", NULL, "Computation and transfers",
	  "Transfers below computation cost little; where computation has gaps, it waited.",
	  pario_picture_nht1, PARIO_HIDES_RATES },
	{ "overlap", NULL, NULL,
	  "Dashed: the fitted laws. Their height at 0 is the cost of a sector, their slope that of a call.",
	  pario_picture_overlap, PARIO_HIDES_RATES | PARIO_HIDES_TIMES },
	{ "madbench2", NULL, "Where the time went",
	  "Mean over the processes; whiskers reach from the fastest process to the slowest.",
	  pario_picture_madbench2, 0 },
	{ "trace_replay", NULL, "The original and here",
	  "When each process was busy, the original's above and here below, on one axis. A full lane is a call at every moment.",
	  pario_picture_replay, PARIO_HIDES_RATES | PARIO_HIDES_TIMES },
	{ 0 },
};

static const struct pario_document *const documents[] = {
	&pario_beff_sum,
	&pario_beff_short,
	&pario_beff_protocol,
	&pario_beff_plot,
	&pario_beff_hpcc,
	&pario_beff_io_protocol,
	&pario_beff_io_summary,
	&pario_checkpoint_summary,
	&pario_madbench2_report,
	&pario_document_nht1_application,
	&pario_document_nht1_diagonals,
	&pario_document_nht1_network,
	&pario_document_nht1_peak,
	&pario_document_nht1,
	&pario_overlap_summary,
	&pario_overlap_details,
	&pario_replay_summary,
	&pario_training_summary,
	NULL,
};

/* b_eff marks what is not official in the head of its tables. */
static bool marked(const struct pario_reading *r)
{
	struct pario_result_table_view head;
	struct pario_err unused;

	if (!r->more->carried->line ||
	    pario_result_table_find(r->more->carried->line, "head", &head, &unused) < 0)
		return false;
	for (size_t i = 0; i < head.row_count; i++) {
		if (strcmp(pario_result_table_text(&head, i, 0), "mark") == 0)
			return *pario_result_table_text(&head, i, 1);
	}
	return false;
}

static const char *lacks(struct pario_archive *a, const struct pario_group *g)
{
	const struct pario_reading *r = g->first;
	struct pario_amount conforms = pario_reading_find(r, "conforms");
	bool io = strcmp(r->of->test, "beff_io") == 0;
	struct pario_amount conforming = pario_reading_find(r, "conforming");

	if (conforms.name && !(conforms.value > 0))
		return pario_nht1_lacks(r->bytes);
	if (conforming.name && !(conforming.value > 0))
		return "not conforming";
	if ((strcmp(r->of->test, "beff") == 0 && marked(r)) ||
	    (io && strcmp(pario_reading_param(a, r, "short"), "1") == 0))
		return "short run";
	if (io && strtod(pario_reading_param(a, r, "minutes"), NULL) < 15)
		return "less than 15 minutes";
	return NULL;
}

const struct pario_test_reports pario_test_reports = { pictures, documents, lacks };
