/*
 * transfer_file: one large file of data that belong to their place, and the XXH3 of files.
 */
#ifndef PARIO_TESTS_NHT1_NETWORK_TRANSFER_FILE_H
#define PARIO_TESTS_NHT1_NETWORK_TRANSFER_FILE_H

#include <stdint.h>

#include "base/err.h"

struct pario_run;

/* Makes the file, which must not exist, with the data of number 0 of this client; *hash is that of what was written. */
int pario_transfer_file_make(struct pario_run *run, int dirfd, const char *name, uint64_t bytes,
			     uint64_t *hash, struct pario_err *err);

/* Reads a file from its beginning to its end: XXH3 with 64 bits, and how many bytes there were. */
int pario_transfer_file_hash(int dirfd, const char *name, uint64_t *hash, uint64_t *bytes,
			     struct pario_err *err);

#endif
