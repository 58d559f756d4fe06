/*
 * source: a file to be imported, read from its beginning as often as wanted, or taken whole.
 *
 * Text is read in pieces, so that its size does not matter. A gzip file is read as what it holds, when pario was built
 * with zlib. Standard input ("-") is put aside first.
 */
#ifndef PARIO_IMPORT_SOURCE_H
#define PARIO_IMPORT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct pario_import_file {
	const char *path;
	char *text; /* all of it, ending with NUL, which it may hold others of; NULL until it is wanted */
	size_t length;
	size_t at;    /* of `text`: where reading is */
	void *stream; /* NULL: there is only `text` */
	bool damaged; /* reading failed, and `why` says how */
	char why[128];
	uint64_t bytes, hash; /* of the whole; known after pario_import_file_open */
};

/* Opens a file, reads it once, and refuses what cannot be read to its end. */
int pario_import_file_open(struct pario_import_file *source, const char *path,
			   struct pario_err *err);

/* Bytes in memory, which are copied. */
int pario_import_file_memory(struct pario_import_file *source, const char *path, const void *bytes,
			     size_t length, struct pario_err *err);
void pario_import_file_release(struct pario_import_file *source);

void pario_import_file_rewind(struct pario_import_file *source);
/* Goes on reading there; false: there is no such place. */
bool pario_import_file_seek(struct pario_import_file *source, uint64_t offset);

/* The next bytes; fewer than wanted at the end only. */
size_t pario_import_file_read(struct pario_import_file *source, void *to, size_t wanted);

/* Takes all of it into `text`; what is larger than `most` is refused. */
int pario_import_file_whole(struct pario_import_file *source, size_t most, struct pario_err *err);

#endif
