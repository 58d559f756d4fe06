/*
 * members: what the processes of a communicator find out together. All of them call these.
 */
#ifndef PARIO_TESTS_COMMON_MEMBERS_H
#define PARIO_TESTS_COMMON_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

/* Is `status` 0 on all of them? Whoever goes on to collective calls must know. */
bool pario_members_well(MPI_Comm comm, int status);

/*
 * The lowest process of the node that this one runs on; how many nodes there are; how many processes one has at most.
 */
uint64_t pario_members_node(MPI_Comm comm);
uint64_t pario_members_nodes(MPI_Comm comm);
uint64_t pario_members_per_node(MPI_Comm comm);

#endif
