/*
 * overview: the first screen: the best number of every phase, where it was measured, what is suspect and why, what
 * stands out and what to do next.
 */
#include "report/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/markup.h"
#include "report/trace.h"

enum { REASONS_MAX = 24, NOTES_SHOWN = 8, NOTES_MAX = 200, SPARK_POINTS = 24 };

/* Wider than this (half the interval over the median) is worth more repetitions. */
#define WIDE_SPREAD 0.1

/* ---- at a glance ---- */

/* A small line of the medians in the order of the journal. */
static void add_spark(struct pario_text *out, const double *values, const bool *suspect,
		      size_t count)
{
	double most = 0;

	for (size_t i = 0; i < count; i++)
		most = fmax(most, values[i]);
	if (count < 2 || !(most > 0))
		return;
	pario_text_add(out,
		       "<svg class=\"spark\" viewBox=\"0 0 %zu 18\" width=\"%zu\" height=\"18\" "
		       "aria-hidden=\"true\">",
		       count * 6, count * 6);
	for (size_t i = 0; i < count; i++) {
		double height = 1 + 16 * values[i] / most;

		pario_text_add(out, "<rect%s x=\"%zu\" y=\"", suspect[i] ? " class=\"doubt\"" : "",
			       i * 6);
		pario_markup_place(out, 18 - height);
		pario_text_add(out, "\" width=\"4\" height=\"");
		pario_markup_place(out, height);
		pario_text_add(out, "\"/>");
	}
	pario_text_add(out, "</svg>");
}

static bool alike(const struct pario_group *a, const struct pario_group *b)
{
	return a->first->test == b->first->test && a->first->phase == b->first->phase &&
	       a->first->volume == b->first->volume;
}

static void where_cell(struct pario_text *out, const struct pario_group *g)
{
	pario_text_add(out, "<td>%llu client%s", (unsigned long long)g->first->clients,
		       g->first->clients == 1 ? "" : "s");
	if (*g->first->point) {
		pario_text_add(out, ", ");
		pario_markup_text(out, g->first->point);
	}
	pario_text_add(out, "</td>");
}

static void rate_cell(struct pario_text *out, const struct pario_group *g)
{
	char buf[PARIO_UNITS_ROOM];

	if (!g->numbers) {
		pario_page_cell(out, "n", g->failures ? "failed" : "skipped");
		pario_page_cell(out, "n", "");
		return;
	}
	pario_text_add(out, "<td class=\"n\" data-v=\"");
	pario_markup_number(out, g->median);
	pario_text_add(out, "\"><b>%s</b>%s%s</td>",
		       g->operations ? pario_units_count(buf, g->median)
				     : pario_units_rate(buf, g->median),
		       g->operations ? " ops/s" : "",
		       g->suspects ? " <b class=\"doubt\">?</b>" : "");
	if (g->numbers > 1 && g->median > 0)
		pario_text_add(out, "<td class=\"n\">± %.0f %%</td>",
			       50 * (g->high - g->low) / g->median);
	else
		pario_page_cell(out, "n", "one value");
}

static void glance_row(struct pario_text *out, const struct pario_groups *groups, size_t from)
{
	const struct pario_group *best = &groups->group[from];
	double values[SPARK_POINTS];
	bool suspects[SPARK_POINTS];
	size_t count = 0, points = 0;
	bool suspect = false;

	for (size_t i = from; i < groups->count; i++) {
		const struct pario_group *g = &groups->group[i];

		if (!alike(g, &groups->group[from]))
			continue;
		points++;
		suspect |= g->suspects > 0 || g->failures > 0;
		if (g->numbers && count < SPARK_POINTS) {
			suspects[count] = g->suspects > 0;
			values[count++] = g->median;
		}
		if (g->numbers && (!best->numbers || g->median > best->median))
			best = g;
	}
	pario_text_add(out, suspect ? "<tr class=\"suspect\">" : "<tr>");
	if (groups->archive->volume_count > 1)
		pario_page_cell(out, NULL, groups->archive->volume[best->first->volume].label);
	pario_text_add(out, "<th scope=\"row\"><a href=\"#");
	pario_markup_text(out, best->first->test);
	pario_text_add(out, "\">");
	pario_markup_text(out, best->first->test);
	pario_text_add(out, "</a></th>");
	pario_page_cell(out, NULL, *best->first->phase ? best->first->phase : "–");
	rate_cell(out, best);
	where_cell(out, best);
	pario_text_add(out, "<td class=\"n\">%zu</td><td>", points);
	add_spark(out, values, suspects, count);
	pario_text_add(out, "</td></tr>\n");
}

static void add_glance(struct pario_text *out, const struct pario_groups *groups)
{
	pario_text_add(out,
		       "<section><h2>At a glance</h2><p class=\"hint\">The best point of every "
		       "phase: the median of its repetitions. The small bars are all its points "
		       "in the order of the run.</p><div class=\"wide\"><table class=\"glance\">"
		       "<thead><tr>%s<th scope=\"col\">test</th><th scope=\"col\">what</th>"
		       "<th scope=\"col\">best</th><th scope=\"col\">spread</th>"
		       "<th scope=\"col\">with</th><th scope=\"col\">points</th>"
		       "<th scope=\"col\">look</th></tr></thead><tbody>\n",
		       groups->archive->volume_count > 1 ? "<th scope=\"col\">run</th>" : "");
	for (size_t i = 0; i < groups->count; i++) {
		size_t k = 0;

		while (!alike(&groups->group[k], &groups->group[i]))
			k++;
		/* call classes of a traced program are no measurements: they have a table of their own */
		if (k == i && strcmp(groups->group[i].first->test, "profile") != 0)
			glance_row(out, groups, i);
	}
	pario_text_add(out, "</tbody></table></div></section>\n");
}

/* ---- where ---- */

/* Rows of the table about the machines; the path leads into the begin line. */
static const struct {
	const char *title, *path;
	enum { TEXT, COUNT, BYTES } kind;
} facts[] = {
	{ "time", "time", TEXT },
	{ "pario", "version", TEXT },
	{ "what", "test", TEXT },
	{ "host", "machine.host", TEXT },
	{ "processor", "machine.cpu", TEXT },
	{ "cores", "machine.cores", COUNT },
	{ "memory", "machine.memory_bytes", BYTES },
	{ "kernel", "machine.kernel", TEXT },
	{ "governor", "machine.governor", TEXT },
	{ "MPI", "machine.mpi.library", TEXT },
	{ "clients started", "machine.mpi.clients", COUNT },
	{ "nodes", "machine.mpi.nodes", COUNT },
	{ "file system", "machine.filesystem.type", TEXT },
	{ "mounted at", "machine.filesystem.mount", TEXT },
	{ "device", "machine.filesystem.device", TEXT },
	{ "about it", "machine.filesystem.detail", TEXT },
	{ "mount options", "machine.filesystem.options", TEXT },
	{ "free space", "machine.filesystem.free_bytes", BYTES },
};

static void fact_of(const struct pario_volume *v, size_t row, struct pario_text *out)
{
	const json_t *at = v->begin;
	char path[64], buf[PARIO_UNITS_ROOM], *save = NULL;
	double number;

	snprintf(path, sizeof(path), "%s", facts[row].path);
	for (char *word = strtok_r(path, ".", &save); word; word = strtok_r(NULL, ".", &save))
		at = json_object_get(at, word);
	if (json_is_string(at)) {
		pario_text_add(out, "%s", json_string_value(at));
		return;
	}
	number = json_number_value(at);
	if (json_is_number(at) && number >= 0 && number < 0x1p62)
		pario_text_add(out, "%s",
			       facts[row].kind == BYTES ? pario_units_size(buf, (uint64_t)number)
							: pario_units_number(buf, number));
}

static void add_fact(struct pario_text *out, const struct pario_archive *a, size_t row)
{
	struct pario_text first = { 0 }, text = { 0 }, cells = { 0 };
	bool any = false, differs = false;

	fact_of(&a->volume[0], row, &first);
	for (size_t i = 0; i < a->volume_count; i++) {
		pario_text_clear(&text);
		fact_of(&a->volume[i], row, &text);
		any |= text.length > 0;
		differs |= strcmp(pario_text_string(&text), pario_text_string(&first)) != 0;
		pario_page_cell(&cells, NULL, text.length ? pario_text_string(&text) : "–");
	}
	if (any)
		pario_text_add(out, "<tr%s><th scope=\"row\">%s</th>%s</tr>\n",
			       differs ? " class=\"differs\"" : "", facts[row].title,
			       pario_text_string(&cells));
	pario_text_release(&first);
	pario_text_release(&text);
	pario_text_release(&cells);
}

static void add_end(struct pario_text *out, const struct pario_archive *a)
{
	char buf[PARIO_UNITS_ROOM];

	pario_text_add(out, "<tr><th scope=\"row\">ended</th>");
	for (size_t i = 0; i < a->volume_count; i++) {
		const json_t *end = a->volume[i].end;
		const char *outcome = json_string_value(json_object_get(end, "outcome"));

		pario_text_add(out, "<td>");
		pario_markup_text(out, outcome ? outcome : "cut short: there is no end line");
		if (outcome)
			pario_text_add(out, " after %s",
				       pario_units_time(buf, json_number_value(json_object_get(
								     end, "seconds"))));
		pario_text_add(out, "</td>");
	}
	pario_text_add(out, "</tr>\n");
}

void pario_overview_where(struct pario_text *out, const struct pario_archive *a)
{
	pario_text_add(out, "<section><h2>Where it was measured</h2><div class=\"wide\">"
			    "<table class=\"facts\">");
	if (a->volume_count > 1) {
		pario_text_add(out, "<thead><tr><td></td>");
		for (size_t i = 0; i < a->volume_count; i++) {
			pario_text_add(out, "<th scope=\"col\">");
			pario_markup_text(out, a->volume[i].label);
			pario_text_add(out, "</th>");
		}
		pario_text_add(out, "</tr></thead>");
	}
	pario_text_add(out, "<tbody>\n");
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		add_fact(out, a, i);
	add_end(out, a);
	pario_text_add(out, "</tbody></table></div></section>\n");
}

/* ---- what is suspect ---- */

struct reason {
	const char *text, *word;
	const struct pario_group *first;
	size_t count;
};

/* Two reasons are one when they differ in their numbers only. */
static bool same_reason(const char *a, const char *b)
{
	while (*a && *b) {
		size_t digits_a = strspn(a, "0123456789."), digits_b = strspn(b, "0123456789.");

		if (digits_a && digits_b) {
			a += digits_a;
			b += digits_b;
		} else if (*a++ != *b++) {
			return false;
		}
	}
	return *a == *b;
}

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
		while (k < count && !same_reason(reasons[k].text, g->reason))
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

static void add_suspects(struct pario_text *out, const struct pario_groups *groups)
{
	struct reason reasons[REASONS_MAX];
	size_t more, count = collect(groups, reasons, &more);

	pario_text_add(out, "<section class=\"suspects\"><h2>What is suspect</h2>");
	if (!count)
		pario_text_add(out, "<p>Nothing: every result passed its checks.</p>");
	else
		pario_text_add(out, "<ul>");
	for (size_t i = 0; i < count; i++) {
		pario_text_add(out, "<li class=\"%s\"><b>%s</b>, %zu number%s: ", reasons[i].word,
			       reasons[i].word, reasons[i].count, reasons[i].count == 1 ? "" : "s");
		pario_markup_text(out, reasons[i].text);
		pario_text_add(out, " <span class=\"hint\">(%s",
			       reasons[i].count > 1 ? "as in " : "");
		pario_markup_text(out, reasons[i].first->first->test);
		pario_text_add(out, " ");
		pario_markup_text(out, reasons[i].first->first->phase);
		pario_text_add(out, "%s", *reasons[i].first->first->point ? ", " : "");
		pario_markup_text(out, reasons[i].first->first->point);
		pario_text_add(out, ")</span></li>\n");
	}
	if (count)
		pario_text_add(out, "</ul>");
	if (more)
		pario_text_add(out,
			       "<p class=\"hint\">%zu further numbers have other reasons; they are "
			       "marked in the tables.</p>",
			       more);
	pario_text_add(out, "</section>\n");
}

/* ---- what stands out, what to do next ---- */

static void add_note(struct pario_text *out, const json_t *note)
{
	const char *text = json_string_value(json_object_get(note, "text"));
	const char *next = json_string_value(json_object_get(note, "next"));
	const char *level = json_string_value(json_object_get(note, "level"));

	pario_text_add(out, "<li%s>",
		       level && strcmp(level, "warning") == 0 ? " class=\"warning\"" : "");
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

			if (!kind || strcmp(kind, "note") != 0 || shown >= NOTES_MAX)
				continue;
			if (shown == 0)
				pario_text_add(out, "<h3>What the runs noted</h3><ul>");
			if (shown == NOTES_SHOWN)
				pario_text_add(out,
					       "</ul><details><summary>More notes</summary><ul>");
			add_note(out, line);
			shown++;
		}
	}
	if (shown)
		pario_text_add(out, "</ul>%s", shown > NOTES_SHOWN ? "</details>" : "");
}

static void add_advice(struct pario_text *out, const struct pario_groups *groups)
{
	const struct pario_archive *a = groups->archive;
	size_t few = 0, wide = 0, numbers = 0, cut = 0;

	for (size_t i = 0; i < groups->count; i++) {
		const struct pario_group *g = &groups->group[i];

		if (pario_trace_is(g->first->test))
			continue;
		numbers += g->numbers > 0;
		few += g->numbers > 0 && g->numbers < 5;
		wide += g->numbers > 1 && g->median > 0 &&
			(g->high - g->low) / 2 > WIDE_SPREAD * g->median;
	}
	for (size_t i = 0; i < a->volume_count; i++)
		cut += !a->volume[i].end;
	pario_text_add(out, "<ul>");
	if (few)
		pario_text_add(
			out,
			"<li>%zu of %zu numbers rest on fewer than five repetitions: "
			"<code>--repetitions 5</code> gives an interval that holds 94 %%.</li>",
			few, numbers);
	if (wide)
		pario_text_add(out,
			       "<li>%zu of %zu numbers spread by more than ± 10 %%: "
			       "<code>pario doctor</code> looks for what disturbs this machine; "
			       "longer phases and more repetitions narrow the interval.</li>",
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
		pario_text_add(out, "<li>Where the time goes stands below, by place in the source. "
				    "After a change, trace again and lay both pages side by "
				    "side.</li>");
	if (!few && !wide && !cut && numbers)
		pario_text_add(out,
			       "<li>The numbers are steady. After a change, measure again and use "
			       "<code>pario compare</code>.</li>");
	pario_text_add(out, "</ul>");
}

void pario_overview_add(struct pario_canvas *canvas, const struct pario_groups *groups)
{
	bool alone = groups->archive->volume_count == 1;

	add_glance(canvas->out, groups);
	/* One machine fits beside the advice; several need the width. */
	pario_text_add(canvas->out, "<div class=\"%s\"><div>\n", alone ? "pair" : "single");
	add_suspects(canvas->out, groups);
	pario_text_add(canvas->out, "<section><h2>What to do next</h2>");
	add_advice(canvas->out, groups);
	add_notes(canvas->out, groups->archive);
	pario_text_add(canvas->out, "</section></div>\n");
	pario_overview_where(canvas->out, groups->archive);
	pario_text_add(canvas->out, "</div>\n");
}
