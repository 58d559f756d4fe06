/*
 * mpiio_impl: ROMIO's component is looked for where Open MPI looks: in the directories it was told, else beside its
 * library. Open MPI 5 has its components within the library, and there the version says which.
 */
#include "backend/mpiio_impl.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const pario_mpiio_impls[] = { "default", "ompio", "romio", NULL };

#ifdef OPEN_MPI

#define COMPONENT "mca_io_romio"

/* The first component in a directory (or several that a pattern names); "" = none. */
static bool find_in(const char *directory, char *name, size_t capacity)
{
	char pattern[PATH_MAX];
	glob_t found;
	bool there;

	if (snprintf(pattern, sizeof(pattern), "%s/" COMPONENT "*.so", directory) >=
	    (int)sizeof(pattern))
		return false;
	there = glob(pattern, 0, NULL, &found) == 0;
	if (there) {
		const char *file = strrchr(found.gl_pathv[0], '/') + strlen("/mca_io_");

		snprintf(name, capacity, "%.*s", (int)strcspn(file, "."), file);
	}
	globfree(&found);
	return there;
}

static bool find_told(char *name, size_t capacity)
{
	const char *told = getenv("OMPI_MCA_mca_base_component_path");
	char directory[PATH_MAX];

	for (const char *at = told; at && *at; at += strcspn(at, ":"), at += *at == ':') {
		snprintf(directory, sizeof(directory), "%.*s", (int)strcspn(at, ":"), at);
		if (find_in(directory, name, capacity))
			return true;
	}
	return false;
}

/* <libdir>/openmpi, and openmpi3 where Debian has it. */
static bool find_beside(char *name, size_t capacity)
{
	char library[PATH_MAX], pattern[PATH_MAX];
	int (*function)(int *, char ***) = MPI_Init;
	void *address;
	Dl_info info;

	memcpy(&address, &function, sizeof(address));
	if (!dladdr(address, &info) || !realpath(info.dli_fname, library) || !strrchr(library, '/'))
		return false;
	*strrchr(library, '/') = '\0';
	if (snprintf(pattern, sizeof(pattern), "%s/openmpi*", library) < (int)sizeof(pattern) &&
	    find_in(pattern, name, capacity))
		return true;
	return snprintf(pattern, sizeof(pattern), "%s/openmpi*/lib/openmpi*", library) <
		       (int)sizeof(pattern) &&
	       find_in(pattern, name, capacity);
}

bool pario_mpiio_component(int impl, char name[PARIO_MPIIO_COMPONENT])
{
	if (impl == PARIO_MPIIO_DEFAULT)
		return false;
	if (impl == PARIO_MPIIO_ROMIO &&
	    (find_told(name, PARIO_MPIIO_COMPONENT) || find_beside(name, PARIO_MPIIO_COMPONENT)))
		return true;
	snprintf(name, PARIO_MPIIO_COMPONENT, "%s",
		 impl == PARIO_MPIIO_OMPIO ? "ompio" : "romio341");
	return impl == PARIO_MPIIO_OMPIO || OMPI_MAJOR_VERSION >= 5;
}

int pario_mpiio_impl_check(int impl, struct pario_err *err)
{
	char name[PARIO_MPIIO_COMPONENT];

	if (impl == PARIO_MPIIO_DEFAULT || pario_mpiio_component(impl, name))
		return 0;
	return pario_err_set(err, PARIO_USAGE,
			     "--mpiio_impl romio: no component " COMPONENT
			     "*.so lies beside the library of Open "
			     "MPI, so this one was built without ROMIO. Leave --mpiio_impl out.");
}

int pario_mpiio_impl_in_force(int impl, struct pario_err *err)
{
	const char *chosen = getenv("OMPI_MCA_io"), *asked = pario_mpiio_impls[impl];
	char name[PARIO_MPIIO_COMPONENT] = "";

	if (impl == PARIO_MPIIO_DEFAULT || (chosen && strncmp(chosen, asked, strlen(asked)) == 0))
		return 0;
	pario_mpiio_component(impl, name);
	return pario_err_set(
		err, PARIO_USAGE,
		"--mpiio_impl %s cannot be chosen any more: MPI was started with OMPI_MCA_io=%s. Set "
		"OMPI_MCA_io=%s in the environment of the launcher.",
		asked, chosen ? chosen : "", name);
}

#else

bool pario_mpiio_component(int impl, char name[PARIO_MPIIO_COMPONENT])
{
	(void)impl;
	(void)name;
	return false;
}

int pario_mpiio_impl_check(int impl, struct pario_err *err)
{
	if (impl == PARIO_MPIIO_DEFAULT)
		return 0;
	return pario_err_set(
		err, PARIO_USAGE,
		"--mpiio_impl %s needs Open MPI: this pario is built with MPICH, whose MPI-IO is "
		"always its own ROMIO. Leave --mpiio_impl out.",
		pario_mpiio_impls[impl]);
}

int pario_mpiio_impl_in_force(int impl, struct pario_err *err)
{
	return pario_mpiio_impl_check(impl, err);
}

#endif

/* The versions of a library that have a defect, as major * 100 + minor; what meets it, and the way out. */
static const struct known {
	enum pario_defect defect;
	const char *library;
	int impl, first, last;
	const char *what, *way_out;
} table[] = {
	/* mca_fbtl_posix_pwritev writes behind its buffer: seen with 4.1.4, in 30 lines of plain MPI below valgrind. */
	{ PARIO_DEFECT_NARROW_TILES, "Open MPI", PARIO_MPIIO_OMPIO, 401, 401,
	  "corrupts memory in collective writes of three or more tiles in a row that overlap and are narrower than 64 bytes",
	  "Use --mpiio_impl romio, --collective 0, or wider tiles" },
};

/* The implementation that MPI has been started with, or will be. */
static int in_force(int impl)
{
	const char *chosen = getenv("OMPI_MCA_io");

	if (impl != PARIO_MPIIO_DEFAULT)
		return impl;
	return chosen && strncmp(chosen, "romio", 5) == 0 ? PARIO_MPIIO_ROMIO : PARIO_MPIIO_OMPIO;
}

int pario_defect_check(enum pario_defect defect, int impl, struct pario_err *err)
{
	char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int length, major = 0, minor = 0;

	MPI_Get_library_version(version, &length);
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct known *k = &table[i];
		const char *digits = version + strcspn(version, "0123456789");

		if (k->defect != defect || k->impl != in_force(impl) ||
		    strncmp(version, k->library, strlen(k->library)) != 0 ||
		    sscanf(digits, "%d.%d", &major, &minor) != 2 ||
		    major * 100 + minor < k->first || major * 100 + minor > k->last)
			continue;
		return pario_err_set(err, PARIO_USAGE, "%s %d.%d %s (its %s). %s.", k->library,
				     major, minor, k->what,
				     k->impl == PARIO_MPIIO_OMPIO ? "OMPIO" : "ROMIO", k->way_out);
	}
	return 0;
}
