/*
 * learnt: what must be known of the whole trace before it is simulated, gathered while it is gone through by its own
 * clock: who sends bytes to whom, when threads end, and which of a thread's calls lie within collective calls on files.
 */
#ifndef PARIO_PREDICT_SIMULATE_LEARNT_H
#define PARIO_PREDICT_SIMULATE_LEARNT_H

#include "predict/simulate/flow.h"

struct pario_learnt_span {
	double start_ns, end_ns;
};

/* Collective calls of a thread that had calls within them, in their order. */
struct pario_learnt_spans {
	struct pario_learnt_span *list; /* from 0 */
	uint32_t count, capacity;
};

struct pario_learnt {
	struct pario_flows flows;
	double *ended_ns;		       /* by thread: the end of its last call */
	struct pario_learnt_spans *collective; /* by thread */
	uint32_t threads;
	uint64_t spans;
	bool no_memory;
};

int pario_learnt_init(struct pario_learnt *l, const struct pario_trace *trace,
		      struct pario_err *err);
void pario_learnt_release(struct pario_learnt *l);
/* All has been gone through. */
int pario_learnt_settle(struct pario_learnt *l, struct pario_err *err);

void pario_learnt_collective(struct pario_learnt *l, uint32_t thread,
			     const struct pario_sim_step *step);

#endif
