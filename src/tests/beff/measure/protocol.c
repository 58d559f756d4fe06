/*
 * protocol: writes the measurements as table rows and the figures as metrics.
 */
#include "tests/beff/measure/protocol.h"

#include <math.h>
#include <string.h>

#include "tests/beff/model/omitted.h"
#include "tests/beff/model/order.h"
#include "tests/beff/model/placement.h"

/* Orders of more processes than this are not written out; the seed gives them again. */
enum { ORDER_SHOWN = 256 };

#define ROW(table, columns, ...) \
	pario_run_row(run, table, columns, (const struct pario_datum[]){ __VA_ARGS__ })

static void item(struct pario_run *run, const char *name, struct pario_datum value)
{
	ROW("head", "item value", PARIO_TEXT(name), value);
}

static void keep_head(struct pario_run *run, const struct pario_network *network,
		      const struct pario_beff_schedule *schedule,
		      const struct pario_beff_context *context, uint64_t seed, bool complete)
{
	struct pario_text text = { 0 };

	item(run, "release", PARIO_TEXT(schedule->release == PARIO_BEFF_3_6 ? "3.6" : "paper"));
	item(run, "mark", PARIO_TEXT(schedule->scale->mark));
	pario_run_metric(run, "official", "", !*schedule->scale->mark);
	item(run, "complete", PARIO_NUMBER(complete));
	item(run, "repetitions", PARIO_NUMBER(schedule->scale->repetitions));
	item(run, "randoms", PARIO_NUMBER(schedule->scale->randoms));
	item(run, "order_seed", PARIO_NUMBER(seed));
	item(run, "memory_bytes", PARIO_NUMBER(context->memory_bytes));
	item(run, "rmax", PARIO_NUMBER(context->rmax));
	item(run, "elapsed_s", PARIO_NUMBER(schedule->spent_s));
	pario_beff_placement(network->nodes, network->n, &text);
	item(run, "placement", PARIO_TEXT(pario_text_string(&text)));
	pario_text_clear(&text);
	pario_beff_schedule_cautions(schedule, &text);
	for (char *rest = text.data, *line; rest && (line = pario_text_word(&rest, "\n"));)
		item(run, "caution", PARIO_TEXT(line));
	pario_text_release(&text);
}

static void keep_record(struct pario_run *run, const struct pario_beff_table *table,
			unsigned repetition, unsigned length, unsigned pattern, unsigned method)
{
	const struct pario_beff_record *r =
		pario_beff_at(table, pattern, length, method, repetition);
	char mark[2] = { r->mark == ' ' ? '\0' : r->mark };

	if (isnan(r->bandwidth))
		return;
	ROW("measurements",
	    "repetition length pattern method loop min_ns mean_ns max_ns bandwidth mark",
	    PARIO_NUMBER(repetition), PARIO_NUMBER(length), PARIO_NUMBER(pattern),
	    PARIO_NUMBER(method), PARIO_NUMBER(r->loop), PARIO_NUMBER(r->min_ns),
	    PARIO_NUMBER(r->mean_ns), PARIO_NUMBER(r->max_ns), PARIO_NUMBER(r->bandwidth),
	    PARIO_TEXT(mark));
}

/* The processes of a random pattern in the order of its ring, drawn once more. */
static void spell_order(struct pario_beff_draw *draw, const struct pario_beff_pattern *pattern,
			struct pario_text *out)
{
	unsigned order[ORDER_SHOWN];

	pario_text_clear(out);
	if (pattern->kind != PARIO_BEFF_RANDOM || pattern->n > ORDER_SHOWN)
		return;
	pario_beff_order_random(draw, pattern->n, order);
	for (unsigned i = 0; i < pattern->n; i++)
		pario_text_add(out, "%s%u", i ? " " : "", order[i]);
}

static void keep_patterns(struct pario_run *run, const struct pario_beff_schedule *schedule,
			  uint64_t seed)
{
	struct pario_text text = { 0 };
	struct pario_beff_draw draw;

	pario_beff_draw_seed(&draw, seed);
	for (unsigned p = 0; p < schedule->table.patterns; p++) {
		const struct pario_beff_pattern *pattern = &schedule->patterns[p];

		spell_order(&draw, pattern, &text);
		ROW("patterns", "pattern name group processes messages order", PARIO_NUMBER(p),
		    PARIO_TEXT(pattern->name), PARIO_TEXT(pario_beff_group(pattern)),
		    PARIO_NUMBER(pattern->used), PARIO_NUMBER(pattern->messages),
		    PARIO_TEXT(pario_text_string(&text)));
	}
	pario_text_release(&text);
}

static void keep_tables(struct pario_run *run, const struct pario_beff_schedule *schedule)
{
	const struct pario_beff_table *t = &schedule->table;

	for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++)
		ROW("lengths", "length bytes", PARIO_NUMBER(i), PARIO_NUMBER(schedule->lengths[i]));
	for (unsigned r = 0; r < t->repetitions; r++)
		for (unsigned i = 0; i < PARIO_BEFF_LENGTHS; i++)
			for (unsigned k = 0; k < t->patterns * PARIO_BEFF_METHODS; k++)
				keep_record(run, t, r, i, k / PARIO_BEFF_METHODS,
					    k % PARIO_BEFF_METHODS);
}

/* A number from less than the whole, or from loops of one iteration, is not b_eff as it is defined. */
static void doubt(struct pario_run *run, const struct pario_beff_schedule *schedule,
		  const char *beginning)
{
	struct pario_text text = { 0 };
	struct pario_beff_omitted omitted;

	pario_beff_omitted(&schedule->table, schedule->patterns, &omitted);
	if (omitted.made < omitted.planned || *beginning) {
		pario_text_add(
			&text,
			"%s%llu of %llu measurements were made in %.3g s (budget %g s); left "
			"out: ",
			beginning, (unsigned long long)omitted.made,
			(unsigned long long)omitted.planned, schedule->spent_s, schedule->budget_s);
		pario_beff_omitted_list(&omitted, schedule->lengths, &text);
	}
	if (schedule->hurried)
		pario_text_add(&text,
			       "%sloops were cut to one iteration and say more about "
			       "waiting than about messages",
			       text.length ? "; " : "");
	if (text.length)
		pario_run_suspect(run, "%s", pario_text_string(&text));
	pario_text_release(&text);
}

void pario_protocol_keep(struct pario_run *run, const struct pario_network *network,
			 const struct pario_beff_schedule *schedule,
			 const struct pario_beff_context *context, uint64_t seed, bool complete)
{
	struct pario_beff_number numbers[PARIO_BEFF_METRIC_COUNT];
	struct pario_beff_figures figures;

	keep_head(run, network, schedule, context, seed, complete);
	keep_patterns(run, schedule, seed);
	keep_tables(run, schedule);
	if (!complete || !pario_beff_average(&schedule->table, schedule->patterns, &figures)) {
		doubt(run, schedule, "incomplete: there is no b_eff; ");
		return;
	}
	doubt(run, schedule, "");
	pario_beff_publish(context, &figures, numbers);
	for (unsigned i = 0; i < PARIO_BEFF_METRIC_COUNT; i++)
		if (isfinite(numbers[i].value))
			pario_run_metric(run, numbers[i].name, numbers[i].unit, numbers[i].value);
}
