/*
 * export_file: such files carry no mark of pario's but their first words, the names of their columns or families.
 */
#include "session/export_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "report/export/results.h"

enum { MARK = 64 };

int pario_export_file_write(const char *path, bool force, const struct pario_text *text,
			    struct pario_err *err)
{
	char mark[MARK];
	const struct pario_output_rule rule = { .mark = mark, .force = force };

	if (text->failed)
		return pario_err_set(err, PARIO_SYSTEM, "there is no memory for %s.", path);
	snprintf(mark, sizeof(mark), "%.*s", (int)strcspn(pario_text_string(text), "\r\n"),
		 pario_text_string(text));
	return pario_output_text(AT_FDCWD, path, &rule, text, err);
}

int pario_export_file_run(const char *directory, const char *path, struct pario_err *err)
{
	struct pario_archive archive = { 0 };
	struct pario_text text = { 0 };
	int status = pario_archive_add(&archive, directory, NULL, err);

	if (status == 0) {
		pario_results_csv(&archive, &text);
		status = pario_export_file_write(path, false, &text, err);
	}
	pario_text_release(&text);
	pario_archive_release(&archive);
	return status;
}
