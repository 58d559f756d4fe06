/*
 * companion: the rings of hpcc's latency and bandwidth test, for comparison with published values (spec/beff.md section
 * 12). 8 bytes for latency, 2 000 000 bytes for bandwidth, one ring of all processes in the order of their ranks and
 * others in random orders; two messages per iteration, the better of Sendrecv and nonblocking, the best of a few short
 * measurements. hpcc's ping-pong over pairs is not here.
 *
 * The sheet `rings` of the result keeps the time of one message in each ring; ring 0 is that by rank.
 */
#ifndef PARIO_KIT_COMPANION_H
#define PARIO_KIT_COMPANION_H

#include "run/test.h"

/* Latency in us, in the order of ranks and at random; MB/s per process, likewise. */
enum { PARIO_COMPANION_VALUES = 4 };

struct pario_companion {
	double values[PARIO_COMPANION_VALUES];
};

/* Bytes that it allocates on each client. */
uint64_t pario_companion_memory(void);

/* Measures on all clients together. True on all of them when it ran to its end. */
int pario_companion_run(struct pario_companion *companion, struct pario_run *run, uint64_t seed,
			bool *complete, struct pario_err *err);

#endif
