/*
 * bt: the NAS block-tridiagonal pseudo-application (BT), computation only.
 *
 * Any number of ranks up to what the grid can feed, classes S W A B C D E F. A run is
 *
 *	pario_bt_create(&bt, comm, &options, &err)
 *	pario_bt_initialize(bt)           one untimed step, then initialize again, as NPB does
 *	pario_bt_step(bt, &err) x steps   between two steps the planes may be copied out
 *	pario_bt_verify(bt, xcr, xce, &verified, &err)
 *	pario_bt_destroy(bt)
 *
 * Every function that takes a struct pario_bt is collective over the communicator, except extent, copy_planes,
 * isa and groups. The part a rank hands out is a slab of whole z planes, boundary planes included: the slabs
 * in order of z are the solution in C order [z][y][x][5]. Where there are more ranks than planes some hand out none.
 * (Ranks that share memory have neighbouring slabs, so the order of z is that of the ranks only where the launcher
 * fills node by node.)
 */
#ifndef PARIO_TESTS_NHT1_BT_BT_H
#define PARIO_TESTS_NHT1_BT_BT_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "base/err.h"
#include "tests/nht1/bt/norms.h"
#include "tests/nht1/bt/problem.h"

struct pario_bt; /* one solver on one rank */

struct pario_bt_options {
	char class;	 /* S W A B C D E F */
	const char *isa; /* "portable", "v3", "v4": the build to use; NULL: the fastest here */
	int share; /* at most so many ranks of a node share memory, the rest send messages; 0: all */
};

/*
 * Allocates and decomposes. Fails on all ranks together, with the same sentence: an unknown class, a build this
 * processor cannot run, more ranks than the grid can feed, no memory.
 */
int pario_bt_create(struct pario_bt **bt, MPI_Comm comm, const struct pario_bt_options *options,
		    struct pario_err *err);
void pario_bt_destroy(struct pario_bt *bt); /* NULL is fine */

/* Initial and boundary values, and the forcing; may be repeated to start again. */
void pario_bt_initialize(struct pario_bt *bt);

/* One time step. The solution is at rest from its return until the next call on any rank. */
int pario_bt_step(struct pario_bt *bt, struct pario_err *err);

/* The planes of this rank: nz planes from z0, each of n x n points. */
void pario_bt_extent(const struct pario_bt *bt, uint64_t *z0, uint64_t *nz, uint64_t *n);

/* `count` planes from the global plane z on, all within this rank's extent, as [z][y][x][5]. */
void pario_bt_copy_planes(const struct pario_bt *bt, uint64_t z, uint64_t count, double *to);

/* Residual and error norms of the solution as it is, and whether they are the reference's to 1e-8. */
int pario_bt_verify(struct pario_bt *bt, double xcr[5], double xce[5], bool *verified,
		    struct pario_err *err);

const char *pario_bt_isa(const struct pario_bt *bt); /* the build in use */
int pario_bt_groups(const struct pario_bt *bt);	     /* groups of ranks that share memory */

/* Bytes all ranks together take, when they share memory in `groups` groups (1: one node). */
double pario_bt_memory_bytes(char class, int ranks, int groups);

/* The name of the i-th build this processor can run, slowest first; NULL after the last. */
const char *pario_bt_isa_name(int i);

#endif
