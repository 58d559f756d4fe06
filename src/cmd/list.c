/*
 * list: what this build can measure and through what, with the reason where something is missing.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/module.h"
#include "cmd/cmd.h"
#include "console/console.h"
#include "engine/run_options.h"
#include "engine/test.h"
#include "report/text/style.h"
#include "session/terminal.h"
#include "tests/tests.h"
#include "tracer/libraries.h"
#include "version.h"

enum { NAME_INDENT = 19 }; /* behind the column of names */

/* The version that was found, or why there is none. */
static const struct {
	const char *name, *status;
} libraries[] = {
	{ "liburing", PARIO_LIBURING_STATUS },	 { "hdf5", PARIO_HDF5_STATUS },
	{ "pnetcdf", PARIO_PNETCDF_STATUS },	 { "hwloc", PARIO_HWLOC_STATUS },
	{ "scalapack", PARIO_SCALAPACK_STATUS }, { "zstd", PARIO_ZSTD_STATUS },
	{ "zlib", PARIO_ZLIB_STATUS },		 { "libdw", PARIO_LIBDW_STATUS },
};

static bool any(struct pario_libraries *self, const char *name)
{
	(void)self;
	(void)name;
	return true;
}

static bool is_of_this_build(int fd)
{
	struct stat st;
	void *bytes;
	bool is;

	if (fstat(fd, &st) < 0 || st.st_size <= 0)
		return false;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	is = memmem(bytes, (size_t)st.st_size, PARIO_MODULE_BUILD, sizeof(PARIO_MODULE_BUILD));
	munmap(bytes, (size_t)st.st_size);
	return is;
}

/* Is the module ours, and all that it needs there? To read that takes a fraction of the time that to load it takes. */
static bool is_whole(const char *module)
{
	struct pario_libraries needed = { .library_path = getenv("LD_LIBRARY_PATH"),
					  .wanted = any };
	char path[PATH_MAX];
	int fd = pario_module_find(module, path, sizeof(path)) ? open(path, O_RDONLY | O_CLOEXEC)
							       : -1;
	bool whole = fd >= 0 && is_of_this_build(fd) && pario_libraries_follow(&needed, fd, path) &&
		     !*needed.missing;

	if (fd >= 0)
		close(fd);
	return whole;
}

/* Only what is not whole is loaded: that tells what is wrong with it. */
static const char *why_unavailable(const struct pario_backend *b)
{
	if (!b->unavailable || (b->module && is_whole(b->module)))
		return NULL;
	return b->unavailable();
}

static void add_backend(struct pario_text *out, const struct pario_backend *b)
{
	const char *reason = why_unavailable(b);
	char version[128] = "";

	if (!reason && b->version)
		b->version(version, sizeof(version));
	pario_text_add(out, "  %-16s %s%s%s%s\n", b->name, b->summary, *version ? " (" : "",
		       version, *version ? ")" : "");
	if (reason)
		pario_text_add(out, "  %-16s unavailable: %s\n", "", reason);
}

int pario_cmd_list(int argc, char **argv)
{
	struct pario_text out = { 0 }, wrapped = { 0 };
	struct pario_style style;
	struct pario_err err = { 0 };

	if (argc > 0) {
		pario_err_set(&err, PARIO_USAGE, "`pario list` takes no arguments, got %s.",
			      argv[0]);
		return pario_console_say(&err);
	}
	pario_text_add(&out, "tests (pario run TEST, pario help TEST)\n");
	for (size_t i = 0; pario_tests[i]; i++)
		pario_text_add(&out, "  %-16s %s\n", pario_tests[i]->name, pario_tests[i]->summary);
	pario_text_add(&out, "\nbackends (--api NAME)\n");
	for (size_t i = 0; pario_backends[i]; i++)
		add_backend(&out, pario_backends[i]);
	pario_text_add(&out, "\noptional libraries\n");
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		pario_text_add(&out, "  %-16s %s\n", libraries[i].name, libraries[i].status);
	pario_terminal_style(&style, PARIO_COLOR_AUTO);
	pario_style_wrap(&style, pario_text_string(&out), NAME_INDENT, &wrapped);
	fputs(pario_text_string(&wrapped), stdout);
	pario_text_release(&out);
	pario_text_release(&wrapped);
	return 0;
}
