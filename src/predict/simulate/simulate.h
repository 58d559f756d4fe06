/*
 * simulate: a program's calls on a system, in the order in which they would happen there.
 *
 * Every thread is a closed loop: it thinks as long as it did, waits for whom it waited for, and makes its next call
 * when the one before it is over. What a call takes follows from what it meets (memory.h), from who else is calling,
 * and from the surfaces of the system (cost.h). Calls that reach the device share it (station.h).
 *
 * With the clock of the trace nothing is simulated but memory: calls begin and end when they did, and what the
 * surfaces say about each is put beside what it took. That is how the model is compared with the reference.
 */
#ifndef PARIO_PREDICT_SIMULATE_SIMULATE_H
#define PARIO_PREDICT_SIMULATE_SIMULATE_H

#include "predict/simulate/classes.h"
#include "predict/simulate/steps.h"

/* A correction for calls of a class; NULL: none. */
typedef double pario_sim_factor(const void *self, const struct pario_class *class, double seconds);

/*
 * A call on storage as it begins, with how many are under way, itself included, or one that waits for other ranks. Its
 * path is what the trace says: direct, synchronous or any.
 */
typedef void pario_sim_see(void *self, uint32_t thread, const struct pario_sim_step *step,
			   uint32_t clients);

struct pario_learnt;

struct pario_sim_input {
	const struct pario_trace *trace;
	const struct pario_costs *costs;
	const struct pario_costs *reference; /* for explaining the difference; may be NULL */
	bool by_trace;			     /* with the clock of the trace */
	struct pario_learnt
		*learnt;  /* with the clock of the trace: to be filled; NULL: nothing is known */
	const bool *warm; /* by file: in memory at first; NULL: none is */
	const char *
		point; /* where the storage was mounted in the trace; files elsewhere are not on it */
	double background; /* clients of others that use the device all the time */
	double think;	   /* times as long */
	double stretch; /* calls on storage take so many times what they are expected to; 0 = 1 */
	pario_sim_factor *factor;
	const void *factor_self;
	pario_sim_see *see; /* with the clock of the trace: whoever makes classes of its own */
	void *see_self;
};

/* Seconds of the program's calls of a part. Rest: of calls around others, what these do not account for. */
struct pario_sim_part {
	uint64_t calls, bytes;
	double measured, seconds;
	double rest_measured, rest_seconds;
};

struct pario_sim_site {
	uint16_t op;
	uint32_t module;
	uint64_t offset, calls;
	double measured, seconds;
};

/* The first call on the bytes of a file: what a read tells about the file. */
struct pario_sim_first {
	float measured, fast, slow; /* seconds: as it was; from memory, from the device */
	bool known, read;
};

struct pario_sim {
	struct pario_classes classes;
	struct pario_sim_part parts[PARIO_IO_PARTS];
	struct pario_map site_of;
	struct pario_sim_site *sites; /* by number, from 1 */
	uint32_t site_capacity;
	struct pario_sim_first *firsts; /* by file; with the clock of the trace only */
	uint32_t threads, busiest;
	double *thread_io, *thread_io_measured, *thread_end; /* by thread */
	double makespan, makespan_measured;
	double waiting, waiting_measured; /* for other ranks */
	double kept, thinking;		  /* seconds that were not modelled, and between calls */
	bool elsewhere; /* no file lies where the storage was mounted, so all count */
	uint64_t calls, given_up, asynchronous, mapped;
	double asynchronous_seconds, mapped_seconds;
};

int pario_simulate(struct pario_sim *sim, const struct pario_sim_input *input,
		   struct pario_err *err);
void pario_sim_release(struct pario_sim *sim);

static inline double pario_sim_io(const struct pario_sim *sim)
{
	return sim->parts[0].seconds + sim->parts[1].seconds + sim->parts[2].seconds;
}

static inline double pario_sim_io_measured(const struct pario_sim *sim)
{
	return sim->parts[0].measured + sim->parts[1].measured + sim->parts[2].measured;
}

#endif
