/*
 * hpcc_rings: the rings of hpcc's latency and bandwidth test, for comparison with published values (docs/beff.md). 8
 * bytes for latency, 2 000 000 bytes for bandwidth, one ring of all processes in the order of their ranks and others in
 * random orders; two messages per iteration, the better of Sendrecv and nonblocking, the best of a few short
 * measurements. hpcc's ping-pong over pairs is not here.
 *
 * The table `rings` of the result keeps the time of one message in each ring; ring 0 is that by rank.
 */
#ifndef PARIO_TESTS_BEFF_MEASURE_HPCC_RINGS_H
#define PARIO_TESTS_BEFF_MEASURE_HPCC_RINGS_H

#include "engine/test.h"

/* Latency in us, in the order of ranks and at random; MB/s per process, likewise. */
enum { PARIO_HPCC_RINGS_VALUES = 4 };

struct pario_hpcc_rings {
	double values[PARIO_HPCC_RINGS_VALUES];
};

/* Bytes that it allocates on each client. */
uint64_t pario_hpcc_rings_memory(void);

/* Measures on all clients together. True on all of them when it ran to its end. */
int pario_hpcc_rings_run(struct pario_hpcc_rings *rings, struct pario_run *run, uint64_t seed,
			 bool *complete, struct pario_err *err);

#endif
