/*
 * sink: writes a result to the journal first, then shows it.
 */
#include "session/sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console/console.h"
#include "report/text/quantity.h"
#include "report/text/region.h"
#include "report/text/result_lines.h"
#include "report/text/scaling.h"
#include "tests/tests.h"

/* Of the second and third line of an entry, and of a line about scaling. */
enum { ENTRY_INDENT = 8, SCALING_INDENT = 10 };

static struct pario_session *session_of(struct pario_sink *sink)
{
	return (struct pario_session *)(void *)sink;
}

static void write_params(struct pario_json *j, const struct pario_bound *bound)
{
	char text[600], *save = NULL;

	pario_json_open(j, "params", '{');
	snprintf(text, sizeof(text), "%s", bound->name);
	for (char *pair = strtok_r(text, " ", &save); pair; pair = strtok_r(NULL, " ", &save)) {
		char *equals = strchr(pair, '=');

		if (equals) {
			*equals = '\0';
			pario_json_string(j, pair, equals + 1);
		}
	}
	pario_json_close(j, '}');
}

int pario_sink_known(struct pario_session *s, const struct pario_result *result,
		     struct pario_err *err)
{
	if (s->result_count == s->result_capacity) {
		size_t capacity = s->result_capacity ? 2 * s->result_capacity : 64;
		struct pario_result *more = realloc(s->results, capacity * sizeof(*more));

		if (!more)
			return pario_err_set(err, PARIO_SYSTEM, "no memory for the results.");
		s->results = more;
		s->result_capacity = capacity;
	}
	s->results[s->result_count] = *result;
	s->results[s->result_count++].tables = NULL; /* they go to the journal only */
	s->done++;
	s->suspects += result->outcome == PARIO_SUSPECT;
	s->failures += result->outcome == PARIO_FAIL;
	return 0;
}

static int take_result(struct pario_sink *sink, const struct pario_bound *bound,
		       const struct pario_result *result, struct pario_err *err)
{
	struct pario_session *s = session_of(sink);

	if (pario_sink_known(s, result, err) < 0)
		return -1;
	pario_progress_thread_end(&s->progress);
	s->written++;
	s->tables |= result->tables && result->tables->count;
	pario_journal_line(&s->line, "result");
	pario_result_write(&s->line, result);
	write_params(&s->line, bound);
	return pario_journal_append(&s->journal, &s->line, err);
}

static void take_note(struct pario_sink *sink, const char *level, const char *text,
		      const char *next)
{
	struct pario_session *s = session_of(sink);
	struct pario_err err = { 0 };

	if (s->journal.fd >= 0) {
		pario_journal_line(&s->line, "note");
		pario_json_string(&s->line, "level", level);
		pario_json_string(&s->line, "text", text);
		pario_json_string(&s->line, "next", next);
		pario_journal_append(&s->journal, &s->line, &err);
	}
	/* Information is for the journal; people get warnings. */
	if (s->quiet || strcmp(level, "warning") != 0)
		return;
	pario_progress_thread_pause(&s->progress);
	pario_console_warn("%s.%s%s%s", text, *next ? " " : "", next, *next ? "." : "");
	pario_progress_thread_resume(&s->progress);
}

static void take_progress(struct pario_sink *sink, const struct pario_bound *bound,
			  const struct pario_phase *phase, uint64_t repetition,
			  const struct pario_meter *meter)
{
	struct pario_session *s = session_of(sink);
	const struct pario_result *last = s->result_count ? &s->results[s->result_count - 1] : NULL;
	struct pario_progress_thread_phase now = {
		.state = { .done = s->done,
			   .planned = s->planned,
			   .test = bound->point.test->name,
			   .phase = phase->name,
			   .clients = bound->point.clients,
			   .repetition = repetition },
		.meter = meter,
		.expected_bytes = bound->layout.data_bytes / bound->point.clients,
		.limit_s = phase->whole ? 0 : bound->settings.time_limit,
	};

	if (last) {
		struct pario_summary summary = pario_summary_of(last, 1);

		now.state.last_phase = last->phase;
		now.state.last_value = summary.median;
		now.state.last_unit = pario_quantity_unit(last);
	}
	pario_progress_thread_begin(&s->progress, &now);
}

void pario_sink_init(struct pario_session *session)
{
	session->sink = (struct pario_sink){ take_result, take_note, take_progress };
	pario_progress_thread_start(&session->progress, &session->style);
}

void pario_sink_clear_progress(struct pario_session *session)
{
	pario_progress_thread_clear(&session->progress);
}

void pario_sink_table(struct pario_session *session)
{
	struct pario_text out = { 0 }, wrapped = { 0 };
	struct pario_result *group =
		malloc((session->result_count - session->shown + 1) * sizeof(*group));

	for (size_t i = session->shown; group && i < session->result_count; i++) {
		size_t n = 0;

		/* The results of a point come repetition by repetition; the table wants phase by phase. */
		for (size_t k = session->shown; k < i && n == 0; k++)
			n += strcmp(session->results[k].phase, session->results[i].phase) == 0;
		if (n > 0)
			continue;
		for (size_t k = i; k < session->result_count; k++) {
			if (strcmp(session->results[k].phase, session->results[i].phase) == 0)
				group[n++] = session->results[k];
		}
		pario_result_lines_add(&out, &session->style, group, n);
	}
	pario_sink_clear_progress(session);
	pario_style_wrap(&session->style, pario_text_string(&out), ENTRY_INDENT, &wrapped);
	if (!session->quiet && !session->json)
		fputs(pario_text_string(&wrapped), stdout);
	fflush(stdout);
	pario_text_release(&wrapped);
	pario_text_release(&out);
	free(group);
	session->shown = session->result_count;
}

static void show_scaling(const struct pario_style *style, const char *text)
{
	struct pario_text line = { 0 }, wrapped = { 0 };

	pario_text_add(&line, " scaling  %s", text);
	pario_style_wrap(style, pario_text_string(&line), SCALING_INDENT, &wrapped);
	fputs(pario_text_string(&wrapped), stdout);
	pario_text_release(&line);
	pario_text_release(&wrapped);
}

void pario_sink_scaling(struct pario_session *session)
{
	const struct pario_result *r = session->results;
	struct pario_text out = { 0 };

	for (size_t i = 0; i < session->result_count; i++) {
		struct pario_region region = { .id = "", .region = "", .what = r[i].phase };
		size_t k = 0;

		while (strcmp(r[k].phase, r[i].phase) != 0)
			k++;
		if (k < i || !r[i].phase[0])
			continue;
		region.value = r[i].bytes ? PARIO_REGION_RATE : PARIO_REGION_OPS;
		pario_region_take(&region, r, session->result_count, r[i].phase);
		pario_text_clear(&out);
		pario_scaling_add(&out, &region);
		if (!out.length)
			continue;
		if (!session->quiet && !session->json)
			show_scaling(&session->style, pario_text_string(&out));
		session->sink.note(&session->sink, "info", pario_text_string(&out), "");
	}
	pario_text_release(&out);
	session->result_count = session->shown = 0;
}

static void show_kept(const struct pario_text *kept)
{
	const char *path = pario_text_string(kept);

	printf("\nkept:\n");
	for (const char *end = path + kept->length; path < end; path += strlen(path) + 1) {
		pario_console_show(path);
		printf("\n");
	}
}

void pario_sink_closing(struct pario_session *session, const struct pario_text *kept)
{
	if (session->quiet || session->json)
		return;
	if (session->code == PARIO_INTERRUPTED)
		pario_console_warn("stopped; what was measured until then is in the journal. Go on "
				   "with `pario %s%s --resume %s`.",
				   pario_test_find(session->command) ? "run " : "",
				   session->command, session->directory);
	if (kept->length)
		show_kept(kept);
	printf("\n");
	pario_console_show(session->directory);
	printf("/journal.jsonl\n");
	if (session->reported) {
		pario_console_show(session->directory);
		printf("/report.html\n");
	}
	fflush(stdout);
}
