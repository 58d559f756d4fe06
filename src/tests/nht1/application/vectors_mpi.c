/*
 * vectors_mpi: vectors through MPI-IO, by blocking calls or by the library's nonblocking ones.
 *
 * A nonblocking call moves on by itself only where the library has a thread or the kernel to do it; the computing
 * thread asks after it between its steps (nudge).
 */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/library.h"
#include "engine/test.h"
#include "tests/nht1/application/vectors_private.h"

struct handle {
	MPI_File file;
	MPI_Datatype line;
	int fd; /* of the same file: MPI_File_sync promises no durability */
	MPI_Request *requests[PARIO_VECTORS_SLOTS];
	uint64_t pieces, asked; /* vectors whose end was not seen yet begin at `asked` */
};

static int open_mpi(struct pario_vectors *v, struct pario_err *err)
{
	const struct pario_vectors_shape *s = &v->shape;
	MPI_Comm comm = s->layout == PARIO_VECTORS_EPIO ? MPI_COMM_SELF : s->comm;
	const struct pario_open how = { .dirfd = s->dirfd, .name = s->name, .path = s->path };
	struct handle *h = calloc(1, sizeof(*h));
	MPI_Info info = MPI_INFO_NULL;
	char reach[PARIO_LIBRARY_REACH];
	uint64_t bytes;
	int status = 0;

	v->state = h;
	if (h) {
		h->pieces = pario_vectors_pieces(s, &bytes);
		h->file = MPI_FILE_NULL;
		h->line = MPI_DATATYPE_NULL;
		h->fd = -1;
		for (unsigned i = 0; i < v->slots; i++)
			h->requests[i] = calloc(h->pieces, sizeof(MPI_Request));
	}
	if (!h || !h->requests[0] || (v->slots > 1 && !h->requests[1]))
		status = pario_err_memory(err, "the requests of MPI-IO");
	if (status == 0)
		status = pario_library_info(s->hints, &info, err);
	if (pario_comm_agree(s->comm, status, NULL, err) < 0)
		return -1;
	MPI_Type_contiguous((int)s->line_bytes, MPI_BYTE, &h->line);
	MPI_Type_commit(&h->line);
	status = pario_library_open(comm, pario_library_reach(&how, reach),
				    MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL, info,
				    s->path, &h->file, err);
	pario_library_info_free(&info);
	if (status == 0)
		status = pario_library_fd(&how, &h->fd, err);
	return pario_comm_agree(s->comm, status, NULL, err);
}

static int call(struct pario_vectors *v, MPI_Offset at, const char *from, int lines,
		MPI_Request *request)
{
	struct handle *h = v->state;
	bool all = v->shape.collective;

	if (v->shape.async)
		return all ? MPI_File_iwrite_at_all(h->file, at, from, lines, h->line, request)
			   : MPI_File_iwrite_at(h->file, at, from, lines, h->line, request);
	*request = MPI_REQUEST_NULL;
	return all ? MPI_File_write_at_all(h->file, at, from, lines, h->line, MPI_STATUS_IGNORE)
		   : MPI_File_write_at(h->file, at, from, lines, h->line, MPI_STATUS_IGNORE);
}

static int put(struct pario_vectors *v, uint64_t vector, struct pario_err *err)
{
	struct handle *h = v->state;
	const char *from = v->slot[vector % v->slots];
	uint64_t offset = pario_vectors_offset(&v->shape, vector), bytes;
	uint64_t pieces = pario_vectors_pieces(&v->shape, &bytes), i;
	MPI_Request *requests = h->requests[vector % v->slots];
	int rc = MPI_SUCCESS;

	for (i = 0; i < pieces && rc == MPI_SUCCESS; i++)
		rc = call(v, (MPI_Offset)(offset + i * bytes), from + i * bytes,
			  (int)(bytes / v->shape.line_bytes), &requests[i]);
	if (rc != MPI_SUCCESS)
		requests[i - 1] = MPI_REQUEST_NULL;
	for (; i < pieces; i++)
		requests[i] = MPI_REQUEST_NULL;
	if (!v->shape.async)
		v->times[vector].done_ns = pario_run_now();
	if (rc == MPI_SUCCESS)
		return 0;
	return pario_library_mpi_fail(err, rc, "cannot write solution vector %llu to %s by MPI-IO",
				      (unsigned long long)vector + 1, v->shape.path);
}

static int wait(struct pario_vectors *v, uint64_t vector, struct pario_err *err)
{
	struct handle *h = v->state;
	int rc = MPI_SUCCESS, one;

	for (uint64_t i = 0; v->shape.async && i < h->pieces; i++) {
		one = MPI_Wait(&h->requests[vector % v->slots][i], MPI_STATUS_IGNORE);
		rc = rc == MPI_SUCCESS ? one : rc;
	}
	if (!v->times[vector].done_ns)
		v->times[vector].done_ns = pario_run_now();
	h->asked = vector + 1 > h->asked ? vector + 1 : h->asked;
	if (rc == MPI_SUCCESS)
		return 0;
	return pario_library_mpi_fail(err, rc, "cannot write solution vector %llu to %s by MPI-IO",
				      (unsigned long long)vector + 1, v->shape.path);
}

/* Asks without taking the answer away, so that a failure still meets wait. */
static void nudge(struct pario_vectors *v)
{
	struct handle *h = v->state;

	for (; v->shape.async && h->asked < v->put; h->asked++) {
		MPI_Request *requests = h->requests[h->asked % v->slots];
		int over = 1;

		for (uint64_t i = 0; i < h->pieces && over; i++)
			MPI_Request_get_status(requests[i], &over, MPI_STATUS_IGNORE);
		if (!over)
			return;
		v->times[h->asked].done_ns = pario_run_now();
	}
}

static int finish(struct pario_vectors *v, int status, struct pario_err *err)
{
	const struct pario_file plain = { .how = { .path = v->shape.path, .comm = v->shape.comm } };
	struct handle *h = v->state;
	struct pario_err later = { 0 };
	int rc = MPI_File_sync(h->file);

	if (rc != MPI_SUCCESS && status == 0)
		status = pario_library_mpi_fail(err, rc, "cannot sync %s by MPI-IO", v->shape.path);
	if (pario_library_fsync(&plain, h->fd, status == 0 ? err : &later) < 0)
		status = -1;
	rc = MPI_File_close(&h->file);
	if (rc != MPI_SUCCESS && status == 0)
		status =
			pario_library_mpi_fail(err, rc, "cannot close %s by MPI-IO", v->shape.path);
	return status;
}

static void release(struct pario_vectors *v)
{
	struct handle *h = v->state;

	if (!h)
		return;
	if (h->line != MPI_DATATYPE_NULL)
		MPI_Type_free(&h->line);
	if (h->fd >= 0)
		close(h->fd);
	free(h->requests[0]);
	free(h->requests[1]);
	free(h);
}

const struct pario_vectors_way pario_vectors_by_mpi = {
	.open = open_mpi,
	.put = put,
	.wait = wait,
	.nudge = nudge,
	.finish = finish,
	.free = release,
};
