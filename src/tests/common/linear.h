/*
 * linear: a file as a line of bytes, whatever the backend keeps: an extent, or an array of one dimension whose elements
 * are bytes. Any thread may call these where the backend's files allow it.
 */
#ifndef PARIO_TESTS_COMMON_LINEAR_H
#define PARIO_TESTS_COMMON_LINEAR_H

#include "engine/test.h"

/* `how->size` is how long the file is or will be. */
int pario_linear_open(const struct pario_backend *backend, struct pario_file *file,
		      const struct pario_open *how, struct pario_err *err);
int pario_linear_move(struct pario_file *file, bool write, void *buffer, uint64_t offset,
		      uint64_t length, struct pario_err *err);
int pario_linear_sync(struct pario_file *file, struct pario_err *err);
int pario_linear_close(struct pario_file *file, struct pario_err *err);

#endif
