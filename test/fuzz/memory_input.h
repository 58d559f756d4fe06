/*
 * memory_input: bytes that readers find under a name. No file is made: the one opener of pario (base/input.h) is
 * replaced by one that knows these alone, so that a harness makes no system call for an input.
 */
#ifndef PARIO_FUZZ_MEMORY_INPUT_H
#define PARIO_FUZZ_MEMORY_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xxhash.h>

enum { MEMORY_INPUTS = 2 };

/* The name of one of the inputs, which from now on holds these bytes; they are not copied. */
const char *memory_input(unsigned which, const void *bytes, size_t length);

/*
 * Is this input one of so many? What an input decides, and nothing else: the same input does the same again.
 * Readers take microseconds; what takes a hundred times as long, such as pages, is made of a share of the inputs,
 * so that it is not what most of the time goes into.
 */
static inline bool one_in(unsigned number, const void *bytes, size_t length)
{
	return XXH64(bytes, length, number) % number == 0;
}

#endif
