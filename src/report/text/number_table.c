/*
 * number_table: cells first, so that columns are as wide as they must be; empty columns are left out.
 */
#include "report/text/number_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "report/text/disturbed.h"
#include "report/text/quantity.h"
#include "report/text/repetitions.h"
#include "report/text/result_lines.h"

enum column {
	WHAT,
	WITH,
	CLIENTS,
	MEDIAN,
	INTERVAL,
	MAXIMUM,
	MINIMUM,
	MEAN,
	DEVIATION,
	REPETITIONS,
	REMARK,
	COLUMNS
};

static const char *const heads[COLUMNS] = { "what",	"with",	       "clients", "median",
					    "interval", "max",	       "min",	  "mean",
					    "std dev",	"repetitions", "" };

/* What a narrow terminal does without, in this order; all but the last, when nobody asked for them. */
static const enum column spare[] = { MEAN, MINIMUM, DEVIATION, MAXIMUM, INTERVAL };

/* Why a line is suspect, failed or skipped. */
struct doubt {
	enum pario_outcome outcome;
	size_t count, all;
	char reason[sizeof(((struct pario_result *)NULL)->reason)];
};

struct pario_number_row {
	struct pario_text cell[COLUMNS];
	struct doubt doubt;
};

static unsigned letters(const char *text)
{
	unsigned count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) != 0x80;
	return count;
}

/* ---- cells ---- */

static void take_numbers(struct pario_number_row *row, const struct pario_summary *s,
			 const char *unit)
{
	const double values[] = { s->maximum, s->minimum, s->mean, s->deviation };
	char text[PARIO_QUANTITY_CAPACITY];

	pario_text_add(&row->cell[MEDIAN], "%s", pario_quantity_text(text, s->median, unit));
	if (s->count < 2)
		return;
	pario_text_add(&row->cell[INTERVAL], "%s",
		       pario_quantity_range(text, s->median, s->low, s->high, unit));
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		pario_text_add(&row->cell[MAXIMUM + i], "%s",
			       pario_quantity_like(text, s->median, values[i], unit));
}

/* The worst outcome with its first reason. */
static struct doubt doubt_of(const struct pario_result *results, size_t count)
{
	static const enum pario_outcome worst[] = { PARIO_FAIL, PARIO_SUSPECT, PARIO_SKIP };
	struct doubt d = { .outcome = PARIO_PASS, .all = count };

	for (size_t k = 0; k < sizeof(worst) / sizeof(*worst) && !d.count; k++) {
		for (size_t i = 0; i < count; i++) {
			if (results[i].outcome != worst[k] || d.count++)
				continue;
			d.outcome = worst[k];
			snprintf(d.reason, sizeof(d.reason), "%s", results[i].reason);
		}
	}
	return d;
}

void pario_number_table_take(struct pario_number_table *table, const struct pario_result *results,
			     size_t count)
{
	struct pario_summary s = pario_summary_of(results, count);
	struct pario_number_row *row;

	if (!pario_grow(table->rows, table->count, table->capacity))
		return;
	row = &table->rows[table->count++];
	*row = (struct pario_number_row){ .doubt = doubt_of(results, count) };
	pario_text_clean(&row->cell[WHAT], results[0].phase);
	if (results[0].headline[0]) {
		pario_text_add(&row->cell[WHAT], " ");
		pario_text_clean(&row->cell[WHAT], results[0].headline);
	}
	pario_text_clean(&row->cell[WITH], results[0].point);
	pario_text_add(&row->cell[CLIENTS], "%llu", (unsigned long long)results[0].clients);
	if (s.count)
		take_numbers(row, &s, pario_quantity_unit(&results[0]));
	else
		pario_text_add(&row->cell[MEDIAN], "%s", pario_outcome_name(results[0].outcome));
	pario_text_add(&row->cell[REPETITIONS], "%zu", s.count);
	if (s.count < s.all && s.count)
		pario_text_add(&row->cell[REPETITIONS], " of %zu", s.all);
	if (row->doubt.outcome == PARIO_SUSPECT || (s.count && s.failed))
		pario_text_add(&row->cell[REMARK], "◀ %s", pario_outcome_name(row->doubt.outcome));
	else
		pario_disturbed_mark(&row->cell[REMARK], pario_disturbed_others(results, count));
}

/* ---- the table ---- */

static void add_cell(struct pario_text *out, const char *text, size_t column, unsigned width)
{
	bool left = column <= WITH || column == REMARK;
	unsigned blanks = width - letters(text);

	if (column == REMARK && !*text)
		return;
	pario_text_add(out, "%s%*s%s", column == WHAT ? " " : "  ", left ? 0 : (int)blanks, "",
		       text);
	if (column != REMARK)
		pario_text_add(out, "%*s", left ? (int)blanks : 0, "");
}

/* Width of each column, 0 = it is left out. */
static void measure(const struct pario_number_table *table, unsigned columns, bool verbose,
		    unsigned width[COLUMNS])
{
	unsigned all = 0;

	for (size_t c = 0; c < COLUMNS; c++) {
		width[c] = 0;
		for (size_t i = 0; i < table->count; i++) {
			unsigned w = letters(pario_text_string(&table->rows[i].cell[c]));

			width[c] = w > width[c] ? w : width[c];
		}
		if (width[c] && letters(heads[c]) > width[c])
			width[c] = letters(heads[c]);
		all += width[c] ? width[c] + 2 : 0;
	}
	for (size_t i = 0; i < sizeof(spare) / sizeof(*spare); i++) {
		if (all <= columns && (verbose || spare[i] == INTERVAL))
			break;
		all -= width[spare[i]] ? width[spare[i]] + 2 : 0;
		width[spare[i]] = 0;
	}
}

/* Which line it is about, in words. */
static void add_name(struct pario_text *out, const struct pario_number_row *row)
{
	for (size_t c = WHAT; c <= WITH; c++) {
		if (row->cell[c].length)
			pario_text_add(out, "%s, ", pario_text_string(&row->cell[c]));
	}
	pario_text_count(out, strtoull(pario_text_string(&row->cell[CLIENTS]), NULL, 10), "client");
}

/* A reason that several lines have is given once. */
static void add_doubt(struct pario_text *out, const struct pario_style *style,
		      const struct pario_number_table *table, size_t from)
{
	const struct doubt *d = &table->rows[from].doubt;
	size_t alike = 0;

	if (d->outcome == PARIO_PASS)
		return;
	for (size_t i = 0; i < table->count; i++) {
		if (table->rows[i].doubt.outcome != d->outcome ||
		    !pario_reasons_alike(table->rows[i].doubt.reason, d->reason))
			continue;
		if (i < from)
			return;
		alike++;
	}
	pario_text_add(out, " ");
	add_name(out, &table->rows[from]);
	if (alike > 1) {
		pario_text_add(out, ", and ");
		pario_text_count(out, alike - 1, "other line");
	}
	pario_text_add(out, ": %s%s", pario_style_tone(style, PARIO_TONE_LOOK),
		       pario_outcome_name(d->outcome));
	if (d->count < d->all)
		pario_text_add(out, ", %zu of %zu", d->count, d->all);
	pario_text_add(out, ": ");
	pario_text_clean(out, d->reason);
	pario_text_add(out, "%s\n", pario_style_tone(style, PARIO_TONE_PLAIN));
}

void pario_number_table_add(struct pario_text *out, const struct pario_style *style,
			    const struct pario_number_table *table, bool verbose)
{
	unsigned width[COLUMNS];

	measure(table, pario_style_width(style), verbose, width);
	pario_text_add(out, "%s", pario_style_tone(style, PARIO_TONE_STRONG));
	for (size_t c = 0; c < COLUMNS; c++) {
		if (width[c])
			add_cell(out, heads[c], c, width[c]);
	}
	pario_text_add(out, "%s\n", pario_style_tone(style, PARIO_TONE_PLAIN));
	for (size_t i = 0; i < table->count; i++) {
		for (size_t c = 0; c < COLUMNS; c++) {
			if (width[c])
				add_cell(out, pario_text_string(&table->rows[i].cell[c]), c,
					 width[c]);
		}
		pario_text_add(out, "\n");
	}
	for (size_t i = 0; i < table->count; i++)
		add_doubt(out, style, table, i);
}

void pario_number_table_release(struct pario_number_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		for (size_t c = 0; c < COLUMNS; c++)
			pario_text_release(&table->rows[i].cell[c]);
	}
	free(table->rows);
	*table = (struct pario_number_table){ 0 };
}
