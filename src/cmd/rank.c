/*
 * rank: `pario rank RUN`: where do these numbers stand among those of others?
 */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "console/console.h"
#include "rank/rank.h"
#include "session/export_file.h"
#include "session/terminal.h"

struct params {
	char against[4096], file_system[64], csv[4096];
	int per, color;
	bool force;
};

static const char *const colors[] = { "auto", "always", "never", NULL };
static const char *const per[] = { "auto", "node", "client", "whole", NULL };

const struct pario_option pario_rank_options[] = {
	PARIO_OPTION(
		struct params, against, .def = "world", .flags = PARIO_OPTION_NO_SWEEP,
		.help = "directory with the journals of other runs, or world: public IO500 runs"),
	PARIO_OPTION(
		struct params, per, .choices = per, .def = "auto",
		.help = "what numbers are divided by; auto is nodes where they are known, else "
			"clients"),
	PARIO_OPTION(struct params, file_system, .def = "", .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "only public systems with this kind of file system, as Lustre"),
	PARIO_OPTION(struct params, csv, .def = "", .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "also write comma-separated values; - is standard output"),
	PARIO_OPTION(struct params, force, .def = "0",
		     .help = "replace the file also when it is not pario's"),
	PARIO_OPTION(struct params, color, .choices = colors, .def = "auto",
		     .help = "coloured output"),
	{ 0 },
};

static int against_directory(struct pario_archive *archive, const struct params *p,
			     struct pario_ranking *ranking, struct pario_err *err)
{
	struct pario_archive others = { 0 };
	size_t left_out;
	int status = 0;

	if (*p->file_system)
		return pario_err_set(err, PARIO_USAGE,
				     "--file_system chooses among public systems; name a directory "
				     "that holds only the runs you mean.");
	status = pario_rank_gather(&others, p->against, archive->volume[0].id, &left_out, err);
	if (status == 0 && left_out)
		pario_console_warn("%zu journal%s below %s cannot be read and %s left out.",
				   left_out, left_out == 1 ? "" : "s", p->against,
				   left_out == 1 ? "is" : "are");
	if (status == 0)
		status = pario_rank_others(archive, &others, (enum pario_rank_per)p->per, ranking,
					   err);
	pario_archive_release(&others);
	return status;
}

static int show(const struct pario_ranking *ranking, const struct params *p, struct pario_err *err)
{
	struct pario_text text = { 0 };
	struct pario_style style;
	int status = 0;

	if (*p->csv) {
		pario_ranking_csv(ranking, &text);
		status = pario_export_file_write(p->csv, p->force, &text, err);
		pario_text_clear(&text);
	}
	if (status == 0 && strcmp(p->csv, "-") != 0) {
		pario_terminal_style(&style, p->color);
		pario_ranking_text(ranking, &style, &text);
		printf("%s", pario_text_string(&text));
	}
	pario_text_release(&text);
	return status;
}

int pario_cmd_rank(int argc, char **argv)
{
	static struct params params;
	const struct pario_table table = { "rank", pario_rank_options, sizeof(params) };
	struct pario_archive archive = { 0 };
	struct pario_ranking ranking = { 0 };
	struct pario_err err = { 0 };
	const char *run[16];
	int count = 0;
	int status = pario_cmd_options("rank", &table, &params, argc, argv, run, 16, &count, &err);

	if (status == 0 && count != 1)
		status = pario_err_set(&err, PARIO_USAGE,
				       "which run? `pario rank RUN` takes one run directory or "
				       "journal; --against DIR names others to compare with.");
	if (status == 0)
		status = pario_archive_add(&archive, run[0], NULL, &err);
	if (status == 0)
		status = strcmp(params.against, "world") == 0
				 ? pario_rank_world(&archive, (enum pario_rank_per)params.per,
						    params.file_system, &ranking, &err)
				 : against_directory(&archive, &params, &ranking, &err);
	if (status == 0 && ranking.count == 0)
		status = pario_err_set(
			&err, PARIO_USAGE, "none of the numbers of %s has a counterpart %s.",
			run[0],
			ranking.world
				? "among public systems: those are the phases of io500, and the "
				  "large transfers and names of glance, in runs that tell their nodes or clients"
				: "in those runs: tests, points and phases must be the same");
	if (status == 0)
		status = show(&ranking, &params, &err);
	pario_ranking_release(&ranking);
	pario_archive_release(&archive);
	return status < 0 ? pario_console_say(&err) : 0;
}
