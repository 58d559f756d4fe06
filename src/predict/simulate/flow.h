/*
 * flow: which bytes processes send each other through pipes and sockets, as the trace has it.
 *
 * A pipe is one file for both of its ends. Which two sockets belong together no trace says: those do of which one was
 * read as many bytes as were written into the other, and never before they were written; where several would do, the
 * two that were made one after the other. What is left has its other end outside the trace, or is used by calls that
 * are not traced (send, recv): such waiting is not modelled, and its seconds are counted.
 */
#ifndef PARIO_PREDICT_SIMULATE_FLOW_H
#define PARIO_PREDICT_SIMULATE_FLOW_H

#include "predict/simulate/steps.h"

/* One call, and the bytes of all calls up to it. */
struct pario_flow_call {
	double start_ns, end_ns;
	uint64_t total;
};

struct pario_flow_log {
	struct pario_flow_call *calls; /* from 0, in the order in which they began */
	uint32_t count, capacity;
	double seconds; /* that the calls took */
};

/* A process that has it open. With the last call of the last who wrote, and does not read there, the flow has ended. */
struct pario_flow_user {
	uint32_t calls;
	bool writes, reads, ends;
	double last_ns;
};

/* A pipe or socket; what is read from it was written into `source`. */
struct pario_flow {
	uint32_t file, source; /* source: number of a flow, 0 = not known */
	uint32_t writers;      /* users that end it */
	uint32_t reader;       /* the flow whose source it is, 0 = not known */
	bool pipe;
	uint64_t room;	/* bytes that may be written and not yet read */
	double last_ns; /* end of the last call of these */
	struct pario_flow_log written, read;
};

struct pario_flows {
	const struct pario_trace *trace;
	struct pario_map flow_of, user_of;
	struct pario_flow *list;       /* by number, from 1 */
	struct pario_flow_user *users; /* by number, from 1: of a file in a process */
	uint32_t capacity, user_capacity;
	uint64_t calls;
	bool no_memory, too_many;
	double unmatched_seconds; /* in calls whose other end is not known */
};

void pario_flows_init(struct pario_flows *f, const struct pario_trace *trace);
void pario_flows_release(struct pario_flows *f);

/* A call on a pipe or socket, in the order of their beginnings; then, when all are there, who belongs together. */
void pario_flows_learn(struct pario_flows *f, const struct pario_sim_step *step);
void pario_flows_match(struct pario_flows *f);

/* 0: it is none, or its other end is not known. */
uint32_t pario_flow_of(const struct pario_flows *f, const struct pario_sim_step *step);
uint32_t pario_flow_user_of(const struct pario_flows *f, uint32_t process, uint32_t file);
/* The first call with so many bytes in all; NULL: there are not so many. */
const struct pario_flow_call *pario_flow_at(const struct pario_flow_log *log, uint64_t total);

#endif
