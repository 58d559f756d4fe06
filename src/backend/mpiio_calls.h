/*
 * mpiio_calls: the calls of MPI-IO that have many forms, behind one name each.
 *
 * Twelve blocking data access calls: reading and writing, independent and collective, with the position in the call, in
 * the client's pointer or in the pointer shared by all. The collective form of the shared pointer is the ordered one.
 */
#ifndef PARIO_BACKEND_MPIIO_CALLS_H
#define PARIO_BACKEND_MPIIO_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "backend/backend.h"

enum pario_mpiio_pointer { PARIO_MPIIO_EXPLICIT, PARIO_MPIIO_INDIVIDUAL, PARIO_MPIIO_SHARED };

/*
 * ROMIO opens the file that holds a shared pointer when it is first asked for, and in an ordered call the others wait
 * for a client that cannot. So each asks once by itself, before.
 */
static inline int pario_mpiio_ask(MPI_File f)
{
	MPI_Offset at;

	return MPI_File_get_position_shared(f, &at);
}

/* `at` matters with PARIO_MPIIO_EXPLICIT only. Reading and writing return the library's code. */
static inline int pario_mpiio_write(MPI_File f, enum pario_mpiio_pointer pointer, bool collective,
				    MPI_Offset at, const void *buffer, int n, MPI_Status *st)
{
	switch (pointer) {
	case PARIO_MPIIO_INDIVIDUAL:
		return collective ? MPI_File_write_all(f, buffer, n, MPI_BYTE, st)
				  : MPI_File_write(f, buffer, n, MPI_BYTE, st);
	case PARIO_MPIIO_SHARED:
		return collective ? MPI_File_write_ordered(f, buffer, n, MPI_BYTE, st)
				  : MPI_File_write_shared(f, buffer, n, MPI_BYTE, st);
	case PARIO_MPIIO_EXPLICIT:
		break;
	}
	return collective ? MPI_File_write_at_all(f, at, buffer, n, MPI_BYTE, st)
			  : MPI_File_write_at(f, at, buffer, n, MPI_BYTE, st);
}

static inline int pario_mpiio_read(MPI_File f, enum pario_mpiio_pointer pointer, bool collective,
				   MPI_Offset at, void *buffer, int n, MPI_Status *st)
{
	switch (pointer) {
	case PARIO_MPIIO_INDIVIDUAL:
		return collective ? MPI_File_read_all(f, buffer, n, MPI_BYTE, st)
				  : MPI_File_read(f, buffer, n, MPI_BYTE, st);
	case PARIO_MPIIO_SHARED:
		return collective ? MPI_File_read_ordered(f, buffer, n, MPI_BYTE, st)
				  : MPI_File_read_shared(f, buffer, n, MPI_BYTE, st);
	case PARIO_MPIIO_EXPLICIT:
		break;
	}
	return collective ? MPI_File_read_at_all(f, at, buffer, n, MPI_BYTE, st)
			  : MPI_File_read_at(f, at, buffer, n, MPI_BYTE, st);
}

/* Bytes that a finished call moved, of `n` asked for; more than n when the library does not know. */
static inline uint64_t pario_mpiio_moved(const MPI_Status *status, uint64_t n)
{
	MPI_Count count = 0;

	if (!n)
		return 0;
	if (MPI_Get_elements_x(status, MPI_BYTE, &count) != MPI_SUCCESS || count < 0)
		return n + 1;
	return (uint64_t)count;
}

/*
 * Takes what has finished out of `requests`, each of `asked` bytes; with `wait` at least one. MPI_ERROR of each
 * status is set. Open MPI crashes when a file request that has failed is completed, and tells of the failure
 * only by the count: one that came short is looked at and freed instead. (MPICH's ROMIO never finishes a
 * request whose aio call failed: there only a deadline helps.)
 */
static inline int pario_mpiio_some(int n, MPI_Request *requests, const uint64_t *asked, bool wait,
				   int *count, int *indices, MPI_Status *statuses)
{
	int found = 0;
#ifdef MPICH_VERSION
	int rc = wait ? MPI_Waitsome(n, requests, &found, indices, statuses)
		      : MPI_Testsome(n, requests, &found, indices, statuses);

	(void)asked;
	if (rc != MPI_SUCCESS && rc != MPI_ERR_IN_STATUS)
		return rc;
	for (int i = 0; i < found && rc == MPI_SUCCESS; i++)
		statuses[i].MPI_ERROR = MPI_SUCCESS;
#else
	do {
		for (int i = 0; i < n; i++) {
			MPI_Status *status = &statuses[found];
			int done = 0;

			if (requests[i] == MPI_REQUEST_NULL)
				continue;
			MPI_Request_get_status(requests[i], &done, status);
			if (!done)
				continue;
			if (pario_mpiio_moved(status, asked[i]) == asked[i])
				MPI_Wait(&requests[i], status);
			else
				MPI_Request_free(&requests[i]);
			status->MPI_ERROR = MPI_SUCCESS;
			indices[found++] = i;
		}
	} while (wait && !found);
#endif
	*count = found > 0 ? found : 0;
	return MPI_SUCCESS;
}

/*
 * The file type is one block (at most INT_MAX bytes) with the stride as its extent: views repeat their type for
 * ever, so the count is implied, and the library's cost of finding an offset does not grow with it.
 */
static inline int pario_mpiio_view(MPI_File f, const struct pario_view *view)
{
	MPI_Datatype bytes, tile;
	int rc;

	MPI_Type_contiguous((int)view->block, MPI_BYTE, &bytes);
	MPI_Type_create_resized(bytes, 0, (MPI_Aint)view->stride, &tile);
	MPI_Type_commit(&tile);
	rc = MPI_File_set_view(f, (MPI_Offset)view->displacement, MPI_BYTE, tile, "native",
			       MPI_INFO_NULL);
	MPI_Type_free(&tile);
	MPI_Type_free(&bytes);
	return rc;
}

/* Where in the file the first `end` bytes (at least one) of the client's view end. */
static inline uint64_t pario_mpiio_view_end(const struct pario_view *view, uint64_t end)
{
	uint64_t last = end - 1;

	return view->displacement + last / view->block * view->stride + last % view->block + 1;
}

#endif
