/*
 * test_exchange: do messages arrive by every method, in groups of all shapes, and is a wrong one seen?
 *
 * run:
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "comm/comm.h"
#include "tests/beff/measure/exchange.h"
#include "tests/beff/model/lengths.h"
#include "tests/beff/model/order.h"
#include "tests/beff/model/pattern.h"
#include "tests/common/members.h"

static int failures;

static void expect(int well, const char *what)
{
	if (!well) {
		printf("test_exchange: %s\n", what);
		failures++;
	}
}

static MPI_Comm group_of(const struct pario_beff_pattern *p, unsigned *order)
{
	if (p->kind == PARIO_BEFF_GRID)
		return pario_links_grid(MPI_COMM_WORLD, (int)p->dimensions, p->extent, p->periodic);
	if (p->kind == PARIO_BEFF_WORST_CYCLE) {
		pario_beff_order_worst(p->n, order);
		return pario_links_ordered(MPI_COMM_WORLD, order);
	}
	return pario_links_line(MPI_COMM_WORLD);
}

static void link_pattern(const struct pario_beff_pattern *p, struct pario_links *links)
{
	struct pario_beff_links ends;
	unsigned order[64];
	int position;

	memset(links, 0, sizeof(*links));
	links->comm = group_of(p, order);
	if (links->comm == MPI_COMM_NULL)
		return;
	MPI_Comm_rank(links->comm, &position);
	pario_beff_links(p, (unsigned)position, &ends);
	links->pairs = ends.pairs;
	memcpy(links->dest, ends.dest, sizeof(links->dest));
	memcpy(links->src, ends.src, sizeof(links->src));
}

/* All methods, lengths around the slices' borders; more iterations than there are slices. */
static void test_pattern(const struct pario_beff_pattern *p)
{
	static const uint64_t lengths[] = { 1, 2, 7, 8, 9, 1000, 65536 };
	struct pario_exchange x;
	struct pario_links links;
	struct pario_err err = { 0 };

	link_pattern(p, &links);
	expect(pario_exchange_init(&x, pario_beff_buffer_bytes(65536), p->n, false, &err) == 0,
	       err.text);
	for (unsigned m = 0; m < PARIO_BEFF_METHODS; m++) {
		for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
			/* a message of one byte has one number for its two ends */
			pario_exchange_begin(&x, lengths[i] == 1 ? 0 : i + 1);
			if (p->methods & 1u << m)
				pario_exchange_loop(&x, &links, (enum pario_exchange_method)m,
						    lengths[i], 20);
			expect(!x.wrong, x.finding);
			x.wrong = false;
			MPI_Barrier(MPI_COMM_WORLD);
		}
	}
	pario_exchange_release(&x);
	if (links.comm != MPI_COMM_NULL)
		MPI_Comm_free(&links.comm);
}

/* The last process sends what nobody expects: exactly its partners see it, by every method and length. */
static void test_spoilt(const struct pario_beff_pattern *p)
{
	struct pario_exchange x;
	struct pario_links links;
	struct pario_err err = { 0 };
	int rank;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	link_pattern(p, &links);
	expect(pario_exchange_init(&x, pario_beff_buffer_bytes(4096), p->n, false, &err) == 0,
	       err.text);
	for (unsigned k = 0; k < 2 * PARIO_BEFF_METHODS; k++) {
		bool partner = false;

		pario_exchange_begin(&x, k % 2 ? 12 : 0);
		x.stamp += (unsigned)rank + 1 == p->n;
		x.wrong = false;
		pario_exchange_loop(&x, &links, (enum pario_exchange_method)(k / 2),
				    k % 2 ? 4096 : 1, 3);
		for (unsigned s = 0; s < links.pairs; s++)
			partner |= links.src[s] == (int)p->n - 1;
		expect(x.wrong == partner,
		       "a spoilt message was not seen, or a good one was blamed");
		expect(!partner || strstr(x.finding, "instead of"), "the finding says nothing");
		MPI_Barrier(MPI_COMM_WORLD);
	}
	pario_exchange_release(&x);
	MPI_Comm_free(&links.comm);
}

/* A message that does not arrive leaves what the receiver cleared, not what came before. */
static void test_lost(void)
{
	struct pario_links nobody = {
		.comm = MPI_COMM_SELF, .pairs = 1, .dest = { 0 }, .src = { 0 }
	};
	struct pario_exchange x;
	struct pario_err err = { 0 };

	expect(pario_exchange_init(&x, pario_beff_buffer_bytes(8), 1, false, &err) == 0, err.text);
	pario_exchange_begin(&x, 3);
	pario_exchange_loop(&x, &nobody, PARIO_EXCHANGE_NONBLOCKING, 8, 1);
	expect(!x.wrong, x.finding);
	expect(x.receive[0] == 0 && x.receive[7] == 0,
	       "a message that was looked at is not cleared");
	pario_exchange_begin(&x, 4);
	expect(x.send_at == 8 && x.receive_at == 8,
	       "a measurement does not go on where the one before it ended");
	pario_exchange_rewind(&x);
	expect(x.send_at == 0 && x.receive_at == 0, "the first slice is not reached again");
	pario_exchange_release(&x);
}

int main(int argc, char **argv)
{
	struct pario_beff_pattern list[PARIO_BEFF_RINGS + 1 + PARIO_BEFF_EXTRAS];
	int size, rank, all;

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	test_lost();
	for (int release = 0; size > 1 && release < 2; release++) {
		size_t count = pario_beff_patterns((unsigned)size, 1,
						   (enum pario_beff_release)release, list);

		for (size_t i = 0; i < count; i++)
			test_pattern(&list[i]);
		test_spoilt(&list[PARIO_BEFF_RINGS - 1]);
	}
	expect(pario_members_node(MPI_COMM_WORLD) < (uint64_t)size, "the node has no process");
	expect(pario_members_nodes(MPI_COMM_WORLD) >= 1 &&
		       pario_members_nodes(MPI_COMM_WORLD) <= (uint64_t)size,
	       "as many nodes as processes at most");
	expect(pario_members_well(MPI_COMM_WORLD, 0), "all are well");
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	expect(!pario_members_well(MPI_COMM_WORLD, rank == size - 1 ? -1 : 0), "one is not well");
	MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Finalize();
	return all ? 1 : 0;
}
