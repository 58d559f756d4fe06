/*
 * routine_mpiio: MPI_File_read_at, iread_at, read_all and their writes.
 *
 * Every channel is a file that its client opened alone, so that read_all here costs what the collective call costs
 * before anybody else has to be waited for.
 */
#include <errno.h>
#include <mpi.h>
#include <stdlib.h>

#include "backend/library.h"
#include "tests/overlap/measure/routine.h"

enum variant { AT, IAT, ALL };

struct state {
	MPI_File file;
	MPI_Request request, idle;
	MPI_Comm comm;
	bool opened, busy;
	char unused;
	uint64_t offset;
};

static int mpi_error(const struct pario_channel *c, const char *what, uint64_t offset, int code,
		     struct pario_err *err)
{
	return pario_library_mpi_fail(err, code, "%s of %llu bytes failed in %s at offset %llu",
				      what, (unsigned long long)c->size, c->path,
				      (unsigned long long)offset);
}

/*
 * A test of a finished request would return at once, where one of an unfinished request makes the library look for
 * progress. While nothing is under way, a message that nobody sends is tested instead.
 */
static int open_file(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = calloc(1, sizeof(*s));
	MPI_Info info = MPI_INFO_NULL;
	int status;

	c->state = s;
	if (!s)
		return pario_routine_error(c, "opening by MPI-IO", 0, ENOMEM, err);
	s->request = s->idle = MPI_REQUEST_NULL;
	MPI_Comm_dup(MPI_COMM_SELF, &s->comm);
	MPI_Irecv(&s->unused, 1, MPI_CHAR, 0, 0, s->comm, &s->idle);
	if (pario_library_info(c->hints, &info, err) < 0)
		return -1;
	status = pario_library_open(s->comm, c->reach, c->write ? MPI_MODE_RDWR : MPI_MODE_RDONLY,
				    info, c->path, &s->file, err);
	pario_library_info_free(&info);
	s->opened = status == 0;
	return status;
}

static int judge(const struct pario_channel *c, MPI_Status *status, struct pario_err *err)
{
	const struct state *s = c->state;
	int moved = 0, last = errno;

	MPI_Get_count(status, MPI_BYTE, &moved);
	/* OMPIO loses errors of collective calls, and of a client alone none of its errors is another's. */
	if (moved == (int)c->size &&
	    (c->routine->variant != ALL || !pario_library_system("", last)))
		return 1;
	pario_routine_short(c, "MPI-IO", s->offset, moved, err);
	return pario_library_add_system(err, last);
}

static int call(struct pario_channel *c, MPI_Offset at, MPI_Status *status)
{
	struct state *s = c->state;
	int size = (int)c->size, code;

	switch ((enum variant)c->routine->variant) {
	case IAT:
		return c->write ? MPI_File_iwrite_at(s->file, at, c->buffer, size, MPI_BYTE,
						     &s->request)
				: MPI_File_iread_at(s->file, at, c->buffer, size, MPI_BYTE,
						    &s->request);
	case ALL:
		code = MPI_File_seek(s->file, at, MPI_SEEK_SET);
		if (code != MPI_SUCCESS)
			return code;
		return c->write ? MPI_File_write_all(s->file, c->buffer, size, MPI_BYTE, status)
				: MPI_File_read_all(s->file, c->buffer, size, MPI_BYTE, status);
	case AT:
		break;
	}
	return c->write ? MPI_File_write_at(s->file, at, c->buffer, size, MPI_BYTE, status)
			: MPI_File_read_at(s->file, at, c->buffer, size, MPI_BYTE, status);
}

static int issue(struct pario_channel *c, uint64_t offset, struct pario_err *err)
{
	struct state *s = c->state;
	MPI_Status status;
	int code;

	errno = 0; /* what a library may keep to itself: see pario_library_system */
	code = call(c, (MPI_Offset)offset, &status);
	s->offset = offset;
	if (code != MPI_SUCCESS)
		return mpi_error(c, c->write ? "an MPI-IO write" : "an MPI-IO read", offset, code,
				 err);
	if (c->routine->variant == IAT) {
		s->busy = true;
		return 0;
	}
	return judge(c, &status, err) < 0 ? -1 : 0;
}

static int test(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = c->state;
	MPI_Status status;
	int done = 0, code;

	errno = 0;
	code = MPI_Test(s->busy ? &s->request : &s->idle, &done, &status);
	if (!s->busy)
		return 1;
	if (code != MPI_SUCCESS)
		return mpi_error(c, "MPI_Test", s->offset, code, err);
	if (!done)
		return 0;
	s->busy = false;
	return judge(c, &status, err);
}

static int wait_for(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = c->state;
	MPI_Status status;
	int code;

	if (!s->busy)
		return 1;
	errno = 0;
	code = MPI_Wait(&s->request, &status);
	s->busy = false;
	if (code != MPI_SUCCESS)
		return mpi_error(c, "MPI_Wait", s->offset, code, err);
	return judge(c, &status, err);
}

static int close_file(struct pario_channel *c, struct pario_err *err)
{
	struct pario_err later = { 0 };
	struct state *s = c->state;
	int status = 0, code;

	if (!s)
		return 0;
	if (s->opened) {
		status = wait_for(c, err) < 0 ? -1 : 0;
		errno = 0;
		code = MPI_File_close(&s->file);
		if (code != MPI_SUCCESS)
			status = pario_library_mpi_fail(status == 0 ? err : &later, code,
							"closing %s by MPI-IO failed", c->path);
	}
	if (s->idle != MPI_REQUEST_NULL) {
		MPI_Cancel(&s->idle);
		MPI_Wait(&s->idle, MPI_STATUS_IGNORE);
	}
	MPI_Comm_free(&s->comm);
	free(s);
	c->state = NULL;
	return status;
}

#define FAMILY(name_, variant_, blocking_, test_, summary_)                                   \
	const struct pario_routine pario_routine_##name_ = { .name = #name_,                  \
							     .summary = summary_,             \
							     .bits = PARIO_ROUTINE_BUFFERED | \
								     (blocking_),             \
							     .variant = variant_,             \
							     .open = open_file,               \
							     .issue = issue,                  \
							     .test = test_,                   \
							     .wait = wait_for,                \
							     .close = close_file }

FAMILY(mpi_read_at, AT, PARIO_ROUTINE_BLOCKING, pario_routine_done,
       "MPI_File_read_at and write_at");
FAMILY(mpi_iread_at, IAT, 0, test, "MPI_File_iread_at and iwrite_at with MPI_Test");
FAMILY(mpi_read_all, ALL, PARIO_ROUTINE_BLOCKING, pario_routine_done,
       "MPI_File_read_all and write_all, each client alone");
