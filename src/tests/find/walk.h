/*
 * walk: a tree searched by all clients together.
 *
 * Level by level: each client reads its share of the directories of a level, and what it finds below them is shared
 * out evenly for the next. A directory is read by one client, so one that holds everything is not read in parallel.
 * Links are not followed.
 */
#ifndef PARIO_TESTS_FIND_WALK_H
#define PARIO_TESTS_FIND_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/err.h"

struct pario_run;

/* What is looked for: all that is set must hold. Directories are entered, never found. */
struct pario_find_rule {
	const char *name; /* pattern of the shell; "" = any */
	bool sized, dated;
	uint64_t size;	       /* bytes, exactly */
	struct timespec newer; /* changed later than this */
};

struct pario_find_counts {
	uint64_t entries, directories,
		found; /* entries: everything below the root, directories too */
};

/* What this client saw. Collective; a directory that cannot be read is told to the engine and counts as failed. */
int pario_find_walk(struct pario_run *run, int root, const struct pario_find_rule *rule,
		    struct pario_find_counts *counts, struct pario_err *err);

/* The same by one client alone, in another way: for comparison. */
int pario_find_alone(const char *path, const struct pario_find_rule *rule,
		     struct pario_find_counts *counts, struct pario_err *err);

/* Does a file with this name and these properties match? */
struct stat;
bool pario_find_name(const struct pario_find_rule *rule, const char *name);

#endif
