/*
 * Any journal as a report: what is read of it, and, of one in 64, a page in which nothing of it acts.
 */
#include "journal_bytes.h"
#include "report/page/page.h"
#include "tests/report/reports.h"

/* Whatever a journal holds, its page has one script and no byte that a browser or terminal acts upon. */
static void report_file(const char *path, bool page_too)
{
	const struct pario_page page = { .program = "pario", .reports = &pario_test_reports };
	struct pario_archive archive = { 0 };
	struct pario_text out = { 0 };
	struct pario_err err = { 0 };

	if (pario_archive_add(&archive, path, NULL, &err) == 0 && page_too) {
		const char *script;

		require(pario_page_write(&out, &archive, &page, &err) == 0);
		script = strstr(out.data, "<script>");
		require(script && !strstr(script + 1, "<script>"));
		require(!strchr(out.data, '\033') && strlen(out.data) == out.length);
	}
	pario_text_release(&out);
	pario_archive_release(&archive);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	report_file(repaired_input(0, data, size), one_in(64, data, size));
	return 0;
}
