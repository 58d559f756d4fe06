/*
 * help: prints help made from the tables alone, so that it cannot drift from what the program does.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/help_search.h"
#include "compat/peer.h"
#include "console/console.h"
#include "engine/plan.h"
#include "engine/run_options.h"
#include "manual/manual.h"
#include "report/text/style.h"
#include "session/terminal.h"
#include "tests/tests.h"
#include "version.h"

enum { INDENT = 28, NARROWEST = 60, WIDEST = 100, NAMES = 256 };

/* That of the terminal, as far as the columns of names and explanations allow. */
static unsigned width(void)
{
	struct pario_style style;

	pario_terminal_style(&style, PARIO_COLOR_AUTO);
	return !style.columns		   ? WIDEST
	       : style.columns < NARROWEST ? NARROWEST
	       : style.columns > WIDEST	   ? WIDEST
					   : style.columns;
}

static void general(struct pario_text *out)
{
	static const char *const groups[] = { "measure", "trace", "predict", "look", "keep house" };

	pario_text_add(out, "pario %s: measures the I/O of parallel computers\n", PARIO_VERSION);
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		pario_text_add(out, "\n%s\n", groups[i]);
		for (const struct pario_command *c = pario_commands; c->name; c++) {
			if (strcmp(c->group, groups[i]) == 0)
				pario_text_add(out, "  pario %-12s  %s\n", c->name, c->summary);
		}
	}
	pario_text_add(
		out,
		"\n`pario help COMMAND` or TEST shows what it does and its options, `pario help\n"
		"WORD` where a word occurs; `pario list` shows the tests. An option is --name\n"
		"value, --name=value, the variable PARIO_NAME, or a line in a --plan file.\n");
}

static int of_test(const struct pario_test *test, bool all, struct pario_text *out,
		   struct pario_err *err)
{
	struct pario_plan plan;

	pario_text_add(out, "%s: %s\n\n%s\nMisleads %s.\n", test->name, test->summary,
		       test->question, test->misleads);
	if (pario_plan_init(&plan, test, err) < 0)
		return -1;
	for (size_t i = 0; i < plan.table_count; i++) {
		if (pario_docs_any(&plan.tables[i])) {
			pario_text_add(out, "\n");
			pario_options_help(&plan.tables[i], width(), all, out);
		}
	}
	pario_plan_release(&plan);
	return 0;
}

static int unknown(const char *word, struct pario_err *err)
{
	const char *names[NAMES], *near;
	char command[80];
	size_t count = 0;

	for (const struct pario_command *c = pario_commands; c->name && count < NAMES; c++)
		names[count++] = c->name;
	for (size_t i = 0; pario_tests[i] && count < NAMES; i++)
		names[count++] = pario_tests[i]->name;
	near = pario_text_nearest(word, names, count);
	if (near)
		snprintf(command, sizeof(command), "pario help %s", near);
	return pario_text_unknown(
		err, near ? command : NULL, "``",
		"the word occurs in no help. `pario help` shows the commands, `pario "
		"list` the tests.",
		"there is no command or test %s", word);
}

/* The options of another program, with what becomes of each. */
static void of_peer(const struct pario_peer *peer, struct pario_text *out)
{
	pario_text_add(out,
		       "\nThe options are those of %s; @ stands for the value. What follows -- "
		       "are pario's own.\n\n",
		       peer->name);
	for (const struct pario_peer_option *o = peer->options; o->name; o++) {
		if (o->letter)
			pario_text_add(out, "  -%c, %s\n      ", o->letter, o->name);
		else
			pario_text_add(out, "  %s\n      ", o->name);
		pario_peer_describe(peer, o, out);
		pario_text_add(out, "\n");
	}
}

static int of(const char *word, bool all, struct pario_text *out, struct pario_err *err)
{
	const struct pario_test *test = pario_test_by_name(word);

	if (test)
		return of_test(test, all, out, err);
	for (const struct pario_command *c = pario_commands; c->name; c++) {
		if (strcmp(c->name, word) == 0) {
			struct pario_table tables[PARIO_DOCS_TABLES];
			size_t count = pario_docs_tables(c, tables);

			pario_text_add(out, "pario %s %s\n\n%s\n", c->name, c->arguments,
				       c->summary);
			for (size_t i = 0; i < count; i++) {
				pario_text_add(out, "\n");
				pario_options_help(&tables[i], width(), all, out);
			}
			if (pario_cmd_peer(c))
				of_peer(pario_cmd_peer(c), out);
			return 0;
		}
	}
	return pario_help_search(word, out, err) ? 0 : unknown(word, err);
}

/* What other programs ask for: `--tables`, and `--complete WORD...`. 1 when it is neither. */
static int serve(int argc, char **argv, struct pario_err *err)
{
	struct pario_text out = { 0 };
	int status = 1;

	if (argc == 1 && strcmp(argv[0], "--tables") == 0)
		status = pario_docs_json(&out, err);
	else if (argc > 0 && strcmp(argv[0], "--complete") == 0)
		status = pario_completion(argc - 1, argv + 1, &out, err);
	fputs(pario_text_string(&out), stdout);
	pario_text_release(&out);
	return status;
}

int pario_cmd_help(int argc, char **argv)
{
	struct pario_text out = { 0 }, wrapped = { 0 };
	struct pario_style style;
	struct pario_err err = { 0 };
	int status = serve(argc, argv, &err);
	const char *word = NULL;
	bool all = false;

	/* A word may be an option; --all is one of our own. */
	for (int i = 0; i < argc; i++) {
		all |= strcmp(argv[i], "--all") == 0;
		if (!word && strcmp(argv[i], "--all") != 0 && strcmp(argv[i], "--help") != 0 &&
		    strcmp(argv[i], "-h") != 0)
			word = argv[i];
	}
	if (status == 1 && !word) {
		general(&out);
		status = 0;
	} else if (status == 1) {
		status = of(word, all, &out, &err);
	}
	if (status == 0) {
		pario_terminal_style(&style, PARIO_COLOR_AUTO);
		pario_style_wrap(&style, pario_text_string(&out), INDENT, &wrapped);
		fputs(pario_text_string(&wrapped), stdout);
	}
	pario_text_release(&out);
	pario_text_release(&wrapped);
	return status < 0 ? pario_console_say(&err) : 0;
}
