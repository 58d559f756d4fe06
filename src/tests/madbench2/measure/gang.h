/*
 * gang: processes that hold matrices together: all of them, or those that work on one bin.
 *
 * Gangs are groups of consecutive ranks, equally large; each has its own square grid. remap moves a matrix from the
 * grid of all processes to that of one gang, by an exchange of the elements that change their holder.
 */
#ifndef PARIO_TESTS_MADBENCH2_MEASURE_GANG_H
#define PARIO_TESTS_MADBENCH2_MEASURE_GANG_H

#include <mpi.h>

#include "base/err.h"
#include "tests/madbench2/model/shape.h"

struct pario_mad_gang {
	MPI_Comm comm;
	int rank, size;
	uint64_t number; /* of the gang */
	struct pario_mad_part part;
};

/*
 * `all` with every process of comm in it, and `own` with the gang of this process. Both have communicators of their
 * own.
 */
int pario_mad_gangs_init(struct pario_mad_gang *all, struct pario_mad_gang *own,
			 const struct pario_mad_shape *shape, MPI_Comm comm, struct pario_err *err);
void pario_mad_gang_release(struct pario_mad_gang *gang);

/* All processes call it; those of gang `target` get their part in `to`. Fails on all alike. */
int pario_mad_remap(const struct pario_mad_gang *all, const struct pario_mad_gang *own,
		    uint64_t target, const double *from, double *to, struct pario_err *err);

/*
 * Before and after an I/O call that at most size / mod processes of a gang make at the same time: waits for the
 * process before this one, and lets the one after it go on. With mod 1 nobody waits.
 */
void pario_mad_gang_await(const struct pario_mad_gang *gang, uint64_t mod);
void pario_mad_gang_pass(const struct pario_mad_gang *gang, uint64_t mod);

#endif
