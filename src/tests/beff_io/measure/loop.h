/*
 * loop: the calls of one pattern, and when they end (docs/beff_io.md). What a call read is looked
 * at as a whole before the next, and the time that takes is taken out.
 */
#ifndef PARIO_TESTS_BEFF_IO_MEASURE_LOOP_H
#define PARIO_TESTS_BEFF_IO_MEASURE_LOOP_H

#include "tests/beff_io/measure/file.h"
#include "tests/beff_io/measure/partitions.h"

struct pario_beff_io_job {
	struct pario_beff_io *bench;
	struct pario_beff_io_file *file;
	unsigned pattern;
	uint64_t start;	       /* of the pattern in the file, for this client */
	uint64_t chunk, bytes; /* l and L */
	bool timed;	       /* ends by its time; otherwise after `calls` */
	int64_t scheduled_ns;
	uint64_t calls;
	uint64_t capacity; /* calls of all clients together that the storage has space for */
	enum pario_beff_io_access writer;    /* who wrote last what is read */
	MPI_Info info;			     /* with the view */
	struct pario_beff_io_mismatch first; /* after the loop the same on all */
	uint64_t first_client;		     /* who found it */
};

/* Runs the pattern on all members. bench->stop says whether to go on; it is the same on all. */
void pario_beff_io_loop(struct pario_beff_io_job *job, struct pario_beff_io_timing *timing);

/* Takes note of an error of this client; full storage is another end than failing storage. */
void pario_beff_io_fail(struct pario_beff_io *bench, const struct pario_err *err, bool writes);

/* All members learn how the worst of them stands. */
void pario_beff_io_meet(struct pario_beff_io *bench, MPI_Comm comm);

/* Bytes that are free where the files are. */
uint64_t pario_beff_io_free(const struct pario_beff_io *bench);

#endif
