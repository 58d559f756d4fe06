/*
 * pnetcdf: wrappers of PnetCDF's calls. The list of the names comes from its header when pario is
 * built (cmake/Trace.cmake): all of them take numbers and addresses and return an error code, so one shape fits all.
 *
 * Bytes are those of the elements in the file, by the variable's type there. A nonblocking call is one record from its
 * start until the wait that did it; a buffered write belongs to these.
 */
#include "tracer/preload/shim.h" /* first: it says how functions are found */

#include "tracer/preload/pending.h"
#include "tracer/preload/pnetcdf/elements.h"

enum { REQUESTS = 4096, REQ_ALL = -1, GET_ALL = -2, PUT_ALL = -3, CANCELED = 125 };

static void answered(struct pario_call *c, int r)
{
	if (r != 0)
		pario_failed(c, 0);
}

/* ---- requests: a program may wait for all of them without naming any ---- */

static struct request {
	int id, file; /* id 0 = free: PnetCDF's begin with 0, ours one higher */
	bool put;
} requests[REQUESTS];

static uint64_t key_of(int file, int id)
{
	return ((uint64_t)(unsigned)file << 32 | (unsigned)id) * 0x9e3779b97f4a7c15u ^
	       0x4e434d5049212121u;
}

static void started(struct pario_call *c, int file, const int *id)
{
	bool put = c->op != PARIO_OP_ncmpi_iget;
	unsigned i = 0;

	if (!id || *id < 0) { /* nothing to wait for */
		c->flags |= PARIO_TRACE_WHOLE;
		pario_result(c, (long)c->size);
		pario_trace_put(c);
		return;
	}
	for (; i < REQUESTS; i++) {
		int none = 0;

		if (!requests[i].id &&
		    __atomic_compare_exchange_n(&requests[i].id, &none, *id + 1, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			break;
	}
	if (i < REQUESTS) {
		requests[i].file = file;
		requests[i].put = put;
	}
	pario_pending_start(key_of(file, *id), c);
}

static void done(int file, int id, int error)
{
	struct pario_call c;

	if (pario_pending_take(key_of(file, id), &c))
		pario_pending_done(&c, error ? -(int64_t)error : (int64_t)c.size);
}

/* What a wait is for: PnetCDF overwrites the list. */
struct waited {
	int count, ids[1024];
};

static void before_wait(struct waited *w, int file, int count, const int *ids)
{
	w->count = 0;
	for (unsigned i = 0; count < 0 && i < REQUESTS; i++) {
		const struct request *q = &requests[i];

		if (q->id && q->file == file && w->count < 1024 &&
		    (count == REQ_ALL || q->put == (count == PUT_ALL)))
			w->ids[w->count++] = q->id - 1;
	}
	for (int i = 0; ids && i < count && i < 1024; i++)
		w->ids[w->count++] = ids[i];
}

static void after_wait(const struct waited *w, int file, const int *statuses, bool canceled, int r)
{
	for (int i = 0; i < w->count; i++) {
		int error = statuses ? statuses[i] : r;

		if (w->ids[i] < 0)
			continue;
		done(file, w->ids[i], canceled ? CANCELED : error < 0 ? -error : error);
		for (unsigned k = 0; k < REQUESTS; k++) {
			if (requests[k].id == w->ids[i] + 1 && requests[k].file == file)
				__atomic_store_n(&requests[k].id, 0, __ATOMIC_RELEASE);
		}
	}
}

/* ---- wrappers ---- */

static void described(struct pario_call *c, enum pario_elements shape, const long *a, int r)
{
	c->file = pario_shim_file((int)a[0]);
	answered(c, r);
	if (r == 0) /* else there may be anything among the arguments */
		c->size = pario_elements_bytes(
			shape, a, c->op == PARIO_OP_ncmpi_mput || c->op == PARIO_OP_ncmpi_mget);
	if (r == 0 && shape != PARIO_ELEMENTS_OTHER) {
		pario_result(c, (long)c->size);
		c->flags |= PARIO_TRACE_WHOLE;
	}
}

static bool begins_only(uint16_t op)
{
	return op == PARIO_OP_ncmpi_iput || op == PARIO_OP_ncmpi_iget || op == PARIO_OP_ncmpi_bput;
}

static void finish(struct pario_call *c, enum pario_elements shape, int typed, const long *a, int r)
{
	described(c, shape, a, r);
	if (!begins_only(c->op) || r != 0) {
		pario_trace_put(c);
		return;
	}
	c->flags &= (uint8_t)~PARIO_TRACE_WHOLE;
	c->result = 0;
	/* its number is the last argument, behind the memory, which has a count and a type when the name says none */
	started(c, (int)a[0], (const int *)a[pario_elements_memory(shape) + (typed ? 1 : 3)]);
}

/* clang-format off */

/* Ten words: more than any of them takes; what a call does not take is not looked at. */
#define NCMPI(name, op_, shape, typed) \
	PARIO_EXPORT int name(long id, long b, long d, long e, long f, long g, long h, long i, long j, long k); \
	PARIO_SYMBOL_LATE(name); \
	PARIO_EXPORT int name(long id, long b, long d, long e, long f, long g, long h, long i, long j, long k) \
	{ \
		int (*next)(long, long, long, long, long, long, long, long, long, long) = \
			(__typeof__(next))pario_next(&pario_symbol_##name); \
		const long a[] = { id, b, d, e, f, g, h, i, j, k }; \
		struct waited w; \
		struct pario_call c; \
		int r; \
		\
		if (!pario_trace_begin(&c, PARIO_OP_##op_, PARIO_TRACE_PNETCDF, __builtin_return_address(0), \
				       __builtin_frame_address(0))) \
			return next(id, b, d, e, f, g, h, i, j, k); \
		if (c.op == PARIO_OP_ncmpi_wait || c.op == PARIO_OP_ncmpi_cancel) \
			before_wait(&w, (int)id, (int)b, (const int *)d); \
		r = next(id, b, d, e, f, g, h, i, j, k); \
		pario_trace_stop(&c); \
		if (c.op == PARIO_OP_ncmpi_wait || c.op == PARIO_OP_ncmpi_cancel) \
			after_wait(&w, (int)id, (int)b > 0 ? (const int *)e : NULL, c.op == PARIO_OP_ncmpi_cancel, r); \
		finish(&c, PARIO_ELEMENTS_##shape, typed, a, r); \
		return r; \
	}
#define NCMPI_OPEN(name) \
	PARIO_WRAP_AS(PARIO_SYMBOL_LATE, int, name, name, PNETCDF, \
		      (long comm, const char *path, int mode, long info, int *to), (comm, path, mode, info, to), , \
		      c.file = pario_file_of_path(-100, path); answered(&c, r); if (r == 0) pario_shim_remember(*to, c.file))

NCMPI_OPEN(ncmpi_create)
NCMPI_OPEN(ncmpi_open)

#include "tracer/preload/pnetcdf_calls.h"

/* clang-format on */
