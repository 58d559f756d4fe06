/*
 * counters: the records of modules with a fixed number of counters.
 */
#ifndef PARIO_DARSHAN_COUNTERS_H
#define PARIO_DARSHAN_COUNTERS_H

#include "darshan/log.h"

struct pario_darshan_stream;

/* All records of a module; PARIO_DARSHAN_UNKNOWN where the version is not known. */
int pario_darshan_counters_read(struct pario_darshan_stream *stream, const char *module,
				uint32_t version, const struct pario_darshan_see *see,
				struct pario_err *err);

#endif
