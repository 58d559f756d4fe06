/*
 * profile: `pario profile TRACE`: what did the program do? Options and outputs only; the reading is profile/, the page
 * report/trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "base/output.h"
#include "cmd/cmd.h"
#include "console/console.h"
#include "journal/history.h"
#include "predict/sheet/sheet.h"
#include "profile/read/darshan.h"
#include "profile/read/darshan_csv.h"
#include "profile/read/darshan_file.h"
#include "profile/show/export.h"
#include "profile/show/journal.h"
#include "profile/show/show.h"
#include "trace/stream.h"
#include "report/page/page.h"
#include "session/page_file.h"
#include "session/terminal.h"
#include "tracer/setup.h"
#include "version.h"

enum { WORDS = 32 };

struct params {
	uint64_t rows;
	double from, to;
	char symbols[4096], storage[4096], journal[4096], csv[4096], perfetto[4096], folded[4096],
		html[4096], context[4096];
	int weight;
	bool classes, verbose, force;
};

#define OPTION(field, ...) \
	PARIO_OPTION(struct params, field, .flags = PARIO_OPTION_NO_SWEEP, __VA_ARGS__)

static const char *const weights[] = { "time", "bytes", "calls", NULL };

const struct pario_option pario_profile_options[] = {
	OPTION(rows, .def = "20", .min = "1", .max = "1000000", .unit = "rows",
	       .help = "longest table"),
	OPTION(from, .def = "0", .min = "0", .max = "1e9", .unit = "s",
	       .help = "leave out calls that began earlier, counted from the program's start"),
	OPTION(to, .def = "0", .min = "0", .max = "1e9", .unit = "s",
	       .help = "leave out calls that began at this time or later; 0: none"),
	OPTION(classes, .def = "0",
	       .help = "also show the phases of the program and the classes of its calls on storage, as predictions use them"),
	OPTION(verbose, .def = "0",
	       .help = "say all about what stands out, also where I/O takes less than 2 % of the run"),
	OPTION(symbols, .def = "", .help = "directory where programs lie that have moved"),
	OPTION(storage, .def = "",
	       .help = "journal of a survey or a transfer on the same storage: findings say what a change would gain"),
	OPTION(html, .def = "",
	       .help = "write a page with pictures instead of the text; - is standard output"),
	OPTION(journal, .def = "", .help = "also write a journal, into this new directory"),
	OPTION(csv, .def = "",
	       .help = "also write every call, or every counter of a Darshan log, as comma-separated values; compressed when it ends in .gz; - is standard output, without the text"),
	OPTION(perfetto, .def = "",
	       .help = "also write every call, for Perfetto or chrome://tracing; compressed when it ends in .gz; - is standard output"),
	OPTION(folded, .def = "",
	       .help = "also write the stacks of `trace --stack`, one line each, for flame graphs; - is standard output"),
	OPTION(context, .def = "",
	       .help = "also write what the trace says beside its calls, as JSON: processes, files before, communicators, views; - is standard output"),
	OPTION(weight, .def = "time", .choices = weights,
	       .help = "what the number behind a folded stack counts: nanoseconds, bytes or calls"),
	OPTION(force, .def = "0", .help = "replace files also when they are not pario's"),
	{ 0 },
};

static const char *given(const char *text)
{
	return *text ? text : NULL;
}

/* A directory of segments, left by a launcher that was killed: packed into a file of its own first. */
static int pack_first(const char *directory, char *path, size_t capacity, struct pario_err *err)
{
	struct pario_pack_anchor anchors[2] = { 0 };
	struct pario_pack_totals totals = { 0 };
	struct pario_pack pack;
	int fd, status;

	if (pario_output_temporary(path, capacity, "pario-profile-XXXXXX", err) < 0) {
		*path = '\0';
		return -1;
	}
	fd = mkstemp(path);
	if (fd < 0)
		return pario_err_sys(err, errno, NULL,
				     "a temporary file for the trace cannot be made in %s", path);
	close(fd);
	if (pario_pack_open(&pack, path, 0, false, err) < 0)
		return -1;
	status = pario_pack_directory(&pack, directory, anchors, &totals, err);
	if (pario_pack_close(&pack, status < 0 ? NULL : err) < 0 || status < 0)
		return -1;
	if (totals.segments == 0)
		return pario_err_set(err, PARIO_USAGE, "%s holds no segments of a trace.",
				     directory);
	return 0;
}

struct profiled {
	const struct pario_profile *profile;
	struct pario_symbols *symbols;
	const char *trace;
};

static int write_journal(void *self, const char *directory, struct pario_err *err)
{
	const struct profiled *p = self;

	return pario_profile_journal(directory, p->profile, p->symbols, p->trace, err);
}

static int into_archive(const struct pario_profile *profile, struct pario_symbols *symbols,
			const char *trace, const char *label, struct pario_archive *archive,
			struct pario_err *err)
{
	struct profiled p = { profile, symbols, trace };

	return pario_cmd_passing_journal(archive, label ? label : trace, write_journal, &p, err);
}

static int write_html(const struct pario_profile *profile, struct pario_symbols *symbols,
		      const char *trace, const struct params *p, struct pario_err *err)
{
	static const struct pario_page page = { .program = "pario " PARIO_VERSION };
	struct pario_archive archive = { 0 };
	struct pario_text text = { 0 };
	int status = into_archive(profile, symbols, trace, NULL, &archive, err);

	if (status == 0)
		status = pario_page_write(&text, &archive, &page, err);
	if (status == 0)
		status = pario_page_file_write(p->html, p->force, &text, err);
	pario_text_release(&text);
	pario_archive_release(&archive);
	return status;
}

static int write_context(const char *trace, const struct params *p, struct pario_err *err)
{
	const struct pario_output_rule rule = { .mark = "{\"pario_trace\":", .force = p->force };
	struct pario_json json = { 0 };
	struct pario_trace t;
	int status = pario_trace_load(&t, trace, err);

	if (status < 0)
		return -1;
	pario_trace_json(&t, &json);
	pario_text_add(&json.text, "\n");
	status = pario_output_text(AT_FDCWD, p->context, &rule, &json.text, err);
	pario_json_release(&json);
	pario_trace_release(&t);
	return status;
}

bool pario_profile_is_trace(const char *path)
{
	char magic[sizeof(PARIO_PACK_MAGIC) - 1] = "";
	FILE *file = pario_input_stream(path, "", NULL);
	bool is = file && fread(magic, sizeof(magic), 1, file) == 1 &&
		  memcmp(magic, PARIO_PACK_MAGIC, sizeof(magic)) == 0;

	if (file)
		fclose(file);
	return is;
}

int pario_profile_archive(struct pario_archive *archive, const char *trace, const char *label,
			  struct pario_err *err)
{
	struct pario_symbols *symbols = pario_symbols_new(NULL);
	struct pario_profile profile;
	int status = pario_profile_read(&profile, trace, NULL, NULL, NULL, err);

	if (status == 0) {
		status = into_archive(&profile, symbols, trace, label, archive, err);
		pario_profile_release(&profile);
	}
	pario_symbols_free(symbols);
	return status;
}

static void add_sheet(const void *sheet, struct pario_result_tables *tables)
{
	pario_sheet_tables(sheet, tables);
}

/* A part of the run has no classes: what a call met depends on what was before. */
static bool wants_sheet(const struct params *p)
{
	return p->classes || (*p->journal && !(p->from > 0) && !(p->to > 0));
}

/* How many of the exports go to standard output. */
static int on_stdout(const struct params *p)
{
	return pario_output_is_stdout(p->csv) + pario_output_is_stdout(p->perfetto) +
	       pario_output_is_stdout(p->folded) + pario_output_is_stdout(p->context) +
	       pario_output_is_stdout(p->html);
}

/* A log of Darshan: counters instead of calls. */
static int show_log(const struct params *p, const char *log, struct pario_err *err)
{
	struct pario_history storage = { 0 };
	struct pario_profile profile;
	struct pario_text text = { 0 };
	struct pario_symbols *symbols = pario_symbols_new(NULL);
	int status = 0;

	if (*p->perfetto || *p->folded || *p->context || p->classes || p->from > 0 || p->to > 0)
		status = pario_err_set(
			err, PARIO_USAGE,
			"%s is a log of Darshan, which holds counters and no calls: --perfetto, "
			"--folded, --context, --classes, --from and --to need a trace.",
			log);
	if (status == 0 && *p->storage)
		status = pario_history_load(&storage, p->storage, err);
	if (status == 0)
		status = pario_profile_darshan(&profile, log, err);
	if (status == 0) {
		profile.storage = *p->storage ? &storage : NULL;
		if (!*p->html && !on_stdout(p)) {
			pario_profile_show(&profile, symbols, (unsigned)p->rows, p->verbose, &text);
			pario_terminal_print(pario_text_string(&text));
		}
		if (*p->csv)
			status = pario_darshan_csv(log, p->csv, p->force, err);
		if (status == 0 && *p->journal)
			status = pario_profile_journal(p->journal, &profile, symbols, log, err);
		if (status == 0 && *p->html)
			status = write_html(&profile, symbols, log, p, err);
		pario_profile_release(&profile);
	}
	if (*p->storage)
		pario_history_release(&storage);
	pario_text_release(&text);
	pario_symbols_free(symbols);
	return status;
}

static int show(const struct params *p, const char *trace, const char *path, struct pario_err *err)
{
	const char *const paths[PARIO_EXPORTS] = {
		[PARIO_EXPORT_JOURNAL] = given(p->journal),
		[PARIO_EXPORT_CSV] = given(p->csv),
		[PARIO_EXPORT_PERFETTO] = given(p->perfetto),
		[PARIO_EXPORT_FOLDED] = given(p->folded),
	};
	struct pario_exports exports = { 0 };
	struct pario_profile profile;
	struct pario_symbols *symbols = pario_symbols_new(given(p->symbols));
	struct pario_text text = { 0 };
	const struct pario_profile_range range = { .limited = p->from > 0 || p->to > 0,
						   .from_ns = p->from * 1e9,
						   .to_ns = p->to > 0 ? p->to * 1e9 : INFINITY };
	struct pario_history storage = { 0 };
	struct pario_sheet sheet = { 0 };
	const struct pario_profile_more more = { add_sheet, &sheet };
	int status = -1;

	if (*p->storage && pario_history_load(&storage, p->storage, err) < 0) {
		pario_symbols_free(symbols);
		return -1;
	}
	if (pario_exports_open(&exports, paths, p->force, err) == 0 &&
	    pario_profile_read(&profile, path, &range, pario_exports_see, &exports, err) == 0) {
		exports.weight = (enum pario_weight)p->weight;
		profile.storage = *p->storage ? &storage : NULL;
		status = wants_sheet(p) ? pario_sheet_gather(&sheet, path, err) : 0;
		profile.more = wants_sheet(p) ? &more : NULL;
		if (status == 0)
			status = pario_exports_close(&exports, &profile, symbols, trace, err);
		else
			pario_exports_close(&exports, NULL, NULL, NULL, NULL);
		/* who asks for a page, or pipes an export on, does not ask for the text */
		if (!*p->html && !on_stdout(p)) {
			pario_profile_show(&profile, symbols, (unsigned)p->rows, p->verbose, &text);
			if (p->classes)
				pario_sheet_show(&sheet, (unsigned)p->rows, &text);
			pario_terminal_print(pario_text_string(&text));
		}
		if (status == 0 && *p->html)
			status = write_html(&profile, symbols, trace, p, err);
		if (status == 0 && *p->context)
			status = write_context(path, p, err);
		pario_profile_release(&profile);
	} else {
		pario_exports_close(&exports, NULL, NULL, NULL, NULL);
	}
	if (*p->storage)
		pario_history_release(&storage);
	pario_sheet_release(&sheet);
	pario_text_release(&text);
	pario_symbols_free(symbols);
	return status;
}

int pario_cmd_profile(int argc, char **argv)
{
	static struct params params;
	const struct pario_table table = { "profile", pario_profile_options, sizeof(params) };
	const char *traces[WORDS];
	struct pario_err err = { 0 };
	char packed[4096] = "";
	struct stat st;
	int count = 0, status;

	status = pario_cmd_options("profile", &table, &params, argc, argv, traces, WORDS, &count,
				   &err);
	if (status == 0 && count != 1)
		status = pario_err_set(&err, PARIO_USAGE,
				       "which trace? `pario profile TRACE`, one at a time.");
	if (status == 0 && *params.symbols &&
	    (stat(params.symbols, &st) < 0 || !S_ISDIR(st.st_mode)))
		status = pario_err_set(&err, PARIO_USAGE,
				       "--symbols %s is not a directory that can be read.",
				       params.symbols);
	if (status == 0 && params.classes && (params.from > 0 || params.to > 0))
		status = pario_err_set(
			&err, PARIO_USAGE,
			"--classes are those of the whole program: leave --from and --to out.");
	if (status == 0 && on_stdout(&params) > 1)
		status = pario_err_set(
			&err, PARIO_USAGE,
			"only one of --html, --csv, --perfetto, --folded and --context can go to "
			"standard output.");
	if (status == 0 && params.to > 0 && params.to <= params.from)
		status =
			pario_err_set(&err, PARIO_USAGE,
				      "--to %g is not later than --from %g: no call would be left.",
				      params.to, params.from);
	if (status < 0)
		return pario_console_say(&err);
	if (stat(traces[0], &st) == 0 && S_ISDIR(st.st_mode)) {
		status = pack_first(traces[0], packed, sizeof(packed), &err);
		if (status == 0)
			status = show(&params, traces[0], packed, &err);
		if (*packed)
			unlink(packed);
	} else if (pario_darshan_file_is(traces[0])) {
		status = show_log(&params, traces[0], &err);
	} else {
		status = show(&params, traces[0], traces[0], &err);
	}
	return status < 0 ? pario_console_say(&err) : 0;
}
