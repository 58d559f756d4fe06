/*
 * earlier: runs of this system that lie beside each other: what tells how far runs of the same thing scatter, and the
 * latest survey.
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

struct pario_earlier_run {
	char path[4096], time[40]; /* of its directory; when it began */
};

/* The latest run of this test on this host, with this --dir, that lies in `directory`; false when there is none. */
bool pario_earlier_latest(const char *directory, const char *test, const char *host,
			  const char *place, struct pario_earlier_run *run);

#endif
