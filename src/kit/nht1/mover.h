/*
 * mover: memory to one file and back, as fast as a way allows.
 *
 * A way is how requests are made: through io_uring or by threads that call pread and pwrite, past the page cache or
 * through it, how large a request is and how many are under way. A move opens, transfers, makes durable when it wrote,
 * and closes; all of that is the move.
 */
#ifndef PARIO_KIT_MOVER_H
#define PARIO_KIT_MOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct pario_run;

enum pario_method { PARIO_MOVER_URING, PARIO_MOVER_THREADS, PARIO_MOVER_METHODS };

enum { PARIO_MOVER_DEPTH = 256 };

struct pario_way {
	enum pario_method method;
	bool direct;
	uint64_t request; /* bytes, a multiple of the page size */
	unsigned depth;	  /* requests under way, 1 ... PARIO_MOVER_DEPTH */
};

/* "uring" and "threads"; ends with NULL. */
extern const char *const pario_mover_methods[];

/* Why a method cannot be used here, or NULL. */
const char *pario_mover_unavailable(enum pario_method method);

struct pario_move {
	int dirfd;
	const char *name; /* of the file in it; must not exist when it is to be written */
	void *base;	  /* of page-aligned memory */
	uint64_t bytes;
	bool write;
	bool whole; /* one operation for its caller to count, else each request is one and steps are told */
};

/* Time limit and signals end it early without an error. A file that could not be written stays behind. */
int pario_mover_move(struct pario_run *run, const struct pario_way *way,
		     const struct pario_move *move, struct pario_err *err);

#endif
