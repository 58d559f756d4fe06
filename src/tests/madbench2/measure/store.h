/*
 * store: the file that a process keeps its matrices in, its own or its part of a shared one.
 *
 * A matrix goes in one call: a seek, then one read or write of all the process holds of it. Synchronous calls are
 * done when `start` returns: read and write, fread and fwrite on a stream as in the original's POSIX, or MPI-IO.
 * Asynchronous ones go on behind the calculation until `finish`: nonblocking MPI-IO, or POSIX aio, whose calls a
 * thread of the C library makes; io_uring would make buffered writes before it returns from the submission.
 * docs/madbench2.md
 */
#ifndef PARIO_TESTS_MADBENCH2_MEASURE_STORE_H
#define PARIO_TESTS_MADBENCH2_MEASURE_STORE_H

#include <aio.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <mpi.h>

#include "base/err.h"

enum pario_mad_method { PARIO_MAD_POSIX, PARIO_MAD_MPI, PARIO_MAD_STDIO };
enum pario_mad_io { PARIO_MAD_SYNC, PARIO_MAD_ASYNC, PARIO_MAD_NONE };

struct pario_mad_store {
	enum pario_mad_method method;
	enum pario_mad_io io;
	int dirfd;		    /* of the workspace, and the file's name there; */
	char name[128], path[4600]; /* both joined, for sentences */
	int fd;			    /* -1 = not open */
	int ahead; /* the same for asynchronous reads: calls on one descriptor queue behind each other */
	FILE *stream; /* stdio, over fd; NULL = not open */
	MPI_File file;
};

/* One matrix on its way. All zero = nothing to wait for. */
struct pario_mad_request {
	bool busy, write;
	char *buffer;
	uint64_t bytes, offset;
	struct aiocb aio;
	MPI_Request mpi;
};

/* Collective over comm: the processes that share the file, or one. Creates the file; MPI-IO gets the info. */
int pario_mad_store_open(struct pario_mad_store *store, MPI_Comm comm, MPI_Info info,
			 struct pario_err *err);
/* Collective, too; after a failed open as well. Fails where something that was written may be lost. */
int pario_mad_store_close(struct pario_mad_store *store, struct pario_err *err);

int pario_mad_store_start(struct pario_mad_store *store, struct pario_mad_request *request,
			  struct pario_err *err);
int pario_mad_store_finish(struct pario_mad_store *store, struct pario_mad_request *request,
			   struct pario_err *err);

#endif
