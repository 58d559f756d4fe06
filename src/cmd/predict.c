/*
 * predict: `pario predict TRACE|PROFILE --reference SYSTEM --target SYSTEM`: how long would it take over there?
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "console/console.h"
#include "predict/show/journal.h"
#include "predict/estimate/published.h"
#include "predict/show/show.h"
#include "report/page/archive.h"
#include "session/page_file.h"
#include "session/terminal.h"

enum { WORDS = 64, ALL_MODELS = (1 << PARIO_MODELS) - 1 };

struct params {
	char reference[4096], target[4096], actual[16384], replay[16384], replay_reference[16384],
		journal[4096], html[4096];
	int model, initial;
	double background, think;
	uint64_t rows;
	bool explain, seed_tables, force;
};

#define OPTION(field, ...) \
	PARIO_OPTION(struct params, field, .flags = PARIO_OPTION_NO_SWEEP, __VA_ARGS__)

static const char *const models[] = { "all", "ratio", "model", "hybrid", "replay", NULL };
static const char *const initials[] = { "reference", "cold", "warm", NULL };

const struct pario_option pario_predict_options[] = {
	OPTION(reference, .def = "",
	       .help = "SYSTEM file of where the trace was made, by `pario characterize`"),
	OPTION(target, .def = "", .help = "SYSTEM file of where the program would run"),
	OPTION(model, .def = "all", .choices = models,
	       .help = "what predicts: ratios of benchmarks, a simulation, or that corrected by the reference"),
	OPTION(actual, .def = "",
	       .help = "traces or profiles of the program on the target, separated by commas: says how good the prediction was"),
	OPTION(replay, .def = "",
	       .help = "run directories of `pario replay` of this trace on the target, separated by commas"),
	OPTION(replay_reference, .def = "",
	       .help = "the same on the reference: what a replay is off by there corrects it"),
	OPTION(background, .def = "0", .min = "0", .max = "1e6", .unit = "clients",
	       .help = "clients of others that use the target's device all the time"),
	OPTION(think, .def = "1", .min = "0", .max = "1e6",
	       .help = "how many times as long the program computes there between calls"),
	OPTION(initial, .def = "reference", .choices = initials,
	       .help = "what files have in memory when the program starts: as on the reference, nothing, or all"),
	OPTION(rows, .def = "10", .min = "1", .max = "1000000", .unit = "rows",
	       .help = "longest table"),
	OPTION(explain, .def = "0",
	       .help = "split the difference into path, device, locality and concurrency"),
	OPTION(html, .def = "",
	       .help = "write a page with pictures instead of the text; - is standard output"),
	OPTION(journal, .def = "", .help = "also write a journal, into this new directory"),
	OPTION(force, .def = "0", .help = "replace the page's file also when it is not pario's"),
	OPTION(seed_tables, .def = "0",
	       .help = "print the published results of the ratio model, and their means"),
	{ 0 },
};

static void print(struct pario_text *text)
{
	pario_terminal_print(pario_text_string(text));
	pario_text_release(text);
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int check(const struct params *p, const char *const *words, int count, struct pario_err *err)
{
	if (count != 1)
		return pario_err_set(
			err, PARIO_USAGE,
			"which trace? `pario predict TRACE|PROFILE --reference SYSTEM --target SYSTEM`, one at a time.");
	if (p->model == 1 + PARIO_MODEL_MODEL && pario_sheet_is_journal(words[0]))
		return pario_err_set(
			err, PARIO_USAGE,
			"--model model needs the trace: %s is a profile, which does not hold the order of calls. "
			"--model hybrid and --model ratio can do without.",
			words[0]);
	if (!*p->reference || !*p->target)
		return pario_err_set(
			err, PARIO_USAGE,
			"--%s is missing: the SYSTEM file of %s. `pario characterize DIR -o FILE` makes one there.",
			*p->reference ? "target" : "reference",
			*p->reference ? "where the program would run" : "where the trace was made");
	return 0;
}

/* The words of a list with commas, which is cut up for it. */
static int take_list(const char *option, char *text, const char **list, int *count,
		     struct pario_err *err)
{

	for (char *rest = text, *word; (word = pario_text_word(&rest, ","));) {
		if (*count == PARIO_ACTUAL_RUNS)
			return pario_err_set(err, PARIO_USAGE, "--%s takes at most %d runs.",
					     option, PARIO_ACTUAL_RUNS);
		list[(*count)++] = word;
	}
	return 0;
}

static int take_lists(struct params *p, struct pario_predict_request *r, struct pario_err *err)
{
	if (take_list("actual", p->actual, r->actual, &r->actual_count, err) < 0 ||
	    take_list("replay", p->replay, r->replays, &r->replay_count, err) < 0 ||
	    take_list("replay_reference", p->replay_reference, r->reference_replays,
		      &r->reference_replay_count, err) < 0)
		return -1;
	if (p->model == 1 + PARIO_MODEL_REPLAY && !r->replay_count)
		return pario_err_set(
			err, PARIO_USAGE,
			"--model replay needs --replay RUN: make one with `pario replay %s DIR` on the "
			"target, and name its result directory.",
			r->trace);
	return 0;
}

struct predicted {
	const struct pario_prediction *prediction;
	struct pario_symbols *symbols;
};

static int write_journal(void *self, const char *directory, struct pario_err *err)
{
	const struct predicted *p = self;

	return pario_prediction_journal(p->prediction, p->symbols, directory, err);
}

static int write_html(struct predicted *what, const char *trace, const struct params *p,
		      struct pario_err *err)
{
	struct pario_archive archive = { 0 };
	struct pario_text text = { 0 };
	int status = pario_cmd_passing_journal(&archive, trace, write_journal, what, err);

	if (status == 0)
		status = pario_page_file_make(&archive, NULL, &text, err);
	if (status == 0)
		status = pario_page_file_write(p->html, p->force, &text, err);
	pario_text_release(&text);
	pario_archive_release(&archive);
	return status;
}

static int show(const struct params *p, const struct pario_prediction *prediction,
		const char *trace, struct pario_err *err)
{
	const struct pario_prediction_view view = {
		.models = p->model ? 1u << PARIO_MODEL_RATIO | 1u << (p->model - 1) : ALL_MODELS,
		.rows = (unsigned)p->rows,
		.explain = p->explain,
	};
	struct predicted what = { prediction, pario_symbols_new(NULL) };
	struct pario_text text = { 0 };
	int status = 0;

	if (!*p->html) {
		pario_prediction_show(prediction, &view, what.symbols, &text);
		print(&text);
	}
	if (*p->journal)
		status = write_journal(&what, p->journal, err);
	if (status == 0 && *p->html)
		status = write_html(&what, trace, p, err);
	pario_symbols_free(what.symbols);
	return status;
}

static int work_out(const struct params *p, const struct pario_predict_request *request,
		    struct pario_err *err)
{
	struct pario_prediction *prediction = calloc(1, sizeof(*prediction));
	int status;

	if (!prediction)
		return pario_err_memory(err, "a prediction");
	status = pario_predict(prediction, request, err);
	if (status == 0) {
		status = show(p, prediction, request->trace, err);
		pario_prediction_release(prediction);
	}
	free(prediction);
	return status;
}

static int predict(struct params *p, const char *trace, struct pario_err *err)
{
	struct pario_system reference, target;
	struct pario_predict_request request = { .trace = trace,
						 .reference = &reference,
						 .target = &target,
						 .background = p->background,
						 .think = p->think,
						 .initial = (enum pario_initial)p->initial };
	int status;

	if (pario_system_load(&reference, p->reference, err) < 0)
		return -1;
	status = pario_system_load(&target, p->target, err);
	if (status == 0) {
		if (same_file(p->reference, p->target))
			request.target = &reference;
		status = take_lists(p, &request, err);
		if (status == 0)
			status = work_out(p, &request, err);
		pario_system_release(&target);
	}
	pario_system_release(&reference);
	return status;
}

int pario_cmd_predict(int argc, char **argv)
{
	static struct params params;
	const struct pario_table table = { "predict", pario_predict_options, sizeof(params) };
	struct pario_err err = { 0 };
	struct pario_text text = { 0 };
	const char *words[WORDS];
	int count = 0, status;

	status = pario_cmd_options("predict", &table, &params, argc, argv, words, WORDS, &count,
				   &err);
	if (status == 0 && params.seed_tables) {
		pario_published_show(&text);
		print(&text);
		return 0;
	}
	if (status == 0)
		status = check(&params, words, count, &err);
	if (status == 0)
		status = predict(&params, words[0], &err);
	return status < 0 ? pario_console_say(&err) : 0;
}
