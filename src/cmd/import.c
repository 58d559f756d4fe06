/*
 * import: `pario import FILE...`: results of IOR, mdtest, fio, io500 and Darshan as journals.
 */
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "console/console.h"
#include "import/import.h"

enum { FILES_MAX = 4096 };

struct params {
	char output[4000], label[256];
};

const struct pario_option pario_import_options[] = {
	PARIO_OPTION(struct params, output, .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "run directory to make, for one FILE; otherwise below pario-results"),
	PARIO_OPTION(struct params, label, .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "name of the run in reports; default the name of the file"),
	{ 0 },
};

static int take(const struct params *p, const char *path, struct pario_err *err)
{
	struct pario_import_file source;
	struct pario_harvest harvest;
	char directory[4096];
	int status;

	if (pario_import_file_load(&source, path, err) < 0)
		return -1;
	status = pario_import_read(&source, &harvest, err);
	if (status == 0) {
		snprintf(directory, sizeof(directory), "%s", p->output);
		status = pario_import_write(&source, &harvest, p->label, directory,
					    sizeof(directory), err);
		if (status == 0) {
			printf("%zu result%s of ", harvest.count, harvest.count == 1 ? "" : "s");
			pario_console_show(harvest.program);
			printf(" (%s) in ", harvest.format);
			pario_console_show(directory);
			printf("\n");
		}
		pario_harvest_release(&harvest);
	}
	pario_import_file_release(&source);
	return status;
}

/* A file that cannot be imported is named, and the others are still imported. */
int pario_cmd_import(int argc, char **argv)
{
	static struct params params;
	static const char *files[FILES_MAX];
	const struct pario_table table = { "import", pario_import_options, sizeof(params) };
	struct pario_err err = { 0 };
	int count = 0, code = 0;

	if (pario_cmd_options("import", &table, &params, argc, argv, files, FILES_MAX, &count,
			      &err) < 0)
		return pario_console_say(&err);
	if (count == 0)
		pario_err_set(
			&err, PARIO_USAGE,
			"which files? `pario import FILE...` takes results of IOR, mdtest, fio, "
			"io500 and Darshan.");
	else if (count > 1 && *params.output)
		pario_err_set(&err, PARIO_USAGE,
			      "--output names the directory of one run, and there are %d files.",
			      count);
	if (err.code)
		return pario_console_say(&err);
	for (int i = 0; i < count; i++) {
		pario_err_clear(&err);
		if (take(&params, files[i], &err) < 0)
			code = pario_console_say(&err);
	}
	return code;
}
