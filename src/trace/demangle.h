/*
 * demangle: names of functions as the program's author wrote them.
 *
 * C++ names are left to the C++ runtime library where this machine has one, which is looked for when the first such
 * name comes: pario itself is C and links none. gfortran's names of module procedures say what they are. What
 * cannot be read stays as it is.
 */
#ifndef PARIO_TRACE_DEMANGLE_H
#define PARIO_TRACE_DEMANGLE_H

#include "base/text.h"

struct pario_demangler {
	void *library;
	char *(*demangle)(const char *name, char *buf, size_t *length, int *status);
	bool tried;
};

/* Appends the name; bytes are as they come from the file. */
void pario_demangle(struct pario_demangler *d, const char *name, struct pario_text *text);
void pario_demangler_release(struct pario_demangler *d);

#endif
