/*
 * glance_conclusion: the end of a glance: its table, what stands out, and what the time was not enough for.
 */
#ifndef PARIO_CMD_GLANCE_CONCLUSION_H
#define PARIO_CMD_GLANCE_CONCLUSION_H

#include <stddef.h>

#include "base/err.h"
#include "report/text/region.h"
#include "session/session.h"

/* For the journal and for people. */
int pario_glance_conclude(struct pario_session *session, const struct pario_region *regions,
			  size_t count, struct pario_err *err);

#endif
