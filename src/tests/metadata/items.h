/*
 * items: the directories and files that every client has in a tree, and mdtest's operations on them.
 *
 * The state knows how many of each every client has, so that phases may come in any sensible order and may have
 * been cut short by a time limit. Names are those of mdtest, <tree>/file.mdtest.<client>.<item> and
 * dir.mdtest.<client>.<item>; renamed directories begin with "renamed".
 */
#ifndef PARIO_TESTS_METADATA_ITEMS_H
#define PARIO_TESTS_METADATA_ITEMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "tests/common/tree.h"

struct pario_phase;
struct pario_run;

/* In the order in which they make sense. */
enum pario_items_kind {
	PARIO_TREE_CREATE,
	PARIO_DIR_CREATE,
	PARIO_DIR_STAT,
	PARIO_DIR_RENAME,
	PARIO_DIR_FSYNC, /* of each, after a file was made in it */
	PARIO_DIR_REMOVE,
	PARIO_FILE_CREATE,
	PARIO_FILE_STAT,
	PARIO_FILE_ABSENT,  /* stat of names beside the files that nobody made */
	PARIO_FILE_OPEN,    /* closed outside the time */
	PARIO_FILE_LOCK,    /* a lock of the whole file; opened and closed outside the time */
	PARIO_FILE_CONTENT, /* read; opened and closed outside the time */
	PARIO_FILE_CLOSE,   /* opened and read outside the time */
	PARIO_FILE_READ,
	PARIO_FILE_LINK,   /* a second name, which goes outside the time */
	PARIO_FILE_RENAME, /* in its directory; and back, outside the time */
	PARIO_FILE_REMOVE,
	PARIO_TREE_REMOVE,
	PARIO_ITEMS_KINDS,
};

extern const char *const pario_items_kinds[]; /* their names, NULL-terminated */

/* The phases of a set of kinds; returns how many. */
unsigned pario_items_phases(uint32_t kinds, struct pario_phase *list);

/* Which phases end with syncfs. */
enum pario_items_sync { PARIO_SYNC_NEVER, PARIO_SYNC_CREATE, PARIO_SYNC_CHANGE };
extern const char *const pario_items_syncs[]; /* their names, NULL-terminated */

struct pario_items_shape {
	struct pario_tree tree; /* with per_holder */
	uint64_t items;		/* of each client */
	uint64_t target;	/* whose items this client looks at, renames and removes */
	uint64_t write_bytes, read_bytes;
	uint64_t looks; /* rounds of FILE_STAT */
	bool unique, fsync, random;
	bool verify; /* compare new files */
	enum pario_items_sync syncfs;
};

struct pario_items; /* one client's state */

/* In setup. Names the tree, makes nothing. */
struct pario_items *pario_items_new(struct pario_run *run, const struct pario_items_shape *shape,
				    struct pario_err *err);
void pario_items_free(struct pario_items *items);

/* In before: makes untimed what the phase needs and no phase has made. */
int pario_items_before(struct pario_run *run, struct pario_items *items, struct pario_err *err);
/* The timed loop. Failed operations are told to the engine and the loop goes on. */
int pario_items_body(struct pario_run *run, struct pario_items *items, struct pario_err *err);
/* Counts the entries of every directory and compares every new file with what was written. */
int pario_items_verify(struct pario_run *run, struct pario_items *items, struct pario_err *err);

#endif
