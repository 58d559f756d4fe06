/*
 * documents: files that a test's definition asks for beyond the journal, written and shown when a run ends.
 */
#ifndef PARIO_SESSION_DOCUMENTS_H
#define PARIO_SESSION_DOCUMENTS_H

#include "base/err.h"
#include "session/session.h"

/* Reads the closed journal and writes every document that applies into the run directory. */
int pario_documents_write(const struct pario_session *session, struct pario_err *err);

#endif
