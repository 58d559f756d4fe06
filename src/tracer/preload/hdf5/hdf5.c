/*
 * hdf5: wrappers of HDF5's calls that reach the file. Built without its headers: identifiers have
 * 64 bits since 1.10, everything else travels in registers.
 *
 * Bytes are those of the selection in memory; datasets, groups and attributes count for the file they were opened in.
 * They are asked for after a call that succeeded: a question clears HDF5's stack of errors, and one that fails prints
 * it.
 * An _async call is recorded as started: its time is that of starting.
 */
#include "tracer/preload/shim.h"

typedef int64_t hid;

/* ---- how many bytes does a transfer have? ---- */

static long call1(struct pario_symbol *symbol, hid a)
{
	long (*function)(hid) = (long (*)(hid))pario_next(symbol);

	return function ? function(a) : -1;
}

/* Not H5S_ALL, nor one of the other small numbers that stand for something. */
static bool is_space(hid space)
{
	return space >> 56 > 0;
}

static uint64_t selected(hid dataset, hid type, hid in_memory, hid in_file, int r)
{
	static struct pario_symbol size = { "H5Tget_size", NULL },
				   points = { "H5Sget_select_npoints", NULL },
				   space_of = { "H5Dget_space", NULL },
				   close = { "H5Sclose", NULL };
	hid space = is_space(in_memory) ? in_memory : in_file, whole = 0;
	long n, bytes;

	if (r < 0 || (space && !is_space(space)))
		return 0;
	if (space == 0) /* H5S_ALL */
		whole = call1(&space_of, dataset);
	n = call1(&points, space ? space : whole);
	bytes = call1(&size, type);
	if (whole > 0)
		call1(&close, whole);
	return n > 0 && bytes > 0 ? (uint64_t)n * (uint64_t)bytes : 0;
}

/* The elements of an attribute. */
static uint64_t attribute(hid id, hid type, int r)
{
	static struct pario_symbol size = { "H5Tget_size", NULL },
				   points = { "H5Sget_simple_extent_npoints", NULL },
				   space_of = { "H5Aget_space", NULL },
				   close = { "H5Sclose", NULL };
	hid space = r < 0 ? -1 : call1(&space_of, id);
	long n = space > 0 ? call1(&points, space) : 0, bytes = space > 0 ? call1(&size, type) : 0;

	if (space > 0)
		call1(&close, space);
	return n > 0 && bytes > 0 ? (uint64_t)n * (uint64_t)bytes : 0;
}

static uint64_t chunk(hid dataset, const void *at, int r)
{
	static struct pario_symbol symbol = { "H5Dget_chunk_storage_size", NULL };
	int (*size)(hid, const void *, uint64_t *) =
		(int (*)(hid, const void *, uint64_t *))pario_next(&symbol);
	uint64_t bytes = 0;

	return r >= 0 && size && size(dataset, at, &bytes) >= 0 ? bytes : 0;
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

/* Several datasets at once: all their bytes, at the file of the first. */
static void moved_many(struct pario_call *c, size_t n, const hid *d, const hid *type,
		       const hid *in_memory, const hid *in_file, int r)
{
	uint64_t bytes = 0;

	for (size_t i = 0; r >= 0 && i < n; i++)
		bytes += selected(d[i], type[i], in_memory[i], in_file[i], r);
	moved(c, n && d ? d[0] : 0, bytes, r);
}

static void started(struct pario_call *c)
{
	c->flags = (uint8_t)((c->flags & ~PARIO_TRACE_WHOLE) | PARIO_TRACE_STARTED);
	if (!(c->flags & PARIO_TRACE_FAILED))
		c->result = 0;
}

/* clang-format off */

#define H5(type, name, op, params, args, after) \
	PARIO_WRAP_AS(PARIO_SYMBOL_LATE, type, name, op, HDF5, params, args, , int error = errno; after; errno = error)
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
OF(H5Dfill)
H5(int, H5Dread, H5Dread, (hid d, hid type, hid in_memory, hid in_file, hid p, void *to), (d, type, in_memory, in_file, p, to),
   moved(&c, d, selected(d, type, in_memory, in_file, r), r))
H5(int, H5Dwrite, H5Dwrite, (hid d, hid type, hid in_memory, hid in_file, hid p, const void *from),
   (d, type, in_memory, in_file, p, from), moved(&c, d, selected(d, type, in_memory, in_file, r), r))
H5(int, H5Dread_chunk, H5Dread_chunk, (hid d, hid p, const void *at, void *filters, void *to), (d, p, at, filters, to),
   moved(&c, d, chunk(d, at, r), r))
H5(int, H5Dwrite_chunk, H5Dwrite_chunk, (hid d, hid p, uint32_t filters, const void *at, size_t n, const void *from),
   (d, p, filters, at, n, from), moved(&c, d, n, r))
WITHIN(H5Acreate2, H5Acreate)
WITHIN(H5Aopen, H5Aopen)
H5(int, H5Aread, H5Aread, (hid id, hid type, void *to), (id, type, to), moved(&c, id, attribute(id, type, r), r))
H5(int, H5Awrite, H5Awrite, (hid id, hid type, const void *from), (id, type, from), moved(&c, id, attribute(id, type, r), r))
OF(H5Aclose)
WITHIN(H5Gcreate2, H5Gcreate)
WITHIN(H5Gopen2, H5Gopen)
OF(H5Gclose)
WITHIN(H5Oopen, H5Oopen)
WITHIN(H5Oopen_by_addr, H5Oopen)
WITHIN(H5Oopen_by_idx, H5Oopen)
/* its token is a structure of 16 bytes, which travels in two registers */
WITHIN(H5Oopen_by_token, H5Oopen)
OF(H5Oclose)
OF(H5Pset_dxpl_mpio)
OF(H5Pset_fapl_mpio)
OF(H5Pset_chunk)
OF(H5Pset_alignment)

/* Since 1.14. */
#define MULTI(name, op, memory) \
	H5(int, name, op, (size_t n, hid *d, hid *type, hid *in_memory, hid *in_file, hid p, memory), \
	   (n, d, type, in_memory, in_file, p, buf), moved_many(&c, n, d, type, in_memory, in_file, r))
MULTI(H5Dread_multi, H5Dread, void *buf)
MULTI(H5Dwrite_multi, H5Dwrite, const void *buf)

/* Where in the program they are called comes first. */
#define PLACE const char *at_file, const char *at_function, unsigned at_line
#define OF_LATER(name, op) \
	H5(int, name, op, (PLACE, hid id, long a, long b, long d, long e), (at_file, at_function, at_line, id, a, b, d, e), \
	   (c.file = pario_shim_file(id), answered(&c, r), started(&c)))
#define WITHIN_LATER(name, op) \
	H5(hid, name, op, (PLACE, hid id, long a, long b, long d, long e, long f, long g, long h), \
	   (at_file, at_function, at_line, id, a, b, d, e, f, g, h), (within(&c, id, r), started(&c)))
H5(hid, H5Fcreate_async, H5Fcreate, (PLACE, const char *name, unsigned flags, hid p, hid q, hid set),
   (at_file, at_function, at_line, name, flags, p, q, set), (named(&c, name, r), started(&c)))
H5(hid, H5Fopen_async, H5Fopen, (PLACE, const char *name, unsigned flags, hid p, hid set),
   (at_file, at_function, at_line, name, flags, p, set), (named(&c, name, r), started(&c)))
H5(int, H5Dread_async, H5Dread, (PLACE, hid d, hid type, hid in_memory, hid in_file, hid p, void *to, hid set),
   (at_file, at_function, at_line, d, type, in_memory, in_file, p, to, set),
   (moved(&c, d, selected(d, type, in_memory, in_file, r), r), started(&c)))
H5(int, H5Dwrite_async, H5Dwrite, (PLACE, hid d, hid type, hid in_memory, hid in_file, hid p, const void *from, hid set),
   (at_file, at_function, at_line, d, type, in_memory, in_file, p, from, set),
   (moved(&c, d, selected(d, type, in_memory, in_file, r), r), started(&c)))
WITHIN_LATER(H5Freopen_async, H5Freopen)
OF_LATER(H5Fclose_async, H5Fclose)
OF_LATER(H5Fflush_async, H5Fflush)
WITHIN_LATER(H5Dcreate_async, H5Dcreate)
WITHIN_LATER(H5Dopen_async, H5Dopen)
OF_LATER(H5Dclose_async, H5Dclose)
OF_LATER(H5Dset_extent_async, H5Dset_extent)
WITHIN_LATER(H5Acreate_async, H5Acreate)
WITHIN_LATER(H5Aopen_async, H5Aopen)
OF_LATER(H5Aread_async, H5Aread)
OF_LATER(H5Awrite_async, H5Awrite)
OF_LATER(H5Aclose_async, H5Aclose)
WITHIN_LATER(H5Gcreate_async, H5Gcreate)
WITHIN_LATER(H5Gopen_async, H5Gopen)
OF_LATER(H5Gclose_async, H5Gclose)
WITHIN_LATER(H5Oopen_async, H5Oopen)
WITHIN_LATER(H5Oopen_by_idx_async, H5Oopen)
OF_LATER(H5Oclose_async, H5Oclose)

/* clang-format on */
