/*
 * input: files that are only read, whoever made them.
 *
 * Readers take regular files. A pipe would hold them until somebody writes, a device may never end, and either can be
 * put in a file's place by whoever may rename there: they are refused, at once and without being opened where that can
 * be told before.
 */
#ifndef PARIO_BASE_INPUT_H
#define PARIO_BASE_INPUT_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

/* A descriptor to read from; `what` begins the sentence, as in "the plan file" or "The trace". */
int pario_input_open(const char *path, const char *what, struct pario_err *err);

/* The same as a stream. */
FILE *pario_input_stream(const char *path, const char *what, struct pario_err *err);

/* All of a file smaller than `most` MiB, with a zero behind it, to be freed. */
char *pario_input_text(const char *path, const char *what, unsigned most, size_t *length,
		       struct pario_err *err);

#endif
