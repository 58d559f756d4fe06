/*
 * simulate_queue: threads by the time at which something happens to them: a heap.
 */
#include "predict/simulate/simulation.h"

static void sift_up(struct pario_sim_state *s, uint32_t i)
{
	uint32_t t = s->heap[i];

	for (; i && s->threads[t].at < s->threads[s->heap[(i - 1) / 2]].at; i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = t;
}

void pario_sim_push(struct pario_sim_state *s, uint32_t t, double at, enum pario_sim_phase phase)
{
	s->threads[t].at = at;
	s->threads[t].phase = phase;
	s->heap[s->heap_count++] = t;
	sift_up(s, s->heap_count - 1);
}

uint32_t pario_sim_pop(struct pario_sim_state *s)
{
	uint32_t first = s->heap[0], last = s->heap[--s->heap_count], i = 0;

	for (;;) {
		uint32_t child = 2 * i + 1;

		if (child + 1 < s->heap_count &&
		    s->threads[s->heap[child + 1]].at < s->threads[s->heap[child]].at)
			child++;
		if (child >= s->heap_count || s->threads[s->heap[child]].at >= s->threads[last].at)
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	if (s->heap_count)
		s->heap[i] = last;
	return first;
}
