/*
 * text: the output of IOR, mdtest and io500, also of several of them and several runs in one file, as jobs leave it.
 *
 * A program's first line begins a run, whatever was going on; what stood before it on that line (the prefix of srun
 * -l or mpirun --tag-output, the time of a log) is taken from the lines that follow, with other digits too. A line that
 * is printed twice in a row counts once.
 */
#include "import/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/formats.h"

enum { PREFIX = 64 };
enum program { IOR, MDTEST, IO500, PROGRAMS };

struct reader {
	enum program now; /* PROGRAMS: none */
	struct pario_ior_text ior;
	struct pario_mdtest_text mdtest;
	struct pario_io500_text io500;
	struct pario_lines lines;
	char prefix[PREFIX], before[PARIO_LINE]; /* the line before */
	struct place {
		const char *test;
		size_t point;
		bool seen;
		size_t first;	/* result of its last run, if that has one */
		unsigned empty; /* runs that printed none */
	} place[PROGRAMS];
};

/* "[1,0]<stdout>:" of mpirun, "[0] " of mpiexec, " 0: " of srun: which process printed it. 0 = none. */
static size_t launcher_prefix(const char *line)
{
	const char *at = line + strspn(line, " "), *end;

	if (*at == '[') {
		end = at + 1 + strspn(at + 1, "0123456789,");
		if (end == at + 1 || *end != ']')
			return 0;
		end += strncmp(end, "]<stdout>:", 10) == 0 ? 10 : 1;
	} else {
		end = at + strspn(at, "0123456789");
		if (end == at || *end++ != ':')
			return 0;
	}
	return (size_t)(end - line) + (*end == ' ');
}

static bool is_summary(const char *line)
{
	return (pario_after(line, "[RESULT") || pario_after(line, "[SCORE")) &&
	       pario_io500_text_known(line);
}

bool pario_text_sign(const char *line, uint64_t number)
{
	(void)number;
	return pario_ior_text_begins(line) || pario_mdtest_text_begins(line) || is_summary(line) ||
	       is_summary(line + launcher_prefix(line));
}

/* The line without what the launcher puts before each. */
static char *content(struct reader *r)
{
	size_t length = 0;

	while (r->prefix[length] && (r->prefix[length] == r->lines.text[length] ||
				     (isdigit((unsigned char)r->prefix[length]) &&
				      isdigit((unsigned char)r->lines.text[length]))))
		length++;
	return r->lines.text +
	       (length && !r->prefix[length] ? length : launcher_prefix(r->lines.text));
}

static void keep_prefix(struct reader *r, const char *head)
{
	const char *at = strstr(r->lines.text, head);
	size_t length = at ? (size_t)(at - r->lines.text) : 0;

	snprintf(r->prefix, sizeof(r->prefix), "%.*s", length < PREFIX ? (int)length : 0,
		 r->lines.text);
}

/* Has the last run of a program printed nothing that was understood? */
static bool is_empty(const struct place *p, const struct pario_harvest *h)
{
	for (size_t i = p->first; p->seen && i < h->count; i++) {
		if (strcmp(h->results[i].test, p->test) == 0)
			return false;
	}
	return p->seen;
}

static int begin(struct reader *r, struct pario_harvest *h, enum program program,
		 struct pario_err *err)
{
	keep_prefix(r, program == IOR ? "IOR" : "mdtest");
	r->now = program;
	r->place[program].empty += is_empty(&r->place[program], h);
	r->place[program].first = h->count;
	r->place[program].seen = true;
	return program == IOR ? pario_ior_text_begin(&r->ior, h, content(r), err)
			      : pario_mdtest_text_begin(&r->mdtest, h, content(r), err);
}

static int take_of(struct reader *r, enum program program, char *line, struct pario_err *err)
{
	switch (program) {
	case IOR:
		return pario_ior_text_line(&r->ior, r->lines.number, line, err);
	case MDTEST:
		return pario_mdtest_text_line(&r->mdtest, r->lines.number, line, err);
	case IO500:
		r->place[IO500].seen = true;
		return pario_io500_text_line(&r->io500, r->lines.number, line, err);
	default:
		return 0;
	}
}

/* Lines of io500 stand between those of the programs that it starts: each goes on where it was. */
static int take_line(struct reader *r, struct pario_harvest *h, struct pario_err *err)
{
	char *line = content(r);
	bool repeated = *line && strcmp(line, r->before) == 0;
	enum program program = pario_ior_text_begins(line)	? IOR
			       : pario_mdtest_text_begins(line) ? MDTEST
								: PROGRAMS;
	bool begins = program != PROGRAMS;
	int status;

	snprintf(r->before, sizeof(r->before), "%s", line);
	if (repeated)
		return 0;
	if (!begins && pario_mdtest_started(h, line))
		return 0;
	if (!begins)
		program = pario_io500_text_known(line) ? IO500 : r->now;
	if (program == PROGRAMS)
		return 0;
	pario_harvest_resume(h, r->place[program].test, r->place[program].point);
	status = begins ? begin(r, h, program, err) : take_of(r, program, line, err);
	r->place[program].test = h->test;
	r->place[program].point = h->point;
	return status;
}

/* What is in it: the name of the format in the journal. */
static const char *kind(const struct place place[PROGRAMS])
{
	static const char *const names[PROGRAMS] = { "ior-text", "mdtest", "io500-summary" };
	const char *name = NULL;

	for (size_t i = 0; i < PROGRAMS; i++) {
		if (place[i].seen)
			name = name ? "text" : names[i];
	}
	return name;
}

/* What ends within its last table may lack rows, and its last number may be cut. */
static void note_end(const struct reader *r, struct pario_harvest *h)
{
	if (r->ior.columns)
		pario_harvest_note(h, PARIO_IOR_OPEN_END
				   ": it was interrupted, or the file is cut off.");
	else if (r->mdtest.table != PARIO_MDTEST_NO_TABLE)
		pario_harvest_note(h, "The text ends within a table of mdtest: it was "
				      "interrupted, or the file is cut off.");
	for (size_t i = IOR; i <= MDTEST; i++) {
		unsigned empty = r->place[i].empty + is_empty(&r->place[i], h);

		if (empty)
			pario_harvest_note(h, "%u run%s of %s printed no result.", empty,
					   empty == 1 ? "" : "s", i == IOR ? "IOR" : "mdtest");
	}
	pario_io500_note_end(h);
}

int pario_text_read(struct pario_import_file *source, struct pario_harvest *h,
		    struct pario_err *err)
{
	struct reader *r = calloc(1, sizeof(*r));
	int status = 0;

	if (!r)
		return pario_err_memory(err, NULL);
	r->io500.harvest = h;
	r->now = PROGRAMS;
	pario_lines_begin(&r->lines, source);
	while (status == 0 && pario_lines_next(&r->lines))
		status = take_line(r, h, err);
	h->format = kind(r->place);
	note_end(r, h);
	free(r);
	return status;
}
