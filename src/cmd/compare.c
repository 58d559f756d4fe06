/*
 * compare: `pario compare A B`: is the second run, or several of them, faster, slower, or the same?
 */
#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "base/units.h"
#include "cmd/alternate.h"
#include "cmd/cmd.h"
#include "console/ascii.h"
#include "console/console.h"
#include "engine/run_options.h"
#include "rank/systems.h"
#include "report/compare/compare.h"
#include "report/compare/earlier.h"
#include "report/export/results.h"
#include "report/page/anonymize.h"
#include "report/page/survey.h"
#include "session/export_file.h"
#include "session/page_file.h"
#include "session/signature.h"
#include "session/terminal.h"
#include "survey/change.h"
#include "version.h"

enum { WORDS = 4096 };

struct params {
	char out[4096], labels[1024], across[1024], csv[4096], history[4096];
	char allowed_signers[4096];
	char until[16], output[4096];
	double threshold, time_limit;
	uint64_t seed;
	char highlight[256];
	bool anonymize, force, json, run;
	int color, per;
};

static const char *const colors[] = { "auto", "always", "never", NULL };

static const char *const per[] = { "auto", "node", "client", "whole", NULL };

const struct pario_option pario_compare_options[] = {
	PARIO_OPTION(
		struct params, threshold, .def = "0", .min = "0", .max = "100",
		.help = "exit with 1 when a point is worse than this ratio, as 0.95; 0 = never"),
	PARIO_OPTION(
		struct params, run, .def = "0",
		.help = "A and B, each in quotes, are two ways to measure: options of `pario run transfer`, or behind the name "
			"of a test or command, a directory, a plan file or another pario program; they are measured "
			"in pairs, in random order, and words behind -- are for both"),
	PARIO_OPTION(
		struct params, until, .def = "10%", .flags = PARIO_OPTION_NO_SWEEP,
		.help = "with --run, go on until the 95 % interval of each ratio is no wider than this share "
			"of it"),
	PARIO_OPTION(struct params, time_limit, .def = "600", .min = "0", .max = "1e7",
		     .unit = "seconds",
		     .help = "with --run, begin no pair that would end later than this"),
	PARIO_OPTION(struct params, seed, .def = "0",
		     .help = "with --run, seed of the order within pairs; 0 = a new one"),
	PARIO_OPTION(
		struct params, output, .flags = PARIO_OPTION_NO_SWEEP,
		.help = "with --run, directory for all runs; default pario-results/<time>-compare-<id>"),
	PARIO_OPTION(struct params, across, .flags = PARIO_OPTION_NO_SWEEP,
		     .help = "parameters that may differ, separated by commas: what is compared"),
	PARIO_OPTION(
		struct params, history, .flags = PARIO_OPTION_NO_SWEEP,
		.help = "directory of earlier runs, which tell how far runs scatter; default where the "
			"first run lies, none = take none"),
	PARIO_OPTION_NAMED(struct params, out, "out", .letter = 'o', .flags = PARIO_OPTION_NO_SWEEP,
			   .help = "also write an HTML page; - is standard output"),
	PARIO_OPTION(
		struct params, csv, .flags = PARIO_OPTION_NO_SWEEP,
		.help = "also write comma-separated values, a row for each point; - is standard output"),
	PARIO_OPTION(struct params, json, .def = "0",
		     .help = "print one JSON object instead of the table"),
	PARIO_OPTION_NAMED(struct params, labels, "label", .flags = PARIO_OPTION_NO_SWEEP,
			   .help = "names for the two sides, separated by a comma"),
	PARIO_OPTION(
		struct params, allowed_signers, .flags = PARIO_OPTION_NO_SWEEP,
		.help = "file of who may sign journals, as for ssh-keygen; exit with 1 when one is not signed by any of them"),
	PARIO_OPTION(
		struct params, per, .choices = per, .def = "auto",
		.help = "of three runs and more: what numbers are divided by; auto is nothing"),
	PARIO_OPTION(
		struct params, highlight, .flags = PARIO_OPTION_NO_SWEEP,
		.help = "of three runs and more: the name of the one that stands out; default the first"),
	PARIO_OPTION(struct params, anonymize, .def = "0",
		     .help = "leave out names of hosts, users and paths"),
	PARIO_OPTION(struct params, force, .def = "0",
		     .help = "replace the page's file also when it is not pario's"),
	PARIO_OPTION(struct params, color, .choices = colors, .def = "auto",
		     .help = "coloured output"),
	{ 0 },
};

/* Run directories and journals, first those of a, then those of b. */
struct runs {
	char **path;
	size_t count, a;
	bool itself; /* one is held against itself */
};

static int add_path(struct runs *r, const char *path, struct pario_err *err)
{
	char **more = realloc(r->path, (r->count + 1) * sizeof(*more)), *copy = strdup(path);

	if (more)
		r->path = more;
	if (more && copy) {
		more[r->count++] = copy;
		return 0;
	}
	free(copy);
	return pario_err_memory(err, NULL);
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* A run, or a directory that holds runs and is none: those, in the order of their names. */
static int add_runs(struct runs *r, const char *path, struct pario_err *err)
{
	struct dirent **entry = NULL;
	size_t before = r->count;
	char text[4096 + 300];
	struct stat st;
	int count, status = 0;

	snprintf(text, sizeof(text), "%s/journal.jsonl", path);
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode) || access(text, F_OK) == 0)
		return add_path(r, path, err);
	count = scandir(path, &entry, visible, alphasort);
	for (int i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%s/%s/journal.jsonl", path, entry[i]->d_name);
		if (status == 0 && access(text, F_OK) == 0) {
			*strrchr(text, '/') = '\0';
			status = add_path(r, text, err);
		}
		free(entry[i]);
	}
	free(entry);
	/* there is none: whoever opens it says so */
	return status == 0 && r->count == before ? add_path(r, path, err) : status;
}

static void release_runs(struct runs *r)
{
	for (size_t i = 0; i < r->count; i++)
		free(r->path[i]);
	free(r->path);
}

/*
 * `first` words belong to a. 0 = not told: of two words one each, while more runs than two, or one directory of runs,
 * are systems of their own, and `a` is all of them.
 */
static int find_runs(struct runs *r, const char **words, int count, int first,
		     struct pario_err *err)
{
	if (first == 0 && count == 2)
		first = 1;
	for (int i = 0; i < count; i++) {
		if (add_runs(r, words[i], err) < 0)
			return -1;
		if (first == 0 || i < first)
			r->a = r->count;
	}
	if (count == 1 && access(words[0], F_OK) != 0)
		return pario_err_sys(err, errno, NULL, "the runs in %s cannot be compared",
				     words[0]);
	if (first == 0 ? r->count < 3 : first >= count)
		return pario_err_set(err, PARIO_USAGE,
				     "which runs? `pario compare A B` takes two run directories or "
				     "journals, the old one first; `pario compare A1 A2 -- B1 B2` "
				     "several of each; `pario compare A B C...` shows many systems "
				     "side by side.");
	return 0;
}

static bool same_place(const char *a, const char *b)
{
	struct stat first, second;

	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

/* A run counts once: named twice on a side it would make that one scatter less; on both, there is no difference. */
static int check_named_once(struct runs *r, struct pario_err *err)
{
	for (size_t i = 1; i < r->count; i++) {
		for (size_t k = 0; k < i; k++) {
			if (!same_place(r->path[i], r->path[k]))
				continue;
			if (r->count > 2)
				return pario_err_set(
					err, PARIO_USAGE,
					"%.200s and %.200s are the same run, which counts once. "
					"Leave one of them out.",
					r->path[k], r->path[i]);
			r->itself = true;
		}
	}
	return 0;
}

/* The directory that the first run lies in. */
static int earlier(struct pario_archive *archive, const struct params *p, const char *run,
		   struct pario_err *err)
{
	char path[4096], *real;
	struct stat st;

	if (*p->history)
		return strcmp(p->history, "none") == 0
			       ? 0
			       : pario_earlier_add(archive, p->history, err);
	real = realpath(run, NULL);
	if (!real)
		return 0;
	snprintf(path, sizeof(path), "%s", real);
	free(real);
	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))
		dirname(path);
	return pario_earlier_add(archive, dirname(path), err);
}

static int take(struct pario_archive *archive, struct params *p, const struct runs *r,
		struct pario_err *err)
{
	char *comma = strchr(p->labels, ',');

	if (comma)
		*comma = '\0';
	archive->numbers_only = true;
	for (size_t i = 0; i < r->count; i++) {
		const char *label = i < r->a ? p->labels : comma ? comma + 1 : NULL;

		if (pario_archive_add(archive, r->path[i], label, err) < 0)
			return -1;
	}
	if (pario_signature_volumes(archive, p->allowed_signers, err) < 0)
		return -1;
	/* with several runs a side, these tell more than any history */
	if (r->count < 4 && earlier(archive, p, r->path[0], err) < 0)
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
		pario_terminal_print(pario_text_string(&text));
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

/* ---- measured alternately ---- */

static int take_sides(struct runs *r, const char *directory, struct pario_err *err)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/a", directory);
	if (add_runs(r, path, err) < 0)
		return -1;
	r->a = r->count;
	snprintf(path, sizeof(path), "%s/b", directory);
	return add_runs(r, path, err);
}

static struct pario_sides sides_of(const struct params *p, const struct runs *r)
{
	return (struct pario_sides){
		.a = r->a,
		.b = r->count - r->a,
		.across = p->across,
		.itself = r->itself,
		.threshold = p->threshold > 0 ? p->threshold : (double)NAN,
	};
}

static bool is_narrow(const struct pario_comparison *c, double share)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct pario_difference *d = &c->pair[i].difference;

		if (isfinite(d->ratio) && !(d->high - d->low <= share * d->ratio))
			return false;
	}
	return true;
}

/* The same question as `pario compare DIRECTORY/a DIRECTORY/b` asks. */
static int enough(void *self, const char *directory, struct pario_err *err)
{
	struct params *p = self;
	struct pario_archive archive = { .numbers_only = true };
	struct pario_comparison comparison = { 0 };
	struct pario_sides sides;
	struct runs runs = { 0 };
	double share;
	int status = pario_units_parse_share("--until", p->until, &share, err);

	if (status == 0)
		status = take_sides(&runs, directory, err);
	for (size_t i = 0; status == 0 && i < runs.count; i++)
		status = pario_archive_add(&archive, runs.path[i], NULL, err);
	if (status == 0) {
		sides = sides_of(p, &runs);
		status = pario_comparison_of(&archive, &sides, &comparison, err);
	}
	if (status == 0)
		status = is_narrow(&comparison, share);
	pario_comparison_release(&comparison);
	pario_archive_release(&archive);
	release_runs(&runs);
	return status;
}

/* The words before a `--` among the arguments; 0 = there is none. The options' own reader takes it out. */
static int words_before(int argc, char **argv, const char *const *words, int count)
{
	int at = 0, before = 0;

	while (at < argc && strcmp(argv[at], "--") != 0)
		at++;
	if (at == argc)
		return 0;
	for (int i = 0; i < count; i++) {
		for (int k = 0; k < at; k++)
			before += argv[k] == words[i];
	}
	return before;
}

/* Two surveys have few points in common: what they say is compared. */
static bool are_surveys(const struct pario_archive *archive, const struct runs *runs)
{
	return runs->count == 2 && pario_volume_survey(&archive->volume[0]) &&
	       pario_volume_survey(&archive->volume[1]);
}

static int show_changes(const struct pario_archive *archive, const struct pario_survey_change *list,
			size_t count, const struct params *p, struct pario_err *err)
{
	struct pario_text text = { 0 };
	int status = 0;
	bool worse = false;

	for (size_t i = 0; i < count; i++)
		worse |= list[i].worse;
	if (p->json || *p->csv || *p->out)
		pario_ascii_stop();
	if (p->json) {
		pario_changes_json(list, count, &text);
		fputs(pario_text_string(&text), stdout);
	} else if (!pario_output_is_stdout(p->out) && !pario_output_is_stdout(p->csv)) {
		printf("what the first and the second survey state:\n\n");
		pario_changes_text(list, count, &text);
		pario_console_show_lines(pario_text_string(&text));
		printf("\n%s\n", worse ? "The second survey is slower where it says so."
				       : "Nothing is slower.");
	}
	pario_text_clear(&text);
	if (*p->csv) {
		pario_changes_csv(list, count, &text);
		status = pario_export_file_write(p->csv, p->force, &text, err);
		pario_text_clear(&text);
	}
	if (status == 0 && *p->out) {
		pario_page_changes(archive, list, count, "pario " PARIO_VERSION, &text);
		status = pario_page_file_write(p->out, p->force, &text, err);
	}
	pario_text_release(&text);
	return status < 0 ? -1 : worse ? PARIO_INVALID : 0;
}

static int compare_surveys(const struct pario_archive *archive, const struct params *p,
			   struct pario_err *err)
{
	static struct pario_finding_set sets[2];
	struct pario_survey_change list[PARIO_CHANGES];
	unsigned read = 0;
	int code = -1;

	while (read < 2 &&
	       pario_record_read(
		       json_object_get(pario_volume_survey(&archive->volume[read]), "survey"),
		       &sets[read], err) == 0)
		read++;
	if (read == 2)
		code = show_changes(archive, list, pario_changes_of(&sets[0], &sets[1], list), p,
				    err);
	for (unsigned i = 0; i < read; i++)
		pario_space_release(&sets[i].space);
	return code;
}

/* ---- many systems ---- */

static int refuse_for_many(const struct params *p, struct pario_err *err)
{
	const char *option = p->threshold > 0 ? "threshold" : *p->across ? "across" : "json";

	if (!(p->threshold > 0) && !*p->across && !p->json)
		return 0;
	return pario_err_set(err, PARIO_USAGE,
			     "--%s is for two sides, and there are many systems; --csv and --out "
			     "write what they measured.",
			     option);
}

static int show_systems(const struct pario_systems *systems, const struct params *p,
			struct pario_err *err)
{
	struct pario_text table = { 0 }, csv = { 0 }, page = { 0 };
	struct pario_style style = { 0 };
	enum pario_rank_per divide = (enum pario_rank_per)p->per;
	int status = 0;

	if (*p->csv) {
		pario_systems_csv(systems, &csv);
		status = pario_export_file_write(p->csv, p->force, &csv, err);
	}
	if (status == 0 && *p->out)
		status = pario_systems_page(systems, divide, "pario " PARIO_VERSION, &page, err);
	if (status == 0 && *p->out)
		status = pario_page_file_write(p->out, p->force, &page, err);
	if (status == 0 && !*p->out && !*p->csv) {
		pario_terminal_style(&style, p->color);
		pario_systems_text(systems, divide, &style, &table);
		fputs(pario_text_string(&table), stdout);
	}
	pario_text_release(&table);
	pario_text_release(&csv);
	pario_text_release(&page);
	return status;
}

static int compare_systems(struct params *p, const struct runs *runs, struct pario_err *err)
{
	struct pario_archive archive = { 0 };
	struct pario_systems systems = { 0 };
	char *rest = p->labels, *label = pario_text_word(&rest, ",");
	int status = refuse_for_many(p, err);

	archive.numbers_only = true;
	for (size_t i = 0; status == 0 && i < runs->count; i++) {
		status = pario_archive_add(&archive, runs->path[i], label, err);
		label = pario_text_word(&rest, ",");
	}
	if (status == 0)
		status = pario_signature_volumes(&archive, p->allowed_signers, err);
	if (status == 0 && p->anonymize)
		status = pario_anonymize(&archive, err);
	if (status == 0)
		status = pario_systems_of(&archive, p->highlight, &systems, err);
	if (status == 0)
		status = show_systems(&systems, p, err);
	pario_systems_release(&systems);
	pario_archive_release(&archive);
	return status;
}

static int compare(struct params *params, const struct runs *runs, struct pario_err *err)
{
	struct pario_archive archive = { 0 };
	struct pario_comparison comparison = { 0 };
	const struct pario_sides sides = sides_of(params, runs);
	int code = 0;

	if (take(&archive, params, runs, err) < 0)
		code = -1;
	else if (are_surveys(&archive, runs))
		code = compare_surveys(&archive, params, err);
	else if (pario_comparison_of(&archive, &sides, &comparison, err) < 0 ||
		 show(&comparison, params, err) < 0)
		code = -1;
	else if (comparison.regressions)
		code = PARIO_INVALID;
	pario_comparison_release(&comparison);
	pario_archive_release(&archive);
	return code;
}

static void say_end(const struct pario_alternate *alt, const struct params *p)
{
	static const char *const why[] = {
		[PARIO_ALTERNATE_NARROW] = "every interval is narrow enough (--until)",
		[PARIO_ALTERNATE_LATE] = "another pair would not fit into --time_limit",
		[PARIO_ALTERNATE_INTERRUPTED] = "interrupted",
		[PARIO_ALTERNATE_FAILED] = "a measurement failed",
	};
	char buf[PARIO_UNITS_CAPACITY];

	if (p->json || pario_output_is_stdout(p->out) || pario_output_is_stdout(p->csv))
		return;
	printf("\n %zu pair%s in %s, alternated, order within pairs random (--seed %llu); ended: %s.\n %s\n",
	       alt->pairs, alt->pairs == 1 ? "" : "s", pario_units_time(buf, alt->seconds),
	       (unsigned long long)alt->seed, why[alt->end], alt->directory);
}

static int measure(struct params *p, char *const side[2], const char **words, int count,
		   struct pario_err *err)
{
	struct pario_alternate alt = {
		.side = { side[0], side[1] },
		.common = words,
		.common_count = (size_t)count,
		.output = p->output,
		.time_limit = p->time_limit,
		.seed = p->seed,
		.quiet = !isatty(STDERR_FILENO),
		.enough = enough,
		.self = p,
	};
	struct runs runs = { 0 };
	double share;
	int code;

	if (pario_units_parse_share("--until", p->until, &share, err) < 0 ||
	    pario_alternate_run(&alt, err) < 0)
		return -1;
	if (alt.pairs == 0)
		return alt.code ? alt.code : PARIO_SYSTEM;
	code = take_sides(&runs, alt.directory, err);
	if (code == 0)
		code = compare(p, &runs, err);
	release_runs(&runs);
	if (code >= 0)
		say_end(&alt, p);
	return code < 0 || !alt.code ? code : alt.code;
}

/* The two words behind --run, which may look like options, leave the arguments. */
static int take_ways(int *argc, char **argv, char *side[2], struct pario_err *err)
{
	int at = 0;

	while (at < *argc && strcmp(argv[at], "--run") != 0 && strcmp(argv[at], "--") != 0)
		at++;
	if (at == *argc || strcmp(argv[at], "--") == 0)
		return 0;
	if (at + 2 >= *argc)
		return pario_err_set(
			err, PARIO_USAGE,
			"--run takes two sides, each in quotes: `pario compare --run "
			"'--api posix' '--api uring'`; what both have in common follows "
			"--.");
	side[0] = argv[at + 1];
	side[1] = argv[at + 2];
	*argc -= 3;
	memmove(&argv[at], &argv[at + 3], (size_t)(*argc - at) * sizeof(*argv));
	return 1;
}

static int compare_runs(struct params *p, int argc, char **argv, const char **words, int count,
			struct pario_err *err)
{
	struct runs runs = { 0 };
	int code = find_runs(&runs, words, count, words_before(argc, argv, words, count), err);

	if (code == 0 && runs.a < runs.count)
		code = check_named_once(&runs, err);
	if (code == 0)
		code = runs.a == runs.count ? compare_systems(p, &runs, err)
					    : compare(p, &runs, err);
	release_runs(&runs);
	return code;
}

int pario_cmd_compare(int argc, char **argv)
{
	static struct params params;
	static const char *words[WORDS];
	const struct pario_table table = { "compare", pario_compare_options, sizeof(params) };
	struct pario_err err = { 0 };
	char *side[2] = { NULL, NULL };
	int count = 0, run = take_ways(&argc, argv, side, &err), code = -1;

	if (run >= 0 && pario_cmd_options("compare", &table, &params, argc, argv, words, WORDS,
					  &count, &err) == 0)
		code = run || params.run ? 0 : 1;
	if (code == 0 && !run)
		code = pario_err_set(&err, PARIO_USAGE, "--run takes two sides behind it.");
	else if (code == 0)
		code = measure(&params, side, words, count, &err);
	else if (code == 1)
		code = compare_runs(&params, argc, argv, words, count, &err);
	return code < 0 ? pario_console_say(&err) : code;
}
