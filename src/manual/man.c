/*
 * man: one page per command and per test, in mdoc. Commands, tests, backends and options come from their tables;
 * only what no table says (exit status, environment, files, promises) stands here as text.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/peer.h"
#include "manual/manual.h"
#include "tests/tests.h"

/* Of this text, changed with it: a page must not change by itself. */
#define DATE "November 15, 2026"

enum { COLUMNS = 78, PAGES = 256 };

static const char about[] =
	"measures the I/O of parallel computers.\n"
	"It starts a group of clients under MPI, lets them read and write files through one of several\n"
	"interfaces, and says how fast that was, how far the clients were apart, and what proves the number.\n"
	"Every run leaves one file, the journal, that holds everything.\n"
	"A number that cannot be trusted is kept and marked\n"
	".Em suspect ,\n"
	"with the reason, wherever it is shown.\n";

static const char giving_options[] =
	"Every option is written\n"
	".Fl Fl name Ar value\n"
	"or\n"
	".Fl Fl name Ns = Ns Ar value ;\n"
	"in names\n"
	".Ql -\n"
	"and\n"
	".Ql _\n"
	"are the same.\n"
	"It can also be set by the environment variable\n"
	".Ev PARIO_NAME\n"
	"or by a line\n"
	".Ql name = value\n"
	"in a plan file\n"
	".Pq Fl Fl plan .\n"
	"The command line beats the environment, the environment beats the plan, the plan beats the default;\n"
	".Fl Fl show_config\n"
	"prints every value with its origin.\n"
	".Pp\n"
	"Sizes and counts take the suffixes k, m, g, t and p, powers of 1024.\n"
	"A comma list is a sweep: every combination of all lists is one point.\n"
	"In lists of numbers an element may be a range: 4k..16m:x4 multiplies by 4, 1..8:+1 adds 1, and\n"
	"1..64 alone doubles.\n"
	"Names of phases such as\n"
	".Ql write,read\n"
	"are one value, no sweep.\n";

static const char plans[] =
	"A plan is a text file of lines\n"
	".Ql name = value ,\n"
	"with comments after\n"
	".Ql #\n"
	"or\n"
	".Ql \\&; .\n"
	"Lines before the first\n"
	".Ql [section]\n"
	"hold for every test, lines in a section only for the test of that name.\n"
	"What\n"
	".Fl Fl show_config\n"
	"prints is a plan.\n";

static const char environment[] =
	".Sh ENVIRONMENT\n"
	".Bl -tag -width PARIO_NAME\n"
	".It Ev PARIO_NAME\n"
	"value of the option\n"
	".Fl Fl name ,\n"
	"for every option: its name in capitals, with underscores\n"
	".It Ev NO_COLOR\n"
	"when set and not empty, tables carry no colour\n"
	".It Ev TERM\n"
	"when it is\n"
	".Ql dumb ,\n"
	"tables carry no colour\n"
	".It Ev TMPDIR\n"
	"directory of what a command puts aside while it runs, such as standard input that is\n"
	"imported; default\n"
	".Pa /tmp\n"
	".El\n"
	".Pp\n"
	"Variables of the MPI library keep their meaning.\n";

static const char files[] = ".Sh FILES\n"
			    ".Bl -tag -width Ds\n"
			    ".It Pa pario-results/TIME-TEST-ID/journal.jsonl\n"
			    "the journal of a run, one JSON object per line;\n"
			    ".Fl Fl output\n"
			    "names another directory\n"
			    ".It Pa DIR/pario-ID/\n"
			    "the workspace: data files and the\n"
			    ".Pa manifest\n"
			    "that names them; removed at the end unless\n"
			    ".Fl Fl keep_files\n"
			    "is given\n"
			    ".El\n";

static const char exit_status[] =
	".Sh EXIT STATUS\n"
	".Bl -tag -width 130 -compact\n"
	".It 0\n"
	"fine; suspect results are in the journal and the table, not in the code\n"
	".It 1\n"
	"a result is invalid or a threshold was missed\n"
	".It 2\n"
	"usage: an unknown option, a refused value, a contradiction\n"
	".It 3\n"
	"an I/O or system error\n"
	".It 4\n"
	"data read back differ from data written\n"
	".It 130\n"
	"interrupted; what was measured until then is in the journal\n"
	".El\n";

static const char promises[] =
	".Sh PROMISES\n"
	".Bl -enum -compact\n"
	".It\n"
	"pario never modifies or deletes a file it did not create in this run.\n"
	"Data go into a new directory of their own; only names in its manifest are removed.\n"
	".It\n"
	"A number is printed only if every byte was transferred and acknowledged.\n"
	"Short transfers are continued or are errors; a failed\n"
	".Fn fsync\n"
	"or\n"
	".Fn close\n"
	"fails the phase.\n"
	".It\n"
	"Completed repetitions survive\n"
	".Li kill -9\n"
	"and power loss.\n"
	"Each result is one appended line, synced before the next phase begins.\n"
	".It\n"
	"No input file can run code or crash the reader.\n"
	"Plans and journals are checked, bounded text.\n"
	".It\n"
	"Every run ends within a deadline, with a reason.\n"
	"See\n"
	".Fl Fl deadline .\n"
	".It\n"
	"The tracer never changes application results.\n"
	"See\n"
	".Sy pario-trace Ns (1) .\n"
	".El\n";

static const char examples[] =
	".Sh EXAMPLES\n"
	"Write and read back 256 MiB with two clients:\n"
	".Pp\n"
	".Dl pario run transfer --np 2 --block_size 128m --dir /scratch\n"
	".Pp\n"
	"See first what a sweep would do, then do it:\n"
	".Bd -literal -offset indent\n"
	"pario run transfer --transfer_size 4k..1m:x4 --clients 1,2,4 --dry_run\n"
	"pario run transfer --transfer_size 4k..1m:x4 --clients 1,2,4\n"
	".Ed\n"
	".Pp\n"
	"On a cluster, with the clients of the batch job:\n"
	".Pp\n"
	".Dl srun -n 64 pario run transfer --api mpiio --collective 1 --dir /scratch\n"
	".Pp\n"
	"The rates of all results, out of the journal:\n"
	".Pp\n"
	".Dl jq -c 'select(.kind == \\(dqresult\\(dq) | [.phase, .clients, .rate_mib_s]' journal.jsonl\n";

/* Text for a text line: nothing in it is read as a request or an escape. */
static void plain(struct pario_text *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		pario_text_add(out, "\\&");
	for (; *text; text++) {
		if (*text == '\\')
			pario_text_add(out, "\\e");
		else if (strncmp(text, "--", 2) == 0)
			pario_text_add(out, "\\-");
		else
			pario_text_bytes(out, text, 1);
	}
}

/* A word on a macro line: must not be taken for a macro, which are two or three characters long. */
static void word(struct pario_text *out, const char *text, size_t length)
{
	if (length <= 3)
		pario_text_add(out, "\\&");
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '"' || text[i] == '\\')
			pario_text_add(out, text[i] == '"' ? "\\(dq" : "\\e");
		else
			pario_text_bytes(out, text + i, 1);
	}
}

/* "TEST [--option value ...]": words in the order they come, brackets as optional parts. */
static void synopsis_words(struct pario_text *out, const char *arguments)
{
	while (*(arguments += strspn(arguments, " "))) {
		size_t length = strcspn(arguments, " "), from = 0, to = length;

		if (arguments[0] == '[') {
			pario_text_add(out, ".Oo\n");
			from = 1;
		}
		if (to > from && arguments[to - 1] == ']')
			to--;
		if (to - from > 2 && strncmp(arguments + from, "--", 2) == 0) {
			pario_text_add(out, ".Fl Fl ");
			word(out, arguments + from + 2, to - from - 2);
		} else if (isalpha((unsigned char)arguments[from])) {
			pario_text_add(out, ".Ar ");
			word(out, arguments + from, to - from);
		} else {
			pario_text_add(out, "\\&%.*s", (int)(to - from), arguments + from);
		}
		pario_text_add(out, "\n%s", to < length ? ".Oc\n" : "");
		arguments += length;
	}
}

static void head(struct pario_text *out, const char *name, const char *summary)
{
	const char *between = *name ? "-" : "";

	pario_text_add(
		out,
		".\\\" Written by `pario help --man' from the tables in src/; `make docs' writes it anew.\n"
		".Dd " DATE "\n.Dt PARIO%s",
		between);
	for (const char *c = name; *c; c++)
		pario_text_add(out, "%c", toupper((unsigned char)*c));
	pario_text_add(out, " 1\n.Os\n.Sh NAME\n.Nm pario%s%s\n.Nd ", between, name);
	plain(out, summary);
	/* A one-line description ends without a mark. */
	while (out->length && strchr("?.!", out->data[out->length - 1]))
		out->data[--out->length] = '\0';
	pario_text_add(out, "\n");
}

static void option(struct pario_text *out, const struct pario_option *row)
{
	struct pario_text text = { 0 };
	const char *value = pario_option_placeholder(row);

	pario_text_add(out, ".It ");
	if (row->letter)
		pario_text_add(out, "Fl %c , ", row->letter);
	pario_text_add(out, "Fl Fl %s Ar ", row->name);
	word(out, value, strlen(value));
	pario_text_add(out, "\n");
	pario_option_describe(row, &text);
	plain(out, pario_text_string(&text));
	pario_text_add(out, "\n");
	out->failed |= text.failed;
	pario_text_release(&text);
}

static void hints(struct pario_text *out, const struct pario_table *table)
{
	bool first = true;

	for (const struct pario_option *row = table->rows; row->name; row++) {
		if (!pario_option_is_known_hint(row))
			continue;
		pario_text_add(out, "%s",
			       first ? ".Pp\nMPI-IO hints are options under their own names:\n"
				     : " ,\n");
		pario_text_add(out, ".Fl Fl %s", row->name);
		first = false;
	}
	if (!first)
		pario_text_add(out, " .\n");
}

static void options(struct pario_text *out, const struct pario_table *table)
{
	pario_text_add(out, ".Bl -tag -width Ds\n");
	for (const struct pario_option *row = table->rows; row->name; row++) {
		if (pario_docs_shown(row) && !pario_option_is_known_hint(row))
			option(out, row);
	}
	pario_text_add(out, ".El\n");
	hints(out, table);
}

static int by_name(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/*
 * All other pages, in the order of their names. Not by Xr: mandoc -Tlint knows no manuals but the base system's, and
 * takes references to others for mistakes.
 */
static void see_also(struct pario_text *out, const char *self)
{
	const char *names[PAGES];
	size_t count = 0;

	for (size_t i = 0; pario_commands[i].name && count < PAGES; i++)
		names[count++] = pario_commands[i].name;
	for (size_t i = 0; pario_tests[i] && count < PAGES; i++)
		names[count++] = pario_tests[i]->name;
	qsort(names, count, sizeof(names[0]), by_name);
	pario_text_add(out, ".Sh SEE ALSO\n%s", *self ? ".Sy pario Ns (1)" : "");
	for (size_t i = 0; i < count; i++) {
		if (strcmp(names[i], self) != 0)
			pario_text_add(out, "%s.Sy pario-%s Ns (1)", *self || i ? " ,\n" : "",
				       names[i]);
	}
	pario_text_add(out, "\n");
}

/* Adds a line, cut at blanks where it is too long for a source of a manual page. */
static void add_line(struct pario_text *out, const char *line, size_t length)
{
	while (length > COLUMNS) {
		size_t cut = COLUMNS;

		while (cut > 0 && line[cut] != ' ')
			cut--;
		if (cut == 0)
			break;
		pario_text_bytes(out, line, cut);
		/* A line must not begin with a character that makes it a request. */
		pario_text_add(out, line[cut + 1] == '.' || line[cut + 1] == '\'' ? "\n\\&" : "\n");
		line += cut + 1;
		length -= cut + 1;
	}
	pario_text_bytes(out, line, length);
	pario_text_add(out, "\n");
}

/* Cuts the text lines of a page; requests and literal displays stay as they are. */
static void fold(struct pario_text *out, const struct pario_text *page)
{
	const char *line = pario_text_string(page), *end;
	bool literal = false;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		size_t length = (size_t)(end - line);

		if (strncmp(line, ".Bd", 3) == 0 || strncmp(line, ".Ed", 3) == 0)
			literal = line[1] == 'B';
		if (literal || *line == '.') {
			pario_text_bytes(out, line, length + 1);
		} else {
			add_line(out, line, length);
		}
	}
	out->failed |= page->failed;
}

/* Writes the page `name`, "" for the program's own, and releases its text. */
static int finish(struct pario_text *page, const char *directory, const char *name,
		  struct pario_err *err)
{
	struct pario_text out = { 0 };
	char file[80];
	int status;

	see_also(page, name);
	fold(&out, page);
	snprintf(file, sizeof(file), "pario%s%s.1", *name ? "-" : "", name);
	status = pario_docs_file(directory, file, &out, err);
	pario_text_release(&out);
	pario_text_release(page);
	return status;
}

static int program_page(const char *directory, struct pario_err *err)
{
	struct pario_text out = { 0 };

	head(&out, "", "measures the I/O of parallel computers");
	pario_text_add(&out, ".Sh SYNOPSIS\n");
	for (const struct pario_command *c = pario_commands; c->name; c++) {
		pario_text_add(&out, ".Nm\n.Cm %s\n", c->name);
		synopsis_words(&out, c->arguments);
	}
	pario_text_add(
		&out,
		".Nm\n.Fl Fl version\n.Sh DESCRIPTION\n.Nm\n%s.Ss Commands\n.Bl -tag -width Ds\n",
		about);
	for (const struct pario_command *c = pario_commands; c->name; c++) {
		pario_text_add(&out, ".It Cm %s\n", c->name);
		plain(&out, c->summary);
		pario_text_add(&out, "\n.Pq Sy pario-%s Ns (1)\n", c->name);
	}
	pario_text_add(&out, ".El\n.Ss Tests\n.Bl -tag -width Ds\n");
	for (size_t i = 0; pario_tests[i]; i++) {
		pario_text_add(&out, ".It Cm %s\n", pario_tests[i]->name);
		plain(&out, pario_tests[i]->summary);
		pario_text_add(&out, "\n.Pq Sy pario-%s Ns (1)\n", pario_tests[i]->name);
	}
	pario_text_add(&out, ".El\n.Ss Backends\nWhat carries the data, chosen with\n.Fl Fl api :\n"
			     ".Bl -tag -width Ds\n");
	for (size_t i = 0; pario_backends[i]; i++) {
		pario_text_add(&out, ".It Cm %s\n", pario_backends[i]->name);
		plain(&out, pario_backends[i]->summary);
		pario_text_add(&out, "\n");
	}
	pario_text_add(&out, ".El\n.Ss Options\n%s.Ss Plan files\n%s", giving_options, plans);
	pario_text_add(&out, "%s%s%s%s%s", promises, environment, files, exit_status, examples);
	return finish(&out, directory, "", err);
}

static void heading(struct pario_text *out, const char *title)
{
	for (const struct pario_backend *const *b = pario_backends; *b; b++) {
		if (strcmp((*b)->name, title) == 0) {
			pario_text_add(out, ".Ss Options of the %s backend\n", title);
			return;
		}
	}
	pario_text_add(out, ".Ss %c%s options\n", toupper((unsigned char)title[0]), title + 1);
}

/* As plain, with every sentence on a line of its own. */
static void sentences(struct pario_text *out, char *text)
{
	char *end;

	while ((end = strstr(text, ". "))) {
		end[1] = '\0';
		plain(out, text);
		pario_text_add(out, "\n");
		text = end + 2;
	}
	plain(out, text);
}

/* The options of another program: the same list as `pario help`. */
static void peer_options(struct pario_text *out, const struct pario_peer *peer)
{
	struct pario_text text = { 0 };

	pario_text_add(out, ".Sh OPTIONS\n@ stands for the value.\n.Bl -tag -width Ds\n");
	for (const struct pario_peer_option *o = peer->options; o->name; o++) {
		pario_text_add(out, ".It ");
		if (o->letter)
			pario_text_add(out, "Fl %c , ", o->letter);
		pario_text_add(out, "Cm ");
		word(out, o->name, strlen(o->name));
		pario_text_add(out, "\n");
		pario_text_clear(&text);
		pario_peer_describe(peer, o, &text);
		if (text.data)
			sentences(out, text.data);
		pario_text_add(out, "\n");
	}
	pario_text_add(out, ".El\n");
	out->failed |= text.failed;
	pario_text_release(&text);
}

static void page_examples(struct pario_text *out, const char *page)
{
	const char *between = ".Sh EXAMPLES\n";

	for (const struct pario_man_example *e = pario_man_examples; e->page; e++) {
		if (strcmp(e->page, page) != 0)
			continue;
		if (e->text) {
			pario_text_add(out, "%s", between);
			plain(out, e->text);
			pario_text_add(out, "\n");
		}
		pario_text_add(out, ".Dl ");
		plain(out, e->command);
		pario_text_add(out, "\n");
		between = ".Pp\n";
	}
}

static int command_page(const char *directory, const struct pario_command *command,
			struct pario_err *err)
{
	struct pario_table tables[PARIO_DOCS_TABLES];
	size_t count = pario_docs_tables(command, tables);
	const char *between = "";
	struct pario_text out = { 0 };

	head(&out, command->name, command->summary);
	pario_text_add(&out, ".Sh SYNOPSIS\n.Nm pario\n.Cm %s\n", command->name);
	synopsis_words(&out, command->arguments);
	pario_text_add(&out, ".Sh DESCRIPTION\n");
	for (const struct pario_man_command *c = pario_man_commands; c->run; c++) {
		if (c->run != command->run)
			continue;
		pario_text_add(&out, "%s", c->text);
		between = ".Pp\n";
	}
	if (count)
		pario_text_add(&out, "%s%s.Sh OPTIONS\n", between, giving_options);
	for (size_t i = 0; i < count; i++) {
		heading(&out, tables[i].title);
		options(&out, &tables[i]);
	}
	if (count)
		pario_text_add(&out, "%s%s", environment, files);
	if (pario_cmd_peer(command))
		peer_options(&out, pario_cmd_peer(command));
	pario_text_add(&out, "%s", exit_status);
	page_examples(&out, command->name);
	return finish(&out, directory, command->name, err);
}

static void metrics(struct pario_text *out, const struct pario_test *test)
{
	if (!test->metrics || !test->metrics->name)
		return;
	pario_text_add(
		out,
		".Sh METRICS\nBeside the members that every result has:\n.Bl -tag -width Ds\n");
	for (const struct pario_metric_info *m = test->metrics; m->name; m++) {
		pario_text_add(out, ".It Va %s Pq %s\n", m->name,
			       m->unit && *m->unit ? m->unit : "number");
		plain(out, m->help ? m->help : "");
		pario_text_add(out, "%s\n",
			       m->better > 0   ? "; higher is better"
			       : m->better < 0 ? "; lower is better"
					       : "");
	}
	pario_text_add(out, ".El\n");
}

static int test_page(const char *directory, const struct pario_test *test, struct pario_err *err)
{
	struct pario_text out = { 0 };
	struct pario_plan plan;

	if (pario_plan_init(&plan, test, err) < 0)
		return -1;
	head(&out, test->name, test->summary);
	pario_text_add(
		&out,
		".Sh SYNOPSIS\n.Nm pario\n.Cm run\n.Cm %s\n.Oo\n.Fl Fl option\n.Ar value\n\\&...\n.Oc\n"
		".Sh DESCRIPTION\n",
		test->name);
	plain(&out, test->question);
	pario_text_add(&out, "\n.Pp\nIts number misleads ");
	plain(&out, test->misleads);
	pario_text_add(&out, ".\n.Pp\n%s.Sh OPTIONS\n", giving_options);
	for (size_t i = 0; i < plan.table_count; i++) {
		if (pario_docs_any(&plan.tables[i])) {
			heading(&out, plan.tables[i].title);
			options(&out, &plan.tables[i]);
		}
	}
	pario_plan_release(&plan);
	metrics(&out, test);
	pario_text_add(&out, "%s%s%s", environment, files, exit_status);
	page_examples(&out, test->name);
	return finish(&out, directory, test->name, err);
}

int pario_man_write(const char *directory, struct pario_err *err)
{
	int status = program_page(directory, err);

	for (const struct pario_command *c = pario_commands; c->name && status == 0; c++)
		status = command_page(directory, c, err);
	for (size_t i = 0; pario_tests[i] && status == 0; i++)
		status = test_page(directory, pario_tests[i], err);
	return status;
}
