/*
 * comm: the group of clients that measures together.
 *
 * A client is one MPI process. Topology is asked of MPI (MPI_COMM_TYPE_SHARED), never guessed from names or
 * numbering. Waiting clients sleep: a spinning wait would take cores from those that measure.
 */
#ifndef PARIO_COMM_COMM_H
#define PARIO_COMM_COMM_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "base/err.h"

/* Which of the clients make a smaller group: the first by number, by turns one of each node, or whole nodes. */
enum pario_comm_spread { PARIO_SPREAD_NUMBERS, PARIO_SPREAD_NODES, PARIO_SPREAD_CORES };

struct pario_comm {
	MPI_Comm mpi; /* MPI_COMM_NULL for a client that sits this group out */
	uint64_t client, clients;
	uint64_t node, nodes; /* number of this client's node, in order of its first client */
	uint64_t world_nodes; /* those of all clients, also of the ones that sit this group out */
	uint64_t node_client, node_clients; /* this client within its node */
	uint64_t node_clients_max;	    /* clients on the fullest node */
	uint64_t partner; /* client on another node whose data this one reads; itself on one node */
	uint64_t turn
		[2]; /* the world: this client's place in a group spread over nodes, and over cores */
	bool partner_apart;	 /* every client has its partner on another node */
	int64_t clock_offset_ns; /* add to this client's clock to get client 0's */
	int64_t clock_error_ns;	 /* half the fastest round trip: what the offset may be off by */
};

/* Starts MPI and describes the world. Fails when the launcher belongs to another MPI (N single processes). */
int pario_comm_init(struct pario_comm *world, int *argc, char ***argv, struct pario_err *err);

/* `clients` members of the world as a group of their own; the others get MPI_COMM_NULL. Collective. */
int pario_comm_split(const struct pario_comm *world, uint64_t clients,
		     enum pario_comm_spread spread, struct pario_comm *part, struct pario_err *err);
void pario_comm_release(struct pario_comm *comm);

/* Open MPI: no shared file pointers by way of locked files, which hang on some storage. Before the first open. */
void pario_comm_leave_locked_files_out(void);

/* A barrier whose waiting clients sleep instead of spinning; for long waits outside timed regions. */
void pario_comm_wait(const struct pario_comm *comm);

/*
 * Agrees whether all succeeded. The worst code wins, the lowest client that has it speaks, and every client
 * returns the same: 0, or -1 with the same error. `failed` (may be NULL) gets how many failed.
 */
int pario_comm_agree(MPI_Comm comm, int status, uint64_t *failed, struct pario_err *err);

/* Largest difference between the clients' exits from a barrier, by corrected clocks; collective. */
int64_t pario_comm_exit_spread_ns(const struct pario_comm *comm, int64_t exit_ns);

#endif
