/*
 * timeline: bins double in width when the trace outgrows them; rows are merged when there are too many processes.
 */
#include "trace/timeline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first bins are a microsecond wide; doubling to an hour costs 25 foldings. */
static const double FIRST_BIN_NS = 1e3;
/* 30 years: a clock that makes no sense must not widen the bins for ever. */
static const double LAST_NS = 1e18;

const char *const pario_lane_names[PARIO_LANES] = { "read",  "write",	      "sync",
						    "other", "communication", "not storage" };

/* ---- rows ---- */

struct order {
	uint32_t rank, process;
};

static int ascending(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->process < y->process ? -1 : x->process > y->process;
}

/* The last part of a program's path. */
static void name_program(struct pario_timeline_row *row, const char *program)
{
	const char *end = program ? strchrnul(program, '\n') : NULL, *name = program;

	for (const char *at = program; at && at < end; at++) {
		if (*at == '/')
			name = at + 1;
	}
	snprintf(row->program, sizeof(row->program), "%.*s", name ? (int)(end - name) : 0,
		 name ? name : "");
}

static void begin_row(struct pario_timeline *t, uint32_t row, uint32_t name, bool ranked,
		      const char *program)
{
	t->rows[row] = (struct pario_timeline_row){ .first = name, .ranked = ranked };
	name_program(&t->rows[row], program);
	for (uint32_t i = 0; i < row; i++)
		t->rows[row].image += t->rows[i].ranked == ranked && t->rows[i].last == name;
	t->row_count = row + 1;
}

/*
 * `count` processes of order[] into at most `most` rows; those of one rank (a program and its children) stay together.
 */
static void share_out(struct pario_timeline *t, const struct pario_job *job,
		      const struct order *order, uint32_t count, uint32_t most, bool ranked)
{
	uint32_t different = 0, seen = 0, first = t->row_count, row = first;

	for (uint32_t i = 0; i < count; i++)
		different += !ranked || !i || order[i].rank != order[i - 1].rank;
	for (uint32_t i = 0; i < count; i++) {
		const struct pario_job_process *p = &job->processes[order[i].process];
		uint32_t name = ranked ? p->rank : p->pid;

		seen += !ranked || !i || order[i].rank != order[i - 1].rank;
		/* row k holds every process number from k * different / most on */
		row = first + (different <= most
				       ? seen - 1
				       : (uint32_t)((uint64_t)(seen - 1) * most / different));
		if (row >= t->row_count)
			begin_row(t, row, name, ranked, p->program);
		t->rows[row].last = name;
		t->rows[row].processes++;
		t->row_of[order[i].process] = row;
	}
}

bool pario_timeline_init(struct pario_timeline *t, const struct pario_job *job)
{
	uint32_t count = job->process_of.count, ranked = 0;
	struct order *order = calloc(count + 1ul, sizeof(*order));

	*t = (struct pario_timeline){ .bin_ns = FIRST_BIN_NS };
	t->row_of = calloc(count + 1ul, sizeof(*t->row_of));
	if (!order || !t->row_of) {
		free(order);
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		order[i] = (struct order){ job->processes[i + 1].rank, i + 1 };
		ranked += order[i].rank != UINT32_MAX;
	}
	qsort(order, count, sizeof(*order), ascending);
	share_out(t, job, order, ranked,
		  ranked == count ? PARIO_TIMELINE_ROWS : PARIO_TIMELINE_RANKED, true);
	share_out(t, job, order + ranked, count - ranked,
		  ranked ? PARIO_TIMELINE_UNRANKED : PARIO_TIMELINE_ROWS, false);
	free(order);
	t->cells = calloc((size_t)PARIO_TIMELINE_LEVELS * (t->row_count + 1), sizeof(*t->cells));
	return t->cells != NULL;
}

void pario_timeline_release(struct pario_timeline *t)
{
	free(t->cells);
	free(t->row_of);
	*t = (struct pario_timeline){ 0 };
}

char *pario_timeline_name(const struct pario_timeline *t, uint32_t row, char buf[48])
{
	const struct pario_timeline_row *r = &t->rows[row];

	if (r->ranked && r->first == r->last)
		snprintf(buf, 48, "rank %u", r->first);
	else if (r->ranked)
		snprintf(buf, 48, "ranks %u-%u", r->first, r->last);
	else if (r->processes == 1)
		snprintf(buf, 48, "pid %u%s%s", r->first, *r->program ? " " : "", r->program);
	else
		snprintf(buf, 48, "%u others, from pid %u", r->processes, r->first);
	if (r->image) /* one pid, several programs: each has a row, and needs a name */
		snprintf(buf + strlen(buf), 48 - strlen(buf), " (%u)", r->image + 1);
	return buf;
}

/* ---- cells ---- */

static struct pario_timeline_cell (*cells_of(const struct pario_timeline *t, unsigned level,
					     uint32_t row))[PARIO_LANES]
{
	return t->cells[(size_t)level * t->row_count + row];
}

const struct pario_timeline_cell *pario_timeline_cell(const struct pario_timeline *t,
						      unsigned level, uint32_t row, unsigned bin,
						      enum pario_lane lane)
{
	return &cells_of(t, level, row)[bin][lane];
}

static void fold_row(struct pario_timeline_cell cells[PARIO_TIMELINE_BINS][PARIO_LANES])
{
	for (int i = 0; i < PARIO_TIMELINE_BINS / 2; i++) {
		for (int k = 0; k < PARIO_LANES; k++) {
			const struct pario_timeline_cell a = cells[2 * i][k],
							 b = cells[2 * i + 1][k];

			cells[i][k] =
				(struct pario_timeline_cell){ a.calls + b.calls, a.bytes + b.bytes,
							      a.ns + b.ns };
		}
	}
	memset(cells[PARIO_TIMELINE_BINS / 2], 0, PARIO_TIMELINE_BINS / 2 * sizeof(cells[0]));
}

static bool fits(double bin_ns, double end_ns)
{
	return end_ns < bin_ns * PARIO_TIMELINE_BINS;
}

static void reach(struct pario_timeline *t, double end_ns)
{
	while (!fits(t->bin_ns, end_ns)) {
		for (size_t i = 0; i < (size_t)PARIO_TIMELINE_LEVELS * t->row_count; i++)
			fold_row(t->cells[i]);
		t->bin_ns *= 2;
	}
}

static void add_to(struct pario_timeline_cell cells[PARIO_TIMELINE_BINS][PARIO_LANES],
		   double bin_ns, enum pario_lane lane, double from, double to, uint64_t bytes)
{
	unsigned first = (unsigned)(from / bin_ns), last = (unsigned)(to / bin_ns);
	struct pario_timeline_cell *cell = &cells[first][lane];

	cell->calls++;
	cell->bytes += bytes;
	if (first == last) {
		cell->ns += to - from;
		return;
	}
	for (unsigned i = first; i <= last; i++) {
		double begin = fmax(from, i * bin_ns), end = fmin(to, (i + 1) * bin_ns);

		cells[i][lane].ns += end - begin;
	}
}

void pario_timeline_add(struct pario_timeline *t, uint32_t process, uint8_t layer,
			enum pario_lane lane, bool nested, double start_ns, double ns,
			uint64_t bytes)
{
	double from = fmax(start_ns, 0), to = fmin(from + ns, LAST_NS);
	uint32_t row = t->row_of[process];

	if (!(from < LAST_NS))
		return;
	reach(t, to);
	add_to(cells_of(t, 1 + (unsigned)layer, row), t->bin_ns, lane, from, to, bytes);
	if (nested)
		return;
	add_to(cells_of(t, 0, row), t->bin_ns, lane, from, to, bytes);
	t->end_ns = fmax(t->end_ns, to);
}

/* ---- a row alone ---- */

void pario_timeline_strip_widen(struct pario_timeline_strip *s, double bin_ns)
{
	if (!(s->bin_ns > 0))
		s->bin_ns = FIRST_BIN_NS;
	for (; s->bin_ns < bin_ns; s->bin_ns *= 2) {
		fold_row(s->cells);
		s->from_ns = s->to_ns = 0;
	}
}

void pario_timeline_strip_add_anywhere(struct pario_timeline_strip *s, enum pario_lane lane,
				       double start_ns, double ns, uint64_t bytes)
{
	double from = fmax(start_ns, 0);
	double to = fmin(from + fmax(ns, 0), LAST_NS);

	if (!(from < LAST_NS))
		return;
	if (!(s->bin_ns > 0))
		s->bin_ns = FIRST_BIN_NS;
	while (!fits(s->bin_ns, to))
		pario_timeline_strip_widen(s, 2 * s->bin_ns);
	add_to(s->cells, s->bin_ns, lane, from, to, bytes);
	s->bin = (unsigned)(from / s->bin_ns);
	s->from_ns = s->bin * s->bin_ns;
	s->to_ns = s->from_ns + s->bin_ns;
}

void pario_timeline_strip_join(struct pario_timeline_strip *to,
			       const struct pario_timeline_strip *from)
{
	struct pario_timeline_strip copy = *from;

	pario_timeline_strip_widen(&copy, to->bin_ns);
	pario_timeline_strip_widen(to, copy.bin_ns);
	for (unsigned bin = 0; bin < PARIO_TIMELINE_BINS; bin++) {
		for (unsigned lane = 0; lane < PARIO_LANES; lane++) {
			to->cells[bin][lane].calls += copy.cells[bin][lane].calls;
			to->cells[bin][lane].bytes += copy.cells[bin][lane].bytes;
			to->cells[bin][lane].ns += copy.cells[bin][lane].ns;
		}
	}
}
