/*
 * meter: what one client measured in one phase, and how the clients' measurements become one result.
 *
 * All times count from the client's own exit from the common barrier. Waiting for the others to agree on a stop
 * is excluded (`excluded_ns`). Generating data is not, since storage works meanwhile; it is counted as `fill_ns`.
 */
#ifndef PARIO_ENGINE_METER_H
#define PARIO_ENGINE_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "comm/comm.h"
#include "journal/result.h"

enum { PARIO_PROGRESS_CAPACITY = 512 };

/* Work done over time at ever coarser steps: how the rate went, and how far a client was when another was done. */
struct pario_progress {
	int64_t next_ns, step_ns;
	unsigned count;
	struct {
		int64_t ns;
		uint64_t bytes, ops;
	} at[PARIO_PROGRESS_CAPACITY];
};

struct pario_meter {
	uint64_t ops, bytes;
	uint64_t failed;  /* operations that failed; not in ops */
	int64_t start_ns; /* exit from the barrier */
	int64_t last_ns;  /* end of the last operation */
	int64_t excluded_ns, fill_ns;
	double took_s; /* what the test says the time is; 0 = nothing */
	int64_t open_ns, transfer_ns, sync_ns, close_ns, total_ns;
	double waited_s; /* of transfers and sync, for a processor; NaN = the kernel does not tell */
	int64_t step_ns; /* end of the last step that the test told itself; 0 = it tells none */
	int64_t step_excluded_ns; /* excluded_ns at that moment */
	int64_t body_done_ns;	  /* start to end of transfers, excluded time taken out */
	int64_t limit_ns;	  /* time limit, 0 = none */
	struct pario_histogram latency;
	struct pario_progress progress;
};

void pario_meter_clear(struct pario_meter *meter);

void pario_progress_add(struct pario_progress *progress, int64_t ns, uint64_t bytes, uint64_t ops);
uint64_t pario_progress_at(const struct pario_meter *meter, int64_t ns); /* bytes at a moment */
uint64_t pario_progress_ops_at(const struct pario_meter *meter, int64_t ns);

/* One operation that began at `start_ns` is over; called for every operation, so it is kept short. */
static inline void pario_meter_op(struct pario_meter *meter, int64_t start_ns, int64_t end_ns,
				  uint64_t bytes)
{
	int64_t elapsed = end_ns - meter->start_ns - meter->excluded_ns;

	meter->ops++;
	meter->bytes += bytes;
	meter->last_ns = end_ns;
	pario_histogram_add(&meter->latency, end_ns - start_ns);
	if (elapsed >= meter->progress.next_ns)
		pario_progress_add(&meter->progress, elapsed, meter->bytes, meter->ops);
}

/*
 * Reduces the clients' meters into the common members of a result; the result is complete on client 0. `latency` gets
 * the histogram of all of them.
 */
void pario_meter_reduce(const struct pario_meter *meter, const struct pario_comm *comm,
			struct pario_result *result, struct pario_histogram *latency);

#endif
