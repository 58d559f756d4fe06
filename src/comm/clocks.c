/*
 * clocks: how far is this node's clock from client 0's?
 *
 * One client per node compares its clock with that of another node's, which has compared its own before: a tree, so
 * that a thousand nodes take ten steps. The fastest of a few round trips bounds the error of a step; errors add up. The
 * other clients of a node share its clock.
 */
#include <stdint.h>

#include "base/clock.h"
#include "comm/comm.h"

/* Round trips per step: the fastest of them counts. */
enum { ROUNDS = 16, TAG_ASK = 7, TAG_ANSWER, TAG_OFFSET };

struct offset {
	int64_t ns, error_ns;
};

static void answer(MPI_Comm comm, int other)
{
	for (int i = 0; i < ROUNDS; i++) {
		int64_t now;

		MPI_Recv(&now, 1, MPI_INT64_T, other, TAG_ASK, comm, MPI_STATUS_IGNORE);
		now = pario_clock_ns();
		MPI_Send(&now, 1, MPI_INT64_T, other, TAG_ANSWER, comm);
	}
}

/* The other clock against this one. */
static struct offset ask(MPI_Comm comm, int other)
{
	struct offset best = { 0, INT64_MAX };

	for (int i = 0; i < ROUNDS; i++) {
		int64_t theirs, back, sent = pario_clock_ns();

		MPI_Send(&sent, 1, MPI_INT64_T, other, TAG_ASK, comm);
		MPI_Recv(&theirs, 1, MPI_INT64_T, other, TAG_ANSWER, comm, MPI_STATUS_IGNORE);
		back = pario_clock_ns();
		if ((back - sent) / 2 < best.error_ns)
			best = (struct offset){ sent + (back - sent) / 2 - theirs,
						(back - sent) / 2 };
	}
	return best;
}

/* A binomial tree: node n is told by the one whose number lacks its lowest bit, and tells those with a lower one. */
static struct offset among_nodes(MPI_Comm leaders)
{
	struct offset own = { 0, 0 };
	int node, nodes, bit = 1;

	MPI_Comm_rank(leaders, &node);
	MPI_Comm_size(leaders, &nodes);
	while (bit < nodes && !(node & bit))
		bit *= 2;
	if (node > 0) {
		answer(leaders, node - bit);
		MPI_Recv(&own, sizeof(own), MPI_BYTE, node - bit, TAG_OFFSET, leaders,
			 MPI_STATUS_IGNORE);
	}
	for (bit /= 2; bit > 0; bit /= 2) {
		struct offset other;

		if (node + bit >= nodes)
			continue;
		other = ask(leaders, node + bit);
		other.ns += own.ns;
		other.error_ns += own.error_ns;
		MPI_Send(&other, sizeof(other), MPI_BYTE, node + bit, TAG_OFFSET, leaders);
	}
	return own;
}

void pario_comm_clocks(struct pario_comm *comm)
{
	struct offset own = { 0, 0 };

	if (comm->mpi == MPI_COMM_NULL || comm->nodes < 2)
		return;
	if (comm->leaders != MPI_COMM_NULL)
		own = among_nodes(comm->leaders);
	MPI_Bcast(&own, sizeof(own), MPI_BYTE, 0, comm->on_node);
	comm->clock_offset_ns = own.ns;
	comm->clock_error_ns = own.error_ns;
}
