/*
 * striping: --stripe_count and --stripe_size of a run: by the file system's own tool where it has one, else as MPI-IO
 * hints.
 */
#ifndef PARIO_SESSION_STRIPING_H
#define PARIO_SESSION_STRIPING_H

#include "session/session.h"

/* Before the plan is settled: where no tool sets them, they become the MPI-IO hints that mean the same. */
int pario_striping_hints(struct pario_plan *plan, struct pario_err *err);

/* Before anything is made: refuses what neither a tool nor a hint can do. */
int pario_striping_check(const struct pario_plan *plan, struct pario_err *err);

/* Client 0, when the workspace is there and empty: sets them, and says in the journal what is in force. */
int pario_striping_apply(struct pario_session *session, const struct pario_plan *plan,
			 struct pario_err *err);

#endif
