/*
 * page: head, overview, one section per test, the data for the script.
 */
#include "report/page/page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "base/random.h"
#include "base/units.h"
#include "report/chart/pictures.h"
#include "report/page/lead.h"
#include "report/page/markup.h"
#include "report/page/survey.h"
#include "report/page/web.h"
#include "report/trace/trace.h"

/* More rows than this make a browser slow; the rest is in the CSV. */
enum { TABLE_ROWS = 2000, CSV_ROWS = 20000, TITLE_LETTERS = 65 };

/* ---- frame ---- */

/* Shapes of the marks and the hatching of what is suspect, drawn once and used everywhere. */
static const char shapes[] =
	"<svg class=\"store\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>"
	"<circle id=\"k0\" r=\"4\"/><rect id=\"k1\" x=\"-3.5\" y=\"-3.5\" width=\"7\" height=\"7\"/>"
	"<path id=\"k2\" d=\"M0 -5L4.6 3.4H-4.6Z\"/><path id=\"k3\" d=\"M0 -5L5 0L0 5L-5 0Z\"/>"
	"<path id=\"kx\" d=\"M-4 -4L4 4M-4 4L4 -4\"/>"
	"<pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
	"patternTransform=\"rotate(45)\"><rect class=\"hatch\" width=\"2.5\" height=\"6\"/></pattern>"
	"</defs></svg>\n";

/* What a browser shows of it in a tab; the heading has it whole. */
static void add_title(struct pario_text *out, const char *title)
{
	struct pario_text plain = { 0 };
	const char *cut;
	size_t letters = 0;

	pario_markup_plain(&plain, title);
	for (cut = pario_text_string(&plain); *cut; cut++) {
		/* Letters of HTML's own are written as up to six. */
		letters += strchr("<>&\"'", *cut)		  ? 6
			   : ((unsigned char)*cut & 0xc0) != 0x80 ? 1
								  : 0;
		if (letters > TITLE_LETTERS)
			break;
	}
	if (*cut) {
		plain.length = (size_t)(cut - plain.data);
		plain.data[plain.length] = '\0';
		pario_markup_text(out, pario_text_string(&plain));
		pario_text_add(out, "…");
	} else {
		pario_markup_text(out, pario_text_string(&plain));
	}
	pario_text_release(&plain);
}

void pario_page_open(struct pario_text *out, const char *title)
{
	pario_text_add(
		out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" PARIO_PAGE_MARK
		"\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
		"&#39;none&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;; "
		"style-src ");
	pario_web_hash(out, &pario_web_style);
	pario_text_add(out, "; script-src ");
	pario_web_hash(out, &pario_web_script);
	pario_text_add(out,
		       "\">\n<meta name=\"viewport\" content=\"width=device-width, "
		       "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
		       "<title>");
	add_title(out, title);
	pario_text_add(out, "</title>\n<style>");
	pario_text_bytes(out, pario_web_style.bytes, pario_web_style.length);
	pario_text_add(out, "</style>\n</head>\n<body>\n%s", shapes);
}

void pario_page_close(struct pario_text *out, const char *program)
{
	pario_text_add(out, "<footer><p>Written by ");
	pario_markup_text(out, program);
	pario_text_add(out,
		       " from the journals of the runs. This file needs no network.</p></footer>\n"
		       "<script>");
	pario_text_bytes(out, pario_web_script.bytes, pario_web_script.length);
	pario_text_add(out, "</script>\n</body>\n</html>\n");
}

void pario_page_cell(struct pario_text *out, const char *class, const char *text)
{
	pario_text_add(out, class ? "<td class=\"%s\">" : "<td>", class);
	pario_markup_text(out, text);
	pario_text_add(out, "</td>");
}

/* A name that is no plain word becomes letters of its hash. */
void pario_page_anchor(struct pario_text *out, const char *test)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
	static const char *const taken[] = { "results", "theme", "hatch", "standing",
					     "suspect", "next",	 "where" };
	bool free_name = *test >= 'a' && *test <= 'z' && !test[strspn(test, plain)];
	uint64_t hash = 0;

	/* Ids of pictures are a letter or two and a number. */
	free_name &= strcspn(test, "0123456789") > 2 && strncmp(test, "clip", 4) != 0;
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		free_name &= strcmp(test, taken[i]) != 0;
	if (free_name) {
		pario_text_add(out, "%s", test);
		return;
	}
	for (; *test; test++)
		hash = pario_random_join(hash, (unsigned char)*test);
	pario_text_add(out, "test-%016llx", (unsigned long long)hash);
}

/* ---- a test ---- */

static void number_cell(struct pario_text *out, double value)
{
	char buf[PARIO_UNITS_CAPACITY];

	if (!isfinite(value)) {
		pario_text_add(out, "<td class=\"n\">–</td>");
		return;
	}
	pario_text_add(out, "<td class=\"n\" data-v=\"");
	pario_markup_number(out, value);
	pario_text_add(out, "\">%s</td>", pario_units_number(buf, value));
}

static void time_cell(struct pario_text *out, double ns)
{
	char buf[PARIO_UNITS_CAPACITY];

	if (!isfinite(ns)) {
		pario_text_add(out, "<td class=\"n\">–</td>");
		return;
	}
	pario_text_add(out, "<td class=\"n\" data-v=\"");
	pario_markup_number(out, ns);
	pario_text_add(out, "\">%s</td>", pario_units_time(buf, ns * 1e-9));
}

static void add_heads(struct pario_text *out, const struct pario_section *s)
{
	static const char *const rest[] = { "median", "low",	 "high", "maximum", "deviation",
					    "unit",   "samples", "p50",	 "p99",	    "remark" };

	pario_text_add(out, "<tr>");
	for (size_t d = 0; d < s->dim_count; d++) {
		if (s->dim[d].count > 1 || d <= PARIO_DIM_CLIENTS) {
			pario_text_add(out, "<th scope=\"col\">");
			pario_markup_text(out, s->dim[d].name);
			pario_text_add(out, "</th>");
		}
	}
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		pario_text_add(out, "<th scope=\"col\">%s</th>", rest[i]);
	pario_text_add(out, "</tr>");
}

static void add_remark(struct pario_text *out, const struct pario_group *g)
{
	const char *remark = pario_group_remark(g);
	struct pario_text counted = { 0 };

	if (g->failures && g->numbers) {
		pario_text_add(&counted, "%zu of %zu, %zu failed", g->numbers, g->repetitions,
			       g->failures);
		remark = pario_text_string(&counted);
	}
	pario_text_add(out, "%s%s", remark, *remark && *g->reason ? ": " : "");
	pario_markup_text(out, g->reason);
	pario_text_release(&counted);
}

static void add_row(struct pario_text *out, const struct pario_section *s, size_t i)
{
	const struct pario_group *g = s->group[i];
	const char *remark = pario_group_remark(g);

	pario_text_add(out, "<tr");
	if (*remark)
		pario_text_add(out, " class=\"%s\"", remark);
	pario_text_add(out, ">");
	for (size_t d = 0; d < s->dim_count; d++) {
		if (s->dim[d].count < 2 && d > PARIO_DIM_CLIENTS)
			continue;
		if (d >= PARIO_DIM_PARAM && s->dim[d].numeric) {
			pario_text_add(out, "<td class=\"n\" data-v=\"%.0f\">",
				       pario_section_number(s, i, d));
			pario_markup_text(out, pario_section_value(s, i, d));
			pario_text_add(out, "</td>");
		} else {
			pario_page_cell(out, d == PARIO_DIM_CLIENTS ? "n" : NULL,
					pario_section_value(s, i, d));
		}
	}
	number_cell(out, g->median);
	number_cell(out, g->numbers > 1 ? g->low : (double)NAN);
	number_cell(out, g->numbers > 1 ? g->high : (double)NAN);
	number_cell(out, g->maximum);
	number_cell(out, g->numbers > 1 ? g->deviation : (double)NAN);
	pario_text_add(out, "<td>");
	pario_markup_text(out, g->unit);
	if (*g->headline) {
		pario_text_add(out, "%s<span class=\"hint\">", *g->unit ? " " : "");
		pario_markup_text(out, g->headline);
		pario_text_add(out, "</span>");
	}
	pario_text_add(out, "</td>");
	pario_text_add(out, "<td class=\"n\">%zu</td>", g->numbers);
	time_cell(out, g->latency_ns.p50);
	time_cell(out, g->latency_ns.p99);
	pario_text_add(out, "<td>");
	add_remark(out, g);
	pario_text_add(out, "</td></tr>\n");
}

static void add_table(struct pario_text *out, const struct pario_section *s)
{
	pario_text_add(out, "<details%s><summary>Every number of this test (%zu)</summary>",
		       s->count <= 12 ? " open" : "", s->count);
	if (s->count > TABLE_ROWS)
		pario_text_add(
			out,
			"<p class=\"hint\">The first %d are shown; all are in what <code>pario "
			"report RUN --csv FILE</code> writes.</p>",
			TABLE_ROWS);
	pario_text_add(out, "<div class=\"wide\" tabindex=\"0\"><table class=\"sortable\"><thead>");
	add_heads(out, s);
	pario_text_add(out, "</thead><tbody>\n");
	for (size_t i = 0; i < s->count && i < TABLE_ROWS; i++)
		add_row(out, s, i);
	pario_text_add(out, "</tbody></table></div></details>\n");
}

/* Open, transfer and close over the clients, where several moved data: medians over the repetitions. */
static void add_between(struct pario_text *out, const struct pario_section *s)
{
	static const char *const parts[] = { "open", "transfer", "close" };
	static const char *const ends[] = { "min_s", "mean_s", "max_s", "variance_s2" };
	bool begun = false;

	for (size_t i = 0; i < s->count && i < TABLE_ROWS; i++) {
		double low, high;

		if (!isfinite(
			    pario_group_amount(s->groups, s->group[i], "open_mean_s", &low, &high)))
			continue;
		if (!begun)
			pario_text_add(
				out,
				"<details><summary>Times over the clients</summary><p class=\"hint\">"
				"Minimum, mean, maximum and variance over the clients of a phase; "
				"medians over its repetitions.</p><div class=\"wide\" tabindex=\"0\">"
				"<table class=\"sortable\"><thead><tr><th scope=\"col\">what</th>");
		for (size_t k = 0; !begun && k < 12; k++)
			pario_text_add(out, "<th scope=\"col\">%s %.*s%s</th>", parts[k / 4],
				       (int)strcspn(ends[k % 4], "_"), ends[k % 4],
				       k % 4 == 3 ? ", s²" : "");
		pario_text_add(out, "%s<tr><th scope=\"row\">",
			       begun ? "" : "</tr></thead><tbody>\n");
		begun = true;
		pario_markup_text(out, s->group[i]->first->of->phase);
		pario_text_add(out, ", %llu clients%s",
			       (unsigned long long)s->group[i]->first->of->clients,
			       *s->group[i]->first->of->point ? ", " : "");
		pario_markup_text(out, s->group[i]->first->of->point);
		pario_text_add(out, "</th>");
		for (size_t k = 0; k < 12; k++) {
			char name[48];
			double value;

			snprintf(name, sizeof(name), "%s_%s", parts[k / 4], ends[k % 4]);
			value = pario_group_amount(s->groups, s->group[i], name, &low, &high);
			if (k % 4 == 3)
				number_cell(out, value);
			else
				time_cell(out, value * 1e9);
		}
		pario_text_add(out, "</tr>\n");
	}
	if (begun)
		pario_text_add(out, "</tbody></table></div></details>\n");
}

static void add_section(struct pario_canvas *canvas, const struct pario_groups *groups,
			const struct pario_page *page, const char *test, bool open)
{
	const char *question = page->question ? page->question(test) : NULL;
	struct pario_section section;

	pario_section_init(&section, canvas, groups, test);
	pario_text_add(canvas->out,
		       "<section class=\"test\"><details class=\"fold\"%s><summary><h2 id=\"",
		       open ? " open" : "");
	pario_page_anchor(canvas->out, test);
	pario_text_add(canvas->out, "\">");
	pario_markup_text(canvas->out, test);
	pario_text_add(canvas->out, "</h2></summary>");
	if (question) {
		pario_text_add(canvas->out, "<p class=\"question\">");
		pario_markup_text(canvas->out, question);
		pario_text_add(canvas->out, "</p>");
	}
	pario_text_add(canvas->out, "\n<div class=\"charts\">\n");
	section.reports = page->reports;
	if (pario_page_surveys_only(groups->archive))
		pario_text_add(canvas->out, "<details class=\"more\"><summary>Pictures of all "
					    "points</summary>\n");
	pario_pictures_add(&section);
	if (pario_page_surveys_only(groups->archive))
		pario_text_add(canvas->out, "</details>\n");
	pario_text_add(canvas->out, "</div>\n");
	add_table(canvas->out, &section);
	add_between(canvas->out, &section);
	pario_text_add(canvas->out, "</details></section>\n");
	pario_section_release(&section);
}

/* ---- all results ---- */

static void csv_text(struct pario_text *out, const char *text)
{
	struct pario_text plain = { 0 }, cell = { 0 };

	pario_markup_plain(&plain, text);
	pario_csv_quote(&cell, pario_text_string(&plain));
	pario_markup_text(out, pario_text_string(&cell));
	pario_text_release(&cell);
	pario_text_release(&plain);
}

static void csv_number(struct pario_text *out, double value)
{
	pario_text_add(out, ",");
	if (isfinite(value))
		pario_markup_number(out, value);
}

/* Imported results may not tell it: then there is nothing. */
static void csv_count(struct pario_text *out, uint64_t count, bool told)
{
	if (told)
		pario_text_add(out, "%llu", (unsigned long long)count);
}

static void csv_line(struct pario_text *out, const struct pario_archive *a,
		     const struct pario_reading *r)
{
	const char *const texts[] = { a->volume[r->of->volume].label, r->of->test, r->of->point,
				      r->of->phase, pario_outcome_name(r->outcome) };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		csv_text(out, texts[i]);
		pario_text_bytes(out, ",", 1);
	}
	csv_count(out, r->of->clients, r->of->clients > 0);
	pario_text_add(out, ",%llu", (unsigned long long)r->repetition + 1);
	csv_number(out, pario_reading_value(r));
	pario_text_bytes(out, ",", 1);
	csv_text(out, pario_reading_unit(r));
	csv_number(out, r->seconds);
	pario_text_add(out, ",");
	csv_count(out, r->bytes, !r->bytes_untold);
	pario_text_add(out, ",");
	csv_count(out, r->ops, !r->ops_untold);
	csv_number(out, r->more->latency_ns.p50);
	csv_number(out, r->more->latency_ns.p99);
	pario_text_bytes(out, ",", 1);
	csv_text(out, r->reason);
	pario_text_bytes(out, "\n", 1);
}

static void add_csv(struct pario_text *out, const struct pario_archive *a)
{
	pario_text_add(
		out,
		"<section><h2 id=\"results\">All results</h2><details><summary>%zu results as "
		"CSV</summary>",
		a->reading_count);
	if (a->reading_count > CSV_ROWS)
		pario_text_add(out,
			       "<p class=\"hint\">The first %d are here; <code>pario report RUN "
			       "--csv FILE</code> writes all of them.</p>",
			       CSV_ROWS);
	pario_text_add(out,
		       "<pre class=\"csv\" tabindex=\"0\">run,test,point,phase,outcome,clients,"
		       "repetition,value,unit,seconds,bytes,ops,p50_ns,p99_ns,reason\n");
	for (size_t i = 0; i < a->reading_count && i < CSV_ROWS; i++)
		csv_line(out, a, &a->reading[i]);
	pario_text_add(out, "</pre></details></section>\n");
}

/* ---- the page ---- */

static const char *begin_text(const struct pario_volume *v, const char *name)
{
	const char *text = json_string_value(json_object_get(v->begin, name));

	return text ? text : "";
}

static bool has_label(const struct pario_volume *v)
{
	return *begin_text(v, "label") || *pario_volume_program(v);
}

/* "glance of /scratch on n17, 17 Nov 2026": false where the journal does not say what it would take. */
static bool add_words(struct pario_text *title, const struct pario_archive *a)
{
	enum { COMMAND_LETTERS = 60 };
	const struct pario_volume *v = &a->volume[0];
	const char *program = pario_trace_program(a);
	static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	const char *dir = json_string_value(json_object_get(
		json_object_get(json_object_get(v->begin, "params"), "dir"), "value"));
	int year, month, day;

	if (!*begin_text(v, "test") || !*pario_volume_machine(v, "host") ||
	    sscanf(begin_text(v, "time"), "%4d-%2d-%2d", &year, &month, &day) != 3 || month < 1 ||
	    month > 12)
		return false;
	if (*program)
		pario_text_add(title, "trace of %.*s%s", COMMAND_LETTERS, program,
			       strlen(program) > COMMAND_LETTERS ? " …" : "");
	else
		pario_text_add(title, "%s", begin_text(v, "test"));
	if (dir && *dir && strcmp(dir, ".") != 0)
		pario_text_add(title, " of %s", dir);
	pario_text_add(title, " on %s, %d %s %d", pario_volume_machine(v, "host"), day,
		       months[month - 1], year);
	return true;
}

/* "prediction of job.trace for n17:/new": false for what is none. */
static bool add_prediction(struct pario_text *title, const struct pario_volume *v)
{
	const char *target = json_string_value(json_object_get(
		json_object_get(json_object_get(v->begin, "params"), "target"), "value"));

	if (!target || strcmp(begin_text(v, "test"), "predict") != 0)
		return false;
	pario_text_add(title, "prediction of %s for %s", v->label, target);
	return true;
}

static void make_title(struct pario_text *title, const struct pario_archive *a)
{
	if (a->volume_count == 1 && !a->anonymous && add_prediction(title, &a->volume[0]))
		return;
	if (a->volume_count == 1 && !a->anonymous && !a->volume[0].named &&
	    !has_label(&a->volume[0]) && add_words(title, a))
		return;
	pario_text_add(title, "pario: ");
	for (size_t i = 0; i < a->volume_count && i < 4; i++)
		pario_text_add(title, "%s%s", i ? " · " : "", a->volume[i].label);
	if (a->volume_count > 4)
		pario_text_add(title, " · and %zu more", a->volume_count - 4);
}

/* The test of a group that is the first of its test, else NULL. */
static const char *test_of(const struct pario_groups *groups, size_t i)
{
	const char *test = groups->group[i].first->of->test;
	size_t k = 0;

	while (groups->group[k].first->of->test != test)
		k++;
	return k == i ? test : NULL;
}

static void add_tests(struct pario_canvas *canvas, const struct pario_groups *groups,
		      const struct pario_page *page, bool open)
{
	for (size_t i = 0; i < groups->count; i++) {
		if (test_of(groups, i))
			add_section(canvas, groups, page, test_of(groups, i), open);
	}
}

static void add_contents(struct pario_text *out, const struct pario_groups *groups)
{
	static const char *const rest[][2] = { { "suspect", "what is suspect" },
					       { "next", "what to do next" },
					       { "where", "where it was measured" },
					       { "results", "all results" } };

	pario_text_add(out, "<nav class=\"contents\" aria-label=\"Contents\"><ul>");
	for (size_t i = 0; i < groups->count; i++) {
		if (!test_of(groups, i))
			continue;
		pario_text_add(out, "<li><a href=\"#");
		pario_page_anchor(out, test_of(groups, i));
		pario_text_add(out, "\">");
		pario_markup_text(out, test_of(groups, i));
		pario_text_add(out, "</a></li>");
	}
	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++)
		pario_text_add(out, "<li><a href=\"#%s\">%s</a></li>", rest[i][0], rest[i][1]);
	pario_text_add(out, "</ul></nav>\n");
}

static void add_body(struct pario_canvas *canvas, const struct pario_groups *groups,
		     const struct pario_page *page)
{
	const struct pario_archive *a = groups->archive;
	size_t tests = 0;

	for (size_t i = 0; i < groups->count; i++)
		tests += test_of(groups, i) != NULL;
	/* Where one test is all there is, or a program, its pictures are what was asked for. */
	add_tests(canvas, groups, page,
		  tests == 1 || (a->volume_count == 1 && pario_lead_trace(groups)));
}

int pario_page_write(struct pario_text *out, struct pario_archive *archive,
		     const struct pario_page *page, struct pario_err *err)
{
	struct pario_text title = { 0 }, surveys = { 0 }, body = { 0 }, first = { 0 };
	struct pario_canvas canvas = { .out = &surveys, .late = true };
	struct pario_groups groups;
	int status = 0;

	if (pario_groups_of(archive, &groups, err) < 0)
		return -1;
	if (page->title)
		pario_text_add(&title, "%s", page->title);
	else
		make_title(&title, archive);
	pario_page_open(out, pario_text_string(&title));
	pario_text_add(out, "<header><h1>");
	pario_markup_text(out, pario_text_string(&title));
	pario_text_add(out, "</h1>");
	pario_machine_text_line(out, archive);
	pario_text_add(out, "</header>\n<main>\n");
	canvas.first = pario_overview_pictured(archive) ? &first : NULL;
	for (size_t i = 0; i < archive->volume_count; i++)
		pario_page_survey(&canvas, &archive->volume[i], archive->volume_count == 1);
	canvas.out = &body;
	add_body(&canvas, &groups, page);
	canvas.out = out;
	pario_overview_add(&canvas, &groups, page, &first, &surveys);
	if (page->standing)
		status = page->standing(archive, out, err);
	add_contents(out, &groups);
	pario_text_bytes(out, pario_text_string(&body), body.length);
	pario_overview_rest(out, &groups, page);
	add_csv(out, archive);
	pario_text_add(out, "</main>\n");
	pario_page_close(out, page->program);
	out->failed |= surveys.failed || body.failed || first.failed;
	pario_text_release(&title);
	pario_text_release(&surveys);
	pario_text_release(&body);
	pario_text_release(&first);
	pario_palette_release(&canvas.palette);
	pario_groups_release(&groups);
	if (status == 0 && out->failed)
		return pario_err_memory(err, "the report");
	return status;
}
