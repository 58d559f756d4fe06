/*
 * compare: `pario compare A B`: is the second run faster, slower, or the same?
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "cmd/cmd.h"
#include "console/ascii.h"
#include "console/console.h"
#include "engine/run_options.h"
#include "report/compare/compare.h"
#include "report/export/results.h"
#include "report/page/anonymize.h"
#include "session/export_file.h"
#include "session/page_file.h"
#include "session/signature.h"
#include "session/terminal.h"
#include "version.h"

struct params {
	char out[4096], labels[1024], across[1024], csv[4096], allowed_signers[4096];
	double threshold;
	bool anonymize, force, json;
	int color;
};

static const char *const colors[] = { "auto", "always", "never", NULL };

const struct pario_option pario_compare_options[] = {
	PARIO_OPTION(
		struct params, threshold, .def = "0", .min = "0", .max = "100",
		.help = "exit with 1 when a point is worse than this ratio, as 0.95; 0 = never"),
	PARIO_OPTION(struct params, across, .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "parameters that may differ, separated by commas: what is compared"),
	PARIO_OPTION_NAMED(struct params, out, "out", .letter = 'o', .flags = PARIO_OPTION_NO_SWEEP,
			   .help = "also write an HTML page; - is standard output"),
	PARIO_OPTION(
		struct params, csv, .flags = PARIO_OPTION_NO_SWEEP,
		.help = "also write comma-separated values, a row for each point; - is standard output"),
	PARIO_OPTION(struct params, json, .def = "0",
		     .help = "print one JSON object instead of the table"),
	PARIO_OPTION_NAMED(struct params, labels, "label", .flags = PARIO_OPTION_NO_SWEEP,
			   .help = "names for the two runs, separated by a comma"),
	PARIO_OPTION(
		struct params, allowed_signers, .flags = PARIO_OPTION_NO_SWEEP,
		.help = "file of who may sign journals, as for ssh-keygen; exit with 1 when one is not signed by any of them"),
	PARIO_OPTION(struct params, anonymize, .def = "0",
		     .help = "leave out names of hosts, users and paths"),
	PARIO_OPTION(struct params, force, .def = "0",
		     .help = "replace the page's file also when it is not pario's"),
	PARIO_OPTION(struct params, color, .choices = colors, .def = "auto",
		     .help = "coloured output"),
	{ 0 },
};

static int take(struct pario_archive *archive, struct params *p, const char **runs, int count,
		struct pario_err *err)
{
	char *comma = strchr(p->labels, ',');

	if (count != 2)
		return pario_err_set(err, PARIO_USAGE,
				     "which runs? `pario compare A B` takes two run directories or "
				     "journals, the old one first.");
	if (comma)
		*comma = '\0';
	archive->numbers_only = true;
	if (pario_archive_add(archive, runs[0], p->labels, err) < 0 ||
	    pario_archive_add(archive, runs[1], comma ? comma + 1 : NULL, err) < 0)
		return -1;
	if (pario_signature_volumes(archive, p->allowed_signers, err) < 0)
		return -1;
	return p->anonymize ? pario_anonymize(archive, err) : 0;
}

static int show(const struct pario_comparison *comparison, const struct params *p,
		struct pario_err *err)
{
	struct pario_text text = { 0 };
	struct pario_style style = { 0 };
	int status = 0;

	if (p->json) {
		pario_ascii_stop();
		pario_comparison_json(comparison, &text);
		fputs(pario_text_string(&text), stdout);
		pario_text_clear(&text);
	} else if (!pario_output_is_stdout(p->out) && !pario_output_is_stdout(p->csv)) {
		pario_terminal_style(&style, p->color);
		pario_comparison_table(comparison, &style, &text);
		fputs(pario_text_string(&text), stdout);
		pario_text_clear(&text);
	}
	if (*p->csv) {
		pario_ascii_stop();
		pario_comparison_csv(comparison, &text);
		status = pario_export_file_write(p->csv, p->force, &text, err);
		pario_text_clear(&text);
	}
	if (status == 0 && *p->out) {
		pario_ascii_stop();
		status = pario_comparison_page(comparison, "pario " PARIO_VERSION, &text, err);
		if (status == 0)
			status = pario_page_file_write(p->out, p->force, &text, err);
	}
	pario_text_release(&text);
	return status;
}

int pario_cmd_compare(int argc, char **argv)
{
	static struct params params;
	const struct pario_table table = { "compare", pario_compare_options, sizeof(params) };
	struct pario_archive archive = { 0 };
	struct pario_comparison comparison = { 0 };
	struct pario_err err = { 0 };
	const char *runs[64];
	int count = 0, code = 0;

	if (pario_cmd_options("compare", &table, &params, argc, argv, runs, 64, &count, &err) < 0 ||
	    take(&archive, &params, runs, count, &err) < 0 ||
	    pario_comparison_of(&archive, params.across,
				params.threshold > 0 ? params.threshold : (double)NAN, &comparison,
				&err) < 0 ||
	    show(&comparison, &params, &err) < 0)
		code = pario_console_say(&err);
	else if (comparison.regressions)
		code = PARIO_INVALID;
	pario_comparison_release(&comparison);
	pario_archive_release(&archive);
	return code;
}
