/*
 * page_file: the report page as a file, at the end of a run and for the commands that make pages.
 */
#ifndef PARIO_SESSION_PAGE_FILE_H
#define PARIO_SESSION_PAGE_FILE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/text.h"
#include "report/page/archive.h"

/* The page of all runs in an archive, with what the tests add to it; `title` may be NULL. */
int pario_page_file_make(struct pario_archive *archive, const char *title, struct pario_text *text,
			 struct pario_err *err);

/* Writes report.html beside the journal of a run directory, which is open as `dirfd`. */
int pario_page_file_run(int dirfd, const char *directory, struct pario_err *err);

/* Writes a page whole and tells its name; "-" is standard output. Replaces pages of pario's, with `force` anything. */
int pario_page_file_write(const char *path, bool force, const struct pario_text *text,
			  struct pario_err *err);

#endif
