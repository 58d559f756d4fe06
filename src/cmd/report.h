/*
 * report: what the end of a measuring run needs of the command of the same name.
 */
#ifndef PARIO_CMD_REPORT_H
#define PARIO_CMD_REPORT_H

#include "base/err.h"
#include "base/options.h"

/* Writes report.html beside the journal of a run directory. */
int pario_report_run(const char *directory, struct pario_err *err);

/* Writes a page whole and tells its name; "-" is standard output. */
int pario_report_file(const char *path, const struct pario_text *text, struct pario_err *err);

#endif
