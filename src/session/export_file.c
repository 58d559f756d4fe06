/*
 * export_file: such files carry no mark of pario's but their first words, the names of their columns or families.
 */
#include "session/export_file.h"

#include <errno.h>
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
		return pario_err_memory(err, "%s", path);
	snprintf(mark, sizeof(mark), "%.*s", (int)strcspn(pario_text_string(text), "\r\n"),
		 pario_text_string(text));
	return pario_output_text(AT_FDCWD, path, &rule, text, err);
}

/* What standard output does not take is said when the program ends. */
static int put(void *self, struct pario_text *text)
{
	FILE *file = self;
	bool whole = !text->failed && fwrite(text->data, 1, text->length, file) == text->length;

	pario_text_clear(text);
	return whole || file == stdout ? 0 : -1;
}

int pario_export_file_results(struct pario_archive *archive, const char *path, bool force,
			      struct pario_err *err)
{
	const struct pario_output_rule rule = { .mark = PARIO_RESULTS_CSV, .force = force };
	struct pario_output output;
	struct pario_text text = { 0 };
	int status, sys;

	if (pario_output_begin(&output, AT_FDCWD, path, &rule, err) < 0)
		return -1;
	status = pario_results_csv(archive, &text, put, output.file);
	sys = status < 0 ? errno : 0;
	pario_text_release(&text);
	if (pario_output_end(&output, status == 0, err) < 0)
		return -1;
	return status < 0 ? pario_err_sys(err, sys, NULL, "%s cannot be written", path) : 0;
}

int pario_export_file_run(const char *directory, const char *path, struct pario_err *err)
{
	struct pario_archive archive = { 0 };
	int status = pario_archive_add(&archive, directory, NULL, err);

	if (status == 0)
		status = pario_export_file_results(&archive, path, false, err);
	pario_archive_release(&archive);
	return status;
}
