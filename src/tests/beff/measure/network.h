/*
 * network: the patterns of b_eff (src/tests/beff/model) as groups of MPI processes, and one measurement on them.
 *
 * Every process takes the time of its own loop, from after the untimed iteration to the end of its last message. Client
 * 0 gets all times; the slowest process decides the bandwidth.
 */
#ifndef PARIO_TESTS_BEFF_MEASURE_NETWORK_H
#define PARIO_TESTS_BEFF_MEASURE_NETWORK_H

#include "engine/test.h"
#include "tests/beff/measure/exchange.h"
#include "tests/beff/model/schedule.h"

struct pario_network {
	const struct pario_beff_pattern *patterns;
	unsigned n, count;
	uint64_t lengths[PARIO_BEFF_LENGTHS];
	struct pario_links *links; /* by pattern */
	double *weights;
	unsigned *order;
	uint64_t *nodes; /* by process: the lowest process on the same node */
	struct pario_exchange exchange;
	uint64_t checked; /* messages that were looked at by this process */
	MPI_Comm comm;
};

/*
 * Makes groups and buffers, on all clients together; `patterns` must outlive it. A client that fails says why, the
 * others come back too. Orders of random patterns are drawn from `seed`.
 */
int pario_network_init(struct pario_network *network, struct pario_run *run,
		       const struct pario_beff_pattern *patterns, unsigned count, uint64_t lmax,
		       uint64_t seed, struct pario_err *err);
void pario_network_release(struct pario_network *network);

/*
 * One measurement, on all clients together. On client 0 the outcome is filled and `wrong` is set when a message was
 * wrong on any of them. `spoilt`: this client's messages carry what nobody expects.
 */
void pario_network_measure(struct pario_network *network, struct pario_run *run,
			   const struct pario_beff_step *step, bool spoilt,
			   struct pario_beff_outcome *outcome, bool *wrong);

#endif
