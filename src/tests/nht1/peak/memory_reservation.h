/*
 * memory_reservation: a large part of the node's memory, taken with care.
 *
 * The clients of a node share what its processes may use (cgroups respected). Pages are touched step by step, and
 * available memory is re-checked before every step: where that gets scarce, the reservation stays smaller than
 * wanted. While it is held, the kernel would rather end this process than another.
 */
#ifndef PARIO_TESTS_NHT1_PEAK_MEMORY_RESERVATION_H
#define PARIO_TESTS_NHT1_PEAK_MEMORY_RESERVATION_H

#include <stdint.h>

#include "base/err.h"

struct pario_run;

/* Sizes are multiples of this; also the smallest request that peak rates are measured with. */
enum { PARIO_MEMORY_RESERVATION_UNIT = 1 << 20 };

struct pario_memory_reservation {
	char *base;
	uint64_t bytes; /* what was taken; readable and writable from base */
	uint64_t
		wanted; /* what was asked for; more than `bytes` when memory or the limit ended it */
	uint64_t allowed; /* this client's share of the memory that the node's processes may use, */
	uint64_t memory;  /* and of all that the node has */
	uint64_t mapped;
	int score; /* what stood in oom_score_adj before; -1001 = not known */
};

/* `fraction` of this client's share, at least one unit, at most `limit` bytes. Release is fine after a failure. */
int pario_memory_reservation_init(struct pario_memory_reservation *reservation,
				  const struct pario_run *run, double fraction, uint64_t limit,
				  struct pario_err *err);
void pario_memory_reservation_release(struct pario_memory_reservation *reservation);

/* How much a client of `clients` on a node may take without coming near the end of `total` bytes. */
uint64_t pario_memory_reservation_spare(uint64_t total, uint64_t available, uint64_t clients);

/* The share of `fraction`, rounded up to whole units. */
uint64_t pario_memory_reservation_share(uint64_t total, uint64_t clients, double fraction);

/*
 * How much was moved of how much memory, and of whose; `wanted` is what was asked for. `memory` is that of
 * `nodes`, of all that the program was started on; where a container or cgroup allows less, `allowed` is that.
 */
struct pario_memory_reservation_amount {
	uint64_t bytes, wanted;
	uint64_t memory, allowed, nodes, world_nodes;
};

/* What `say` tells, as rows for a test's metrics; the nodes are also told by themselves. */
#define PARIO_NODES_METRICS                                                                        \
	{ "nodes", "", "nodes with a client, whose memory S_MEM is", 0 },                          \
	{                                                                                          \
		"nodes_left_out", "", "nodes of the run without a client here; NHT-1 wants all", 0 \
	}
#define PARIO_MEMORY_RESERVATION_METRICS                                                    \
	{ "S_MEM", "B", "memory of all nodes, whatever a container or cgroup allows", 0 },  \
		{ "memory_allowed", "B", "memory that processes may use on all nodes", 0 }, \
		PARIO_NODES_METRICS

void pario_nodes_say(struct pario_run *run, uint64_t nodes, uint64_t world_nodes);

/* In what an amount falls short of NHT-1, which wants `share` of the memory of all nodes; "" when it does not. */
void pario_memory_reservation_short(const struct pario_memory_reservation_amount *amount,
				    double share, char text[300]);

/* In body: flags the result when it falls short. In verify: S_MEM and the nodes as metrics. */
void pario_memory_reservation_judge(struct pario_run *run,
				    const struct pario_memory_reservation_amount *amount,
				    double share);
void pario_memory_reservation_say(struct pario_run *run,
				  const struct pario_memory_reservation_amount *amount);

#endif
