/*
 * mdtest: its text, of which the summary is read: for each operation the largest, smallest and mean rate over the
 * iterations, and their deviation. Single iterations are not told, so an operation is one result: the mean. Newer
 * versions tell the times in a second table, or only these.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/text.h"

enum { NUMBERS = 4, PHASE = 32 };

#define OWN_HEAD "mdtest by pario "

const char *pario_mdtest_text_head(const char *line)
{
	const char *head = strstr(line, "mdtest-");

	if (!head)
		head = strstr(line, OWN_HEAD);
	return head && strstr(head, " was launched with ") ? head : NULL;
}

/* "SUMMARY rate: (of 3 iterations)", with the unit before the colon in 4.1, without "rate" in 1.8. */
static bool is_summary(const char *line)
{
	return pario_after(line, "SUMMARY") && strstr(line, ": (of ");
}

/* "2 tasks, 40 files/directories" */
static bool is_tasks(const char *line)
{
	size_t digits = strspn(line, "0123456789");
	const char *rest = pario_after(line + digits, " tasks, ");

	return digits && rest && strspn(rest, "0123456789") &&
	       (strstr(rest, " files") || strstr(rest, " directories"));
}

bool pario_mdtest_text_opens(const char *line)
{
	line += strspn(line, " \t");
	return is_summary(line) || is_tasks(line);
}

bool pario_mdtest_started(struct pario_harvest *h, const char *line)
{
	const char *started = pario_after(line, "-- started at ");

	if (!started)
		return false;
	if (*h->time || pario_time_own(started, h->time))
		return true;
	pario_time_label(started, "%m/%d/%Y %H:%M:%S", h->time);
	h->zone_untold = *h->time != '\0';
	return true;
}

/* "Directory creation  :  9012.1  8034.7  8523.4  691.2": two words, four numbers and nothing else. */
static bool split_row(char **words, size_t count, char phase[PHASE], double number[NUMBERS])
{
	size_t colon = count > 2 && strcmp(words[2], ":") == 0;

	if (count != 2 + colon + NUMBERS)
		return false;
	for (size_t i = 0; i < NUMBERS; i++) {
		number[i] = pario_number(words[2 + colon + i]);
		if (!(number[i] >= 0))
			return false;
	}
	snprintf(phase, PHASE, "%s %.*s", words[0], (int)strcspn(words[1], ":"), words[1]);
	*phase = (char)(*phase - 'A' + 'a');
	return true;
}

static int take_rate(struct pario_mdtest_text *r, const char *phase, const double number[NUMBERS],
		     struct pario_err *err)
{
	static const char *const names[NUMBERS] = { "max", "min", "mean", "std_dev" };
	struct pario_result *result = pario_harvest_result(r->harvest, phase, r->tasks, err);

	if (!result)
		return -1;
	for (size_t i = 0; i < NUMBERS; i++)
		pario_result_metric(result, names[i], "ops/s", number[i]);
	if (r->iterations != PARIO_UNTOLD)
		pario_result_metric(result, "iterations", "iterations", (double)r->iterations);
	pario_result_headline(result, "mean", 1);
	return 0;
}

/* The mean time of an operation: beside its rate, or alone where mdtest was asked for times (-Z). */
static int take_time(struct pario_mdtest_text *r, const char *phase, double value,
		     struct pario_err *err)
{
	const char *name = r->per_operation ? "mean_time_per_op" : "mean_time",
		   *unit = r->per_operation ? "ms" : "s";
	struct pario_result *result;

	for (size_t i = r->first; i < r->harvest->count; i++) {
		result = &r->harvest->results[i];
		if (strcmp(result->test, "mdtest") == 0 && strcmp(result->phase, phase) == 0) {
			pario_result_metric(result, name, unit, value);
			return 0;
		}
	}
	result = pario_harvest_result(r->harvest, phase, r->tasks, err);
	if (!result)
		return -1;
	pario_result_metric(result, name, unit, value);
	pario_result_headline(result, name, -1);
	return 0;
}

static int take_row(struct pario_mdtest_text *r, uint64_t number, const char *line,
		    struct pario_err *err)
{
	char copy[PARIO_LINE], *words[PARIO_WORDS], phase[PHASE];
	double values[NUMBERS];
	size_t count;

	snprintf(copy, sizeof(copy), "%s", line);
	count = pario_words(copy, words);
	if (!split_row(words, count, phase, values)) {
		pario_harvest_lost(r->harvest, number, line);
		return 0;
	}
	/* all zero: this operation was not asked for */
	if (values[0] == 0)
		return 0;
	if (r->table == PARIO_MDTEST_TIMES)
		return take_time(r, phase, values[2], err);
	return take_rate(r, phase, values, err);
}

/* "SUMMARY rate: (of 3 iterations)"; a table of times may follow the one of rates. */
static void take_summary(struct pario_mdtest_text *r, const char *line)
{
	bool times = strstr(line, "SUMMARY time") != NULL;
	char word[32];

	pario_word_after(line, "(of ", word, sizeof(word));
	r->iterations = pario_whole(word);
	if (!times || r->table != PARIO_MDTEST_RATES) {
		r->first = r->harvest->count;
		r->harvest->tables++;
	}
	r->table = times ? PARIO_MDTEST_TIMES : PARIO_MDTEST_RATES;
	r->per_operation = strstr(line, "(in ms/op)") != NULL;
}

/* "mdtest-4.0.0 was launched with 4 total task(s) on 1 node(s)", or "mdtest by pario 0.2.0 was ..." */
int pario_mdtest_text_begin(struct pario_mdtest_text *r, struct pario_harvest *h, char *line,
			    struct pario_err *err)
{
	const char *own = strstr(line, OWN_HEAD), *head = strstr(line, "mdtest-");
	char program[64], word[32];

	*r = (struct pario_mdtest_text){ .harvest = h,
					 .iterations = PARIO_UNTOLD,
					 .tasks = PARIO_UNTOLD };
	head = own ? own + strlen(OWN_HEAD) : head ? head : "mdtest";
	snprintf(program, sizeof(program), "%s%.*s", own ? "pario " : "", (int)strcspn(head, " "),
		 head);
	if (pario_harvest_run(h, "mdtest", program, err) < 0)
		return -1;
	if (!pario_mdtest_text_head(line))
		return 0;
	pario_word_after(line, "launched with ", word, sizeof(word));
	r->tasks = pario_whole(word);
	pario_word_after(line, " on ", word, sizeof(word));
	pario_harvest_param(h, "nodes", word);
	return 0;
}

/* "2 tasks, 40 files": of the table that follows, where -f, -l and -s ask for several. */
static void take_tasks(struct pario_mdtest_text *r, const char *line)
{
	char word[32];

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(line, " "), line);
	r->tasks = pario_whole(word);
	r->table = PARIO_MDTEST_NO_TABLE;
}

/* Where things lie and what seeds were drawn makes no run another one: these are not told as parameters. */
static bool passing(const char *name)
{
	static const char *const names[] = { "-x", "-G", "--saveRankPerformanceDetails",
					     "--savePerOpDataCSV" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static char *unquoted(char *word)
{
	size_t length = strlen(word);

	if (length > 1 && strchr("'\"", *word) && word[length - 1] == *word) {
		word[length - 1] = '\0';
		return word + 1;
	}
	return word;
}

/* The options of the command line are the parameters: what follows a letter is its value. */
static void take_command(struct pario_harvest *h, char *line)
{
	char *words[PARIO_WORDS];
	size_t count = pario_words(line, words);

	for (size_t i = 0; i < count; i++)
		words[i] = unquoted(words[i]);
	for (size_t i = 1; i < count; i++) {
		char *name = words[i], *value = strchr(name, '=');

		if (*name != '-' || !name[1])
			continue;
		if (value)
			*value++ = '\0';
		else if (i + 1 < count &&
			 (*words[i + 1] != '-' || strchr("0123456789", words[i + 1][1])))
			value = words[++i];
		if (!passing(name))
			pario_harvest_param(h, strcmp(name, "-d") == 0 ? "dir" : name,
					    value ? value : "1");
	}
}

/* "File system" and others begin lines of other programs. */
static bool is_row(const char *line)
{
	static const char *const operations[] = { "creation", "stat", "read", "removal", "rename" };
	const char *at = line + strspn(line, " \t"), *rest = pario_after(at, "Directory ");

	rest = rest ? rest : pario_after(at, "File ");
	rest = rest ? rest : pario_after(at, "Tree ");
	for (size_t i = 0; rest && i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (pario_after(rest, operations[i]))
			return true;
	}
	return false;
}

int pario_mdtest_text_line(struct pario_mdtest_text *r, uint64_t number, char *line,
			   struct pario_err *err)
{
	const char *command = pario_after(line, "Command line used:");

	if (command)
		take_command(r->harvest, line + (command - line));
	else if (is_summary(line))
		take_summary(r, line);
	else if (r->table && is_row(line))
		return take_row(r, number, line, err);
	else if (pario_after(line, "-- finished"))
		r->table = PARIO_MDTEST_NO_TABLE;
	else if (is_tasks(line))
		take_tasks(r, line);
	return 0;
}
