/*
 * sheet_gather: the calls by the clock of the trace, one after the other.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/sheet/sheet_cells.h"
#include "predict/simulate/simulate.h"

enum { WINDOW_CALLS = 32 }; /* sequential calls whose times are looked at together */

/* Of files, by which is known what an fsync has to store: a million blocks of 4 KiB pages, 64 MiB here. */
static const double KNOWN_BYTES = 0x1p37;

/* A call that waits until it is clear of which phase it is, or all that counts of one. */
struct seen {
	struct pario_sheet_row like;
	uint32_t thread;
	double start, seconds, clients, distance;
	uint64_t bytes;
};

/* Sequential calls of one class and thread: read-ahead makes one of them slow for the sake of the others. */
struct window {
	uint32_t cell, calls;
	double seconds;
};

enum direction { NONE, READS, WRITES };

struct gathering {
	struct pario_sheet *sheet;
	struct pario_sheet_cells cells;
	struct window *windows;		      /* by thread */
	uint32_t ranks, reached;	      /* how many there are, and are at a meeting of all */
	enum direction direction;	      /* of the phase */
	bool after_meeting;		      /* and no read or write since */
	struct seen waiting[PARIO_SHEET_RUN]; /* calls the other way */
	uint32_t waiting_count;
	double left_out[PARIO_IO_PARTS]; /* seconds of classes beyond the limit */
};

/* ---- times ---- */

static void close_window(struct gathering *g, struct window *w)
{
	struct pario_sheet_bin *bins = w->calls ? g->cells.list[w->cell].bins : NULL;

	if (bins) {
		struct pario_sheet_bin *b = &bins[pario_sheet_bin_of(w->seconds / w->calls)];

		b->seen++;
		b->calls += w->calls;
		b->seconds += w->seconds;
	}
	w->calls = 0;
}

static void add_time(struct gathering *g, uint32_t thread, uint32_t cell, double seconds)
{
	struct window *w = &g->windows[thread];
	bool sequential = g->cells.list[cell].row.key.locality == PARIO_SYSTEM_SEQUENTIAL;

	if (!g->cells.list[cell].bins)
		return;
	if (w->calls && (w->cell != cell || w->calls == WINDOW_CALLS))
		close_window(g, w);
	w->cell = cell;
	w->calls++;
	w->seconds = w->calls == 1 ? seconds : w->seconds + seconds;
	if (!sequential)
		close_window(g, w);
}

/* ---- classes ---- */

static void book(struct gathering *g, const struct seen *call)
{
	uint32_t phase = g->sheet->phase_count - 1;
	struct pario_sheet_phase *of = &g->sheet->phases[phase];
	struct pario_sheet_row like = call->like;
	struct pario_sheet_cell *cell;
	uint32_t number;

	if (!of->calls++)
		of->from = call->start;
	of->to = fmax(of->to, call->start + call->seconds);
	of->seconds += call->seconds;
	if (like.key.op <= PARIO_SYSTEM_WRITE)
		of->bytes[like.key.op == PARIO_SYSTEM_WRITE] += call->bytes;
	like.phase = phase;
	number = pario_sheet_cell_of(&g->cells, &like);
	if (!number) {
		g->left_out[like.part] += call->seconds;
		return;
	}
	cell = &g->cells.list[number];
	cell->row.calls++;
	cell->row.bytes += call->bytes;
	cell->row.seconds += call->seconds;
	cell->row.clients += call->clients;
	cell->distance += call->distance;
	add_time(g, call->thread, number, call->seconds);
}

/* ---- phases ---- */

static void begin_phase(struct gathering *g, enum direction direction)
{
	if (g->sheet->phase_count < PARIO_SHEET_PHASES)
		g->sheet->phase_count++;
	g->direction = direction;
}

static void book_waiting(struct gathering *g)
{
	for (uint32_t i = 0; i < g->waiting_count; i++)
		book(g, &g->waiting[i]);
	g->waiting_count = 0;
}

static enum direction direction_of(const struct seen *call)
{
	return call->like.key.op == PARIO_SYSTEM_READ	 ? READS
	       : call->like.key.op == PARIO_SYSTEM_WRITE ? WRITES
							 : NONE;
}

static void add(struct gathering *g, const struct seen *call)
{
	enum direction direction = direction_of(call);

	if (direction == NONE) {
		book(g, call);
		return;
	}
	if (g->direction == NONE)
		g->direction = direction;
	if (direction == g->direction) {
		book_waiting(g);
	} else if (g->after_meeting) {
		begin_phase(g, direction);
	} else {
		g->waiting[g->waiting_count++] = *call;
		if (g->waiting_count == PARIO_SHEET_RUN) {
			begin_phase(g, direction);
			book_waiting(g);
		}
		return;
	}
	g->after_meeting = false;
	book(g, call);
}

/* Nobody leaves these before all have come. */
static bool holds_everybody(const struct pario_trace_call *call)
{
	/* the result is the communicator, 0 = MPI_COMM_WORLD */
	if (call->failed || call->result != 0)
		return false;
	return call->op == PARIO_OP_MPI_Barrier || call->op == PARIO_OP_MPI_Allreduce ||
	       call->op == PARIO_OP_MPI_Allgather || call->op == PARIO_OP_MPI_Alltoall;
}

static void meet(struct gathering *g, const struct pario_trace_call *call)
{
	if (!holds_everybody(call) || ++g->reached < g->ranks)
		return;
	g->reached = 0;
	g->after_meeting = true;
	book_waiting(g);
}

static void see(void *self, uint32_t thread, const struct pario_sim_step *step, uint32_t clients)
{
	struct gathering *g = self;
	struct seen call;

	if (step->kind == PARIO_STEP_MEET)
		meet(g, step->call);
	if (step->kind != PARIO_STEP_IO)
		return;
	call = (struct seen){
		.like = { .key = step->key,
			  .part = step->part,
			  .power = pario_trace_power(step->bytes),
			  .concurrency = pario_trace_power(clients) },
		.thread = thread,
		.start = step->start_ns * 1e-9,
		.seconds = step->ns * 1e-9,
		.clients = clients,
		.distance = (double)step->key.distance_bytes,
		.bytes = step->bytes,
	};
	add(g, &call);
}

/* ---- all of it ---- */

static void take_sums(struct pario_sheet *s, const struct pario_sim *sim, const struct gathering *g)
{
	for (int i = 0; i < PARIO_IO_PARTS; i++) {
		s->parts[i] = (struct pario_sheet_part){
			.calls = sim->parts[i].calls,
			.bytes = sim->parts[i].bytes,
			.seconds = sim->parts[i].measured,
			.rest = sim->parts[i].rest_measured + g->left_out[i],
		};
	}
	s->calls = sim->calls;
	s->makespan = sim->makespan_measured;
	s->last_io = sim->thread_io_measured[sim->busiest];
	for (uint32_t i = 1; i <= sim->threads; i++)
		s->busiest_io = fmax(s->busiest_io, sim->thread_io_measured[i]);
	s->kept = sim->kept;
	s->asynchronous = sim->asynchronous;
	s->asynchronous_seconds = sim->asynchronous_seconds;
	s->mapped = sim->mapped;
}

static uint32_t ranks_of(const struct pario_trace *t)
{
	uint32_t ranks = 0;

	for (uint32_t i = 1; i <= pario_trace_processes(t); i++) {
		const struct pario_trace_process *p = pario_trace_process(t, i);

		if (p->rank != UINT32_MAX && p->ranks > ranks)
			ranks = p->ranks;
	}
	return ranks;
}

/* A phase that nothing was done in is not told. */
static void end_phases(struct pario_sheet *s)
{
	while (s->phase_count && !s->phases[s->phase_count - 1].calls)
		s->phase_count--;
}

static int walk(struct pario_sheet *s, const struct pario_trace *trace,
		const struct pario_costs *costs, struct pario_err *err)
{
	struct gathering *g = calloc(1, sizeof(*g));
	struct pario_sim_input input = { .trace = trace,
					 .costs = costs,
					 .by_trace = true,
					 .think = 1,
					 .see = see,
					 .see_self = g };
	struct pario_sim sim;
	int status = -1;

	if (g)
		g->windows = calloc(pario_trace_threads(trace) + 1ul, sizeof(*g->windows));
	if (g && g->windows) {
		g->sheet = s;
		s->ranks = ranks_of(trace);
		g->ranks = pario_ranks_count(&trace->job.ranks);
		s->phase_count = 1;
		if (pario_simulate(&sim, &input, err) < 0) {
			pario_sheet_cells_release(&g->cells);
			free(g->windows);
			free(g);
			return -1;
		}
		book_waiting(g);
		for (uint32_t i = 1; i <= pario_trace_threads(trace); i++)
			close_window(g, &g->windows[i]);
		take_sums(s, &sim, g);
		end_phases(s);
		pario_sim_release(&sim);
		if (!g->cells.no_memory)
			status = pario_sheet_infer(s, &g->cells);
		pario_sheet_cells_release(&g->cells);
	}
	if (g)
		free(g->windows);
	free(g);
	return status < 0 ? pario_err_memory(err, "the classes of calls in %s", trace->path) : 0;
}

int pario_sheet_gather(struct pario_sheet *s, const char *path, struct pario_err *err)
{
	struct pario_trace *trace = calloc(1, sizeof(*trace));
	struct pario_costs *costs = calloc(1, sizeof(*costs));
	struct pario_system nothing;
	int status = -1;

	memset(s, 0, sizeof(*s));
	/* memory in which everything stays, since nothing is known about the system */
	pario_system_init(&nothing);
	snprintf(nothing.filesystem, sizeof(nothing.filesystem), "tmpfs");
	if (!trace || !costs)
		pario_err_memory(err, "reading the trace %s", path);
	else if (pario_trace_load(trace, path, err) == 0) {
		status = pario_costs_init(costs, &nothing, err);
		costs->cache_bytes = KNOWN_BYTES;
		if (status == 0)
			status = walk(s, trace, costs, err);
		s->version = trace->version;
		s->run = trace->job.start_ns;
		pario_trace_lacks(trace, &s->lacks);
		pario_costs_release(costs);
		pario_trace_release(trace);
	}
	pario_system_release(&nothing);
	free(trace);
	free(costs);
	if (status < 0)
		pario_sheet_release(s);
	return status;
}
