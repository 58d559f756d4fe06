/*
 * comm: who measures together, on which nodes, and how far apart their clocks are.
 */
#include "comm/comm.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "comm/launch.h"

/* Round trips per node when clocks are compared: the fastest of them bounds the error. */
enum { CLOCK_ROUNDS = 16 };

struct place {
	uint64_t node, client;
};

static int by_place(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	if (p->node != q->node)
		return p->node < q->node ? -1 : 1;
	return p->client < q->client ? -1 : p->client > q->client;
}

/*
 * Partners are a rotation of the clients sorted by node. Rotating by the size of the largest node moves every
 * client to another node, unless one node holds more than half of them.
 */
static int find_partner(struct pario_comm *comm, struct pario_err *err)
{
	uint64_t n = comm->clients, largest = 0;
	struct place own = { comm->node, comm->client }, *all = calloc(n, sizeof(*all));

	if (!all)
		return pario_err_set(err, PARIO_SYSTEM, "no memory for the places of %llu clients.",
				     (unsigned long long)n);
	MPI_Allgather(&own, sizeof(own), MPI_BYTE, all, sizeof(own), MPI_BYTE, comm->mpi);
	qsort(all, n, sizeof(*all), by_place);
	MPI_Allreduce(&comm->node_clients, &largest, 1, MPI_UINT64_T, MPI_MAX, comm->mpi);
	comm->node_clients_max = largest;
	comm->partner = comm->client;
	for (uint64_t i = 0; comm->nodes > 1 && i < n; i++) {
		if (all[i].client == comm->client)
			comm->partner = all[(i + largest) % n].client;
	}
	comm->partner_apart = comm->nodes > 1 && 2 * largest <= n;
	free(all);
	return 0;
}

static void answer_clock(MPI_Comm comm)
{
	for (int i = 0; i < CLOCK_ROUNDS; i++) {
		int64_t now;

		MPI_Recv(&now, 1, MPI_INT64_T, MPI_ANY_SOURCE, 7, comm, MPI_STATUS_IGNORE);
		now = pario_clock_ns();
		MPI_Send(&now, 1, MPI_INT64_T, 0, 8, comm);
	}
}

static void ask_clock(MPI_Comm comm, int other, int64_t offset[2])
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < CLOCK_ROUNDS; i++) {
		int64_t theirs, back, sent = pario_clock_ns();

		MPI_Send(&sent, 1, MPI_INT64_T, other, 7, comm);
		MPI_Recv(&theirs, 1, MPI_INT64_T, other, 8, comm, MPI_STATUS_IGNORE);
		back = pario_clock_ns();
		if (back - sent < best) {
			best = back - sent;
			offset[0] = sent + (back - sent) / 2 - theirs;
			offset[1] = best / 2;
		}
	}
}

/* One client per node compares its clock with client 0's; the others of the node share its clock. */
static void compare_clocks(struct pario_comm *comm, MPI_Comm node)
{
	int64_t offset[2] = { 0, 0 };
	uint64_t leader = comm->client;

	if (comm->nodes > 1) {
		MPI_Bcast(&leader, 1, MPI_UINT64_T, 0, node);
		for (uint64_t other = 1; other < comm->clients; other++) {
			uint64_t is_leader = comm->client == other && leader == other;

			MPI_Bcast(&is_leader, 1, MPI_UINT64_T, (int)other, comm->mpi);
			if (is_leader && comm->client == 0)
				ask_clock(comm->mpi, (int)other, offset);
			else if (is_leader && comm->client == other)
				answer_clock(comm->mpi);
			if (is_leader && comm->client == 0)
				MPI_Send(offset, 2, MPI_INT64_T, (int)other, 9, comm->mpi);
			else if (is_leader && comm->client == other)
				MPI_Recv(offset, 2, MPI_INT64_T, 0, 9, comm->mpi,
					 MPI_STATUS_IGNORE);
			if (comm->client == 0)
				offset[0] = offset[1] = 0;
		}
		MPI_Bcast(offset, 2, MPI_INT64_T, 0, node);
	}
	comm->clock_offset_ns = offset[0];
	comm->clock_error_ns = offset[1];
}

static int describe(struct pario_comm *comm, struct pario_err *err)
{
	MPI_Comm node, leaders;
	int rank, size, node_rank, node_size, numbers[2] = { 0, 0 };
	int status;

	MPI_Comm_rank(comm->mpi, &rank);
	MPI_Comm_size(comm->mpi, &size);
	MPI_Comm_split_type(comm->mpi, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
	MPI_Comm_rank(node, &node_rank);
	MPI_Comm_size(node, &node_size);
	MPI_Comm_split(comm->mpi, node_rank == 0 ? 0 : MPI_UNDEFINED, rank, &leaders);
	if (leaders != MPI_COMM_NULL) {
		MPI_Comm_rank(leaders, &numbers[0]);
		MPI_Comm_size(leaders, &numbers[1]);
		MPI_Comm_free(&leaders);
	}
	MPI_Bcast(numbers, 2, MPI_INT, 0, node);
	comm->client = (uint64_t)rank;
	comm->clients = (uint64_t)size;
	comm->node = (uint64_t)numbers[0];
	comm->nodes = (uint64_t)numbers[1];
	comm->node_client = (uint64_t)node_rank;
	comm->node_clients = (uint64_t)node_size;
	compare_clocks(comm, node);
	MPI_Comm_free(&node);
	status = find_partner(comm, err);
	return pario_comm_agree(comm->mpi, status, NULL, err);
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
	int status =
		sizes ? 0
		      : pario_err_set(err, PARIO_SYSTEM, "no memory for the sizes of %llu nodes.",
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
	memset(world, 0, sizeof(*world));
	world->mpi = MPI_COMM_WORLD;
	if (describe(world, err) < 0)
		return -1;
	world->world_nodes = world->nodes;
	return find_turns(world, err);
}

int pario_comm_split(const struct pario_comm *world, uint64_t clients,
		     enum pario_comm_spread spread, struct pario_comm *part, struct pario_err *err)
{
	uint64_t turn = spread == PARIO_SPREAD_NODES   ? world->turn[0]
			: spread == PARIO_SPREAD_CORES ? world->turn[1]
						       : world->client;

	memset(part, 0, sizeof(*part));
	MPI_Comm_split(world->mpi, turn < clients ? 0 : MPI_UNDEFINED, (int)turn, &part->mpi);
	part->world_nodes = world->nodes;
	return part->mpi == MPI_COMM_NULL ? 0 : describe(part, err);
}

void pario_comm_release(struct pario_comm *comm)
{
	if (comm->mpi != MPI_COMM_NULL && comm->mpi != MPI_COMM_WORLD)
		MPI_Comm_free(&comm->mpi);
	comm->mpi = MPI_COMM_NULL;
}

void pario_comm_wait(const struct pario_comm *comm)
{
	struct timespec nap = { 0, 20000 };
	MPI_Request request;
	int done = 0;

	MPI_Ibarrier(comm->mpi, &request);
	for (;;) {
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
		if (done)
			return;
		nanosleep(&nap, NULL);
		/* Naps grow to 2 ms: short waits stay short, long ones cost next to nothing. */
		if (nap.tv_nsec < 2000000)
			nap.tv_nsec *= 2;
	}
}

int pario_comm_agree(MPI_Comm comm, int status, uint64_t *failed, struct pario_err *err)
{
	/* Highest code first, then lowest client: one maximum finds both. */
	int rank, own[2], worst[2], sum = 0, bad = status != 0;

	MPI_Comm_rank(comm, &rank);
	/* A failure without a code is still a failure. */
	own[0] = status == 0 ? 0 : err->code ? (int)err->code : PARIO_SYSTEM;
	own[1] = rank;
	MPI_Allreduce(own, worst, 1, MPI_2INT, MPI_MAXLOC, comm);
	if (failed || worst[0]) {
		MPI_Allreduce(&bad, &sum, 1, MPI_INT, MPI_SUM, comm);
		if (failed)
			*failed = (uint64_t)sum;
	}
	if (worst[0] == 0)
		return 0;
	MPI_Bcast(err, sizeof(*err), MPI_BYTE, worst[1], comm);
	return -1;
}

int64_t pario_comm_exit_spread_ns(const struct pario_comm *comm, int64_t exit_ns)
{
	/* Distances from client 0's exit, so that clocks with a large common offset lose no digits. */
	int64_t first = exit_ns + comm->clock_offset_ns, own[2], ends[2];

	MPI_Bcast(&first, 1, MPI_INT64_T, 0, comm->mpi);
	own[0] = exit_ns + comm->clock_offset_ns - first;
	own[1] = -own[0];
	MPI_Allreduce(own, ends, 2, MPI_INT64_T, MPI_MAX, comm->mpi);
	return ends[0] + ends[1];
}
