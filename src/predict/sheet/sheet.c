/*
 * sheet: rows, names, and the text. Where rows come from is sheet_gather.c (traces) and sheet_journal.c (journals).
 */
#include "predict/sheet/sheet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/units.h"

static const double MOSTLY = 0.9; /* of the bytes */

struct pario_sheet_row *pario_sheet_add(struct pario_sheet *s)
{
	if (!pario_grow(s->rows, s->row_count, s->row_capacity))
		return NULL;
	memset(&s->rows[s->row_count], 0, sizeof(*s->rows));
	return &s->rows[s->row_count++];
}

void pario_sheet_release(struct pario_sheet *s)
{
	free(s->rows);
	pario_text_release(&s->lacks);
	memset(s, 0, sizeof(*s));
}

const char *pario_sheet_phase_name(const struct pario_sheet_phase *phase)
{
	double read = (double)phase->bytes[0], written = (double)phase->bytes[1];

	if (!(read + written > 0))
		return "names";
	return read >= MOSTLY * (read + written)      ? "read"
	       : written >= MOSTLY * (read + written) ? "write"
						      : "read and write";
}

/* "hit (inferred)", "direct", "not told apart", "-" */
static const char *sheet_path_name(const struct pario_sheet_row *row)
{
	static const char *const inferred[PARIO_SYSTEM_PATHS] = {
		[PARIO_SYSTEM_HIT] = "hit (inferred)",
		[PARIO_SYSTEM_MISS] = "miss (inferred)",
		[PARIO_SYSTEM_ABSORBED] = "absorbed (inferred)",
		[PARIO_SYSTEM_THROTTLED] = "throttled (inferred)",
	};

	if (row->inferred && inferred[row->key.path])
		return inferred[row->key.path];
	if (row->key.path != PARIO_SYSTEM_ANY)
		return pario_system_path_names[row->key.path];
	return row->key.op <= PARIO_SYSTEM_WRITE ? "not told apart" : "-";
}

/* ---- text ---- */

static void show_phases(const struct pario_sheet *s, unsigned rows, struct pario_text *text)
{
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY], c[PARIO_UNITS_CAPACITY];

	pario_text_add(text, "\nphases\n  %5s %-14s %10s %10s %10s %10s %10s %10s\n", "phase",
		       "does", "from", "to", "calls", "read", "written", "time");
	for (uint32_t i = 0; i < s->phase_count && i < rows; i++) {
		const struct pario_sheet_phase *p = &s->phases[i];

		pario_text_add(text, "  %5u %-14s %10s %10s %10llu", i + 1,
			       pario_sheet_phase_name(p), pario_units_time(a, p->from),
			       pario_units_time(b, p->to), (unsigned long long)p->calls);
		pario_text_add(text, " %10s %10s %10s\n", pario_units_size(a, p->bytes[0]),
			       pario_units_size(b, p->bytes[1]), pario_units_time(c, p->seconds));
	}
	if (s->phase_count > rows)
		pario_text_add(text, "  and %u more\n", s->phase_count - rows);
}

static int by_time(const void *a, const void *b)
{
	const struct pario_sheet_row *x = *(const struct pario_sheet_row *const *)a;
	const struct pario_sheet_row *y = *(const struct pario_sheet_row *const *)b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return x < y ? -1 : x > y;
}

static void show_row(const struct pario_sheet_row *r, struct pario_text *text)
{
	bool data = r->key.op <= PARIO_SYSTEM_WRITE;
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];
	char size[PARIO_UNITS_CAPACITY + 4] = "-", far[PARIO_UNITS_CAPACITY] = "-";

	if (data)
		snprintf(size, sizeof(size), "<= %s",
			 pario_units_size(a, pario_trace_power_bytes(r->power)));
	if (r->key.distance_bytes)
		pario_units_size(far,
				 pario_trace_power_bytes(pario_trace_power(r->key.distance_bytes)));
	pario_text_add(text, "  %5u %-8s %-11s %-10s %-9s %-6s %7llu  %-20s", r->phase + 1,
		       pario_system_op_names[r->key.op], size,
		       data ? pario_system_locality_names[r->key.locality] : "-", far,
		       r->key.shared ? "shared" : "own",
		       (unsigned long long)pario_trace_power_bytes(r->concurrency),
		       sheet_path_name(r));
	pario_text_add(text, " %10llu %10s %10s %9s\n", (unsigned long long)r->calls,
		       pario_units_size(a, r->bytes), pario_units_time(b, r->seconds),
		       pario_units_time(far, r->seconds / (double)r->calls));
}

static void show_rows(const struct pario_sheet *s, unsigned rows, struct pario_text *text)
{
	const struct pario_sheet_row **order = calloc(s->row_count + 1, sizeof(*order));

	if (!order)
		return;
	for (size_t i = 0; i < s->row_count; i++)
		order[i] = &s->rows[i];
	qsort(order, s->row_count, sizeof(*order), by_time);
	pario_text_add(
		text,
		"\nclasses of calls on storage; paths are inferred from times, a trace does not hold them\n"
		"  %5s %-8s %-11s %-10s %-9s %-6s %7s  %-20s %10s %10s %10s %9s\n",
		"phase", "call", "size", "locality", "distance", "file", "clients", "path", "calls",
		"bytes", "time", "mean");
	for (size_t i = 0; i < s->row_count && i < rows; i++)
		show_row(order[i], text);
	if (s->row_count > rows)
		pario_text_add(text, "  and %zu more\n", s->row_count - rows);
	free(order);
}

void pario_sheet_show(const struct pario_sheet *s, unsigned rows, struct pario_text *text)
{
	if (!s->row_count) {
		pario_text_add(text, "\nThere are no calls on storage to be classed.\n");
		return;
	}
	show_phases(s, rows, text);
	show_rows(s, rows, text);
}
