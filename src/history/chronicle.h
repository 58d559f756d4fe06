/*
 * chronicle: every number over time, and where it changed.
 *
 * A line holds one number per run: the median of its repetitions with its interval. A change is a place between two
 * runs where the level of a line shifts.
 *
 * Each place is tested, two-sided: Student's test with pooled variance on the logarithms of the medians before and
 * after it, within the stretch between its neighbouring changes. The most significant place of all lines is taken
 * first; then both parts of its line are looked at anew. Holm's correction over all places keeps the chance of even
 * one false mark in the whole history below the level. Where enough runs stand on both sides, the Mann-Whitney test
 * has to agree, so that one outlier alone is no change. A run is one observation whatever the number of its
 * repetitions: they share the run's luck.
 */
#ifndef PARIO_HISTORY_CHRONICLE_H
#define PARIO_HISTORY_CHRONICLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PARIO_CHANGE_LEVEL 0.05

/* Runs that must stand before a change; below that the spread is not known. */
enum { PARIO_CHANGE_BEFORE = 4 };

/* A run's number. */
struct pario_moment {
	int64_t time_s;
	size_t run; /* in the order they were read in */
	double value, low, high;
	uint32_t repetitions;
	bool suspect;
};

/* One number over time. */
struct pario_line {
	char *test, *phase, *words, *place, *unit;
	uint64_t clients;
	int better;
	struct pario_moment *moment;
	size_t count, capacity, order;
	size_t changes;	   /* marked in it */
	size_t last_begin; /* where the last level begins */
};

struct pario_change {
	size_t line, at; /* `at` is the first run of the new level */
	size_t from, to; /* the runs that were compared: from..at-1 with at..to-1 */
	double ratio, low, high, p;
	bool worse, better;
	char *with; /* what else changed there, a line each; NULL = nothing that is known */
};

/* What a journal turned out to be. */
enum pario_run_state {
	PARIO_RUN_READ,
	PARIO_RUN_DAMAGED, /* the reason says how */
	PARIO_RUN_COPY,	   /* another path holds the same run */
	PARIO_RUN_UNTIMED, /* an import that does not tell when it was measured */
	PARIO_RUN_STATES,
};

struct pario_chronicle {
	struct pario_line *line;
	size_t lines, capacity;
	struct pario_change *change; /* latest first, after pario_changes_find */
	size_t changes;
	size_t places; /* that were tested */
	size_t runs[PARIO_RUN_STATES];
	char **path; /* of the journal of each run that was read, in that order; NULL where it cannot be told */
	size_t paths, path_capacity;
	int64_t first_s, last_s;
	char **skipped; /* why each damaged journal was left out */
	size_t skips;
	char *common; /* "name=value" words that all lines share, taken out of theirs */
};

/* Reads all journals below the directories. `across` names parameters, separated by commas,
   that may differ in a line. */
int pario_chronicle_of(struct pario_chronicle *chronicle, const char *const *directories,
		       size_t count, const char *across, double least, struct pario_err *err);

/* Fills `change`. `least` is the smallest relative change that is worth a mark, as 0.05. */
int pario_changes_find(struct pario_chronicle *chronicle, double least, struct pario_err *err);

/* Was a change for the worse marked within the last `recent` runs of its line? How many of them. */
size_t pario_changes_recent(const struct pario_chronicle *chronicle, size_t recent);

void pario_chronicle_release(struct pario_chronicle *chronicle);

#endif
