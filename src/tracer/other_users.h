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

/*
 * What a killed `pario trace` of this user left, but not what one that runs holds; `found` (may be NULL) is told of
 * each whether it is gone now.
 */
void pario_others_clean(void (*found)(bool removed, const char *path));

#endif
