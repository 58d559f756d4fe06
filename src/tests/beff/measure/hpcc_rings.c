/*
 * hpcc_rings: measures hpcc's rings in short loops and keeps the best of several.
 */
#include "tests/beff/measure/hpcc_rings.h"

#include <math.h>
#include <stdlib.h>

#include "tests/beff/measure/exchange.h"
#include "tests/beff/model/order.h"
#include "tests/common/members.h"

static const uint64_t lengths[2] = { 8, 2000000 };

/* hpcc's counts: of random orders, measurements, and iterations of the first loop. */
static const struct {
	unsigned randoms, measurements, loop;
} counts[2] = { { 30, 8, 5 }, { 10, 3, 2 } };

/* A loop of less than ten ticks of hpcc's clock, whose tick counts as 1 us at least, is made longer. */
#define TOO_SHORT_NS 10000
enum { GROWTHS = 40, WARM_UP = 100 };

struct ring {
	struct pario_run *run;
	struct pario_exchange exchange;
	struct pario_links links;
	unsigned loop, kind;
	uint64_t step;
	bool stopped;
};

/* Room for the two messages of an iteration. */
static uint64_t buffer_bytes(void)
{
	return 2 * lengths[1];
}

uint64_t pario_hpcc_rings_memory(void)
{
	return 2 * buffer_bytes();
}

/* Right first, then left. */
static void close_ring(struct ring *r, MPI_Comm comm)
{
	int rank, size, right, left;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &size);
	right = (rank + 1) % size;
	left = (rank + size - 1) % size;
	r->links = (struct pario_links){
		.comm = comm, .pairs = 2, .dest = { right, left }, .src = { left, right }
	};
}

/* The slowest process's time of one loop. */
static int64_t once(struct ring *r, enum pario_exchange_method method)
{
	uint64_t bytes = lengths[r->kind];
	int64_t own, slowest;

	/*
	 * One message after the other goes from and to the same place, two at once need two. Caches make the
	 * difference: with two places for either, rings of 2 MB messages are a third slower than hpcc's.
	 */
	r->exchange.capacity = method == PARIO_EXCHANGE_SENDRECV ? bytes : 2 * bytes;
	pario_exchange_begin(&r->exchange, r->kind + 1);
	pario_exchange_rewind(&r->exchange); /* hpcc's messages always lie in the same place */
	MPI_Barrier(r->run->comm);
	pario_exchange_loop(&r->exchange, &r->links, method, bytes, 1);
	pario_run_pause(r->run);
	pario_exchange_loop(&r->exchange, &r->links, method, bytes, r->loop);
	own = pario_run_count(r->run, 2 * bytes * r->loop);
	MPI_Allreduce(&own, &slowest, 1, MPI_INT64_T, MPI_MAX, r->run->comm);
	return slowest > 0 ? slowest : 1;
}

/* The best time of one message over all measurements and both methods. */
static double best(struct ring *r)
{
	static const enum pario_exchange_method methods[] = { PARIO_EXCHANGE_SENDRECV,
							      PARIO_EXCHANGE_NONBLOCKING };
	double least = INFINITY;

	for (unsigned i = 0; i < 2 * counts[r->kind].measurements && !r->stopped; i++) {
		int64_t ns = 0;

		r->stopped = !pario_run_more(r->run, r->step++, UINT64_MAX);
		for (unsigned k = 0; !r->stopped && k < GROWTHS; k++) {
			ns = once(r, methods[i / counts[r->kind].measurements]);
			if (ns >= TOO_SHORT_NS)
				break;
			r->loop = r->loop == 1 ? 2 : r->loop * 3 / 2;
		}
		if (!r->stopped)
			least = fmin(least, (double)ns * 1e-9 / (2 * r->loop));
	}
	return least;
}

/* hpcc measures this after minutes of other work: processors are awake then, caches and page tables filled. */
static void warm_up(struct ring *r)
{
	MPI_Comm comm;

	MPI_Comm_dup(r->run->comm, &comm);
	close_ring(r, comm);
	r->loop = WARM_UP;
	for (r->kind = 0; r->kind < 2; r->kind++)
		once(r, PARIO_EXCHANGE_SENDRECV);
	MPI_Comm_free(&comm);
}

/* The time of one message in the order of ranks, and the geometric mean over random orders. */
static void kind(struct ring *r, unsigned which, struct pario_beff_draw *draw, unsigned *order,
		 double seconds[2])
{
	unsigned n = (unsigned)r->run->clients;
	double sum = 0;

	r->kind = which;
	r->loop = counts[which].loop;
	for (unsigned i = 0; i <= counts[which].randoms && !r->stopped; i++) {
		MPI_Comm comm;
		double s;

		for (unsigned k = 0; i == 0 && k < n; k++)
			order[k] = k;
		if (i > 0)
			pario_beff_order_random(draw, n, order);
		comm = pario_links_ordered(r->run->comm, order);
		close_ring(r, comm);
		s = best(r);
		MPI_Comm_free(&comm);
		if (!r->stopped)
			pario_run_row(r->run, "rings", "bytes ring loop seconds",
				      (const struct pario_datum[]){
					      PARIO_NUMBER(lengths[which]), PARIO_NUMBER(i),
					      PARIO_NUMBER(r->loop), PARIO_NUMBER(s) });
		if (i == 0)
			seconds[0] = s;
		else
			sum += log(s);
	}
	seconds[1] = exp(sum / counts[which].randoms);
}

int pario_hpcc_rings_run(struct pario_hpcc_rings *out, struct pario_run *run, uint64_t seed,
			 bool *complete, struct pario_err *err)
{
	struct ring ring = { .run = run };
	unsigned *order = calloc(run->clients, sizeof(*order));
	double seconds[2][2] = { { 0 } };
	struct pario_beff_draw draw;
	int status = order ? 0 : pario_err_memory(err, "the rings");
	bool well;

	if (status == 0)
		status = pario_exchange_init(&ring.exchange, buffer_bytes(), (unsigned)run->clients,
					     false, err);
	well = pario_members_well(run->comm, status);
	pario_beff_draw_seed(&draw, seed);
	if (well)
		warm_up(&ring);
	for (unsigned i = 0; well && i < 2; i++)
		kind(&ring, i, &draw, order, seconds[i]);
	for (unsigned i = 0; i < 2; i++) {
		out->values[i] = seconds[0][i] * 1e6;
		out->values[2 + i] = (double)lengths[1] / seconds[1][i] / 1e6;
	}
	*complete = well && !ring.stopped;
	if (ring.exchange.wrong)
		status = pario_err_set(err, PARIO_VERIFY,
				       "%s. The network or the MPI library changes data.",
				       ring.exchange.finding);
	pario_exchange_release(&ring.exchange);
	free(order);
	return status;
}
