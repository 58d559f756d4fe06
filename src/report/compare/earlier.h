/*
 * earlier: runs that tell how far runs of the same thing scatter on this system.
 */
#ifndef PARIO_REPORT_COMPARE_EARLIER_H
#define PARIO_REPORT_COMPARE_EARLIER_H

#include "report/page/archive.h"

/*
 * Adds to the archive, in the order of time, the runs that lie in this directory and measured the same test on the
 * same host in the same directory as the archive's first one. Runs that are in the archive already are left out, and
 * so are all but the latest 30. What cannot be read is no earlier run.
 */
int pario_earlier_add(struct pario_archive *archive, const char *directory, struct pario_err *err);

#endif
