/*
 * glance_conclusion: table and findings as the terminal shows them, and notes of the journal from which the page makes
 * the same.
 */
#include "cmd/glance_conclusion.h"

#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "journal/history.h"
#include "report/compare/earlier.h"
#include "report/text/findings.h"
#include "report/text/promise.h"
#include "session/sink.h"

/* Where the second column of the table begins. */
enum { WHAT_INDENT = 20 };

/* A command is to be copied as it stands: it names the directory, where that needs no quoting. */
static void name_directory(struct pario_finding *finding, const char *dir)
{
	static const char command[] = "pario survey ";
	char next[sizeof(finding->next)];
	char *at = strstr(finding->next, command);
	size_t plain =
		strspn(dir, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-");
	int length;

	if (!at || dir[plain] || dir[0] == '-' || strcmp(dir, ".") == 0)
		return;
	at += sizeof(command) - 1;
	length = snprintf(next, sizeof(next), "%.*s%s %s", (int)(at - finding->next), finding->next,
			  dir, at);
	if (length < (int)sizeof(next))
		memcpy(finding->next, next, (size_t)length + 1);
}

/* The latest survey of this directory that was made on this host and lies beside the results. */
static void ask_survey(const struct pario_session *s, struct pario_finding *findings, size_t count)
{
	char beside[sizeof(s->directory)];
	struct pario_finding_set *set = malloc(sizeof(*set));
	struct pario_history history = { 0 };
	struct pario_earlier_run run;
	struct pario_err err = { 0 };
	struct utsname name;
	const json_t *survey = NULL;

	snprintf(beside, sizeof(beside), "%s", s->directory);
	if (set && count && uname(&name) == 0 &&
	    pario_earlier_latest(dirname(beside), "survey", name.nodename, s->settings.dir, &run) &&
	    pario_history_load(&history, run.path, &err) == 0)
		survey = pario_record_find(history.notes, history.note_count);
	if (survey && pario_record_read(survey, set, &err) == 0) {
		pario_findings_promise(set, run.time, findings, count);
		pario_space_release(&set->space);
	}
	pario_history_release(&history);
	free(set);
}

/* Findings are numbered from 1; 0 is what they say as a whole. */
static int record_finding(struct pario_session *s, size_t number, const char *text,
			  const char *next, struct pario_err *err)
{
	pario_journal_line(&s->line, "note");
	pario_json_string(&s->line, "level", "info");
	pario_json_string(&s->line, "text", text);
	pario_json_string(&s->line, "next", next);
	pario_json_u64(&s->line, "finding", number);
	return pario_journal_append(&s->journal, &s->line, err);
}

static int record_findings(struct pario_session *s, const struct pario_finding *findings,
			   size_t found, const struct pario_region *regions, size_t count,
			   struct pario_err *err)
{
	struct pario_text verdict = { 0 };
	int status;

	pario_findings_verdict(&verdict, found, regions, count);
	status = record_finding(s, 0, pario_text_string(&verdict), "", err);
	pario_text_release(&verdict);
	for (size_t i = 0; i < found && status == 0; i++)
		status = record_finding(s, i + 1, findings[i].text, findings[i].next, err);
	return status;
}

/* The table as the terminal shows it, for the page: one run has one table. */
static int record(struct pario_session *s, const struct pario_region *regions, size_t count,
		  struct pario_err *err)
{
	struct pario_json *j = &s->line;

	pario_journal_line(j, "note");
	pario_json_string(j, "level", "info");
	pario_json_string(j, "text", "the table of the set");
	pario_json_string(j, "next", "");
	pario_json_open(j, "table", '[');
	for (size_t i = 0; i < count; i++) {
		const struct pario_region *r = &regions[i];
		struct pario_region_cells cells;

		pario_region_cells(r, &cells);
		pario_json_open(j, NULL, '{');
		pario_json_string(j, "region", r->region);
		pario_json_string(j, "what", r->what);
		pario_json_string(j, "result", cells.number);
		pario_json_string(j, "interval", cells.interval);
		pario_json_string(j, "limit", r->limit ? r->limit : "");
		pario_json_real(j, "share", r->limit ? r->share : (double)NAN);
		pario_json_string(j, "look", pario_text_string(&cells.look));
		pario_json_u64(j, "clients", r->count ? r->clients[r->count - 1] : 0);
		pario_json_bool(j, "doubt", r->suspect || r->failed);
		pario_json_close(j, '}');
		pario_text_release(&cells.look);
	}
	pario_json_close(j, ']');
	return pario_journal_append(&s->journal, j, err);
}

int pario_glance_conclude(struct pario_session *s, const struct pario_region *regions, size_t count,
			  struct pario_err *err)
{
	struct pario_finding findings[PARIO_FINDINGS_MAX];
	size_t found = pario_findings_of(regions, count, findings);
	struct pario_text out = { 0 }, wrapped = { 0 };

	for (size_t i = 0; i < found; i++)
		name_directory(&findings[i], s->settings.dir);
	ask_survey(s, findings, found);
	if (record(s, regions, count, err) < 0 ||
	    record_findings(s, findings, found, regions, count, err) < 0)
		return -1;
	if (!s->quiet && !s->json) {
		pario_region_table(&out, &s->style, regions, count);
		pario_findings_add(&out, findings, found, regions, count);
		pario_style_wrap(&s->style, pario_text_string(&out),
				 s->style.columns >= 3 * WHAT_INDENT ? WHAT_INDENT : 4, &wrapped);
		fputs(pario_text_string(&wrapped), stdout);
		fflush(stdout);
	}
	pario_text_clear(&out);
	pario_budget_say(s->budget, &out);
	if (out.length)
		s->sink.note(&s->sink, "warning", pario_text_string(&out),
			     "Use more --minutes, or fewer --parts");
	pario_text_release(&wrapped);
	pario_text_release(&out);
	return 0;
}
