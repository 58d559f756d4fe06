/*
 * classes: the call classes of a traced program: where its time went, as bars and as a table. Their bytes over time
 * are no bandwidth of anything, so no rates are drawn.
 */
#include "report/trace/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/page/page.h"

enum { BARS = 16, ROWS = 500 };

static const struct pario_trace_column columns[] = {
	{ "layer", "", PARIO_TRACE_TEXT },    { "operation", "", PARIO_TRACE_TEXT },
	{ "up to", "", PARIO_TRACE_TEXT },    { "order", "", PARIO_TRACE_TEXT },
	{ "cache", "", PARIO_TRACE_TEXT },    { "on", "", PARIO_TRACE_TEXT },
	{ "calls", "", PARIO_TRACE_NUMBER },  { "bytes", "", PARIO_TRACE_BYTES },
	{ "time", "", PARIO_TRACE_SECONDS },  { "p50", "", PARIO_TRACE_SECONDS },
	{ "p90", "", PARIO_TRACE_SECONDS },   { "p99", "", PARIO_TRACE_SECONDS },
	{ "p99.9", "", PARIO_TRACE_SECONDS }, { "longest", "", PARIO_TRACE_SECONDS },
	{ NULL, NULL, PARIO_TRACE_TEXT },
};

static const char *param(const struct pario_section *s, const struct pario_reading *r,
			 const char *name)
{
	return pario_reading_param((struct pario_archive *)s->groups->archive, r, name);
}

/* A journal of an earlier version does not say. */
static bool on_storage(const struct pario_section *s, const struct pario_reading *r)
{
	const char *on = param(s, r, "on");

	return !*on || strcmp(on, "-") == 0 || strcmp(on, "storage") == 0;
}

static int longest_first(const void *a, const void *b)
{
	const struct pario_reading *const *x = a, *const *y = b;

	if ((*x)->seconds != (*y)->seconds)
		return (*x)->seconds < (*y)->seconds ? 1 : -1;
	return (*x) < (*y) ? -1 : (*x) > (*y);
}

static void class_name(const struct pario_section *s, const struct pario_reading *r,
		       struct pario_text *out)
{
	const char *up_to = param(s, r, "up_to"), *pattern = param(s, r, "pattern"),
		   *cache = param(s, r, "cache");
	bool placed = strcmp(pattern, "-") != 0;

	pario_text_add(out, "%s%s", strcmp(param(s, r, "nested"), "1") == 0 ? "> " : "",
		       r->of->phase);
	if (strcmp(up_to, "-") != 0)
		pario_text_add(out, ", %s", up_to);
	if (placed)
		pario_text_add(out, ", %s", pattern);
	if (strcmp(cache, "direct") == 0)
		pario_text_add(out, ", direct");
}

/* "Where the time went: new library" where there are several runs. */
static void full_title(const struct pario_section *s, const struct pario_reading *r,
		       const char *title, struct pario_text *out)
{
	const struct pario_archive *a = s->groups->archive;

	pario_text_add(out, "%s", title);
	if (a->volume_count > 1)
		pario_text_add(out, ": %s", a->volume[r->of->volume].label);
}

static void add_bars(struct pario_section *s, const struct pario_picture *p,
		     const struct pario_reading **classes, size_t count)
{
	struct pario_text title = { 0 };
	struct pario_chart chart;

	full_title(s, classes[0], p->title, &title);
	pario_chart_init(&chart, PARIO_CHART_BAR, pario_text_string(&title));
	pario_chart_text(&chart, p->text);
	pario_text_release(&title);
	chart.x = (struct pario_chart_axis){ .title = "class", .scale = PARIO_SCALE_CATEGORY };
	chart.y = (struct pario_chart_axis){ .title = "time in calls on storage",
					     .zero = true,
					     .format = PARIO_FORMAT_SECONDS };
	for (size_t i = 0; i < count && i < BARS; i++) {
		struct pario_text name = { 0 };
		struct pario_mark *m;

		class_name(s, classes[i], &name);
		m = pario_chart_mark(
			&chart, pario_chart_series(&chart, "time in calls"),
			pario_chart_category(&chart, &chart.x, pario_text_string(&name)),
			classes[i]->seconds);
		pario_table_chart_doubt(&chart, m, classes[i]);
		pario_text_release(&name);
	}
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

/* How long single calls took, of the same classes. */
static void add_boxes(struct pario_section *s, const struct pario_reading **classes, size_t count)
{
	static const char *const names[] = { "min", "p50", "p90", "p99", "p99.9", "max", NULL };
	struct pario_text title = { 0 };
	struct pario_chart chart;

	full_title(s, classes[0], "How long single calls took", &title);
	pario_chart_init(&chart, PARIO_CHART_BOX, pario_text_string(&title));
	pario_chart_text(&chart,
			 "Whiskers from the fastest to the slowest, boxes from p50 to p99, lines "
			 "at p50, p90, p99 and p99.9.");
	pario_text_release(&title);
	chart.x = (struct pario_chart_axis){ .title = "time of a call",
					     .scale = PARIO_SCALE_LOG,
					     .format = PARIO_FORMAT_SECONDS };
	chart.y = (struct pario_chart_axis){ .title = "class", .scale = PARIO_SCALE_CATEGORY };
	chart.quantiles = names;
	chart.box_from = 1;
	chart.box_to = 3;
	for (size_t i = 0; i < count && i < BARS; i++) {
		const struct pario_latency *l = &classes[i]->more->latency_ns;
		const double q[] = { l->min, l->p50, l->p90, l->p99, l->p999, l->max };
		struct pario_text name = { 0 };
		struct pario_mark *m;

		class_name(s, classes[i], &name);
		m = pario_chart_mark(
			&chart, pario_chart_series(&chart, "single calls"), NAN,
			pario_chart_category(&chart, &chart.y, pario_text_string(&name)));
		for (size_t k = 0; k < sizeof(q) / sizeof(q[0]); k++)
			m->q[k] = fmax(q[k], 1) * 1e-9; /* a clock may see nothing pass */
		pario_table_chart_doubt(&chart, m, classes[i]);
		pario_text_release(&name);
	}
	pario_figure_add(s->canvas, &chart);
	pario_chart_release(&chart);
}

static void add_row(struct pario_section *s, const struct pario_reading *r)
{
	struct pario_text *out = s->canvas->out, name = { 0 };
	const double times[] = { r->more->latency_ns.p50, r->more->latency_ns.p90,
				 r->more->latency_ns.p99, r->more->latency_ns.p999,
				 r->more->latency_ns.max };

	pario_text_add(&name, "%s%s", strcmp(param(s, r, "nested"), "1") == 0 ? "> " : "",
		       r->of->phase);
	pario_text_add(out, r->outcome == PARIO_SUSPECT ? "<tr class=\"suspect\">" : "<tr>");
	pario_page_cell(out, NULL, param(s, r, "layer"));
	pario_page_cell(out, NULL, pario_text_string(&name));
	pario_page_cell(out, "n", param(s, r, "up_to"));
	pario_page_cell(out, NULL, param(s, r, "pattern"));
	pario_page_cell(out, NULL, param(s, r, "cache"));
	pario_page_cell(out, NULL, param(s, r, "on"));
	pario_trace_table_number(s, (double)r->ops, PARIO_TRACE_NUMBER);
	pario_trace_table_number(s, (double)r->bytes, PARIO_TRACE_BYTES);
	pario_trace_table_number(s, r->seconds, PARIO_TRACE_SECONDS);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		pario_trace_table_number(s, times[i] * 1e-9, PARIO_TRACE_SECONDS);
	pario_text_add(out, "</tr>\n");
	pario_text_release(&name);
}

/* The classes of one run, on storage or not. */
static size_t gather(const struct pario_section *s, size_t volume, bool storage,
		     const struct pario_reading **classes)
{
	const struct pario_archive *a = s->groups->archive;
	size_t count = 0;

	for (size_t i = 0; i < a->reading_count; i++) {
		if (a->reading[i].of->test == s->test && a->reading[i].of->volume == volume &&
		    isfinite(a->reading[i].seconds) && on_storage(s, &a->reading[i]) == storage)
			classes[count++] = &a->reading[i];
	}
	qsort(classes, count, sizeof(*classes), longest_first);
	return count;
}

static void add_classes(struct pario_section *s, const char *title, const char *text,
			const struct pario_reading **classes, size_t count)
{
	if (!count)
		return;
	pario_trace_table_open(s, classes[0], title, text, columns);
	for (size_t i = 0; i < count && i < ROWS; i++)
		add_row(s, classes[i]);
	pario_trace_table_close(s, count > ROWS ? (double)(count - ROWS) : 0);
}

void pario_picture_profile(struct pario_section *s, const struct pario_picture *p)
{
	const struct pario_archive *a = s->groups->archive;
	const struct pario_reading **classes = calloc(a->reading_count + 1, sizeof(*classes));

	s->canvas->out->failed |= !classes;
	for (size_t v = 0; classes && v < a->volume_count; v++) {
		size_t count = gather(s, v, true, classes);

		if (count) {
			add_bars(s, p, classes, count);
			add_boxes(s, classes, count);
		}
		add_classes(s, "Call classes",
			    "On storage. Quantiles are of the single calls of a class.", classes,
			    count);
		count = gather(s, v, false, classes);
		add_classes(
			s, "Call classes that are not storage",
			"Pipes, sockets, terminals, messages, starting programs: in none of the pictures.",
			classes, count);
	}
	free(classes);
}
