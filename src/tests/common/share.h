/*
 * share: a vector of elements divided among the clients, and the datatype of one client's part.
 *
 * Ownership is one rule, datatypes are built in another way from the same description; checking one against the other
 * is the point of tests that use both.
 *
 *	vector     every n-th element
 *	indexed    blocks of irregular, seeded lengths, dealt out in turn
 *	subarray   a block of a two-dimensional array
 *	nested     every n-th row and every m-th column of each of two planes: a vector of vectors of vectors
 *
 * One client alone gets what the first of two would.
 */
#ifndef PARIO_TESTS_COMMON_SHARE_H
#define PARIO_TESTS_COMMON_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "base/err.h"

enum pario_share_kind {
	PARIO_SHARE_VECTOR,
	PARIO_SHARE_INDEXED,
	PARIO_SHARE_SUBARRAY,
	PARIO_SHARE_NESTED
};

struct pario_share {
	enum pario_share_kind kind;
	uint64_t length, clients, client, seed;
	uint64_t parties; /* clients, at least 2 */
	uint64_t blocks;  /* of the indexed kind */
	uint64_t planes, rows, columns, grid_rows, grid_columns;
	uint64_t own, lower, all; /* elements of this client, of those before it, of all */
	uint64_t own_span, span;  /* one more than the last place of this client, of any */
};

/* Fails when the vector is too short or cannot be divided so (PARIO_USAGE). */
int pario_share_init(struct pario_share *share, enum pario_share_kind kind, uint64_t length,
		     uint64_t clients, uint64_t client, uint64_t seed, struct pario_err *err);

/*
 * Walks a vector place by place by that rule. `found` and `want` hold the whole vector when they are in pieces, else
 * the client's elements one after the other. Where `found` is in pieces, what lies between them must be `gap`, unless
 * that is 0. Returns the first place that is wrong, or `length`.
 */
uint64_t pario_share_compare(const struct pario_share *share, uint64_t element_size,
			     const char *found, bool found_pieces, char gap, const char *want,
			     bool want_pieces);

/* Whose element stands at this place; not less than `clients` when it is nobody's. */
uint64_t pario_share_owner(const struct pario_share *share, uint64_t place);

/* The client's elements, with the whole vector as extent; the caller frees it. -1 when memory runs out. */
int pario_share_type(const struct pario_share *share, MPI_Datatype element, uint64_t element_size,
		     MPI_Datatype *type, struct pario_err *err);

/* Rows of a rectangle of `cells` cells, as square as possible but not smaller than this; 0 = there is none. */
uint64_t pario_share_rows(uint64_t cells, uint64_t least_rows, uint64_t least_columns);

#endif
