/*
 * report: `pario report RUN...`: journals into one HTML page.
 */
#include "cmd/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "cmd/cmd.h"
#include "report/anonymize.h"
#include "report/page.h"
#include "run/plan.h"
#include "version.h"

extern char **environ;

enum { LABELS_ROOM = 4096, RUNS_MAX = 1024 };

struct params {
	char out[4096], labels[LABELS_ROOM], title[512];
	bool anonymize, force;
};

const struct pario_option pario_report_options[] = {
	PARIO_OPTION_NAMED(struct params, out, "out", .def = "report.html", .letter = 'o',
			   .flags = PARIO_OPTION_NO_SWEEP,
			   .help = "the file to write; - is standard output"),
	PARIO_OPTION_NAMED(struct params, labels, "label", .flags = PARIO_OPTION_LIST,
			   .help = "names for the runs, in their order, separated by commas"),
	PARIO_OPTION_NAMED(struct params, title, "title", .flags = PARIO_OPTION_NO_SWEEP,
			   .help = "title of the page"),
	PARIO_OPTION_NAMED(struct params, anonymize, "anonymize", .def = "0",
			   .help = "leave out names of hosts, users and paths"),
	PARIO_OPTION_NAMED(struct params, force, "force", .def = "0",
			   .help = "replace the file also when it is not pario's"),
	{ 0 },
};

static const char *question(const char *name)
{
	const struct pario_test *test = pario_test_find(name);

	return test ? test->summary : NULL;
}

static bool repeats(const char *name)
{
	const struct pario_test *test = pario_test_find(name);

	return test && test->repetitions;
}

int pario_report_file(const char *path, bool force, const struct pario_text *text,
		      struct pario_err *err)
{
	const struct pario_output_rule rule = { .mark = PARIO_PAGE_MARK, .force = force };

	if (pario_output_is_stdout(path))
		return fwrite(text->data, 1, text->length, stdout) == text->length
			       ? 0
			       : pario_err_sys(err, errno, NULL, "the page cannot be written");
	if (pario_output_text(AT_FDCWD, path, &rule, text, err) < 0)
		return -1;
	pario_cmd_show(path);
	printf("\n");
	return 0;
}

static int make_page(struct pario_archive *archive, const char *title, struct pario_text *text,
		     struct pario_err *err)
{
	const struct pario_page page = { .title = title && *title ? title : NULL,
					 .program = "pario " PARIO_VERSION,
					 .question = question,
					 .repeats = repeats };

	return pario_page_write(text, archive, &page, err);
}

int pario_report_run(int dirfd, const char *directory, struct pario_err *err)
{
	const struct pario_output_rule rule = { .mark = PARIO_PAGE_MARK };
	struct pario_archive archive = { 0 };
	struct pario_text text = { 0 };
	int status = pario_archive_add(&archive, directory, NULL, err);

	if (status == 0)
		status = make_page(&archive, NULL, &text, err);
	if (status == 0)
		status = pario_output_text(dirfd, "report.html", &rule, &text, err);
	pario_text_release(&text);
	pario_archive_release(&archive);
	return status;
}

static int take_runs(struct pario_archive *archive, char *labels, const char **runs, int count,
		     struct pario_err *err)
{
	char *save = NULL, *label = strtok_r(labels, ",", &save);

	for (int i = 0; i < count; i++) {
		int status = pario_profile_is_trace(runs[i])
				     ? pario_profile_archive(archive, runs[i], label, err)
				     : pario_archive_add(archive, runs[i], label, err);

		if (status < 0)
			return -1;
		label = label ? strtok_r(NULL, ",", &save) : NULL;
	}
	if (label)
		return pario_err_set(err, PARIO_USAGE,
				     "--label has more names than there are runs (%d).", count);
	return 0;
}

int pario_cmd_report(int argc, char **argv)
{
	static struct params params;
	const struct pario_table table = { "report", pario_report_options, sizeof(params) };
	struct pario_archive archive = { 0 };
	struct pario_text text = { 0 };
	struct pario_err err = { 0 };
	const char *runs[RUNS_MAX];
	int count = 0;
	int status = pario_cmd_options(&table, &params, argc, argv, runs, RUNS_MAX, &count, &err);

	if (status == 0 && count == 0)
		status = pario_err_set(&err, PARIO_USAGE,
				       "which runs? `pario report RUN...` takes run directories or "
				       "journals, as in pario-results/*.");
	if (status == 0)
		status = take_runs(&archive, params.labels, runs, count, &err);
	if (status == 0 && params.anonymize)
		status = pario_anonymize(&archive, &err);
	if (status == 0)
		status = make_page(&archive, params.title, &text, &err);
	if (status == 0)
		status = pario_report_file(params.out, params.force, &text, &err);
	pario_text_release(&text);
	pario_archive_release(&archive);
	return status < 0 ? pario_cmd_say(&err) : 0;
}
