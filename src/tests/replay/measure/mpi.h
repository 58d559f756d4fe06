/*
 * mpi: what a rank of the original has: communicators, requests and files of MPI, by their numbers there.
 */
#ifndef PARIO_TESTS_REPLAY_MEASURE_MPI_H
#define PARIO_TESTS_REPLAY_MEASURE_MPI_H

#include <mpi.h>

#include "tests/replay/measure/replay.h"

struct pario_replay_comm {
	int32_t number;
	MPI_Comm comm;
	int *ranks, size; /* its members in the world */
};

struct pario_replay_request {
	MPI_Request request;
	char *memory;
	bool used, received;
};

struct pario_replay_handle {
	MPI_File file;
	MPI_Datatype type; /* of its view, MPI_DATATYPE_NULL = bytes */
	uint64_t displacement;
	uint32_t etype;
	bool open;
	char *split; /* memory of a split collective call under way */
};

struct pario_replay_mpi {
	struct pario_replay *replay;
	MPI_Comm world;
	MPI_Group group;
	int size;
	struct pario_replay_comm *comms;
	struct pario_replay_request *requests;
	struct pario_replay_handle *handles;
	uint32_t comm_count, comm_capacity, request_capacity, handle_capacity;
	char *scratch;
	uint64_t scratch_bytes;
	bool begun; /* MPI_Init is over */
};

/* MPI_COMM_NULL when it is not known. */
MPI_Comm pario_replay_comm_of(struct pario_replay_actor *a, int32_t number);
/* Takes the memory over. */
void pario_replay_request_add(struct pario_replay_mpi *m, uint32_t number, MPI_Request request,
			      char *memory, bool received);
void pario_replay_mpiio_close(struct pario_replay_mpi *m);

#endif
