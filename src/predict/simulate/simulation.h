/*
 * simulation: what the files of the simulator share: the threads, the queue of what happens next, and who does what.
 * Private to simulate*.c.
 */
#ifndef PARIO_PREDICT_SIMULATE_SIMULATION_H
#define PARIO_PREDICT_SIMULATE_SIMULATION_H

#include "predict/simulate/family.h"
#include "predict/simulate/meet.h"
#include "predict/simulate/memory.h"
#include "predict/simulate/simulate.h"

enum { PARIO_SIM_LOOKED_UP = 1024, PARIO_SIM_DEPTHS = 8 };

enum pario_sim_phase {
	PARIO_SIM_UNBORN,
	PARIO_SIM_BEGIN,
	PARIO_SIM_AGAIN,
	PARIO_SIM_END,
	PARIO_SIM_STATION,
	PARIO_SIM_BLOCKED,
	PARIO_SIM_JOINED, /* until another one's sync of the file is over */
	PARIO_SIM_OVER
};

/* Sequential calls of one kind, until it is clear which path they went. */
struct pario_sim_window {
	struct pario_cost_key key;
	enum pario_io_part part;
	uint64_t bytes_each, bytes, calls;
	double measured, fast, slow, clients;
	enum pario_system_path guess;
	unsigned rests_on;
};

struct pario_sim_thread {
	struct pario_steps steps;
	struct pario_sim_step step;
	struct pario_sim_window window;
	enum pario_sim_phase phase;
	double at;	    /* when the next thing happens */
	double begun, cost; /* of the call that is under way */
	double last;	    /* when the last one ended */
	double outer_at[PARIO_SIM_DEPTHS],
		outer_start_ns[PARIO_SIM_DEPTHS]; /* first call within, in both times */
	bool within[PARIO_SIM_DEPTHS];
	double inner, inner_measured; /* seconds of calls within the program's own */
	double clients;
	uint32_t class;
	bool works;	      /* it has calls on storage or of MPI */
	uint32_t awaits;      /* the process whose end it waits for */
	uint32_t children;    /* the first thread that it starts and has not yet */
	uint32_t next_child;  /* of the one that starts it */
	double next_birth_ns; /* of its children, in the trace */
};

/* Communicators of files that are open for several ranks. */
struct pario_sim_handles {
	struct pario_map map;
	int32_t *comms;
	uint32_t capacity;
};

struct pario_sim_state {
	const struct pario_sim_input *in;
	struct pario_sim *sim;
	struct pario_steps_shared shared;
	struct pario_memory memory;
	struct pario_station station;
	struct pario_meets *meets;
	struct pario_family family;
	struct pario_sim_handles handles;
	struct pario_sim_thread *threads; /* from 1 */
	uint32_t *heap, heap_count, active, reads;
	struct {
		uint64_t site;
		uint32_t process, number;
		uint16_t op;
	} looked_up[PARIO_SIM_LOOKED_UP];
	struct pario_err *err;
};

/* simulate_queue.c: a thread goes on at this time, in this way; the one that is next. */
void pario_sim_push(struct pario_sim_state *s, uint32_t t, double at, enum pario_sim_phase phase);
uint32_t pario_sim_pop(struct pario_sim_state *s);

/* simulate_trace.c: by the clock of the trace, what the surfaces say beside what was measured. */
void pario_sim_compare(struct pario_sim_state *s, struct pario_sim_thread *t);
void pario_sim_close_window(struct pario_sim_state *s, struct pario_sim_window *w);

/* simulate_call.c: what a call takes on the system; it goes to the device or to the queue. */
void pario_sim_call(struct pario_sim_state *s, uint32_t number, struct pario_sim_thread *t,
		    uint64_t device_bytes);

/* simulate_count.c: a call begins within others; one of the calls on storage is over. */
void pario_sim_enter(struct pario_sim_thread *t);
void pario_sim_count(struct pario_sim_state *s, uint32_t number, struct pario_sim_thread *t,
		     double end);

/*
 * simulate_family.c: a thread waits for whom it is started by, or begins; those that began until `until_ns` of the
 * trace begin, `at` being when the parent is at `from_ns`; when a thread goes on that waits for a process which has
 * ended; a thread has ended.
 */
void pario_sim_adopt(struct pario_sim_state *s, uint32_t child);
void pario_sim_give_birth(struct pario_sim_state *s, struct pario_sim_thread *t, double at,
			  double from_ns, double until_ns, double now);
double pario_sim_reaped(const struct pario_sim_state *s, const struct pario_sim_thread *t);
void pario_sim_depart(struct pario_sim_state *s, uint32_t number);

#endif
