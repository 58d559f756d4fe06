/*
 * ior_text: IOR's usual output, of any version.
 *
 * "Options:" (older: "Summary:") is followed by the parameters of a test, one per line with its mark in a fixed
 * column, and the line that begins with "access" names the columns of the rows after it. Anything may stand between
 * two rows: what IOR says of stonewalls and sizes, what -v adds, and what libraries print. The table ends with the
 * summary of all tests. A row that has a result's name but not its numbers is counted as lost.
 *
 * IOR 2 prints no rows but the largest, smallest and mean rate of the repetitions, and people keep only such a summary,
 * or the lines "Max Write:". Where there are no rows the mean is the result, or else the largest.
 *
 * `pario ior` prints the same tables between its own.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "import/text.h"

#define OWN_HEAD "IOR by pario "

enum { MARK = 20 }; /* the column of the colon behind a parameter's name */

const char *pario_ior_text_head(const char *line)
{
	const char *head = strstr(line, "IOR-");

	return head && strstr(head, ": MPI Coordinated Test of Parallel I/O")
		       ? head
		       : strstr(line, OWN_HEAD);
}

/* "access    bw(MiB/s) ...": the columns of rows. "Operation   Max(MiB)   Min(MiB) ...": those of a summary. */
static bool is_header(const char *line, bool *spreads)
{
	const char *rest = pario_after(line, "access");

	*spreads = !rest;
	if (rest)
		return rest > line + 6 && pario_after(rest, "bw(MiB/s)");
	rest = pario_after(line, "Operation");
	return rest && pario_after(rest, "Max") && pario_after(pario_after(rest, "Max"), "(MiB)");
}

/* "Max Write: 115.02 MiB/sec (120.60 MB/sec)" */
static double largest(const char *line, const char **access)
{
	const char *rest = pario_after(line, "Max Write: ");
	char number[32];

	*access = rest ? "write" : "read";
	rest = rest ? rest : pario_after(line, "Max Read: ");
	snprintf(number, sizeof(number), "%.*s", rest ? (int)strcspn(rest, " ") : 0,
		 rest ? rest : "");
	return rest && pario_after(rest + strlen(number), " MiB/sec (") ? pario_number(number)
									: (double)NAN;
}

bool pario_ior_text_opens(const char *line)
{
	const char *access;
	bool spreads;

	line += strspn(line, " \t");
	return is_header(line, &spreads) || isfinite(largest(line, &access));
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
	r->had_test = 0;
	r->inside = false;
	r->moved = PARIO_UNTOLD;
}

/* The point of the run is its first test's; each further one has its own. */
static int begin_test(struct pario_ior_text *r, struct pario_err *err)
{
	bool further = r->test;

	forget_test(r);
	r->inside = r->awaits = true;
	r->test = true;
	return further ? pario_harvest_point(r->harvest, err) : 0;
}

int pario_ior_text_begin(struct pario_ior_text *r, struct pario_harvest *h, const char *line,
			 struct pario_err *err)
{
	const char *own = strstr(line, OWN_HEAD),
		   *version = own ? own + strlen(OWN_HEAD) : pario_ior_text_head(line);
	char program[64];

	*r = (struct pario_ior_text){ .harvest = h, .own = own != NULL };
	forget_test(r);
	version = version ? version : "IOR";
	snprintf(program, sizeof(program), "%s%.*s", own ? "pario " : "",
		 (int)strcspn(version, ": "), version);
	return pario_harvest_run(h, "ior", program, err);
}

/*
 * The mark behind a parameter's name: "api                 : POSIX", older: "\tapi                = POSIX". Where a
 * text went through other programs the blanks may be others. 0: the line is no parameter.
 */
static char mark_of(const char *line)
{
	size_t blank = strspn(line, " \t"), length = strcspn(line + blank, ":="),
	       at = blank + length;

	if (length > MARK || !line[at])
		return 0;
	for (size_t i = 0; at != MARK && i < length; i++) {
		if (line[blank + i] != ' ' && !isalpha((unsigned char)line[blank + i]))
			return 0;
	}
	return line[at] == '=' || (length && line[at - 1] == ' ') || at == MARK ? line[at] : 0;
}

static void take_param(struct pario_ior_text *r, char *line)
{
	char mark = mark_of(line), *key, *value;

	if (!mark || !pario_key_value(line, mark, &key, &value) || !*key)
		return;
	take_size(&r->sizes, key, value);
	pario_harvest_param(r->harvest, key, value);
}

static void take_columns(struct pario_ior_text *r, char **words, size_t count, bool spreads)
{
	r->columns = count;
	r->table = spreads ? PARIO_IOR_SPREADS : PARIO_IOR_ROWS;
	r->inside = false;
	r->test = true;
	r->harvest->tables++;
	for (size_t i = 0; i < count; i++)
		snprintf(r->column[i], PARIO_COLUMN, "%s", words[i]);
	/* of a line that was broken the last name may be cut, and so are the numbers below it */
	if (!spreads && strcmp(words[count - 1], "iter") != 0)
		r->column[count - 1][0] = '\0';
}

static double cell(const struct pario_ior_text *r, char **words, size_t count, const char *name)
{
	for (size_t i = 0; i < r->columns && i < count; i++) {
		if (strcmp(r->column[i], name) == 0)
			return pario_harvest_cell(r->harvest, words[i]);
	}
	return (double)NAN;
}

/* A removal has a time and its iteration, and in some versions fewer columns than the others. Else NaN. */
static double only_time(char **words, size_t count)
{
	size_t i = 1;

	while (i < count && strcmp(words[i], "-") == 0)
		i++;
	return i + 1 < count && pario_whole(words[i + 1]) != PARIO_UNTOLD ? pario_number(words[i])
									  : (double)NAN;
}

/* What stands behind a row does not matter; what came between its cells has moved them. */
static bool is_whole(const struct pario_ior_text *r, char **words, size_t count)
{
	static const char *const none[] = { "-", "NA", "nan", "-nan", "inf", "-inf" };

	for (size_t i = 1; count > r->columns && i < r->columns; i++) {
		bool known = isfinite(pario_number(words[i]));

		for (size_t k = 0; !known && k < sizeof(none) / sizeof(none[0]); k++)
			known = strcmp(words[i], none[k]) == 0;
		if (!known)
			return false;
	}
	return count >= r->columns;
}

static unsigned bit_of(const char *access)
{
	return *access == 'w' ? 1 : 2;
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
		row.total_s = only_time(words, count);
	if (removal ? !(row.total_s >= 0) : !is_whole(r, words, count) || !(row.bw_mib >= 0)) {
		pario_harvest_lost(r->harvest, number, line);
		return 0;
	}
	snprintf(row.access, sizeof(row.access), "%s", words[0]);
	r->moved = PARIO_UNTOLD;
	r->awaits = false;
	r->had_test |= removal ? 0 : bit_of(row.access);
	r->had_run |= r->had_test;
	return pario_ior_take(r->harvest, &row, &r->sizes, err);
}

/* Of a summary; NULL where it has no such column. The first versions have blanks within their names. */
static const char *named(const struct pario_ior_text *r, char **words, size_t count,
			 const char *name)
{
	for (size_t i = 0; strcmp(r->column[1], "Max(MiB)") == 0 && i < r->columns && i < count;
	     i++) {
		if (strcmp(r->column[i], name) == 0)
			return words[i];
	}
	return NULL;
}

static int add_rate(struct pario_ior_text *r, const char *access, double rate,
		    struct pario_err *err)
{
	struct pario_ior_row row = { .bw_mib = rate,
				     .iops = NAN,
				     .latency_s = NAN,
				     .open_s = NAN,
				     .transfer_s = NAN,
				     .close_s = NAN,
				     .total_s = NAN,
				     .moved = PARIO_UNTOLD };

	snprintf(row.access, sizeof(row.access), "%s", access);
	r->test = true;
	r->awaits = false;
	r->had_test |= bit_of(access);
	r->had_run |= r->had_test;
	return pario_ior_take(r->harvest, &row, &r->sizes, err);
}

/* "write  2401.53  2212.13  2306.83  94.70 ...": largest, smallest, mean and deviation. */
static int take_spread(struct pario_ior_text *r, uint64_t number, const char *line, char **words,
		       size_t count, struct pario_err *err)
{
	static const char *const names[] = { "max", "min", "mean", "std_dev" };
	const char *tasks = named(r, words, count, "#Tasks"),
		   *test = named(r, words, count, "Test#");
	unsigned had = strcmp(r->column[1], "Max") == 0 ? r->had_test : r->had_run;
	double value[4] = { NAN, NAN, NAN, NAN };

	if ((had & bit_of(words[0])) && !*r->number)
		return 0;
	for (size_t i = 0; i < 4 && i + 1 < count; i++)
		value[i] = pario_number(words[i + 1]);
	if (!(value[0] >= value[2] && value[2] >= value[1] && value[1] >= 0 && value[3] >= 0)) {
		pario_harvest_lost(r->harvest, number, line);
		return 0;
	}
	if (test && *r->number && strcmp(r->number, test) != 0 &&
	    pario_harvest_point(r->harvest, err) < 0)
		return -1;
	snprintf(r->number, sizeof(r->number), "%s", test ? test : "");
	if (tasks)
		r->sizes.tasks = pario_whole(tasks);
	if (add_rate(r, words[0], value[2], err) < 0)
		return -1;
	for (size_t i = 0; i < 4; i++)
		pario_result_metric(&r->harvest->results[r->harvest->count - 1], names[i], "MiB/s",
				    value[i]);
	return 0;
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

static int take_largest(struct pario_ior_text *r, const char *line, struct pario_err *err)
{
	const char *access;
	double rate = largest(line, &access);

	r->inside = false;
	if (!(rate > 0) || (r->had_test & bit_of(access)))
		return 0;
	if (add_rate(r, access, rate, err) < 0)
		return -1;
	pario_result_metric(&r->harvest->results[r->harvest->count - 1], "max", "MiB/s", rate);
	return 0;
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
	} else if (pario_after(line, "Max ")) {
		*status = take_largest(r, line, err);
	} else if (pario_after(line, "Results:")) {
		r->inside = false;
	} else if (pario_after(line, "Summary of all tests") || pario_after(line, "Finished")) {
		forget_test(r);
	} else if (((value = pario_after(line, "Began")) ||
		    (value = pario_after(line, "Run began"))) &&
		   strchr(":= \t", *value)) {
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
	bool spreads;

	if (take_head(r, line, &status, err))
		return status;
	snprintf(copy, sizeof(copy), "%s", line);
	count = pario_words(copy, words);
	if (count > 2 && is_header(line, &spreads))
		take_columns(r, words, count, spreads);
	else if (r->columns && is_row(line, words, count))
		return (r->table == PARIO_IOR_ROWS ? take_row : take_spread)(r, number, line, words,
									     count, err);
	else if (r->inside)
		take_param(r, line);
	return 0;
}
