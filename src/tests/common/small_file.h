/*
 * small_file: a small file as one unit, made, read and checked whole. Its data belong to a number and a client, as
 * pario_run_fill makes them. Names are relative to a directory's descriptor.
 */
#ifndef PARIO_TESTS_COMMON_SMALL_FILE_H
#define PARIO_TESTS_COMMON_SMALL_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct pario_run;

struct pario_object {
	int dirfd;
	const char *name;
	uint64_t number, client; /* whose data */
	uint64_t bytes;
	char *buffer; /* room for `bytes`; may be NULL when they are 0 */
};

/* Fills the buffer with the object's data. */
void pario_object_fill(const struct pario_run *run, const struct pario_object *object);

/* Creates the file, which must not exist, and writes the buffer; fsync before the close when asked for. */
int pario_object_make(const struct pario_object *object, bool fsync, struct pario_err *err);

/* Opens and reads `bytes` into the buffer; fewer are an error. Returns the descriptor. */
int pario_object_open(const struct pario_object *object, struct pario_err *err);

/* Reads `bytes` of a file that is open into the buffer; fewer are an error. */
int pario_object_fetch(const struct pario_object *object, int fd, struct pario_err *err);

/* Opens, reads and closes. */
int pario_object_read(const struct pario_object *object, struct pario_err *err);

/* Compares the buffer with the data that belong there. */
int pario_object_check(const struct pario_run *run, const struct pario_object *object,
		       struct pario_err *err);

/* In verify: is the file exactly `bytes` long, with the right data? */
int pario_object_verify(struct pario_run *run, const struct pario_object *object,
			struct pario_err *err);

#endif
