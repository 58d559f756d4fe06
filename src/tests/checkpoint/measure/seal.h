/*
 * seal: is a checkpoint whole?
 *
 * Files are written under another name, made durable, and get their own name then. When all have theirs, the seal is
 * made in the same way: a list of the files and their sizes. A checkpoint without a seal, or whose files are not there
 * in their lengths, was cut short and is not read.
 */
#ifndef PARIO_TESTS_CHECKPOINT_MEASURE_SEAL_H
#define PARIO_TESTS_CHECKPOINT_MEASURE_SEAL_H

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

/* What a file is called until it is whole. */
#define PARIO_SEAL_PART ".part"
#define PARIO_SEAL_NAME "complete"

/* NAME.part, which is durable, gets its name, durably. Also when the directory knows no fsync. */
int pario_seal_settle(int dirfd, const char *name, struct pario_err *err);

/* `list` has a line for each file, its bytes and its name: made durable as the seal of the directory. */
int pario_seal_close(int dirfd, const struct pario_text *list, struct pario_err *err);

/* -1 unless the seal is there and every file in its list, at least so long. */
int pario_seal_check(int dirfd, struct pario_err *err);

#endif
