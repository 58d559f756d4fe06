/*
 * simulation: what the files of the simulator share: the threads, the queue of what happens next, and who does what.
 * Private to simulate*.c.
 */
#ifndef PARIO_PREDICT_SIMULATE_SIMULATION_H
#define PARIO_PREDICT_SIMULATE_SIMULATION_H

#include "predict/simulate/family.h"
#include "predict/simulate/learnt.h"
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
	bool works;	   /* it has calls on storage or of MPI */
	uint32_t flow;	   /* that its call is on, 0 = none it could wait for */
	bool flowing;	   /* of a write: its bytes are there for the reader */
	bool gap_waited;   /* it waited before the call, in select or poll */
	double awaited_ns; /* when what it waited for was there, in the trace; NaN: for nothing */
	uint32_t next_waiting;
	uint32_t span;	   /* the next collective call on a file that has calls within it */
	double within_ns;  /* when the one began that its call lies in, in the trace; 0: in none */
	double gaps_ns;	   /* before calls within that one, so far */
	uint32_t awaits;   /* the process whose end it waits for */
	uint32_t children; /* the first thread that it starts and has not yet */
	uint32_t next_child;  /* of the one that starts it */
	double next_birth_ns; /* of its children, in the trace */
};

/* Bytes that were moved up to a time. */
struct pario_sim_moved {
	uint64_t total;
	double at;
};

struct pario_sim_pipe_end {
	struct pario_sim_moved *list;
	uint32_t count, capacity, waiting; /* the first thread that waits for more; 0 = none */
	uint64_t begun;			   /* bytes of all calls that have begun */
};

/* A pipe or socket while it is simulated: by the numbers of struct pario_flows. */
struct pario_sim_pipe {
	struct pario_sim_pipe_end written, read;
	uint32_t writers; /* that are not done with it */
	double ended;	  /* when the last of them was; NaN: not yet */
	bool broken;	  /* somebody waited in vain: the rest takes as long as it did */
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
	struct pario_sim_pipe *pipes; /* by number of in->learnt->flows */
	uint32_t *pipe_calls;	      /* that its users have still to make */
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

/*
 * simulate_flow.c: what pipes and sockets need; how long a thread thinks before its call, seconds; a call on one
 * begins, or goes on after waiting; it is over; nobody comes any more for whom this thread waits.
 */
bool pario_sim_flows(struct pario_sim_state *s);
void pario_sim_flows_release(struct pario_sim_state *s);
double pario_sim_think(struct pario_sim_state *s, uint32_t number);
void pario_sim_flow(struct pario_sim_state *s, uint32_t number);
void pario_sim_flow_over(struct pario_sim_state *s, struct pario_sim_thread *t, double now);
void pario_sim_flow_give_up(struct pario_sim_state *s, uint32_t number);

/*
 * simulate_collective.c: is it a call that ends for all ranks at once? With the clock of the trace: one is over that
 * has calls within it. Nanoseconds of the gap before a call that lie in such a call; MPI_File_open is over. Who has
 * nothing to do in a collective call waits in it for those who have: true when it goes on, at *until.
 */
bool pario_sim_is_together(const struct pario_sim_state *s, const struct pario_sim_step *step);
void pario_sim_learn_collective(struct pario_sim_state *s, uint32_t number);
double pario_sim_gap_within(struct pario_sim_state *s, uint32_t number);
void pario_sim_remember_handle(struct pario_sim_state *s, const struct pario_trace_call *call);
bool pario_sim_end_together(struct pario_sim_state *s, uint32_t number, double *until);

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
