/*
 * meet: where ranks wait for each other: collective calls and messages, matched as MPI matches them.
 *
 * A collective call is the n-th of its communicator for every member. Of those with a root the others wait for it,
 * or it for them; all the rest is over when the last has come. A receive waits for the matching send; sends wait for
 * nobody. Nonblocking collective calls, and receives from anybody, keep the time that they took.
 */
#ifndef PARIO_PREDICT_SIMULATE_MEET_H
#define PARIO_PREDICT_SIMULATE_MEET_H

#include "predict/system/cost.h"
#include "trace/stream.h"

struct pario_meets;

struct pario_meet_release {
	uint32_t thread;
	double at;
};

/* `threads`: how many there are. NULL: no memory. */
struct pario_meets *pario_meets_new(const struct pario_trace *trace,
				    const struct pario_costs *costs, uint32_t threads);
void pario_meets_free(struct pario_meets *m);

/*
 * A thread comes to a call at `now`. True: it goes on at *until. False: it waits, and will be among those released.
 * NaN in *until: this call is not modelled.
 */
bool pario_meet(struct pario_meets *m, uint32_t thread, const struct pario_trace_call *call,
		double now, double *until);
/*
 * The same for the end of a collective call on a file, of the members of this communicator. `rest` is what the call
 * took in the trace beyond the calls within it: waiting for others, but for the one who came last. So the least of all
 * members is what it takes when nobody waits.
 */
bool pario_meet_all(struct pario_meets *m, uint32_t thread, uint32_t process, int32_t comm,
		    double now, double rest, double *until);

/* Those that the last call released; the list is the caller's until the next. */
const struct pario_meet_release *pario_meet_released(struct pario_meets *m, uint32_t *count);

/* Nobody can go on: this one does not wait any longer. */
void pario_meet_give_up(struct pario_meets *m, uint32_t thread);

#endif
