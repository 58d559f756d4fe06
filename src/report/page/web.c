/*
 * web: the bytes and their hashes are in a generated file (cmake/Web.cmake); here they are spelt for the content
 * security policy.
 */
#include "report/page/web.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void pario_web_hash(struct pario_text *out, const struct pario_web_part *part)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char sum[33] = { 0 }; /* one more, so that the last group is whole */
	char text[45];

	for (size_t i = 0; i < 32; i++) {
		const char pair[] = { part->sha256[2 * i], part->sha256[2 * i + 1], '\0' };

		sum[i] = (unsigned char)strtoul(pair, NULL, 16);
	}
	for (size_t i = 0; i < 11; i++) {
		uint32_t group =
			(uint32_t)sum[3 * i] << 16 | (uint32_t)sum[3 * i + 1] << 8 | sum[3 * i + 2];

		for (size_t k = 0; k < 4; k++)
			text[4 * i + k] = letters[group >> (18 - 6 * k) & 63];
	}
	text[43] = '=';
	text[44] = '\0';
	pario_text_add(out, "'sha256-%s'", text);
}
