/*
 * hdf5: what does parallel HDF5 deliver for one dense array per file?
 *
 * One contiguous dataset "/data" of opaque elements, allocated when the file is made and never filled, so that
 * the only data written are the caller's. Regions are hyperslabs; transfers are independent or collective
 * through HDF5's MPI-IO driver. Regions above 1 GiB are cut along their slowest dimensions.
 *
 * Misleads when compared byte for byte with a plain file: HDF5 writes its metadata too, on flush and close. A
 * collective transfer that HDF5 would silently carry out independently is an error here.
 */
#include "backend/backend.h"

#include <stdlib.h>

#include "backend/library.h"
#include "backend/module.h"

#ifdef PARIO_HAVE_HDF5
#include <hdf5.h>
#endif

struct params {
	uint64_t hdf5_alignment, hdf5_chunk;
	bool hdf5_collective_metadata;
};

static const struct pario_option options[] = {
	PARIO_OPTION(struct params, hdf5_alignment, .def = "1", .min = "1", .max = "1p",
		     .unit = "bytes", .help = "objects of this size or more start at a multiple"),
	PARIO_OPTION(struct params, hdf5_collective_metadata, .def = "0",
		     .help = "read and write HDF5's metadata collectively"),
	PARIO_OPTION(struct params, hdf5_chunk, .def = "1g", .min = "1", .max = "1g",
		     .unit = "bytes", .help = "most bytes in one HDF5 call",
		     .flags = PARIO_OPTION_HIDDEN),
	{ 0 },
};

static int check(const struct pario_open *how, struct pario_err *err)
{
	if (how->queue_depth > 1)
		return pario_err_set(err, PARIO_USAGE,
				     "the hdf5 backend has no queue: set queue_depth=1.");
	if (how->preallocate)
		return pario_err_set(
			err, PARIO_USAGE,
			"the hdf5 backend lays out the file itself: leave out preallocate.");
	return 0;
}

#ifdef PARIO_HAVE_HDF5 /* in the module */

PARIO_MODULE(hdf5);

struct state {
	hid_t file, dataset, type, space, plist;
	int fd; /* for fsync */
	bool collective;
	uint64_t chunk, bytes; /* most in one call; in the whole array */
	uint64_t written;      /* where in the array the writes of this client end */
	struct pario_array array;
};

static const char *unavailable(void)
{
	return NULL;
}

static void version(char *text, size_t capacity)
{
	unsigned major = 0, minor = 0, release = 0;

	H5get_libversion(&major, &minor, &release);
	snprintf(text, capacity, "HDF5 %u.%u.%u", major, minor, release);
}

/* The stack is walked from the innermost call outwards: the first words are the cause, the last the call. */
struct words {
	char cause[400], call[100];
};

static herr_t note(unsigned n, const H5E_error2_t *e, void *data)
{
	struct words *w = data;

	if (n == 0)
		snprintf(w->cause, sizeof(w->cause), "%s", e->desc ? e->desc : "");
	snprintf(w->call, sizeof(w->call), "%s", e->func_name ? e->func_name : "");
	return 0;
}

static int fail(const char *path, const char *what, struct pario_err *err)
{
	struct words w = { .cause = "no reason given", .call = "HDF5" };
	int last = errno;

	H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note, &w);
	H5Eclear2(H5E_DEFAULT);
	pario_err_set(err, PARIO_SYSTEM, "cannot %s %s: %s says \"%s\".", what, path, w.call,
		      w.cause);
	return pario_library_add_system(err, last);
}

/* What became of the calls since pario_library_hold: the cause of what HDF5 said, if it did. */
static int held(const char *path, int status, struct pario_err *err)
{
	return pario_library_held(path, err) < 0 ? -1 : status;
}

static hid_t access_list(const struct pario_open *how, MPI_Info info)
{
	const struct params *p = how->params;
	hid_t list = H5Pcreate(H5P_FILE_ACCESS);

	if (list < 0)
		return list;
	if (H5Pset_fapl_mpio(list, how->comm, info) < 0 ||
	    H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) < 0 ||
	    H5Pset_alignment(list, p->hdf5_alignment, p->hdf5_alignment) < 0 ||
	    H5Pset_all_coll_metadata_ops(list, p->hdf5_collective_metadata) < 0 ||
	    H5Pset_coll_metadata_write(list, p->hdf5_collective_metadata) < 0) {
		H5Pclose(list);
		return -1;
	}
	return list;
}

static int open_handle(const struct pario_open *how, struct state *s, MPI_Info info,
		       struct pario_err *err)
{
	char reach[PARIO_LIBRARY_REACH];
	hid_t list = access_list(how, info);

	if (list < 0)
		return fail(how->path, "prepare HDF5 for", err);
	pario_library_reach(how, reach);
	s->file = how->create ? H5Fcreate(reach, H5F_ACC_TRUNC, H5P_DEFAULT, list)
			      : H5Fopen(reach, how->write ? H5F_ACC_RDWR : H5F_ACC_RDONLY, list);
	if (s->file < 0)
		fail(how->path, how->create ? "create" : "open", err);
	H5Pclose(list);
	return s->file < 0 ? -1 : 0;
}

static int create_dataset(const char *path, struct state *s, struct pario_err *err)
{
	hsize_t extent[PARIO_ARRAY_DIMS];
	hid_t list = H5Pcreate(H5P_DATASET_CREATE);

	for (unsigned d = 0; d < s->array.dims; d++)
		extent[d] = s->array.extent[d];
	s->space = H5Screate_simple((int)s->array.dims, extent, NULL);
	if (list >= 0 && s->space >= 0 && H5Pset_layout(list, H5D_CONTIGUOUS) >= 0 &&
	    H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY) >= 0 &&
	    H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0)
		s->dataset = H5Dcreate2(s->file, "/data", s->type, s->space, H5P_DEFAULT, list,
					H5P_DEFAULT);
	if (s->dataset < 0)
		fail(path, "make the dataset /data in", err);
	if (list >= 0)
		H5Pclose(list);
	return s->dataset < 0 ? -1 : 0;
}

static bool same_shape(const struct state *s)
{
	hsize_t extent[PARIO_ARRAY_DIMS];
	hid_t type = H5Dget_type(s->dataset);
	bool same = type >= 0 && H5Tequal(type, s->type) > 0 &&
		    H5Sget_simple_extent_ndims(s->space) == (int)s->array.dims &&
		    H5Sget_simple_extent_dims(s->space, extent, NULL) == (int)s->array.dims;

	for (unsigned d = 0; same && d < s->array.dims; d++)
		same = extent[d] == s->array.extent[d];
	if (type >= 0)
		H5Tclose(type);
	return same;
}

static int open_dataset(const char *path, struct state *s, struct pario_err *err)
{
	s->dataset = H5Dopen2(s->file, "/data", H5P_DEFAULT);
	if (s->dataset >= 0)
		s->space = H5Dget_space(s->dataset);
	if (s->space < 0)
		return fail(path, "open the dataset /data in", err);
	if (!same_shape(s))
		return pario_err_set(
			err, PARIO_SYSTEM,
			"the dataset /data in %s has another shape or element than the test expects: it was not written by this test with these parameters.",
			path);
	return 0;
}

/* Opaque elements are never converted, whatever machine wrote them. */
static int make_types(struct state *s, const char *path, struct pario_err *err)
{
	if (s->array.element_size == 1)
		s->type = H5Tcopy(H5T_NATIVE_UINT8);
	else
		s->type = H5Tcreate(H5T_OPAQUE, s->array.element_size);
	s->plist = H5Pcreate(H5P_DATASET_XFER);
	if (s->type < 0 || s->plist < 0 ||
	    (s->array.element_size > 1 && H5Tset_tag(s->type, "pario element") < 0) ||
	    H5Pset_dxpl_mpio(s->plist,
			     s->collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT) < 0)
		return fail(path, "prepare HDF5 for", err);
	return 0;
}

/* H5Fclose is collective; the rest is local. */
static int free_state(struct state *s, bool close_handle)
{
	int status = 0;

	if (s->dataset >= 0 && H5Dclose(s->dataset) < 0)
		status = -1;
	if (s->space >= 0)
		H5Sclose(s->space);
	if (s->type >= 0)
		H5Tclose(s->type);
	if (s->plist >= 0)
		H5Pclose(s->plist);
	if (close_handle && s->file >= 0 && H5Fclose(s->file) < 0)
		status = -1;
	if (s->fd >= 0)
		close(s->fd);
	free(s);
	return status;
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
	*s = (struct state){ .file = -1,
			     .dataset = -1,
			     .type = -1,
			     .space = -1,
			     .plist = -1,
			     .fd = -1,
			     .collective = how->collective,
			     .chunk = p->hdf5_chunk,
			     .array = *array };
	/* Errors are put into sentences; HDF5 must not print them as well. */
	H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
	if (pario_library_array(array, &s->bytes, how->path, err) < 0 ||
	    make_types(s, how->path, err) < 0 || pario_library_info(how->hints, info, err) < 0) {
		free_state(s, false);
		return NULL;
	}
	return s;
}

static int open_array(struct pario_file *file, const struct pario_open *how,
		      const struct pario_array *array, struct pario_err *err)
{
	MPI_Info info = MPI_INFO_NULL;
	struct state *s = prepare(how, array, &info, err);
	bool opened = false;
	int status, none;

	if (pario_library_meet(how, info, s ? 0 : -1, s ? &s->fd : &none, err) < 0)
		goto free_all;
	pario_library_hold();
	status = held(how->path, open_handle(how, s, info, err), err);
	/* Closing is collective: when only some could open, their handles stay open rather than hang. */
	if (pario_comm_agree(how->comm, status, NULL, err) < 0)
		goto free_all;
	opened = true;
	pario_library_hold();
	status = how->create ? create_dataset(how->path, s, err) : open_dataset(how->path, s, err);
	status = held(how->path, status, err);
	if (pario_comm_agree(how->comm, status, NULL, err) < 0)
		goto free_all;
	pario_library_info_free(&info);
	file->how = *how;
	file->state = s;
	return 0;

free_all:
	pario_library_info_free(&info);
	if (s)
		free_state(s, opened);
	return -1;
}

struct job {
	struct pario_file *file;
	char *buffer;
	bool write;
};

/* HDF5 carries out a collective transfer independently when it finds a reason; then the name would be wrong. */
static int check_collective(const struct pario_file *file, struct pario_err *err)
{
	const struct state *s = file->state;
	uint32_t local = 0, global = 0;

	if (!s->collective)
		return 0;
	if (H5Pget_mpio_no_collective_cause(s->plist, &local, &global) < 0)
		return fail(file->how.path, "learn how HDF5 accessed", err);
	if (global != H5D_MPIO_COLLECTIVE)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"HDF5 did not access %s collectively, cause %#x (H5Pget_mpio_no_collective_cause): set collective=0.",
			file->how.path, global);
	return 0;
}

static int call(const struct job *job, hid_t memory, char *at, struct pario_err *err)
{
	const struct state *s = job->file->state;
	int status = 0;

	errno = 0;
	pario_library_hold();
	if (job->write && H5Dwrite(s->dataset, s->type, memory, s->space, s->plist, at) < 0)
		status = fail(job->file->how.path, "write a region of", err);
	if (!job->write && H5Dread(s->dataset, s->type, memory, s->space, s->plist, at) < 0)
		status = fail(job->file->how.path, "read a region of", err);
	status = held(job->file->how.path, status, err);
	return status < 0 ? -1 : check_collective(job->file, err);
}

static int piece(void *context, const struct pario_slab *slab, uint64_t done, uint64_t bytes,
		 struct pario_err *err)
{
	const struct job *job = context;
	const struct state *s = job->file->state;
	hsize_t start[PARIO_ARRAY_DIMS], stride[PARIO_ARRAY_DIMS], count[PARIO_ARRAY_DIMS],
		block[PARIO_ARRAY_DIMS], elements = bytes / s->array.element_size;
	hid_t memory;
	int status;

	for (unsigned d = 0; d < s->array.dims; d++) {
		start[d] = slab->start[d];
		stride[d] = slab->stride[d];
		count[d] = slab->count[d];
		block[d] = slab->block[d];
	}
	if (H5Sselect_hyperslab(s->space, H5S_SELECT_SET, start, stride, count, block) < 0)
		return fail(job->file->how.path, "select a region of", err);
	memory = H5Screate_simple(1, &elements, NULL);
	if (memory < 0)
		return fail(job->file->how.path, "describe memory for", err);
	status = call(job, memory, job->buffer + done, err);
	H5Sclose(memory);
	return status;
}

/* Takes part in a collective transfer without data. */
static int nothing(const struct job *job, struct pario_err *err)
{
	const struct state *s = job->file->state;
	hsize_t one = 1;
	hid_t memory = H5Screate_simple(1, &one, NULL);
	char unused = 0;
	int status;

	if (memory < 0 || H5Sselect_none(memory) < 0 || H5Sselect_none(s->space) < 0)
		status = fail(job->file->how.path, "select nothing of", err);
	else
		status = call(job, memory, &unused, err);
	if (memory >= 0)
		H5Sclose(memory);
	return status;
}

static int transfer(struct job *job, const struct pario_slab *slab, struct pario_err *err)
{
	const struct state *s = job->file->state;
	const char *path = job->file->how.path;
	struct pario_library_cut cut = { .array = &s->array, .limit = s->chunk, .context = job };
	uint64_t rounds = 0;
	int status = pario_library_cut(&cut, slab, path, err);

	if (s->collective)
		rounds = pario_library_rounds(job->file->how.comm, s->bytes, s->chunk, cut.pieces);
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
	struct job job = { .file = file, .buffer = (char *)(uintptr_t)buffer, .write = true };
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

/* Before HDF5 itself gives the file its size. Collective. */
static int check_size(const struct pario_file *file, struct pario_err *err)
{
	const struct state *s = file->state;
	haddr_t base = s->written ? H5Dget_offset(s->dataset) : HADDR_UNDEF;

	return pario_library_check_size(file, s->fd, base == HADDR_UNDEF ? 0 : base + s->written,
					err);
}

static int sync_file(struct pario_file *file, struct pario_err *err)
{
	const struct state *s = file->state;
	int status;

	if (!file->how.write)
		return 0;
	/* A flush after lost writes hangs: see pario_library_sync. */
	if (check_size(file, err) < 0)
		return -1;
	pario_library_hold();
	status = H5Fflush(s->file, H5F_SCOPE_GLOBAL) < 0 ? fail(file->how.path, "flush", err) : 0;
	status = held(file->how.path, status, err);
	return status < 0 ? -1 : pario_library_fsync(file, s->fd, err);
}

static int close_file(struct pario_file *file, struct pario_err *err)
{
	struct state *s = file->state;
	int status = file->how.write ? check_size(file, err) : 0, fd = s->fd;
	struct pario_err closing = { 0 };

	s->fd = -1; /* closed last: it tells what the library kept to itself */
	pario_library_hold();
	if (free_state(s, true) < 0)
		fail(file->how.path, "close", &closing);
	pario_library_held(file->how.path, &closing);
	if (closing.code && status == 0) {
		*err = closing;
		status = -1;
	}
	file->state = NULL;
	return pario_library_close(file, &fd, status, err);
}

/* One client may ask alone: the handle is reached without the access list, whose copy would be collective. */
static void hints(struct pario_file *file, struct pario_hints *effective, bool *confirmed)
{
	const struct state *s = file->state;
	MPI_Info info = MPI_INFO_NULL;
	void *handle = NULL;

	if (H5Fget_vfd_handle(s->file, H5P_DEFAULT, &handle) >= 0 && handle)
		MPI_File_get_info(*(MPI_File *)handle, &info);
	H5Eclear2(H5E_DEFAULT);
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

#elif defined(PARIO_MODULE_HDF5)
PARIO_ARRAY_MODULE("hdf5", "HDF5 " PARIO_HDF5_STATUS);
#elif defined(MPICH_VERSION)
PARIO_ARRAY_ABSENT("HDF5: install libhdf5-mpich-dev and build pario again");
#else
PARIO_ARRAY_ABSENT("HDF5: install libhdf5-openmpi-dev and build pario again");
#endif

const struct pario_backend pario_backend_hdf5 = {
	.name = "hdf5",
	.summary = "parallel HDF5: one dense dataset per file",
	.options = options,
	.params_size = sizeof(struct params),
	.bits = PARIO_BACKEND_COLLECTIVE | PARIO_BACKEND_HINTS,
	.unavailable = unavailable,
#ifdef PARIO_MODULE_HDF5
	.module = "hdf5",
#endif
	.version = version,
	.check = check,
	.doubt = pario_library_doubt,
	.array = &array_ops,
};
