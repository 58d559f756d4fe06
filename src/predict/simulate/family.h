/*
 * family: who started whom. A thread begins when whoever started it gets there, and who waits for a child goes on when
 * that has ended.
 */
#ifndef PARIO_PREDICT_SIMULATE_FAMILY_H
#define PARIO_PREDICT_SIMULATE_FAMILY_H

#include "trace/stream.h"

struct pario_family {
	const struct pario_trace *trace;
	uint32_t *first;   /* by process: its first thread */
	uint32_t *running; /* by process: threads that have not ended */
	bool ranks;	   /* there are some, so whoever has none is a launcher or a helper */
};

int pario_family_init(struct pario_family *f, const struct pario_trace *trace,
		      struct pario_err *err);
void pario_family_release(struct pario_family *f);

/* The thread that started this one; 0: nobody of the trace. */
uint32_t pario_family_parent(const struct pario_family *f, uint32_t thread);
/* Is its time part of the program's? */
bool pario_family_counts(const struct pario_family *f, uint32_t thread);

/* The process whose end a call waits for; 0: none. */
uint32_t pario_family_awaited(const struct pario_family *f, const struct pario_trace_call *call);
/* Has it ended, and what it became by exec? */
bool pario_family_ended(const struct pario_family *f, uint32_t process);
/* Is a thread of that, or of what it became? */
bool pario_family_is(const struct pario_family *f, uint32_t thread, uint32_t process);
void pario_family_end(struct pario_family *f, uint32_t thread);

#endif
