/*
 * symbols: the function, file and line of an address in a program or library.
 *
 * A file counts only when its build-id is the recorded one: after a program was built again, its lines are not those of
 * the run. Where the file at the recorded path is another one or gone, it is looked for by build-id: in the places
 * where debuggers keep what they need (DIR/.build-id/ab/cdef.debug, with /usr/lib/debug for DIR), and anywhere below
 * the directory the user names. Debug information of stripped programs is found in the same places.
 */
#ifndef PARIO_TRACE_SYMBOLS_H
#define PARIO_TRACE_SYMBOLS_H

#include <stdint.h>

#include "base/text.h"

struct pario_symbols;

/* What is known about an address; texts are empty where nothing is. */
struct pario_source {
	struct pario_text function; /* as its author wrote it */
	struct pario_text file;	    /* as the compiler saw it, whole where that is known */
	int line;
	uint64_t into; /* bytes from the start of the function */
};

void pario_source_release(struct pario_source *source);

/* `directory`: where moved programs lie, or NULL. NULL when there is no memory. */
struct pario_symbols *pario_symbols_new(const char *directory);
void pario_symbols_free(struct pario_symbols *symbols);

/* `offset` is the address of a return, as counted in the module's file. Begins source anew. */
void pario_symbols_find(struct pario_symbols *symbols, const char *path, const char *build_id,
			uint64_t offset, struct pario_source *source);

/*
 * Appends "function file:line", "function+0x12 (module)" without debug information, "module+0x1234" without anything.
 */
void pario_symbols_name(struct pario_symbols *symbols, const char *path, const char *build_id,
			uint64_t offset, struct pario_text *text);

#endif
