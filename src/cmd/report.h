/*
 * report: what the end of a measuring run needs of the command of the same name.
 */
#ifndef PARIO_CMD_REPORT_H
#define PARIO_CMD_REPORT_H

#include "base/err.h"

/* Writes report.html beside the journal of a run directory. */
int pario_report_run(const char *directory, struct pario_err *err);

#endif
