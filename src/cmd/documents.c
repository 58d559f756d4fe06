/*
 * documents: the journal is closed by now and each document is made from it, as a later reader would make it.
 */
#include "cmd/documents.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "report/document.h"

static int put(const char *path, const struct pario_text *text, struct pario_err *err)
{
	FILE *file = fopen(path, "we");
	int failed = !file;

	if (file) {
		failed = fputs(pario_text_string(text), file) < 0;
		failed |= fclose(file) != 0;
	}
	if (failed)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"could not write \"%s\": %s. The journal beside it is complete.", path,
			strerror(errno));
	return 0;
}

/* "name.txt" becomes "name_3.txt". */
static void path_of(const struct pario_session *session, const struct pario_document *document,
		    size_t number, char *path, size_t room)
{
	const char *file = document->file, *dot = strrchr(file, '.');
	int stem = (int)(dot ? dot - file : (ptrdiff_t)strlen(file));

	if (number == 0)
		snprintf(path, room, "%s/%s", session->directory, file);
	else
		snprintf(path, room, "%s/%.*s_%zu%s", session->directory, stem, file, number,
			 dot ? dot : "");
}

/* A file for each result that has something to say. */
static int make_each(const struct pario_session *session, const struct pario_document *document,
		     const struct pario_history *history, struct pario_err *err)
{
	char path[sizeof(session->directory) + 64];
	struct pario_text text = { 0 };
	size_t number = 0;
	int status = 0;

	for (size_t i = 0; i < history->result_count && status == 0; i++) {
		pario_text_clear(&text);
		status = document->write_each(history->results[i], &text, err);
		if (status < 0 || text.length == 0)
			continue;
		path_of(session, document, ++number, path, sizeof(path));
		status = put(path, &text, err);
	}
	pario_text_release(&text);
	return status;
}

static int make(const struct pario_session *session, const struct pario_document *document,
		const struct pario_history *history, struct pario_err *err)
{
	struct pario_text text = { 0 };
	char path[sizeof(session->directory) + 64];
	/* A command that makes a page of its own out of many results shows that and no other. */
	bool shows = !session->quiet && !session->json && !session->collects;
	int status = document->write(history, &text, err);

	path_of(session, document, 0, path, sizeof(path));
	if (status == 0 && text.length > 0)
		status = put(path, &text, err);
	if (status == 0 && text.length > 0 && document->shown && shows) {
		printf("\n");
		pario_cmd_show_lines(pario_text_string(&text));
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
	for (size_t i = 0; pario_documents[i]; i++) {
		const struct pario_document *document = pario_documents[i];

		if (pario_document_applies(document, &history) &&
		    (document->write_each ? make_each : make)(session, document, &history,
							      status == 0 ? err : NULL) < 0)
			status = -1;
	}
	pario_history_release(&history);
	return status;
}
