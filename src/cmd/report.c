/*
 * report: `pario report RUN...`: journals into one HTML page.
 */
#include "cmd/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "report/anonymize.h"
#include "report/page.h"
#include "run/plan.h"
#include "version.h"

extern char **environ;

enum { LABELS_ROOM = 4096, RUNS_MAX = 1024 };

struct params {
	char out[4096], labels[LABELS_ROOM], title[512];
	bool anonymize;
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

/* Written beside its name first, so that a report is whole or not there. */
static int write_file(const char *path, const struct pario_text *text, struct pario_err *err)
{
	char beside[4200];
	int fd, failed = 0;
	size_t done = 0;

	snprintf(beside, sizeof(beside), "%s.%ld.tmp", path, (long)getpid());
	fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return pario_err_sys(err, errno, NULL, "the report %s cannot be written", path);
	while (done < text->length && !failed) {
		ssize_t n = write(fd, text->data + done, text->length - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			failed = errno;
	}
	if (close(fd) < 0 && !failed)
		failed = errno;
	if (!failed && rename(beside, path) < 0)
		failed = errno;
	if (!failed)
		return 0;
	unlink(beside);
	return pario_err_sys(err, failed, NULL, "the report %s cannot be written", path);
}

int pario_report_file(const char *path, const struct pario_text *text, struct pario_err *err)
{
	if (strcmp(path, "-") == 0)
		return fwrite(text->data, 1, text->length, stdout) == text->length
			       ? 0
			       : pario_err_sys(err, errno, NULL, "the page cannot be written");
	if (write_file(path, text, err) < 0)
		return -1;
	pario_cmd_show(path);
	printf("\n");
	return 0;
}

/* To `out`, which is told to the user, or silently to `beside`. */
static int write_page(struct pario_archive *archive, const char *title, bool anonymize,
		      const char *out, const char *beside, struct pario_err *err)
{
	const struct pario_page page = { .title = title && *title ? title : NULL,
					 .program = "pario " PARIO_VERSION,
					 .question = question,
					 .repeats = repeats };
	struct pario_text text = { 0 };
	int status = anonymize ? pario_anonymize(archive, err) : 0;

	if (status == 0)
		status = pario_page_write(&text, archive, &page, err);
	if (status == 0)
		status = out ? pario_report_file(out, &text, err) : write_file(beside, &text, err);
	pario_text_release(&text);
	return status;
}

int pario_report_run(const char *directory, struct pario_err *err)
{
	struct pario_archive archive = { 0 };
	char out[4096];
	int status = pario_archive_add(&archive, directory, NULL, err);

	if (snprintf(out, sizeof(out), "%s/report.html", directory) >= (int)sizeof(out))
		status = pario_err_set(err, PARIO_USAGE,
				       "the name of the run directory is too long.");
	if (status == 0)
		status = write_page(&archive, NULL, false, NULL, out, err);
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
	if (status == 0)
		status = write_page(&archive, params.title, params.anonymize, params.out, NULL,
				    &err);
	pario_archive_release(&archive);
	return status < 0 ? pario_cmd_say(&err) : 0;
}
