/*
 * memory_input: bytes that readers find under a name. No file is made: the one opener of pario (base/input.h) is
 * replaced by one that knows these alone, so that a harness makes no system call for an input.
 */
#ifndef PARIO_FUZZ_MEMORY_INPUT_H
#define PARIO_FUZZ_MEMORY_INPUT_H

#include <stddef.h>

enum { MEMORY_INPUTS = 2 };

/* The name of one of the inputs, which from now on holds these bytes; they are not copied. */
const char *memory_input(unsigned which, const void *bytes, size_t length);

#endif
