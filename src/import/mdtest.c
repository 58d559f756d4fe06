/*
 * mdtest: its text, of which the summary is read: for each operation the largest, smallest and mean rate over the
 * iterations, and their deviation. Single iterations are not told, so an operation is one result: the mean.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/formats.h"
#include "import/lines.h"

enum { NUMBERS = 4 };

#define OWN_HEAD "mdtest by pario "

struct reader {
	struct pario_harvest *harvest;
	uint64_t tasks, iterations;
	bool rates; /* within the table of rates */
};

bool pario_mdtest_recognise(const struct pario_import_file *source)
{
	return (pario_holds_head(source, "mdtest-") || pario_holds_head(source, OWN_HEAD)) &&
	       memmem(source->text, source->length, "\nSUMMARY", 8) != NULL;
}

static void take_operation(char **words, size_t count, char *phase, size_t capacity)
{
	size_t length = 0;

	phase[0] = '\0';
	for (size_t i = 0; i < count && length < capacity; i++) {
		if (strcmp(words[i], ":") != 0)
			length += (size_t)snprintf(phase + length, capacity - length, "%s%s",
						   length ? " " : "", words[i]);
	}
	length = strlen(phase);
	if (length && phase[length - 1] == ':')
		phase[length - 1] = '\0';
	if (*phase >= 'A' && *phase <= 'Z')
		*phase = (char)(*phase - 'A' + 'a');
}

/* "Directory creation  9012.1  8034.7  8523.4  691.2": words, then four numbers. */
static int take_row(struct reader *r, char **words, size_t count, struct pario_err *err)
{
	static const char *const names[NUMBERS] = { "max", "min", "mean", "std_dev" };
	double number[NUMBERS];
	char phase[32];
	struct pario_result *result;

	if (count <= NUMBERS)
		return 0;
	for (size_t i = 0; i < NUMBERS; i++) {
		number[i] = pario_number(words[count - NUMBERS + i]);
		if (!isfinite(number[i]))
			return 0;
	}
	take_operation(words, count - NUMBERS, phase, sizeof(phase));
	/* all zero: this operation was not asked for */
	if (!*phase || number[0] == 0)
		return 0;
	result = pario_harvest_result(r->harvest, phase, r->tasks, err);
	if (!result)
		return -1;
	for (size_t i = 0; i < NUMBERS; i++)
		pario_result_metric(result, names[i], "ops/s", number[i]);
	if (r->iterations != PARIO_UNTOLD)
		pario_result_metric(result, "iterations", "iterations", (double)r->iterations);
	pario_result_headline(result, "mean", 1);
	return 0;
}

/* "SUMMARY rate: (of 3 iterations)"; a table of times may follow the one of rates. */
static void take_summary(struct reader *r, const char *line)
{
	const char *of = strstr(line, "(of ");
	char word[32] = "";

	if (of)
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(of + 4, " )"), of + 4);
	r->iterations = pario_whole(word);
	r->rates = !strstr(line, "time");
}

/* "mdtest-4.0.0 was launched with 4 total task(s) on 1 node(s)", or "mdtest by pario 0.2.0 was ..." */
static void take_launch(struct reader *r, char *line)
{
	char *words[PARIO_WORDS];
	bool own = pario_after(line, OWN_HEAD) != NULL;
	size_t count = pario_words(line, words);

	if (own && count > 3)
		snprintf(r->harvest->program, sizeof(r->harvest->program), "pario %s", words[3]);
	else
		snprintf(r->harvest->program, sizeof(r->harvest->program), "%s", words[0]);
	for (size_t i = 1; i + 1 < count; i++) {
		if (strcmp(words[i], "with") == 0)
			r->tasks = pario_whole(words[i + 1]);
		if (strcmp(words[i], "on") == 0)
			pario_harvest_param(r->harvest, "nodes", words[i + 1]);
	}
}

/* "2 tasks, 40 files": of the table that follows, where -f, -l and -s ask for several. */
static void take_tasks(struct reader *r, const char *line)
{
	char word[32];

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(line, " "), line);
	if (pario_whole(word) != PARIO_UNTOLD)
		r->tasks = pario_whole(word);
}

/*
 * The options of the command line are the parameters: what follows a letter is its value. Places are left out; -d
 * becomes what compare does not count.
 */
static void take_command(struct pario_harvest *h, char *line)
{
	char *words[PARIO_WORDS];
	size_t count = pario_words(line, words);

	for (size_t i = 1; i < count; i++) {
		char *word = words[i] + (*words[i] == '\'');
		const char *value = i + 1 < count ? words[i + 1] + (*words[i + 1] == '\'') : "-";
		char name[64];

		word[strcspn(word, "'")] = '\0';
		if (*word != '-' || !word[1])
			continue;
		snprintf(name, sizeof(name), "%s", word);
		if (*value == '-') {
			pario_harvest_param(h, name, "1");
			continue;
		}
		words[i + 1] = (char *)(uintptr_t)value;
		words[i + 1][strcspn(words[i + 1], "'")] = '\0';
		pario_harvest_param(h, strcmp(name, "-d") == 0 ? "dir" : name, words[++i]);
	}
}

static int take_line(struct reader *r, struct pario_lines *lines, struct pario_err *err)
{
	const char *started = pario_after(lines->text, "-- started at ");
	char *words[PARIO_WORDS];

	if (started) {
		if (pario_time_own(started, r->harvest->time))
			return 0;
		pario_time_label(started, "%m/%d/%Y %H:%M:%S", r->harvest->time);
		r->harvest->zone_untold = *r->harvest->time != '\0';
	} else if (pario_after(lines->text, "mdtest-") || pario_after(lines->text, OWN_HEAD)) {
		take_launch(r, lines->text);
	} else if (strstr(lines->text, " tasks, ")) {
		take_tasks(r, lines->text);
	} else if (pario_after(lines->text, "Command line used:")) {
		take_command(r->harvest, lines->text + strlen("Command line used:"));
	} else if (pario_after(lines->text, "SUMMARY")) {
		take_summary(r, lines->text);
	} else if (r->rates) {
		return take_row(r, words, pario_words(lines->text, words), err);
	}
	return 0;
}

int pario_mdtest_read(const struct pario_import_file *source, struct pario_harvest *h,
		      struct pario_err *err)
{
	struct reader r = { .harvest = h, .tasks = PARIO_UNTOLD, .iterations = PARIO_UNTOLD };
	struct pario_lines lines;

	h->test = "mdtest";
	if (pario_harvest_point(h, err) < 0)
		return -1;
	pario_lines_begin(&lines, source);
	while (pario_lines_next(&lines)) {
		if (take_line(&r, &lines, err) < 0)
			return -1;
	}
	return 0;
}
