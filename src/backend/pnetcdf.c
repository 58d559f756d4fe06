/*
 * pnetcdf: what does Parallel netCDF deliver for one dense array per file?
 *
 * One variable "data" of unsigned bytes in the CDF-5 format; an element of several bytes becomes one more,
 * fastest dimension. Transfers are independent or collective. A region whose blocks are single elements or lie
 * close together is one strided call; other regions are posted as nonblocking runs and completed together.
 * Regions above 1 GiB are cut along their slowest dimensions.
 *
 * Misleads for regions of many small blocks: the time then contains PnetCDF's sorting and merging of the runs.
 * Independent access goes through a second handle that PnetCDF opens for each client alone.
 */
#include "backend/backend.h"

#include <stdlib.h>

#include "backend/library.h"
#include "backend/module.h"

#ifdef PARIO_HAVE_PNETCDF
#include <pnetcdf.h>
#endif

struct params {
	uint64_t pnetcdf_chunk;
};

static const struct pario_option options[] = {
	PARIO_OPTION(struct params, pnetcdf_chunk, .def = "1g", .min = "1", .max = "1g",
		     .unit = "bytes", .help = "most bytes in one PnetCDF call",
		     .flags = PARIO_OPTION_HIDDEN),
	{ 0 },
};

static int check(const struct pario_open *how, struct pario_err *err)
{
	if (how->queue_depth > 1)
		return pario_err_set(err, PARIO_USAGE,
				     "the pnetcdf backend has no queue: set queue_depth=1.");
	if (how->preallocate)
		return pario_err_set(
			err, PARIO_USAGE,
			"the pnetcdf backend lays out the file itself: leave out preallocate.");
	return 0;
}

static const char *doubt(bool collective)
{
	(void)collective;
	return "PnetCDF may lose an error of a write";
}

#ifdef PARIO_HAVE_PNETCDF /* in the module */

PARIO_MODULE(pnetcdf);

enum { DIMS = PARIO_ARRAY_DIMS + 1 }; /* the last one holds the bytes of an element */

struct state {
	int nc, variable; /* nc < 0: not open */
	int fd;		  /* for fsync */
	bool collective;
	int dims;
	uint64_t chunk, bytes; /* most in one call; in the whole array */
	uint64_t written;      /* where in the array the writes of this client end */
	struct pario_array array;
};

static const char *unavailable(void)
{
	return NULL;
}

/* "1.12.3 of 16 Jun 2022" is followed by details that differ between builds of the same release. */
static void version(char *text, size_t capacity)
{
	const char *words = ncmpi_inq_libvers();

	snprintf(text, capacity, "PnetCDF %.*s", (int)strcspn(words, " "), words);
}

static int fail(const char *path, int rc, const char *what, struct pario_err *err)
{
	int last = errno;

	pario_err_set(err, PARIO_SYSTEM, "cannot %s %s: PnetCDF says \"%s\" (%s).", what, path,
		      ncmpi_strerror(rc), ncmpi_strerrno(rc));
	return pario_library_add_system(err, last);
}

static int open_handle(const struct pario_open *how, struct state *s, MPI_Info info,
		       struct pario_err *err)
{
	char reach[PARIO_LIBRARY_REACH];
	int nc, rc;

	pario_library_reach(how, reach);
	if (how->create)
		rc = ncmpi_create(how->comm, reach, NC_CLOBBER | NC_64BIT_DATA, info, &nc);
	else
		rc = ncmpi_open(how->comm, reach, how->write ? NC_WRITE : NC_NOWRITE, info, &nc);
	if (rc != NC_NOERR)
		return fail(how->path, rc, how->create ? "create" : "open", err);
	s->nc = nc;
	return 0;
}

static int define(const char *path, struct state *s, struct pario_err *err)
{
	static const char *const names[DIMS] = { "d0", "d1", "d2", "d3", "byte" };
	int ids[DIMS], rc = NC_NOERR;
	unsigned d;

	for (d = 0; d < s->array.dims && rc == NC_NOERR; d++)
		rc = ncmpi_def_dim(s->nc, names[d], (MPI_Offset)s->array.extent[d], &ids[d]);
	if (rc == NC_NOERR && s->array.element_size > 1)
		rc = ncmpi_def_dim(s->nc, names[DIMS - 1], (MPI_Offset)s->array.element_size,
				   &ids[d]);
	if (rc == NC_NOERR)
		rc = ncmpi_def_var(s->nc, "data", NC_UBYTE, s->dims, ids, &s->variable);
	if (rc == NC_NOERR)
		rc = ncmpi_enddef(s->nc);
	return rc == NC_NOERR ? 0 : fail(path, rc, "define the variable data in", err);
}

static bool same_shape(const struct state *s)
{
	int ids[DIMS], dims = 0;
	nc_type type = NC_NAT;
	MPI_Offset length = 0;
	bool same = ncmpi_inq_varndims(s->nc, s->variable, &dims) == NC_NOERR && dims == s->dims &&
		    ncmpi_inq_var(s->nc, s->variable, NULL, &type, NULL, ids, NULL) == NC_NOERR &&
		    type == NC_UBYTE;

	for (int d = 0; same && d < s->dims; d++) {
		uint64_t want = d < (int)s->array.dims ? s->array.extent[d] : s->array.element_size;

		same = ncmpi_inq_dimlen(s->nc, ids[d], &length) == NC_NOERR &&
		       (uint64_t)length == want;
	}
	return same;
}

static int inquire(const char *path, struct state *s, struct pario_err *err)
{
	int rc = ncmpi_inq_varid(s->nc, "data", &s->variable);

	if (rc != NC_NOERR)
		return fail(path, rc, "find the variable data in", err);
	if (!same_shape(s))
		return pario_err_set(
			err, PARIO_SYSTEM,
			"the variable data in %s has another shape or type than the test expects: it was not written by this test with these parameters.",
			path);
	return 0;
}

static void free_state(struct state *s)
{
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

/* What each client can prepare alone, so that none is missing when the library opens the file together. */
static struct state *prepare(const struct pario_open *how, const struct pario_array *array,
			     MPI_Info *info, struct pario_err *err)
{
	const struct params *p = how->params;
	struct state *s = calloc(1, sizeof(*s));

	if (!s) {
		pario_err_sys(err, ENOMEM, NULL, "cannot open %s", how->path);
		return NULL;
	}
	*s = (struct state){ .nc = -1,
			     .fd = -1,
			     .collective = how->collective,
			     .chunk = p->pnetcdf_chunk,
			     .array = *array,
			     .dims = (int)array->dims + (array->element_size > 1) };
	if (pario_library_array(array, &s->bytes, how->path, err) < 0 ||
	    pario_library_info(how->hints, info, err) < 0) {
		free_state(s);
		return NULL;
	}
	return s;
}

/* The variable, the descriptor and, for independent access, the mode that the library wants for it. */
static int complete(const struct pario_open *how, struct state *s, struct pario_err *err)
{
	int status = how->create ? define(how->path, s, err) : inquire(how->path, s, err), rc;

	if (pario_comm_agree(how->comm, status, NULL, err) < 0)
		return -1;
	if (how->collective)
		return 0;
	rc = ncmpi_begin_indep_data(s->nc);
	status = rc == NC_NOERR ? 0 : fail(how->path, rc, "begin independent access to", err);
	return pario_comm_agree(how->comm, status, NULL, err);
}

static int open_array(struct pario_file *file, const struct pario_open *how,
		      const struct pario_array *array, struct pario_err *err)
{
	MPI_Info info = MPI_INFO_NULL;
	struct state *s = prepare(how, array, &info, err);
	int status, none;

	if (pario_library_meet(how, info, s ? 0 : -1, s ? &s->fd : &none, err) < 0)
		goto free_all;
	status = open_handle(how, s, info, err);
	/* Closing is collective: when only some could open, their handles stay open rather than hang. */
	if (pario_comm_agree(how->comm, status, NULL, err) < 0)
		goto free_all;
	if (complete(how, s, err) < 0)
		goto close_handle;
	pario_library_info_free(&info);
	file->how = *how;
	file->state = s;
	return 0;

close_handle:
	if (how->create)
		ncmpi_abort(s->nc);
	else
		ncmpi_close(s->nc);
free_all:
	pario_library_info_free(&info);
	if (s)
		free_state(s);
	return -1;
}

struct job {
	struct pario_file *file;
	unsigned char *buffer;
	bool write, runs; /* runs: some client has blocks apart */
};

struct region {
	MPI_Offset start[DIMS], count[DIMS], stride[DIMS];
};

static int call(const struct job *job, const struct region *r, unsigned char *at)
{
	const struct state *s = job->file->state;
	int nc = s->nc, v = s->variable;

	if (job->write)
		return s->collective
			       ? ncmpi_put_vars_uchar_all(nc, v, r->start, r->count, r->stride, at)
			       : ncmpi_put_vars_uchar(nc, v, r->start, r->count, r->stride, at);
	return s->collective ? ncmpi_get_vars_uchar_all(nc, v, r->start, r->count, r->stride, at)
			     : ncmpi_get_vars_uchar(nc, v, r->start, r->count, r->stride, at);
}

static int post(const struct job *job, const struct region *r, unsigned char *at)
{
	const struct state *s = job->file->state;

	return job->write ? ncmpi_iput_vars_uchar(s->nc, s->variable, r->start, r->count, r->stride,
						  at, NULL)
			  : ncmpi_iget_vars_uchar(s->nc, s->variable, r->start, r->count, r->stride,
						  at, NULL);
}

static int wait_posted(const struct state *s)
{
	return s->collective ? ncmpi_wait_all(s->nc, NC_REQ_ALL, NULL, NULL)
			     : ncmpi_wait(s->nc, NC_REQ_ALL, NULL, NULL);
}

/*
 * The slab as one strided region where that is possible; returns how many leading dimensions it is not possible
 * for: of these the last has blocks apart, and those before it must be walked for memory to be contiguous.
 */
static int to_region(const struct state *s, const struct pario_slab *slab, struct region *r)
{
	int walked = 0;

	for (int d = 0; d < (int)s->array.dims; d++) {
		bool dense = slab->count[d] == 1 || slab->stride[d] == slab->block[d];

		r->start[d] = (MPI_Offset)slab->start[d];
		r->stride[d] = dense ? 1 : (MPI_Offset)slab->stride[d];
		r->count[d] =
			(MPI_Offset)(dense ? slab->count[d] * slab->block[d] : slab->count[d]);
		if (!dense && slab->block[d] > 1)
			walked = d + 1;
	}
	if (s->array.element_size > 1) {
		r->start[s->dims - 1] = 0;
		r->stride[s->dims - 1] = 1;
		r->count[s->dims - 1] = (MPI_Offset)s->array.element_size;
	}
	return walked;
}

/* Posts one run for every combination of blocks in the first `walked` dimensions. */
static int post_runs(const struct job *job, const struct pario_slab *slab, struct region *r,
		     int walked, int d, unsigned char **at)
{
	const struct state *s = job->file->state;
	uint64_t bytes = 1;
	int rc = NC_NOERR;

	if (d < walked) {
		/* Only the last walked dimension keeps its blocks whole. */
		bool whole = d == walked - 1;
		uint64_t inner = whole ? 1 : slab->block[d];

		r->stride[d] = 1;
		r->count[d] = whole ? (MPI_Offset)slab->block[d] : 1;
		for (uint64_t k = 0; k < slab->count[d] * inner && rc == NC_NOERR; k++) {
			r->start[d] = (MPI_Offset)(slab->start[d] + k / inner * slab->stride[d] +
						   k % inner);
			rc = post_runs(job, slab, r, walked, d + 1, at);
		}
		return rc;
	}
	for (int i = 0; i < s->dims; i++)
		bytes *= (uint64_t)r->count[i];
	rc = post(job, r, *at);
	*at += bytes;
	return rc;
}

/* One strided call or runs completed together, as agreed for this transfer. */
static int piece(void *context, const struct pario_slab *slab, uint64_t done, uint64_t bytes,
		 struct pario_err *err)
{
	const struct job *job = context;
	const struct state *s = job->file->state;
	unsigned char *at = job->buffer + done;
	struct region r;
	int walked = to_region(s, slab, &r), rc, waited;

	(void)bytes;
	errno = 0;
	if (!job->runs) {
		rc = call(job, &r, at);
	} else {
		rc = post_runs(job, slab, &r, walked, 0, &at);
		waited = wait_posted(s);
		if (rc == NC_NOERR)
			rc = waited;
	}
	if (rc != NC_NOERR)
		return fail(job->file->how.path, rc,
			    job->write ? "write a region of" : "read a region of", err);
	return 0;
}

/* Takes part in a collective transfer without data. */
static int nothing(const struct job *job, struct pario_err *err)
{
	const struct state *s = job->file->state;
	struct region r = { 0 };
	unsigned char unused = 0;
	int rc;

	for (int d = 0; d < s->dims; d++)
		r.stride[d] = 1;
	rc = job->runs ? wait_posted(s) : call(job, &r, &unused);
	return rc == NC_NOERR ? 0 : fail(job->file->how.path, rc, "take part in access to", err);
}

/* The strided call and the completion of runs are different collective calls: all clients make the same one. */
static uint64_t agree(struct job *job, const struct pario_slab *slab, uint64_t pieces)
{
	const struct state *s = job->file->state;
	struct region r;
	uint64_t both[2] = { pieces > 1 ? pieces : 1, 0 };

	both[1] = pieces && to_region(s, slab, &r);
	if (s->collective)
		MPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_UINT64_T, MPI_MAX, job->file->how.comm);
	job->runs = both[1];
	return s->collective ? both[0] : 0;
}

static int transfer(struct job *job, const struct pario_slab *slab, struct pario_err *err)
{
	const struct state *s = job->file->state;
	const char *path = job->file->how.path;
	struct pario_library_cut cut = { .array = &s->array, .limit = s->chunk, .context = job };
	int status = pario_library_cut(&cut, slab, path, err);
	uint64_t rounds = agree(job, slab, status < 0 ? 0 : cut.pieces);

	cut.pieces = 0;
	cut.piece = piece;
	if (!status)
		status = pario_library_cut(&cut, slab, path, err);
	for (; cut.pieces < rounds; cut.pieces++)
		if (nothing(job, status < 0 ? NULL : err) < 0)
			status = -1;
	return status;
}

static int write_slab(struct pario_file *file, const void *buffer, const struct pario_slab *slab,
		      struct pario_err *err)
{
	struct job job = { .file = file,
			   .buffer = (unsigned char *)(uintptr_t)buffer,
			   .write = true };
	struct state *s = file->state;
	uint64_t end = pario_library_slab_end(&s->array, slab);

	if (transfer(&job, slab, err) < 0)
		return -1;
	s->written = end > s->written ? end : s->written;
	return 0;
}

static int read_slab(struct pario_file *file, void *buffer, const struct pario_slab *slab,
		     struct pario_err *err)
{
	struct job job = { .file = file, .buffer = buffer, .write = false };

	return transfer(&job, slab, err);
}

/* Collective. */
static int check_size(const struct pario_file *file, struct pario_err *err)
{
	const struct state *s = file->state;
	MPI_Offset base = 0;

	if (s->written && ncmpi_inq_varoffset(s->nc, s->variable, &base) != NC_NOERR)
		base = 0;
	return pario_library_check_size(file, s->fd, s->written ? (uint64_t)base + s->written : 0,
					err);
}

/*
 * ncmpi_sync is an fsync and a barrier, which a client whose fsync failed never reaches: the others wait for ever. What
 * PnetCDF itself keeps back (burst buffers) is flushed, and the fsync is ours.
 */
static int sync_file(struct pario_file *file, struct pario_err *err)
{
	const struct state *s = file->state;
	int rc;

	if (!file->how.write)
		return 0;
	if (check_size(file, err) < 0)
		return -1;
	errno = 0;
	rc = ncmpi_flush(s->nc);
	if (rc != NC_NOERR)
		return fail(file->how.path, rc, "flush", err);
	return pario_library_fsync(file, s->fd, err);
}

static int close_file(struct pario_file *file, struct pario_err *err)
{
	struct state *s = file->state;
	int status = file->how.write ? check_size(file, err) : 0, rc;

	errno = 0;
	rc = ncmpi_close(s->nc);
	if (rc != NC_NOERR && status == 0)
		status = fail(file->how.path, rc, "close", err);
	status = pario_library_close(file, &s->fd, status, err);
	free_state(s);
	file->state = NULL;
	return status;
}

static void hints(struct pario_file *file, struct pario_hints *effective, bool *confirmed)
{
	const struct state *s = file->state;
	MPI_Info info = MPI_INFO_NULL;

	ncmpi_inq_file_info(s->nc, &info);
	pario_library_hints(info, effective, confirmed);
	pario_library_info_free(&info);
}

static const struct pario_array_ops array_ops = {
	.open = open_array,
	.write = write_slab,
	.read = read_slab,
	.sync = sync_file,
	.close = close_file,
	.hints = hints,
};

#elif defined(PARIO_MODULE_PNETCDF)
PARIO_ARRAY_MODULE("pnetcdf", "PnetCDF " PARIO_PNETCDF_STATUS);
#elif defined(MPICH_VERSION)
PARIO_ARRAY_ABSENT(
	"PnetCDF: Debian has it for Open MPI only; install libpnetcdf-dev and build pario again with Open MPI");
#else
PARIO_ARRAY_ABSENT("PnetCDF: install libpnetcdf-dev and build pario again");
#endif

const struct pario_backend pario_backend_pnetcdf = {
	.name = "pnetcdf",
	.summary = "Parallel netCDF: one dense variable per file",
	.options = options,
	.params_size = sizeof(struct params),
	.bits = PARIO_BACKEND_COLLECTIVE | PARIO_BACKEND_HINTS,
	.unavailable = unavailable,
#ifdef PARIO_MODULE_PNETCDF
	.module = "pnetcdf",
#endif
	.version = version,
	.check = check,
	.doubt = doubt,
	.array = &array_ops,
};
