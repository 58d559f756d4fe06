/*
 * library: how a file comes to be before a library opens it, and what would make the library crash or hang.
 *
 * Open MPI's OMPIO never returns, on any client, from an open that fails on one client other than the first. So client
 * 0 creates the file, every client opens it with a descriptor of its own, and only when all of them could does the
 * library get its name. ROMIO opens in the same way. The descriptor serves fsync and fstat afterwards.
 *
 * It is never the one that created the file. GlusterFS opens a file as its open descriptors are, and takes the one that
 * created it for cached: what the library opened beside it read old bytes from the node's cache, and data sieving wrote
 * them over what other nodes had written.
 */
#include "backend/library.h"

#include <dlfcn.h>

/* Descriptors that an open by any of the libraries needs at most, and some more. */
enum { SPARE = 8 };

static int check_spare(const struct pario_open *how, struct pario_err *err)
{
	int spare[SPARE], n = 0, sys;

	while (n < SPARE && (spare[n] = fcntl(how->dirfd, F_DUPFD_CLOEXEC, 0)) >= 0)
		n++;
	sys = errno;
	for (int i = 0; i < n; i++)
		close(spare[i]);
	return n == SPARE ? 0
			  : pario_err_sys(err, sys, pario_backend_hint(false, sys),
					  "cannot open %s", how->path);
}

int pario_library_open(MPI_Comm comm, const char *reach, int mode, MPI_Info info, const char *path,
		       MPI_File *file, struct pario_err *err)
{
	int rc = MPI_File_open(comm, reach, mode, info, file);

	if (rc != MPI_SUCCESS) {
		*file = MPI_FILE_NULL;
		return pario_library_mpi_fail(err, rc, "cannot %s %s by MPI-IO",
					      mode & MPI_MODE_CREATE ? "create" : "open", path);
	}
	MPI_File_set_errhandler(*file, MPI_ERRORS_RETURN);
	return 0;
}

/* Hints can say how a file is laid out when it is created, so the library creates it where there are some. */
static int create(const struct pario_open *how, MPI_Info info, struct pario_err *err)
{
	char reach[PARIO_LIBRARY_REACH];
	MPI_File file;
	int rc;

	if (info == MPI_INFO_NULL) {
		rc = openat(how->dirfd, how->name,
			    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (rc < 0 || close(rc) < 0)
			return pario_err_sys(err, errno, pario_backend_hint(false, errno),
					     "cannot create %s", how->path);
		return 0;
	}
	if (pario_library_absent(how, err) < 0)
		return -1;
	if (pario_library_open(MPI_COMM_SELF, pario_library_reach(how, reach),
			       MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL, info, how->path,
			       &file, err) < 0)
		return -1;
	rc = MPI_File_close(&file);
	if (rc != MPI_SUCCESS)
		return pario_library_mpi_fail(err, rc, "cannot create %s by MPI-IO", how->path);
	return 0;
}

int pario_library_meet(const struct pario_open *how, MPI_Info info, int status, int *fd,
		       struct pario_err *err)
{
	int rank;

	MPI_Comm_rank(how->comm, &rank);
	if (how->create && !how->inode) {
		if (status == 0 && rank == 0)
			status = create(how, info, err);
		if (pario_comm_agree(how->comm, status, NULL, err) < 0)
			return -1;
	}
	if (status == 0)
		status = pario_library_fd(how, fd, err);
	if (status == 0)
		status = check_spare(how, err);
	status = pario_comm_agree(how->comm, status, NULL, err);
	errno = 0; /* the library opens the file now: see pario_library_system */
	return status;
}

/* One file is opened, flushed or closed at a time. */
static struct {
	bool on, failed;
	const char *verb; /* of the first call that failed */
	int rc, sys;
	uint64_t bytes, moved;
} hold;

void pario_library_hold(void)
{
	hold.on = true;
	hold.failed = false;
}

int pario_library_held(const char *path, struct pario_err *err)
{
	hold.on = false;
	if (!hold.failed)
		return 0;
	errno = hold.sys;
	if (hold.rc != MPI_SUCCESS)
		return pario_library_mpi_fail(err, hold.rc, "cannot %s %s by MPI-IO", hold.verb,
					      path);
	pario_err_set(err, PARIO_SYSTEM,
		      "cannot %s %s by MPI-IO: a call for %llu bytes moved %llu.", hold.verb, path,
		      (unsigned long long)hold.bytes, (unsigned long long)hold.moved);
	return pario_library_add_system(err, hold.sys);
}

typedef int transfer_at(MPI_File, MPI_Offset, void *, int, MPI_Datatype, MPI_Status *);

/* What failed looks like a whole write, or a read at the end of the file, which HDF5 fills with zeros. */
static int held_at(transfer_at *next, bool write, MPI_File handle, MPI_Offset offset, void *buffer,
		   int count, MPI_Datatype type, MPI_Status *status)
{
	MPI_Count size = 1, moved = 0, wanted;
	int rc, sys;

	errno = 0;
	rc = next(handle, offset, buffer, count, type, status);
	sys = errno;
	MPI_Type_size_x(type, &size);
	wanted = count * size;
	if (rc == MPI_SUCCESS)
		MPI_Get_elements_x(status, MPI_BYTE, &moved);
	/* few MPI libraries count what they moved together, and a read may come to the end of the file */
	if (rc == MPI_SUCCESS && (moved == wanted || moved == MPI_UNDEFINED ||
				  !(write || pario_library_system("", sys))))
		return rc;
	if (!hold.failed) {
		hold.failed = true;
		hold.verb = write ? "write" : "read";
		hold.rc = rc;
		hold.sys = sys;
		hold.bytes = (uint64_t)wanted;
		hold.moved = (uint64_t)moved;
	}
	MPI_Status_set_elements_x(status, MPI_BYTE, write ? wanted : moved);
	return MPI_SUCCESS;
}

/* This program's functions come before those of the MPI library, also for HDF5. The next one may be a tracer's. */
static int at(const char *name, transfer_at **next, bool write, MPI_File handle, MPI_Offset offset,
	      void *buffer, int count, MPI_Datatype type, MPI_Status *status)
{
	if (!*next)
		*(void **)next = dlsym(RTLD_NEXT, name);
	if (!hold.on || status == MPI_STATUS_IGNORE)
		return (*next)(handle, offset, buffer, count, type, status);
	return held_at(*next, write, handle, offset, buffer, count, type, status);
}

#define TRANSFER(name, write, buffer_type)                                                       \
	int name(MPI_File handle, MPI_Offset offset, buffer_type buffer, int count,              \
		 MPI_Datatype type, MPI_Status *status)                                          \
	{                                                                                        \
		static transfer_at *next;                                                        \
                                                                                                 \
		return at(#name, &next, write, handle, offset, (void *)(uintptr_t)buffer, count, \
			  type, status);                                                         \
	}

TRANSFER(MPI_File_write_at, true, const void *)
TRANSFER(MPI_File_write_at_all, true, const void *)
TRANSFER(MPI_File_read_at, false, void *)
TRANSFER(MPI_File_read_at_all, false, void *)
