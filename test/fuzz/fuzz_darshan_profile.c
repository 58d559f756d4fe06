/*
 * Any bytes as a log of Darshan that is not compressed: a profile is made of it and shown, or a sentence. Tables for
 * all the processes that a log claims take milliseconds; fuzz_darshan reads only.
 */
#include <stdlib.h>
#include <string.h>

#include "memory_input.h"
#include "profile/read/darshan.h"
#include "profile/show/show.h"

static void profile(const uint8_t *data, size_t size)
{
	struct pario_profile p;
	struct pario_text text = { 0 };
	struct pario_err err = { 0 };

	if (pario_profile_darshan(&p, memory_input(0, data, size), &err) == 0) {
		struct pario_symbols *symbols = pario_symbols_new(NULL);

		pario_profile_show(&p, symbols, 5, true, &text);
		pario_symbols_free(symbols);
		pario_profile_release(&p);
	} else if (!err.text[0]) {
		abort();
	}
	pario_text_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *plain = size > 16 ? malloc(size) : NULL;

	if (!plain)
		return 0;
	memcpy(plain, data, size);
	plain[16] = 2; /* how it is compressed: not at all */
	profile(plain, size);
	free(plain);
	return 0;
}
