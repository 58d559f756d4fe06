/*
 * text: the output of IOR, mdtest and io500, also of several of them and several runs in one file, as jobs leave it.
 *
 * A program's first line begins a run, whatever was going on; what stood before it on that line (the time of a log, a
 * margin) is taken from the lines that follow, with other numbers too. A line printed twice in a row counts once.
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

/* Where a line begins that a program of these prints first; NULL: nowhere. */
static const char *head_of(const char *line, enum program *program)
{
	const char *head = pario_ior_text_head(line);

	*program = IOR;
	if (!head) {
		head = pario_mdtest_text_head(line);
		*program = head ? MDTEST : PROGRAMS;
	}
	return head;
}

static bool is_summary(const char *line)
{
	const char *at = pario_io500_text_at(line);

	return at && (pario_after(at, "[RESULT") || pario_after(at, "[SCORE"));
}

bool pario_text_sign(const char *line, uint64_t number)
{
	enum program program;

	(void)number;
	return head_of(line, &program) || pario_ior_text_opens(line) ||
	       pario_mdtest_text_opens(line) || is_summary(line);
}

/* How much of the line is the prefix; a number may be another one. */
static size_t prefixed(const char *prefix, const char *line)
{
	static const char digits[] = "0123456789";
	const char *at = line;

	while (*prefix) {
		if (isdigit((unsigned char)*prefix) && isdigit((unsigned char)*at)) {
			prefix += strspn(prefix, digits);
			at += strspn(at, digits);
		} else if (*prefix++ != *at++) {
			return 0;
		}
	}
	return (size_t)(at - line);
}

static void keep_prefix(struct reader *r, const char *head)
{
	size_t length = (size_t)(head - r->lines.text);

	snprintf(r->prefix, sizeof(r->prefix), "%.*s", length < PREFIX ? (int)length : 0,
		 r->lines.text);
}

/*
 * Whose line it is, from where on, and whether a run begins with it. A table without the program's first line, as
 * people cut them out, begins one as well.
 */
static char *content(struct reader *r, enum program *program, bool *begins)
{
	char *line = r->lines.text;
	const char *head = head_of(line, program);

	*begins = head != NULL;
	if (!head && (head = pario_io500_text_at(line + prefixed(r->prefix, line))))
		*program = IO500;
	if (head && *head != '[')
		keep_prefix(r, head);
	if (head)
		return line + (head - line);
	line += prefixed(r->prefix, line);
	*program = r->now;
	if (r->now != IOR && pario_ior_text_opens(line))
		*program = IOR;
	else if (r->now != MDTEST && pario_mdtest_text_opens(line))
		*program = MDTEST;
	*begins = *program != r->now;
	if (*begins)
		keep_prefix(r, line + strspn(line, " \t"));
	return line + prefixed(r->prefix, r->lines.text) - (line - r->lines.text);
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

static int begin(struct reader *r, struct pario_harvest *h, enum program program, char *line,
		 struct pario_err *err)
{
	r->now = program;
	r->place[program].empty += is_empty(&r->place[program], h);
	r->place[program].first = h->count;
	r->place[program].seen = true;
	return program == IOR ? pario_ior_text_begin(&r->ior, h, line, err)
			      : pario_mdtest_text_begin(&r->mdtest, h, line, err);
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
	enum program program;
	bool begins;
	char *line = content(r, &program, &begins);
	bool repeated = *line && strcmp(line, r->before) == 0;
	int status = 0;

	snprintf(r->before, sizeof(r->before), "%s", line);
	if (repeated || (!begins && pario_mdtest_started(h, line)) || program == PROGRAMS)
		return 0;
	pario_harvest_resume(h, r->place[program].test, r->place[program].point);
	if (begins)
		status = begin(r, h, program, line, err);
	if (status == 0)
		status = take_of(r, program, line, err);
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
	if (r->ior.columns && r->ior.table == PARIO_IOR_ROWS)
		pario_harvest_note(h, PARIO_IOR_OPEN_END
				   ": it was interrupted, or the file is cut off.");
	else if (r->ior.awaits && r->ior.had_run)
		pario_harvest_note(h, "The last test of IOR printed no result.");
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
	size_t before = 0;
	int status = 0;

	if (!r)
		return pario_err_memory(err, NULL);
	r->io500.harvest = h;
	r->now = PROGRAMS;
	pario_lines_begin(&r->lines, source);
	while (status == 0 && pario_lines_next(&r->lines)) {
		before = h->count;
		status = take_line(r, h, err);
	}
	if (r->lines.cut && h->count > before)
		pario_harvest_note(h, "The last line has no end; its last number may be cut.");
	h->format = kind(r->place);
	note_end(r, h);
	free(r);
	return status;
}
