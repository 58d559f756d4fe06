/*
 * mpiio: what does the MPI library's own file interface deliver?
 *
 * All families of MPI-IO data access: explicit offsets, individual and shared file pointers, each independent
 * or collective (collective with the shared pointer is the ordered form), and nonblocking explicit access for
 * queues. A file view makes the client's part of a shared file look contiguous. Transfers are cut into calls
 * of at most 1 GiB; every call's count is checked.
 *
 * Misleads when hints are taken at their word: Open MPI repeats every hint, MPICH reports those in effect. With
 * views, collective or nonblocking calls ROMIO may report the full count whatever happened at the end of the
 * file, so these reads are compared with the file's size. Queues gain nothing with Open MPI's ROMIO, whose
 * nonblocking calls block. A shared pointer places transfers in the order of arrival.
 */
#include "backend/backend.h"

#include <limits.h>
#include <stdlib.h>

#include "backend/library.h"
#include "backend/mpiio_calls.h"

struct params {
	uint64_t mpiio_chunk;
	int pointer;
};

static const char *const pointer_choices[] = { "explicit", "individual", "shared", NULL };

static const struct pario_option options[] = {
	PARIO_OPTION(
		struct params, pointer, .def = "explicit", .choices = pointer_choices,
		.help = "who keeps the position: the call, the client's or the shared pointer"),
	PARIO_OPTION(struct params, mpiio_chunk, .def = "1g", .min = "1", .max = "1g",
		     .unit = "bytes", .help = "most bytes in one MPI call",
		     .flags = PARIO_OPTION_HIDDEN),
	{ 0 },
};

struct state {
	MPI_File handle;
	int fd; /* for fsync and the file's size */
	enum pario_mpiio_pointer pointer;
	bool collective;
	bool cut; /* a transfer can exceed one call, so collective clients must agree on their number */
	uint64_t chunk;
	uint64_t position; /* of the individual pointer; UINT64_MAX = not known */
	uint64_t written; /* where in the file the last collective write ends; shared pointers: 0 */
	uint64_t size;	  /* the file had at least this size when last looked at */
	bool viewed;
	struct pario_view view;
	unsigned depth, in_flight, finished_count; /* the queue: */
	MPI_Request *requests;			   /* MPI_REQUEST_NULL where free */
	uint64_t *asked;			   /* bytes of each request */
	MPI_Status *statuses;
	int *indices;
	struct pario_request **owners;
	struct pario_request **finished; /* done or failed, not handed out yet */
	struct pario_err failure;	 /* of the first of these that failed */
};

static const char *unavailable(void)
{
	return NULL;
}

static int check(const struct pario_open *how, struct pario_err *err)
{
	const struct params *p = how->params;

	if (how->queue_depth > 1 && how->collective)
		return pario_err_set(
			err, PARIO_USAGE,
			"collective transfers cannot be queued: set queue_depth=1 or collective=0.");
	if (how->queue_depth > 1 && p->pointer != PARIO_MPIIO_EXPLICIT)
		return pario_err_set(
			err, PARIO_USAGE,
			"pointer=%s cannot be queued: set queue_depth=1 or pointer=explicit.",
			pointer_choices[p->pointer]);
	if (p->pointer == PARIO_MPIIO_SHARED && how->buffer_size > p->mpiio_chunk)
		return pario_err_set(
			err, PARIO_USAGE,
			"with pointer=shared a transfer is one MPI call and holds at most %llu bytes: use smaller transfers or another pointer.",
			(unsigned long long)p->mpiio_chunk);
	return 0;
}

static bool unordered(const void *params)
{
	return ((const struct params *)params)->pointer == PARIO_MPIIO_SHARED;
}

static int fail_transfer(const struct pario_file *file, int rc, bool write, uint64_t length,
			 uint64_t offset, struct pario_err *err)
{
	return pario_library_mpi_fail(err, rc,
				      "cannot %s %llu bytes at offset %llu of %s by MPI-IO",
				      write ? "write" : "read", (unsigned long long)length,
				      (unsigned long long)offset, file->how.path);
}

/* What moved less than it should has met something, or the end of the file. */
static int fail_short(const struct pario_file *file, bool write, uint64_t moved, uint64_t length,
		      uint64_t offset, struct pario_err *err)
{
	int last = errno;

	pario_err_set(err, PARIO_SYSTEM,
		      "MPI-IO moved %llu of %llu bytes when %s at offset %llu of %s: %s.",
		      (unsigned long long)moved, (unsigned long long)length,
		      write ? "writing" : "reading", (unsigned long long)offset, file->how.path,
		      write ? "the storage accepts no more" : "the file ends there");
	return pario_library_add_system(err, last);
}

static int alloc_queue(struct state *s, unsigned depth, struct pario_err *err)
{
	s->depth = depth;
	s->requests = calloc(depth, sizeof(s->requests[0]));
	s->asked = calloc(depth, sizeof(s->asked[0]));
	s->statuses = calloc(depth, sizeof(s->statuses[0]));
	s->indices = calloc(depth, sizeof(s->indices[0]));
	s->owners = calloc(depth, sizeof(s->owners[0]));
	s->finished = calloc(depth, sizeof(s->finished[0]));
	if (!s->requests || !s->asked || !s->statuses || !s->indices || !s->owners || !s->finished)
		return pario_err_sys(err, ENOMEM, NULL, "cannot allocate a queue of %u requests",
				     depth);
	for (unsigned i = 0; i < depth; i++)
		s->requests[i] = MPI_REQUEST_NULL;
	return 0;
}

static void free_state(struct state *s)
{
	if (s->fd >= 0)
		close(s->fd);
	free(s->requests);
	free(s->asked);
	free(s->statuses);
	free(s->indices);
	free(s->owners);
	free(s->finished);
	free(s);
}

/* What each client can prepare alone, so that none is missing when the library opens the file together. */
static struct state *prepare(const struct pario_open *how, MPI_Info *info, struct pario_err *err)
{
	const struct params *p = how->params;
	struct state *s = calloc(1, sizeof(*s));

	if (!s) {
		pario_err_sys(err, ENOMEM, NULL, "cannot open %s", how->path);
		return NULL;
	}
	*s = (struct state){
		.handle = MPI_FILE_NULL,
		.fd = -1,
		.pointer = (enum pario_mpiio_pointer)p->pointer,
		.collective = how->collective,
		.cut = !how->buffer_size || how->buffer_size > p->mpiio_chunk,
		.chunk = p->mpiio_chunk,
	};
	if ((how->queue_depth > 1 && alloc_queue(s, how->queue_depth, err) < 0) ||
	    pario_library_info(how->hints, info, err) < 0) {
		free_state(s);
		return NULL;
	}
	return s;
}

static int open_handle(const struct pario_open *how, struct state *s, MPI_Info info,
		       struct pario_err *err)
{
	int mode = how->write ? how->read ? MPI_MODE_RDWR : MPI_MODE_WRONLY : MPI_MODE_RDONLY;
	char reach[PARIO_LIBRARY_REACH];
	int rc = MPI_SUCCESS;

	if (pario_library_open(how->comm, pario_library_reach(how, reach), mode, info, how->path,
			       &s->handle, err) < 0)
		return -1;
	if (s->pointer == PARIO_MPIIO_SHARED)
		rc = pario_mpiio_ask(s->handle);
	if (rc != MPI_SUCCESS)
		return pario_library_mpi_fail(
			err, rc, "cannot use the shared file pointer of %s by MPI-IO", how->path);
	return 0;
}

static int preallocate(const struct pario_open *how, struct state *s, struct pario_err *err)
{
	int rc;

	if (!how->create || !how->preallocate || !how->size)
		return 0;
	rc = MPI_File_preallocate(s->handle, (MPI_Offset)how->size);
	if (rc != MPI_SUCCESS)
		return pario_library_mpi_fail(err, rc, "cannot preallocate %llu bytes for %s",
					      (unsigned long long)how->size, how->path);
	return 0;
}

static int open_file(struct pario_file *file, const struct pario_open *how, struct pario_err *err)
{
	MPI_Info info = MPI_INFO_NULL;
	struct state *s = prepare(how, &info, err);
	int status, none;

	if (pario_library_meet(how, info, s ? 0 : -1, s ? &s->fd : &none, err) < 0)
		goto free_info;
	status = open_handle(how, s, info, err);
	/* Closing is collective: when only some could open, their handles stay open rather than hang. */
	if (pario_comm_agree(how->comm, status, NULL, err) < 0)
		goto free_info;
	if (pario_comm_agree(how->comm, preallocate(how, s, err), NULL, err) < 0)
		goto close_handle;
	if (how->collective)
		MPI_Allreduce(MPI_IN_PLACE, &s->cut, 1, MPI_C_BOOL, MPI_LOR, how->comm);
	pario_library_info_free(&info);
	file->how = *how;
	file->state = s;
	return 0;

close_handle:
	MPI_File_close(&s->handle);
free_info:
	pario_library_info_free(&info);
	if (s)
		free_state(s);
	return -1;
}

/* One MPI call of at most a chunk. */
static int move(struct pario_file *file, bool write, char *buffer, uint64_t n, uint64_t offset,
		uint64_t *moved, struct pario_err *err)
{
	struct state *s = file->state;
	MPI_Status status = { 0 };
	MPI_Offset at = (MPI_Offset)offset;
	int rc = MPI_SUCCESS;
	uint64_t count;

	if (s->pointer == PARIO_MPIIO_INDIVIDUAL && s->position != offset)
		rc = MPI_File_seek(s->handle, at, MPI_SEEK_SET);
	s->position = UINT64_MAX;
	errno = 0;
	if (rc == MPI_SUCCESS && write)
		rc = pario_mpiio_write(s->handle, s->pointer, s->collective, at, buffer, (int)n,
				       &status);
	else if (rc == MPI_SUCCESS)
		rc = pario_mpiio_read(s->handle, s->pointer, s->collective, at, buffer, (int)n,
				      &status);
	if (rc != MPI_SUCCESS)
		return fail_transfer(file, rc, write, n, offset, err);
	count = pario_mpiio_moved(&status, n);
	if (count > n)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"MPI-IO does not say how many of %llu bytes it moved at offset %llu of %s.",
			(unsigned long long)n, (unsigned long long)offset, file->how.path);
	s->position = offset + count;
	*moved = count;
	return 0;
}

static int independent(struct pario_file *file, bool write, char *buffer, uint64_t length,
		       uint64_t offset, struct pario_err *err)
{
	const struct state *s = file->state;
	uint64_t moved;

	for (uint64_t done = 0; done < length; done += moved) {
		uint64_t n = length - done < s->chunk ? length - done : s->chunk;

		if (move(file, write, buffer + done, n, offset + done, &moved, err) < 0)
			return -1;
		/* What the shared pointer has passed cannot be continued: others may have moved it on. */
		if (!moved || (moved < n && s->pointer == PARIO_MPIIO_SHARED))
			return fail_short(file, write, moved, n, offset + done, err);
	}
	return 0;
}

/* Every client makes the same number of calls, also one that has failed or has nothing left to move. */
static int collective(struct pario_file *file, bool write, char *buffer, uint64_t length,
		      uint64_t offset, struct pario_err *err)
{
	const struct state *s = file->state;
	uint64_t calls = length ? (length - 1) / s->chunk + 1 : 1, done = 0, moved = 0;
	int status = 0;

	if (s->cut)
		MPI_Allreduce(MPI_IN_PLACE, &calls, 1, MPI_UINT64_T, MPI_MAX, file->how.comm);
	for (uint64_t i = 0; i < calls; i++) {
		uint64_t n = length - done < s->chunk ? length - done : s->chunk;

		if (status < 0)
			n = 0;
		if (move(file, write, buffer + done, n, offset + done, &moved,
			 status < 0 ? NULL : err) < 0)
			status = -1;
		else if (moved < n)
			status = fail_short(file, write, moved, n, offset + done, err);
		else
			done += n;
	}
	return status;
}

static uint64_t end_in_file(const struct state *s, uint64_t end)
{
	return s->viewed ? pario_mpiio_view_end(&s->view, end) : end;
}

/* Looks at the size only when the last look does not cover this read: fstat can cost a round trip. */
static int check_end(struct pario_file *file, uint64_t length, uint64_t offset,
		     struct pario_err *err)
{
	struct state *s = file->state;
	uint64_t end;

	if (!length || s->pointer == PARIO_MPIIO_SHARED ||
	    (!s->collective && !s->viewed && !s->depth))
		return 0;
	end = end_in_file(s, offset + length);
	if (end > s->size && pario_library_size(file, s->fd, &s->size, err) < 0)
		return -1;
	if (end > s->size)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"cannot read %llu bytes at offset %llu of %s by MPI-IO: the file ends at %llu, before %llu.",
			(unsigned long long)length, (unsigned long long)offset, file->how.path,
			(unsigned long long)s->size, (unsigned long long)end);
	return 0;
}

static int check_range(const struct pario_file *file, uint64_t length, uint64_t offset,
		       struct pario_err *err)
{
	const struct state *s = file->state;
	bool whole = s->pointer == PARIO_MPIIO_SHARED || (s->collective && !s->cut);
	uint64_t end;

	if (pario_add(offset, length, &end) && end <= INT64_MAX && (length <= s->chunk || !whole))
		return 0;
	return pario_err_set(
		err, PARIO_USAGE,
		"a transfer of %llu bytes at offset %llu of %s is larger than was announced at open or than MPI-IO can address: use smaller ones.",
		(unsigned long long)length, (unsigned long long)offset, file->how.path);
}

static int transfer(struct pario_file *file, bool write, char *buffer, uint64_t length,
		    uint64_t offset, struct pario_err *err)
{
	const struct state *s = file->state;

	if (check_range(file, length, offset, err) < 0)
		return -1;
	return s->collective ? collective(file, write, buffer, length, offset, err)
			     : independent(file, write, buffer, length, offset, err);
}

static int write_at(struct pario_file *file, const void *buffer, uint64_t length, uint64_t offset,
		    struct pario_err *err)
{
	struct state *s = file->state;

	if (transfer(file, true, (char *)(uintptr_t)buffer, length, offset, err) < 0)
		return -1;
	if (s->collective && length && s->pointer != PARIO_MPIIO_SHARED &&
	    end_in_file(s, offset + length) > s->written)
		s->written = end_in_file(s, offset + length);
	return 0;
}

static int read_at(struct pario_file *file, void *buffer, uint64_t length, uint64_t offset,
		   struct pario_err *err)
{
	if (transfer(file, false, buffer, length, offset, err) < 0)
		return -1;
	return check_end(file, length, offset, err);
}

/* Starts the next chunk of a queued request in place i of the queue. */
static int start(struct pario_file *file, unsigned i, struct pario_request *r,
		 struct pario_err *err)
{
	struct state *s = file->state;
	uint64_t left = r->length - r->done, n = left < s->chunk ? left : s->chunk;
	MPI_Offset at = (MPI_Offset)(r->offset + r->done);
	char *b = (char *)r->buffer + r->done;
	int rc;

	if (r->write)
		rc = MPI_File_iwrite_at(s->handle, at, b, (int)n, MPI_BYTE, &s->requests[i]);
	else
		rc = MPI_File_iread_at(s->handle, at, b, (int)n, MPI_BYTE, &s->requests[i]);
	if (rc != MPI_SUCCESS) {
		s->requests[i] = MPI_REQUEST_NULL;
		return fail_transfer(file, rc, r->write, n, r->offset + r->done, err);
	}
	s->owners[i] = r;
	s->asked[i] = n;
	s->in_flight++;
	return 0;
}

static int submit(struct pario_file *file, struct pario_request *request, struct pario_err *err)
{
	struct state *s = file->state;

	request->done = 0;
	/* Open MPI's OMPIO never completes a nonblocking read that meets the end of the file. */
	if (check_range(file, request->length, request->offset, err) < 0 ||
	    (!request->write && check_end(file, request->length, request->offset, err) < 0))
		return -1;
	for (unsigned i = 0; i < s->depth && s->finished_count + s->in_flight < s->depth; i++)
		if (s->requests[i] == MPI_REQUEST_NULL)
			return start(file, i, request, err);
	return pario_err_set(err, PARIO_USAGE,
			     "more than %u requests are in flight for %s: reap some first.",
			     s->depth, file->how.path);
}

/* Takes in the answer to one chunk: 1 = the request is complete, 0 = the next chunk is on its way, -1 = it failed. */
static int take(struct pario_file *file, unsigned i, const MPI_Status *status,
		struct pario_err *err)
{
	struct state *s = file->state;
	struct pario_request *r = s->owners[i];
	uint64_t n = s->asked[i], moved;

	if (status->MPI_ERROR != MPI_SUCCESS)
		return fail_transfer(file, status->MPI_ERROR, r->write, n, r->offset + r->done,
				     err);
	moved = pario_mpiio_moved(status, n);
	if (moved > n || (n && !moved))
		return fail_short(file, r->write, moved > n ? 0 : moved, n, r->offset + r->done,
				  err);
	r->done += moved;
	return r->done < r->length ? start(file, i, r, err) : 1;
}

static void complete(struct pario_file *file, unsigned i, const MPI_Status *status)
{
	struct state *s = file->state;
	struct pario_request *r = s->owners[i];
	int taken;

	s->in_flight--;
	taken = take(file, i, status, s->failure.code ? NULL : &s->failure);
	if (taken == 0)
		return;
	r->status = taken < 0 ? -1 : 0;
	s->finished[s->finished_count++] = r;
}

/* Collects whatever has finished; with `wait` at least one. */
static int collect(struct pario_file *file, bool wait, struct pario_err *err)
{
	struct state *s = file->state;
	int depth = (int)s->depth, count = 0, rc;

	rc = pario_mpiio_some(depth, s->requests, s->asked, wait, &count, s->indices, s->statuses);
	if (rc != MPI_SUCCESS) {
		s->in_flight = 0; /* lost: nobody may wait for them again */
		return pario_library_mpi_fail(err, rc, "cannot wait for requests to %s",
					      file->how.path);
	}
	for (int i = 0; i < count; i++)
		complete(file, (unsigned)s->indices[i], &s->statuses[i]);
	return 0;
}

/* Hands out one that has finished. */
static struct pario_request *hand_out(struct state *s, struct pario_err *err)
{
	struct pario_request *r = s->finished[--s->finished_count];

	if (r->status < 0)
		*err = s->failure;
	if (!s->finished_count)
		s->failure.code = PARIO_OK;
	return r;
}

static int reap(struct pario_file *file, unsigned least, unsigned most, struct pario_request **done,
		struct pario_err *err)
{
	struct state *s = file->state;
	unsigned n = 0;

	if (s->in_flight && s->finished_count < most && collect(file, false, err) < 0)
		return -1;
	while (s->finished_count < least && s->in_flight)
		if (collect(file, true, err) < 0)
			return -1;
	while (n < most && s->finished_count)
		done[n++] = hand_out(s, err);
	return (int)n;
}

static int view(struct pario_file *file, const struct pario_view *view, struct pario_err *err)
{
	struct state *s = file->state;
	uint64_t end = 0;
	int status = 0, rc;

	if (!view->block || view->block > INT_MAX || view->stride < view->block ||
	    !pario_mul(view->stride, view->count, &end) ||
	    !pario_add(end, view->displacement, &end) || end > INT64_MAX)
		status = pario_err_set(
			err, PARIO_USAGE,
			"a file view of %llu blocks of %llu bytes, %llu apart from %llu, is not possible: blocks hold 1 to %d bytes, do not overlap and end below 8 EiB.",
			(unsigned long long)view->count, (unsigned long long)view->block,
			(unsigned long long)view->stride, (unsigned long long)view->displacement,
			INT_MAX);
	if (pario_comm_agree(file->how.comm, status, NULL, err) < 0)
		return -1;
	rc = pario_mpiio_view(s->handle, view);
	if (rc != MPI_SUCCESS)
		status = pario_library_mpi_fail(err, rc, "cannot set a file view on %s",
						file->how.path);
	s->view = *view;
	s->viewed = true;
	s->position = 0;
	return pario_comm_agree(file->how.comm, status, NULL, err);
}

static int sync_file(struct pario_file *file, struct pario_err *err)
{
	struct state *s = file->state;

	return file->how.write ? pario_library_sync(file, s->handle, s->fd, err) : 0;
}

static int close_file(struct pario_file *file, struct pario_err *err)
{
	struct state *s = file->state;
	int rc, status = 0;

	while (s->in_flight && collect(file, true, NULL) == 0)
		s->finished_count = 0;
	if (s->collective && file->how.write)
		status = pario_library_check_size(file, s->fd, s->written, err);
	rc = MPI_File_close(&s->handle);
	if (rc != MPI_SUCCESS && status == 0)
		status = pario_library_mpi_fail(err, rc, "cannot close %s by MPI-IO",
						file->how.path);
	status = pario_library_close(file, &s->fd, status, err);
	free_state(s);
	file->state = NULL;
	return status;
}

static void hints(struct pario_file *file, struct pario_hints *effective, bool *confirmed)
{
	const struct state *s = file->state;
	MPI_Info info = MPI_INFO_NULL;

	MPI_File_get_info(s->handle, &info);
	pario_library_hints(info, effective, confirmed);
	pario_library_info_free(&info);
}

static const struct pario_extent_ops extent = {
	.open = open_file,
	.write = write_at,
	.read = read_at,
	.submit = submit,
	.reap = reap,
	.view = view,
	.sync = sync_file,
	.close = close_file,
	.hints = hints,
};

const struct pario_backend pario_backend_mpiio = {
	.name = "mpiio",
	.summary = "the MPI library's file interface: offsets, pointers, views, collectives",
	.options = options,
	.params_size = sizeof(struct params),
	.bits = PARIO_BACKEND_COLLECTIVE | PARIO_BACKEND_HINTS,
	.unavailable = unavailable,
	.version = pario_library_mpi_version,
	.check = check,
	.doubt = pario_library_doubt,
	.unordered = unordered,
	.extent = &extent,
};
