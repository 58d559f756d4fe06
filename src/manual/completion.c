/*
 * completion: what bash, zsh and fish offer when Tab is pressed: commands, tests, the options of a test, and the
 * values of an option where they are known. Tables that several tests share are written once.
 */
#include <stdio.h>
#include <string.h>

#include "manual/manual.h"
#include "tests/tests.h"

enum { TABLES = 256, TESTS = 128, COMMANDS = 64 };

#define BANNER \
	"# Written by `pario help --completions' from the tables in src/; `make docs' writes it anew.\n"

/* One option table under a name that is a word in every shell, and the tests and commands it holds for. */
struct part {
	char name[64];
	struct pario_table table;
	bool test[TESTS], command[COMMANDS];
};

struct parts {
	struct part at[TABLES];
	size_t count;
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

static struct part *part_of(struct parts *parts, const struct pario_table *table, const char *name)
{
	struct part *p;

	for (size_t i = 0; i < parts->count; i++) {
		if (parts->at[i].table.rows == table->rows)
			return &parts->at[i];
	}
	if (parts->count == TABLES)
		return NULL;
	p = &parts->at[parts->count++];
	p->table = *table;
	snprintf(p->name, sizeof(p->name), "%s", name);
	return p;
}

static int collect_test(struct parts *parts, size_t index, struct pario_err *err)
{
	const struct pario_test *test = pario_tests[index];
	struct pario_plan plan;
	char own[64];

	if (index == TESTS)
		return pario_err_set(err, PARIO_SYSTEM, "more than %d tests.", (int)TESTS);
	if (pario_plan_init(&plan, test, err) < 0)
		return -1;
	snprintf(own, sizeof(own), "test_%s", test->name);
	for (size_t k = 0; k < plan.table_count; k++) {
		const struct pario_table *t = &plan.tables[k];
		struct part *p =
			!pario_docs_any(t)
				? NULL
				: part_of(parts, t, t->rows == test->options ? own : t->title);

		if (p)
			p->test[index] = true;
	}
	pario_plan_release(&plan);
	return 0;
}

static int collect(struct parts *parts, struct pario_err *err)
{
	struct pario_table tables[PARIO_DOCS_TABLES];

	for (size_t i = 0; pario_tests[i]; i++) {
		if (collect_test(parts, i, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < COMMANDS && pario_commands[i].name; i++) {
		size_t count = pario_docs_tables(&pario_commands[i], tables);

		/* After TEST, the test's tables hold everything. */
		for (size_t k = 0; k < count && kind_of(&pario_commands[i]) != TEST; k++) {
			struct part *p = part_of(parts, &tables[k], tables[k].title);

			if (p)
				p->command[i] = true;
		}
	}
	return 0;
}

/* Text inside single quotes; `special` are characters that need a backslash there as well. */
static void quoted(struct pario_text *out, const char *text, const char *special, const char *quote)
{
	for (; text && *text; text++) {
		if (*text == '\'')
			pario_text_add(out, "%s", quote);
		else if (strchr(special, *text))
			pario_text_add(out, "\\%c", *text);
		else
			pario_text_bytes(out, text, 1);
	}
}

static void command_names(struct pario_text *out)
{
	for (const struct pario_command *c = pario_commands; c->name; c++)
		pario_text_add(out, "%s%s", c == pario_commands ? "" : " ", c->name);
}

static void test_names(struct pario_text *out)
{
	for (size_t i = 0; pario_tests[i]; i++)
		pario_text_add(out, "%s%s", i ? " " : "", pario_tests[i]->name);
}

/* ---- bash ---- */

static const char bash_tail[] =
	"# The tables of the command line so far, none where no option belongs.\n"
	"_pario_context()\n"
	"{\n"
	"\tcase $(_pario_kind \"${COMP_WORDS[1]}\") in\n"
	"\ttest) [ \"$COMP_CWORD\" -lt 3 ] || _pario_tables \"test:${COMP_WORDS[2]}\" ;;\n"
	"\t*) _pario_tables \"command:${COMP_WORDS[1]}\" ;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"# Completes the last element of a comma list.\n"
	"_pario_list()\n"
	"{\n"
	"\tlocal lead=\n"
	"\tcase $2 in *,*) lead=${2%,*}, ;; esac\n"
	"\tmapfile -t COMPREPLY < <(compgen -P \"$lead\" -W \"$1\" -- \"${2#\"$lead\"}\")\n"
	"}\n"
	"\n"
	"_pario_paths()\n"
	"{\n"
	"\tcompopt -o filenames\n"
	"\tmapfile -t COMPREPLY < <(compgen \"$1\" -- \"$2\")\n"
	"}\n"
	"\n"
	"# Completes the value of an option; false when it has no value to offer.\n"
	"_pario_value()\n"
	"{\n"
	"\tlocal name=${1#--} table words\n"
	"\tname=${name//-/_}\n"
	"\tfor table in $(_pario_context); do\n"
	"\t\twords=$(_pario_words \"$table:$name\")\n"
	"\t\tcase $words in\n"
	"\t\t'') continue ;;\n"
	"\t\t/) _pario_paths -d \"$2\" ;;\n"
	"\t\t.) _pario_paths -f \"$2\" ;;\n"
	"\t\t*) _pario_list \"$words\" \"$2\" ;;\n"
	"\t\tesac\n"
	"\t\treturn 0\n"
	"\tdone\n"
	"\treturn 1\n"
	"}\n"
	"\n"
	"_pario()\n"
	"{\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} table words=\n"
	"\tCOMPREPLY=()\n"
	"\tif [ \"$cur\" = = ]; then\n"
	"\t\tcur=\n"
	"\telif [ \"$prev\" = = ]; then\n"
	"\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"\tfi\n"
	"\tif [[ $prev == --* && $cur != -* ]]; then\n"
	"\t\t_pario_value \"$prev\" \"$cur\" && return\n"
	"\t\tfor table in $(_pario_context); do # a value that nobody can guess\n"
	"\t\t\t[[ \" $(_pario_options \"$table\") \" != *\" $prev \"* ]] || return\n"
	"\t\tdone\n"
	"\tfi\n"
	"\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	"\t\twords=\"$_pario_commands --help --version\"\n"
	"\telif [[ $cur == -* || $(_pario_kind \"${COMP_WORDS[1]}\"):$COMP_CWORD == test:[!2]* ]]; then\n"
	"\t\tfor table in $(_pario_context); do\n"
	"\t\t\twords+=\" $(_pario_options \"$table\")\"\n"
	"\t\tdone\n"
	"\telse\n"
	"\t\tcase $(_pario_kind \"${COMP_WORDS[1]}\"):$COMP_CWORD in\n"
	"\t\ttest:2) words=$_pario_tests ;;\n"
	"\t\tname:2) words=\"$_pario_commands $_pario_tests\" ;;\n"
	"\t\tdirectory:*) _pario_paths -d \"$cur\"; return ;;\n"
	"\t\tfile:*) _pario_paths -f \"$cur\"; return ;;\n"
	"\t\tesac\n"
	"\tfi\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	"}\n"
	"\n"
	"complete -F _pario pario\n";

/* "/" stands for a directory, "." for a file. */
static void bash_words(struct pario_text *out, const struct part *p)
{
	for (const struct pario_option *row = p->table.rows; row->name; row++) {
		enum pario_docs_value value = pario_docs_value(row);

		if (!pario_docs_shown(row) || value == PARIO_DOCS_ANY)
			continue;
		pario_text_add(out, "\t%s:%s) echo '", p->name, row->name);
		if (value == PARIO_DOCS_WORDS)
			pario_docs_words(row, out);
		else
			pario_text_add(out, value == PARIO_DOCS_FILE ? "." : "/");
		pario_text_add(out, "' ;;\n");
	}
}

static void bash_options(struct pario_text *out, const struct part *p)
{
	const char *between = "";

	pario_text_add(out, "\t%s) echo '", p->name);
	for (const struct pario_option *row = p->table.rows; row->name; row++) {
		if (pario_docs_shown(row)) {
			pario_text_add(out, "%s--%s", between, row->name);
			between = " ";
		}
	}
	pario_text_add(out, "' ;;\n");
}

/* The tables of the tests and of the commands that have some, as arms of a case. */
static void bash_tables(struct pario_text *out, const struct parts *parts)
{
	for (size_t i = 0; pario_tests[i]; i++) {
		pario_text_add(out, "\ttest:%s) echo '", pario_tests[i]->name);
		for (size_t k = 0; k < parts->count; k++) {
			if (parts->at[k].test[i])
				pario_text_add(out, "%s ", parts->at[k].name);
		}
		pario_text_add(out, "' ;;\n");
	}
	for (size_t i = 0; pario_commands[i].name; i++) {
		pario_text_add(out, "\tcommand:%s) echo '", pario_commands[i].name);
		for (size_t k = 0; k < parts->count; k++) {
			if (parts->at[k].command[i])
				pario_text_add(out, "%s ", parts->at[k].name);
		}
		pario_text_add(out, "' ;;\n");
	}
}

static void bash(struct pario_text *out, const struct parts *parts)
{
	static const char *const kinds[] = { "", "test", "name", "directory", "file" };

	pario_text_add(out, "# shellcheck shell=bash\n" BANNER "\n_pario_commands='");
	command_names(out);
	pario_text_add(out, "'\n_pario_tests='");
	test_names(out);
	pario_text_add(
		out,
		"'\n\n# What the words after a command are.\n_pario_kind()\n{\n\tcase $1 in\n");
	for (const struct pario_command *c = pario_commands; c->name; c++)
		pario_text_add(out, "\t%s) echo '%s' ;;\n", c->name, kinds[kind_of(c)]);
	pario_text_add(out, "\tesac\n}\n\n# The option tables of a test or command.\n"
			    "_pario_tables()\n{\n\tcase $1 in\n");
	bash_tables(out, parts);
	pario_text_add(
		out, "\tesac\n}\n\n# The options of a table.\n_pario_options()\n{\n\tcase $1 in\n");
	for (size_t k = 0; k < parts->count; k++)
		bash_options(out, &parts->at[k]);
	pario_text_add(
		out,
		"\tesac\n}\n\n# What the value of TABLE:OPTION is made of; / is a directory, . a file.\n"
		"_pario_words()\n{\n\tcase $1 in\n");
	for (size_t k = 0; k < parts->count; k++)
		bash_words(out, &parts->at[k]);
	pario_text_add(out, "\tesac\n}\n\n%s", bash_tail);
}

/* ---- zsh ---- */

static void zsh_value(struct pario_text *out, const struct pario_option *row)
{
	/* A switch may stand without a value. */
	pario_text_add(out, "%s", row->type == PARIO_TYPE_BOOL ? "::" : ":");
	quoted(out, pario_option_placeholder(row), ":", "'\\''");
	switch (pario_docs_value(row)) {
	case PARIO_DOCS_WORDS:
		pario_text_add(out, ": _values -s , value ");
		pario_docs_words(row, out);
		break;
	case PARIO_DOCS_DIRECTORY:
		pario_text_add(out, ":_files -/");
		break;
	case PARIO_DOCS_FILE:
		pario_text_add(out, ":_files");
		break;
	case PARIO_DOCS_ANY:
		pario_text_add(out, ": ");
		break;
	}
}

static void zsh_part(struct pario_text *out, const struct part *p)
{
	pario_text_add(out, "  local -a %s_options=(\n", p->name);
	for (const struct pario_option *row = p->table.rows; row->name; row++) {
		if (!pario_docs_shown(row))
			continue;
		pario_text_add(out, "    '%s--%s=[", row->flags & PARIO_OPTION_REPEAT ? "*" : "",
			       row->name);
		quoted(out, row->help ? row->help : "MPI-IO hint", "[]\\", "'\\''");
		pario_text_add(out, "]");
		zsh_value(out, row);
		pario_text_add(out, "'\n");
		if (!row->letter)
			continue;
		pario_text_add(out, "    '-%c%s[", row->letter, row->letter_value ? "" : "+");
		quoted(out, row->help ? row->help : row->name, "[]\\", "'\\''");
		pario_text_add(out, "]");
		if (!row->letter_value)
			zsh_value(out, row);
		pario_text_add(out, "'\n");
	}
	pario_text_add(out, "  )\n");
}

static void zsh_entry(struct pario_text *out, const char *name, const char *summary)
{
	pario_text_add(out, "    '");
	quoted(out, name, ":\\", "'\\''");
	pario_text_add(out, ":");
	quoted(out, summary, "\\", "'\\''");
	pario_text_add(out, "'\n");
}

static void zsh_names(struct pario_text *out)
{
	pario_text_add(out, "  local -a commands=(\n");
	for (const struct pario_command *c = pario_commands; c->name; c++)
		zsh_entry(out, c->name, c->summary);
	pario_text_add(out, "  )\n  local -a tests=(\n");
	for (size_t i = 0; pario_tests[i]; i++)
		zsh_entry(out, pario_tests[i]->name, pario_tests[i]->summary);
	pario_text_add(out, "  )\n");
}

static const char zsh_tests[] = "      if (( CURRENT == 3 )); then\n"
				"        _describe -t tests test tests\n"
				"      elif (( $+tables[$words[3]] )); then\n"
				"        local -a specs\n"
				"        local table\n"
				"        for table in ${=tables[$words[3]]}; do\n"
				"          specs+=(${(P)${:-${table}_options}})\n"
				"        done\n"
				"        shift 2 words\n"
				"        (( CURRENT -= 2 ))\n"
				"        _arguments $specs\n"
				"      fi ;;\n";

static const char zsh_both[] = "      if (( CURRENT == 3 )); then\n"
			       "        _describe -t commands command commands\n"
			       "        _describe -t tests test tests\n"
			       "      fi ;;\n";

static void zsh_command(struct pario_text *out, const struct parts *parts, size_t index)
{
	const struct pario_command *c = &pario_commands[index];
	enum kind kind = kind_of(c);

	if (kind == NOTHING)
		return;
	pario_text_add(out, "    %s)\n", c->name);
	if (kind == TEST || kind == NAME) {
		pario_text_add(out, "%s", kind == TEST ? zsh_tests : zsh_both);
		return;
	}
	pario_text_add(out, "      shift words\n      (( CURRENT-- ))\n      _arguments");
	for (size_t k = 0; k < parts->count; k++) {
		if (parts->at[k].command[index])
			pario_text_add(out, " $%s_options", parts->at[k].name);
	}
	pario_text_add(out, " '*:%s' ;;\n",
		       kind == DIRECTORY ? "directory:_files -/" : "file:_files");
}

static void zsh(struct pario_text *out, const struct parts *parts)
{
	pario_text_add(out, "#compdef pario\n" BANNER "\n_pario() {\n");
	zsh_names(out);
	for (size_t k = 0; k < parts->count; k++)
		zsh_part(out, &parts->at[k]);
	pario_text_add(out, "  local -A tables=(\n");
	for (size_t i = 0; pario_tests[i]; i++) {
		pario_text_add(out, "    %s '", pario_tests[i]->name);
		for (size_t k = 0; k < parts->count; k++) {
			if (parts->at[k].test[i])
				pario_text_add(out, "%s ", parts->at[k].name);
		}
		pario_text_add(out, "'\n");
	}
	pario_text_add(out, "  )\n  if (( CURRENT == 2 )); then\n"
			    "    _describe -t commands command commands\n    return\n  fi\n"
			    "  case $words[2] in\n");
	for (size_t i = 0; pario_commands[i].name; i++)
		zsh_command(out, parts, i);
	pario_text_add(out, "  esac\n}\n\n_pario \"$@\"\n");
}

/* ---- fish ---- */

static const char fish_head[] =
	"# The words before the cursor are exactly these.\n"
	"function __pario_at\n"
	"    set -l words (commandline -opc)\n"
	"    test (count $words) -eq (math (count $argv) + 1); and test \"$words[2..]\" = \"$argv\"\n"
	"end\n"
	"\n"
	"# One of these commands.\n"
	"function __pario_command\n"
	"    set -l words (commandline -opc)\n"
	"    test (count $words) -ge 2; and contains -- $words[2] $argv\n"
	"end\n"
	"\n"
	"# One of these tests is run.\n"
	"function __pario_runs\n"
	"    set -l words (commandline -opc)\n"
	"    test (count $words) -ge 3; and test $words[2] = run; and contains -- $words[3] $argv\n"
	"end\n"
	"\n"
	"complete -c pario -f\n"
	"complete -c pario -n __pario_at -l help -d 'the commands'\n"
	"complete -c pario -n __pario_at -l version -d 'the version'\n";

static void fish_word(struct pario_text *out, const char *where, const char *name,
		      const char *summary)
{
	pario_text_add(out, "complete -c pario -n '__pario_at%s' -a %s -d '", where, name);
	quoted(out, summary, "\\", "\\'");
	pario_text_add(out, "'\n");
}

/* The commands and tests that may follow a command. */
static void fish_after(struct pario_text *out, const struct pario_command *command)
{
	enum kind kind = kind_of(command);
	char where[64];

	snprintf(where, sizeof(where), " %s", command->name);
	for (const struct pario_command *c = pario_commands; kind == NAME && c->name; c++)
		fish_word(out, where, c->name, c->summary);
	for (size_t i = 0; (kind == NAME || kind == TEST) && pario_tests[i]; i++)
		fish_word(out, where, pario_tests[i]->name, pario_tests[i]->summary);
}

static void fish_option(struct pario_text *out, const struct pario_option *row, const char *when)
{
	pario_text_add(out, "complete -c pario -n '%s' -l %s", when, row->name);
	if (row->letter && !row->letter_value)
		pario_text_add(out, " -s %c", row->letter);
	switch (pario_docs_value(row)) {
	case PARIO_DOCS_WORDS:
		pario_text_add(out, " -x -a '(__fish_append , ");
		pario_docs_words(row, out);
		pario_text_add(out, ")'");
		break;
	case PARIO_DOCS_DIRECTORY:
		pario_text_add(out, " -x -a '(__fish_complete_directories)'");
		break;
	case PARIO_DOCS_FILE:
		pario_text_add(out, " -r -F");
		break;
	case PARIO_DOCS_ANY:
		pario_text_add(out, " -x");
		break;
	}
	pario_text_add(out, " -d '");
	quoted(out, row->help ? row->help : "MPI-IO hint", "\\", "\\'");
	pario_text_add(out, "'\n");
	if (row->letter && row->letter_value)
		pario_text_add(out, "complete -c pario -n '%s' -s %c -d '--%s %s'\n", when,
			       row->letter, row->name, row->letter_value);
}

static void fish_part(struct pario_text *out, const struct part *p)
{
	struct pario_text when = { 0 };

	pario_text_add(&when, "__pario_runs");
	for (size_t i = 0; pario_tests[i]; i++) {
		if (p->test[i])
			pario_text_add(&when, " %s", pario_tests[i]->name);
	}
	for (size_t i = 0; pario_commands[i].name; i++) {
		if (p->command[i])
			pario_text_add(&when, "; or __pario_command %s", pario_commands[i].name);
	}
	pario_text_add(out, "\n");
	for (const struct pario_option *row = p->table.rows; row->name; row++) {
		if (pario_docs_shown(row))
			fish_option(out, row, pario_text_string(&when));
	}
	out->failed |= when.failed;
	pario_text_release(&when);
}

static void fish(struct pario_text *out, const struct parts *parts)
{
	pario_text_add(out, BANNER "\n%s\n", fish_head);
	for (const struct pario_command *c = pario_commands; c->name; c++) {
		fish_word(out, "", c->name, c->summary);
		if (kind_of(c) == DIRECTORY)
			pario_text_add(out,
				       "complete -c pario -n '__pario_command %s' -a "
				       "'(__fish_complete_directories)'\n",
				       c->name);
		else if (kind_of(c) == ANY_FILE)
			pario_text_add(out, "complete -c pario -n '__pario_command %s' -F\n",
				       c->name);
		fish_after(out, c);
	}
	for (size_t k = 0; k < parts->count; k++)
		fish_part(out, &parts->at[k]);
}

int pario_completion_write(const char *directory, struct pario_err *err)
{
	static const struct {
		const char *file;
		void (*write)(struct pario_text *out, const struct parts *parts);
	} shells[] = { { "pario.bash", bash }, { "_pario", zsh }, { "pario.fish", fish } };
	static struct parts parts;
	struct pario_text out = { 0 };
	int status;

	memset(&parts, 0, sizeof(parts));
	status = collect(&parts, err);
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]) && status == 0; i++) {
		pario_text_clear(&out);
		shells[i].write(&out, &parts);
		status = pario_docs_file(directory, shells[i].file, &out, err);
	}
	pario_text_release(&out);
	return status;
}
