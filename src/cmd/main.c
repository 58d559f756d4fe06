/*
 * main: the table of commands, and the dispatch to them.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "comm/launch.h"
#include "console/ascii.h"
#include "console/console.h"
#include "engine/plan.h"
#include "engine/run_options.h"
#include "report/text/style.h"
#include "survey/walk/walk.h"
#include "tests/replay/measure/alone.h"
#include "tests/tests.h"
#include "version.h"

const struct pario_command pario_commands[] = {
	{ "glance", "measure", "[DIR] [--option value ...]",
	  "the concise set: how does this storage behave?", pario_cmd_glance,
	  pario_glance_options },
	{ "survey", "measure", "[DIR] [--option value ...]",
	  "the extended set: where is it slow, what avoids it?", pario_cmd_survey,
	  pario_survey_options },
	{ "run", "measure", "TEST [--option value ...]", "one test; list values become a sweep",
	  pario_cmd_run, NULL },
	{ "report", "look", "RUN... [--option value ...]", "one HTML page of one or several runs",
	  pario_cmd_report, pario_report_options },
	{ "compare", "look", "A B | A... -- B... [--option value ...]",
	  "whether the second run is faster than the first", pario_cmd_compare,
	  pario_compare_options },
	{ "history", "look", "DIR... [--option value ...]",
	  "every number over time, and where it changed", pario_cmd_history,
	  pario_history_options },
	{ "import", "look", "PATH... [--option value ...]",
	  "results of IOR, mdtest, fio, io500 and Darshan as journals", pario_cmd_import,
	  pario_import_options },
	{ "rank", "look", "RUN [--option value ...]",
	  "where a run's numbers stand among those of others", pario_cmd_rank, pario_rank_options },
	{ "doctor", "measure", "[DIR] [--option value ...]",
	  "whether this machine is fit to measure", pario_cmd_doctor, pario_doctor_options },
	{ "trace", "trace", "[-o FILE] -- COMMAND [ARGUMENT ...]",
	  "run a program and record every I/O call it makes", pario_cmd_trace,
	  pario_trace_options },
	{ "profile", "trace", "TRACE [--option value ...]",
	  "what a traced program did: calls, files, call sites, time", pario_cmd_profile,
	  pario_profile_options },
	{ "replay", "predict", "TRACE [DIR] [--option value ...]",
	  "the calls of a trace again, without the program", pario_cmd_replay,
	  pario_replay_options },
	{ "predict", "predict",
	  "TRACE|PROFILE --reference SYSTEM --target SYSTEM [--option value ...]",
	  "how long a traced program's I/O would take elsewhere", pario_cmd_predict,
	  pario_predict_options },
	{ "characterize", "predict", "[DIR] -o SYSTEM [--option value ...]",
	  "measure what I/O costs on this system, for predictions", pario_cmd_characterize,
	  pario_characterize_options },
	{ "top", "trace", "[DIR] [--rounds N]", "what a program that is being traced does just now",
	  pario_cmd_top, pario_top_options },
	{ "ior", "measure", "OPTION... [-- --option value ...]",
	  "command lines and scripts of IOR, on pario's engine", pario_cmd_ior, NULL },
	{ "mdtest", "measure", "OPTION... [-- --option value ...]",
	  "command lines of mdtest, on pario's engine", pario_cmd_mdtest, NULL },
	{ "io500", "measure", "INI|DIR [--option value ...]",
	  "the phases of IO500 with its score and its result files", pario_cmd_io500,
	  pario_io500_options },
	{ "list", "keep house", "", "tests and backends, with the reason why one is unavailable",
	  pario_cmd_list, NULL },
	{ "help", "keep house", "[COMMAND | TEST]", "what a command or test does and its options",
	  pario_cmd_help, NULL },
	{ "diagonal", "look", "FILE [--option value ...]",
	  "NHT-1's verification: the diagonals of a solution file", pario_cmd_diagonal,
	  pario_diagonal_options },
	{ "sign", "keep house", "RUN KEY", "sign the journal of a run with an SSH key",
	  pario_cmd_sign, NULL },
	{ "clean", "keep house", "[--kept] [--deadline S] [DIR]",
	  "remove what killed runs left in a directory", pario_cmd_clean, NULL },
	{ 0 },
};

static int unknown(const char *word)
{
	const char *names[32];
	size_t count = 0;
	struct pario_err err = { 0 };

	for (; pario_commands[count].name; count++)
		names[count] = pario_commands[count].name;
	pario_text_unknown(&err, pario_text_nearest(word, names, count), "",
			   "`pario help` shows the commands.", "unknown command %s", word);
	return pario_console_say(&err);
}

/* A result that could not be printed is an error, not a success. */
static int flush(int code)
{
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fputs("pario: standard output cannot be written to; results in the journal are complete.\n",
		      stderr);
		return code ? code : PARIO_SYSTEM;
	}
	return code;
}

/* What these print may be meant for other programs. */
static bool exports(const struct pario_command *command)
{
	return command->run == pario_cmd_report || command->run == pario_cmd_profile ||
	       command->run == pario_cmd_trace || command->run == pario_cmd_top ||
	       command->run == pario_cmd_diagonal;
}

/* What to explain when a word asks for help: the test that `run` names, otherwise the command. NULL: none asks. */
static const char *asks_for_help(const struct pario_command *command, int argc, char **argv)
{
	const char *subject = command->name;

	/* a program's own words are not ours */
	if (command->run == pario_cmd_trace)
		argc = pario_trace_command_at(argc, argv);
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (command->run == pario_cmd_run && pario_test_by_name(argv[i]))
			subject = argv[i];
	}
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return subject;
	}
	return NULL;
}

/* What these print helps to find a mistake, or to clean up after one. */
static bool takes_anything(const struct pario_command *command)
{
	return command->run == pario_cmd_list || command->run == pario_cmd_help ||
	       command->run == pario_cmd_clean;
}

static int run(const struct pario_command *command, int argc, char **argv)
{
	const char *subject = asks_for_help(command, argc, argv);
	struct pario_err err = { 0 };

	if (subject)
		return pario_cmd_help(1, (char *[]){ (char *)(uintptr_t)subject, NULL });
	if (!takes_anything(command) && pario_cmd_environment(&err) < 0) {
		/* all clients of a launcher see the same variables, and one of them speaks */
		return pario_launch_rank() == 0 ? pario_console_say(&err) : PARIO_USAGE;
	}
	if (!exports(command))
		pario_ascii_start();
	return command->run(argc, argv);
}

int main(int argc, char **argv)
{
	pario_console_argc = argc;
	pario_console_argv = argv;
	if (argc < 2)
		return flush(pario_cmd_help(0, argv));
	if (argc == 3 && strcmp(argv[1], PARIO_REPLAY_ALONE) == 0)
		return pario_replay_alone(argv[2]);
	if (strcmp(argv[1], "--version") == 0) {
		printf("pario %s (%s)\n", PARIO_VERSION, PARIO_MPI_FLAVOUR);
		return flush(0);
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return flush(pario_cmd_help(0, argv));
	for (const struct pario_command *c = pario_commands; c->name; c++) {
		if (strcmp(c->name, argv[1]) == 0)
			return flush(run(c, argc - 2, argv + 2));
	}
	return unknown(argv[1]);
}
