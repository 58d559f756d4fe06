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
	int64_t clock_error_ns;	 /* half the fastest round trips: what the offset may be off by */
	MPI_Comm on_node,
		leaders; /* clients of this node; the first of each node. NULL when all are on one */
	uint64_t made_for, used; /* a kept group: how many clients were asked for, and when last */
	enum pario_comm_spread spread;
};

/* Groups of the world that were asked for, as many as a sweep over clients usually has. */
enum { PARIO_COMM_SPLITS = 8 };

struct pario_comm_splits {
	struct pario_comm kept[PARIO_COMM_SPLITS];
	uint64_t uses;
};

/* Starts MPI and describes the world. Fails when the launcher belongs to another MPI (N single processes). */
int pario_comm_init(struct pario_comm *world, int *argc, char ***argv, struct pario_err *err);

/*
 * `clients` members of the world as a group of their own; for the others it is one with MPI_COMM_NULL. Collective. A
 * group that was asked for before is the same one, with its clocks compared anew.
 */
const struct pario_comm *pario_comm_split(const struct pario_comm *world, uint64_t clients,
					  enum pario_comm_spread spread,
					  struct pario_comm_splits *splits);
void pario_comm_release_splits(struct pario_comm_splits *splits);
void pario_comm_release(struct pario_comm *comm);

/* Compares the clocks of the nodes anew (clocks.c). Collective; free of cost on one node. */
void pario_comm_clocks(struct pario_comm *comm);

/* Open MPI: no shared file pointers by way of locked files, which hang on some storage. Before the first open. */
void pario_comm_leave_locked_files_out(void);

/* A barrier whose waiting clients sleep instead of spinning, for long waits; the largest of what they bring. */
int pario_comm_wait(const struct pario_comm *comm, int own);

/*
 * Adds who saw it and on which node, except to what has it already, and to what is wrong with the command line or was
 * asked for by a signal, which is the same everywhere.
 */
void pario_comm_seen(struct pario_err *err);

/*
 * Agrees whether all succeeded. The worst code wins, the lowest client that has it speaks and is named with its node,
 * and every client returns the same: 0, or -1 with the same error. `failed` (may be NULL) gets how many failed.
 */
int pario_comm_agree(MPI_Comm comm, int status, uint64_t *failed, struct pario_err *err);

#endif
