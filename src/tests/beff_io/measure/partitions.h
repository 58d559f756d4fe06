/*
 * partitions: the schedule of b_eff_io: partitions, their files, one access method after another (docs/beff_io.md).
 *
 * A partition is a number of nodes with so many clients of the point on each; the others wait. By the paper there is
 * one, of all clients unless --partitions says otherwise; release 2.x has several, and the access method is the
 * outermost loop. Everything that the values are made of is kept in the
 * partition's record and in tables of the results: `patterns`, `types` and `partitions`.
 */
#ifndef PARIO_TESTS_BEFF_IO_MEASURE_PARTITIONS_H
#define PARIO_TESTS_BEFF_IO_MEASURE_PARTITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "engine/test.h"
#include "tests/beff_io/model/hints.h"
#include "tests/beff_io/model/value.h"

struct pario_beff_io_params {
	double minutes;
	uint64_t memory_per_node;
	int release; /* enum pario_beff_io_release */
	bool rewrite_all, durable, shared_pointers, brief;
	char partitions[128], hints_file[512];
};

/* Why the schedule ended early; the worst reason of all clients counts. */
enum pario_beff_io_stop {
	PARIO_BEFF_IO_GOES_ON,
	PARIO_BEFF_IO_FULL,   /* there is no space for more */
	PARIO_BEFF_IO_OVER,   /* time limit or interrupt */
	PARIO_BEFF_IO_FAILED, /* a call failed */
};

struct pario_beff_io_part {
	MPI_Comm comm; /* MPI_COMM_NULL for a client that waits */
	uint64_t rank; /* in it */
	bool pointers;
	struct pario_beff_io_record record; /* times are valid on client 0, counts on all members */
	struct pario_beff_io_segment segment;
};

struct pario_beff_io {
	const struct pario_beff_io_params *params;
	struct pario_run *run;
	char directory[72], prefix[64];
	char path[4400]; /* of the directory, with a slash at its end, */
	char reach[128]; /* and the same for MPI-IO */
	int dirfd;
	struct pario_beff_io_hints hints;
	double *buffer,
		*reference; /* what is moved; what this client's data are but for their marks */
	uint64_t node_bytes, memory_bytes; /* measured, and what M_PART is made of */
	unsigned parts;
	struct pario_beff_io_part part[PARIO_BEFF_IO_PARTITIONS];
	enum pario_beff_io_stop stop;
	struct pario_err err;		     /* first error of this client */
	uint64_t wrong;			     /* elements that this client found wrong */
	struct pario_beff_io_mismatch first; /* of these */
	char reason[400];		     /* why it stopped, on client 0 */
};

/* Time, memory and partitions as the parameters say at this client count; PARIO_USAGE for what makes no sense. */
struct pario_beff_io_shape {
	struct pario_beff_io_plan plan;
	uint64_t node_bytes, memory_bytes;
	unsigned parts;
	uint64_t sizes[PARIO_BEFF_IO_PARTITIONS], mpart[PARIO_BEFF_IO_PARTITIONS];
	uint64_t nodes[PARIO_BEFF_IO_PARTITIONS]; /* as asked for; 0 = any number */
};

/*
 * M_PART of a partition with so many clients on a node at most: the paper's is that of a node with one process, and
 * where several share its memory, each has its part of it. PARIO_USAGE when MPI cannot count so many elements.
 */
int pario_beff_io_part_of(const struct pario_beff_io_params *params, uint64_t memory_bytes,
			  uint64_t per_node, uint64_t *mpart, struct pario_err *err);

/* `per_node` clients of the point are on this node; those of a partition may be fewer. */
int pario_beff_io_shape(const struct pario_beff_io_params *params, uint64_t clients,
			uint64_t per_node, struct pario_beff_io_shape *shape,
			struct pario_err *err);

/* Reads and checks the file of hints; without one there are none. */
int pario_beff_io_read_hints(const char *path, struct pario_beff_io_hints *hints,
			     struct pario_err *err);

/* Hooks: setup, what the first phase needs, the timed patterns, a check of what was written, teardown. */
int pario_beff_io_setup(struct pario_run *run, struct pario_err *err);
int pario_beff_io_before(struct pario_run *run, struct pario_err *err);
int pario_beff_io_go(struct pario_run *run, enum pario_beff_io_access access,
		     struct pario_err *err);
int pario_beff_io_verify(struct pario_run *run, enum pario_beff_io_access access,
			 struct pario_err *err);
void pario_beff_io_teardown(struct pario_run *run);

#endif
