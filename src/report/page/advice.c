/*
 * advice: what is suspect and why, what the runs noted, and what to do next.
 */
#include "report/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "report/chart/pictures.h"
#include "report/page/markup.h"
#include "report/text/repetitions.h"
#include "report/trace/trace.h"

enum { FINDINGS = 3, REASONS_MAX = 24, NOTES_SHOWN = 8, NOTES_MAX = 200 };

/* Wider than this (half the interval over the median) is worth more repetitions. */
#define WIDE_SPREAD 0.1

/* ---- what is suspect ---- */

const char *pario_advice_lacks(struct pario_archive *archive, const struct pario_group *group,
			       const struct pario_page *page)
{
	return page->reports ? page->reports->lacks(archive, group) : NULL;
}

struct reason {
	const char *text, *word;
	const struct pario_group *first;
	size_t count;
};

static size_t collect(const struct pario_groups *groups, struct reason reasons[REASONS_MAX],
		      size_t *more)
{
	size_t count = 0;

	*more = 0;
	for (size_t i = 0; i < groups->count; i++) {
		const struct pario_group *g = &groups->group[i];
		size_t k = 0;

		if (!g->suspects && !g->failures && !g->skips)
			continue;
		while (k < count && !pario_reasons_alike(reasons[k].text, g->reason))
			k++;
		if (k == REASONS_MAX) {
			++*more;
			continue;
		}
		if (k == count)
			reasons[count++] = (struct reason){ g->reason,
							    g->failures ? "failed"
							    : g->skips	? "skipped"
									: "suspect",
							    g, 0 };
		reasons[k].count++;
	}
	return count;
}

/*
 * What passed its checks but is not what the definition asks for: how many such tests there are, said to `out` unless
 * NULL.
 */
static size_t add_lacks(struct pario_text *out, const struct pario_groups *groups,
			const struct pario_page *page)
{
	const char *last = NULL;
	size_t count = 0;

	for (size_t i = 0; i < groups->count; i++) {
		const struct pario_group *g = &groups->group[i];
		const char *lacks =
			g->numbers ? pario_advice_lacks(groups->archive, g, page) : NULL;

		if (!lacks || g->first->of->test == last)
			continue;
		last = g->first->of->test;
		count++;
		if (!out)
			continue;
		pario_text_add(out, "<li class=\"suspect\"><b>not official</b>: ");
		pario_markup_text(out, g->first->of->test);
		pario_text_add(out, ", %s</li>\n", lacks);
	}
	return count;
}

void pario_advice_suspects(struct pario_text *out, const struct pario_groups *groups,
			   const struct pario_page *page)
{
	struct reason reasons[REASONS_MAX];
	size_t more, count = collect(groups, reasons, &more), lacks = add_lacks(NULL, groups, page);

	pario_text_add(out, "<section class=\"suspects\"><h2 id=\"suspect\">What is suspect</h2>");
	if (!count && !lacks)
		pario_text_add(out, "<p>Nothing: every result passed its checks.</p>");
	else
		pario_text_add(out, "<ul>");
	for (size_t i = 0; i < count; i++) {
		pario_text_add(out, "<li class=\"%s\"><b>%s</b>, %zu number%s: ", reasons[i].word,
			       reasons[i].word, reasons[i].count, reasons[i].count == 1 ? "" : "s");
		pario_markup_text(out, reasons[i].text);
		pario_text_add(out, " <span class=\"hint\">(%s",
			       reasons[i].count > 1 ? "as in " : "");
		pario_markup_text(out, reasons[i].first->first->of->test);
		pario_text_add(out, " ");
		pario_markup_text(out, reasons[i].first->first->of->phase);
		pario_text_add(out, "%s", *reasons[i].first->first->of->point ? ", " : "");
		pario_markup_text(out, reasons[i].first->first->of->point);
		pario_text_add(out, ")</span></li>\n");
	}
	add_lacks(out, groups, page);
	if (count || lacks)
		pario_text_add(out, "</ul>");
	if (more)
		pario_text_add(out,
			       "<p class=\"hint\">%zu further numbers have other reasons; they are "
			       "marked in the tables.</p>",
			       more);
	pario_text_add(out, "</section>\n");
}

/* ---- what stands out, what to do next ---- */

/* `label` says whose note it is where there are several runs; else NULL. */
static void add_note(struct pario_text *out, const json_t *note, const char *label)
{
	const char *text = json_string_value(json_object_get(note, "text"));
	const char *next = json_string_value(json_object_get(note, "next"));
	const char *level = json_string_value(json_object_get(note, "level"));

	pario_text_add(out, "<li%s>",
		       level && strcmp(level, "warning") == 0 ? " class=\"warning\"" : "");
	if (label) {
		pario_markup_text(out, label);
		pario_text_add(out, ": ");
	}
	pario_markup_text(out, text ? text : "");
	if (next && *next) {
		pario_text_add(out, " <span class=\"next\">Next: ");
		pario_markup_text(out, next);
		pario_text_add(out, "</span>");
	}
	pario_text_add(out, "</li>\n");
}

static void add_notes(struct pario_text *out, const struct pario_archive *a)
{
	size_t shown = 0;

	for (size_t i = 0; i < a->volume_count; i++) {
		const json_t *line;
		size_t k;

		json_array_foreach(a->volume[i].lines, k, line)
		{
			const char *kind = json_string_value(json_object_get(line, "kind"));

			if (!kind || strcmp(kind, "note") != 0 || shown >= NOTES_MAX ||
			    json_object_get(line, "table") || json_object_get(line, "finding") ||
			    json_object_get(line, "survey"))
				continue;
			if (shown == 0)
				pario_text_add(out, "<h3>What the runs noted</h3><ul>");
			if (shown == NOTES_SHOWN)
				pario_text_add(out,
					       "</ul><details><summary>More notes</summary><ul>");
			add_note(out, line, a->volume_count > 1 ? a->volume[i].label : NULL);
			shown++;
		}
	}
	if (shown)
		pario_text_add(out, "</ul>%s", shown > NOTES_SHOWN ? "</details>" : "");
}

/* What helps against a reason, known by its words. */
static const struct {
	const char *words, *remedy;
} remedies[] = {
	{ "too short", "Too short to be trusted: move more with larger sizes or counts, so that a "
		       "phase takes seconds." },
	{ "not conforming to NHT-1",
	  "NHT-1 asks for 80 % of the memory of all nodes: <code>--fraction 0.8</code>, with a "
	  "client on each." },
	{ "cached", "Cached data hide the storage: as root with <code>--drop_caches 1</code>, with "
		    "<code>--direct 1</code>, or with more data than memory." },
	{ "keeps its data in memory", "This file system lives in memory: measure in a directory on "
				      "storage with <code>--dir</code>." },
};

/* NULL = none is known by its words. */
static const char *remedy_of(const char *reason)
{
	for (size_t k = 0; k < sizeof(remedies) / sizeof(remedies[0]); k++) {
		if (strstr(reason, remedies[k].words))
			return remedies[k].remedy;
	}
	return NULL;
}

static int by_count(const void *a, const void *b)
{
	const struct reason *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

void pario_advice_findings(struct pario_text *out, const struct pario_groups *groups,
			   const struct pario_page *page)
{
	struct reason reasons[REASONS_MAX];
	size_t more, count = collect(groups, reasons, &more);

	(void)page;
	if (!count)
		return;
	qsort(reasons, count, sizeof(*reasons), by_count);
	pario_text_add(out, "<ol class=\"findings\">\n");
	for (size_t i = 0; i < count && i < FINDINGS; i++) {
		const char *remedy = remedy_of(reasons[i].text);

		pario_text_add(out, "<li class=\"%s\"><b>%s</b>, ", reasons[i].word,
			       reasons[i].word);
		pario_text_count(out, reasons[i].count, "number");
		pario_text_add(out, ": ");
		pario_markup_text(out, reasons[i].text);
		/* Before the colon stands why, which the reason has said. */
		if (remedy)
			pario_text_add(out, "<br><b>Try:</b>%s", strchr(remedy, ':') + 1);
		pario_text_add(out, "</li>\n");
	}
	pario_text_add(out, "</ol>\n");
}

static void add_remedies(struct pario_text *out, const struct pario_groups *groups)
{
	for (size_t k = 0; k < sizeof(remedies) / sizeof(remedies[0]); k++) {
		for (size_t i = 0; i < groups->count; i++) {
			if (groups->group[i].suspects &&
			    strstr(groups->group[i].reason, remedies[k].words)) {
				pario_text_add(out, "<li>%s</li>", remedies[k].remedy);
				break;
			}
		}
	}
}

static void add_advice(struct pario_text *out, const struct pario_groups *groups,
		       const struct pario_page *page)
{
	const struct pario_archive *a = groups->archive;
	size_t few = 0, wide = 0, numbers = 0, told = 0, cut = 0;

	for (size_t i = 0; i < groups->count; i++) {
		const struct pario_group *g = &groups->group[i];

		if (pario_trace_is(g->first->of->test))
			continue;
		numbers += g->numbers > 0;
		told += g->numbers > 1;
		/* A definition that says how often it is measured is followed, not improved. */
		few += g->numbers > 0 && g->numbers < 5 &&
		       !(page->repeats && page->repeats(g->first->of->test));
		wide += g->numbers > 1 && g->median > 0 &&
			(g->high - g->low) / 2 > WIDE_SPREAD * g->median;
	}
	for (size_t i = 0; i < a->volume_count; i++)
		cut += !a->volume[i].end;
	pario_text_add(out, "<ul>");
	add_remedies(out, groups);
	if (few)
		pario_text_add(
			out,
			"<li>%zu of %zu numbers rest on fewer than five repetitions: "
			"<code>--repetitions 5</code> gives an interval that holds 94 %%.</li>",
			few, numbers);
	if (wide)
		pario_text_add(out,
			       "<li>The intervals of %zu of %zu numbers are wider than a fifth of "
			       "their median: <code>pario doctor</code> looks for what disturbs "
			       "this machine; longer phases and <code>--until 5%%</code> narrow "
			       "them.</li>",
			       wide, numbers);
	if (cut)
		pario_text_add(out,
			       "<li>%zu run%s cut short: its journal has no end line. A survey "
			       "goes on with <code>pario survey --resume</code>.</li>",
			       cut, cut == 1 ? " was" : "s were");
	if (a->volume_count == 2)
		pario_text_add(out,
			       "<li>Is one of the two faster? <code>pario compare</code> tells a "
			       "difference from noise.</li>");
	if (!numbers && !cut)
		pario_text_add(
			out,
			"<li>The tables below say where the time goes, by place in the source. "
			"After a change, trace again and lay both pages side by "
			"side.</li>");
	if (!few && !wide && !cut && numbers)
		pario_text_add(
			out,
			"<li>%s After a change, measure again and use "
			"<code>pario compare</code>.</li>",
			told ? "The numbers are steady."
			     : "Each number is one value, as its definition asks: its spread "
			       "is not known.");
	pario_text_add(out, "</ul>");
}

void pario_advice_next(struct pario_text *out, const struct pario_groups *groups,
		       const struct pario_page *page)
{
	pario_text_add(out, "<section><h2 id=\"next\">What to do next</h2>");
	add_advice(out, groups, page);
	add_notes(out, groups->archive);
	pario_text_add(out, "</section>");
}
