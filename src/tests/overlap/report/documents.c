/*
 * documents: the paper's Table 1 for this machine, made from the passes that the journal holds.
 *
 * Repetitions of one routine in one phase are put together before anything is fitted: their passes are passes of the
 * same thing. Results with another client count or another point stand for themselves.
 */
#include "tests/overlap/report/documents.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "journal/table.h"
#include "tests/overlap/model/answer.h"

/* Passes below this are called short. */
#define SHORT_NS 1e8

/* All passes of one routine in one phase with one number of channels. */
struct group {
	const char *point, *phase;
	double clients, channels;
	struct pario_overlap_own own;
	struct pario_overlap_case fitted;
	struct pario_overlap_pass *passes;
	size_t count;
};

struct groups {
	struct group *list;
	size_t count;
};

static double cell(const struct pario_result_table_view *v, size_t row, const char *column)
{
	struct pario_err unused = { 0 };
	int place = pario_result_table_column(v, column, &unused);

	return place < 0 ? (double)NAN : pario_result_table_number(v, row, place);
}

static const char *word(const struct pario_result_table_view *v, size_t row, const char *column)
{
	struct pario_err unused = { 0 };
	int place = pario_result_table_column(v, column, &unused);

	return place < 0 ? "" : pario_result_table_text(v, row, place);
}

/* The routine and whatever differs from the defaults. */
static void name_case(struct pario_overlap_case *c, const struct pario_result_table_view *v,
		      size_t row)
{
	struct pario_text name = { 0 };

	pario_text_add(&name, "%s%s%s%s", word(v, row, "routine"),
		       cell(v, row, "direct") > 0 ? " direct" : "",
		       strcmp(word(v, row, "order"), "random") == 0 ? " random" : "",
		       strcmp(word(v, row, "compute"), "vector") == 0 ? " vector" : "");
	if (cell(v, row, "channels") > 1)
		pario_text_add(&name, " N=%.0f", cell(v, row, "channels"));
	if (cell(v, row, "clients") > 1)
		pario_text_add(&name, ", %.0f clients", cell(v, row, "clients"));
	snprintf(c->name, sizeof(c->name), "%s", pario_text_string(&name));
	pario_text_release(&name);
}

static struct group *find(struct groups *g, const json_t *line, double channels)
{
	const char *point = pario_history_text(line, "point");
	const char *phase = pario_history_text(line, "phase");
	double clients = json_number_value(json_object_get(line, "clients"));

	for (size_t i = 0; i < g->count; i++)
		if (strcmp(g->list[i].point, point) == 0 && strcmp(g->list[i].phase, phase) == 0 &&
		    g->list[i].clients == clients && g->list[i].channels == channels)
			return &g->list[i];
	g->list[g->count] = (struct group){
		.point = point, .phase = phase, .clients = clients, .channels = channels
	};
	return &g->list[g->count++];
}

static enum pario_part part_of(const char *text)
{
	if (strcmp(text, "wait") == 0)
		return PARIO_PART_SYNC;
	return strcmp(text, "half") == 0 ? PARIO_PART_HALF : PARIO_PART_FULL;
}

static struct pario_overlap_pass pass_of(const struct pario_result_table_view *v, size_t i,
					 bool blocking)
{
	double idle_ns = cell(v, i, "idle_ns"), loop_ns = cell(v, i, "loop_ns");

	/* Journals of before had no control of the pass's length: the loop by itself stood for it. */
	return (struct pario_overlap_pass){ .blocking = blocking,
					    .size = cell(v, i, "size"),
					    .channels = cell(v, i, "channels"),
					    .part = part_of(word(v, i, "part")),
					    .calls = cell(v, i, "calls"),
					    .walks = cell(v, i, "walks"),
					    .first_ns = cell(v, i, "first_ns"),
					    .elapsed_ns = cell(v, i, "elapsed_ns"),
					    .loops = cell(v, i, "loops"),
					    .loop_ns = loop_ns,
					    .loop_error_ns = cell(v, i, "loop_error_ns"),
					    .idle_ns = isnan(idle_ns) ? loop_ns : idle_ns,
					    .idle_cpu_ns = cell(v, i, "idle_cpu_ns"),
					    .idle_late_ns = cell(v, i, "idle_late_ns"),
					    .idle_loops = cell(v, i, "idle_loops"),
					    .thread_ns = cell(v, i, "thread_ns"),
					    .process_ns = cell(v, i, "process_ns"),
					    .queue_ns = cell(v, i, "queue_ns") };
}

/* Reading and writing at the same time takes channels for each. */
static bool belongs(const struct pario_overlap_pass *pass, const struct group *g)
{
	return pass->channels == g->channels * (strcmp(g->phase, "both") == 0 ? 2 : 1);
}

static int take(struct group *g, const struct pario_result_table_view *about, size_t row,
		const struct pario_result_table_view *v, struct pario_err *err)
{
	struct pario_overlap_pass *grown =
		realloc(g->passes, (g->count + v->row_count + 1) * sizeof(*grown));

	if (!grown)
		return pario_err_memory(err, "the passes of a journal");
	g->passes = grown;
	g->fitted.sector = cell(about, row, "sector");
	g->fitted.clients = cell(about, row, "clients");
	g->fitted.blocking = cell(about, row, "blocking") > 0;
	/* Journals of before took nothing off. */
	g->own.error_ns = cell(about, row, "clock_ns");
	g->own.call_ns = fmax(cell(about, row, "own_call_ns"), 0);
	g->own.wait_ns = fmax(cell(about, row, "own_wait_ns"), 0);
	g->fitted.tick_ns = fmax(cell(about, row, "tick_ns"), 0);
	g->fitted.rpm = cell(about, row, "rpm");
	name_case(&g->fitted, about, row);
	snprintf(g->fitted.means, sizeof(g->fitted.means), "%s", word(about, row, "means"));
	snprintf(g->fitted.phase, sizeof(g->fitted.phase), "%s", g->phase);
	for (size_t i = 0; i < v->row_count; i++) {
		g->passes[g->count] = pass_of(v, i, g->fitted.blocking);
		g->count += about->row_count == 1 || belongs(&g->passes[g->count], g);
	}
	return 0;
}

/* The cases of a line. A journal may come from anywhere, and each of them takes all passes of its line. */
static size_t case_count(const struct pario_result_table_view *about)
{
	return about->row_count < PARIO_OVERLAP_COUNTS ? about->row_count : PARIO_OVERLAP_COUNTS;
}

/* The most cases that the lines of a journal can make. */
static size_t capacity_for(const struct pario_history *h)
{
	struct pario_result_table_view about;
	struct pario_err none = { 0 };
	size_t capacity = 1;

	for (size_t i = 0; i < h->result_count; i++)
		if (pario_result_table_find(h->results[i], "case", &about, &none) == 0)
			capacity += case_count(&about);
	return capacity;
}

/* A line's passes, to the group of each number of channels. */
static int share_out(struct groups *g, const json_t *line,
		     const struct pario_result_table_view *about,
		     const struct pario_result_table_view *passes, struct pario_err *err)
{
	for (size_t i = 0; i < case_count(about); i++) {
		struct group *group = find(g, line, cell(about, i, "channels"));

		if (take(group, about, i, passes, err) < 0)
			return -1;
		if (strcmp(pario_history_text(line, "outcome"), "suspect") == 0)
			group->fitted.doubt = pario_history_text(line, "reason");
	}
	return 0;
}

static int collect(const struct pario_history *h, struct groups *g, struct pario_err *err)
{
	g->list = calloc(capacity_for(h), sizeof(*g->list));
	if (!g->list)
		return pario_err_memory(err, "the results of a journal");
	for (size_t i = 0; i < h->result_count; i++) {
		const json_t *line = h->results[i];
		struct pario_result_table_view about, passes;
		struct pario_err none = { 0 };

		/* Skipped and failed results have no tables. */
		if (strcmp(pario_history_text(line, "test"), "overlap") != 0 ||
		    pario_result_table_find(line, "case", &about, &none) < 0 ||
		    pario_result_table_find(line, "passes", &passes, &none) < 0)
			continue;
		if (share_out(g, line, &about, &passes, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < g->count; i++)
		pario_overlap_case_fit(&g->list[i].fitted, g->list[i].passes, g->list[i].count,
				       &g->list[i].own);
	return 0;
}

static void release(struct groups *g)
{
	for (size_t i = 0; i < g->count; i++)
		free(g->list[i].passes);
	free(g->list);
}

/* "M = 12.3 ± 0.4", or "M < 20" for what cannot be told from zero. */
static void add_quantity(struct pario_text *out, const char *name, const struct pario_estimate *e)
{
	struct pario_text number = { 0 };

	pario_overlap_number(&number, e, 1, 0);
	pario_text_add(out, "%s %s%s", name, *pario_text_string(&number) == '<' ? "" : "= ",
		       pario_text_string(&number));
	pario_text_release(&number);
}

static void add_revolution(struct pario_text *out, const struct pario_revolution *r)
{
	if (isfinite(r->s_least))
		pario_text_add(out, "S > %.2g", r->s_least);
	else
		add_quantity(out, "S", &r->s);
	pario_text_add(out, " sectors per revolution, ");
	add_quantity(out, "M", &r->m);
	pario_text_add(out, " missed per call");
}

static void add_turning(struct pario_text *out, const struct pario_overlap_case *c, const char *how,
			const struct pario_revolution_fit *fit)
{
	pario_text_add(out, "%s %s, %s: ", c->name, c->phase, how);
	add_revolution(out, &fit->all);
	if (fit->lines.broken) {
		pario_text_add(out, "; small buffers ");
		add_revolution(out, &fit->small);
		pario_text_add(out, "; large buffers ");
		add_revolution(out, &fit->large);
	}
	pario_text_add(out, "\n");
}

/* Sectors per revolution and missed revolutions, where something rotates. */
static void revolutions(struct pario_text *out, const struct pario_overlap_case *c)
{
	if (!(c->rpm > 0))
		return;
	add_turning(out, c, "waiting", &c->waiting);
	add_turning(out, c, "overlapped", &c->overlapped);
}

static void skipped(struct pario_text *out, const struct pario_history *h)
{
	for (size_t i = 0; i < h->result_count; i++)
		if (strcmp(pario_history_text(h->results[i], "outcome"), "skip") == 0)
			pario_text_add(out, "not measured: %s: %s\n",
				       pario_history_text(h->results[i], "point"),
				       pario_history_text(h->results[i], "reason"));
}

/* How long the passes of the run were: the shorter, the more an interruption weighs. */
static void lengths(struct pario_text *out, const struct pario_overlap_case *cases, size_t n)
{
	char least[PARIO_UNITS_CAPACITY], most[PARIO_UNITS_CAPACITY];
	double low = INFINITY, high = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < cases[i].points; k++) {
			low = fmin(low, cases[i].point[k].pass_ns);
			high = fmax(high, cases[i].point[k].pass_ns);
		}
	if (!(low <= high))
		return;
	pario_text_add(out, "A pass took %s to %s.", pario_units_time(least, low / 1e9),
		       pario_units_time(most, high / 1e9));
	if (low < SHORT_NS)
		pario_text_add(out,
			       " The study of 1980 had seconds: to rely on small overheads use "
			       "--pass_time 1.");
	pario_text_add(out, "\n");
}

static void disturbances(struct pario_text *out, const struct pario_overlap_case *cases, size_t n)
{
	size_t made = 0, disturbed = 0, late = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < cases[i].points; k++) {
			made += cases[i].point[k].passes;
			disturbed += cases[i].point[k].disturbed;
			late += cases[i].point[k].late_controls;
		}
	pario_text_add(
		out,
		"%zu passes; in %zu of them the thread had to wait for a processor, in %zu of "
		"these already in the control.\n",
		made, disturbed, late);
}

int pario_overlap_cases(const struct pario_history *history, struct pario_overlap_case **cases,
			size_t *count, struct pario_err *err)
{
	struct groups g = { 0 };
	struct pario_overlap_case *list = NULL;

	if (collect(history, &g, err) == 0) {
		list = calloc(g.count + 1, sizeof(*list));
		if (!list)
			pario_err_memory(err, "the table");
	}
	for (size_t i = 0; list && i < g.count; i++)
		list[i] = g.list[i].fitted;
	if (list) {
		*cases = list;
		*count = g.count;
	}
	release(&g);
	return list ? 0 : -1;
}

static int write_summary(const struct pario_history *history, struct pario_text *out,
			 struct pario_err *err)
{
	struct pario_overlap_case *cases;
	size_t n;

	if (pario_overlap_cases(history, &cases, &n, err) < 0)
		return -1;
	pario_text_add(out,
		       "Which routine to use (± is half a 95 %% interval; alike: the intervals "
		       "meet, or less than %g %% apart)\n",
		       100 * PARIO_OVERLAP_ALIKE);
	pario_overlap_answer(out, cases, n);
	pario_text_add(out,
		       "\nI/O routines of this machine, after Table 1 of the Cray-1 study\n\n");
	pario_overlap_table(out, cases, n);
	pario_text_add(out, "\nTime per operation when waiting for it:\n");
	pario_overlap_laws(out, cases, n);
	for (size_t i = 0; i < n; i++)
		revolutions(out, &cases[i]);
	pario_text_add(out, "\n");
	skipped(out, history);
	disturbances(out, cases, n);
	lengths(out, cases, n);
	free(cases);
	return 0;
}

static int write_details(const struct pario_history *history, struct pario_text *out,
			 struct pario_err *err)
{
	struct pario_overlap_case *cases;
	size_t n;

	if (pario_overlap_cases(history, &cases, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		pario_overlap_points(out, &cases[i]);
		pario_text_add(out, "\n");
	}
	free(cases);
	return 0;
}

const struct pario_document pario_overlap_summary = {
	.test = "overlap",
	.file = "overlap.sum",
	.shown = true,
	.instead = true,
	.write = write_summary,
};

const struct pario_document pario_overlap_details = {
	.test = "overlap",
	.file = "overlap.points",
	.write = write_details,
};
