/*
 * document: the JSON object within a text that may have lines before and after it.
 */
#ifndef PARIO_IMPORT_DOCUMENT_H
#define PARIO_IMPORT_DOCUMENT_H

#include <stdint.h>

#include <jansson.h>

#include "import/import.h"

/*
 * The last object that begins a line and has the member `name`, a new reference, and how many there are; NULL with the
 * sentence when there is none, or when it is cut off or damaged.
 */
json_t *pario_document(const struct pario_import_file *source, const char *name, size_t *count,
		       struct pario_err *err);

/* Does a line begin with an object that soon names this member? */
bool pario_document_likely(const struct pario_import_file *source, const char *name);

/* A member as a number, also where it is written as a text; NaN when it is none. */
double pario_document_number(const json_t *object, const char *name);
uint64_t pario_document_whole(const json_t *object, const char *name);

/* Any scalar member as a text; "" when it is none. The buffer holds numbers. */
const char *pario_document_text(const json_t *object, const char *name, char buf[40]);

#endif
