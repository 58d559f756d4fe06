/*
 * openmetrics: for a node exporter's text collector and whatever else reads the format.
 *
 * Every family is a gauge with HELP, TYPE and, where it has one, UNIT; its samples stand together, and the last line is
 * # EOF. A number that was not measured has no sample.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "report/export/results.h"
#include "report/page/group.h"
#include "report/text/quantity.h"

struct writer {
	struct pario_text *out;
	const struct pario_groups *groups;
	bool runs; /* several: the id tells them apart */
};

/* The families by what a group tells; NaN: no sample. */
static double rate(const struct pario_group *g)
{
	return strcmp(g->unit, "MiB/s") == 0 && !*g->headline ? g->median * PARIO_MIB : (double)NAN;
}

static double operations(const struct pario_group *g)
{
	return strcmp(g->unit, "ops/s") == 0 && !*g->headline ? g->median : (double)NAN;
}

static double duration(const struct pario_group *g)
{
	return g->numbers ? g->first->seconds : (double)NAN;
}

static double headline(const struct pario_group *g)
{
	return *g->headline ? g->median : (double)NAN;
}

static double suspect(const struct pario_group *g)
{
	return (double)g->suspects;
}

static double failed(const struct pario_group *g)
{
	return (double)g->failures;
}

static double repetitions(const struct pario_group *g)
{
	return (double)g->numbers;
}

static const struct family {
	const char *name, *unit, *help;
	double (*value)(const struct pario_group *group);
} families[] = {
	{ "pario_rate_bytes_per_second", "bytes_per_second",
	  "Median rate over the repetitions of a point.", rate },
	{ "pario_operations_per_second", "per_second",
	  "Median rate of operations over the repetitions of a point.", operations },
	{ "pario_first_repetition_seconds", "seconds", "Time of the first repetition of a point.",
	  duration },
	{ "pario_number", NULL,
	  "Median of the number that a test defines; the label unit says in what.", headline },
	{ "pario_repetitions", NULL, "Repetitions of a point that have a number.", repetitions },
	{ "pario_suspect_repetitions", NULL, "Repetitions with a reason to doubt their number.",
	  suspect },
	{ "pario_failed_repetitions", NULL, "Repetitions that failed.", failed },
};

/* Backslash, quote and newline are escaped; other control bytes become visible. */
static void add_label(struct pario_text *out, const char *name, const char *value, bool first)
{
	struct pario_text clean = { 0 };

	pario_text_clean(&clean, value);
	pario_text_add(out, "%s%s=\"", first ? "" : ",", name);
	for (const char *at = pario_text_string(&clean); *at; at++)
		pario_text_add(out, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
	pario_text_add(out, "\"");
	pario_text_release(&clean);
}

static void add_value(struct pario_text *out, double value)
{
	struct pario_json json = { 0 };

	pario_json_real(&json, NULL, value);
	pario_text_add(out, " %s\n", pario_text_string(&json.text));
	pario_json_release(&json);
}

static void add_head(struct pario_text *out, const char *name, const char *unit, const char *help)
{
	pario_text_add(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
	if (unit)
		pario_text_add(out, "# UNIT %s %s\n", name, unit);
}

static void add_labels(struct writer *w, const struct pario_group *g)
{
	const struct pario_volume *v = &w->groups->archive->volume[g->first->of->volume];
	char clients[32];

	snprintf(clients, sizeof(clients), "%llu", (unsigned long long)g->first->of->clients);
	add_label(w->out, "test", g->first->of->test, true);
	add_label(w->out, "phase", g->first->of->phase, false);
	add_label(w->out, "point", g->first->of->point, false);
	add_label(w->out, "clients", clients, false);
	if (w->runs)
		add_label(w->out, "run", v->id, false);
}

static void add_family(struct writer *w, const struct family *f)
{
	bool head = false;

	for (size_t i = 0; i < w->groups->count; i++) {
		const struct pario_group *g = &w->groups->group[i];
		double value = f->value(g);

		if (!isfinite(value))
			continue;
		if (!head)
			add_head(w->out, f->name, f->unit, f->help);
		head = true;
		pario_text_add(w->out, "%s{", f->name);
		add_labels(w, g);
		if (f->value == headline) {
			add_label(w->out, "name", g->headline, false);
			add_label(w->out, "unit", g->unit, false);
		}
		pario_text_add(w->out, "}");
		add_value(w->out, value);
	}
}

/* Quantiles of single operations, the medians over the repetitions. */
static void add_latency(struct writer *w)
{
	static const char *const quantiles[] = { "0.5", "0.9", "0.99", "0.999" };
	bool head = false;

	for (size_t i = 0; i < w->groups->count; i++) {
		const struct pario_group *g = &w->groups->group[i];
		const double values[] = { g->latency_ns.p50, g->latency_ns.p90, g->latency_ns.p99,
					  g->latency_ns.p999 };

		for (size_t q = 0; q < 4; q++) {
			if (!isfinite(values[q]))
				continue;
			if (!head)
				add_head(w->out, "pario_latency_seconds", "seconds",
					 "Time of single operations, by quantile.");
			head = true;
			pario_text_add(w->out, "pario_latency_seconds{");
			add_labels(w, g);
			add_label(w->out, "quantile", quantiles[q], false);
			pario_text_add(w->out, "}");
			add_value(w->out, values[q] * 1e-9);
		}
	}
}

/* What a run was made with, as labels of a constant. */
static void add_runs(struct writer *w)
{
	const struct pario_archive *a = w->groups->archive;

	add_head(w->out, "pario_run_details", NULL,
		 "Always 1; the labels say what measured, and where.");
	for (size_t i = 0; i < a->volume_count; i++) {
		const struct pario_volume *v = &a->volume[i];

		pario_text_add(w->out, "pario_run_details{");
		add_label(w->out, "run", v->id, true);
		add_label(w->out, "label", v->label, false);
		add_label(w->out, "test", v->test, false);
		add_label(w->out, "time", v->time, false);
		add_label(w->out, "version", v->version, false);
		add_label(w->out, "host", pario_volume_machine(v, "host"), false);
		add_label(w->out, "kernel", pario_volume_machine(v, "kernel"), false);
		add_label(w->out, "mount", pario_volume_machine(v, "filesystem.mount"), false);
		pario_text_add(w->out, "} 1\n");
	}
}

int pario_results_openmetrics(struct pario_archive *archive, struct pario_text *out,
			      struct pario_err *err)
{
	struct pario_groups groups = { 0 };
	struct writer w = { .out = out, .groups = &groups, .runs = archive->volume_count > 1 };

	if (pario_groups_of(archive, &groups, err) < 0)
		return -1;
	add_runs(&w);
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		add_family(&w, &families[i]);
	add_latency(&w);
	pario_text_add(out, "# EOF\n");
	pario_groups_release(&groups);
	return out->failed ? pario_err_memory(err, NULL) : 0;
}
