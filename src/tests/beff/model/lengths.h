/*
 * lengths: the 21 message lengths of b_eff (docs/beff.md).
 *
 * 13 powers of two from 1 to 4096 bytes, then 8 in equal steps of the logarithm up to Lmax, which grows with the memory
 * of a process: 1/128 of it, at most 128 MiB.
 */
#ifndef PARIO_TESTS_BEFF_MODEL_LENGTHS_H
#define PARIO_TESTS_BEFF_MODEL_LENGTHS_H

#include <stdint.h>

#include "tests/beff/model/constants.h"

uint64_t pario_beff_lmax(uint64_t memory_bytes);

/* Fills the lengths and returns a, the step of the last eight. */
double pario_beff_lengths(uint64_t lmax, uint64_t lengths[PARIO_BEFF_LENGTHS]);

/* Two send and receive buffers as the program has them: six messages each, so that short ones do not stay cached. */
uint64_t pario_beff_buffer_bytes(uint64_t lmax);

#endif
