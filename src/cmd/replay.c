/*
 * replay: `pario replay TRACE [DIR]`: the test trace_replay, with as many clients as the trace has ranks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "comm/launch.h"
#include "console/console.h"
#include "trace/stream.h"

enum { WORDS = 128 };

static bool is_word(int argc, char **argv, int i)
{
	return i < argc && argv[i][0] != '-';
}

static bool told(int argc, char **argv)
{
	static const char *const names[] = { "--np", "--clients", "-n", "--help", "-h" };

	for (int i = 0; i < argc; i++) {
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
			size_t length = strlen(names[k]);

			if (strncmp(argv[i], names[k], length) == 0 &&
			    (!argv[i][length] || argv[i][length] == '='))
				return true;
		}
	}
	return false;
}

static uint32_t ranks_told(const struct pario_trace *trace)
{
	uint32_t ranks = 1;

	for (uint32_t i = 1; i <= pario_trace_processes(trace); i++) {
		const struct pario_trace_process *p = pario_trace_process(trace, i);

		if (p->rank != UINT32_MAX && p->ranks > ranks)
			ranks = p->ranks;
	}
	return ranks;
}

/* No more than processes are in the trace: the test says what is missing, and one client is enough for that. */
static int ranks_of(const char *path, uint32_t *ranks, struct pario_err *err)
{
	struct pario_trace *trace = calloc(1, sizeof(*trace));

	if (!trace)
		return pario_err_memory(err, "the trace");
	if (pario_trace_load(trace, path, err) < 0) {
		free(trace);
		return -1;
	}
	*ranks = ranks_told(trace);
	if (*ranks > pario_trace_processes(trace))
		*ranks = 1;
	pario_trace_release(trace);
	free(trace);
	return 0;
}

int pario_cmd_replay(int argc, char **argv)
{
	char *words[WORDS] = { (char *)"trace_replay" }, number[16];
	struct pario_err err = { 0 };
	uint32_t ranks = 1;
	int n = 1, at = 0;

	if (argc > WORDS - 8)
		pario_err_set(
			&err, PARIO_USAGE,
			"too many words; usage: pario replay TRACE [DIR] [--option value ...]");
	if (err.code)
		return pario_console_say(&err);
	if (is_word(argc, argv, at)) {
		words[n++] = (char *)"--trace";
		words[n++] = argv[at++];
	}
	if (is_word(argc, argv, at)) {
		words[n++] = (char *)"--dir";
		words[n++] = argv[at++];
	}
	if (n > 1 && pario_launch_promised() == 0 && !told(argc, argv)) {
		if (ranks_of(words[2], &ranks, &err) < 0)
			return pario_console_say(&err);
		snprintf(number, sizeof(number), "%u", ranks);
		words[n++] = (char *)"--np";
		words[n++] = number;
	}
	for (; at < argc; at++)
		words[n++] = argv[at];
	return pario_cmd_run(n, words);
}
