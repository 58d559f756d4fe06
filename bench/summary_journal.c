/*
 * summary_journal DIRECTORY: the rows of a bench as a journal, so that `pario compare` tells one run from another.
 *
 * Standard input has a line per row, its fields separated by tabs: what was done, against what, the unit, 1 or -1 for
 * better when higher or lower, the bar, and a value for each round.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench_journal.h"

enum { WORK, AGAINST, UNIT, BETTER, BAR, VALUES, FIELDS };

/* Cuts a line at its tabs; false when there are too few. */
static bool cut(char *line, char *field[FIELDS])
{
	int n = 0;

	line[strcspn(line, "\n")] = '\0';
	for (char *at = line; at && n < FIELDS; n++)
		field[n] = n == VALUES ? at : strsep(&at, "\t");
	return n == FIELDS;
}

/* What is read with blanks in it would end a parameter of the point. */
static void joined(char *text)
{
	for (; *text; text++)
		if (*text == ' ' || *text == '=')
			*text = '_';
}

/* A result for each round; *results counts them. */
static bool put_row(FILE *file, struct pario_json *json, char *field[FIELDS], unsigned long row,
		    unsigned long *results)
{
	static struct pario_result r;
	unsigned long round = 0;
	bool fine = true;
	char *rest = NULL;

	joined(field[WORK]);
	joined(field[AGAINST]);
	for (char *v = strtok_r(field[VALUES], " \t", &rest); v && fine;
	     v = strtok_r(NULL, " \t", &rest), round++) {
		pario_result_init(&r);
		snprintf(r.test, sizeof(r.test), "bench");
		snprintf(r.phase, sizeof(r.phase), "bench");
		snprintf(r.point, sizeof(r.point), "work=%s against=%s", field[WORK],
			 field[AGAINST]);
		r.point_index = row;
		r.clients = 1;
		r.repetition = round;
		r.outcome = PARIO_PASS;
		pario_result_metric(&r, "value", field[UNIT], strtod(v, NULL));
		pario_result_metric(&r, "bar", field[UNIT], strtod(field[BAR], NULL));
		pario_result_headline(&r, "value", atoi(field[BETTER]));
		pario_journal_line(json, "result");
		pario_result_write(json, &r);
		fine = bench_put(file, json);
	}
	*results += round;
	return fine;
}

static bool put_end(FILE *file, struct pario_json *json, unsigned long results)
{
	pario_journal_line(json, "end");
	pario_json_string(json, "outcome", "pass");
	pario_json_i64(json, "exit_code", 0);
	pario_json_u64(json, "results", results);
	pario_json_real(json, "seconds", 0);
	pario_json_open(json, "kept", '[');
	pario_json_close(json, ']');
	pario_json_bool(json, "removed", true);
	return bench_put(file, json);
}

static bool put_all(FILE *file)
{
	char line[8192], *field[FIELDS], when[32], run[16], host[256] = "";
	struct pario_json json = { 0 };
	time_t now = time(NULL);
	unsigned long row = 0, results = 0;
	struct tm utc;
	bool fine;

	gethostname(host, sizeof(host) - 1);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	snprintf(run, sizeof(run), "%08lx", (unsigned long)now & 0xffffffff);
	bench_begin(&json, run, "bench", "bench", when, host);
	fine = bench_put(file, &json);
	while (fine && fgets(line, sizeof(line), stdin))
		if (cut(line, field))
			fine = put_row(file, &json, field, row++, &results);
	return fine && put_end(file, &json, results);
}

int main(int argc, char **argv)
{
	char path[4096] = "";
	FILE *file = argc == 2 ? bench_open(argv[1], path, sizeof(path)) : NULL;
	bool fine;

	if (argc != 2) {
		fprintf(stderr, "usage: summary_journal DIRECTORY <ROWS\n");
		return 2;
	}
	fine = file && put_all(file);
	if (file && fclose(file) != 0)
		fine = false;
	if (!fine)
		perror(path);
	return fine ? 0 : 3;
}
