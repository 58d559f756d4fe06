/*
 * overview: a traced program on the first screen: what it was, whether its I/O is worth changing, and what stands
 * out. A rate over the whole run would say nothing about a program, so there is none.
 */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "report/page/lead.h"
#include "report/page/markup.h"
#include "report/trace/trace.h"

static double amount(const struct pario_reading *r, const char *name)
{
	return pario_reading_find(r, name).value;
}

static void add_seconds(struct pario_text *out, double seconds)
{
	char buf[PARIO_UNITS_CAPACITY];

	pario_text_add(out, "%s", pario_units_time(buf, seconds));
}

/* "4 ranks, 9 processes"; journals of earlier versions know the processes only. */
static void add_who(struct pario_text *out, const struct pario_reading *r)
{
	double ranks = amount(r, "ranks");

	if (ranks > 0)
		pario_text_add(out, "%.0f rank%s, ", ranks, ranks > 1 ? "s" : "");
	pario_text_add(out, "%llu process%s", (unsigned long long)r->of->clients,
		       r->of->clients == 1 ? "" : "es");
}

static void add_program(struct pario_text *out, const struct pario_reading *r)
{
	char size[PARIO_UNITS_CAPACITY], count[PARIO_UNITS_CAPACITY];
	double in_calls = amount(r, "in_calls");
	struct pario_trace_table table;

	pario_text_add(out, "<p>");
	if (pario_trace_table(r, "program", &table)) {
		pario_text_add(out, "<code>");
		pario_markup_text(out, pario_trace_cell(&table, 0, "command"));
		pario_text_add(out, "</code><br>");
	}
	add_who(out, r);
	pario_text_add(out, " · %s calls on storage · %s moved · ",
		       pario_units_number(count, (double)r->ops), pario_units_size(size, r->bytes));
	add_seconds(out, in_calls);
	pario_text_add(out, " in these calls, over ");
	add_seconds(out, r->seconds);
	pario_text_add(out, "%s</p>\n",
		       r->outcome == PARIO_SUSPECT ? " <b class=\"doubt\">? suspect</b>" : "");
}

static void add_finding(struct pario_text *out, const struct pario_trace_table *t, size_t i)
{
	double seconds = pario_trace_number(t, i, "seconds");

	pario_text_add(out, "<li><b>");
	pario_markup_text(out, pario_trace_cell(t, i, "title"));
	pario_text_add(out, "</b>");
	if (seconds > 0) {
		pario_text_add(out, ": ");
		add_seconds(out, seconds);
		pario_text_add(out, " at stake");
	}
	pario_text_add(out, "<br>");
	pario_markup_text(out, pario_trace_cell(t, i, "says"));
	if (*pario_trace_cell(t, i, "gain")) {
		pario_text_add(out, "<br>");
		pario_markup_text(out, pario_trace_cell(t, i, "gain"));
	}
	if (*pario_trace_cell(t, i, "function") || *pario_trace_cell(t, i, "module")) {
		pario_text_add(out, "<br><span class=\"hint\">at ");
		pario_markup_text(out, pario_trace_cell(t, i, "function"));
		pario_text_add(out, "%s", *pario_trace_cell(t, i, "function") ? " " : "");
		pario_trace_where(out, t, i);
		pario_text_add(out, "</span>");
	}
	pario_text_add(out, "<br><span class=\"hint\">Try: ");
	pario_markup_text(out, pario_trace_cell(t, i, "remedy"));
	pario_text_add(out, "</span></li>\n");
}

const char *pario_trace_program(const struct pario_archive *archive)
{
	struct pario_trace_table table;

	for (size_t i = 0; i < archive->reading_count && archive->volume_count == 1; i++) {
		if (strcmp(archive->reading[i].of->test, "trace") == 0 &&
		    archive->reading[i].more->carried->line &&
		    pario_trace_table(&archive->reading[i], "program", &table))
			return pario_trace_cell(&table, 0, "command");
	}
	return "";
}

void pario_trace_verdict(struct pario_text *text, const struct pario_archive *archive)
{
	struct pario_trace_table table;

	for (size_t i = 0; i < archive->reading_count && archive->volume_count == 1; i++) {
		if (strcmp(archive->reading[i].of->test, "trace") == 0 &&
		    archive->reading[i].more->carried->line &&
		    pario_trace_table(&archive->reading[i], "verdict", &table))
			pario_text_add(text, "%s", pario_trace_cell(&table, 0, "says"));
	}
}

/* Is the I/O worth changing? Journals of earlier versions do not say. Of a program alone it stands above all. */
static bool add_verdict(struct pario_text *out, const struct pario_reading *r, bool alone)
{
	struct pario_trace_table table;

	if (!pario_trace_table(r, "verdict", &table))
		return true;
	if (!alone) {
		pario_text_add(out, "<p>");
		pario_markup_text(out, pario_trace_cell(&table, 0, "says"));
		pario_text_add(out, "</p>\n");
	}
	return pario_trace_number(&table, 0, "worth") != 0;
}

/* Where nothing is worth changing, they are folded away. */
static void add_findings(struct pario_text *out, const struct pario_reading *r, bool worth)
{
	struct pario_trace_table table;

	if (!pario_trace_table(r, "findings", &table))
		return;
	pario_text_add(out, worth ? "<h3>What stands out</h3>"
				  : "<details><summary>What stands out, in the little that I/O "
				    "takes</summary>");
	pario_text_add(out, "<p class=\"hint\">The most time first. What is at "
			    "stake is what the calls took: the most that a change can save.</p>"
			    "<ol class=\"findings\">\n");
	for (size_t i = 0; i < table.rows; i++) {
		pario_lead_more(out, i);
		add_finding(out, &table, i);
	}
	pario_text_add(out, "</ol>%s%s\n", pario_lead_end(table.rows), worth ? "" : "</details>");
}

void pario_trace_overview(struct pario_text *out, const struct pario_archive *archive)
{
	bool several = archive->volume_count > 1;

	for (size_t i = 0; i < archive->reading_count; i++) {
		const struct pario_reading *r = &archive->reading[i];

		if (strcmp(r->of->test, "trace") != 0 || !r->more->carried->line)
			continue;
		pario_text_add(out, "<section><h2>The program%s", several ? ": " : "");
		if (several)
			pario_markup_text(out, archive->volume[r->of->volume].label);
		pario_text_add(out, "</h2>");
		add_program(out, r);
		add_findings(out, r, add_verdict(out, r, !several));
		pario_text_add(out, "</section>\n");
	}
}
