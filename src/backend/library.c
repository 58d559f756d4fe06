/*
 * library: how a file comes to be before a library opens it, and what would make the library crash or hang.
 *
 * Open MPI's OMPIO never returns, on any client, from an open that fails on one client other than the first. So client
 * 0 creates the file, every client opens it with a descriptor of its own, and only when all of them could does the
 * library get its name. ROMIO opens in the same way. The descriptor serves fsync and fstat afterwards.
 */
#include "backend/library.h"

#include <stdlib.h>

enum {
	SPARE = 8, /* descriptors that an open by any of the libraries needs at most, and some more */
	LOCKED_PATH_MAX =
		238, /* OMPIO: 256 less ".locktest.", a client number of 7 digits and the last byte */
};

/*
 * OMPIO asks its component for shared pointers in locked files at every open, and that one prints the path into 256
 * bytes. comm leaves the component out where all clients are on one node; across nodes shared pointers need it.
 */
static int check_path(const struct pario_open *how, struct pario_err *err)
{
#ifdef OPEN_MPI
	const char *io = getenv("OMPI_MCA_io"), *shared = getenv("OMPI_MCA_sharedfp");
	bool named = shared && strstr(shared, "lockedfile");
	bool left_out = shared && (*shared == '^' ? named : !named);

	if (strlen(how->path) > LOCKED_PATH_MAX && !left_out && !(io && !strncmp(io, "romio", 5)))
		return pario_err_set(
			err, PARIO_SYSTEM,
			"Cannot open a path of %zu bytes by MPI-IO: Open MPI's OMPIO crashes above %d. Use a shorter --dir, or start with OMPI_MCA_io=romio321 or OMPI_MCA_sharedfp=^lockedfile in the environment.",
			strlen(how->path), LOCKED_PATH_MAX);
#else
	(void)how;
	(void)err;
#endif
	return 0;
}

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
static int create(const struct pario_open *how, MPI_Info info, int *fd, struct pario_err *err)
{
	MPI_File file;
	int rc;

	if (info == MPI_INFO_NULL) {
		*fd = openat(how->dirfd, how->name,
			     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		return *fd < 0 ? pario_err_sys(err, errno, NULL, "Cannot create %s", how->path) : 0;
	}
	if (pario_library_absent(how, err) < 0)
		return -1;
	rc = MPI_File_open(MPI_COMM_SELF, how->path,
			   MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL, info, &file);
	if (rc == MPI_SUCCESS)
		rc = MPI_File_close(&file);
	if (rc != MPI_SUCCESS)
		return pario_library_mpi_fail(err, rc, "Cannot create %s by MPI-IO", how->path);
	return pario_library_fd(how, fd, err);
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
	if (status == 0)
		status = check_path(how, err);
	if (how->create) {
		if (status == 0 && rank == 0)
			status = create(how, info, fd, err);
		if (status < 0)
			sign(rank, err);
		if (pario_comm_agree(how->comm, status, NULL, err) < 0)
			return -1;
	}
	if (status == 0 && !(how->create && rank == 0))
		status = pario_library_fd(how, fd, err);
	if (status == 0)
		status = check_spare(how, err);
	if (status < 0)
		sign(rank, err);
	return pario_comm_agree(how->comm, status, NULL, err);
}
