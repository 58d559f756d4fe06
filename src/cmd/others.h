/*
 * others: a place for the segments of processes that have become another user (runuser, setpriv, su), who cannot reach the
 * directory beside the trace.
 */
#ifndef PARIO_CMD_OTHERS_H
#define PARIO_CMD_OTHERS_H

#include "cmd/tracing.h"

/* Makes it, for root only: nobody else's processes can become another user. Where that fails there is none. */
void pario_others_make(struct pario_tracing *t);

void pario_others_remove(struct pario_tracing *t);

#endif
