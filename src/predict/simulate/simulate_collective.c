/*
 * simulate_collective: collective calls on files, which end for all ranks of a communicator at once.
 *
 * Of reading and writing what is left after the last call within is mostly waiting. Opening, closing and syncing wait
 * between the calls within them as well: all gaps within such a call count together, the least of all ranks being what
 * the library needs, and the rest waiting for who came last or had most to do.
 */
#include <math.h>

#include "predict/simulate/simulation.h"

static bool moves_together(uint16_t op)
{
	switch (op) {
	case PARIO_OP_MPI_File_read_all:
	case PARIO_OP_MPI_File_read_at_all:
	case PARIO_OP_MPI_File_write_all:
	case PARIO_OP_MPI_File_write_at_all:
	case PARIO_OP_MPI_File_read_ordered:
	case PARIO_OP_MPI_File_write_ordered:
		return true;
	default:
		return false;
	}
}

static bool waits_between(uint16_t op)
{
	switch (op) {
	case PARIO_OP_MPI_File_open:
	case PARIO_OP_MPI_File_close:
	case PARIO_OP_MPI_File_sync:
	case PARIO_OP_MPI_File_set_size:
	case PARIO_OP_MPI_File_preallocate:
	case PARIO_OP_MPI_File_set_view:
		return true;
	default:
		return false;
	}
}

bool pario_sim_is_together(const struct pario_sim_state *s, const struct pario_sim_step *step)
{
	const struct pario_trace_call *call = step->call;

	return !s->in->by_trace &&
	       (step->kind == PARIO_STEP_OUTER || step->kind == PARIO_STEP_KEEP) &&
	       call->layer == PARIO_TRACE_MPIIO &&
	       (moves_together(call->op) || (waits_between(call->op) && !call->failed));
}

/* ---- what lies within ---- */

void pario_sim_learn_collective(struct pario_sim_state *s, uint32_t number)
{
	const struct pario_sim_step *step = &s->threads[number].step;

	if (step->kind == PARIO_STEP_OUTER && step->call->layer == PARIO_TRACE_MPIIO &&
	    waits_between(step->call->op) && !step->call->failed)
		pario_learnt_collective(s->in->learnt, number, step);
}

/* The collective call that a call lies in; NULL: none. */
static const struct pario_learnt_span *around(struct pario_sim_state *s, uint32_t number)
{
	const struct pario_learnt_spans *all = &s->in->learnt->collective[number];
	struct pario_sim_thread *t = &s->threads[number];
	double start = t->step.start_ns, end = start + t->step.ns;

	while (t->span < all->count && all->list[t->span].end_ns < end)
		t->span++;
	return t->span < all->count && all->list[t->span].start_ns <= start ? &all->list[t->span]
									    : NULL;
}

double pario_sim_gap_within(struct pario_sim_state *s, uint32_t number)
{
	struct pario_sim_thread *t = &s->threads[number];
	const struct pario_learnt_span *span =
		t->step.kind == PARIO_STEP_OUTER ? NULL : around(s, number);
	double within;

	t->within_ns = 0;
	if (!span || t->step.depth == 0)
		return 0;
	t->within_ns = span->start_ns;
	within = fmin(t->step.before_ns, t->step.start_ns - span->start_ns);
	t->gaps_ns += within;
	return within;
}

/* ---- the end ---- */

void pario_sim_remember_handle(struct pario_sim_state *s, const struct pario_trace_call *call)
{
	bool is_new;
	uint32_t n = pario_map_add(&s->handles.map,
				   (struct pario_map_key){ call->process, (uint32_t)call->fd, 0 },
				   &is_new);
	void *grown = pario_map_grow(s->handles.comms, &s->handles.capacity, n,
				     sizeof(*s->handles.comms));

	if (!grown || !n)
		return;
	s->handles.comms = grown;
	s->handles.comms[n] = call->arguments.mpi_open.comm;
}

bool pario_sim_end_together(struct pario_sim_state *s, uint32_t number, double *until)
{
	struct pario_sim_thread *t = &s->threads[number];
	const struct pario_trace_call *call = t->step.call;
	double left_ns =
		t->step.kind == PARIO_STEP_OUTER ? t->step.before_ns + t->gaps_ns : t->step.ns;
	uint32_t n;

	t->gaps_ns = 0;
	*until = t->at + left_ns * 1e-9;
	n = pario_map_find(&s->handles.map,
			   (struct pario_map_key){ call->process, (uint32_t)call->fd, 0 });
	return !n || pario_meet_all(s->meets, number, call->process, s->handles.comms[n], t->at,
				    left_ns * 1e-9, until);
}
