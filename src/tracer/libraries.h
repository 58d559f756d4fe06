/*
 * libraries: what a program needs, and what that needs in turn, found as the loader would. The loader itself could list
 * them, but the file says which loader that is, and what a file names is not started.
 *
 * Like program.h, which asks for it, this allocates nothing, takes no lock, leaves errno alone and calls nothing that a
 * program may have replaced.
 */
#ifndef PARIO_TRACER_LIBRARIES_H
#define PARIO_TRACER_LIBRARIES_H

#include <stdbool.h>
#include <stddef.h>

enum { PARIO_LIBRARY_PATH = 4096, PARIO_LIBRARY_NAME = 256 };

struct pario_libraries {
	const char *library_path; /* the value of LD_LIBRARY_PATH, or NULL */
	/* Called for every name that a file needs: shall it be looked for, and what it needs? */
	bool (*wanted)(struct pario_libraries *self, const char *name);
	char missing[PARIO_LIBRARY_NAME]; /* the first that was wanted and not found; "": none */
};

/* Follows an open file, which lies at this path. False: there is no memory. */
bool pario_libraries_follow(struct pario_libraries *l, long fd, const char *path);

/* The path of an open file without links, or as it was given. */
void pario_real_path(long fd, const char *path, char to[PARIO_LIBRARY_PATH]);

#endif
