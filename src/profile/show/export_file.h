/*
 * sink: where millions of lines go: numbers are written digit by digit into one buffer, which is compressed on its way
 * when the name of the file ends in .gz. No locale, no format strings.
 */
#ifndef PARIO_PROFILE_SHOW_EXPORT_FILE_H
#define PARIO_PROFILE_SHOW_EXPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum { PARIO_EXPORT_FILE_BYTES = 1 << 18 };

struct pario_export_file {
	FILE *file; /* NULL: not wanted */
	void *gzip; /* what compresses, or NULL */
	bool failed;
	size_t length;
	char *data, *packed;
};

/* Does this name ask for compression? */
bool pario_export_file_compresses(const char *path);

/* `mark` stands in the head of a compressed file, so that it can be told whose it is. */
int pario_export_file_open(struct pario_export_file *s, FILE *file, const char *path,
			   const char *mark, struct pario_err *err);
/* Writes what is left; -1 when anything could not be written. Nothing opened is fine. */
int pario_export_file_close(struct pario_export_file *s);

void pario_export_file_bytes(struct pario_export_file *s, const char *bytes, size_t length);
void pario_export_file_text(struct pario_export_file *s, const char *text);
void pario_export_file_u64(struct pario_export_file *s, uint64_t value);
void pario_export_file_i64(struct pario_export_file *s, int64_t value);
void pario_export_file_hex(struct pario_export_file *s, uint64_t value);
/* Nanoseconds as microseconds, with up to three digits behind the point. */
void pario_export_file_us(struct pario_export_file *s, double ns);

#endif
