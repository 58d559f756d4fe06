/*
 * import: `pario import PATH...`: results of IOR, mdtest, fio, io500 and Darshan as journals.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "console/console.h"
#include "import/directory.h"

enum { PATHS_MAX = 4096, NOTES_SHOWN = 4 };

struct params {
	char output[4000], label[256], system[256], site[256], time[64];
};

const struct pario_option pario_import_options[] = {
	PARIO_OPTION(struct params, output, .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "run directory to make, for one run; otherwise below pario-results"),
	PARIO_OPTION(
		struct params, label, .flags = PARIO_OPTION_NO_SWEEP,
		.help = "name of the run in reports; default the system, or the end of the path"),
	PARIO_OPTION(struct params, system, .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "name of the system that was measured"),
	PARIO_OPTION(struct params, site, .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "where that system stands"),
	PARIO_OPTION(struct params, time, .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "when it was measured, as 2026-03-01T12:00:00Z or 2026-03-01; default "
			     "what the file tells"),
	{ 0 },
};

struct order {
	const struct params *params;
	size_t prefix; /* of every path: what all of them share */
	size_t written;
};

/* What tells the runs apart: the part of the path that is not the same for all. */
static const char *own_part(const struct order *order, const char *path)
{
	const char *part = path;
	int components = 0;

	if (order->prefix && strlen(path) > order->prefix)
		return path + order->prefix;
	/* alone, the file and its directory */
	for (const char *c = path + strlen(path); c > path && components < 2; c--) {
		if (c[-1] == '/' && c[0] != '\0' && ++components == 2)
			return c;
		part = c - 1;
	}
	return part;
}

static const char *label_of(const struct order *order, const struct pario_import_file *source,
			    const struct pario_harvest *h)
{
	const char *system =
		json_string_value(json_object_get(json_array_get(h->points, 0), "system"));

	if (*order->params->label)
		return order->params->label;
	if (*order->params->system)
		return order->params->system;
	return system ? system : own_part(order, source->path);
}

/* What a reader of the numbers should know. */
static void show_notes(const json_t *notes)
{
	size_t count = json_array_size(notes);

	for (size_t i = 0; i < count && i < NOTES_SHOWN; i++) {
		printf("  ");
		pario_console_show(json_string_value(json_array_get(notes, i)));
		printf("\n");
	}
	if (count > NOTES_SHOWN)
		printf("  and %zu more notes in the journal\n", count - NOTES_SHOWN);
}

static int keep(void *data, struct pario_import_file *source, struct pario_harvest *harvest,
		struct pario_err *err)
{
	struct order *order = data;
	const struct params *p = order->params;
	const struct pario_import_about about = { label_of(order, source, harvest), p->system,
						  p->site, p->time };
	char directory[4096];

	if (*p->output && order->written)
		return pario_err_set(err, PARIO_USAGE,
				     "--output names the directory of one run, and there are "
				     "several.");
	snprintf(directory, sizeof(directory), "%s", p->output);
	if (pario_import_write(source, harvest, &about, directory, sizeof(directory), err) < 0)
		return -1;
	order->written++;
	printf("%zu result%s of ", harvest->count, harvest->count == 1 ? "" : "s");
	pario_console_show(harvest->program);
	printf(" (%s) in ", harvest->format);
	pario_console_show(directory);
	printf("\n");
	show_notes(harvest->notes);
	return 0;
}

static int take_directory(struct order *order, const char *path, struct pario_err *err)
{
	struct pario_import_tally tally;
	int status = pario_import_directory(path, keep, order, &tally, err);

	if (tally.runs)
		printf("%zu run%s from %zu file%s below ", tally.runs, tally.runs == 1 ? "" : "s",
		       tally.files, tally.files == 1 ? "" : "s");
	if (tally.runs) {
		pario_console_show(path);
		printf("; %zu hold%s no results that are known, %zu could not be read\n",
		       tally.unknown, tally.unknown == 1 ? "s" : "", tally.refused);
	}
	return status;
}

static int take(struct order *order, const char *path, struct pario_err *err)
{
	struct pario_import_file source;
	struct pario_harvest harvest;
	struct stat st;
	int status;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return take_directory(order, path, err);
	if (pario_import_file_open(&source, path, err) < 0)
		return -1;
	status = pario_import_read(&source, &harvest, err);
	if (status == 0) {
		status = keep(order, &source, &harvest, err);
		pario_harvest_release(&harvest);
	}
	pario_import_file_release(&source);
	return status;
}

/* The directories that all paths begin with. */
static size_t shared_prefix(const char *const *paths, int count)
{
	size_t length = count > 1 ? strlen(paths[0]) : 0;

	for (int i = 1; i < count; i++) {
		size_t same = 0;

		while (same < length && paths[i][same] == paths[0][same])
			same++;
		length = same;
	}
	while (length && paths[0][length - 1] != '/')
		length--;
	return length;
}

/* A file that cannot be imported is named, and the others are still imported. */
int pario_cmd_import(int argc, char **argv)
{
	static struct params params;
	static const char *paths[PATHS_MAX];
	const struct pario_table table = { "import", pario_import_options, sizeof(params) };
	struct order order = { .params = &params };
	struct pario_err err = { 0 };
	int count = 0, code = 0;

	if (pario_cmd_options("import", &table, &params, argc, argv, paths, PATHS_MAX, &count,
			      &err) < 0)
		return pario_console_say(&err);
	if (count == 0)
		pario_err_set(
			&err, PARIO_USAGE,
			"which files? `pario import PATH...` takes results of IOR, mdtest, fio, "
			"io500 and Darshan: files, directories, or - for standard input.");
	else if (count > 1 && *params.output)
		pario_err_set(&err, PARIO_USAGE,
			      "--output names the directory of one run, and there are %d paths.",
			      count);
	if (err.code)
		return pario_console_say(&err);
	order.prefix = shared_prefix(paths, count);
	for (int i = 0; i < count; i++) {
		pario_err_clear(&err);
		if (take(&order, paths[i], &err) < 0)
			code = pario_console_say(&err);
	}
	return code;
}
