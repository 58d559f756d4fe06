/*
 * directory: what lies below a directory: results of io500 are one run with the outputs of its programs, and other
 * files are runs of their own.
 */
#ifndef PARIO_IMPORT_DIRECTORY_H
#define PARIO_IMPORT_DIRECTORY_H

#include "import/import.h"

/* A run that was found: several files of a directory, or a single one. */
typedef int pario_import_found(void *data, struct pario_import_file *source,
			       struct pario_harvest *harvest, struct pario_err *err);

struct pario_import_tally {
	size_t runs, files; /* and the files that went into them */
	size_t unknown,
		refused; /* files that hold no results, and those whose results cannot be read */
};

/*
 * Gives every run below the directory to `found`, which may fail: the first sentence is kept, and the others are still
 * given. Links are not followed.
 */
int pario_import_directory(const char *path, pario_import_found *found, void *data,
			   struct pario_import_tally *tally, struct pario_err *err);

#endif
