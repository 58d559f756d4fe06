/*
 * seals: what was handed over, to be recognised later: a checksum (XXH3, 64 bits) of every line of every vector.
 *
 * A client seals its planes of a vector before they go to storage, and looks for a line that came back with another
 * checksum. Costs one pass over the data at the speed of memory and 8 bytes per line.
 */
#ifndef PARIO_TESTS_NHT1_APPLICATION_SEALS_H
#define PARIO_TESTS_NHT1_APPLICATION_SEALS_H

#include <stdint.h>

#include "base/err.h"

struct pario_seals {
	uint64_t line_bytes, lines; /* of one vector */
	uint64_t *seal;		    /* [vector][line] */
};

int pario_seals_init(struct pario_seals *seals, uint64_t line_bytes, uint64_t lines,
		     uint64_t vectors, struct pario_err *err);
void pario_seals_release(struct pario_seals *seals);

/* All lines of a vector, one after the other from `data`. */
void pario_seals_put(struct pario_seals *seals, uint64_t vector, const void *data);

/* The first of `count` lines from `line` on that is not the one that was sealed; line + count when all are. */
uint64_t pario_seals_broken(const struct pario_seals *seals, uint64_t vector, uint64_t line,
			    uint64_t count, const void *data);

#endif
