/*
 * picture: when the original and the replay were busy, one below the other, and the times of both by class of calls
 * and by call site. The tables come from the journal (docs/replay.md).
 */
#include "report/trace/trace.h"
#include "tests/report/reports.h"

static const struct pario_trace_column classes[] = {
	{ "class", "class", PARIO_TRACE_TEXT },
	{ "original", "original_s", PARIO_TRACE_SECONDS },
	{ "here", "seconds", PARIO_TRACE_SECONDS },
	{ "difference", "error_percent", PARIO_TRACE_PERCENT },
	{ "calls", "calls", PARIO_TRACE_NUMBER },
	{ "bytes", "bytes", PARIO_TRACE_BYTES },
	{ NULL, NULL, PARIO_TRACE_TEXT },
};

static const struct pario_trace_column sites[] = {
	{ "called from", "site", PARIO_TRACE_TEXT },
	{ "original", "original_s", PARIO_TRACE_SECONDS },
	{ "here", "seconds", PARIO_TRACE_SECONDS },
	{ "difference", "error_percent", PARIO_TRACE_PERCENT },
	{ "calls", "calls", PARIO_TRACE_NUMBER },
	{ NULL, NULL, PARIO_TRACE_TEXT },
};

static const struct pario_trace_column left[] = {
	{ "why", "why", PARIO_TRACE_TEXT },
	{ "calls", "calls", PARIO_TRACE_NUMBER },
	{ "original", "original_s", PARIO_TRACE_SECONDS },
	{ NULL, NULL, PARIO_TRACE_TEXT },
};

static const struct pario_trace_column unlike[] = {
	{ "thread", "thread", PARIO_TRACE_ID },
	{ "calls", "calls", PARIO_TRACE_NUMBER },
	{ "the first", "first", PARIO_TRACE_TEXT },
	{ NULL, NULL, PARIO_TRACE_TEXT },
};

void pario_picture_replay(struct pario_section *s, const struct pario_picture *p)
{
	size_t drawn = 0;

	for (const struct pario_reading *r = pario_table_chart_next(s, NULL);
	     r && drawn < PARIO_SMALL_MULTIPLES_MAX; r = pario_table_chart_next(s, r)) {
		struct pario_trace_table table;

		pario_table_chart_turn(s, &drawn, 1);
		if (pario_trace_table(r, "timeline", &table))
			pario_trace_timeline(s, r, &table, NULL, p->title, p->text);
		pario_trace_table_add(s, r, "classes", NULL, "Time by class of calls",
				      "All threads together, on storage.", classes);
		pario_trace_table_add(s, r, "sites", NULL, "Time by call site",
				      "Those with most time in the original.", sites);
		pario_trace_table_add(s, r, "left", NULL, "Not made again",
				      "Their time was spent as think time.", left);
		pario_trace_table_add(
			s, r, "unlike", NULL, "Ended otherwise than in the original",
			"Calls that failed here and not there, or the other way round.", unlike);
	}
	pario_table_chart_done(s, drawn, 1);
}
