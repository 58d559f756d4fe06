/*
 * rate_history: how the rate went, and who lagged behind?
 *
 * Every client knows its progress at moments at least a millisecond apart, and in a long phase further
 * (engine/meter.h). All cut the time from their own start to the latest end into the same steps. Between two moments
 * a client is taken to have moved evenly: a stall shorter than its distance between them is not seen.
 */
#include "engine/rate_history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"

/* Steps are no finer than the record of progress, and fewer than these are no history. */
enum { STEP_NS = 1000000, STEPS_LEAST = 6 };

/* Units that this client had done at the end of each step, as rates. */
static void cut(const struct pario_meter *m, const struct pario_detail *d, double *rates)
{
	double before = 0;

	for (unsigned i = 0; i < d->steps; i++) {
		int64_t ns = (int64_t)(d->step_s * 1e9 * (i + 1));
		double now = d->bytes ? (double)pario_progress_at(m, ns) / PARIO_MIB
				      : (double)pario_progress_ops_at(m, ns);

		rates[i] = (now - before) / d->step_s;
		before = now;
	}
}

/* The slowest half and the fastest half of those that are kept. */
static unsigned choose(const struct pario_detail_part *all, uint64_t chosen[PARIO_DETAIL_HISTORIES])
{
	unsigned kept = all->clients < PARIO_DETAIL_HISTORIES ? (unsigned)all->clients
							      : PARIO_DETAIL_HISTORIES;

	for (unsigned i = 0; i < kept; i++)
		chosen[i] =
			i < kept / 2 ? all->slowest[i].client : all->fastest[kept - 1 - i].client;
	return kept;
}

/* The operation of the reduction. */
static void add_parts(void *from, void *to, int *count, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *count; i++)
		pario_detail_part_add((struct pario_detail_part *)to + i,
				      (const struct pario_detail_part *)from + i);
}

static void add_up(const struct pario_comm *comm, struct pario_detail_part *own,
		   struct pario_detail_part *all)
{
	MPI_Datatype type;
	MPI_Op add;

	MPI_Type_contiguous(sizeof(*own), MPI_BYTE, &type);
	MPI_Type_commit(&type);
	MPI_Op_create(add_parts, 1, &add);
	MPI_Reduce(own, all, 1, type, add, 0, comm->mpi);
	MPI_Op_free(&add);
	MPI_Type_free(&type);
}

/* Where one quantile is looked for: between two rates, with so many clients below. */
struct bracket {
	double low, high;
	uint64_t before, wanted;
	bool in; /* this client's rate is between */
};

enum { PIECES = 64, ROUNDS = 4 };

static unsigned piece_of(const struct bracket *b, double rate)
{
	double width = (b->high - b->low) / PIECES;

	return width > 0 ? (unsigned)fmin(PIECES - 1, fmax(0, (rate - b->low) / width)) : 0;
}

static void narrow(struct bracket *b, const uint64_t *count, unsigned own)
{
	double width = (b->high - b->low) / PIECES;
	unsigned at = 0;

	while (at < PIECES - 1 && b->before + count[at] <= b->wanted)
		b->before += count[at++];
	b->in = b->in && own == at;
	b->low += at * width;
	b->high = b->low + width;
}

void pario_rate_history_quantiles(const struct pario_comm *comm, double rate,
				  double quantile[PARIO_DETAIL_QUANTILES])
{
	double ends[2] = { rate < 0 ? -INFINITY : -rate, rate };
	uint64_t clients = rate >= 0, count[PARIO_DETAIL_QUANTILES][PIECES];
	struct bracket bracket[PARIO_DETAIL_QUANTILES];

	MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, comm->mpi);
	MPI_Allreduce(MPI_IN_PLACE, &clients, 1, MPI_UINT64_T, MPI_SUM, comm->mpi);
	for (unsigned q = 0; q < PARIO_DETAIL_QUANTILES; q++)
		bracket[q] = (struct bracket){
			.low = -ends[0],
			.high = ends[1],
			.wanted =
				clients ? (uint64_t)(pario_detail_shares[q] * (double)(clients - 1))
					: 0,
			.in = rate >= 0,
		};
	for (int round = 0; round < ROUNDS && clients && ends[1] > -ends[0]; round++) {
		memset(count, 0, sizeof(count));
		for (unsigned q = 0; q < PARIO_DETAIL_QUANTILES; q++)
			count[q][piece_of(&bracket[q], rate)] = bracket[q].in;
		MPI_Allreduce(MPI_IN_PLACE, count, PARIO_DETAIL_QUANTILES * PIECES, MPI_UINT64_T,
			      MPI_SUM, comm->mpi);
		for (unsigned q = 0; q < PARIO_DETAIL_QUANTILES; q++)
			narrow(&bracket[q], count[q], piece_of(&bracket[q], rate));
	}
	for (unsigned q = 0; q < PARIO_DETAIL_QUANTILES; q++)
		quantile[q] = clients ? (bracket[q].low + bracket[q].high) / 2 : 0;
}

/* What every client did, added up on client 0; 0 where there is no memory for it. */
static uint64_t collect_clients(const struct pario_meter *m, const struct pario_comm *comm,
				struct pario_detail *d, uint64_t chosen[PARIO_DETAIL_HISTORIES])
{
	struct pario_detail_client own = { .client = comm->client,
					   .node = comm->node,
					   .bytes = (double)m->bytes,
					   .ops = (double)m->ops,
					   .seconds = pario_clock_s(m->total_ns) };
	struct pario_detail_part *parts = calloc(2, sizeof(*parts));
	uint64_t kept[1 + PARIO_DETAIL_HISTORIES] = { 0 };
	struct pario_err err = { 0 };

	if (pario_comm_agree(comm->mpi, parts ? 0 : -1, NULL, &err) < 0) {
		free(parts);
		return 0;
	}
	gethostname(own.host, sizeof(own.host) - 1);
	pario_detail_part_of(&parts[0], &own, d->bytes);
	if (comm->clients > PARIO_DETAIL_CLIENTS) {
		double rate = parts[0].clients ? parts[0].slowest[0].rate : -1;

		pario_rate_history_quantiles(comm, rate, d->quantile);
		d->median_rate = d->quantile[PARIO_DETAIL_QUANTILES / 2];
		parts[0].behind = rate >= 0 && pario_detail_straggles(rate, d->median_rate);
	}
	add_up(comm, &parts[0], &parts[1]);
	if (comm->client == 0) {
		pario_detail_take(d, &parts[1]);
		kept[0] = choose(&parts[1], kept + 1);
	}
	free(parts);
	MPI_Bcast(kept, 1 + PARIO_DETAIL_HISTORIES, MPI_UINT64_T, 0, comm->mpi);
	memcpy(chosen, kept + 1, sizeof(kept) - sizeof(kept[0]));
	return kept[0];
}

static void collect_histories(const struct pario_comm *comm, struct pario_detail *d,
			      const uint64_t *chosen, uint64_t kept, const double *rates)
{
	enum { TAG = 7 };

	d->histories = (unsigned)kept;
	for (unsigned i = 0; i < kept; i++) {
		d->history[i].client = chosen[i];
		if (comm->client == 0 && chosen[i] == 0)
			memcpy(d->history[i].rates, rates, sizeof(d->history[i].rates));
		else if (comm->client == 0)
			MPI_Recv(d->history[i].rates, PARIO_DETAIL_STEPS, MPI_DOUBLE,
				 (int)chosen[i], TAG, comm->mpi, MPI_STATUS_IGNORE);
		else if (comm->client == chosen[i])
			MPI_Send(rates, PARIO_DETAIL_STEPS, MPI_DOUBLE, 0, TAG, comm->mpi);
	}
}

bool pario_rate_history_reduce(const struct pario_meter *meter, const struct pario_comm *comm,
			       const struct pario_histogram *latency, struct pario_detail *detail)
{
	uint64_t own[4] = { (uint64_t)(meter->body_done_ns > 0 ? meter->body_done_ns : 0),
			    meter->bytes, meter->ops, meter->progress.count },
		 most[4], chosen[PARIO_DETAIL_HISTORIES] = { 0 }, kept = 0, steps;
	double rates[PARIO_DETAIL_STEPS] = { 0 };

	MPI_Allreduce(own, most, 4, MPI_UINT64_T, MPI_MAX, comm->mpi);
	memset(detail, 0, sizeof(*detail));
	if (!most[2])
		return false;
	detail->bytes = most[1] > 0;
	steps = most[0] / STEP_NS;
	steps = steps < PARIO_DETAIL_STEPS ? steps : PARIO_DETAIL_STEPS;
	if (steps >= STEPS_LEAST && most[3] >= STEPS_LEAST) {
		detail->steps = (unsigned)steps;
		detail->step_s = (double)most[0] * 1e-9 / (double)steps;
		cut(meter, detail, rates);
		MPI_Reduce(rates, detail->rates, PARIO_DETAIL_STEPS, MPI_DOUBLE, MPI_SUM, 0,
			   comm->mpi);
	}
	if (comm->clients > 1)
		kept = collect_clients(meter, comm, detail, chosen);
	if (detail->steps)
		collect_histories(comm, detail, chosen, kept, rates);
	detail->latency = *latency;
	return true;
}
