/*
 * hints: MPI-IO hints for some of b_eff_io's patterns, from a file (docs/beff_io.md).
 *
 * A line is
 *
 *	PROCESSES ACCESS TYPE CHUNK KEY VALUE
 *
 * with a number of processes, write|rewrite|read, scatter|shared|separated|segmented|seg_coll and on_open|Lmax|1024|
 * 1032|32768|32776|1048576|1048584; each of the four may be "all". What stands for on_open is given when the file is
 * opened, the rest with the view of a pattern. # begins a comment.
 */
#ifndef PARIO_TESTS_BEFF_IO_MODEL_HINTS_H
#define PARIO_TESTS_BEFF_IO_MODEL_HINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tests/beff_io/model/pattern.h"

enum { PARIO_BEFF_IO_HINTS = 64, PARIO_BEFF_IO_HINTS_TEXT = 2000 };

struct pario_beff_io_hints {
	struct pario_beff_io_hint {
		uint64_t processes;		  /* 0 = any number */
		unsigned accesses, types, chunks; /* sets of bits */
		char where[4][16]; /* the first four words, as they stand in the file */
		char key[64], value[192];
	} hint[PARIO_BEFF_IO_HINTS];
	size_t count;
};

/* Where hints are asked for: with the view of a pattern, or when a file of a type is opened. */
struct pario_beff_io_place {
	uint64_t processes;
	enum pario_beff_io_access access;
	enum pario_beff_io_type type;
	int pattern; /* -1 = on_open */
};

/* `path` names the file in sentences. */
int pario_beff_io_hints_parse(struct pario_beff_io_hints *hints, const char *path, const char *text,
			      size_t length, struct pario_err *err);

bool pario_beff_io_hint_applies(const struct pario_beff_io_hint *hint,
				const struct pario_beff_io_place *place);

#endif
