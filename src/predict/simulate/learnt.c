/*
 * learnt: arrays by thread, of bounded size, filled from the trace before anything is simulated; nothing is judged
 * here.
 */
#include "predict/simulate/learnt.h"

#include <stdlib.h>

enum {
	SPANS = 1 << 21
}; /* 16 bytes each; beyond that calls within collective ones keep the gaps before them */

int pario_learnt_init(struct pario_learnt *l, const struct pario_trace *trace,
		      struct pario_err *err)
{
	*l = (struct pario_learnt){ .threads = pario_trace_threads(trace) };
	pario_flows_init(&l->flows, trace);
	l->ended_ns = calloc(l->threads + 1ul, sizeof(*l->ended_ns));
	l->collective = calloc(l->threads + 1ul, sizeof(*l->collective));
	return l->ended_ns && l->collective ? 0 : pario_err_memory(err, "the threads of the trace");
}

void pario_learnt_release(struct pario_learnt *l)
{
	for (uint32_t i = 1; l->collective && i <= l->threads; i++)
		free(l->collective[i].list);
	free(l->collective);
	free(l->ended_ns);
	pario_flows_release(&l->flows);
	*l = (struct pario_learnt){ 0 };
}

int pario_learnt_settle(struct pario_learnt *l, struct pario_err *err)
{
	if (l->no_memory || l->flows.no_memory)
		return pario_err_memory(err, "who waits for whom in the trace");
	pario_flows_match(&l->flows);
	return 0;
}

void pario_learnt_collective(struct pario_learnt *l, uint32_t thread,
			     const struct pario_sim_step *step)
{
	struct pario_learnt_spans *s = &l->collective[thread];
	void *grown;

	if (++l->spans > SPANS)
		return;
	grown = pario_map_grow(s->list, &s->capacity, s->count, sizeof(*s->list));
	if (!grown) {
		l->no_memory = true;
		return;
	}
	s->list = grown;
	s->list[s->count++] =
		(struct pario_learnt_span){ step->start_ns, step->start_ns + step->ns };
}
