/*
 * journal: begin line, a result for each model, warnings as notes, end line. The tables are in the result of `hybrid`.
 */
#include "predict/show/journal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "journal/derived.h"
#include "journal/result.h"
#include "predict/estimate/ratio.h"
#include "predict/show/show.h"

enum { SITES = 100, CLASSES = 200 };

static const char *const quantity_words[PARIO_QUANTITIES] = { "read", "write", "metadata", "io",
							      "makespan" };

/* A replay where one was made; a simulation where there was a trace. */
static bool has_model(const struct pario_prediction *p, int model)
{
	return model == PARIO_MODEL_REPLAY  ? p->replayed
	       : model == PARIO_MODEL_MODEL ? !p->profiled
					    : true;
}

static uint64_t models_of(const struct pario_prediction *p)
{
	uint64_t count = 0;

	for (int m = 0; m < PARIO_MODELS; m++)
		count += has_model(p, m);
	return count;
}

static void begin_line(struct pario_json *j, const struct pario_prediction *p)
{
	const struct pario_derived what = {
		.command = "predict", .file = p->trace.path, .label = "", .test = "predict"
	};

	pario_derived_begin(j, &what, (uint64_t)p->trace.job.start_ns);
	pario_json_open(j, "params", '{');
	pario_derived_param(j, "trace", p->trace.path, "command line");
	pario_derived_param(j, "reference", p->systems[0]->name, "command line");
	pario_derived_param(j, "target", p->systems[1]->name, "command line");
	pario_json_close(j, '}');
	pario_json_open(j, "clients", '[');
	pario_json_close(j, ']');
	pario_derived_machine(j, "");
}

/* ---- tables ---- */

static void estimate_rows(const struct pario_prediction *p, struct pario_result_tables *tables)
{
	for (int q = 0; q < PARIO_QUANTITIES; q++) {
		const struct pario_seconds *m = &p->estimates[PARIO_MODEL_MODEL][q];
		const struct pario_seconds *h = &p->estimates[PARIO_MODEL_HYBRID][q];
		const struct pario_seconds *r = &p->estimates[PARIO_MODEL_REPLAY][q];

		pario_result_tables_row(
			tables, "estimates",
			"quantity reference_s ratio_s model_s model_low_s model_high_s hybrid_s hybrid_low_s "
			"hybrid_high_s replay_s replay_low_s replay_high_s actual_s actual_rsd_percent",
			(struct pario_datum[]){
				PARIO_TEXT(pario_quantity_names[q]), PARIO_NUMBER(p->measured[q]),
				PARIO_NUMBER(p->estimates[PARIO_MODEL_RATIO][q].seconds),
				PARIO_NUMBER(m->seconds), PARIO_NUMBER(m->low),
				PARIO_NUMBER(m->high), PARIO_NUMBER(h->seconds),
				PARIO_NUMBER(h->low), PARIO_NUMBER(h->high),
				PARIO_NUMBER(r->seconds), PARIO_NUMBER(r->low),
				PARIO_NUMBER(r->high), PARIO_NUMBER(p->actual[q]),
				PARIO_NUMBER(p->actual_rsd[q]) });
	}
}

static void class_rows(const struct pario_prediction *p, struct pario_result_tables *tables)
{
	uint32_t *list = pario_prediction_ranked(p);

	for (uint32_t i = 0; list && i < p->target.classes.map.count && i < CLASSES; i++) {
		const struct pario_class *c = &p->target.classes.list[list[i]];
		struct pario_text name = { 0 };

		pario_class_name(c, &name);
		pario_result_tables_row(
			tables, "classes",
			"class calls bytes reference_s model_s target_s factor clients rests_on",
			(struct pario_datum[]){
				PARIO_TEXT(pario_text_string(&name)), PARIO_NUMBER(c->calls),
				PARIO_NUMBER(c->bytes), PARIO_NUMBER(c->measured),
				PARIO_NUMBER(c->model), PARIO_NUMBER(c->seconds),
				PARIO_NUMBER(c->factor),
				PARIO_NUMBER(c->calls ? c->clients / (double)c->calls : NAN),
				PARIO_NUMBER(c->rests_on) });
		pario_text_release(&name);
	}
	free(list);
}

static void site_rows(const struct pario_prediction *p, struct pario_symbols *symbols,
		      struct pario_result_tables *tables)
{
	uint32_t *list = pario_prediction_sites(p);

	for (uint32_t i = 0; list && i < p->target.site_of.count && i < SITES; i++) {
		const struct pario_sim_site *s = &p->target.sites[list[i]];
		struct pario_text name = { 0 };

		pario_prediction_site(p, s, symbols, &name);
		pario_result_tables_row(
			tables, "sites", "site call calls reference_s target_s",
			(struct pario_datum[]){ PARIO_TEXT(pario_text_string(&name)),
						PARIO_TEXT(pario_trace_operation(s->op)->name),
						PARIO_NUMBER(s->calls), PARIO_NUMBER(s->measured),
						PARIO_NUMBER(s->seconds) });
		pario_text_release(&name);
	}
	free(list);
}

/* ---- lines ---- */

static void metrics(const struct pario_prediction *p, int model, struct pario_result *r)
{
	char name[48];

	for (int q = 0; q < PARIO_QUANTITIES; q++) {
		const struct pario_seconds *e = &p->estimates[model][q];

		snprintf(name, sizeof(name), "%s_s", quantity_words[q]);
		pario_result_metric(r, name, "s", e->seconds);
		snprintf(name, sizeof(name), "%s_low_s", quantity_words[q]);
		pario_result_metric(r, name, "s", e->low);
		snprintf(name, sizeof(name), "%s_high_s", quantity_words[q]);
		pario_result_metric(r, name, "s", e->high);
		snprintf(name, sizeof(name), "reference_%s_s", quantity_words[q]);
		pario_result_metric(r, name, "s", p->measured[q]);
		if (!p->actual_count)
			continue;
		snprintf(name, sizeof(name), "actual_%s_s", quantity_words[q]);
		pario_result_metric(r, name, "s", p->actual[q]);
		snprintf(name, sizeof(name), "%s_accuracy_percent", quantity_words[q]);
		pario_result_metric(r, name, "percent",
				    p->actual[q] > 0
					    ? pario_ratio_accuracy(e->seconds, p->actual[q])
					    : (double)NAN);
	}
	snprintf(r->headline, sizeof(r->headline), "io_s");
	r->better = -1;
}

static void result_line(struct pario_json *j, const struct pario_prediction *p, int model,
			const struct pario_result_tables *tables)
{
	struct pario_result r;

	pario_result_init(&r);
	snprintf(r.test, sizeof(r.test), "predict");
	snprintf(r.phase, sizeof(r.phase), "%s", pario_model_names[model]);
	r.clients = 1;
	r.outcome = p->doubts.length ? PARIO_SUSPECT : PARIO_PASS;
	snprintf(r.reason, sizeof(r.reason), "%.*s",
		 (int)strcspn(pario_text_string(&p->doubts), "\n"), pario_text_string(&p->doubts));
	r.ops = p->reference.calls;
	for (int i = 0; i < PARIO_IO_PARTS; i++)
		r.bytes += p->reference.parts[i].bytes;
	r.seconds.total = p->estimates[model][PARIO_QUANTITY_MAKESPAN].seconds;
	metrics(p, model, &r);
	if (tables->count && model == PARIO_MODEL_HYBRID)
		r.tables = tables;
	pario_journal_line(j, "result");
	pario_result_write(j, &r);
}

static int write_lines(struct pario_journal *journal, const struct pario_prediction *p,
		       const struct pario_result_tables *tables, struct pario_err *err)
{
	struct pario_json j = { 0 };
	const char *line = pario_text_string(&p->doubts);
	int status;

	begin_line(&j, p);
	status = pario_journal_append(journal, &j, err);
	for (int m = 0; status == 0 && m < PARIO_MODELS; m++) {
		if (!has_model(p, m))
			continue;
		result_line(&j, p, m, tables);
		status = pario_journal_append(journal, &j, err);
	}
	while (status == 0 && *line) {
		size_t length = strcspn(line, "\n");
		char note[1024];

		snprintf(note, sizeof(note), "%.*s", (int)length, line);
		status = pario_derived_note(journal, &j, "warning", note, "", err);
		line += length + (line[length] == '\n');
	}
	if (status == 0)
		status = pario_derived_end(journal, &j, p->doubts.length > 0, models_of(p), 0, err);
	pario_json_release(&j);
	return status;
}

int pario_prediction_journal(const struct pario_prediction *p, struct pario_symbols *symbols,
			     const char *directory, struct pario_err *err)
{
	struct pario_result_tables tables = { 0 };
	struct pario_journal journal;
	int status;

	if (pario_derived_create(&journal, directory, err) < 0)
		return -1;
	estimate_rows(p, &tables);
	class_rows(p, &tables);
	site_rows(p, symbols, &tables);
	status = write_lines(&journal, p, &tables, err);
	if (pario_journal_close(&journal, status < 0 ? NULL : err) < 0)
		status = -1;
	pario_result_tables_release(&tables);
	return status;
}
