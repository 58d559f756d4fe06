/*
 * tables: where in the source the calls come from, on which files, by whom, and how the clocks were laid beside each
 * other. A call site whose source is known by its whole path is a link to that file and line; the path is encoded
 * byte by byte, so it can lead nowhere but to a file of this machine.
 */
#include "report/trace/trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/chart/scale.h"
#include "report/page/markup.h"
#include "report/page/page.h"

/* Longer tables make a browser slow; the journal has more. */
enum { ROWS = 200 };

#define TEXT	PARIO_TRACE_TEXT
#define COUNT	PARIO_TRACE_NUMBER
#define ID	PARIO_TRACE_ID
#define BYTES	PARIO_TRACE_BYTES
#define SECONDS PARIO_TRACE_SECONDS
#define SITE	PARIO_TRACE_WHERE
#define YES	PARIO_TRACE_APPLIED
#define SHARE	PARIO_TRACE_SHARE
#define PERCENT PARIO_TRACE_PERCENT

static void add_number(struct pario_text *out, double value, enum pario_trace_cell kind)
{
	static const struct pario_chart_axis times = { .format = PARIO_FORMAT_SECONDS };
	char buf[PARIO_UNITS_CAPACITY];

	if (!isfinite(value)) {
		pario_text_add(out, "<td class=\"n\">–</td>");
		return;
	}
	if (kind == PARIO_TRACE_ID) {
		pario_text_add(out, "<td class=\"n\">%.0f</td>", value);
		return;
	}
	pario_text_add(out, "<td class=\"n\" data-v=\"");
	pario_markup_number(out, value);
	if (kind == SHARE) {
		pario_text_add(out, "\">%.0f %%</td>", 100 * value);
		return;
	}
	if (kind == PERCENT) {
		pario_text_add(out, "\">%+.1f %%</td>", value);
		return;
	}
	pario_text_add(
		out, "\">%s</td>",
		kind == SECONDS ? pario_scale_label(&times, value, buf)
		: kind == BYTES
			? pario_units_size(buf, value < 0x1p63 && value > 0 ? (uint64_t)value : 0)
			: pario_units_number(buf, value));
}

/* A path as the part of a URL that cannot be anything else. */
static void add_url(struct pario_text *out, const char *path, double line)
{
	pario_text_add(out, "file://");
	for (const char *c = path; *c; c++) {
		bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
			     (*c >= '0' && *c <= '9') || strchr("/._-", *c);

		pario_text_add(out, plain ? "%c" : "%%%02X", (unsigned char)*c);
	}
	if (line > 0)
		pario_text_add(out, "#L%.0f", line);
}

/* "file.c:12" as a link where the path is whole, "library.so+0x1234" where nothing is known. */
void pario_trace_where(struct pario_text *out, const struct pario_trace_table *s, size_t row)
{
	const char *file = pario_trace_cell(s, row, "file"),
		   *module = pario_trace_cell(s, row, "module");
	double line = pario_trace_number(s, row, "line"),
	       offset = pario_trace_number(s, row, "offset");
	bool link = file[0] == '/' && file[1] != '/';

	if (link) {
		pario_text_add(out, "<a href=\"");
		add_url(out, file, line);
		pario_text_add(out, "\">");
	}
	pario_markup_text(out, *file ? file : module);
	if (*file && isfinite(line))
		pario_text_add(out, ":%.0f", line);
	else if (!*file && isfinite(offset))
		pario_text_add(out, "+0x%llx", offset < 0x1p63 ? (unsigned long long)offset : 0ull);
	pario_text_add(out, "%s", link ? "</a>" : "");
}

static void add_cell(struct pario_text *out, const struct pario_trace_table *s, size_t row,
		     const struct pario_trace_column *c)
{
	switch (c->kind) {
	case TEXT:
		pario_page_cell(out, NULL, pario_trace_cell(s, row, c->name));
		break;
	case SITE:
		pario_text_add(out, "<td class=\"site\">");
		pario_trace_where(out, s, row);
		pario_text_add(out, "</td>");
		break;
	case YES:
		pario_page_cell(out, NULL,
				pario_trace_number(s, row, c->name) > 0 ? "taken off" : "–");
		break;
	default:
		add_number(out, pario_trace_number(s, row, c->name), c->kind);
	}
}

void pario_trace_table_number(struct pario_section *s, double value, enum pario_trace_cell kind)
{
	add_number(s->canvas->out, value, kind);
}

void pario_trace_table_open(struct pario_section *s, const struct pario_reading *r,
			    const char *title, const char *text,
			    const struct pario_trace_column *columns)
{
	struct pario_text *out = s->canvas->out, which = { 0 };

	pario_table_chart_name(s, r, &which);
	/* a test without tables has no such name */
	if (!which.length && s->groups->archive->volume_count > 1)
		pario_text_add(&which, "%s", s->groups->archive->volume[r->of->volume].label);
	pario_text_add(out, "<figure class=\"broad\"><figcaption><h3>%s", title);
	if (which.length)
		pario_text_add(out, ": ");
	pario_markup_text(out, pario_text_string(&which));
	pario_text_add(out,
		       "</h3><p>%s%s</p></figcaption><div class=\"wide tall\" tabindex=\"0\">"
		       "<table class=\"sortable\"><thead><tr>",
		       text,
		       r->outcome == PARIO_SUSPECT ? " <b class=\"doubt\">? suspect</b>" : "");
	for (const struct pario_trace_column *c = columns; c->head; c++)
		pario_text_add(out, "<th scope=\"col\">%s</th>", c->head);
	pario_text_add(out, "</tr></thead><tbody>\n");
	pario_text_release(&which);
}

void pario_trace_table_close(struct pario_section *s, double left_out)
{
	pario_text_add(s->canvas->out, "</tbody></table></div>");
	if (left_out > 0)
		pario_text_add(s->canvas->out,
			       "<p class=\"hint\">and %.0f more, each with less time</p>",
			       left_out);
	pario_text_add(s->canvas->out, "</figure>\n");
}

void pario_trace_table_add(struct pario_section *s, const struct pario_reading *r, const char *name,
			   const char *left_out, const char *title, const char *text,
			   const struct pario_trace_column *columns)
{
	double more = left_out ? pario_reading_find(r, left_out).value : (double)NAN;
	struct pario_text *out = s->canvas->out;
	struct pario_trace_table table;

	if (!pario_trace_table(r, name, &table))
		return;
	pario_trace_table_open(s, r, title, text, columns);
	for (size_t i = 0; i < table.rows && i < ROWS; i++) {
		pario_text_add(out, "<tr>");
		for (const struct pario_trace_column *c = columns; c->head; c++)
			add_cell(out, &table, i, c);
		pario_text_add(out, "</tr>\n");
	}
	pario_trace_table_close(s, (isfinite(more) ? more : 0) +
					   (double)(table.rows > ROWS ? table.rows - ROWS : 0));
}

static const struct pario_trace_column media[] = {
	{ "on", "on", TEXT },
	{ "time", "seconds", SECONDS },
	{ "longest", "max_s", SECONDS },
	{ "calls", "calls", COUNT },
	{ "failed", "failed", COUNT },
	{ "bytes", "bytes", BYTES },
	{ NULL, NULL, TEXT },
};

static const struct pario_trace_column layers[] = {
	{ "layer", "layer", TEXT },
	{ "called by", "by", TEXT },
	{ "calls", "calls", COUNT },
	{ "reads", "reads", COUNT },
	{ "read", "read_bytes", BYTES },
	{ "writes", "writes", COUNT },
	{ "written", "written_bytes", BYTES },
	{ "time", "seconds", SECONDS },
	{ NULL, NULL, TEXT },
};

static const struct pario_trace_column failures[] = {
	{ "error", "errno", TEXT },  { "operation", "operation", TEXT },
	{ "layer", "layer", TEXT },  { "called by", "by", TEXT },
	{ "calls", "calls", COUNT }, { "time", "seconds", SECONDS },
	{ "file", "file", TEXT },    { NULL, NULL, TEXT },
};

static const struct pario_trace_column sites[] = {
	{ "operation", "operation", TEXT },
	{ "layer", "layer", TEXT },
	{ "on", "on", TEXT },
	{ "time", "seconds", SECONDS },
	{ "longest", "max_s", SECONDS },
	{ "calls", "calls", COUNT },
	{ "failed", "failed", COUNT },
	{ "bytes", "bytes", BYTES },
	{ "function", "function", TEXT },
	{ "called from", "file", SITE },
	{ NULL, NULL, TEXT },
};

static const struct pario_trace_column stacks[] = {
	{ "operation", "operation", TEXT }, { "called from, outwards", "frames", TEXT },
	{ "calls", "calls", COUNT },	    { "bytes", "bytes", BYTES },
	{ "time", "seconds", SECONDS },	    { NULL, NULL, TEXT },
};

static const struct pario_trace_column files[] = {
	{ "file", "file", TEXT },
	{ "on", "on", TEXT },
	{ "layer", "layer", TEXT },
	{ "reads", "reads", COUNT },
	{ "read", "read_bytes", BYTES },
	{ "reading", "read_s", SECONDS },
	{ "writes", "writes", COUNT },
	{ "written", "written_bytes", BYTES },
	{ "writing", "write_s", SECONDS },
	{ "others", "others", COUNT },
	{ "in others", "other_s", SECONDS },
	{ NULL, NULL, TEXT },
};

static const struct pario_trace_column processes[] = {
	{ "rank", "rank", ID },
	{ "pid", "pid", ID },
	{ "program", "program", TEXT },
	{ "host", "host", TEXT },
	{ "calls", "calls", COUNT },
	{ "read", "read_bytes", BYTES },
	{ "written", "written_bytes", BYTES },
	{ "reading", "read_s", SECONDS },
	{ "writing", "write_s", SECONDS },
	{ "in others", "other_s", SECONDS },
	{ "communication", "communication_s", SECONDS },
	{ "not storage", "elsewhere_s", SECONDS },
	{ NULL, NULL, TEXT },
};

static const struct pario_trace_column clocks[] = {
	{ "host", "host", TEXT },
	{ "processes", "processes", COUNT },
	{ "ahead", "ahead_s", SECONDS },
	{ "drift, ppm", "drift_ppm", COUNT },
	{ "its error", "drift_error_ppm", COUNT },
	{ "error", "error_s", SECONDS },
	{ "barriers", "meetings", COUNT },
	{ "this difference is", "applied", YES },
	{ NULL, NULL, TEXT },
};

static const struct pario_trace_column classes[] = {
	{ "class", "class", TEXT },  { "time", "seconds", SECONDS }, { "share", "share", SHARE },
	{ "calls", "calls", COUNT }, { "failed", "failed", COUNT },  { "bytes", "bytes", BYTES },
	{ NULL, NULL, TEXT },
};

void pario_trace_tables_of_calls(struct pario_section *s, const struct pario_reading *r)
{
	pario_trace_table_add(s, r, "classes", NULL, "What the time on storage was spent on",
			      "The program's own calls on storage, by class.", classes);
	pario_trace_table_add(
		s, r, "sites", "sites_left_out", "Where the calls come from",
		"Each place in the source that makes calls, by the time they took; calls on storage "
		"first.",
		sites);
	pario_trace_table_add(s, r, "stacks", "stacks_left_out", "Who called the caller",
			      "The calling function with its line, and outwards from there.",
			      stacks);
	pario_trace_table_add(
		s, r, "files", "files_left_out", "On which files",
		"The program's own calls; where it made none on a file, the outermost of the "
		"libraries it called: the layer says whose. Storage first.",
		files);
	pario_trace_table_add(s, r, "failures", "failures_left_out", "Which calls failed",
			      "By error, operation and file, the most frequent first.", failures);
}

void pario_trace_tables_of_rest(struct pario_section *s, const struct pario_reading *r)
{
	struct pario_trace_table table;

	pario_trace_table_add(
		s, r, "processes", "processes_left_out", "By which processes",
		"Only calls the program made itself; calls, bytes and times on storage, the rest in "
		"columns of its own.",
		processes);
	pario_trace_table_add(
		s, r, "media", NULL, "Storage, and what is not",
		"The program's own calls by what they were on. The pictures are of storage; "
		"waiting for pipes, sockets, terminals and other programs says nothing about it, "
		"nor does what the runtime beneath the program reads.",
		media);
	pario_trace_table_add(
		s, r, "layers", NULL, "Which layer saw which bytes",
		"On storage. Calls within other calls may move the same bytes again, so layers are "
		"not to be added up.",
		layers);
	if (pario_trace_table(r, "clocks", &table) && table.rows > 1)
		pario_trace_table_add(
			s, r, "clocks", NULL, "The clocks of the machines",
			"How far each clock was ahead of that of the lowest rank, from the ends "
			"of barriers. What is less than its error is left alone.",
			clocks);
}
