/*
 * index: what is in any number of journals, in a file of SQLite, so that a question does not read them all again.
 *
 * Nothing is only here: the file can be deleted at any time and is built anew from the journals. A file that pario
 * did not make is never touched.
 */
#ifndef PARIO_HISTORY_INDEX_H
#define PARIO_HISTORY_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "history/chronicle.h"

struct pario_index;

/* How a file is known again without reading it. */
struct pario_stamp {
	int64_t size, mtime_ns, inode, device;
};

/* What a journal turned out to be. */
enum pario_run_state {
	PARIO_RUN_READ,
	PARIO_RUN_DAMAGED, /* the reason says how */
	PARIO_RUN_COPY,	   /* another path holds the same run */
	PARIO_RUN_UNTIMED, /* an import that does not tell when it was measured */
	PARIO_RUN_STATES,
};

/* One journal, as it goes into the index. */
struct pario_index_run {
	const char *path, *run, *label, *facts, *reason;
	struct pario_stamp stamp;
	int64_t time_s;
	enum pario_run_state state;
};

/* One number of a run and the line of numbers it belongs to. */
struct pario_index_number {
	const char *key, *test, *phase, *words, *place, *unit;
	uint64_t clients;
	int better;
	double value, low, high;
	uint64_t repetitions;
	bool suspect;
};

/* Opens or makes the file; "" keeps it in memory. One of pario's that cannot be read is made anew. */
int pario_index_open(struct pario_index **index, const char *path, struct pario_err *err);
void pario_index_close(struct pario_index *index);

/* Did the last call fail because the file is damaged? */
bool pario_index_broken(const struct pario_index *index);

/* Lines were made with these parameters left out; what was made with others is forgotten. */
int pario_index_scope(struct pario_index *index, const char *across, struct pario_err *err);

/* All changes between the two are made at once, or none. */
int pario_index_begin(struct pario_index *index, struct pario_err *err);
int pario_index_commit(struct pario_index *index, struct pario_err *err);

/* Is the journal at this path known with this stamp? 1 and its number, else 0. */
int pario_index_knows(struct pario_index *index, const char *path, const struct pario_stamp *stamp,
		      int64_t *number, struct pario_err *err);

/* Is a run with this id and time known from another path than this? 1 or 0. */
int pario_index_has(struct pario_index *index, const char *path, const char *run, int64_t time_s,
		    struct pario_err *err);

/* Takes a journal in, in the place of what was known of its path; its numbers follow. */
int pario_index_add(struct pario_index *index, const struct pario_index_run *run, int64_t *number,
		    struct pario_err *err);
int pario_index_number(struct pario_index *index, int64_t run, int64_t time_s,
		       const struct pario_index_number *number, struct pario_err *err);

/* Forgets every journal whose number is not in this sorted list, and the copies of those runs. */
int pario_index_keep(struct pario_index *index, const int64_t *numbers, size_t count,
		     size_t *removed, struct pario_err *err);

/* The answer: all lines of numbers in the order of time, counts of states, and the damaged journals. */
int pario_index_load(struct pario_index *index, struct pario_chronicle *chronicle,
		     struct pario_err *err);

/* The facts of a run as "name\tvalue" lines; the caller frees them. NULL when they are not there. */
char *pario_index_facts(struct pario_index *index, int64_t run);

#endif
