/*
 * crc32c: by the processor's own instruction where it has one, else by a table that is made for the call.
 */
#include "tests/training/model/crc32c.h"

#include <string.h>

#define POLYNOMIAL 0x82f63b78u /* bits reversed */

static uint32_t by_table(const unsigned char *at, uint64_t length)
{
	uint32_t table[256], crc = ~0u;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? POLYNOMIAL : 0);
	}
	for (; length > 0; length--)
		crc = crc >> 8 ^ table[(crc ^ *at++) & 255];
	return ~crc;
}

#ifdef __x86_64__
__attribute__((target("sse4.2"))) static uint32_t by_instruction(const unsigned char *at,
								 uint64_t length)
{
	uint64_t crc = UINT32_MAX, word;

	for (; length >= sizeof(word); length -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		crc = __builtin_ia32_crc32di(crc, word);
	}
	for (; length > 0; length--)
		crc = __builtin_ia32_crc32qi((uint32_t)crc, *at++);
	return ~(uint32_t)crc;
}
#endif

uint32_t pario_crc32c(const void *bytes, uint64_t length)
{
#ifdef __x86_64__
	if (__builtin_cpu_supports("sse4.2"))
		return by_instruction(bytes, length);
#endif
	return by_table(bytes, length);
}
