/*
 * pattern: the 43 patterns of b_eff_io as data, and what is written by them (docs/beff_io.md).
 *
 * A pattern is a way to share a file out (its type) with one size of contiguous chunks on disk. Each call moves
 * `call` bytes of memory, which are one or more chunks. Everything is a multiple of the element, a double.
 */
#ifndef PARIO_TESTS_BEFF_IO_MODEL_PATTERN_H
#define PARIO_TESTS_BEFF_IO_MODEL_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PARIO_BEFF_IO_PATTERNS = 43,
	PARIO_BEFF_IO_TYPES = 5,
	PARIO_BEFF_IO_ACCESSES = 3,
	PARIO_BEFF_IO_ROWS = 7,	     /* of the table in the summary, from 1 */
	PARIO_BEFF_IO_EXTRA_ROW = 8, /* pattern 2, a line of its own */
	PARIO_BEFF_IO_UNITS = 64,    /* sum of the time units */
};

enum pario_beff_io_type {
	PARIO_BEFF_IO_SCATTER,
	PARIO_BEFF_IO_SHARED,
	PARIO_BEFF_IO_SEPARATED,
	PARIO_BEFF_IO_SEGMENTED,
	PARIO_BEFF_IO_TOGETHER, /* segmented, with collective calls */
};

enum pario_beff_io_access { PARIO_BEFF_IO_WRITE, PARIO_BEFF_IO_REWRITE, PARIO_BEFF_IO_READ };

extern const char *const pario_beff_io_type_names[PARIO_BEFF_IO_TYPES + 1];
extern const char *const pario_beff_io_access_names[PARIO_BEFF_IO_ACCESSES + 1];
extern const char *const pario_beff_io_row_names[PARIO_BEFF_IO_EXTRA_ROW + 1]; /* [0] is "" */

/* Chunk sizes that are known only when the benchmark runs. */
#define PARIO_BEFF_IO_MPART UINT64_MAX
#define PARIO_BEFF_IO_FILL  (UINT64_MAX - 1) /* what is missing to the end of the segment, once */

struct pario_beff_io_pattern {
	enum pario_beff_io_type type;
	uint64_t chunk; /* l */
	uint64_t call;	/* L; 0 = one chunk */
	unsigned units; /* U, time units; 0 = one call */
	unsigned row;	/* in the summary; 0 = none */
};

extern const struct pario_beff_io_pattern pario_beff_io_patterns[PARIO_BEFF_IO_PATTERNS];

/* Number of the first pattern of each type, and where the next would begin. */
extern const unsigned pario_beff_io_first[PARIO_BEFF_IO_TYPES + 1];

/* M_PART: the largest chunk, from the memory of a node; `capped` as release 2.1, at most 1 GiB. A multiple of 8. */
uint64_t pario_beff_io_mpart(uint64_t node_bytes, int capped);

/* l and L of a pattern; `fill` is the rest of the segment for the last patterns of types 3 and 4. */
uint64_t pario_beff_io_chunk(unsigned pattern, uint64_t mpart, uint64_t fill);
uint64_t pario_beff_io_call(unsigned pattern, uint64_t mpart, uint64_t fill);

/* The longest call of all. */
uint64_t pario_beff_io_longest(uint64_t mpart);

/* What each client writes at least, when every pattern makes one call. */
uint64_t pario_beff_io_least(uint64_t mpart);

/*
 * The data of one call. `base` gives every element a value that says which client it belongs to, once per pattern;
 * `stamp` marks both ends of each chunk for one call, as section 10 says; `check` counts the elements that are not what
 * the writer left, all of them, with the help of an unstamped buffer of the same client.
 */
struct pario_beff_io_data {
	double *elements;
	const double *reference; /* for check: as base fills it, at least one call long */
	uint64_t call, chunk;	 /* bytes */
	unsigned pattern;
	uint64_t client;
};

void pario_beff_io_base(const struct pario_beff_io_data *data);
void pario_beff_io_stamp(const struct pario_beff_io_data *data, uint64_t call_number,
			 enum pario_beff_io_access writer);

/* An element that is not what was written; calls and elements of a call count from 0. */
struct pario_beff_io_mismatch {
	bool seen;
	unsigned pattern;
	uint64_t call, element;
	double found, expected;
};

/* `first` keeps what it has seen. */
uint64_t pario_beff_io_check(const struct pario_beff_io_data *data, uint64_t call_number,
			     enum pario_beff_io_access writer,
			     struct pario_beff_io_mismatch *first);

#endif
