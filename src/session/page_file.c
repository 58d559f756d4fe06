/*
 * page_file: hands the registry and the tests' reports to the page, and writes it without replacing files of others.
 */
#include "session/page_file.h"

#include <fcntl.h>
#include <stdio.h>

#include "base/output.h"
#include "console/console.h"
#include "rank/rank.h"
#include "report/page/page.h"
#include "tests/report/reports.h"
#include "tests/tests.h"
#include "version.h"

static const char *question(const char *name)
{
	const struct pario_test *test = pario_test_by_name(name);

	return test ? test->summary : NULL;
}

/* Is it settled how often it is measured? By the test's definition, or because it is a prediction or an import. */
static bool repeats(const char *name)
{
	const struct pario_test *test = pario_test_by_name(name);

	return !test || test->repetitions;
}

int pario_page_file_write(const char *path, bool force, const struct pario_text *text,
			  struct pario_err *err)
{
	const struct pario_output_rule rule = { .mark = PARIO_PAGE_MARK, .force = force };

	if (pario_output_text(AT_FDCWD, path, &rule, text, err) < 0)
		return -1;
	if (pario_output_is_stdout(path))
		return 0;
	pario_console_show(path);
	printf("\n");
	return 0;
}

int pario_page_file_make(struct pario_archive *archive, const char *title, struct pario_text *text,
			 struct pario_err *err)
{
	const struct pario_page page = { .title = title && *title ? title : NULL,
					 .program = "pario " PARIO_VERSION,
					 .reports = &pario_test_reports,
					 .question = question,
					 .repeats = repeats,
					 .standing = pario_ranking_section };

	return pario_page_write(text, archive, &page, err);
}

int pario_page_file_run(int dirfd, const char *directory, struct pario_err *err)
{
	const struct pario_output_rule rule = { .mark = PARIO_PAGE_MARK };
	struct pario_archive archive = { 0 };
	struct pario_text text = { 0 };
	int status = pario_archive_add(&archive, directory, NULL, err);

	if (status == 0)
		status = pario_page_file_make(&archive, NULL, &text, err);
	if (status == 0)
		status = pario_output_text(dirfd, "report.html", &rule, &text, err);
	pario_text_release(&text);
	pario_archive_release(&archive);
	return status;
}
