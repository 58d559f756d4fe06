/*
 * Bytes of a fuzzer as a journal in memory.
 *
 * Mutated bytes would nearly always stop at the sum of their line, so most harnesses read them with the sums made
 * right.
 */
#ifndef PARIO_FUZZ_JOURNAL_BYTES_H
#define PARIO_FUZZ_JOURNAL_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/text.h"
#include "memory_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold, and is named where it does not. */
#define require(what)                                                                            \
	do {                                                                                     \
		if (!(what)) {                                                                   \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #what); \
			abort();                                                                 \
		}                                                                                \
	} while (0)

/* The line without its sum, or without its last brace when there is none. */
static inline size_t body_of(const char *line, size_t length)
{
	static const char key[] = ",\"sum\":\"";
	size_t tail = sizeof(key) - 1 + 16 + 2;

	if (length >= tail && memcmp(line + length - tail, key, sizeof(key) - 1) == 0)
		return length - tail;
	return length && line[length - 1] == '}' ? length - 1 : length;
}

/* The same lines, each with a right sum. */
static inline void repair(struct pario_text *text, const char *bytes, size_t length)
{
	while (length) {
		const char *newline = memchr(bytes, '\n', length);
		size_t line = newline ? (size_t)(newline - bytes) : length;
		size_t body = body_of(bytes, line);

		pario_text_bytes(text, bytes, body);
		pario_text_add(text, ",\"sum\":\"%016llx\"}\n",
			       (unsigned long long)XXH64(bytes, body, 0));
		line += newline != NULL;
		bytes += line;
		length -= line;
	}
}

/* A name under which readers find the repaired journal, until the next one of the same number. */
static inline const char *repaired_input(unsigned which, const void *bytes, size_t length)
{
	static struct pario_text text[MEMORY_INPUTS];

	pario_text_clear(&text[which]);
	repair(&text[which], bytes, length);
	return memory_input(which, pario_text_string(&text[which]), text[which].length);
}

/* No byte a terminal acts upon, line ends excepted. */
static inline void require_inert(const struct pario_text *text)
{
	const char *s = pario_text_string(text);

	for (size_t i = 0; i < text->length; i++)
		require((unsigned char)s[i] >= 0x20 || s[i] == '\n' || s[i] == '\t');
}

#endif
