/*
 * document: the JSON objects within a text that may have other lines before, between and after them.
 */
#ifndef PARIO_IMPORT_DOCUMENT_H
#define PARIO_IMPORT_DOCUMENT_H

#include <stdint.h>

#include <jansson.h>

#include "import/import.h"

/* The objects that begin a line and have the member `name`, one after the other. */
struct pario_documents {
	struct pario_import_file *source;
	char *text; /* the source, as far as it may be JSON */
	const char *name, *at, *end;
	json_t *now;
	size_t count, damaged; /* how many were found; how many were cut off or spoilt */
	json_error_t first;    /* of the damage */
};

int pario_documents_begin(struct pario_documents *all, struct pario_import_file *source,
			  const char *name, struct pario_err *err);

/* The next one, which lives until the call after it; NULL at the end. */
json_t *pario_documents_next(struct pario_documents *all);

/* Passes the status on; refuses a source without a whole object, and notes damage beside one. */
int pario_documents_end(struct pario_documents *all, struct pario_harvest *harvest, int status,
			struct pario_err *err);

/* A member as a number, also where it is written as a text; NaN when it is none. */
double pario_document_number(const json_t *object, const char *name);
uint64_t pario_document_whole(const json_t *object, const char *name);

/* Any scalar member as a text; "" when it is none. The buffer holds numbers. */
const char *pario_document_text(const json_t *object, const char *name, char buf[40]);

#endif
