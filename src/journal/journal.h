/*
 * journal: the truth about a run, one JSON object per line; every other output is derived from it.
 *
 * The last member of a line is "sum", the XXH64 (seed 0, 16 hex digits) of the line's bytes before `,"sum"`.
 * Rank 0 is the only writer: O_APPEND, one write() per line, fdatasync after it. A reader keeps every complete
 * valid line before the first damage; a torn last line is reported and dropped; damage in the middle is an
 * error with line number and byte offset. Unknown members are ignored; a newer schema is refused.
 */
#ifndef PARIO_JOURNAL_JOURNAL_H
#define PARIO_JOURNAL_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "base/err.h"
#include "base/json.h"

#define PARIO_JOURNAL_SCHEMA "pario/1"

struct pario_journal {
	int fd;	    /* -1 while closed */
	FILE *echo; /* every line is also written here when not NULL (--json) */
	uint64_t lines;
	char path[4096];
};

/* The same in a directory that is open already; `directory` is what it is called. */
int pario_journal_create_at(struct pario_journal *journal, int dirfd, const char *directory,
			    struct pario_err *err);

/* Continues an existing journal after its last valid line (for resume); a torn tail is cut off. */
int pario_journal_reopen(struct pario_journal *journal, const char *directory,
			 struct pario_err *err);

/*
 * Appends one line. `json` holds an object still open ("{...": pario_json_open was called, close was not);
 * the sum and the closing brace are added here, and json is emptied for the next line, also on failure.
 * A line that the reader would refuse is never written, and a line that could be written only in part
 * is taken back, so that one failure does not damage the lines after it. An echo that fails is reported
 * once and then dropped.
 */
int pario_journal_append(struct pario_journal *journal, struct pario_json *json,
			 struct pario_err *err);

int pario_journal_close(struct pario_journal *journal, struct pario_err *err);

/* Starts a line: opens the object and writes its kind. */
void pario_journal_line(struct pario_json *json, const char *kind);

/* ---- reading; works without MPI ---- */

struct pario_journal_reader {
	FILE *file;
	char *line;
	size_t capacity;
	uint64_t number; /* of the line last returned, from 1 */
	uint64_t offset; /* of its first byte */
	uint64_t next;	 /* of the byte after it: where a torn tail begins */
	bool torn;	 /* the last line was incomplete and was dropped */
	char path[4096];
};

/* `path` is a journal file or a run directory that holds one. */
int pario_journal_open(struct pario_journal_reader *reader, const char *path,
		       struct pario_err *err);

/*
 * 1 and a new reference in *line, 0 at the end (look at reader->torn), -1 on damage. Every line is an object
 * whose `kind` is a string, the first one a `begin` of a known schema; an empty journal counts as damaged.
 */
int pario_journal_next(struct pario_journal_reader *reader, json_t **line, struct pario_err *err);

/*
 * Every line that is left, in turn. The taker is first shown the text, with `object` NULL, and can take what it needs
 * from it (scan.h): 1. When it returns 0 it is shown the same line again as an object, which is slower and checks more;
 * the first line always comes as an object. Negative ends the walk. Returns 0 at the end, -1 on damage.
 */
typedef int pario_journal_taker(void *self, const char *text, size_t length, json_t *object,
				struct pario_err *err);
int pario_journal_walk(struct pario_journal_reader *reader, pario_journal_taker *taker, void *self,
		       struct pario_err *err);

void pario_journal_done(struct pario_journal_reader *reader);

/* ,"sum":"0123456789abcdef"}: what a line ends with, made from the bytes before it. */
enum { PARIO_JOURNAL_TAIL = 26 };
void pario_journal_tail(char tail[PARIO_JOURNAL_TAIL + 1], const char *line, size_t length);

/* Checks one line's sum; NULL when it is right, else what is wrong with it (a constant string). */
const char *pario_journal_check(const char *line, size_t length);

#endif
