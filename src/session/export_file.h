/*
 * export_file: results as files for other programs (--csv), opened before anything is measured and written when it is
 * over.
 */
#ifndef PARIO_SESSION_EXPORT_FILE_H
#define PARIO_SESSION_EXPORT_FILE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "report/page/archive.h"

/*
 * Writes a text whole; "-" is standard output. Replaces a file that begins with the same line, with `force` anything.
 */
int pario_export_file_write(const char *path, bool force, const struct pario_text *text,
			    struct pario_err *err);

/* All results as CSV, in the same way. */
int pario_export_file_results(struct pario_archive *archive, const char *path, bool force,
			      struct pario_err *err);

/* Those of a run directory. */
int pario_export_file_run(const char *directory, const char *path, struct pario_err *err);

#endif
