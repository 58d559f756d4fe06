/*
 * rate_history: how the rate went, and who lagged behind?
 *
 * Every client knows its progress at moments at least a millisecond apart, and in a long phase further
 * (engine/meter.h). All cut the time from their own start to the latest end into the same steps. Between two moments
 * a client is taken to have moved evenly: a stall shorter than its distance between them is not seen.
 */
#include "engine/rate_history.h"

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

/* The slowest half and the fastest half of those that are kept; `sorted` is slowest first. */
static unsigned choose(const struct pario_detail_client *sorted, uint64_t count,
		       uint64_t chosen[PARIO_DETAIL_HISTORIES])
{
	unsigned kept = count < PARIO_DETAIL_HISTORIES ? (unsigned)count : PARIO_DETAIL_HISTORIES;

	for (unsigned i = 0; i < kept; i++)
		chosen[i] = sorted[i < kept / 2 ? i : count - kept + i].client;
	return kept;
}

/* Collects what every client did on client 0; 0 there means that there was no memory for it. */
static uint64_t collect_clients(const struct pario_meter *m, const struct pario_comm *comm,
				struct pario_detail *d, uint64_t chosen[PARIO_DETAIL_HISTORIES])
{
	struct pario_detail_client own = { .client = comm->client,
					   .bytes = (double)m->bytes,
					   .ops = (double)m->ops,
					   .seconds = pario_clock_s(m->total_ns) },
				   *all = NULL;
	uint64_t kept = 0;
	int enough = 1;

	gethostname(own.host, sizeof(own.host) - 1);
	if (comm->client == 0)
		enough = (all = calloc(comm->clients, sizeof(*all))) != NULL;
	MPI_Bcast(&enough, 1, MPI_INT, 0, comm->mpi);
	if (!enough)
		return 0;
	MPI_Gather(&own, sizeof(own), MPI_BYTE, all, sizeof(own), MPI_BYTE, 0, comm->mpi);
	if (comm->client == 0) {
		pario_detail_take_clients(d, all, comm->clients);
		kept = choose(all, d->clients, chosen);
		free(all);
	}
	MPI_Bcast(&kept, 1, MPI_UINT64_T, 0, comm->mpi);
	MPI_Bcast(chosen, (int)kept, MPI_UINT64_T, 0, comm->mpi);
	return kept;
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

static void reduce_latency(const struct pario_meter *m, const struct pario_comm *comm,
			   struct pario_detail *d)
{
	MPI_Reduce(m->latency.bucket, d->latency.bucket, PARIO_HISTOGRAM_BUCKETS, MPI_UINT64_T,
		   MPI_SUM, 0, comm->mpi);
	MPI_Reduce(&m->latency.count, &d->latency.count, 1, MPI_UINT64_T, MPI_SUM, 0, comm->mpi);
}

bool pario_rate_history_reduce(const struct pario_meter *meter, const struct pario_comm *comm,
			       struct pario_detail *detail)
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
	reduce_latency(meter, comm, detail);
	return true;
}
