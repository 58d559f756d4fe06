/*
 * report: what the end of a measuring run needs of the command of the same name.
 */
#ifndef PARIO_CMD_REPORT_H
#define PARIO_CMD_REPORT_H

#include "base/err.h"
#include "base/options.h"

/* Writes report.html beside the journal of a run directory, which is open as `dirfd`. */
int pario_report_run(int dirfd, const char *directory, struct pario_err *err);

/* Writes a page whole and tells its name; "-" is standard output. Replaces pages of pario's, with `force` anything. */
int pario_report_file(const char *path, bool force, const struct pario_text *text,
		      struct pario_err *err);

/* profile.c: is this a trace, and its profile as if it were the journal of a run; `label` may be NULL. */
struct pario_archive;
bool pario_profile_is_trace(const char *path);
int pario_profile_archive(struct pario_archive *archive, const char *trace, const char *label,
			  struct pario_err *err);

#endif
