/*
 * sink: writes a result to the journal first, then shows it.
 */
#include "session/sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "console/console.h"
#include "report/page/document.h"
#include "report/text/quantity.h"
#include "report/text/region.h"
#include "report/text/result_lines.h"
#include "report/text/number_table.h"
#include "report/text/scaling.h"
#include "tests/report/reports.h"
#include "tests/tests.h"

/* Of the second and third line of an entry, of a line of the table, and of a line about scaling. */
enum { ENTRY_INDENT = 8, TABLE_INDENT = 4, SCALING_INDENT = 10 };

/* So many kinds of operations of one point get an entry each, more of them a table. */
enum { ENTRIES_MOST = 4 };

static struct pario_session *session_of(struct pario_sink *sink)
{
	return (struct pario_session *)(void *)sink;
}

static void write_params(struct pario_json *j, const struct pario_bound *bound)
{
	char text[600];

	pario_json_open(j, "params", '{');
	snprintf(text, sizeof(text), "%s", bound->name);
	for (char *rest = text, *pair; (pair = pario_text_word(&rest, " "));) {
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
	s->done++;
	s->suspects += result->outcome == PARIO_SUSPECT;
	s->failures += result->outcome == PARIO_FAIL;
	if (!s->collects && s->result_count == PARIO_SESSION_SHOWN) {
		s->not_shown++;
		return 0;
	}
	if (!pario_grow(s->results, s->result_count, s->result_capacity))
		return pario_err_memory(err, "the results");
	s->results[s->result_count] = *result;
	s->results[s->result_count].detail = NULL;
	s->results[s->result_count].disturbances = NULL;
	s->results[s->result_count++].tables = NULL; /* they go to the journal only */
	return 0;
}

/* Has no repetition of this failed before? Where not all are held, only the very first failure counts. */
static bool fails_first(const struct pario_session *s, const struct pario_result *result)
{
	size_t before = s->not_shown ? s->result_count : s->result_count - 1;

	for (size_t i = 0; i < before; i++) {
		const struct pario_result *r = &s->results[i];

		if (r->outcome == PARIO_FAIL && r->point_index == result->point_index &&
		    r->clients == result->clients && strcmp(r->phase, result->phase) == 0)
			return false;
	}
	return !s->not_shown || s->failures == 1;
}

/*
 * At once: cleaning up comes next, and where that hangs, what is said then is not what was wrong. Also with --quiet, as
 * every error. Of the many points of a set the first is said, and its table shows the others.
 */
static void say_failure(struct pario_session *s, const struct pario_result *result)
{
	struct pario_text text = { 0 };

	if (result->outcome != PARIO_FAIL ||
	    (s->collects ? s->failures > 1 : !fails_first(s, result)))
		return;
	pario_result_failures_add(&text, result, 1);
	pario_progress_thread_pause(&s->progress);
	pario_console_warn("%s", pario_text_string(&text));
	pario_progress_thread_resume(&s->progress);
	pario_text_release(&text);
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
	if (pario_journal_append(&s->journal, &s->line, err) < 0)
		return -1;
	say_failure(s, result);
	return 0;
}

/* Returns -1 when the journal cannot be written. */
static int write_note(struct pario_session *s, const char *level, const char *text,
		      const char *next, struct pario_err *err)
{
	if (s->journal.fd < 0 || s->journal.lines == 0)
		return 0;
	pario_journal_line(&s->line, "note");
	pario_json_string(&s->line, "level", level);
	pario_json_string(&s->line, "text", text);
	pario_json_string(&s->line, "next", next);
	return pario_journal_append(&s->journal, &s->line, err);
}

static void take_failure(struct pario_sink *sink, const struct pario_err *err)
{
	struct pario_session *s = session_of(sink);
	struct pario_err told = *err, unread = { 0 };

	if (strcmp(s->failure.text, err->text) == 0)
		return;
	s->failure = *err;
	pario_comm_seen(&told);
	pario_progress_thread_pause(&s->progress);
	pario_console_say(&told);
	pario_progress_thread_resume(&s->progress);
	/* what cannot be written may be why */
	write_note(s, "warning", told.text, "", &unread);
}

static void take_note(struct pario_sink *sink, const char *level, const char *text,
		      const char *next)
{
	struct pario_session *s = session_of(sink);
	struct pario_err err = { 0 };

	if (write_note(s, level, text, next, &err) < 0) {
		pario_comm_seen(&err);
		s->code = s->code ? s->code : (int)err.code;
		pario_console_say(&err);
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
			   .expected_s = s->expected_s,
			   .ends_s = s->ends_s,
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
	double log_s = session->quiet || session->json ? 0 : session->settings.progress;

	session->sink = (struct pario_sink){ take_result, take_note, take_failure, take_progress };
	pario_progress_thread_start(&session->progress, &session->style, log_s);
}

void pario_sink_clear_progress(struct pario_session *session)
{
	pario_progress_thread_clear(&session->progress);
}

size_t pario_sink_gather(const struct pario_session *s, uint64_t point, uint64_t clients,
			 const char *phase, struct pario_result *group)
{
	size_t n = 0;

	for (size_t i = 0; i < s->result_count; i++) {
		const struct pario_result *r = &s->results[i];

		if (r->point_index == point && (!clients || r->clients == clients) &&
		    strcmp(r->phase, phase) == 0)
			group[n++] = *r;
	}
	return n;
}

/* Is result i the first of its point (and client count, and phase)? */
static bool is_first(const struct pario_session *s, size_t i, bool clients, bool phase)
{
	const struct pario_result *r = s->results;

	for (size_t k = 0; k < i; k++) {
		if (r[k].point_index == r[i].point_index &&
		    (!clients || r[k].clients == r[i].clients) &&
		    (!phase || strcmp(r[k].phase, r[i].phase) == 0))
			return false;
	}
	return true;
}

/* Is there a document at the end that says all of this, in its own way? */
static bool told_later(const struct pario_session *s)
{
	const struct pario_document *const *d = pario_test_reports.documents;

	while (*d && !((*d)->instead && strcmp((*d)->test, s->command) == 0))
		d++;
	return *d && s->tables && !s->collects;
}

static void show(const struct pario_session *s, const struct pario_text *lines, unsigned indent)
{
	struct pario_text wrapped = { 0 };

	if (s->quiet || s->json || told_later(s))
		return;
	pario_style_wrap(&s->style, pario_text_string(lines), indent, &wrapped);
	fputs(pario_text_string(&wrapped), stdout);
	pario_text_release(&wrapped);
}

/*
 * One point with one client count: the results come repetition by repetition, people want them phase by phase. An entry
 * each, or a line of the table.
 */
static void show_point(const struct pario_session *s, size_t first, struct pario_result *group,
		       struct pario_number_table *table)
{
	const struct pario_result *r = &s->results[first];
	struct pario_text out = { 0 }, failures = { 0 };

	for (size_t i = first; i < s->result_count; i++) {
		size_t n;

		if (s->results[i].point_index != r->point_index ||
		    s->results[i].clients != r->clients || !is_first(s, i, true, true))
			continue;
		n = pario_sink_gather(s, r->point_index, r->clients, s->results[i].phase, group);
		if (table)
			pario_number_table_take(table, group, n);
		else
			pario_result_lines_add(&out, &s->style, group, n, s->settings.verbose);
		pario_text_clear(&failures);
		pario_result_failures_add(&failures, group, n);
		/* one alone was said when it happened, or by the run that is gone on with */
		if (failures.length && !s->quiet && (n > 1 || s->done != s->written))
			pario_console_warn("%s", pario_text_string(&failures));
	}
	pario_text_release(&failures);
	show(s, &out, ENTRY_INDENT);
	pario_text_release(&out);
}

/* How the rates of a point change over its client counts; of one of several points, which. */
static void show_scaling(struct pario_session *s, size_t first, bool alone,
			 struct pario_result *group)
{
	uint64_t point = s->results[first].point_index;
	struct pario_text out = { 0 }, line = { 0 };

	for (size_t i = first; i < s->result_count; i++) {
		const struct pario_result *r = &s->results[i];
		struct pario_region region = { .id = "", .region = "", .what = r->phase };

		if (r->point_index != point || !r->phase[0] || !is_first(s, i, false, true))
			continue;
		region.value = r->bytes ? PARIO_REGION_RATE : PARIO_REGION_OPS;
		pario_region_take(&region, group, pario_sink_gather(s, point, 0, r->phase, group),
				  r->phase);
		pario_text_clear(&out);
		pario_scaling_add(&out, &region);
		if (!out.length)
			continue;
		pario_text_clear(&line);
		pario_text_add(&line, " scaling  ");
		if (!alone)
			pario_text_clean(&line, r->point);
		pario_text_add(&line, "%s%s", alone ? "" : ": ", pario_text_string(&out));
		if (alone || s->settings.verbose)
			show(s, &line, SCALING_INDENT);
		s->sink.note(&s->sink, "info", pario_text_string(&out), "");
	}
	pario_text_release(&out);
	pario_text_release(&line);
}

/* A sweep is for comparing, and so are many kinds of operations. The page has the details. */
static bool wants_table(const struct pario_session *s)
{
	size_t places = 0, kinds = 0, operations = 0;

	for (size_t i = 0; i < s->result_count; i++) {
		places += is_first(s, i, true, false);
		if (is_first(s, i, true, true)) {
			kinds++;
			operations += s->results[i].bytes == 0 && !s->results[i].headline[0];
		}
	}
	return places > 1 || (kinds > ENTRIES_MOST && operations == kinds);
}

static void show_points(struct pario_session *s, struct pario_result *group,
			struct pario_number_table *table)
{
	for (size_t i = 0; i < s->result_count; i++) {
		if (!is_first(s, i, false, false))
			continue;
		for (size_t k = i; k < s->result_count; k++) {
			if (s->results[k].point_index == s->results[i].point_index &&
			    is_first(s, k, true, false))
				show_point(s, k, group, table);
		}
		if (!table)
			show_scaling(s, i, true, group);
	}
}

/* Several points, and not several client counts of one. */
static bool has_points(const struct pario_session *s)
{
	for (size_t i = 1; i < s->result_count; i++) {
		if (s->results[i].point_index != s->results[0].point_index)
			return true;
	}
	return false;
}

static void say_not_shown(struct pario_session *s)
{
	if (s->not_shown && !s->quiet)
		pario_console_warn(
			"the table is of the first %zu results; %llu more are in the journal, "
			"and `pario report %s --csv FILE` counts them all.",
			s->result_count, (unsigned long long)s->not_shown, s->directory);
	s->not_shown = 0;
}

void pario_sink_tables(struct pario_session *s)
{
	struct pario_result *group = malloc((s->result_count + 1) * sizeof(*group));
	struct pario_number_table table = { 0 };
	struct pario_text out = { 0 };

	pario_sink_clear_progress(s);
	if (group && wants_table(s)) {
		show_points(s, group, &table);
		pario_number_table_add(&out, &s->style, &table, s->settings.verbose);
		show(s, &out, TABLE_INDENT);
		for (size_t i = 0; i < s->result_count; i++) {
			if (is_first(s, i, false, false))
				show_scaling(s, i, !has_points(s), group);
		}
	} else if (group) {
		show_points(s, group, NULL);
	}
	fflush(stdout);
	say_not_shown(s);
	pario_text_release(&out);
	pario_number_table_release(&table);
	free(group);
	s->result_count = 0;
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
	if (session->quiet && !session->json && session->settings.print_path) {
		pario_console_show(session->directory);
		printf("\n");
		fflush(stdout);
	}
	if (session->quiet || session->json)
		return;
	if (session->code == PARIO_INTERRUPTED && session->once)
		pario_console_warn("stopped; what was measured until then is in the journal.");
	else if (session->code == PARIO_INTERRUPTED)
		pario_console_warn("stopped; what was measured until then is in the journal. Go on "
				   "with `pario %s%s --resume %s`.",
				   pario_test_by_name(session->command) ? "run " : "",
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
