/*
 * module: what needs a large library is loaded when it is first used.
 *
 * HDF5, PnetCDF and ScaLAPACK bring dozens of libraries, and to load them takes longer than all else that a short
 * command does. What calls them is therefore compiled a second time, into libpario-NAME.so: it lies beside the program,
 * or where `make install` puts it, and takes from the program what cmake/module.list names.
 *
 * Only a process's first thread loads modules. None is ever unloaded: libraries leave calls behind for the exit.
 */
#ifndef PARIO_BACKEND_MODULE_H
#define PARIO_BACKEND_MODULE_H

#include <stddef.h>

#include "backend/backend.h"
#include "version.h"

struct pario_module {
	const char *name;   /* of libpario-NAME.so, */
	const char *symbol; /* and what it is loaded for; */
	const void *found;  /* that, once it is loaded, */
	char reason[512];   /* or why it could not be, as the middle of a sentence */
};

/*
 * The file: beside the program in the build tree, or where `make install` puts it. False: it is in neither place, and
 * `path` is a name for the loader to look for.
 */
bool pario_module_find(const char *name, char *path, size_t capacity);

/* What the module has under its symbol; NULL: it cannot be loaded, and module->reason says why. */
const void *pario_module_load(struct pario_module *module);

/*
 * `unavailable` and `version` of an array backend in a module. The program's own descriptor has `ops`, which are empty
 * until the module is there; `built` is the version that was found when pario was built.
 */
const char *pario_module_unavailable(struct pario_module *module, struct pario_array_ops *ops);
void pario_module_version(const struct pario_module *module, const char *built, char *text,
			  size_t capacity);

/*
 * An array backend outside of its module: `unavailable`, `version` and `array_ops` where the module may be there, or
 * where pario was built without the library and `reason` says what to install.
 */
#define PARIO_ARRAY_MODULE(name_, status)                                                        \
	static struct pario_module module = { .name = name_, .symbol = "pario_backend_" name_ }; \
	static struct pario_array_ops array_ops;                                                 \
	static const char *unavailable(void)                                                     \
	{                                                                                        \
		return pario_module_unavailable(&module, &array_ops);                            \
	}                                                                                        \
	static void version(char *text, size_t capacity)                                         \
	{                                                                                        \
		pario_module_version(&module, status, text, capacity);                           \
	}                                                                                        \
	_Static_assert(1, "")
#define PARIO_ARRAY_ABSENT(reason)                                        \
	static const struct pario_array_ops array_ops = { .open = NULL }; \
	static const char *unavailable(void)                              \
	{                                                                 \
		return "built without " reason;                           \
	}                                                                 \
	static void version(char *text, size_t capacity)                  \
	{                                                                 \
		snprintf(text, capacity, "not built in");                 \
	}                                                                 \
	_Static_assert(1, "")

/* In a module: with which pario it was built. Another one may have other structs. */
#define PARIO_MODULE_BUILD PARIO_VERSION " for " PARIO_MPI_FLAVOUR
#define PARIO_MODULE(name)                             \
	extern const char pario_module_build_##name[]; \
	const char pario_module_build_##name[] = PARIO_MODULE_BUILD

#endif
