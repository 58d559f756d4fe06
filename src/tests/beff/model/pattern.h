/*
 * pattern: who sends to whom. The six ring patterns and the random ones are averaged; the others are measured for a
 * closer look and never averaged (docs/beff.md).
 *
 * A pattern is described without reference to a process; its links say what the process at one position does in one
 * iteration. Position p of a pattern is process order[p] where it has an order of its own, else process p.
 */
#ifndef PARIO_TESTS_BEFF_MODEL_PATTERN_H
#define PARIO_TESTS_BEFF_MODEL_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/beff/model/constants.h"
#include "tests/beff/model/grid.h"
#include "tests/beff/model/rings.h"

enum pario_beff_kind {
	PARIO_BEFF_RING,
	PARIO_BEFF_RANDOM, /* from here on not by rank */
	PARIO_BEFF_WORST_CYCLE,
	PARIO_BEFF_BEST_BISECTION,
	PARIO_BEFF_WORST_BISECTION,
	PARIO_BEFF_PING_PONG,
	PARIO_BEFF_GRID,
};

struct pario_beff_pattern {
	enum pario_beff_kind kind;
	enum pario_beff_release release;
	char name[32];
	unsigned n, used;  /* processes there are, and how many take part */
	uint64_t messages; /* of all processes in one iteration */
	unsigned methods;  /* bit m: method m is measured */
	struct pario_beff_rings rings;
	unsigned extent[PARIO_BEFF_DIMENSIONS], dimensions;
	int direction; /* of a grid; -1 = all together */
	bool periodic;
};

enum { PARIO_BEFF_PAIRS = 6, PARIO_BEFF_EXTRAS = 16 };

/* One iteration of one process: for each pair a message to `dest` and one from `src`, positions or -1 for none. */
struct pario_beff_links {
	unsigned pairs;
	int dest[PARIO_BEFF_PAIRS], src[PARIO_BEFF_PAIRS];
	double weight; /* bandwidth of the pattern = length × loop × weight / time, the least over the processes */
};

/* Fills `list` (room for rings, randoms and PARIO_BEFF_EXTRAS) in the order of measuring; returns how many. */
size_t pario_beff_patterns(unsigned n, unsigned randoms, enum pario_beff_release release,
			   struct pario_beff_pattern *list);

void pario_beff_links(const struct pario_beff_pattern *pattern, unsigned position,
		      struct pario_beff_links *links);

/* "ring", "random" or "additional". */
const char *pario_beff_group(const struct pario_beff_pattern *pattern);

#endif
