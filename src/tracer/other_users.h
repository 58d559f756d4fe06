/*
 * other_users: a place for the segments of processes that have become another user (runuser, setpriv, su), who cannot
 * reach the directory beside the trace.
 */
#ifndef PARIO_TRACER_OTHER_USERS_H
#define PARIO_TRACER_OTHER_USERS_H

#include "tracer/setup.h"

/* Makes it, for root only: nobody else's processes can become another user. Where that fails there is none. */
void pario_others_make(struct pario_tracing *t);

void pario_others_remove(struct pario_tracing *t);

#endif
