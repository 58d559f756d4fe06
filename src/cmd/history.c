/*
 * history: `pario history DIR...`: every number over time, and where it changed.
 */
#include <fcntl.h>
#include <stdio.h>

#include "base/output.h"
#include "cmd/cmd.h"
#include "console/ascii.h"
#include "console/console.h"
#include "history/show.h"
#include "session/export_file.h"
#include "session/page_file.h"
#include "session/terminal.h"
#include "version.h"

enum { DIRECTORIES = 1024, NAMED = 20 };

struct params {
	char out[4096], across[1024], title[512], csv[4096];
	double least;
	uint64_t recent;
	bool force;
	int color;
};

static const char *const colors[] = { "auto", "always", "never", NULL };

#define OPTION(field, ...) \
	PARIO_OPTION(struct params, field, .flags = PARIO_OPTION_NO_SWEEP, __VA_ARGS__)

const struct pario_option pario_history_options[] = {
	OPTION(recent, .def = "10", .min = "1", .max = "1000000", .unit = "runs",
	       .help = "exit with 1 when a number became worse within its last so many runs"),
	OPTION(least, .def = "0.05", .min = "0", .max = "10",
	       .help = "smallest relative change that is marked"),
	OPTION(across, .def = "",
	       .help = "parameters that may differ within a line, separated by commas"),
	PARIO_OPTION_NAMED(struct params, out, "out", .letter = 'o', .flags = PARIO_OPTION_NO_SWEEP,
			   .help = "also write an HTML page; - is standard output"),
	OPTION(csv, .def = "",
	       .help = "also write every number of every run; - is standard output"),
	OPTION(title, .def = "", .help = "title of the page"),
	OPTION(force, .def = "0", .help = "replace files also when they are not pario's"),
	OPTION(color, .choices = colors, .def = "auto", .help = "coloured output"),
	{ 0 },
};

/* Left out journals are named, so that someone can look at them. */
static void warn(const struct pario_chronicle *c)
{
	for (size_t i = 0; i < c->skips && i < NAMED; i++)
		pario_console_warn("left out: %s", c->skipped[i]);
	if (c->skips > NAMED)
		pario_console_warn("left out: %zu more damaged journals.", c->skips - NAMED);
}

/* With the whole names of the lines. */
static int write_csv(const struct pario_chronicle *c, const struct params *p, struct pario_err *err)
{
	struct pario_text text = { 0 };
	int status;

	pario_ascii_stop();
	pario_chronicle_csv(c, &text);
	status = pario_export_file_write(p->csv, p->force, &text, err);
	pario_text_release(&text);
	return status;
}

static int show(const struct pario_chronicle *c, const struct params *p, struct pario_err *err)
{
	struct pario_text text = { 0 };
	struct pario_style style = { 0 };
	int status = 0;

	if (!pario_output_is_stdout(p->out) && !pario_output_is_stdout(p->csv)) {
		pario_terminal_style(&style, p->color);
		pario_chronicle_text(c, &style, &text);
		fputs(pario_text_string(&text), stdout);
		pario_text_clear(&text);
	}
	if (*p->out) {
		pario_ascii_stop();
		status = pario_chronicle_page(c, *p->title ? p->title : "History",
					      "pario " PARIO_VERSION, &text, err);
		if (status == 0)
			status = pario_page_file_write(p->out, p->force, &text, err);
	}
	pario_text_release(&text);
	return status;
}

int pario_cmd_history(int argc, char **argv)
{
	static struct params params;
	static const char *directories[DIRECTORIES];
	const struct pario_table table = { "history", pario_history_options, sizeof(params) };
	struct pario_chronicle chronicle = { 0 };
	struct pario_err err = { 0 };
	int count = 0, code = 0;
	int status = pario_cmd_options("history", &table, &params, argc, argv, directories,
				       DIRECTORIES, &count, &err);

	if (status == 0 && count == 0)
		status = pario_err_set(
			&err, PARIO_USAGE,
			"which directories? `pario history DIR...` takes those that hold "
			"runs, as pario-results.");
	if (status == 0)
		status = pario_chronicle_of(&chronicle, directories, (size_t)count, params.across,
					    params.least, &err);
	if (status == 0) {
		warn(&chronicle);
		if (*params.csv)
			status = write_csv(&chronicle, &params, &err);
		if (status == 0)
			status = pario_chronicle_shorten(&chronicle, &err);
	}
	if (status == 0)
		status = show(&chronicle, &params, &err);
	if (status < 0)
		code = pario_console_say(&err);
	else if (pario_changes_recent(&chronicle, params.recent))
		code = PARIO_INVALID;
	pario_chronicle_release(&chronicle);
	return code;
}
