/*
 * darshan_file: a Darshan log that lies in a file, for whoever reads its records in pieces.
 */
#ifndef PARIO_PROFILE_READ_DARSHAN_FILE_H
#define PARIO_PROFILE_READ_DARSHAN_FILE_H

#include <stdio.h>

#include "darshan/log.h"

struct pario_darshan_file {
	FILE *file;
	struct pario_darshan_log log;
};

/* Is it one? */
bool pario_darshan_file_is(const char *path);

int pario_darshan_file_open(struct pario_darshan_file *file, const char *path,
			    struct pario_err *err);
void pario_darshan_file_close(struct pario_darshan_file *file);

#endif
