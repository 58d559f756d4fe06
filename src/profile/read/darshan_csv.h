/*
 * darshan_csv: every counter of a Darshan log, and every call that DXT recorded, a line each.
 */
#ifndef PARIO_PROFILE_READ_DARSHAN_CSV_H
#define PARIO_PROFILE_READ_DARSHAN_CSV_H

#include <stdbool.h>

#include "base/err.h"

/* `force`: replace a file that is not pario's. */
int pario_darshan_csv(const char *log, const char *csv, bool force, struct pario_err *err);

#endif
