/*
 * sink: where results, notes and progress of a session go: the journal first, then standard output and error.
 */
#ifndef PARIO_SESSION_SINK_H
#define PARIO_SESSION_SINK_H

#include "session/session.h"

void pario_sink_init(struct pario_session *session);

/* A result that the journal holds already: only for the table. */
int pario_sink_known(struct pario_session *session, const struct pario_result *result,
		     struct pario_err *err);

/* Prints the results collected since the last call, a point's phases each as one entry. */
void pario_sink_table(struct pario_session *session);

/* Says how a point's rates change over its client counts, then forgets its results. */
void pario_sink_scaling(struct pario_session *session);

void pario_sink_clear_progress(struct pario_session *session);

/* The last words: where the results are, what was kept. */
void pario_sink_closing(struct pario_session *session, const struct pario_text *kept);

#endif
