/*
 * shelf: numbered files of equal size, a directory of them for every client, a bounded number kept open.
 *
 * The data of file n are those of number 2 n as it was made. Tests that write into it again use number 2 n + 1.
 */
#ifndef PARIO_TESTS_SMALLFILES_SHELF_H
#define PARIO_TESTS_SMALLFILES_SHELF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/random.h"
#include "engine/test.h"

struct pario_run;

struct pario_shelf {
	struct pario_run *run;
	char name[PARIO_NAME_CAPACITY]; /* of the directory that holds the clients' directories */
	uint64_t bytes;			/* of a file */
	uint64_t capacity;		/* files kept open */
	int top, dirfd;			/* -1 while not open */
	uint64_t owner;			/* whose directory is open */
	int *open;			/* file n in place n mod capacity */
	uint64_t *held;			/* which file that is, plus 1; 0 = none */
	char *buffer;			/* one file */
};

/* In setup: names the directory, makes nothing. Release is fine after a failure. */
int pario_shelf_init(struct pario_shelf *shelf, struct pario_run *run, const char *name,
		     uint64_t bytes, uint64_t capacity, struct pario_err *err);
void pario_shelf_release(struct pario_shelf *shelf);

/* Closes the directory and the files that were kept open; a close that fails may be the only word about lost data. */
int pario_shelf_close(struct pario_shelf *shelf, struct pario_err *err);

/* Makes the directory of all clients and opens it. Collective; done once. */
int pario_shelf_enter(struct pario_shelf *shelf, struct pario_err *err);

/* Turns to a client's directory, making it first when asked to; files of another one are closed. */
int pario_shelf_turn(struct pario_shelf *shelf, uint64_t owner, bool make, struct pario_err *err);

/*
 * Loops over files 0 ... count-1 of the directory; *reached gets how far it came. A file that cannot be made or
 * removed is told as a failed operation, except when filling.
 */
int pario_shelf_make(struct pario_shelf *shelf, uint64_t count, bool fsync, uint64_t *reached,
		     struct pario_err *err);
int pario_shelf_destroy(struct pario_shelf *shelf, uint64_t count, struct pario_err *err);

/* Untimed: every file as it was made; pages evicted; the directory, which must be empty, removed. */
int pario_shelf_check(struct pario_shelf *shelf, uint64_t count, struct pario_err *err);
int pario_shelf_evict(struct pario_shelf *shelf, uint64_t count, struct pario_err *err);
int pario_shelf_remove(struct pario_shelf *shelf, struct pario_err *err);

int pario_shelf_sync(struct pario_shelf *shelf, uint64_t n, struct pario_err *err);

/*
 * The places of `length` bytes in the files 0 ... files-1 of the open directory, without tables: in a seeded random
 * order for writing, each once, and in another one for reading.
 */
struct pario_places {
	struct pario_shelf *shelf;
	uint64_t count, per_file, length;
	uint64_t again; /* this many of them, in writing order, were written again */
	struct pario_permutation writing, reading;
};

void pario_places_init(struct pario_places *places, struct pario_shelf *shelf, uint64_t files,
		       uint64_t length, uint64_t again);

/* Writes the i-th place in writing order again, durable when it returns if `sync`. Timed and counted. */
int pario_places_write(struct pario_places *places, uint64_t i, bool sync, struct pario_err *err);

/* Reads the i-th place in writing order and compares; the comparison is not timed. */
int pario_places_read(struct pario_places *places, uint64_t i, struct pario_err *err);

#endif
