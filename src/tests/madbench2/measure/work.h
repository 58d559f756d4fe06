/*
 * work: one process of MADbench2 at work: its gangs, its matrices, its file, and where its time goes.
 *
 * Every I/O call is made by all processes of a gang together: barrier, I/O, barrier. A process that fails goes on with
 * everything but I/O, so that nobody waits for it, until all agree to stop (pario_mad_work_more). Every matrix that is
 * read is compared with what was written, outside the time.
 * All other time of a phase is somebody's, so that its kinds add up to the phase.
 */
#ifndef PARIO_TESTS_MADBENCH2_MEASURE_WORK_H
#define PARIO_TESTS_MADBENCH2_MEASURE_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/test.h"
#include "tests/madbench2/measure/algebra.h"
#include "tests/madbench2/measure/gang.h"
#include "tests/madbench2/measure/store.h"
#include "tests/madbench2/model/shape.h"

enum pario_mad_mode { PARIO_MAD_IO, PARIO_MAD_FULL };
enum pario_mad_remapping { PARIO_MAD_CUSTOM, PARIO_MAD_SCALAPACK };

struct pario_mad_params {
	struct pario_mad_shape shape; /* all but clients */
	int mode, iomethod, iomode, filetype, remap;
	double bwexp;
};

/*
 * What the parameters say at so many clients, on nodes that have so much memory together: a side of 0 becomes the
 * smallest whose matrices do not fit there.
 */
struct pario_mad_shape pario_mad_shape_of(const struct pario_mad_params *params, uint64_t clients,
					  uint64_t memory_bytes);

/* Where time goes: calculation and communication, busy-work, reading, writing; and what is not MADbench2's. */
enum pario_mad_spent { PARIO_MAD_CC, PARIO_MAD_BW, PARIO_MAD_R, PARIO_MAD_W, PARIO_MAD_KINDS };

struct pario_mad_work {
	struct pario_run *run;
	const struct pario_mad_params *params;
	struct pario_mad_shape shape;
	struct pario_mad_places places;
	struct pario_mad_gang all, gang;
	struct pario_mad_matrix all_matrix, gang_matrix; /* full mode */
	struct pario_mad_store store;
	char directory[4200], name[64]; /* of this point: whole, and in the workspace */
	uint64_t base;			/* of this process in the file, in bytes */

	/* Buffers for a matrix each; which is which changes as they are swapped. `kept` only in full mode. */
	double *next, *current, *out[2], *kept;
	double (*pixels)[3];
	double *z;			 /* D^-1 d */
	double *dl, *d2l, *dc;		 /* derivatives, first this process's share; and dC */
	uint64_t *digests;		 /* of the matrices in the file, full mode */
	struct pario_mad_request *reads; /* as many as there are gangs */
	struct pario_mad_request write;

	int64_t ns[PARIO_MAD_KINDS]; /* of the phase under way */
	uint64_t checked;	     /* bytes that were read and compared */
	struct pario_err held;	     /* the first error */
};

/*
 * The scratch of `run`, set up for its parameters. Collective, as is free; so after a failure, which may be this
 * client's alone, free has to wait until all have learned of it.
 */
int pario_mad_work_new(struct pario_run *run, struct pario_err *err);
void pario_mad_work_free(struct pario_mad_work *work);

/* Bytes of memory that one process needs. */
uint64_t pario_mad_work_bytes(const struct pario_mad_params *params,
			      const struct pario_mad_shape *shape);

/* Makes the directory (client 0) and opens the file; collective. */
int pario_mad_work_open(struct pario_mad_work *work, struct pario_err *err);

static inline bool pario_mad_full(const struct pario_mad_work *work)
{
	return work->params->mode == PARIO_MAD_FULL;
}

/*
 * Starts a phase; says whether step i of count is to be made, the same to all; ends a phase: waits for what is still on
 * its way and returns the first error.
 */
void pario_mad_work_begin(struct pario_mad_work *work);
bool pario_mad_work_more(struct pario_mad_work *work, uint64_t i, uint64_t count);
int pario_mad_work_end(struct pario_mad_work *work, struct pario_err *err);

/* Time since the last of these goes to `kind`, or is nobody's: what pario does for itself. */
void pario_mad_work_spent(struct pario_mad_work *work, enum pario_mad_spent kind);

/* Instead of a calculation that grows with the given power of the pixels. */
void pario_mad_work_busy(struct pario_mad_work *work, const struct pario_mad_gang *gang, int power);

/* Matrices are told apart by a number: dS/dC of bin b is b, W of step s comes after all bins. */
static inline uint64_t pario_mad_w(const struct pario_mad_work *work, uint64_t step)
{
	return work->shape.no_bin + step;
}

/* Starts to write or read a matrix; finish waits for it, and compares what was read. */
void pario_mad_work_write(struct pario_mad_work *work, uint64_t matrix, double *buffer);
void pario_mad_work_written(struct pario_mad_work *work);
void pario_mad_work_read(struct pario_mad_work *work, uint64_t slot, uint64_t matrix,
			 double *buffer);
void pario_mad_work_have_read(struct pario_mad_work *work, uint64_t slot, uint64_t matrix);

#endif
