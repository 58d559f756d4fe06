/*
 * store: five ways to move a matrix, by method and mode. Errors name file, place and amount.
 */
#include "tests/madbench2/measure/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "backend/library.h"
#include "backend/mpiio_calls.h"

static int mpi_error(int rc, const struct pario_mad_store *s, const char *what,
		     struct pario_err *err)
{
	return pario_library_mpi_fail(err, rc, "%s %s by MPI-IO failed", what, s->path);
}

static int posix_open(struct pario_mad_store *s, struct pario_err *err)
{
	s->fd = openat(s->dirfd, s->name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (s->fd < 0)
		return pario_err_sys(err, errno, NULL, "%s cannot be created", s->path);
	if (s->method == PARIO_MAD_STDIO) {
		s->stream = fdopen(s->fd, "w+");
		return s->stream ? 0 : pario_err_sys(err, errno, NULL, "%s has no stream", s->path);
	}
	if (s->io != PARIO_MAD_ASYNC)
		return 0;
	s->ahead = fcntl(s->fd, F_DUPFD_CLOEXEC, 0);
	if (s->ahead < 0)
		return pario_err_sys(err, errno, NULL,
				     "there is no second descriptor for reading %s", s->path);
	return 0;
}

/* The library's own close may keep an error to itself, and this client's descriptor is there to ask. */
static int mpi_open(struct pario_mad_store *s, MPI_Comm comm, MPI_Info info, struct pario_err *err)
{
	const struct pario_open how = { .dirfd = s->dirfd,
					.name = s->name,
					.path = s->path,
					.comm = comm,
					.write = true,
					.create = true };
	char reach[PARIO_LIBRARY_REACH];

	if (pario_library_meet(&how, info, 0, &s->fd, err) < 0)
		return -1;
	return pario_library_open(comm, pario_library_reach(&how, reach), MPI_MODE_RDWR, info,
				  s->path, &s->file, err);
}

int pario_mad_store_open(struct pario_mad_store *s, MPI_Comm comm, MPI_Info info,
			 struct pario_err *err)
{
	s->fd = s->ahead = -1;
	s->stream = NULL;
	s->file = MPI_FILE_NULL;
	if (s->io == PARIO_MAD_NONE)
		return 0;
	return s->method == PARIO_MAD_MPI ? mpi_open(s, comm, info, err) : posix_open(s, err);
}

int pario_mad_store_close(struct pario_mad_store *s, struct pario_err *err)
{
	int rc = MPI_SUCCESS, sys = 0;

	if (s->file != MPI_FILE_NULL)
		rc = MPI_File_close(&s->file);
	if (s->stream ? fclose(s->stream) != 0 : s->fd >= 0 && close(s->fd) < 0)
		sys = errno;
	if (s->ahead >= 0 && close(s->ahead) < 0)
		sys = errno;
	s->stream = NULL;
	s->fd = s->ahead = -1;
	if (rc != MPI_SUCCESS)
		return mpi_error(rc, s, "closing", err);
	return sys ? pario_err_sys(err, sys, NULL, "%s cannot be closed", s->path) : 0;
}

static int short_of(const struct pario_mad_store *s, const struct pario_mad_request *r,
		    uint64_t moved, struct pario_err *err)
{
	int last = errno;

	pario_err_set(err, PARIO_SYSTEM,
		      "%s %s at offset %llu moved %llu of %llu bytes. Check the free space there.",
		      r->write ? "writing" : "reading", s->path, (unsigned long long)r->offset,
		      (unsigned long long)moved, (unsigned long long)r->bytes);
	return pario_library_add_system(err, last);
}

/* What one call left over: Linux moves 2 GiB less a page at most, and signals interrupt. */
static int posix_rest(const struct pario_mad_store *s, const struct pario_mad_request *r,
		      uint64_t done, struct pario_err *err)
{
	while (done < r->bytes) {
		ssize_t n = r->write ? write(s->fd, r->buffer + done, r->bytes - done)
				     : read(s->fd, r->buffer + done, r->bytes - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pario_err_sys(err, errno, NULL, "%s %s at offset %llu failed",
					     r->write ? "writing" : "reading", s->path,
					     (unsigned long long)(r->offset + done));
		errno = 0;
		if (n == 0)
			return short_of(s, r, done, err);
		done += (uint64_t)n;
	}
	return 0;
}

static int seek_to(const struct pario_mad_store *s, uint64_t offset, struct pario_err *err)
{
	if (lseek(s->fd, (off_t)offset, SEEK_SET) >= 0)
		return 0;
	return pario_err_sys(err, errno, NULL, "%s has no offset %llu", s->path,
			     (unsigned long long)offset);
}

/* The library may keep the end of a matrix in its buffer until the next call: so it is where programs use it. */
static int stdio_start(struct pario_mad_store *s, const struct pario_mad_request *r,
		       struct pario_err *err)
{
	size_t moved;

	errno = 0;
	if (fseeko(s->stream, (off_t)r->offset, SEEK_SET) < 0)
		return pario_err_sys(err, errno, NULL, "%s has no offset %llu", s->path,
				     (unsigned long long)r->offset);
	if (r->write)
		moved = fwrite(r->buffer, 1, r->bytes, s->stream);
	else
		moved = fread(r->buffer, 1, r->bytes, s->stream);
	if (moved == r->bytes)
		return 0;
	if (errno == 0)
		return short_of(s, r, moved, err);
	return pario_err_sys(err, errno, NULL, "%s %s at offset %llu by a stream failed",
			     r->write ? "writing" : "reading", s->path,
			     (unsigned long long)(r->offset + moved));
}

static int posix_start(struct pario_mad_store *s, struct pario_mad_request *r,
		       struct pario_err *err)
{
	int rc;

	if (s->io == PARIO_MAD_SYNC)
		return seek_to(s, r->offset, err) < 0 ? -1 : posix_rest(s, r, 0, err);
	memset(&r->aio, 0, sizeof(r->aio));
	r->aio.aio_fildes = r->write ? s->fd : s->ahead;
	r->aio.aio_buf = r->buffer;
	r->aio.aio_nbytes = r->bytes;
	r->aio.aio_offset = (off_t)r->offset;
	r->aio.aio_sigevent.sigev_notify = SIGEV_NONE;
	rc = r->write ? aio_write(&r->aio) : aio_read(&r->aio);
	if (rc < 0)
		return pario_err_sys(err, errno, NULL, "asynchronous I/O on %s cannot be started",
				     s->path);
	r->busy = true;
	return 0;
}

static int posix_finish(struct pario_mad_store *s, struct pario_mad_request *r,
			struct pario_err *err)
{
	const struct aiocb *const list[] = { &r->aio };
	ssize_t moved;
	int sys;

	while ((sys = aio_error(&r->aio)) == EINPROGRESS)
		aio_suspend(list, 1, NULL);
	moved = aio_return(&r->aio);
	if (sys != 0 || moved < 0)
		return pario_err_sys(err, sys, NULL, "%s %s at offset %llu asynchronously failed",
				     r->write ? "writing" : "reading", s->path,
				     (unsigned long long)r->offset);
	if ((uint64_t)moved == r->bytes)
		return 0;
	if (seek_to(s, r->offset + (uint64_t)moved, err) < 0)
		return -1;
	return posix_rest(s, r, (uint64_t)moved, err);
}

static int mpi_done(const struct pario_mad_store *s, const struct pario_mad_request *r, int rc,
		    const MPI_Status *status, struct pario_err *err)
{
	uint64_t moved;

	if (rc != MPI_SUCCESS)
		return mpi_error(rc, s, r->write ? "writing" : "reading", err);
	moved = pario_mpiio_moved(status, r->bytes);
	return moved == r->bytes ? 0 : short_of(s, r, moved < r->bytes ? moved : 0, err);
}

/* Open MPI's OMPIO never completes a nonblocking read that meets the end of the file. */
static int check_end(const struct pario_mad_store *s, const struct pario_mad_request *r,
		     struct pario_err *err)
{
	MPI_Offset size = 0;
	int rc = MPI_File_get_size(s->file, &size);
	uint64_t there = (uint64_t)size > r->offset ? (uint64_t)size - r->offset : 0;

	if (rc != MPI_SUCCESS)
		return mpi_error(rc, s, "asking for the size of", err);
	return there >= r->bytes ? 0 : short_of(s, r, there, err);
}

static int mpi_start(struct pario_mad_store *s, struct pario_mad_request *r, struct pario_err *err)
{
	int count = (int)(r->bytes / sizeof(double)), rc;
	MPI_Status status;

	errno = 0;
	rc = MPI_File_seek(s->file, (MPI_Offset)r->offset, MPI_SEEK_SET);

	if (rc != MPI_SUCCESS)
		return mpi_error(rc, s, "seeking in", err);
	if (s->io == PARIO_MAD_SYNC) {
		rc = r->write ? MPI_File_write(s->file, r->buffer, count, MPI_DOUBLE, &status)
			      : MPI_File_read(s->file, r->buffer, count, MPI_DOUBLE, &status);
		return mpi_done(s, r, rc, &status, err);
	}
	if (!r->write && check_end(s, r, err) < 0)
		return -1;
	rc = r->write ? MPI_File_iwrite(s->file, r->buffer, count, MPI_DOUBLE, &r->mpi)
		      : MPI_File_iread(s->file, r->buffer, count, MPI_DOUBLE, &r->mpi);
	if (rc != MPI_SUCCESS)
		return mpi_error(rc, s, "starting asynchronous I/O on", err);
	r->busy = true;
	return 0;
}

int pario_mad_store_start(struct pario_mad_store *s, struct pario_mad_request *r,
			  struct pario_err *err)
{
	if (s->io == PARIO_MAD_NONE)
		return 0;
	if (s->method == PARIO_MAD_STDIO)
		return stdio_start(s, r, err);
	return s->method == PARIO_MAD_POSIX ? posix_start(s, r, err) : mpi_start(s, r, err);
}

int pario_mad_store_finish(struct pario_mad_store *s, struct pario_mad_request *r,
			   struct pario_err *err)
{
	MPI_Status status;
	int rc, count, index;

	if (!r->busy)
		return 0;
	r->busy = false;
	if (s->method == PARIO_MAD_POSIX)
		return posix_finish(s, r, err);
	errno = 0;
	rc = pario_mpiio_some(1, &r->mpi, &r->bytes, true, &count, &index, &status);
	if (rc == MPI_SUCCESS)
		rc = status.MPI_ERROR;
	return mpi_done(s, r, rc, &status, err);
}
