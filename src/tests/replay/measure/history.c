/*
 * history: when the original's processes did what, and when they did it here. Threads count for themselves in bins of
 * their own; at the end the clients add them up to the rows of the picture, so that it has a bounded number of cells.
 * What the original did is counted then, too: while calls are made there is no time for it.
 */
#include <mpi.h>
#include <stdlib.h>

#include "tests/replay/measure/replay.h"

enum { RUNS = 2, NUMBERS = 3 /* of a cell */ };

static const char *const runs[RUNS] = { "original", "here" };

static enum pario_lane lane_of(const struct pario_trace_call *call, bool storage)
{
	if (call->layer == PARIO_TRACE_MPI)
		return PARIO_LANE_MEET;
	return pario_timeline_lane(storage ? PARIO_MEDIUM_STORAGE : PARIO_MEDIUM_PIPE, call->class);
}

void pario_replay_history_count(struct pario_replay_actor *a, const struct pario_trace_call *call,
				bool storage)
{
	if (call->layer != PARIO_TRACE_PROCESS)
		pario_timeline_strip_add(&a->tally->here, lane_of(call, storage),
					 (double)(a->t0 - *a->replay->origin_ns),
					 (double)(a->t1 - a->t0), call->moved);
}

/* ---- the original ---- */

/* The calls of one thread, whether they could be made again or not. */
static int count_original(const struct pario_replay *r, uint32_t thread,
			  struct pario_timeline_strip *strip, struct pario_err *err)
{
	struct pario_trace_stream *s =
		pario_trace_stream_open(r->trace, thread, r->scan->threads[thread].ahead, err);
	struct pario_replay_nest nest = { 0 };
	struct pario_trace_call call;
	int more = -1;

	while (s && (more = pario_trace_stream_next(s, &call, err)) > 0) {
		if (!pario_replay_wanted(&nest, &call, r->settings.layer) ||
		    pario_replay_own(call.op) || call.layer == PARIO_TRACE_PROCESS)
			continue;
		pario_timeline_strip_add(strip,
					 lane_of(&call, pario_replay_storage(r->scan, &call)),
					 pario_replay_when(r->scan, r->client, call.start_ns),
					 call.end_ns - call.start_ns, call.moved);
	}
	pario_trace_stream_close(s);
	return more;
}

/* ---- all clients ---- */

typedef double cell_numbers[PARIO_TIMELINE_BINS][PARIO_LANES][NUMBERS];

/* What the threads of this client did, by the rows of their processes; -1 and a sentence. */
static int join_threads(const struct pario_replay *r, const struct pario_timeline *rows,
			struct pario_timeline_strip *strips, struct pario_err *err)
{
	for (uint32_t t = 1; t <= r->scan->thread_count; t++) {
		const struct pario_replay_thread *thread = &r->scan->threads[t];
		uint32_t row = rows->row_of[thread->process];

		if (thread->client != r->client)
			continue;
		if (count_original(r, t, &strips[row], err) < 0)
			return -1;
		pario_timeline_strip_join(&strips[rows->row_count + row], &r->tallies[t].here);
	}
	return 0;
}

static void copy_numbers(const struct pario_timeline_strip *s, cell_numbers numbers)
{
	for (unsigned bin = 0; bin < PARIO_TIMELINE_BINS; bin++) {
		for (unsigned lane = 0; lane < PARIO_LANES; lane++) {
			numbers[bin][lane][0] = (double)s->cells[bin][lane].calls;
			numbers[bin][lane][1] = (double)s->cells[bin][lane].bytes;
			numbers[bin][lane][2] = s->cells[bin][lane].ns;
		}
	}
}

/* Bins of one width everywhere, so that both runs and all clients can be laid beside each other. */
static double agree_on_width(const struct pario_replay *r, struct pario_timeline_strip *strips,
			     uint32_t count)
{
	double width = 0;

	for (uint32_t i = 0; i < count; i++)
		width = strips[i].bin_ns > width ? strips[i].bin_ns : width;
	MPI_Allreduce(MPI_IN_PLACE, &width, 1, MPI_DOUBLE, MPI_MAX, r->run->comm);
	for (uint32_t i = 0; i < count; i++)
		pario_timeline_strip_widen(&strips[i], width);
	return width;
}

static void add_rows(const struct pario_replay *r, const struct pario_timeline *rows, unsigned run,
		     uint32_t row, double width_ns, cell_numbers numbers)
{
	char name[48], text[64];

	snprintf(text, sizeof(text), "%s: %s", runs[run], pario_timeline_name(rows, row, name));
	for (unsigned lane = 0; lane < PARIO_LANES; lane++) {
		for (unsigned bin = 0; bin < PARIO_TIMELINE_BINS; bin++) {
			const double *n = numbers[bin][lane];

			if (!(n[0] > 0) && !(n[2] > 0))
				continue;
			pario_run_row(r->run, "timeline",
				      "level row what from_s to_s calls bytes busy_s processes",
				      (const struct pario_datum[]){
					      PARIO_TEXT(runs[run]), PARIO_TEXT(text),
					      PARIO_TEXT(pario_lane_names[lane]),
					      PARIO_NUMBER(bin * width_ns * 1e-9),
					      PARIO_NUMBER((bin + 1) * width_ns * 1e-9),
					      PARIO_NUMBER(n[0]), PARIO_NUMBER(n[1]),
					      PARIO_NUMBER(n[2] * 1e-9),
					      PARIO_NUMBER(rows->rows[row].processes) });
		}
	}
}

static void gather(const struct pario_replay *r, const struct pario_timeline *rows,
		   struct pario_timeline_strip *strips, cell_numbers *numbers)
{
	uint32_t count = RUNS * rows->row_count;
	double width;

	width = agree_on_width(r, strips, count);
	for (uint32_t i = 0; i < count; i++)
		copy_numbers(&strips[i], numbers[i]);
	MPI_Reduce(r->client == 0 ? MPI_IN_PLACE : (void *)numbers, numbers,
		   (int)(count * sizeof(*numbers) / sizeof(double)), MPI_DOUBLE, MPI_SUM, 0,
		   r->run->comm);
	for (uint32_t i = 0; r->client == 0 && i < count; i++)
		add_rows(r, rows, i / rows->row_count, i % rows->row_count, width, numbers[i]);
}

int pario_replay_history_rows(const struct pario_replay *r, struct pario_err *err)
{
	struct pario_timeline rows = { 0 };
	bool known = pario_timeline_init(&rows, &r->trace->job);
	struct pario_timeline_strip *strips =
		known ? calloc((size_t)RUNS * rows.row_count + 1, sizeof(*strips)) : NULL;
	cell_numbers *numbers =
		strips ? calloc((size_t)RUNS * rows.row_count + 1, sizeof(*numbers)) : NULL;
	int able = numbers != NULL, all;

	if (!able)
		pario_err_memory(err, "the timeline of the replay");
	else
		able = join_threads(r, &rows, strips, err) == 0;
	MPI_Allreduce(&able, &all, 1, MPI_INT, MPI_MIN, r->run->comm);
	if (all)
		gather(r, &rows, strips, numbers);
	free(numbers);
	free(strips);
	pario_timeline_release(&rows);
	return able ? 0 : -1;
}
