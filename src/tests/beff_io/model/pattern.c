/*
 * pattern: table 2 of the paper, and the numbers in the files.
 */
#include "tests/beff_io/model/pattern.h"

#include <string.h>

#define KB    1024ull
#define MB    1048576ull
#define MPART PARIO_BEFF_IO_MPART
#define FILL  PARIO_BEFF_IO_FILL

const char *const pario_beff_io_type_names[] = { "scatter",   "shared",	  "separated",
						 "segmented", "seg_coll", 0 };
const char *const pario_beff_io_access_names[] = { "write", "rewrite", "read", 0 };
const char *const pario_beff_io_row_names[] = { "",   "1k",   "1k+8",	"32k",	"32k+8",
						"1M", "1M+8", "M_PART", "1M/2M" };

#define SCATTER(l, L, U, row_)                                                                \
	{                                                                                     \
		.type = PARIO_BEFF_IO_SCATTER, .chunk = l, .call = L, .units = U, .row = row_ \
	}
#define PLAIN(type_, l, U, row_)                                    \
	{                                                           \
		.type = type_, .chunk = l, .units = U, .row = row_, \
	}
/* Patterns 17 to 24, 25 to 32 and 34 to 41 differ in their type only. */
#define EIGHT(type_)                                                               \
	PLAIN(type_, MB, 0, 0), PLAIN(type_, MPART, 2, 7), PLAIN(type_, MB, 2, 5), \
		PLAIN(type_, 32 * KB, 1, 3), PLAIN(type_, KB, 1, 1),               \
		PLAIN(type_, 32 * KB + 8, 1, 4), PLAIN(type_, KB + 8, 1, 2),       \
		PLAIN(type_, MB + 8, 2, 6)

const struct pario_beff_io_pattern pario_beff_io_patterns[PARIO_BEFF_IO_PATTERNS] = {
	SCATTER(MB, MB, 0, 0),
	SCATTER(MPART, 0, 4, 7),
	SCATTER(MB, 2 * MB, 4, PARIO_BEFF_IO_EXTRA_ROW),
	SCATTER(MB, MB, 4, 5),
	SCATTER(32 * KB, MB, 2, 3),
	SCATTER(KB, MB, 2, 1),
	SCATTER(32 * KB + 8, MB + 256, 2, 4),
	SCATTER(KB + 8, MB + 8 * KB, 2, 2),
	SCATTER(MB + 8, MB + 8, 2, 6),
	PLAIN(PARIO_BEFF_IO_SHARED, MB, 0, 0),
	PLAIN(PARIO_BEFF_IO_SHARED, MPART, 4, 7),
	PLAIN(PARIO_BEFF_IO_SHARED, MB, 2, 5),
	PLAIN(PARIO_BEFF_IO_SHARED, 32 * KB, 1, 3),
	PLAIN(PARIO_BEFF_IO_SHARED, KB, 1, 1),
	PLAIN(PARIO_BEFF_IO_SHARED, 32 * KB + 8, 1, 4),
	PLAIN(PARIO_BEFF_IO_SHARED, KB + 8, 1, 2),
	PLAIN(PARIO_BEFF_IO_SHARED, MB + 8, 2, 6),
	EIGHT(PARIO_BEFF_IO_SEPARATED),
	EIGHT(PARIO_BEFF_IO_SEGMENTED),
	PLAIN(PARIO_BEFF_IO_SEGMENTED, FILL, 0, 0),
	EIGHT(PARIO_BEFF_IO_TOGETHER),
	PLAIN(PARIO_BEFF_IO_TOGETHER, FILL, 0, 0),
};

const unsigned pario_beff_io_first[] = { 0, 9, 17, 25, 34, 43 };

uint64_t pario_beff_io_mpart(uint64_t node_bytes, int capped)
{
	uint64_t bytes = node_bytes / 128 / 8 * 8;

	if (bytes < 2 * MB)
		bytes = 2 * MB;
	return capped && bytes > 1024 * MB ? 1024 * MB : bytes;
}

uint64_t pario_beff_io_chunk(unsigned pattern, uint64_t mpart, uint64_t fill)
{
	uint64_t chunk = pario_beff_io_patterns[pattern].chunk;

	return chunk == MPART ? mpart : chunk == FILL ? fill : chunk;
}

uint64_t pario_beff_io_call(unsigned pattern, uint64_t mpart, uint64_t fill)
{
	uint64_t call = pario_beff_io_patterns[pattern].call;

	return call ? call : pario_beff_io_chunk(pattern, mpart, fill);
}

uint64_t pario_beff_io_longest(uint64_t mpart)
{
	uint64_t longest = 0;

	for (unsigned p = 0; p < PARIO_BEFF_IO_PATTERNS; p++) {
		uint64_t call = pario_beff_io_call(p, mpart, MB);

		longest = call > longest ? call : longest;
	}
	return longest;
}

uint64_t pario_beff_io_least(uint64_t mpart)
{
	uint64_t sum = 0;

	for (unsigned p = 0; p < PARIO_BEFF_IO_PATTERNS; p++)
		sum += pario_beff_io_call(p, mpart, MB);
	return sum;
}

/* Negative, so that no stamp is equal; exact up to 2^20 clients and 2^33 elements. */
static double base_of(uint64_t client, uint64_t i)
{
	return -1.0 - (double)(client << 33 | i);
}

void pario_beff_io_base(const struct pario_beff_io_data *d)
{
	for (uint64_t i = 0; i < d->call / 8; i++)
		d->elements[i] = base_of(d->client, i);
}

static double stamp_of(const struct pario_beff_io_data *d, uint64_t call_number, uint64_t i,
		       enum pario_beff_io_access writer)
{
	return 1e7 * (double)call_number + 1000.0 * (double)i + 10.0 * d->pattern + (double)writer;
}

void pario_beff_io_stamp(const struct pario_beff_io_data *d, uint64_t call_number,
			 enum pario_beff_io_access writer)
{
	uint64_t length = d->chunk / 8;

	for (uint64_t i = 0; i < d->call / 8; i += length) {
		double stamp = stamp_of(d, call_number, i, writer);

		d->elements[i] = stamp + 1;
		d->elements[i + length - 1] = stamp + 6;
	}
}

static unsigned differs(const struct pario_beff_io_data *d, uint64_t call_number, uint64_t i,
			double expected, struct pario_beff_io_mismatch *first)
{
	if (memcmp(&d->elements[i], &expected, sizeof(expected)) == 0)
		return 0;
	if (!first->seen)
		*first = (struct pario_beff_io_mismatch){ .seen = true,
							  .pattern = d->pattern,
							  .call = call_number,
							  .element = i,
							  .found = d->elements[i],
							  .expected = expected };
	return 1;
}

/* Between the marks of the chunk that begins at element i; equal memory, which is the rule, is seen at a glance. */
static uint64_t inside_differs(const struct pario_beff_io_data *d, uint64_t call_number, uint64_t i,
			       uint64_t length, struct pario_beff_io_mismatch *first)
{
	uint64_t wrong = 0, count = length - 2;

	if (memcmp(d->elements + i + 1, d->reference + i + 1, count * sizeof(*d->elements)) == 0)
		return 0;
	for (uint64_t k = i + 1; k <= i + count; k++)
		wrong += differs(d, call_number, k, d->reference[k], first);
	return wrong;
}

uint64_t pario_beff_io_check(const struct pario_beff_io_data *d, uint64_t call_number,
			     enum pario_beff_io_access writer, struct pario_beff_io_mismatch *first)
{
	uint64_t length = d->chunk / 8, wrong = 0;

	for (uint64_t i = 0; i < d->call / 8; i += length) {
		double stamp = stamp_of(d, call_number, i, writer);

		/* In a chunk of one element the second mark lies on the first. */
		if (length > 1)
			wrong += differs(d, call_number, i, stamp + 1, first);
		if (length > 2)
			wrong += inside_differs(d, call_number, i, length, first);
		wrong += differs(d, call_number, i + length - 1, stamp + 6, first);
	}
	return wrong;
}
