/*
 * completion: what may stand where Tab was pressed. The shells ask the program itself (docs/completions), so that what
 * they offer is what this pario knows.
 */
#include <stdio.h>
#include <string.h>

#include "manual/manual.h"
#include "tests/tests.h"

enum { TABLES = 32 };

struct place {
	struct pario_table tables[TABLES];
	size_t count;
	const char
		*lead; /* what stands before the word that is completed, as "--api=" or "write," */
	size_t lead_length;
	const char *word;
	struct pario_text *out;
};

/* What the words after a command are, as its arguments in the table say. */
enum kind { NOTHING, TEST, NAME, DIRECTORY, ANY_FILE };

static enum kind kind_of(const struct pario_command *command)
{
	if (strncmp(command->arguments, "TEST", 4) == 0)
		return TEST;
	if (strstr(command->arguments, "-- "))
		return ANY_FILE; /* a program of the user's */
	if (strstr(command->arguments, "COMMAND"))
		return NAME;
	if (strncmp(command->arguments + (*command->arguments == '['), "DIR", 3) == 0)
		return DIRECTORY;
	return *command->arguments ? ANY_FILE : NOTHING;
}

/* One line: the whole word, and after a tab what it means. */
static void offer(struct place *p, const char *before, const char *name, const char *help)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "%s%s", before, name);
	if (strncmp(whole, p->word, strlen(p->word)) == 0)
		pario_text_add(p->out, "%.*s%s\t%s\n", (int)p->lead_length, p->lead, whole, help);
}

static void offer_commands(struct place *p)
{
	for (const struct pario_command *c = pario_commands; c->name; c++)
		offer(p, "", c->name, c->summary);
}

static void offer_tests(struct place *p)
{
	for (size_t i = 0; pario_tests[i]; i++)
		offer(p, "", pario_tests[i]->name, pario_tests[i]->summary);
}

static void offer_options(struct place *p)
{
	for (size_t i = 0; i < p->count; i++) {
		for (const struct pario_option *row = p->tables[i].rows; row->name; row++) {
			const char *help = row->help ? row->help : "MPI-IO hint";

			if (!pario_docs_shown(row))
				continue;
			offer(p, "--", row->name, help);
			if (row->letter && p->word[0] == '-' && p->word[1] != '-')
				offer(p, "-", (char[2]){ row->letter }, help);
		}
	}
}

/* The option called --name or -n, `length` characters long, that takes a value. */
static const struct pario_option *option_of(const struct place *p, const char *name, size_t length)
{
	for (size_t i = 0; i < p->count; i++) {
		for (const struct pario_option *row = p->tables[i].rows; row->name; row++) {
			size_t same = 0;

			if (length == 2 && name[0] == '-' && name[1] == row->letter &&
			    row->letter && !row->letter_value)
				return row;
			while (2 + same < length && row->name[same] &&
			       row->name[same] == (name[2 + same] == '-' ? '_' : name[2 + same]))
				same++;
			if (length > 2 && name[1] == '-' && 2 + same == length && !row->name[same])
				return row;
		}
	}
	return NULL;
}

/* Of a comma list the last element is completed. */
static void offer_value(struct place *p, const struct pario_option *row)
{
	const char *comma = strrchr(p->word, ',');
	struct pario_text words = { 0 };

	switch (pario_docs_value(row)) {
	case PARIO_DOCS_ANY:
		return;
	case PARIO_DOCS_DIRECTORY:
		pario_text_add(p->out, ":directory\n");
		return;
	case PARIO_DOCS_FILE:
		pario_text_add(p->out, ":file\n");
		return;
	case PARIO_DOCS_WORDS:
		break;
	}
	if (comma) {
		p->lead = p->lead_length ? p->lead : p->word;
		p->lead_length = (size_t)(comma + 1 - p->lead);
		p->word = comma + 1;
	}
	pario_docs_words(row, &words);
	for (char *rest = words.data, *word; rest && (word = pario_text_word(&rest, " "));)
		offer(p, "", word, "");
	pario_text_release(&words);
}

/* Is a value asked for, behind `--name` or in `--name=`? */
static bool value_of(struct place *p, const char *before)
{
	const char *equals = strncmp(p->word, "--", 2) == 0 ? strchr(p->word, '=') : NULL;
	const char *name = equals ? p->word : *p->word != '-' ? before : NULL;
	const struct pario_option *row =
		name && *name == '-'
			? option_of(p, name, equals ? (size_t)(equals - name) : strlen(name))
			: NULL;

	if (!row)
		return false;
	if (equals) {
		p->lead = p->word;
		p->lead_length = (size_t)(equals + 1 - p->word);
		p->word = equals + 1;
	}
	offer_value(p, row);
	return true;
}

static int complete(struct place *p, const struct pario_command *command, char *const *words,
		    size_t count, struct pario_err *err)
{
	enum kind kind = kind_of(command);
	const struct pario_test *test =
		kind == TEST && count > 2 ? pario_test_by_name(words[1]) : NULL;
	struct pario_plan plan = { 0 };

	if (test && pario_plan_init(&plan, test, err) < 0)
		return -1;
	if (test) {
		for (p->count = 0; p->count < plan.table_count && p->count < TABLES; p->count++)
			p->tables[p->count] = plan.tables[p->count];
	} else if (kind != TEST) {
		p->count = pario_docs_tables(command, p->tables);
	}
	if (value_of(p, words[count - 2]))
		;
	else if (*p->word == '-' || (kind == TEST && count > 2))
		offer_options(p);
	else if (kind == DIRECTORY || kind == ANY_FILE)
		pario_text_add(p->out, kind == DIRECTORY ? ":directory\n" : ":file\n");
	else if (count == 2 && kind != NOTHING) {
		if (kind == NAME)
			offer_commands(p);
		offer_tests(p);
	}
	if (test)
		pario_plan_release(&plan);
	return 0;
}

/* bash makes a word of each "=". */
int pario_completion(int argc, char **argv, struct pario_text *out, struct pario_err *err)
{
	struct place p = { .word = "", .out = out };
	size_t count = 0;

	for (int i = 0; i < argc; i++) {
		if (strcmp(argv[i], "=") != 0)
			argv[count++] = argv[i];
		else if (i == argc - 1)
			argv[count++] = "";
	}
	if (count)
		p.word = argv[count - 1];
	if (count < 2) {
		offer_commands(&p);
		offer(&p, "--", "help", "the commands");
		offer(&p, "--", "version", "the version");
		return 0;
	}
	for (const struct pario_command *c = pario_commands; c->name; c++) {
		if (strcmp(c->name, argv[0]) == 0)
			return complete(&p, c, argv, count, err);
	}
	return 0;
}
