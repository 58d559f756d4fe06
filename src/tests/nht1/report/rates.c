/*
 * rates: the quantities of NHT-1 with the evidence it asks for (docs/nht1.md). Rates in bytes per second,
 * as the report defines them, and results that do not conform are called so.
 */
#include "tests/nht1/report/rates.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "journal/table.h"
#include "tests/nht1/model/formulae.h"
#include "tests/nht1/report/conformity.h"

/* The phase of a result of one of the tests, which has a number; NULL for others. */
static const char *phase_of(const json_t *result)
{
	const char *outcome = pario_history_text(result, "outcome");
	bool one = strncmp(pario_history_text(result, "test"), "nht1", 4) == 0;

	return one && strcmp(outcome, "skip") != 0 && strcmp(outcome, "fail") != 0
		       ? pario_history_text(result, "phase")
		       : "";
}

static double number(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

static void add_head(struct pario_text *out, const char *title, const json_t *result)
{
	double clients = number(result, "clients");

	pario_text_add(out, "%sNHT-1 %s, %.0f client%s, repetition %.0f", out->length ? "\n" : "",
		       title, clients, clients == 1 ? "" : "s", number(result, "repetition") + 1);
	if (*pario_history_text(result, "point")) {
		pario_text_add(out, ", ");
		pario_text_clean(out, pario_history_text(result, "point"));
	}
	pario_text_add(out, "\n");
}

/* A journal may come from anywhere. */
static const char *size_of(char *buf, double bytes)
{
	return bytes >= 0 && bytes < 1e18 ? pario_units_size(buf, (uint64_t)bytes) : "?";
}

static void add_amount(struct pario_text *out, const json_t *result, double bytes)
{
	double memory = pario_history_metric(result, "S_MEM");
	double allowed = pario_history_metric(result, "memory_allowed");
	double nodes = pario_history_metric(result, "nodes");
	double left_out = pario_history_metric(result, "nodes_left_out");
	char all[PARIO_UNITS_CAPACITY], moved[PARIO_UNITS_CAPACITY];

	if (isnan(memory) || memory <= 0)
		return;
	pario_text_add(out, "  S_MEM         %20.0f B     %s", memory, size_of(all, memory));
	if (nodes > 1)
		pario_text_add(out, " on %.0f nodes", nodes);
	if (left_out > 0)
		pario_text_add(out, ": NOT CONFORMING, %.0f more node%s had no client", left_out,
			       left_out == 1 ? "" : "s");
	pario_text_add(out, "\n");
	if (allowed < memory)
		pario_text_add(out, "  allowed       %20.0f B     %s by a container or cgroup\n",
			       allowed, size_of(moved, allowed));
	pario_text_add(out, "  moved         %20.0f B     %s, %.2f %% of S_MEM%s\n", bytes,
		       size_of(moved, bytes), 100 * bytes / memory,
		       bytes < PARIO_NHT1_SHARE * memory ? ": NOT CONFORMING, less than 80 %" : "");
}

/* The way that the calibration chose, when the phase says it. */
static void add_way(struct pario_text *out, const json_t *result)
{
	char request[PARIO_UNITS_CAPACITY];
	struct pario_result_table_view way;
	struct pario_err unused;

	if (pario_result_table_find(result, "way", &way, &unused) == 0 && way.row_count > 0) {
		pario_text_add(out, "     ");
		pario_text_clean(
			out, pario_result_table_text(
				     &way, 0, pario_result_table_column(&way, "method", &unused)));
		pario_text_add(out, "%s, requests of %s, %.0f under way per client",
			       pario_history_metric(result, "direct") > 0 ? ", direct" : ", cached",
			       size_of(request, pario_history_metric(result, "request_bytes")),
			       pario_history_metric(result, "queue_depth"));
	}
	pario_text_add(out, "\n");
}

static void add_quantity(struct pario_text *out, const json_t *result, const char *name,
			 const char *unit)
{
	pario_text_add(out, "  %-14s%20.*f %s", name, strcmp(unit, "s") == 0 ? 6 : 2,
		       pario_history_metric(result, name), unit);
}

static void add_peak(struct pario_text *out, const struct pario_history *history,
		     const json_t *write, const json_t *read)
{
	const json_t *cache = json_object_get(read, "cache");

	add_head(out, "peak disk", read);
	add_amount(out, read, number(read, "bytes"));
	add_quantity(out, write, "T_PWRITE", "s");
	add_way(out, write);
	add_quantity(out, read, "T_PREAD", "s");
	add_way(out, read);
	add_quantity(out, read, "R_PEAK", "B/s");
	pario_text_add(out, "\n  before the read %.0f of %.0f pages were cached",
		       number(cache, "pages_resident"), number(cache, "pages_total"));
	if (*pario_history_text(cache, "method"))
		pario_text_add(out, " (%s)", pario_history_text(cache, "method"));
	pario_text_add(out, "; %.0f bytes verified\n",
		       pario_history_metric(read, "verified_bytes"));
	pario_nht1_conformity_peak(out, history, write, read);
}

static void add_evidence(struct pario_text *out, const json_t *result)
{
	struct pario_result_table_view evidence;
	struct pario_err unused;
	int what, value;

	if (pario_result_table_find(result, "evidence", &evidence, &unused) < 0)
		return;
	what = pario_result_table_column(&evidence, "what", &unused);
	value = pario_result_table_column(&evidence, "value", &unused);
	for (size_t i = 0; i < evidence.row_count; i++) {
		pario_text_add(out, "  ");
		pario_text_clean(out, pario_result_table_text(&evidence, i, what));
		pario_text_add(out, ": ");
		pario_text_clean(out, pario_result_table_text(&evidence, i, value));
		pario_text_add(out, "\n");
	}
}

static void add_network(struct pario_text *out, const struct pario_history *history,
			const json_t *result)
{
	add_head(out, "network", result);
	add_amount(out, result, pario_history_metric(result, "S_FILE"));
	add_quantity(out, result, "T_TRANSFER", "s");
	pario_text_add(out, "     until the destination was on disk %.6f s\n",
		       pario_history_metric(result, "T_DURABLE"));
	add_quantity(out, result, "R_THROUGHPUT", "B/s");
	pario_text_add(out, "\n");
	add_evidence(out, result);
	pario_nht1_conformity_network(out, history, result);
}

/* The peak disk benchmark, the network benchmark, or the one after the other. */
static int write_rates(const struct pario_history *history, struct pario_text *out,
		       struct pario_err *err)
{
	const json_t *write = NULL;

	(void)err;
	for (size_t i = 0; i < history->result_count; i++) {
		const json_t *result = history->results[i];
		const char *phase = phase_of(result);

		/* A read follows the write that it belongs to. */
		if (strcmp(phase, "write") == 0)
			write = result;
		if (write && strcmp(phase, "read") == 0 &&
		    !isnan(pario_history_metric(result, "R_PEAK"))) {
			add_peak(out, history, write, result);
			write = NULL;
		}
		if (strcmp(phase, "transfer") == 0 &&
		    !isnan(pario_history_metric(result, "R_THROUGHPUT")))
			add_network(out, history, result);
	}
	return 0;
}

const struct pario_document pario_document_nht1_peak = {
	.test = "nht1_peak",
	.file = "nht1_peak.txt",
	.shown = true,
	.write = write_rates,
};

const struct pario_document pario_document_nht1_network = {
	.test = "nht1_network",
	.file = "nht1_network.txt",
	.shown = true,
	.write = write_rates,
};

const struct pario_document pario_document_nht1 = {
	.test = "nht1",
	.file = "nht1.txt",
	.shown = true,
	.write = write_rates,
};
