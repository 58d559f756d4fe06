/*
 * Any bytes as a log of Darshan that is not compressed: a profile is made of it and, one in 64, shown, or a sentence.
 * Tables for all the processes that a log claims take milliseconds: of logs that claim many, one in 512 is read.
 * fuzz_darshan reads only.
 */
#include <stdlib.h>
#include <string.h>

#include "darshan/log.h"
#include "memory_input.h"
#include "profile/read/darshan.h"
#include "profile/show/show.h"

enum { MANY = 64 };

struct input {
	const uint8_t *bytes;
	size_t size;
};

static size_t read_at(void *self, uint64_t offset, void *to, size_t wanted)
{
	const struct input *input = self;
	size_t n = offset < input->size ? input->size - (size_t)offset : 0;

	n = n < wanted ? n : wanted;
	if (n)
		memcpy(to, input->bytes + offset, n);
	return n;
}

static bool claims_many(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	const struct pario_darshan_bytes bytes = { read_at, &input, "input" };
	struct pario_darshan_log log;
	struct pario_err err = { 0 };
	bool many;

	if (pario_darshan_log_open(&log, &bytes, &err) < 0)
		return false;
	many = log.nprocs > MANY;
	pario_darshan_log_release(&log);
	return many;
}

static void profile(const uint8_t *data, size_t size)
{
	struct pario_profile p;
	struct pario_text text = { 0 };
	struct pario_err err = { 0 };

	if (pario_profile_darshan(&p, memory_input(0, data, size), &err) == 0) {
		if (one_in(64, data, size)) {
			struct pario_symbols *symbols = pario_symbols_new(NULL);

			pario_profile_show(&p, symbols, 5, true, &text);
			pario_symbols_free(symbols);
		}
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
	if (one_in(512, plain, size) || !claims_many(plain, size))
		profile(plain, size);
	free(plain);
	return 0;
}
