/*
 * program: which shims does a program need that is about to be executed? Asked by `pario trace` for the first, and by
 * the preloaded library for every other: this is compiled into both. It allocates nothing, takes no lock, leaves errno
 * alone and calls nothing that a program may have replaced, so that children of fork and vfork may ask as well.
 */
#ifndef PARIO_TRACER_PROGRAM_H
#define PARIO_TRACER_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The libraries that have a shim, as bits. A shim is called libpario-trace-NAME.so. */
enum pario_shim {
	PARIO_SHIM_OPENMPI = 1,
	PARIO_SHIM_MPICH = 2,
	PARIO_SHIM_HDF5 = 4,
	PARIO_SHIM_PNETCDF = 8,
	PARIO_SHIMS = 4,
};
#define PARIO_SHIM_NAMES                              \
	{                                             \
		"openmpi", "mpich", "hdf5", "pnetcdf" \
	}
#define PARIO_SHIM_BEGIN "libpario-trace-"
#define PARIO_SHIM_END	 ".so"

/* A program as execveat takes it. Words and environment may be NULL, and must be readable. */
struct pario_start {
	int dir;
	const char *path;
	int flags;
	const char *interpreter; /* what is executed instead of a script; "": it is none */
	char *const *argv;
	char *const *environment;
};

/*
 * The shims it needs: by the libraries that its file needs, and those in turn; for a launcher by the programs among its
 * words as well, since other nodes get its environment; and by the variables of the launcher that started it, as a
 * script may load MPI later. Only reads: nothing that a file names is started.
 */
unsigned pario_program_shims(const struct pario_start *start);

/* The file that execvp finds for a name without a slash in a value of PATH; false when there is none. */
enum { PARIO_PROGRAM_PATH = 4096 };
bool pario_program_find(const char *name, const char *path, char to[PARIO_PROGRAM_PATH]);

/* NULL when it is not set. */
static inline const char *pario_environment_value(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; environment && *environment; environment++) {
		if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	}
	return NULL;
}

#endif
