/*
 * pnetcdf: wrappers of PnetCDF's calls. Spec section 3, group K. The list of the names comes from its header when pario is
 * built (cmake/Trace.cmake): all of them take numbers and addresses and return an error code, so one shape fits all.
 * How many bytes a call moves is known to the library alone: count and time are recorded.
 */
#include "trace/shim.h"

static void answered(struct pario_call *c, int r)
{
	if (r != 0)
		pario_failed(c, 0);
}

/* clang-format off */

/* Ten words: more than any of them takes; what a call does not take is not looked at. */
#define NCMPI(name, op) \
	PARIO_WRAP_AS(PARIO_SYMBOL_LATE, int, name, op, PNETCDF, \
		      (long id, long b, long d, long e, long f, long g, long h, long i, long j, long k), \
		      (id, b, d, e, f, g, h, i, j, k), , (c.file = pario_shim_file((int)id), answered(&c, r)))
#define NCMPI_OPEN(name) \
	PARIO_WRAP_AS(PARIO_SYMBOL_LATE, int, name, name, PNETCDF, \
		      (long comm, const char *path, int mode, long info, int *to), (comm, path, mode, info, to), , \
		      c.file = pario_file_of_path(-100, path); answered(&c, r); if (r == 0) pario_shim_remember(*to, c.file))

NCMPI_OPEN(ncmpi_create)
NCMPI_OPEN(ncmpi_open)

#include "trace/pnetcdf_calls.h"

/* clang-format on */
