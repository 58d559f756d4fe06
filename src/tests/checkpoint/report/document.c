/*
 * document: a line for each measured checkpoint, from the journal alone; then the size by the formulae beside the
 * published one, and what keeps the run from conforming.
 */
#include "tests/checkpoint/report/document.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "tests/checkpoint/model/shards.h"

#define GIB 1073741824.0

static const char *value_of(const struct pario_history *h, const json_t *r, const char *name)
{
	const char *value = pario_history_text(json_object_get(r, "params"), name);

	if (!*value)
		value = pario_history_param(h, name);
	return value ? value : "";
}

static bool measured(const json_t *r)
{
	return strcmp(pario_history_text(r, "test"), "checkpoint") == 0 &&
	       !isnan(pario_history_metric(r, "duration_s"));
}

static void add_times(struct pario_text *out, const json_t *r)
{
	double zeta = pario_history_metric(r, "zeta"),
	       slower = pario_history_metric(r, "step_slower");
	char duration[PARIO_UNITS_CAPACITY], least[PARIO_UNITS_CAPACITY], sum[PARIO_UNITS_CAPACITY];

	pario_text_add(out, "  %-5s  %5.0f ranks  %10s  %14s  %14s", pario_history_text(r, "phase"),
		       json_number_value(json_object_get(r, "clients")),
		       pario_units_time(duration, pario_history_metric(r, "duration_s")),
		       pario_units_rate(least, pario_history_metric(r, "rank_least_mib_s")),
		       pario_units_rate(sum, pario_history_metric(r, "rank_sum_mib_s")));
	if (!isnan(zeta))
		pario_text_add(out, "  zeta %.3f", zeta);
	if (!isnan(slower))
		pario_text_add(out, ", steps meanwhile %+.1f %%", 100 * slower);
	pario_text_add(out, "\n");
}

static const struct pario_published *published(const char *name)
{
	const struct pario_published *p = pario_published_models;

	while (p->name && strcmp(p->name, name) != 0)
		p++;
	return p->name ? p : NULL;
}

/* The published sizes are GiB, except for one that the formulae do not give. */
static void add_size(struct pario_text *out, const struct pario_history *h, const json_t *r)
{
	const struct pario_published *p = published(value_of(h, r, "model"));
	char count[PARIO_UNITS_CAPACITY];
	struct pario_shards s;

	pario_text_add(out, "\n%s parameters as measured, %.2f GiB in all.",
		       pario_units_count(count, pario_history_metric(r, "parameters")),
		       pario_history_metric(r, "model_bytes") / GIB);
	if (!p) {
		pario_text_add(out, "\n");
		return;
	}
	s = (struct pario_shards){ .shape = p->shape, .sharding = p->sharding, .scale = 1 };
	pario_text_add(out, " The whole of %s is %.1f GiB by the formulae; %s is published%s.\n",
		       p->name, (double)pario_shards_total(&s) / GIB, p->size,
		       strcmp(p->name, "1t") == 0 ? ", which the formulae do not give" : "");
}

static void add_conformity(struct pario_text *out, const struct pario_history *h, const json_t *r)
{
	static const struct {
		const char *option, *wanted;
	} rules[] = {
		{ "scale", "1" },	 { "layout", "per_client" }, { "mode", "sync" },
		{ "from", "" },		 { "zero", "model" },	     { "weights", "bf16" },
		{ "optimizer", "fp32" },
	};
	const char *before = "";

	if (pario_history_metric(r, "conforming") > 0) {
		pario_text_add(out, "The whole model, cut as it is published.\n");
		return;
	}
	pario_text_add(out, "NOT CONFORMING: ");
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		const char *value = value_of(h, r, rules[i].option);

		if (strcmp(value, rules[i].wanted) == 0)
			continue;
		pario_text_add(out, "%s%s ", before, rules[i].option);
		pario_text_clean(out, value);
		before = ", ";
	}
	pario_text_add(out, "%s\n", *before ? "" : "not the published shape and cut");
}

static int write_summary(const struct pario_history *h, struct pario_text *out,
			 struct pario_err *err)
{
	const json_t *last = NULL;

	(void)err;
	pario_text_add(out, "Checkpoint: duration of the slowest rank, smallest throughput of a "
			    "rank, and the sum\n");
	for (size_t i = 0; i < h->result_count; i++) {
		if (!measured(h->results[i]))
			continue;
		last = h->results[i];
		add_times(out, last);
	}
	if (!last)
		return 0;
	add_size(out, h, last);
	add_conformity(out, h, last);
	pario_text_add(out, "Not an official MLPerf Storage result.\n");
	return 0;
}

const struct pario_document pario_checkpoint_summary = {
	.test = "checkpoint",
	.file = "checkpoint.txt",
	.shown = true,
	.write = write_summary,
};
