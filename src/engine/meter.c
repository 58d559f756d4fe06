/*
 * meter: the arithmetic of a phase (consortium rules 6.2.3, 6.6 and 6.7).
 */
#include "engine/meter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* First step of the progress record; it doubles whenever the record is full. */
enum { FIRST_STEP_NS = 1000000 };

void pario_meter_clear(struct pario_meter *meter)
{
	memset(meter, 0, sizeof(*meter));
	meter->progress.step_ns = FIRST_STEP_NS;
}

void pario_progress_add(struct pario_progress *progress, int64_t ns, uint64_t bytes, uint64_t ops)
{
	if (progress->count == PARIO_PROGRESS_CAPACITY) {
		progress->count /= 2;
		for (unsigned i = 0; i < progress->count; i++)
			progress->at[i] = progress->at[2 * i + 1];
		progress->step_ns *= 2;
	}
	progress->at[progress->count].ns = ns;
	progress->at[progress->count].bytes = bytes;
	progress->at[progress->count++].ops = ops;
	progress->next_ns = ns + progress->step_ns;
}

/* Bytes or operations at a moment, taken to rise evenly between two records. */
static uint64_t at(const struct pario_meter *meter, int64_t ns, bool bytes)
{
	const struct pario_progress *p = &meter->progress;
	int64_t before_ns = meter->open_ns, after_ns = meter->body_done_ns;
	uint64_t before = 0, all = bytes ? meter->bytes : meter->ops, after = all;

	if (ns >= meter->body_done_ns)
		return all;
	for (unsigned i = 0; i < p->count; i++) {
		uint64_t now = bytes ? p->at[i].bytes : p->at[i].ops;

		if (p->at[i].ns > ns) {
			after_ns = p->at[i].ns;
			after = now;
			break;
		}
		before_ns = p->at[i].ns;
		before = now;
	}
	if (after_ns <= before_ns || ns <= before_ns)
		return before;
	return before + (uint64_t)((double)(after - before) * (double)(ns - before_ns) /
				   (double)(after_ns - before_ns));
}

uint64_t pario_progress_at(const struct pario_meter *meter, int64_t ns)
{
	return at(meter, ns, true);
}

uint64_t pario_progress_ops_at(const struct pario_meter *meter, int64_t ns)
{
	return at(meter, ns, false);
}

static double rate(double bytes, double seconds)
{
	return seconds > 0 ? bytes / PARIO_MIB / seconds : NAN;
}

static void reduce_times(const struct pario_meter *m, const struct pario_comm *comm,
			 struct pario_result *r)
{
	double own[7], worst[7];

	own[0] = pario_clock_s(m->open_ns);
	own[1] = pario_clock_s(m->transfer_ns);
	own[2] = pario_clock_s(m->sync_ns);
	own[3] = pario_clock_s(m->close_ns);
	own[4] = pario_clock_s(m->total_ns);
	own[5] = pario_clock_s(m->fill_ns);
	own[6] = pario_clock_s(m->exit_spread_ns);
	MPI_Allreduce(own, worst, 7, MPI_DOUBLE, MPI_MAX, comm->mpi);
	r->seconds.open = worst[0];
	r->seconds.transfer = worst[1];
	r->seconds.sync = worst[2];
	r->seconds.close = worst[3];
	r->between_clients.max_s = worst[4];
	pario_result_metric(r, "fill_s", "s", worst[5]);
	pario_result_metric(r, "barrier_exit_spread_s", "s", worst[6]);
}

/*
 * From the earliest start to the latest stop, by corrected clocks (6.2.3). A client that paused stopped as much
 * earlier. Returns the same without the making of data.
 */
static double reduce_interval(const struct pario_meter *m, const struct pario_comm *comm,
			      struct pario_result *r)
{
	int64_t start = m->start_ns + comm->clock_offset_ns, first = start, own[3], ends[3];

	/* Distances from client 0's start, so that clocks with a large common offset lose no digits. */
	MPI_Bcast(&first, 1, MPI_INT64_T, 0, comm->mpi);
	own[0] = first - start;
	own[1] = start - first + m->total_ns;
	own[2] = own[1] - m->fill_ns;
	MPI_Allreduce(own, ends, 3, MPI_INT64_T, MPI_MAX, comm->mpi);
	r->seconds.total = pario_clock_s(ends[0] + ends[1]);
	return pario_clock_s(ends[0] + ends[2]);
}

/* Minimum, mean, maximum and variance over the clients of one part of the time (the consortium's rule 6.6). */
static void reduce_part(const char *part, double own, const struct pario_comm *comm,
			struct pario_result *r)
{
	double ends[2] = { own, -own }, most[2], mean, away, squares;
	char name[48];

	MPI_Allreduce(ends, most, 2, MPI_DOUBLE, MPI_MAX, comm->mpi);
	MPI_Allreduce(&own, &mean, 1, MPI_DOUBLE, MPI_SUM, comm->mpi);
	mean /= (double)comm->clients;
	away = (own - mean) * (own - mean);
	MPI_Allreduce(&away, &squares, 1, MPI_DOUBLE, MPI_SUM, comm->mpi);
	snprintf(name, sizeof(name), "%s_min_s", part);
	pario_result_metric(r, name, "s", -most[1]);
	snprintf(name, sizeof(name), "%s_mean_s", part);
	pario_result_metric(r, name, "s", mean);
	snprintf(name, sizeof(name), "%s_max_s", part);
	pario_result_metric(r, name, "s", most[0]);
	snprintf(name, sizeof(name), "%s_variance_s2", part);
	pario_result_metric(r, name, "s2", squares / (double)comm->clients);
}

static void reduce_spread(const struct pario_meter *m, const struct pario_comm *comm,
			  struct pario_result *r)
{
	double own = pario_clock_s(m->total_ns), low, sum, squares, away;

	MPI_Allreduce(&own, &low, 1, MPI_DOUBLE, MPI_MIN, comm->mpi);
	MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, comm->mpi);
	r->between_clients.min_s = low;
	r->between_clients.mean_s = sum / (double)comm->clients;
	away = (own - r->between_clients.mean_s) * (own - r->between_clients.mean_s);
	MPI_Allreduce(&away, &squares, 1, MPI_DOUBLE, MPI_SUM, comm->mpi);
	r->between_clients.variance = squares / (double)comm->clients;
}

/* Operations, bytes and buckets travel in one sum; minimum and maximum in one maximum. */
static void reduce_counts(const struct pario_meter *m, const struct pario_comm *comm,
			  struct pario_result *r)
{
	uint64_t own[PARIO_HISTOGRAM_BUCKETS + 3], sum[PARIO_HISTOGRAM_BUCKETS + 3];
	struct pario_histogram all;
	uint64_t ends[2], worst[2];

	own[0] = m->ops;
	own[1] = m->bytes;
	own[2] = m->latency.count;
	memcpy(own + 3, m->latency.bucket, sizeof(m->latency.bucket));
	MPI_Allreduce(own, sum, PARIO_HISTOGRAM_BUCKETS + 3, MPI_UINT64_T, MPI_SUM, comm->mpi);
	ends[0] = m->latency.max_ns;
	ends[1] = m->latency.count ? UINT64_MAX - m->latency.min_ns : 0;
	MPI_Allreduce(ends, worst, 2, MPI_UINT64_T, MPI_MAX, comm->mpi);
	r->ops = sum[0];
	r->bytes = sum[1];
	r->latency_ns.count = all.count = sum[2];
	if (all.count == 0)
		return;
	memcpy(all.bucket, sum + 3, sizeof(all.bucket));
	all.max_ns = worst[0];
	all.min_ns = UINT64_MAX - worst[1];
	r->latency_ns.min = (double)all.min_ns;
	r->latency_ns.p50 = pario_histogram_quantile(&all, 0.5);
	r->latency_ns.p90 = pario_histogram_quantile(&all, 0.9);
	r->latency_ns.p99 = pario_histogram_quantile(&all, 0.99);
	r->latency_ns.p999 = pario_histogram_quantile(&all, 0.999);
	r->latency_ns.max = (double)all.max_ns;
}

/* Bytes that all had moved at one moment after the start, in every client's own time. */
static double bytes_at(const struct pario_meter *m, const struct pario_comm *comm, int64_t ns)
{
	uint64_t own = pario_progress_at(m, ns), sum;

	MPI_Allreduce(&own, &sum, 1, MPI_UINT64_T, MPI_SUM, comm->mpi);
	return (double)sum;
}

/* The headline, and what it would be by the slowest client's own time (6.7) and without making the data. */
static void rates(struct pario_result *r, double bare_s)
{
	double bytes = (double)r->bytes;
	const struct pario_metric *fill = pario_result_find(r, "fill_s");

	pario_result_metric(r, "rate_ops_s", "ops/s",
			    r->seconds.total > 0 ? (double)r->ops / r->seconds.total : (double)NAN);
	if (r->bytes == 0)
		return;
	r->rate_mib_s = rate(bytes, r->seconds.total);
	if (r->clients > 1)
		pario_result_metric(r, "rate_slowest_mib_s", "MiB/s",
				    rate(bytes, r->between_clients.max_s));
	if (fill && fill->value > 0)
		pario_result_metric(r, "rate_without_fill_mib_s", "MiB/s", rate(bytes, bare_s));
	pario_result_metric(r, "rate_transfer_mib_s", "MiB/s", rate(bytes, r->seconds.transfer));
}

void pario_meter_reduce(const struct pario_meter *meter, const struct pario_comm *comm,
			struct pario_result *result)
{
	int64_t first, last;
	double bare_s;

	reduce_times(meter, comm, result);
	bare_s = reduce_interval(meter, comm, result);
	reduce_spread(meter, comm, result);
	reduce_counts(meter, comm, result);
	rates(result, bare_s);
	if (result->bytes > 0 && comm->clients > 1) {
		reduce_part("open", pario_clock_s(meter->open_ns), comm, result);
		reduce_part("transfer", pario_clock_s(meter->transfer_ns), comm, result);
		reduce_part("close", pario_clock_s(meter->close_ns), comm, result);
	}
	MPI_Allreduce(&meter->body_done_ns, &first, 1, MPI_INT64_T, MPI_MIN, comm->mpi);
	MPI_Allreduce(&meter->body_done_ns, &last, 1, MPI_INT64_T, MPI_MAX, comm->mpi);
	if (result->bytes > 0)
		result->rate_first_done_mib_s =
			rate(bytes_at(meter, comm, first), pario_clock_s(first));
	if (result->bytes > 0 && meter->limit_ns > 0 && last >= meter->limit_ns)
		pario_result_metric(result, "rate_at_limit_mib_s", "MiB/s",
				    rate(bytes_at(meter, comm, meter->limit_ns),
					 pario_clock_s(meter->limit_ns)));
	if (comm->nodes > 1) {
		double own = fabs(pario_clock_s(comm->clock_offset_ns)), skew;

		MPI_Allreduce(&own, &skew, 1, MPI_DOUBLE, MPI_MAX, comm->mpi);
		pario_result_metric(result, "clock_skew_s", "s", skew);
	}
}
