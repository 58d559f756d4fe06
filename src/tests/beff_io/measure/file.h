/*
 * file: one file of b_eff_io, as its pattern type wants it opened, seen and moved (docs/beff_io.md).
 *
 * Every function is called by all processes of the partition. A process with an error goes on calling, so that those
 * who are in collective calls with it do not wait.
 */
#ifndef PARIO_TESTS_BEFF_IO_MEASURE_FILE_H
#define PARIO_TESTS_BEFF_IO_MEASURE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "base/err.h"
#include "tests/beff_io/model/pattern.h"

struct pario_beff_io_file {
	enum pario_beff_io_type type;
	enum pario_beff_io_access access;
	bool pointers; /* type 1 with shared file pointers; without, it is seen as type 0 */
	bool durable;
	MPI_Comm members;
	uint64_t clients, client;
	int dirfd;
	char name[128], path[4600]; /* below dirfd, and whole, for sentences */
	char reach[256];	    /* for MPI-IO, which see pario_run_reach */

	MPI_File mpi;
	bool opened;
	int fd; /* for fsync; -1 = none */
};

/* Opens it, the same on all members: 0, or -1 on all. */
int pario_beff_io_open(struct pario_beff_io_file *file, MPI_Info info, struct pario_err *err);

/* Chunks of so many bytes from `start` on, which is the first byte of the whole pattern or of the own segment. */
int pario_beff_io_view(const struct pario_beff_io_file *file, uint64_t start, uint64_t chunk,
		       MPI_Info info, struct pario_err *err);

/* The next `bytes` of this process, to or from the buffer. */
int pario_beff_io_move(struct pario_beff_io_file *file, double *buffer, uint64_t bytes,
		       struct pario_err *err);

int pario_beff_io_sync(const struct pario_beff_io_file *file, struct pario_err *err);
int pario_beff_io_close(struct pario_beff_io_file *file, struct pario_err *err);

/* Untimed, after the close: is the file as long as what was written? Libraries lose errors of collective calls. */
int pario_beff_io_size(const struct pario_beff_io_file *file, uint64_t end, struct pario_err *err);

/* Tries shared file pointers on a small file: true on all members, or false on all. Leaves nothing behind. */
bool pario_beff_io_probe(struct pario_beff_io_file *file);

#endif
