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

/* Copies the results of a point that the session holds, at one client count or (0) at all; returns how many. */
size_t pario_sink_gather(const struct pario_session *session, uint64_t point, uint64_t clients,
			 const char *phase, struct pario_result *group);

/*
 * Prints the results that were collected, a point's phases each as one entry, and how its rates change over its client
 * counts; then forgets them.
 */
void pario_sink_tables(struct pario_session *session);

void pario_sink_clear_progress(struct pario_session *session);

/* The last words: where the results are, what was kept. */
void pario_sink_closing(struct pario_session *session, const struct pario_text *kept);

#endif
