/*
 * file: the MPI-IO calls of each pattern type, for all processes together; which loops they stand in is loop.c.
 */
#include "tests/beff_io/measure/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "backend/library.h"
#include "backend/mpiio_calls.h"
#include "engine/test.h"
#include "tests/common/members.h"

/* For a size that is seen late: ten seconds. */
enum { NAPS = 1000, NAP_NS = 10000000 };

enum { PROBE_ROUNDS = 16 };

static bool separate(const struct pario_beff_io_file *f)
{
	return f->type == PARIO_BEFF_IO_SEPARATED;
}

static bool interleaved(const struct pario_beff_io_file *f)
{
	return f->type == PARIO_BEFF_IO_SCATTER ||
	       (f->type == PARIO_BEFF_IO_SHARED && !f->pointers);
}

/*
 * The file is there before the library opens it, and can be opened: where ROMIO makes it and the close after that fails
 * on the one process that made it, neither that one nor the others ever return.
 */
static int meet(struct pario_beff_io_file *f, MPI_Info info, struct pario_err *err)
{
	const struct pario_open how = { .comm = separate(f) ? MPI_COMM_SELF : f->members,
					.dirfd = f->dirfd,
					.name = f->name,
					.path = f->path,
					.create = f->access == PARIO_BEFF_IO_WRITE,
					.write = f->access != PARIO_BEFF_IO_READ };

	return pario_library_meet(&how, info, 0, &f->fd, err);
}

/* Never MPI_MODE_UNIQUE_OPEN: with it every sync could be put off until the close (paper, section 5.4). */
static int open_by_mpi(struct pario_beff_io_file *f, MPI_Info info, struct pario_err *err)
{
	int mode = f->access == PARIO_BEFF_IO_READ ? MPI_MODE_RDONLY : MPI_MODE_RDWR;

	f->opened = pario_library_open(separate(f) ? MPI_COMM_SELF : f->members, f->reach, mode,
				       info, f->path, &f->mpi, err) == 0;
	return f->opened ? 0 : -1;
}

static int ask_pointer(struct pario_beff_io_file *f, struct pario_err *err)
{
	int rc = pario_mpiio_ask(f->mpi);

	return rc == MPI_SUCCESS
		       ? 0
		       : pario_run_mpi_error(rc, "asking for the shared pointer of", f->path, err);
}

/* Network file systems say at any close of a file what became of its data. */
static int close_own(struct pario_beff_io_file *f, struct pario_err *err)
{
	int fd = f->fd;

	f->fd = -1;
	return fd < 0 || close(fd) == 0 ? 0
					: pario_run_file_error(f->dirfd, f->name, "closing", err);
}

static void give_up(struct pario_beff_io_file *f, bool all)
{
	/* Closing is collective: when only some could open, their handles stay open rather than hang. */
	if (f->opened && (all || separate(f)))
		MPI_File_close(&f->mpi);
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

int pario_beff_io_open(struct pario_beff_io_file *f, MPI_Info info, struct pario_err *err)
{
	struct pario_err own = { 0 };
	bool all = false;
	int status;

	err = err ? err : &own;
	f->fd = -1;
	f->opened = false;
	status = pario_run_agree(f->members, meet(f, info, err), err);
	if (status == 0) {
		status = pario_run_agree(f->members, open_by_mpi(f, info, err), err);
		all = status == 0;
	}
	if (all && f->type == PARIO_BEFF_IO_SHARED && f->pointers)
		status = ask_pointer(f, err);
	if (status == 0 && !(f->durable && f->access != PARIO_BEFF_IO_READ))
		status = close_own(f, err);
	if (all)
		status = pario_run_agree(f->members, status, err);
	if (status < 0)
		give_up(f, all);
	return status;
}

/* The element is a double, and the view repeats its type for ever. */
static int set(const struct pario_beff_io_file *f, uint64_t start, MPI_Datatype type, MPI_Info info,
	       struct pario_err *err)
{
	int rc = MPI_File_set_view(f->mpi, (MPI_Offset)start, MPI_DOUBLE, type, "native", info);

	return rc == MPI_SUCCESS ? 0 : pario_run_mpi_error(rc, "setting a view of", f->path, err);
}

int pario_beff_io_view(const struct pario_beff_io_file *f, uint64_t start, uint64_t chunk,
		       MPI_Info info, struct pario_err *err)
{
	MPI_Datatype row, rows;
	int status;

	if (!interleaved(f))
		return set(f, start, MPI_DOUBLE, info, err);
	MPI_Type_contiguous((int)(chunk / 8), MPI_DOUBLE, &row);
	MPI_Type_create_resized(row, 0, (MPI_Aint)(f->clients * chunk), &rows);
	MPI_Type_commit(&rows);
	status = set(f, start + f->client * chunk, rows, info, err);
	MPI_Type_free(&rows);
	MPI_Type_free(&row);
	return status;
}

static int call(struct pario_beff_io_file *f, double *buffer, int n, MPI_Status *st)
{
	bool write = f->access != PARIO_BEFF_IO_READ;

	switch (f->type) {
	case PARIO_BEFF_IO_SHARED:
		if (!f->pointers)
			break;
		return write ? MPI_File_write_ordered(f->mpi, buffer, n, MPI_DOUBLE, st)
			     : MPI_File_read_ordered(f->mpi, buffer, n, MPI_DOUBLE, st);
	case PARIO_BEFF_IO_SEPARATED:
	case PARIO_BEFF_IO_SEGMENTED:
		return write ? MPI_File_write(f->mpi, buffer, n, MPI_DOUBLE, st)
			     : MPI_File_read(f->mpi, buffer, n, MPI_DOUBLE, st);
	case PARIO_BEFF_IO_SCATTER:
	case PARIO_BEFF_IO_TOGETHER:
		break;
	}
	return write ? MPI_File_write_all(f->mpi, buffer, n, MPI_DOUBLE, st)
		     : MPI_File_read_all(f->mpi, buffer, n, MPI_DOUBLE, st);
}

/*
 * ROMIO may leave a write that failed without unlocking the file, for which others then wait inside their calls. A
 * process loses its locks when it closes any descriptor of the file.
 */
static void drop_locks(const struct pario_beff_io_file *f)
{
	int fd = openat(f->dirfd, f->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
}

int pario_beff_io_move(struct pario_beff_io_file *f, double *buffer, uint64_t bytes,
		       struct pario_err *err)
{
	const char *verb = f->access == PARIO_BEFF_IO_READ ? "reading" : "writing";
	MPI_Status st = { 0 };
	MPI_Count moved = 0;
	int rc, last;

	errno = 0;
	rc = call(f, buffer, (int)(bytes / 8), &st);
	last = errno;
	if (rc != MPI_SUCCESS) {
		pario_run_mpi_error(rc, verb, f->path, err);
		drop_locks(f);
		return -1;
	}
	if (MPI_Get_elements_x(&st, MPI_DOUBLE, &moved) == MPI_SUCCESS &&
	    moved == (MPI_Count)(bytes / 8))
		return 0;
	pario_err_set(err, PARIO_SYSTEM,
		      "%s %s by MPI-IO: a call for %llu bytes moved %lld elements of 8; %s.", verb,
		      f->path, (unsigned long long)bytes, (long long)moved,
		      f->access == PARIO_BEFF_IO_READ ? "the file ends there"
						      : "the storage accepts no more");
	return pario_library_add_system(err, last);
}

int pario_beff_io_sync(const struct pario_beff_io_file *f, struct pario_err *err)
{
	int rc = MPI_File_sync(f->mpi);

	if (rc != MPI_SUCCESS)
		return pario_run_mpi_error(rc, "syncing", f->path, err);
	if (f->fd >= 0 && fsync(f->fd) < 0)
		return pario_run_file_error(f->dirfd, f->name, "fsync of", err);
	return 0;
}

int pario_beff_io_close(struct pario_beff_io_file *f, struct pario_err *err)
{
	int rc = MPI_File_close(&f->mpi), status = 0;

	if (rc != MPI_SUCCESS)
		status = pario_run_mpi_error(rc, "closing", f->path, err);
	return close_own(f, status < 0 ? NULL : err) < 0 ? -1 : status;
}

/* The size as it is seen now; opened, since that is when many file systems ask their server. */
static int look(const struct pario_beff_io_file *f, uint64_t *size)
{
	int fd = openat(f->dirfd, f->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), status = -1;
	struct stat st;

	if (fd >= 0 && (status = fstat(fd, &st)) == 0)
		*size = (uint64_t)st.st_size;
	if (fd >= 0)
		close(fd);
	return status;
}

/* What other clients wrote may be seen late here, on a network file system. */
int pario_beff_io_size(const struct pario_beff_io_file *f, uint64_t end, struct pario_err *err)
{
	const struct timespec nap = { 0, NAP_NS };
	uint64_t size = 0;

	if (!separate(f) && f->client != 0)
		return 0;
	for (int i = 0; i < NAPS; i++) {
		if (look(f, &size) < 0)
			return pario_run_file_error(f->dirfd, f->name, "looking at", err);
		if (size >= end)
			return 0;
		nanosleep(&nap, NULL);
	}
	pario_err_set(err, PARIO_SYSTEM,
		      "%s ends at %llu although MPI-IO reported success for writes up to %llu: the "
		      "storage is full or failing.",
		      f->path, (unsigned long long)size, (unsigned long long)end);
	return -1;
}

/* First without the others: in an ordered call they would wait for a member whose pointer fails. */
static int try_alone(struct pario_beff_io_file *f)
{
	double element = 0;
	int rc = MPI_File_write_shared(f->mpi, &element, 1, MPI_DOUBLE, MPI_STATUS_IGNORE), status;

	/* The view puts the pointer back, for all. */
	status = pario_beff_io_view(f, 0, 8, MPI_INFO_NULL, NULL);
	return rc == MPI_SUCCESS ? status : -1;
}

/* Each member writes or reads an element in every round; the same answer on all. */
static bool try_rounds(struct pario_beff_io_file *f)
{
	bool well = true;

	for (unsigned i = 0; i < PROBE_ROUNDS && well; i++) {
		double own = (double)(i * f->clients + f->client);
		double element = f->access == PARIO_BEFF_IO_READ ? -1 : own;
		int status = pario_beff_io_move(f, &element, 8, NULL);

		well = pario_members_well(f->members, status == 0 && element == own ? 0 : -1);
	}
	return well;
}

/*
 * By the shared file pointer, in several rounds: ROMIO keeps it in a file, and where a network file system shows the
 * others an old one, rounds are written over each other.
 */
static bool try_pointers(struct pario_beff_io_file *f, enum pario_beff_io_access access)
{
	int status;

	f->access = access;
	if (pario_beff_io_open(f, MPI_INFO_NULL, NULL) < 0)
		return false;
	status = pario_beff_io_view(f, 0, 8, MPI_INFO_NULL, NULL);
	if (pario_members_well(f->members, status) && access == PARIO_BEFF_IO_WRITE)
		status = try_alone(f);
	if (pario_members_well(f->members, status))
		status = try_rounds(f) ? 0 : -1;
	status = pario_beff_io_close(f, NULL) < 0 ? -1 : status;
	if (status == 0)
		status = pario_beff_io_size(f, PROBE_ROUNDS * 8 * f->clients, NULL);
	return pario_members_well(f->members, status);
}

bool pario_beff_io_probe(struct pario_beff_io_file *f)
{
	bool well;

	f->type = PARIO_BEFF_IO_SHARED;
	f->pointers = true;
	strcat(f->name, ".probe");
	strcat(f->path, ".probe");
	strcat(f->reach, ".probe");
	well = try_pointers(f, PARIO_BEFF_IO_WRITE) && try_pointers(f, PARIO_BEFF_IO_READ);
	if (f->client == 0)
		unlinkat(f->dirfd, f->name, 0);
	return well;
}
