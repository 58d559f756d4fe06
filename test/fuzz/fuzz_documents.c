/*
 * Any journal as the source of documents: read, and of one in 16 the protocols of b_eff, b_eff_io, MADbench2 and
 * others are written or refused with a sentence.
 */
#include "journal/history.h"
#include "journal_bytes.h"
#include "report/page/document.h"
#include "tests/report/reports.h"

static void write_one(const struct pario_document *document, const struct pario_history *history)
{
	struct pario_err err = { 0 };
	struct pario_text text = { 0 };
	int status = 0;

	if (!document->write_each)
		status = document->write(history, &text, &err);
	for (size_t i = 0; document->write_each && i < history->result_count && status == 0; i++)
		status = document->write_each(history->results[i], &text, &err);
	require(status == 0 || err.text[0] != '\0');
	pario_text_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pario_history history;
	struct pario_err err = { 0 };
	const char *path = repaired_input(0, data, size);

	if (pario_history_load(&history, path, &err) == 0) {
		const struct pario_document *const *d = pario_test_reports.documents;

		for (; one_in(16, data, size) && *d; d++) {
			if (pario_document_applies(*d, &history))
				write_one(*d, &history);
		}
		pario_history_release(&history);
	} else {
		require(err.text[0] != '\0');
	}
	return 0;
}
