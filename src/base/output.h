/*
 * output: files that pario writes where users and others have files of their own.
 *
 * A file is written under another name in the same directory and takes its place when it is whole. It replaces only
 * what pario made, unless that is asked for; links are never followed, pipes and devices never opened. "-" and
 * "/dev/stdout" are standard output, whatever lies in the directory.
 */
#ifndef PARIO_BASE_OUTPUT_H
#define PARIO_BASE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/text.h"

struct pario_output {
	FILE *file; /* to write to; NULL while there is none */
	int dirfd;  /* of the directory, */
	char name[256], beside[300], path[4096];
	bool replaces;
};

struct pario_output_rule {
	const char *
		mark; /* what pario's files of this kind hold near their beginning; NULL: they cannot be told */
	bool force; /* replace any regular file or link that is there */
	bool fresh; /* replace nothing at all */
};

/* `path` counts from the directory `dirfd`, which may be AT_FDCWD. */
int pario_output_begin(struct pario_output *output, int dirfd, const char *path,
		       const struct pario_output_rule *rule, struct pario_err *err);

/* Ends it: under its name when `whole`, else it is removed. Nothing to end is fine. */
int pario_output_end(struct pario_output *output, bool whole, struct pario_err *err);

/* All at once. */
int pario_output_text(int dirfd, const char *path, const struct pario_output_rule *rule,
		      const struct pario_text *text, struct pario_err *err);

/* Does the path mean standard output? Then nothing else belongs there. */
bool pario_output_is_stdout(const char *path);

/* Makes a directory for results; one that is there will do where `may_exist`. -1 with the sentence. */
int pario_output_make_directory(const char *path, bool may_exist, struct pario_err *err);

/*
 * Opens a directory for results: one's own, and not one in which everybody can exchange files. -1 with the sentence.
 * The owner may be another where a server changes owners: then it is that of what we make there.
 */
int pario_output_directory(const char *path, struct pario_err *err);

/*
 * "<TMPDIR>/<name>", or another place for it where others can exchange what is made in TMPDIR; -1 when there is none.
 */
int pario_output_temporary(char *path, size_t capacity, const char *name, struct pario_err *err);

#endif
