/*
 * report: `pario report RUN...`: journals into one HTML page, and into CSV and OpenMetrics. Nothing is measured, no
 * journal changed.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "cmd/cmd.h"
#include "console/console.h"
#include "engine/plan.h"
#include "report/export/results.h"
#include "report/page/anonymize.h"
#include "report/page/page.h"
#include "session/export_file.h"
#include "session/page_file.h"
#include "session/signature.h"
#include "version.h"

extern char **environ;

enum { LABELS_CAPACITY = 4096, RUNS_MAX = 1024 };

struct params {
	char out[4096], labels[LABELS_CAPACITY], title[512], csv[4096], openmetrics[4096];
	char allowed_signers[4096];
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
	PARIO_OPTION(
		struct params, csv, .flags = PARIO_OPTION_NO_SWEEP,
		.help = "write the results as comma-separated values instead, a row each; - is standard output"),
	PARIO_OPTION(
		struct params, openmetrics, .flags = PARIO_OPTION_NO_SWEEP,
		.help = "write the medians as OpenMetrics text instead, for a node exporter; - is standard output"),
	PARIO_OPTION(
		struct params, allowed_signers, .flags = PARIO_OPTION_NO_SWEEP,
		.help = "file of who may sign journals, as for ssh-keygen; exit with 1 when one is not signed by any of them"),
	PARIO_OPTION_NAMED(struct params, anonymize, "anonymize", .def = "0",
			   .help = "leave out names of hosts, users and paths"),
	PARIO_OPTION_NAMED(struct params, force, "force", .def = "0",
			   .help = "replace the file also when it is not pario's"),
	{ 0 },
};

static int take_runs(struct pario_archive *archive, char *labels, const char **runs, int count,
		     struct pario_err *err)
{
	char *rest = labels, *label = pario_text_word(&rest, ",");

	for (int i = 0; i < count; i++) {
		int status = pario_profile_is_trace(runs[i])
				     ? pario_profile_archive(archive, runs[i], label, err)
				     : pario_archive_add(archive, runs[i], label, err);

		if (status < 0)
			return -1;
		label = pario_text_word(&rest, ",");
	}
	if (label)
		return pario_err_set(err, PARIO_USAGE,
				     "--label has more names than there are runs (%d).", count);
	return 0;
}

/* The page, unless only the results are asked for. */
static int write_all(struct pario_archive *archive, const struct params *p, struct pario_text *text,
		     struct pario_err *err)
{
	int status = 0;

	if (*p->csv)
		status = pario_export_file_results(archive, p->csv, p->force, err);
	if (status == 0 && *p->openmetrics) {
		status = pario_results_openmetrics(archive, text, err);
		if (status == 0)
			status = pario_export_file_write(p->openmetrics, p->force, text, err);
	}
	if (status < 0 || *p->csv || *p->openmetrics)
		return status;
	status = pario_page_file_make(archive, p->title, text, err);
	return status < 0 ? -1 : pario_page_file_write(p->out, p->force, text, err);
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
	int status = pario_cmd_options("report", &table, &params, argc, argv, runs, RUNS_MAX,
				       &count, &err);

	if (status == 0 && count == 0)
		status = pario_err_set(&err, PARIO_USAGE,
				       "which runs? `pario report RUN...` takes run directories or "
				       "journals, as in pario-results/*.");
	if (status == 0)
		status = take_runs(&archive, params.labels, runs, count, &err);
	if (status == 0)
		status = pario_signature_volumes(&archive, params.allowed_signers, &err);
	if (status == 0 && params.anonymize)
		status = pario_anonymize(&archive, &err);
	if (status == 0)
		status = write_all(&archive, &params, &text, &err);
	pario_text_release(&text);
	pario_archive_release(&archive);
	return status < 0 ? pario_console_say(&err) : 0;
}
