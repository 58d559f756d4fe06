/*
 * list: what this build can measure and through what, with the reason where something is missing.
 */
#include <stdio.h>

#include "cmd/cmd.h"
#include "run/test.h"
#include "version.h"

/* The version that was found, or why there is none. */
static const struct {
	const char *name, *status;
} libraries[] = {
	{ "liburing", PARIO_LIBURING_STATUS },	 { "hdf5", PARIO_HDF5_STATUS },
	{ "pnetcdf", PARIO_PNETCDF_STATUS },	 { "hwloc", PARIO_HWLOC_STATUS },
	{ "scalapack", PARIO_SCALAPACK_STATUS }, { "zstd", PARIO_ZSTD_STATUS },
	{ "libdw", PARIO_LIBDW_STATUS },
};

static void show_backend(const struct pario_backend *b)
{
	const char *reason = b->unavailable ? b->unavailable() : NULL;
	char version[128] = "";

	if (!reason && b->version)
		b->version(version, sizeof(version));
	printf("  %-16s %s%s%s%s\n", b->name, b->summary, *version ? " (" : "", version,
	       *version ? ")" : "");
	if (reason)
		printf("  %-16s unavailable: %s\n", "", reason);
}

int pario_cmd_list(int argc, char **argv)
{
	struct pario_err err = { 0 };

	if (argc > 0) {
		pario_err_set(&err, PARIO_USAGE, "`pario list` takes no arguments, got %s.",
			      argv[0]);
		return pario_cmd_say(&err);
	}
	printf("tests (pario run TEST, pario help TEST)\n");
	for (size_t i = 0; pario_tests[i]; i++)
		printf("  %-16s %s\n", pario_tests[i]->name, pario_tests[i]->summary);
	printf("\nbackends (--api NAME)\n");
	for (size_t i = 0; pario_backends[i]; i++)
		show_backend(pario_backends[i]);
	printf("\noptional libraries\n");
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		printf("  %-16s %s\n", libraries[i].name, libraries[i].status);
	return 0;
}
