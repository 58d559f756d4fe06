/*
 * documents: the journal is closed by now and each document is made from it, as a later reader would make it.
 */
#include "cmd/documents.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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

static int make(const struct pario_session *session, const struct pario_document *document,
		const struct pario_history *history, struct pario_err *err)
{
	struct pario_text text = { 0 };
	char path[sizeof(session->directory) + 64];
	/* A command that makes a page of its own out of many results shows that and no other. */
	bool shows = !session->quiet && !session->json && !session->collects;
	int status = document->write(history, &text, err);

	snprintf(path, sizeof(path), "%s/%s", session->directory, document->file);
	if (status == 0 && text.length > 0)
		status = put(path, &text, err);
	if (status == 0 && text.length > 0 && document->shown && shows)
		printf("\n%s", pario_text_string(&text));
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
	for (size_t i = 0; pario_documents[i]; i++)
		if (pario_document_applies(pario_documents[i], &history) &&
		    make(session, pario_documents[i], &history, status == 0 ? err : NULL) < 0)
			status = -1;
	pario_history_release(&history);
	return status;
}
