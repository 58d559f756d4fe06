/*
 * symbols: the function, file and line of an address in a program or library.
 *
 * A file counts only when its build-id is the recorded one: after a program was built again, its lines are not those of the
 * run. Where the file at the recorded path is another one or gone, the directories the user names are looked through.
 */
#ifndef PARIO_PROFILE_SYMBOLS_H
#define PARIO_PROFILE_SYMBOLS_H

#include <stdint.h>

#include "base/text.h"

struct pario_symbols;

/* `directory`: where moved programs lie, or NULL. NULL when there is no memory. */
struct pario_symbols *pario_symbols_new(const char *directory);
void pario_symbols_free(struct pario_symbols *symbols);

/*
 * Appends "function file:line", "function+0x12 (module)" without debug information, "module+0x1234" without anything.
 * `offset` is the address of a return, as counted in the module's file.
 */
void pario_symbols_name(struct pario_symbols *symbols, const char *path, const char *build_id,
			uint64_t offset, struct pario_text *text);

#endif
