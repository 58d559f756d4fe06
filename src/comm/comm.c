/*
 * comm: who measures together, on which nodes, and how far apart their clocks are.
 */
#include "comm/comm.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "comm/launch.h"
#include "comm/roll.h"

/* In the group that measures; the place in a communicator may be another one. */
static uint64_t own_number;

enum { TAG_PLACE = 4, TAG_ASK, TAG_ANSWER };

/*
 * Partners are a rotation of the clients sorted by node. Rotating by the size of the largest node moves every
 * client to another node, unless one node holds more than half of them.
 *
 * Nobody has a list of all places: client p is told who has place p, and asked for it. That is three messages for each.
 */
static void find_partner(struct pario_comm *comm, uint64_t place)
{
	int n = (int)comm->clients,
	    wanted = (int)((place + comm->node_clients_max) % comm->clients);
	uint64_t own = comm->client, resident, nothing = 0;
	MPI_Request sent[2];
	MPI_Status asked, done[2];

	comm->partner_apart = 2 * comm->node_clients_max <= (uint64_t)n;
	MPI_Isend(&own, 1, MPI_UINT64_T, (int)place, TAG_PLACE, comm->mpi, &sent[0]);
	MPI_Recv(&resident, 1, MPI_UINT64_T, MPI_ANY_SOURCE, TAG_PLACE, comm->mpi,
		 MPI_STATUS_IGNORE);
	MPI_Isend(&nothing, 0, MPI_UINT64_T, wanted, TAG_ASK, comm->mpi, &sent[1]);
	MPI_Recv(&nothing, 0, MPI_UINT64_T, MPI_ANY_SOURCE, TAG_ASK, comm->mpi, &asked);
	MPI_Waitall(2, sent, done); /* gcc refuses MPICH's MPI_STATUSES_IGNORE */
	MPI_Sendrecv(&resident, 1, MPI_UINT64_T, asked.MPI_SOURCE, TAG_ANSWER, &comm->partner, 1,
		     MPI_UINT64_T, wanted, TAG_ANSWER, comm->mpi, MPI_STATUS_IGNORE);
}

/* The nodes among each other, each by its first client. */
static void number_nodes(struct pario_comm *comm)
{
	uint64_t of[4] = { 0, 1, 0, comm->node_clients }; /* node, nodes, clients before, largest */
	int rank, size;

	MPI_Comm_split(comm->mpi, comm->node_client == 0 ? 0 : MPI_UNDEFINED, (int)comm->client,
		       &comm->leaders);
	if (comm->leaders != MPI_COMM_NULL) {
		MPI_Comm_rank(comm->leaders, &rank);
		MPI_Comm_size(comm->leaders, &size);
		of[0] = (uint64_t)rank;
		of[1] = (uint64_t)size;
		MPI_Exscan(&comm->node_clients, &of[2], 1, MPI_UINT64_T, MPI_SUM, comm->leaders);
		if (rank == 0)
			of[2] = 0;
		MPI_Allreduce(&comm->node_clients, &of[3], 1, MPI_UINT64_T, MPI_MAX, comm->leaders);
	}
	MPI_Bcast(of, 4, MPI_UINT64_T, 0, comm->on_node);
	comm->node = of[0];
	comm->nodes = of[1];
	comm->node_clients_max = of[3];
	if (comm->nodes > 1)
		find_partner(comm, of[2] + comm->node_client);
}

/* `one`: they are known to be on one node. */
static void describe(struct pario_comm *comm, bool one)
{
	int rank, size;

	comm->on_node = comm->leaders = MPI_COMM_NULL;
	MPI_Comm_rank(comm->mpi, &rank);
	MPI_Comm_size(comm->mpi, &size);
	comm->client = comm->partner = comm->node_client = (uint64_t)rank;
	comm->clients = comm->node_clients = comm->node_clients_max = (uint64_t)size;
	comm->nodes = 1;
	if (one)
		return;
	MPI_Comm_split_type(comm->mpi, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &comm->on_node);
	MPI_Comm_rank(comm->on_node, &rank);
	MPI_Comm_size(comm->on_node, &size);
	comm->node_client = (uint64_t)rank;
	comm->node_clients = (uint64_t)size;
	number_nodes(comm);
	pario_comm_clocks(comm);
}

/*
 * Open MPI's component for shared file pointers in locked files makes and locks a file beside the data at every open,
 * and crashes with paths above 244 bytes. Clients on one node share pointers through memory and can do without it.
 */
void pario_comm_leave_locked_files_out(void)
{
#ifdef OPEN_MPI
	setenv("OMPI_MCA_sharedfp", "^lockedfile", 0);
#endif
}

/* Are all clients on this node, as far as the launcher tells before MPI has started? */
static bool on_one_node(uint64_t promised)
{
	const char *all = getenv("OMPI_COMM_WORLD_SIZE"),
		   *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");

	return promised == 0 || (all && here && strcmp(all, here) == 0);
}

/*
 * In how many turns would this client be taken, if groups grow by one client of each node at a time, or by one node
 * after the other? Node 0 has client 0, which is in every group.
 */
static int find_turns(struct pario_comm *world, struct pario_err *err)
{
	uint64_t *sizes = calloc(world->nodes, sizeof(*sizes));
	int status = sizes ? 0
			   : pario_err_memory(err, "the sizes of %llu nodes",
					      (unsigned long long)world->nodes);

	if (pario_comm_agree(world->mpi, status, NULL, err) == 0) {
		if (world->node_client == 0)
			sizes[world->node] = world->node_clients;
		MPI_Allreduce(MPI_IN_PLACE, sizes, (int)world->nodes, MPI_UINT64_T, MPI_SUM,
			      world->mpi);
		for (uint64_t i = 0; i < world->nodes; i++) {
			uint64_t before =
				sizes[i] < world->node_client ? sizes[i] : world->node_client;

			world->turn[0] +=
				before + (i < world->node && sizes[i] > world->node_client);
			world->turn[1] += i < world->node ? sizes[i] : 0;
		}
		world->turn[1] += world->node_client;
	} else {
		status = -1;
	}
	free(sizes);
	return status;
}

int pario_comm_init(struct pario_comm *world, int *argc, char ***argv, struct pario_err *err)
{
	uint64_t promised = pario_launch_promised();
	int provided, size;

	*world = (struct pario_comm){ .mpi = MPI_COMM_NULL,
				      .on_node = MPI_COMM_NULL,
				      .leaders = MPI_COMM_NULL };
	if (on_one_node(promised))
		pario_comm_leave_locked_files_out();
	/*
	 * Every run has a thread that keeps its deadline, and SINGLE would deny it. Open MPI pays for it with short
	 * messages (docs/methodology.md), MPICH with nothing.
	 */
	if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
		return pario_err_set(err, PARIO_SYSTEM, "MPI could not be started.");
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size == 1 && promised > 1)
		return pario_err_set(
			err, PARIO_SYSTEM,
			"the launcher started %llu processes, but each sees only itself: it belongs to another "
			"MPI than the one pario was built with (%s). Start it with %s, or without a "
			"launcher: pario starts its clients itself.",
			(unsigned long long)promised, pario_launch_flavour(),
			pario_launch_program());
	world->mpi = MPI_COMM_WORLD;
	describe(world, false);
	world->world_nodes = world->nodes;
	own_number = world->client;
	return find_turns(world, err);
}

static bool is_same(const struct pario_comm *part, uint64_t clients, enum pario_comm_spread spread)
{
	return part->made_for == clients && part->spread == spread;
}

/* Kept for the next time it is asked for; the one that was used longest ago makes room. All clients do the same. */
const struct pario_comm *pario_comm_split(const struct pario_comm *world, uint64_t clients,
					  enum pario_comm_spread spread,
					  struct pario_comm_splits *splits)
{
	uint64_t turn = spread == PARIO_SPREAD_NODES   ? world->turn[0]
			: spread == PARIO_SPREAD_CORES ? world->turn[1]
						       : world->client;
	struct pario_comm *part = &splits->kept[0];

	for (int i = 0; i < PARIO_COMM_SPLITS; i++) {
		if (is_same(&splits->kept[i], clients, spread)) {
			part = &splits->kept[i];
			break;
		}
		if (splits->kept[i].used < part->used)
			part = &splits->kept[i];
	}
	if (is_same(part, clients, spread)) {
		part->used = ++splits->uses;
		pario_comm_clocks(part);
		own_number = part->client;
		return part;
	}
	if (part->made_for)
		pario_comm_release(part);
	*part = (struct pario_comm){ .made_for = clients,
				     .spread = spread,
				     .used = ++splits->uses,
				     .on_node = MPI_COMM_NULL,
				     .leaders = MPI_COMM_NULL,
				     .world_nodes = world->nodes };
	MPI_Comm_split(world->mpi, turn < clients ? 0 : MPI_UNDEFINED, (int)turn, &part->mpi);
	if (part->mpi != MPI_COMM_NULL)
		describe(part, world->nodes == 1);
	own_number = part->client;
	return part;
}

static void release(MPI_Comm *comm)
{
	if (*comm != MPI_COMM_NULL && *comm != MPI_COMM_WORLD)
		MPI_Comm_free(comm);
	*comm = MPI_COMM_NULL;
}

void pario_comm_release(struct pario_comm *comm)
{
	release(&comm->leaders);
	release(&comm->on_node);
	release(&comm->mpi);
}

void pario_comm_release_splits(struct pario_comm_splits *splits)
{
	for (int i = 0; i < PARIO_COMM_SPLITS; i++) {
		if (splits->kept[i].made_for)
			pario_comm_release(&splits->kept[i]);
	}
	*splits = (struct pario_comm_splits){ 0 };
}

int pario_comm_wait(const struct pario_comm *comm, int own)
{
	struct timespec nap = { 0, 20000 };
	MPI_Request request;
	int done = 0, largest;

	MPI_Iallreduce(&own, &largest, 1, MPI_INT, MPI_MAX, comm->mpi, &request);
	for (;;) {
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		if (done)
			return largest;
		nanosleep(&nap, NULL);
		/* Naps grow to 2 ms: none makes a wait much longer, and long ones cost next to nothing. */
		if (nap.tv_nsec < 2000000)
			nap.tv_nsec += nap.tv_nsec / 8;
	}
}

/* Storage fails on one node, and the sentence is read on another. */
void pario_comm_seen(struct pario_err *err)
{
	char host[256] = "";

	if (err->code == PARIO_USAGE || err->code == PARIO_INTERRUPTED ||
	    strstr(err->text, " First seen by client "))
		return;
	gethostname(host, sizeof(host) - 1);
	pario_err_add(err, " First seen by client %llu on %s.", (unsigned long long)own_number,
		      host);
}

/* The same, and how many clients failed; what all have agreed on before, each would take for its own. */
static void seen_by(MPI_Comm comm, int failed, struct pario_err *err)
{
	size_t before = strlen(err->text);
	int size;

	pario_comm_seen(err);
	if (strlen(err->text) == before)
		return;
	MPI_Comm_size(comm, &size);
	err->text[strlen(err->text) - 1] = '\0';
	pario_err_add(err, "; failed on %d of %d clients.", failed, size);
}

int pario_comm_agree(MPI_Comm comm, int status, uint64_t *failed, struct pario_err *err)
{
	/* Highest code first, then lowest client: one maximum finds both. */
	int rank, own[2], worst[2], sum, bad = status != 0;

	/* A client that is alone agrees with itself, and may be a thread from which MPI is not called. */
	if (comm == MPI_COMM_SELF) {
		if (failed)
			*failed = (uint64_t)bad;
		return bad ? -1 : 0;
	}
	pario_roll_pass();
	MPI_Comm_rank(comm, &rank);
	/* A failure without a code is still a failure. */
	own[0] = status == 0 ? 0 : err->code ? (int)err->code : PARIO_SYSTEM;
	own[1] = rank;
	if (bad)
		pario_roll_failed(err->text);
	MPI_Allreduce(own, worst, 1, MPI_2INT, MPI_MAXLOC, comm);
	pario_roll_failed(NULL);
	if (failed)
		*failed = 0;
	if (worst[0] == 0)
		return 0;
	MPI_Allreduce(&bad, &sum, 1, MPI_INT, MPI_SUM, comm);
	if (failed)
		*failed = (uint64_t)sum;
	if (rank == worst[1])
		seen_by(comm, sum, err);
	MPI_Bcast(err, sizeof(*err), MPI_BYTE, worst[1], comm);
	return -1;
}
