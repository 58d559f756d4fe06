/*
 * peak_io: memory to one file and back, as fast as a way allows.
 *
 * A way is how requests are made: through io_uring or by threads that call pread and pwrite, past the page cache or
 * through it, how large a request is and how many are under way. A move opens, transfers, makes durable when it wrote,
 * and closes; all of that is the move.
 */
#ifndef PARIO_TESTS_NHT1_PEAK_PEAK_IO_H
#define PARIO_TESTS_NHT1_PEAK_PEAK_IO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct pario_run;

enum pario_method { PARIO_PEAK_IO_URING, PARIO_PEAK_IO_THREADS, PARIO_PEAK_IO_METHODS };

enum { PARIO_PEAK_IO_DEPTH = 256 };

struct pario_io_method {
	enum pario_method method;
	bool direct;
	uint64_t request; /* bytes, a multiple of the page size */
	unsigned depth;	  /* requests under way, 1 ... PARIO_PEAK_IO_DEPTH */
};

/* "uring" and "threads"; ends with NULL. */
extern const char *const pario_peak_io_methods[];

/* Why a method cannot be used here, or NULL. */
const char *pario_peak_io_unavailable(enum pario_method method);

struct pario_move {
	int dirfd;
	const char *name; /* of the file in it; must not exist when it is to be written */
	void *base;	  /* of page-aligned memory */
	uint64_t bytes;
	bool write;
	bool whole; /* one operation for its caller to count, else each request is one and steps are told */
};

/* Time limit and signals end it early without an error. A file that could not be written stays behind. */
int pario_peak_io_move(struct pario_run *run, const struct pario_io_method *way,
		       const struct pario_move *move, struct pario_err *err);

#endif
