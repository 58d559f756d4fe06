/*
 * memory_copy: how fast do clients copy memory?
 *
 * Every client copies one buffer to another, piece by piece, round after round. Cached I/O copies each byte at least
 * once, and a file system in memory does little else, so no such number gets beyond this one by much. A copied byte
 * counts once, although it is read and written.
 *
 * Misleads when the buffers of all clients fit into the processors' caches, and where the C library's memcpy is not the
 * kernel's way to copy.
 */
#include "engine/test.h"

#include <stdlib.h>
#include <string.h>

struct params {
	uint64_t transfer_size, buffer_size, rounds;
};

struct work {
	uint64_t copied; /* pieces that have reached the destination */
	unsigned char *to, from[];
};

static const struct pario_option options[] = {
	PARIO_OPTION(struct params, transfer_size, .def = "1m", .min = "1", .max = "1g",
		     .unit = "bytes", .letter = 't', .help = "bytes copied at a time"),
	PARIO_OPTION(
		struct params, buffer_size, .def = "64m", .min = "1", .max = "1t", .unit = "bytes",
		.letter = 'b',
		.help = "each client's source, and its destination; a multiple of transfer_size"),
	PARIO_OPTION(struct params, rounds, .def = "10", .min = "1", .max = "1m", .unit = "rounds",
		     .help = "how often the whole buffer is copied"),
	{ 0 },
};

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;

	(void)client;
	if (p->buffer_size % p->transfer_size)
		return pario_err_set(
			err, PARIO_USAGE,
			"--buffer_size %llu is not a multiple of --transfer_size %llu.",
			(unsigned long long)p->buffer_size, (unsigned long long)p->transfer_size);
	layout->memory_bytes = pario_times(p->buffer_size, 2);
	layout->moved_bytes = pario_times(pario_times(p->buffer_size, p->rounds), point->clients);
	layout->operations = layout->moved_bytes / p->transfer_size;
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	(void)point;
	list[0] = (struct pario_phase){ .name = "copy" };
	return 1;
}

/* The pages of both buffers are there before anything is timed. */
static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = malloc(sizeof(*w) + 2 * p->buffer_size);

	run->scratch = w;
	if (!w)
		return pario_err_memory(err, "two buffers of %llu bytes",
					(unsigned long long)p->buffer_size);
	w->copied = 0;
	w->to = w->from + p->buffer_size;
	pario_run_fill(run, 0, run->client, w->from, 0, p->buffer_size);
	pario_run_poison(w->to, p->buffer_size);
	return 0;
}

static int body(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	uint64_t pieces = p->buffer_size / p->transfer_size, i;
	struct work *w = run->scratch;

	(void)err;
	for (i = 0; pario_run_more(run, i, pieces * p->rounds); i++) {
		uint64_t at = i % pieces * p->transfer_size;

		memcpy(w->to + at, w->from + at, p->transfer_size);
		pario_run_count(run, p->transfer_size);
	}
	w->copied = i < pieces ? i : pieces;
	return 0;
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;

	return pario_run_check(run, 0, run->client, w->to, 0, w->copied * p->transfer_size,
			       "the copy in memory", err);
}

static void teardown(struct pario_run *run)
{
	free(run->scratch);
}

const struct pario_test pario_test_memory_copy = {
	.name = "memory_copy",
	.summary = "copies from memory to memory, which no cached I/O exceeds by much",
	.question = "How fast do clients copy memory?",
	.misleads = "when the buffers of all clients fit into the processors' caches",
	.needs = PARIO_NEED_NO_DIR,
	.options = options,
	.params_size = sizeof(struct params),
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
