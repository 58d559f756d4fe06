/*
 * sites: the call sites of the original with their times, there and here. What the threads of this node counted is
 * joined by place in the program, so that ranks and processes of one program share their lines.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/symbols.h"
#include "tests/replay/measure/replay.h"

enum { ROWS = 20 };

struct line {
	uint32_t module, calls;
	uint64_t offset;
	double original_ns, here_ns;
};

struct lines {
	struct line *list;
	uint32_t count, capacity;
	struct pario_map number_of; /* module and offset */
};

void pario_replay_site_count(struct pario_replay_tally *t, const struct pario_trace_call *call,
			     double here_ns)
{
	uint64_t h = call->site * 0x9e3779b97f4a7c15u >> 32;

	for (unsigned i = 0; i < 8; i++) {
		struct pario_replay_site *s = &t->sites[(h + i) % PARIO_REPLAY_SITES];

		if (s->calls && (s->site != call->site || s->process != call->process))
			continue;
		s->site = call->site;
		s->process = call->process;
		s->calls++;
		s->original_ns += call->end_ns - call->start_ns;
		s->here_ns += here_ns;
		return;
	}
}

static void join(struct lines *l, const struct pario_job *job, const struct pario_replay_site *s)
{
	const struct pario_job_mapping *m = pario_job_mapping(job, s->process, s->site);
	struct pario_map_key key = { m ? m->module + 1u : 0, m ? s->site - m->base : s->site, 0 };
	bool is_new;
	uint32_t number = pario_map_add(&l->number_of, key, &is_new);
	void *grown = pario_map_grow(l->list, &l->capacity, number, sizeof(*l->list));

	if (!number || !grown)
		return;
	l->list = grown;
	l->count = number > l->count ? number : l->count;
	l->list[number].module = (uint32_t)key.a;
	l->list[number].offset = key.b;
	l->list[number].calls += s->calls;
	l->list[number].original_ns += s->original_ns;
	l->list[number].here_ns += s->here_ns;
}

static int by_time(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->original_ns < y->original_ns) - (x->original_ns > y->original_ns);
}

static void add_row(struct pario_run *run, const struct pario_job *job,
		    struct pario_symbols *symbols, const struct line *l)
{
	const struct pario_job_module *m = l->module ? &job->modules[l->module - 1] : NULL;
	struct pario_text name = { 0 };

	if (m && m->path && m->build_id)
		pario_symbols_name(symbols, m->path, m->build_id, l->offset, &name);
	else
		pario_text_add(&name, "0x%llx", (unsigned long long)l->offset);
	pario_run_row(run, "sites", "site calls original_s seconds error_percent",
		      (const struct pario_datum[]){
			      PARIO_TEXT(pario_text_string(&name)), PARIO_NUMBER(l->calls),
			      PARIO_NUMBER(l->original_ns * 1e-9), PARIO_NUMBER(l->here_ns * 1e-9),
			      PARIO_NUMBER(pario_replay_off_by(l->here_ns, l->original_ns)) });
	pario_text_release(&name);
}

void pario_replay_site_rows(const struct pario_replay *r)
{
	struct pario_symbols *symbols = pario_symbols_new(NULL);
	struct lines l = { .number_of = { .limit = 1 << 16 } };

	for (uint32_t t = 1; t <= r->scan->thread_count; t++) {
		for (unsigned i = 0; i < PARIO_REPLAY_SITES; i++) {
			if (r->tallies[t].sites[i].calls)
				join(&l, &r->trace->job, &r->tallies[t].sites[i]);
		}
	}
	if (l.count)
		qsort(l.list + 1, l.count, sizeof(*l.list), by_time);
	for (uint32_t i = 1; symbols && i <= l.count && i <= ROWS; i++)
		add_row(r->run, &r->trace->job, symbols, &l.list[i]);
	pario_symbols_free(symbols);
	pario_map_release(&l.number_of);
	free(l.list);
}
