/*
 * hdf5: wrappers of HDF5's calls that reach the file. Spec section 3, group J. Built without its headers: identifiers have
 * 64 bits since 1.10, everything else travels in registers.
 *
 * Bytes are those of the selection in memory; datasets, groups and attributes count for the file they were opened in.
 */
#include "trace/shim.h"

typedef int64_t hid;

/* ---- how many bytes does a transfer have? ---- */

static long call1(struct pario_symbol *symbol, hid a)
{
	long (*function)(hid) = (long (*)(hid))pario_next(symbol);

	return function ? function(a) : -1;
}

static uint64_t selected(hid dataset, hid type, hid space)
{
	static struct pario_symbol size = { "H5Tget_size", NULL },
				   points = { "H5Sget_select_npoints", NULL },
				   space_of = { "H5Dget_space", NULL },
				   close = { "H5Sclose", NULL };
	hid whole = 0;
	long n, bytes;

	if (space == 0) /* H5S_ALL */
		whole = call1(&space_of, dataset);
	n = call1(&points, space ? space : whole);
	bytes = call1(&size, type);
	if (whole > 0)
		call1(&close, whole);
	return n > 0 && bytes > 0 ? (uint64_t)n * (uint64_t)bytes : 0;
}

static void answered(struct pario_call *c, long r)
{
	if (r < 0)
		pario_failed(c, 0);
}

static void named(struct pario_call *c, const char *name, hid r)
{
	c->file = pario_file_of_path(-100, name);
	answered(c, r);
	if (r >= 0)
		pario_shim_remember(r, c->file);
}

/* Something within a file. */
static void within(struct pario_call *c, hid where, hid r)
{
	c->file = pario_shim_file(where);
	answered(c, r);
	if (r >= 0)
		pario_shim_remember(r, c->file);
}

static void moved(struct pario_call *c, hid dataset, uint64_t bytes, int r)
{
	c->file = pario_shim_file(dataset);
	c->size = bytes;
	c->result = bytes > INT32_MAX ? INT32_MAX : (int32_t)bytes;
	if (r >= 0)
		c->flags |= PARIO_TRACE_WHOLE;
	answered(c, r);
}

/* clang-format off */

#define H5(type, name, op, params, args, after) \
	PARIO_WRAP_AS(PARIO_SYMBOL_LATE, type, name, op, HDF5, params, args, , after)
#define OF(name) H5(int, name, name, (hid id, long a, long b, long d, long e), (id, a, b, d, e), \
		    (c.file = pario_shim_file(id), answered(&c, r)))
#define WITHIN(name, op) \
	H5(hid, name, op, (hid id, long a, long b, long d, long e, long f, long g), (id, a, b, d, e, f, g), within(&c, id, r))

H5(hid, H5Fcreate, H5Fcreate, (const char *name, unsigned flags, hid p, hid q), (name, flags, p, q), named(&c, name, r))
H5(hid, H5Fopen, H5Fopen, (const char *name, unsigned flags, hid p), (name, flags, p), named(&c, name, r))
WITHIN(H5Freopen, H5Freopen)
OF(H5Fclose)
OF(H5Fflush)
WITHIN(H5Dcreate1, H5Dcreate)
WITHIN(H5Dcreate2, H5Dcreate)
WITHIN(H5Dopen1, H5Dopen)
WITHIN(H5Dopen2, H5Dopen)
OF(H5Dclose)
OF(H5Dflush)
OF(H5Dset_extent)
H5(int, H5Dread, H5Dread, (hid d, hid type, hid in_memory, hid in_file, hid p, void *to), (d, type, in_memory, in_file, p, to),
   moved(&c, d, selected(d, type, in_memory ? in_memory : in_file), r))
H5(int, H5Dwrite, H5Dwrite, (hid d, hid type, hid in_memory, hid in_file, hid p, const void *from),
   (d, type, in_memory, in_file, p, from), moved(&c, d, selected(d, type, in_memory ? in_memory : in_file), r))
H5(int, H5Dread_chunk, H5Dread_chunk, (hid d, hid p, const void *at, void *filters, void *to), (d, p, at, filters, to),
   moved(&c, d, 0, r))
H5(int, H5Dwrite_chunk, H5Dwrite_chunk, (hid d, hid p, uint32_t filters, const void *at, size_t n, const void *from),
   (d, p, filters, at, n, from), moved(&c, d, n, r))
WITHIN(H5Acreate2, H5Acreate)
WITHIN(H5Aopen, H5Aopen)
OF(H5Aread)
OF(H5Awrite)
OF(H5Aclose)
WITHIN(H5Gcreate2, H5Gcreate)
WITHIN(H5Gopen2, H5Gopen)
OF(H5Gclose)
WITHIN(H5Oopen, H5Oopen)
WITHIN(H5Oopen_by_addr, H5Oopen)
WITHIN(H5Oopen_by_idx, H5Oopen)
OF(H5Oclose)
OF(H5Pset_dxpl_mpio)
OF(H5Pset_fapl_mpio)
OF(H5Pset_chunk)
OF(H5Pset_alignment)

/* clang-format on */
