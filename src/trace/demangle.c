/*
 * demangle: C++ names by libstdc++ or libc++abi, whichever can be loaded; Fortran names by gfortran's scheme.
 */
#include "trace/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* No symbol of a sane program is longer, and a demangler that is fed a longer one may take all memory. */
enum { LONGEST = 4096 };

static void look_for_library(struct pario_demangler *d)
{
	static const char *const libraries[] = { "libstdc++.so.6", "libc++abi.so.1" };
	void *found;

	d->tried = true;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		d->library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
		found = d->library ? dlsym(d->library, "__cxa_demangle") : NULL;
		if (found) {
			memcpy(&d->demangle, &found, sizeof(found));
			return;
		}
		pario_demangler_release(d);
	}
}

void pario_demangler_release(struct pario_demangler *d)
{
	if (d->library)
		dlclose(d->library);
	d->library = NULL;
	d->demangle = NULL;
}

static bool add_cxx(struct pario_demangler *d, const char *name, struct pario_text *text)
{
	char *plain;
	int status = -1;

	if (strncmp(name, "_Z", 2) != 0 || strlen(name) > LONGEST)
		return false;
	if (!d->tried)
		look_for_library(d);
	plain = d->demangle ? d->demangle(name, NULL, NULL, &status) : NULL;
	if (plain && status == 0)
		pario_text_add(text, "%s", plain);
	free(plain);
	return status == 0;
}

/* __module_MOD_procedure; submodules stand as module.submodule. */
static bool add_fortran(const char *name, struct pario_text *text)
{
	const char *mod = strncmp(name, "__", 2) == 0 ? strstr(name + 2, "_MOD_") : NULL;

	if (!mod || mod == name + 2 || !mod[5])
		return false;
	pario_text_bytes(text, name + 2, (size_t)(mod - name) - 2);
	pario_text_add(text, "::%s", mod + 5);
	return true;
}

void pario_demangle(struct pario_demangler *d, const char *name, struct pario_text *text)
{
	if (!add_cxx(d, name, text) && !add_fortran(name, text))
		pario_text_add(text, "%s", name);
}
