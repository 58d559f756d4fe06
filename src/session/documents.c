/*
 * documents: makes each document from the closed journal, just as a later reader would.
 */
#include "session/documents.h"

#include <stdio.h>
#include <string.h>

#include "base/output.h"
#include "console/console.h"
#include "report/page/document.h"
#include "tests/report/reports.h"

/* A new run replaces nothing; one that is taken up again its own documents, which begin with the same line. */
static int put(const struct pario_session *session, const char *name, const struct pario_text *text,
	       struct pario_err *err)
{
	const char *first = pario_text_string(text) + strspn(pario_text_string(text), "\n");
	char line[256];
	struct pario_output_rule rule = { .mark = line, .fresh = !session->resume || !*first };
	struct pario_err why = { 0 };

	snprintf(line, sizeof(line), "%.*s", (int)strcspn(first, "\n"), first);
	if (pario_output_text(session->dirfd, name, &rule, text, &why) == 0)
		return 0;
	return pario_err_set(err, PARIO_SYSTEM,
			     "%s/%s was not written: %s The journal beside it is complete.",
			     session->directory, name, why.text);
}

/* "name.txt" becomes "name_3.txt". */
static void name_of(const struct pario_document *document, size_t number, char *name,
		    size_t capacity)
{
	const char *file = document->file, *dot = strrchr(file, '.');
	int stem = (int)(dot ? dot - file : (ptrdiff_t)strlen(file));

	if (number == 0)
		snprintf(name, capacity, "%s", file);
	else
		snprintf(name, capacity, "%.*s_%zu%s", stem, file, number, dot ? dot : "");
}

/* A file for each result that has something to say. */
static int make_each(const struct pario_session *session, const struct pario_document *document,
		     const struct pario_history *history, struct pario_err *err)
{
	char name[128];
	struct pario_text text = { 0 };
	size_t number = 0;
	int status = 0;

	for (size_t i = 0; i < history->result_count && status == 0; i++) {
		pario_text_clear(&text);
		status = document->write_each(history->results[i], &text, err);
		if (status < 0 || text.length == 0)
			continue;
		name_of(document, ++number, name, sizeof(name));
		status = put(session, name, &text, err);
	}
	pario_text_release(&text);
	return status;
}

/* No wider than the terminal; the file has its lines whole. */
static void show(const struct pario_session *session, const struct pario_text *text)
{
	enum { INDENT = 8 };
	struct pario_text wrapped = { 0 };

	pario_style_wrap(&session->style, pario_text_string(text), INDENT, &wrapped);
	pario_console_show_lines(pario_text_string(&wrapped));
	pario_text_release(&wrapped);
}

static int make(const struct pario_session *session, const struct pario_document *document,
		const struct pario_history *history, struct pario_err *err)
{
	struct pario_text text = { 0 };
	char name[128];
	/* A command that makes a page of its own out of many results shows that and no other. */
	bool shows = !session->quiet && !session->json && !session->collects;
	int status = document->write(history, &text, err);

	name_of(document, 0, name, sizeof(name));
	if (status == 0 && text.length > 0)
		status = put(session, name, &text, err);
	if (status == 0 && text.length > 0 && document->shown && shows) {
		printf("\n");
		show(session, &text);
	}
	pario_text_release(&text);
	return status;
}

int pario_documents_write(const struct pario_session *session, struct pario_err *err)
{
	struct pario_history history;
	int status = 0;

	if (pario_history_load(&history, session->directory, err) < 0)
		return -1;
	/* One that cannot be written takes no other with it. */
	for (const struct pario_document *const *d = pario_test_reports.documents; *d; d++) {
		const struct pario_document *document = *d;

		if (pario_document_applies(document, &history) &&
		    (document->write_each ? make_each : make)(session, document, &history,
							      status == 0 ? err : NULL) < 0)
			status = -1;
	}
	pario_history_release(&history);
	return status;
}
