/*
 * backend: which backend carries a name, and did all clients succeed?
 */
#include "backend/backend.h"

#include "base/text.h"

const struct pario_backend *pario_backend_find(const char *name)
{
	for (const struct pario_backend *const *b = pario_backends; *b; b++) {
		if (pario_text_same_name((*b)->name, name))
			return *b;
	}
	return NULL;
}

int pario_backend_agree(MPI_Comm comm, int status, struct pario_err *err)
{
	struct pario_err told = { .code = PARIO_OK };
	int rank, size, speaker;

	MPI_Comm_size(comm, &size);
	if (size == 1)
		return status < 0 ? -1 : 0;
	MPI_Comm_rank(comm, &rank);
	speaker = status < 0 ? rank : size;
	if (MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS)
		return pario_err_set(err, PARIO_SYSTEM,
				     "MPI_Allreduce failed while the clients compared their state. "
				     "Check the connection between the nodes.");
	if (speaker == size)
		return 0;
	if (rank == speaker && err)
		told = *err;
	if (MPI_Bcast(&told, (int)sizeof(told), MPI_BYTE, speaker, comm) != MPI_SUCCESS)
		return pario_err_set(err, PARIO_SYSTEM,
				     "MPI_Bcast failed while client %d told the others its error. "
				     "Check the connection between the nodes.",
				     speaker);
	if (err)
		*err = told;
	return -1;
}
