/*
 * json: a streaming writer. No tree, no locale, no invalid output: NaN and infinities become null,
 * bytes that are not UTF-8 become the four characters \xNN, and `<`, `>` and `&` are written as
 * \u00XX so that a line can stand inside an HTML script element unchanged.
 */
#ifndef PARIO_BASE_JSON_H
#define PARIO_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct pario_json {
	struct pario_text text;
	bool comma;	/* a comma is due before the next member or element */
	unsigned depth; /* open brackets; at 0 a new line can begin after pario_text_clear() */
};

/* `key` is NULL inside arrays and at the top. */
void pario_json_open(struct pario_json *json, const char *key, char bracket); /* '{' or '[' */
void pario_json_close(struct pario_json *json, char bracket);		      /* '}' or ']' */
void pario_json_string(struct pario_json *json, const char *key,
		       const char *value); /* NULL -> null */
void pario_json_u64(struct pario_json *json, const char *key,
		    uint64_t value); /* above 2^53: as decimal, exact */
/*
 * What somebody else counted: numbers of a journal end below 2^63, and who says more says that he does not
 * know (null).
 */
void pario_json_amount(struct pario_json *json, const char *key, uint64_t value);
void pario_json_i64(struct pario_json *json, const char *key, int64_t value);
void pario_json_real(struct pario_json *json, const char *key,
		     double value); /* shortest of %.15g..%.17g that reads back */
/* The same with a point in any case: some readers take 8 and 8.0 for different kinds. The value has a key. */
void pario_json_float(struct pario_json *json, const char *key, double value);
void pario_json_hex(struct pario_json *json, const char *key,
		    uint64_t value); /* "0123456789abcdef" */
void pario_json_bool(struct pario_json *json, const char *key, bool value);
void pario_json_null(struct pario_json *json, const char *key);
void pario_json_release(struct pario_json *json);

#endif
