/*
 * show: the table of models first, then where the time goes, then what to doubt.
 */
#include "predict/show/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "predict/estimate/ratio.h"

enum { WIDTH = 12 };

static void cell(struct pario_text *text, double seconds)
{
	char buf[PARIO_UNITS_CAPACITY];

	pario_text_add(text, " %*s", WIDTH, isnan(seconds) ? "-" : pario_units_time(buf, seconds));
}

static void interval(struct pario_text *text, const struct pario_seconds *e)
{
	char low[PARIO_UNITS_CAPACITY], high[PARIO_UNITS_CAPACITY], both[2 * PARIO_UNITS_CAPACITY];

	snprintf(both, sizeof(both), "[%s, %s]", pario_units_time(low, e->low),
		 pario_units_time(high, e->high));
	pario_text_add(text, " %24s", isnan(e->low) ? "-" : both);
}

static bool shown(const struct pario_prediction *p, const struct pario_prediction_view *view,
		  int model)
{
	return view->models >> model & 1 && (model != PARIO_MODEL_REPLAY || p->replayed) &&
	       (model != PARIO_MODEL_MODEL || !p->profiled);
}

/* The interval is that of the best model that is shown. */
static int best_model(const struct pario_prediction *p, const struct pario_prediction_view *view)
{
	for (int m = PARIO_MODELS - 1; m > 0; m--) {
		if (shown(p, view, m))
			return m;
	}
	return 0;
}

static void heads(const struct pario_prediction *p, const struct pario_prediction_view *view,
		  struct pario_text *text)
{
	pario_text_add(text, " %-10s %*s", "", WIDTH, "reference");
	for (int m = 0; m < PARIO_MODELS; m++) {
		if (shown(p, view, m))
			pario_text_add(text, " %*s", WIDTH, pario_model_names[m]);
	}
	pario_text_add(text, " %24s", "90 % interval");
	if (p->actual_count)
		pario_text_add(text, " %*s %9s", WIDTH, "actual", "RSD %");
	pario_text_add(text, "\n");
}

static void estimates(const struct pario_prediction *p, const struct pario_prediction_view *view,
		      struct pario_text *text)
{
	heads(p, view, text);
	for (int q = 0; q < PARIO_QUANTITIES; q++) {
		pario_text_add(text, " %-10s", pario_quantity_names[q]);
		cell(text, p->measured[q]);
		for (int m = 0; m < PARIO_MODELS; m++) {
			if (shown(p, view, m))
				cell(text, p->estimates[m][q].seconds);
		}
		interval(text, &p->estimates[best_model(p, view)][q]);
		if (p->actual_count) {
			cell(text, p->actual[q]);
			if (isnan(p->actual_rsd[q]))
				pario_text_add(text, " %9s", "-");
			else
				pario_text_add(text, " %9.2f", p->actual_rsd[q]);
		}
		pario_text_add(text, "\n");
	}
}

static void accuracies(const struct pario_prediction *p, const struct pario_prediction_view *view,
		       struct pario_text *text)
{
	pario_text_add(
		text,
		"\nAccuracy in percent, 100 × (predicted − actual) / actual, over %d run%s\n %-10s",
		p->actual_count, p->actual_count == 1 ? "" : "s", "");
	for (int q = 0; q < PARIO_QUANTITIES; q++)
		pario_text_add(text, " %10s", pario_quantity_names[q]);
	pario_text_add(text, "\n");
	for (int m = 0; m < PARIO_MODELS; m++) {
		if (!shown(p, view, m))
			continue;
		pario_text_add(text, " %-10s", pario_model_names[m]);
		for (int q = 0; q < PARIO_QUANTITIES; q++) {
			if (p->actual[q] > 0)
				pario_text_add(text, " %+10.2f",
					       pario_ratio_accuracy(p->estimates[m][q].seconds,
								    p->actual[q]));
			else
				pario_text_add(text, " %10s", "-");
		}
		pario_text_add(text, "\n");
	}
}

/* ---- what dominates ---- */

static const struct pario_class *ranked_of;

static int by_time(const void *a, const void *b)
{
	double x = ranked_of[*(const uint32_t *)a].seconds,
	       y = ranked_of[*(const uint32_t *)b].seconds;

	return (x < y) - (x > y);
}

uint32_t *pario_prediction_ranked(const struct pario_prediction *p)
{
	uint32_t count = p->target.classes.map.count;
	uint32_t *list = calloc(count + 1ul, sizeof(*list));

	for (uint32_t i = 0; list && i < count; i++)
		list[i] = i + 1;
	ranked_of = p->target.classes.list;
	if (list)
		qsort(list, count, sizeof(*list), by_time);
	return list;
}

static void dominating(const struct pario_prediction *p, unsigned rows, struct pario_text *text)
{
	const struct pario_classes *classes = &p->target.classes;
	uint32_t *list = pario_prediction_ranked(p);
	double io = p->estimates[PARIO_MODEL_HYBRID][PARIO_QUANTITY_TOTAL].seconds;

	pario_text_add(text,
		       "\nWhat dominates on the target (the path is %s)\n"
		       " %-52s %9s %12s %12s %7s\n",
		       p->profiled ? "inferred on the reference" : "the simulation's", "calls",
		       "count", "reference", "target", "share");
	for (uint32_t i = 0; list && i < classes->map.count && i < rows; i++) {
		const struct pario_class *c = &classes->list[list[i]];
		struct pario_text name = { 0 };
		char count[PARIO_UNITS_CAPACITY];

		pario_class_name(c, &name);
		pario_text_add(text, " %-52s %9s", pario_text_string(&name),
			       pario_units_count(count, (double)c->calls));
		cell(text, c->measured);
		cell(text, c->seconds);
		pario_text_add(text, " %5.0f %%\n", io > 0 ? 100 * c->seconds / io : 0);
		pario_text_release(&name);
	}
	free(list);
}

/* ---- call sites ---- */

void pario_prediction_site(const struct pario_prediction *p, const struct pario_sim_site *site,
			   struct pario_symbols *symbols, struct pario_text *text)
{
	const struct pario_job *job = &p->trace.job;

	if (site->module >= job->module_count) {
		pario_text_add(text, "0x%llx", (unsigned long long)site->offset);
		return;
	}
	pario_symbols_name(symbols, job->modules[site->module].path,
			   job->modules[site->module].build_id, site->offset, text);
}

static const struct pario_sim_site *sites_of;

static int by_change(const void *a, const void *b)
{
	const struct pario_sim_site *x = &sites_of[*(const uint32_t *)a],
				    *y = &sites_of[*(const uint32_t *)b];
	double dx = fabs(x->seconds - x->measured), dy = fabs(y->seconds - y->measured);

	return (dx < dy) - (dx > dy);
}

uint32_t *pario_prediction_sites(const struct pario_prediction *p)
{
	uint32_t count = p->target.site_of.count, *list = calloc(count + 1ul, sizeof(*list));

	for (uint32_t i = 0; list && i < count; i++)
		list[i] = i + 1;
	sites_of = p->target.sites;
	if (list)
		qsort(list, count, sizeof(*list), by_change);
	return list;
}

static void sites(const struct pario_prediction *p, unsigned rows, struct pario_symbols *symbols,
		  struct pario_text *text)
{
	uint32_t count = p->target.site_of.count, *list = pario_prediction_sites(p);

	pario_text_add(text, "\nCall sites that change most\n %-44s %-16s %12s %12s\n", "call site",
		       "call", "reference", "target");
	for (uint32_t i = 0; list && i < count && i < rows; i++) {
		const struct pario_sim_site *s = &sites_of[list[i]];
		struct pario_text name = { 0 };

		pario_prediction_site(p, s, symbols, &name);
		pario_text_add(text, " %-44s %-16s", pario_text_string(&name),
			       pario_trace_operation(s->op)->name);
		cell(text, s->measured);
		cell(text, s->seconds);
		pario_text_add(text, "  %s\n",
			       s->seconds > 1.05 * s->measured	 ? "slower"
			       : s->seconds < 0.95 * s->measured ? "faster"
								 : "alike");
		pario_text_release(&name);
	}
	free(list);
}

/* ---- the difference ---- */

static void difference_row(struct pario_text *text, const char *name, double seconds,
			   const char *meaning)
{
	char buf[PARIO_UNITS_CAPACITY];

	pario_text_add(text, " %-12s %c%*s   %s\n", name, seconds < 0 ? '-' : '+', WIDTH - 1,
		       pario_units_time(buf, fabs(seconds)), meaning);
}

static void explanation(const struct pario_prediction *p, struct pario_text *text)
{
	const struct pario_difference_parts *d = &p->difference;

	pario_text_add(text, "\nWhy: the modelled I/O time from the reference to the target\n");
	difference_row(text, "path", d->path,
		       "calls that meet memory instead of the device, or the other way round");
	difference_row(text, "device", d->device, "the same call alone and in sequence");
	difference_row(text, "locality", d->locality, "what strides and jumps cost more or less");
	difference_row(text, "concurrency", d->concurrency, "what calls at the same time cost");
	difference_row(text, "sum", d->path + d->device + d->locality + d->concurrency, "");
	pario_text_add(
		text,
		" the model alone is off by %.0f %% on the reference; classes that only the target has are corrected "
		"by others to the power of %.1f\n",
		100 * (exp(p->hybrid.bias) - 1), p->hybrid.a);
}

/* ---- all ---- */

static uint32_t ranks_of(const struct pario_trace *t)
{
	uint32_t ranks = 0;

	for (uint32_t i = 1; i <= pario_trace_processes(t); i++) {
		const struct pario_trace_process *q = pario_trace_process(t, i);

		if (q->rank != UINT32_MAX && q->ranks > ranks)
			ranks = q->ranks;
	}
	return ranks;
}

static void head(const struct pario_prediction *p, struct pario_text *text)
{
	char calls[PARIO_UNITS_CAPACITY];
	const char *slash = strrchr(p->trace.path, '/');
	uint32_t ranks = p->profiled ? p->sheet.ranks : ranks_of(&p->trace);

	pario_text_clean(text, slash ? slash + 1 : p->trace.path);
	if (p->profiled)
		pario_text_add(text, " (a profile)");
	if (ranks)
		pario_text_add(text, " · %u ranks", ranks);
	pario_text_add(text, " · %s calls\n", pario_units_count(calls, (double)p->reference.calls));
	for (int i = 0; i < 2; i++) {
		pario_text_add(text, "%s: ", i ? "target   " : "reference");
		pario_text_clean(text, p->systems[i]->name);
		pario_text_add(text, " (%s), measured %s\n", p->systems[i]->filesystem,
			       *p->systems[i]->measured ? p->systems[i]->measured
							: "at an unknown time");
	}
	pario_text_add(text, "\n");
}

static void seconds_within(struct pario_text *text, const struct pario_seconds *e)
{
	char value[PARIO_UNITS_CAPACITY], low[PARIO_UNITS_CAPACITY], high[PARIO_UNITS_CAPACITY];

	pario_text_add(text, "%s", pario_units_time(value, e->seconds));
	if (!isnan(e->low))
		pario_text_add(text, " [%s, %s]", pario_units_time(low, e->low),
			       pario_units_time(high, e->high));
}

/* The answer, by the best model that is shown. */
static void answer(const struct pario_prediction *p, const struct pario_prediction_view *view,
		   struct pario_text *text)
{
	const struct pario_seconds *best = p->estimates[best_model(p, view)];
	char here[PARIO_UNITS_CAPACITY];

	if (isnan(best[PARIO_QUANTITY_TOTAL].seconds))
		return;
	pario_text_add(text, "I/O would take ");
	seconds_within(text, &best[PARIO_QUANTITY_TOTAL]);
	pario_text_add(text, " on the target; it took %s on the reference",
		       pario_units_time(here, p->measured[PARIO_QUANTITY_TOTAL]));
	if (!isnan(best[PARIO_QUANTITY_MAKESPAN].seconds)) {
		pario_text_add(text, "; the whole program would take ");
		seconds_within(text, &best[PARIO_QUANTITY_MAKESPAN]);
	}
	pario_text_add(text, ".%s\n\n",
		       *pario_text_string(&p->doubts) ? " There are caveats." : "");
}

static void doubts(const struct pario_prediction *p, struct pario_text *text)
{
	const char *line = pario_text_string(&p->doubts);

	if (*line)
		pario_text_add(text, "\nCaveats\n");
	while (*line) {
		size_t length = strcspn(line, "\n");

		pario_text_add(text, " - %.*s\n", (int)length, line);
		line += length + (line[length] == '\n');
	}
}

void pario_prediction_show(const struct pario_prediction *p,
			   const struct pario_prediction_view *view, struct pario_symbols *symbols,
			   struct pario_text *text)
{
	answer(p, view, text);
	head(p, text);
	estimates(p, view, text);
	if (p->actual_count)
		accuracies(p, view, text);
	dominating(p, view->rows, text);
	if (!p->profiled)
		sites(p, view->rows, symbols, text);
	if (view->explain)
		explanation(p, text);
	doubts(p, text);
}
