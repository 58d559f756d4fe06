/*
 * machine_text: what was measured and on which machine, as one line in the head of the page and as a table.
 */
#include "report/page/page.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "report/compare/param.h"
#include "report/page/markup.h"

/* Runs that get a line of their own in the head; all are in the table. */
enum { LINES_MAX = 8 };

/* Rows of the table about the machines; the path leads into the begin line. */
static const struct {
	const char *title, *path;
	enum { TEXT, COUNT, BYTES } kind;
} facts[] = {
	{ "time", "time", TEXT },
	{ "measured by", "version", TEXT },
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

static void fact_at(const struct pario_volume *v, const char *where, bool bytes,
		    struct pario_text *out)
{
	const json_t *at = pario_volume_at(v, where);
	char buf[PARIO_UNITS_CAPACITY];
	double number;

	/* what was imported pario did not measure */
	if (strcmp(where, "version") == 0 && *pario_volume_program(v)) {
		pario_text_add(out, "%s", pario_volume_program(v));
		return;
	}
	if (strcmp(where, "version") == 0)
		pario_text_add(out, "pario ");
	if (json_is_string(at)) {
		pario_text_add(out, "%s", json_string_value(at));
		return;
	}
	number = json_number_value(at);
	if (json_is_number(at) && number >= 0 && number < 0x1p62)
		pario_text_add(out, "%s",
			       bytes ? pario_units_size(buf, (uint64_t)number)
				     : pario_units_number(buf, number));
}

static void fact_of(const struct pario_volume *v, size_t row, struct pario_text *out)
{
	fact_at(v, facts[row].path, facts[row].kind == BYTES, out);
}

/* Long lists of options may be broken behind their commas, and nowhere else. */
static void fact_cell(struct pario_text *out, const char *text)
{
	pario_text_add(out, "<td>");
	while (*text) {
		size_t length = strcspn(text, ",");
		char piece[256];

		length = length + (text[length] == ',');
		length = length < sizeof(piece) ? length : sizeof(piece) - 1;
		while (length > 1 && ((unsigned char)text[length] & 0xc0) == 0x80)
			length--;
		snprintf(piece, sizeof(piece), "%.*s", (int)length, text);
		pario_markup_text(out, piece);
		text += length;
		if (*text)
			pario_text_add(out, "<wbr>");
	}
	pario_text_add(out, "</td>");
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
		fact_cell(&cells, text.length ? pario_text_string(&text) : "–");
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
	char buf[PARIO_UNITS_CAPACITY];

	pario_text_add(out, "<tr><th scope=\"row\">ended</th>");
	for (size_t i = 0; i < a->volume_count; i++) {
		const json_t *end = a->volume[i].end;
		const char *outcome = json_string_value(json_object_get(end, "outcome"));

		pario_text_add(out, "<td>");
		pario_markup_text(out, outcome ? outcome : "cut short: there is no end line");
		/* What was worked out and not run took no time. */
		if (outcome && json_number_value(json_object_get(end, "seconds")) > 0)
			pario_text_add(out, " after %s",
				       pario_units_time(buf, json_number_value(json_object_get(
								     end, "seconds"))));
		pario_text_add(out, "</td>");
	}
	pario_text_add(out, "</tr>\n");
}

static const char *param_of(const struct pario_volume *v, const char *name)
{
	const json_t *params = json_object_get(v->begin, "params");
	const char *value =
		json_string_value(json_object_get(json_object_get(params, name), "value"));

	return value ? value : "–";
}

static bool param_differs(const struct pario_archive *a, const char *name)
{
	for (size_t i = 1; i < a->volume_count; i++) {
		if (strcmp(param_of(&a->volume[0], name), param_of(&a->volume[i], name)) != 0)
			return true;
	}
	return false;
}

/* Every parameter in which the runs differ, once: at the first run that has it. */
static void add_params(struct pario_text *out, const struct pario_archive *a)
{
	for (size_t i = 0; a->volume_count > 1 && i < a->volume_count; i++) {
		json_t *params = json_object_get(a->volume[i].begin, "params"), *unused;
		const char *name;

		json_object_foreach(params, name, unused)
		{
			size_t k = 0;

			while (k < i &&
			       !json_object_get(json_object_get(a->volume[k].begin, "params"),
						name))
				k++;
			if (k < i || pario_param_is_aside(name) || !param_differs(a, name))
				continue;
			pario_text_add(out, "<tr class=\"differs\"><th scope=\"row\">--");
			pario_markup_text(out, name);
			pario_text_add(out, "</th>");
			for (k = 0; k < a->volume_count; k++)
				pario_page_cell(out, NULL, param_of(&a->volume[k], name));
			pario_text_add(out, "</tr>\n");
		}
	}
}

void pario_machine_text_table(struct pario_text *out, const struct pario_archive *a)
{
	pario_text_add(
		out,
		"<section><h2 id=\"where\">Where it was measured</h2><div class=\"wide\" tabindex=\"0\">"
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
	add_params(out, a);
	add_end(out, a);
	pario_text_add(out, "</tbody></table></div></section>\n");
}

/* One line per run: "node17, 16 cores, 64 GiB · lustre at /scratch · Open MPI 4.1.4 · pario 0.1 · 2026-11-15". */
void pario_machine_text_line(struct pario_text *out, const struct pario_archive *a)
{
	static const struct {
		const char *before, *path, *after;
		bool bytes;
	} parts[] = {
		{ "", "machine.host", "", false },
		{ ", ", "machine.cores", " cores", false },
		{ ", ", "machine.memory_bytes", "", true },
		{ " · ", "machine.filesystem.type", "", false },
		{ " at ", "machine.filesystem.mount", "", false },
		{ " · ", "machine.mpi.library", "", false },
		{ " · ", "version", "", false },
		{ " · ", "time", "", false },
	};

	for (size_t i = 0; i < a->volume_count && i < LINES_MAX; i++) {
		const char *signature = a->anonymous ? NULL : a->volume[i].signature;
		struct pario_text text = { 0 };
		bool first = true;

		pario_text_add(out, "<p class=\"machine\">");
		if (a->volume_count > 1) {
			pario_text_add(out, "<b>");
			pario_markup_text(out, a->volume[i].label);
			pario_text_add(out, "</b> ");
		}
		for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
			pario_text_clear(&text);
			fact_at(&a->volume[i], parts[k].path, parts[k].bytes, &text);
			if (!text.length)
				continue;
			pario_text_add(out, "%s",
				       parts[k].before +
					       (first ? strspn(parts[k].before, " ·,") : 0));
			first = false;
			pario_markup_text(out, pario_text_string(&text));
			pario_text_add(out, "%s", parts[k].after);
		}
		if (signature) {
			pario_text_add(out, " · ");
			pario_markup_text(out, signature);
		}
		pario_text_add(out, "</p>");
		pario_text_release(&text);
	}
}
