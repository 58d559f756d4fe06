/*
 * readjournal: what does the reader make of a journal that a crash left?
 *
 * usage: readjournal JOURNAL
 *
 * Prints "lines results torn ended" (0 or 1 for the last two) of the valid prefix. Exit 1 with the reader's sentence
 * when it is damaged anywhere but in its last line.
 */
#include "journal/journal.h"

#include <string.h>

int main(int argc, char **argv)
{
	struct pario_journal_reader reader;
	struct pario_err err = { 0 };
	unsigned long lines = 0, results = 0;
	bool ended = false;
	json_t *line;
	int got;

	if (argc != 2 || pario_journal_open(&reader, argv[1], &err) < 0) {
		fprintf(stderr, "%s\n", argc == 2 ? err.text : "usage: readjournal JOURNAL");
		return 2;
	}
	while ((got = pario_journal_next(&reader, &line, &err)) > 0) {
		const char *kind = json_string_value(json_object_get(line, "kind"));

		lines++;
		results += strcmp(kind, "result") == 0;
		ended = strcmp(kind, "end") == 0;
		json_decref(line);
	}
	if (got < 0)
		fprintf(stderr, "%s\n", err.text);
	else
		printf("%lu %lu %d %d\n", lines, results, reader.torn, ended);
	pario_journal_done(&reader);
	return got < 0;
}
