/*
 * bench_journal: how programs of the bench write journals: a first line without a machine, and lines without waiting
 * for storage after each, which would be the whole time of some of them.
 */
#ifndef PARIO_BENCH_BENCH_JOURNAL_H
#define PARIO_BENCH_BENCH_JOURNAL_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "journal/journal.h"
#include "journal/result.h"

static inline void bench_begin(struct pario_json *json, const char *run, const char *label,
			       const char *test, const char *time, const char *host)
{
	pario_journal_line(json, "begin");
	pario_json_string(json, "schema", PARIO_JOURNAL_SCHEMA);
	pario_json_string(json, "run", run);
	pario_json_string(json, "version", "0");
	pario_json_open(json, "command", '[');
	pario_json_close(json, ']');
	pario_json_string(json, "label", label);
	pario_json_string(json, "test", test);
	pario_json_string(json, "time", time);
	pario_json_open(json, "params", '{');
	pario_json_close(json, '}');
	pario_json_open(json, "clients", '[');
	pario_json_close(json, ']');
	pario_json_open(json, "machine", '{');
	pario_json_string(json, "host", host);
	pario_json_close(json, '}');
	pario_json_open(json, "environment", '{');
	pario_json_close(json, '}');
}

static inline bool bench_put(FILE *file, struct pario_json *json)
{
	char tail[PARIO_JOURNAL_TAIL + 1];
	bool fine;

	pario_journal_tail(tail, json->text.data, json->text.length);
	fine = !json->text.failed &&
	       fwrite(json->text.data, 1, json->text.length, file) == json->text.length &&
	       fputs(tail, file) >= 0 && fputc('\n', file) >= 0;
	pario_json_release(json);
	return fine;
}

/* journal.jsonl in a directory that is made; NULL when it is there already. */
static inline FILE *bench_open(const char *directory, char *path, size_t capacity)
{
	mkdir(directory, 0777);
	snprintf(path, capacity, "%s/journal.jsonl", directory);
	return fopen(path, "wx");
}

#endif
