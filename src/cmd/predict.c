/*
 * predict: `pario predict TRACE --reference SYS --target SYS`: how long would it take over there?
 */
#include <stdio.h>

#include "cmd/cmd.h"
#include "console/console.h"
#include "predict/published.h"

enum { WORDS = 64 };

struct params {
	bool seed_tables;
};

#define OPTION(field, ...) \
	PARIO_OPTION(struct params, field, .flags = PARIO_OPTION_NO_SWEEP, __VA_ARGS__)

const struct pario_option pario_predict_options[] = {
	OPTION(seed_tables, .def = "0",
	       .help = "print the published results of the ratio model, and their means"),
	{ 0 },
};

static void show_published(void)
{
	struct pario_text text = { 0 };

	pario_published_show(&text);
	fputs(pario_text_string(&text), stdout);
	pario_text_release(&text);
}

int pario_cmd_predict(int argc, char **argv)
{
	static struct params params;
	const struct pario_table table = { "predict", pario_predict_options, sizeof(params) };
	struct pario_err err = { 0 };
	const char *words[WORDS];
	int count = 0, status;

	status = pario_cmd_options("predict", &table, &params, argc, argv, words, WORDS, &count,
				   &err);
	if (status < 0)
		return pario_console_say(&err);
	show_published();
	return 0;
}
