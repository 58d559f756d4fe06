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
	return n == SPARE ? 0 : pario_err_sys(err, sys, NULL, "Cannot open %s", how->path);
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
			return pario_err_sys(err, errno, NULL, "Cannot create %s", how->path);
		return 0;
	}
	if (pario_library_absent(how, err) < 0)
		return -1;
	rc = MPI_File_open(MPI_COMM_SELF, pario_library_reach(how, reach),
			   MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL, info, &file);
	if (rc == MPI_SUCCESS)
		rc = MPI_File_close(&file);
	if (rc != MPI_SUCCESS)
		return pario_library_mpi_fail(err, rc, "Cannot create %s by MPI-IO", how->path);
	return 0;
}

/* Who could not: the sentence reaches all clients, and each would take it for its own. */
static void sign(int rank, struct pario_err *err)
{
	char host[MPI_MAX_PROCESSOR_NAME + 1] = "";
	size_t used = strlen(err->text);
	int length;

	MPI_Get_processor_name(host, &length);
	snprintf(err->text + used, sizeof(err->text) - used, " Seen by client %d on %s.", rank,
		 host);
}

int pario_library_meet(const struct pario_open *how, MPI_Info info, int status, int *fd,
		       struct pario_err *err)
{
	int rank;

	MPI_Comm_rank(how->comm, &rank);
	if (how->create) {
		if (status == 0 && rank == 0)
			status = create(how, info, err);
		if (status < 0)
			sign(rank, err);
		if (pario_comm_agree(how->comm, status, NULL, err) < 0)
			return -1;
	}
	if (status == 0)
		status = pario_library_fd(how, fd, err);
	if (status == 0)
		status = check_spare(how, err);
	if (status < 0)
		sign(rank, err);
	return pario_comm_agree(how->comm, status, NULL, err);
}
