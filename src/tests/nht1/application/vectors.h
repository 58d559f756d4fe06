/*
 * vectors: solution vectors go to storage while a computation goes on (docs/nht1.md).
 *
 * A vector is an array [z][y] of lines. Every client owns whole planes z0 .. z0+nz-1 of each vector. It asks for a
 * slot, fills it with its planes and puts it; the next slot may be filled while the last one is still on its way
 * (`async`): there are two. Without async, put returns when the call that writes has returned.
 *
 *	full	one shared file, one piece per client and vector
 *	simple	one shared file, one call per line
 *	epio	a file per client, its planes of one vector after those of the other
 *
 * Shared files hold the vectors one after the other in C order. By posix and uring the second hand is a thread, which
 * also makes each vector durable once it is written; by mpiio it is the library's nonblocking calls. Everything is
 * durable when finish returns.
 */
#ifndef PARIO_TESTS_NHT1_APPLICATION_VECTORS_H
#define PARIO_TESTS_NHT1_APPLICATION_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "base/err.h"

struct pario_hints;
struct pario_run;
struct pario_vectors; /* one client's state */

enum pario_vectors_layout { PARIO_VECTORS_FULL, PARIO_VECTORS_SIMPLE, PARIO_VECTORS_EPIO };

struct pario_vectors_shape {
	enum pario_vectors_layout layout;
	const char *api; /* posix, uring or mpiio */
	bool collective, async;
	uint64_t line_bytes, lines; /* of a plane */
	uint64_t planes, z0, nz;    /* of a vector, and this client's */
	uint64_t count;		    /* vectors */
	MPI_Comm comm;
	int dirfd;
	const char *name, *path;	 /* of the file; the client's own for epio */
	const struct pario_hints *hints; /* for MPI-IO */
};

/* When a vector was put and when its transfer was over, on the run's clock. */
struct pario_vectors_time {
	int64_t put_ns, done_ns;
};

/* Allocates before the clock runs; open makes the file and is collective. */
struct pario_vectors *pario_vectors_new(const struct pario_vectors_shape *shape,
					struct pario_err *err);
int pario_vectors_open(struct pario_vectors *vectors, struct pario_err *err);

/* A buffer of nz planes to fill; waits until one is free. NULL when an earlier transfer failed. */
void *pario_vectors_slot(struct pario_vectors *vectors, struct pario_err *err);
int pario_vectors_put(struct pario_vectors *vectors, struct pario_err *err);

/* Lets transfers that are under way make progress; cheap, to be called between the steps of the computation. */
void pario_vectors_nudge(struct pario_vectors *vectors);

/* Waits for all transfers, makes the file durable and closes it; collective, also after a failure. */
int pario_vectors_finish(struct pario_vectors *vectors, struct pario_err *err);
const struct pario_vectors_time *pario_vectors_times(const struct pario_vectors *vectors);
void pario_vectors_free(struct pario_vectors *vectors); /* NULL is fine */

/* Where this client's planes of a vector begin in the file, and how many bytes they are. */
uint64_t pario_vectors_offset(const struct pario_vectors_shape *shape, uint64_t vector);
uint64_t pario_vectors_bytes(const struct pario_vectors_shape *shape);

#endif
