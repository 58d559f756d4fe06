/*
 * ior_text: IOR's usual output, of any version.
 *
 * "Options:" (older: "Summary:") is followed by the parameters of a test, one per line with its mark in a fixed
 * column, and the line that begins with "access" names the columns of the rows after it. Anything may stand between
 * two rows: what IOR says of stonewalls and sizes, what -v adds, and what libraries print. The table ends with the
 * summary of all tests. A row that has a result's name but not its numbers is counted as lost.
 *
 * `pario ior` prints the same tables between its own.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "import/text.h"

#define OWN_HEAD "IOR by pario "

enum { MARK = 20 }; /* the column of the colon behind a parameter's name */

bool pario_ior_text_begins(const char *line)
{
	const char *head = strstr(line, "IOR-");

	return (head && strstr(head, ": MPI Coordinated Test of Parallel I/O")) ||
	       strstr(line, OWN_HEAD) != NULL;
}

/* "16 MiB" or "262144" as bytes. */
static uint64_t size_of(const char *text)
{
	char joined[64];
	size_t n = 0;
	uint64_t bytes;

	for (; *text && n + 1 < sizeof(joined); text++) {
		if (*text != ' ')
			joined[n++] = *text;
	}
	joined[n] = '\0';
	if (n > 5 && strcmp(joined + n - 5, "bytes") == 0)
		joined[n - 5] = '\0';
	return pario_units_parse_size("", joined, &bytes, NULL) == 0 ? bytes : PARIO_UNTOLD;
}

static void take_size(struct pario_ior_sizes *sizes, const char *key, const char *value)
{
	char word[64];

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(value, " "), value);
	if (strcmp(key, "xfersize") == 0)
		sizes->transfer = size_of(value);
	else if (strcmp(key, "blocksize") == 0)
		sizes->block = size_of(value);
	else if (strcmp(key, "segments") == 0)
		sizes->segments = pario_whole(word);
	else if (strcmp(key, "tasks") == 0 || strcmp(key, "clients") == 0)
		sizes->tasks = pario_whole(word);
	else if (strcmp(key, "stonewallingTime") == 0)
		sizes->stonewall = pario_number(word);
}

static void forget_test(struct pario_ior_text *r)
{
	r->sizes = (struct pario_ior_sizes){ .block = PARIO_UNTOLD,
					     .transfer = PARIO_UNTOLD,
					     .segments = PARIO_UNTOLD,
					     .tasks = PARIO_UNTOLD };
	r->columns = 0;
	r->inside = false;
	r->moved = PARIO_UNTOLD;
}

/* The point of the run is its first test's; each further one has its own. */
static int begin_test(struct pario_ior_text *r, struct pario_err *err)
{
	bool further = r->test;

	forget_test(r);
	r->inside = true;
	r->test = true;
	return further ? pario_harvest_point(r->harvest, err) : 0;
}

int pario_ior_text_begin(struct pario_ior_text *r, struct pario_harvest *h, const char *line,
			 struct pario_err *err)
{
	const char *own = strstr(line, OWN_HEAD),
		   *version = own ? own + strlen(OWN_HEAD) : strstr(line, "IOR-");
	char program[64];

	*r = (struct pario_ior_text){ .harvest = h, .own = own != NULL };
	forget_test(r);
	snprintf(program, sizeof(program), "%s%.*s", own ? "pario " : "",
		 (int)strcspn(version, ": "), version);
	return pario_harvest_run(h, "ior", program, err);
}

/* Is the line a parameter as IOR prints it? "api                 : POSIX", older: "\tapi                = POSIX". */
static bool is_param(const char *line)
{
	size_t length = strlen(line);

	if (*line == '\t')
		return strchr(line, '=') != NULL;
	return length > MARK && line[MARK] == ':' && *line != ' ';
}

static void take_param(struct pario_ior_text *r, char *line)
{
	char *key, *value;

	if (!is_param(line) || !pario_key_value(line, *line == '\t' ? '=' : ':', &key, &value) ||
	    !*key)
		return;
	take_size(&r->sizes, key, value);
	pario_harvest_param(r->harvest, key, value);
}

static void take_columns(struct pario_ior_text *r, char **words, size_t count)
{
	r->columns = count;
	r->inside = false;
	r->test = true;
	r->harvest->tables++;
	for (size_t i = 0; i < count; i++)
		snprintf(r->column[i], PARIO_COLUMN, "%s", words[i]);
}

static double cell(const struct pario_ior_text *r, char **words, size_t count, const char *name)
{
	for (size_t i = 0; i < r->columns && i < count; i++) {
		if (strcmp(r->column[i], name) == 0)
			return pario_harvest_cell(r->harvest, words[i]);
	}
	return (double)NAN;
}

/* A removal has a time and nothing else, and in some versions fewer columns than the others. */
static void only_time(const struct pario_ior_text *r, char **words, size_t count,
		      struct pario_ior_row *row)
{
	bool numbered = strcmp(r->column[r->columns - 1], "iter") == 0;

	row->total_s =
		count > 1u + numbered ? pario_number(words[count - 1 - numbered]) : (double)NAN;
}

static int take_row(struct pario_ior_text *r, uint64_t number, const char *line, char **words,
		    size_t count, struct pario_err *err)
{
	struct pario_ior_row row = {
		.bw_mib = cell(r, words, count, "bw(MiB/s)"),
		.iops = cell(r, words, count, "IOPS"),
		.latency_s = cell(r, words, count, "Latency(s)"),
		.open_s = cell(r, words, count, "open(s)"),
		.transfer_s = cell(r, words, count, "wr/rd(s)"),
		.close_s = cell(r, words, count, "close(s)"),
		.total_s = cell(r, words, count, "total(s)"),
		.moved = r->moved,
	};
	bool removal = strcmp(words[0], "remove") == 0;

	if (removal)
		only_time(r, words, count, &row);
	if (removal ? !(row.total_s >= 0) : count < r->columns || !(row.bw_mib >= 0)) {
		pario_harvest_lost(r->harvest, number, line);
		return 0;
	}
	snprintf(row.access, sizeof(row.access), "%s", words[0]);
	r->moved = PARIO_UNTOLD;
	return pario_ior_take(r->harvest, &row, &r->sizes, err);
}

/* "write" also begins sentences; in a row it fills a column of ten. */
static bool is_row(const char *line, char **words, size_t count)
{
	size_t length = count > 2 ? strlen(words[0]) : 0;

	if (!length || (strcmp(words[0], "write") != 0 && strcmp(words[0], "read") != 0 &&
			strcmp(words[0], "remove") != 0))
		return false;
	return strspn(line + length, " ") >= 10 - length || strchr("0123456789-", *words[1]);
}

/* What is said about the whole run, and where its parts begin. Returns whether the line was one of these. */
static bool take_head(struct pario_ior_text *r, const char *line, int *status,
		      struct pario_err *err)
{
	const char *value;

	if ((value = pario_after(line, "WARNING: Using actual aggregate bytes moved = "))) {
		char word[32];

		snprintf(word, sizeof(word), "%.*s", (int)strcspn(value, ". "), value);
		r->moved = pario_whole(word);
	} else if (pario_after(line, "Options:") || pario_after(line, "Summary:")) {
		*status = begin_test(r, err);
	} else if (pario_after(line, "Results:") || (r->own && pario_after(line, "Max "))) {
		r->inside = false;
	} else if (pario_after(line, "Summary of all tests") || pario_after(line, "Finished")) {
		forget_test(r);
	} else if ((value = pario_after(line, "Began")) && strchr(":= \t", *value)) {
		pario_ior_head(r->harvest, r->own, value + strspn(value, " \t:="), "");
	} else if ((value = pario_after(line, "Machine")) && strchr(":= \t", *value)) {
		pario_ior_head(r->harvest, r->own, "", value + strspn(value, " \t:="));
	} else {
		return false;
	}
	return true;
}

int pario_ior_text_line(struct pario_ior_text *r, uint64_t number, char *line,
			struct pario_err *err)
{
	char copy[PARIO_LINE], *words[PARIO_WORDS];
	int status = 0;
	size_t count;

	if (take_head(r, line, &status, err))
		return status;
	snprintf(copy, sizeof(copy), "%s", line);
	count = pario_words(copy, words);
	if (count > 2 && strcmp(words[0], "access") == 0 && strncmp(words[1], "bw(", 3) == 0)
		take_columns(r, words, count);
	else if (r->columns && is_row(line, words, count))
		return take_row(r, number, line, words, count, err);
	else if (r->inside)
		take_param(r, line);
	return 0;
}
