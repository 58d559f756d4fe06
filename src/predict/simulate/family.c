/*
 * family: by the numbers of processes that the trace has.
 */
#include "predict/simulate/family.h"

#include <stdlib.h>

int pario_family_init(struct pario_family *f, const struct pario_trace *trace,
		      struct pario_err *err)
{
	uint32_t processes = pario_trace_processes(trace);

	*f = (struct pario_family){ .trace = trace };
	f->first = calloc(processes + 1ul, sizeof(*f->first));
	f->running = calloc(processes + 1ul, sizeof(*f->running));
	if (!f->first || !f->running) {
		pario_family_release(f);
		return pario_err_memory(err, "the processes of the trace");
	}
	for (uint32_t t = 1; t <= pario_trace_threads(trace); t++) {
		const struct pario_trace_thread *thread = pario_trace_thread(trace, t);
		const struct pario_trace_process *p = pario_trace_process(trace, thread->process);

		f->running[thread->process]++;
		f->ranks |= p->rank != UINT32_MAX;
		if (!f->first[thread->process] || thread->tid == p->pid)
			f->first[thread->process] = t;
	}
	return 0;
}

void pario_family_release(struct pario_family *f)
{
	free(f->first);
	free(f->running);
	*f = (struct pario_family){ 0 };
}

uint32_t pario_family_parent(const struct pario_family *f, uint32_t thread)
{
	uint32_t process = pario_trace_thread(f->trace, thread)->process;
	const struct pario_trace_process *p = pario_trace_process(f->trace, process);

	if (f->first[process] != thread)
		return f->first[process];
	return f->first[p->before ? p->before : p->parent];
}

bool pario_family_counts(const struct pario_family *f, uint32_t thread)
{
	uint32_t process = pario_trace_thread(f->trace, thread)->process;

	return !f->ranks || pario_trace_process(f->trace, process)->rank != UINT32_MAX;
}

uint32_t pario_family_awaited(const struct pario_family *f, const struct pario_trace_call *call)
{
	uint32_t here = pario_trace_process(f->trace, call->process)->machine;

	if (call->op != PARIO_OP_wait || call->failed || call->result <= 0)
		return 0;
	for (uint32_t i = pario_trace_processes(f->trace); i > 0; i--) {
		const struct pario_trace_process *p = pario_trace_process(f->trace, i);

		if (p->pid == (uint32_t)call->result && p->machine == here)
			return i;
	}
	return 0;
}

static bool same(const struct pario_family *f, uint32_t a, uint32_t b)
{
	const struct pario_trace_process *p = pario_trace_process(f->trace, a);
	const struct pario_trace_process *q = pario_trace_process(f->trace, b);

	return p->pid == q->pid && p->machine == q->machine;
}

bool pario_family_is(const struct pario_family *f, uint32_t thread, uint32_t process)
{
	return same(f, pario_trace_thread(f->trace, thread)->process, process);
}

bool pario_family_ended(const struct pario_family *f, uint32_t process)
{
	for (uint32_t i = 1; i <= pario_trace_processes(f->trace); i++) {
		if (f->running[i] && same(f, i, process))
			return false;
	}
	return true;
}

void pario_family_end(struct pario_family *f, uint32_t thread)
{
	f->running[pario_trace_thread(f->trace, thread)->process]--;
}
