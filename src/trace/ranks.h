/*
 * ranks: which ranks of an MPI program are there, and which are missing? A trace of some of them looks like the trace
 * of a smaller program.
 */
#ifndef PARIO_TRACE_RANKS_H
#define PARIO_TRACE_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { PARIO_RANKS_MOST = 1 << 24 };

struct pario_ranks {
	uint32_t world; /* of the largest MPI_COMM_WORLD that anybody belongs to; 0 = none */
	uint32_t capacity;
	uint8_t *seen;		   /* by rank */
	uint64_t calls, processes; /* of the trace that was read last */
};

/* Somebody is rank `rank` of `world`; UINT32_MAX where that is unknown. */
void pario_ranks_add(struct pario_ranks *ranks, uint32_t rank, uint32_t world);

/* Adds those of a trace, as far as it can be read, and counts what is there. */
void pario_ranks_read(struct pario_ranks *ranks, const char *path);

bool pario_ranks_has(const struct pario_ranks *ranks, uint32_t rank);
uint32_t pario_ranks_count(const struct pario_ranks *ranks);
static inline bool pario_ranks_complete(const struct pario_ranks *ranks)
{
	return pario_ranks_count(ranks) >= ranks->world;
}

/* "2, 3 and 5-9": the missing ones. */
void pario_ranks_missing(const struct pario_ranks *ranks, struct pario_text *text);

void pario_ranks_release(struct pario_ranks *ranks);

#endif
