/*
 * ior_text: IOR's usual output.
 *
 * "key : value" lines (older versions: "key = value") are the parameters of a test, and the line that begins with
 * "access" names the columns of its rows, so that the columns of any version are read. A file may hold several tests.
 *
 * `pario ior` prints the same tables between its own: there only what stands from "Options:" to the best rate counts.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "import/formats.h"
#include "import/ior.h"
#include "import/lines.h"

enum { COLUMN = 32 };

#define OWN_HEAD "IOR by pario "

struct reader {
	struct pario_harvest *harvest;
	struct pario_lines lines;
	struct pario_ior_sizes sizes;
	char column[PARIO_WORDS][COLUMN];
	size_t columns; /* 0: no table yet */
	bool test;	/* a point is open */
	bool own;	/* pario printed it */
	bool inside;	/* its list of options */
	char version[64], began[64], machine[256];
};

bool pario_ior_text_recognise(const struct pario_import_file *source)
{
	return (pario_holds_head(source, "IOR-") || pario_holds_head(source, OWN_HEAD)) &&
	       pario_holds_head(source, "access ");
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

static void forget_test(struct reader *r)
{
	r->sizes = (struct pario_ior_sizes){ .block = PARIO_UNTOLD,
					     .transfer = PARIO_UNTOLD,
					     .segments = PARIO_UNTOLD,
					     .tasks = PARIO_UNTOLD };
	r->test = false;
	r->columns = 0;
}

/* What is said once about the whole file. */
static bool take_head(struct reader *r, const char *key, const char *value)
{
	static const char *const others[] = { "Command line", "Command line used",
					      "Finished",     "Path",
					      "FS",	      "StartTime",
					      "Max Write",    "Max Read" };

	if (strcmp(key, "Began") == 0 || strcmp(key, "began") == 0)
		snprintf(r->began, sizeof(r->began), "%s", value);
	else if (strcmp(key, "Machine") == 0)
		snprintf(r->machine, sizeof(r->machine), "%s", value);
	else {
		for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
			if (strcmp(key, others[i]) == 0)
				return true;
		}
		return false;
	}
	return true;
}

/* The table of a test ended with its last row: a parameter after it begins the next one. */
static int take_param(struct reader *r, struct pario_err *err)
{
	char *key, *value;

	if (!pario_key_value(r->lines.text,
			     strchr(r->lines.text, '=') && !strstr(r->lines.text, " : ") ? '='
											 : ':',
			     &key, &value) ||
	    !*key || take_head(r, key, value) || (r->own && !r->inside))
		return 0;
	if (strcmp(key, "TestID") == 0 || r->columns)
		forget_test(r);
	if (!r->test && pario_harvest_point(r->harvest, err) < 0)
		return -1;
	r->test = true;
	take_size(&r->sizes, key, value);
	pario_harvest_param(r->harvest, key, value);
	return 0;
}

static void take_columns(struct reader *r, char **words, size_t count)
{
	r->columns = count;
	for (size_t i = 0; i < count; i++)
		snprintf(r->column[i], COLUMN, "%s", words[i]);
}

static double cell(const struct reader *r, char **words, size_t count, const char *name)
{
	for (size_t i = 0; i < r->columns && i < count; i++) {
		if (strcmp(r->column[i], name) == 0)
			return pario_number(words[i]);
	}
	return (double)NAN;
}

static int take_row(struct reader *r, char **words, size_t count, struct pario_err *err)
{
	struct pario_ior_row row = {
		.bw_mib = cell(r, words, count, "bw(MiB/s)"),
		.iops = cell(r, words, count, "IOPS"),
		.latency_s = cell(r, words, count, "Latency(s)"),
		.open_s = cell(r, words, count, "open(s)"),
		.transfer_s = cell(r, words, count, "wr/rd(s)"),
		.close_s = cell(r, words, count, "close(s)"),
		.total_s = cell(r, words, count, "total(s)"),
	};

	if (count != r->columns)
		return 0;
	if (!r->test && pario_harvest_point(r->harvest, err) < 0)
		return -1;
	r->test = true;
	snprintf(row.access, sizeof(row.access), "%s", words[0]);
	return pario_ior_take(r->harvest, &row, &r->sizes, err);
}

static bool is_access(const char *word)
{
	return strcmp(word, "write") == 0 || strcmp(word, "read") == 0 ||
	       strcmp(word, "remove") == 0;
}

/* Of what pario printed: does another part of it begin here? */
static bool enter_part(struct reader *r)
{
	bool begins = pario_after(r->lines.text, "Options:") != NULL;

	if (begins || pario_after(r->lines.text, "Max "))
		forget_test(r);
	else if (!pario_after(r->lines.text, "Results:"))
		return false;
	r->inside = begins;
	return true;
}

static int take_line(struct reader *r, struct pario_err *err)
{
	char copy[PARIO_LINE], *words[PARIO_WORDS];
	const char *version = pario_after(r->lines.text, "IOR-");
	const char *own = pario_after(r->lines.text, OWN_HEAD);
	size_t count;

	if (version || own) {
		snprintf(r->version, sizeof(r->version), "%s%.*s", own ? "pario " : "",
			 (int)strcspn(own ? own : version, ": "), own ? own : version);
		return 0;
	}
	if (r->own && enter_part(r))
		return 0;
	memcpy(copy, r->lines.text, sizeof(copy));
	count = pario_words(copy, words);
	if (count > 2 && strcmp(words[0], "access") == 0 && strncmp(words[1], "bw(", 3) == 0)
		take_columns(r, words, count);
	else if (count > 2 && r->columns && is_access(words[0]) && strcmp(words[1], ":") != 0)
		return take_row(r, words, count, err);
	else
		return take_param(r, err);
	return 0;
}

int pario_ior_text_read(const struct pario_import_file *source, struct pario_harvest *h,
			struct pario_err *err)
{
	struct reader r = { .harvest = h, .own = pario_holds_head(source, OWN_HEAD) };

	h->test = "ior";
	forget_test(&r);
	pario_lines_begin(&r.lines, source);
	while (pario_lines_next(&r.lines)) {
		/* the rows of the summary repeat what was told before, in columns of their own */
		if (pario_after(r.lines.text, "Summary of all tests"))
			break;
		if (take_line(&r, err) < 0)
			return -1;
	}
	pario_ior_head(h, r.version, r.began, r.machine);
	return 0;
}
