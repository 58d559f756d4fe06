/*
 * crc32c: the sum that frames a record of TFRecord (Castagnoli's polynomial), and its masked form.
 */
#ifndef PARIO_TESTS_TRAINING_MODEL_CRC32C_H
#define PARIO_TESTS_TRAINING_MODEL_CRC32C_H

#include <stdint.h>

uint32_t pario_crc32c(const void *bytes, uint64_t length);

/* As it stands in files: rotated by 15 bits, plus a constant, so that sums of sums are none. */
static inline uint32_t pario_crc32c_mask(uint32_t crc)
{
	return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

#endif
