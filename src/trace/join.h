/*
 * join: one trace of several, where the nodes of a job had no directory in common.
 */
#ifndef PARIO_TRACE_JOIN_H
#define PARIO_TRACE_JOIN_H

#include "trace/pack.h"

/*
 * Writes the traces and the directories of segments `from`, up to a NULL, into the new trace `to`. They are only read.
 * Traces of different jobs and an input given twice are errors.
 */
int pario_join(const char *to, char *const *from, bool force, struct pario_err *err);

#endif
