/*
 * meter: the arithmetic of a phase (consortium rules 6.2.3, 6.6 and 6.7).
 */
#include "engine/meter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* What all clients have in common is found by three reductions: of largest values, of counts and of sums. */

/* Times in nanoseconds, of which the largest counts; where the smallest does, it is negative. */
enum largest {
	OPEN,
	TRANSFER,
	CLOSE,
	OPEN_LEAST,
	TRANSFER_LEAST,
	CLOSE_LEAST,
	SYNC,
	TOTAL,
	TOTAL_LEAST,
	FILL,
	START_FIRST, /* by corrected clocks */
	START_LAST,
	STOP,
	STOP_BARE, /* without the making of data */
	DONE_FIRST,
	DONE_LAST,
	LATENCY,
	LATENCY_LEAST,
	SKEW,
	LARGEST
};

/* The parts of the time whose spread over the clients is told (the consortium's rule 6.6). */
enum { PARTS = 3 };
static const char *const parts[PARTS] = { "open", "transfer", "close" };

static int64_t part_ns(const struct pario_meter *m, int part)
{
	return part == 0 ? m->open_ns : part == 1 ? m->transfer_ns : m->close_ns;
}

static void find_largest(const struct pario_meter *m, const struct pario_comm *comm,
			 int64_t of[LARGEST])
{
	int64_t start = m->start_ns + comm->clock_offset_ns;

	for (int i = 0; i < PARTS; i++) {
		of[OPEN + i] = part_ns(m, i);
		of[OPEN_LEAST + i] = -of[OPEN + i];
	}
	of[SYNC] = m->sync_ns;
	of[TOTAL] = m->total_ns;
	of[TOTAL_LEAST] = -m->total_ns;
	of[FILL] = m->fill_ns;
	of[START_FIRST] = -start;
	of[START_LAST] = start;
	of[STOP] = start + m->total_ns;
	of[STOP_BARE] = of[STOP] - m->fill_ns;
	of[DONE_FIRST] = -m->body_done_ns;
	of[DONE_LAST] = m->body_done_ns;
	of[LATENCY] = (int64_t)m->latency.max_ns;
	of[LATENCY_LEAST] = m->latency.count ? -(int64_t)m->latency.min_ns : INT64_MIN;
	of[SKEW] = llabs(comm->clock_offset_ns);
	MPI_Allreduce(MPI_IN_PLACE, of, LARGEST, MPI_INT64_T, MPI_MAX, comm->mpi);
}

/*
 * The whole time is from the earliest start to the latest stop, by corrected clocks (6.2.3). A client that paused
 * stopped as much earlier.
 */
static void set_times(struct pario_result *r, const int64_t of[LARGEST], double took_s)
{
	r->seconds.open = pario_clock_s(of[OPEN]);
	r->seconds.transfer = pario_clock_s(of[TRANSFER]);
	r->seconds.sync = pario_clock_s(of[SYNC]);
	r->seconds.close = pario_clock_s(of[CLOSE]);
	r->seconds.total = took_s > 0 ? took_s : pario_clock_s(of[STOP] + of[START_FIRST]);
	r->between_clients.max_s = pario_clock_s(of[TOTAL]);
	r->between_clients.min_s = pario_clock_s(-of[TOTAL_LEAST]);
	pario_result_metric(r, "fill_s", "s", pario_clock_s(of[FILL]));
	pario_result_metric(r, "barrier_exit_spread_s", "s",
			    pario_clock_s(of[START_LAST] + of[START_FIRST]));
}

/*
 * Operations, bytes and buckets travel in one sum; only the buckets between the shortest and the longest latency, which
 * all know by now: libraries send long messages around a ring, which takes longer the more clients there are.
 */
static void reduce_counts(const struct pario_meter *m, const struct pario_comm *comm,
			  const int64_t of[LARGEST], struct pario_result *r,
			  struct pario_histogram *all)
{
	uint64_t own[PARIO_HISTOGRAM_BUCKETS + 3], sum[PARIO_HISTOGRAM_BUCKETS + 3];
	bool any = of[LATENCY_LEAST] > INT64_MIN;
	unsigned from = any ? pario_histogram_index((uint64_t)-of[LATENCY_LEAST]) : 0;
	unsigned buckets = any ? pario_histogram_index((uint64_t)of[LATENCY]) - from + 1 : 0;

	memset(all, 0, sizeof(*all));
	own[0] = m->ops;
	own[1] = m->bytes;
	own[2] = m->latency.count;
	memcpy(own + 3, m->latency.bucket + from, buckets * sizeof(own[0]));
	MPI_Allreduce(own, sum, (int)buckets + 3, MPI_UINT64_T, MPI_SUM, comm->mpi);
	r->ops = sum[0];
	r->bytes = sum[1];
	r->latency_ns.count = all->count = sum[2];
	if (all->count == 0)
		return;
	memcpy(all->bucket + from, sum + 3, buckets * sizeof(sum[0]));
	all->max_ns = (uint64_t)of[LATENCY];
	all->min_ns = (uint64_t)-of[LATENCY_LEAST];
	r->latency_ns.min = (double)all->min_ns;
	r->latency_ns.p50 = pario_histogram_quantile(all, 0.5);
	r->latency_ns.p90 = pario_histogram_quantile(all, 0.9);
	r->latency_ns.p99 = pario_histogram_quantile(all, 0.99);
	r->latency_ns.p999 = pario_histogram_quantile(all, 0.999);
	r->latency_ns.max = (double)all->max_ns;
}

/* The distances of a time from the middle between its ends, which all know by now: sums of times would lose digits. */
struct spread {
	double away, squares;
};

struct sums {
	struct spread total, part[PARTS];
	double at_first_done,
		at_limit; /* bytes that had been moved by then, in every client's own time */
	double ops_at_limit;
	double without_wait; /* of transfers and sync */
};

static struct spread spread_of(int64_t own_ns, int64_t least, int64_t most)
{
	double away = pario_clock_s(own_ns) - pario_clock_s(most - least) / 2;

	return (struct spread){ away, away * away };
}

static double mean_of(const struct spread *s, int64_t least, int64_t most, double n)
{
	return pario_clock_s(most - least) / 2 + s->away / n;
}

static double variance_of(const struct spread *s, double n)
{
	return fmax(0, s->squares / n - s->away / n * (s->away / n));
}

static void tell_part(const char *part, const struct spread *s, int64_t least, int64_t most,
		      double n, struct pario_result *r)
{
	char name[48];

	snprintf(name, sizeof(name), "%s_min_s", part);
	pario_result_metric(r, name, "s", pario_clock_s(-least));
	snprintf(name, sizeof(name), "%s_mean_s", part);
	pario_result_metric(r, name, "s", mean_of(s, least, most, n));
	snprintf(name, sizeof(name), "%s_max_s", part);
	pario_result_metric(r, name, "s", pario_clock_s(most));
	snprintf(name, sizeof(name), "%s_variance_s2", part);
	pario_result_metric(r, name, "s2", variance_of(s, n));
}

/* NaN where it is not known, also of the sum over the clients. */
static double without_wait(const struct pario_meter *m)
{
	double s = pario_clock_s(m->transfer_ns + m->sync_ns) - m->waited_s;

	return m->step_ns || isnan(s) ? (double)NAN : fmax(s, 0);
}

static void reduce_sums(const struct pario_meter *m, const struct pario_comm *comm,
			const int64_t of[LARGEST], struct pario_result *r)
{
	int64_t first = -of[DONE_FIRST];
	double n = (double)comm->clients;
	struct sums sum = { .total = spread_of(m->total_ns, of[TOTAL_LEAST], of[TOTAL]),
			    .at_first_done = (double)pario_progress_at(m, first),
			    .at_limit = (double)pario_progress_at(m, m->limit_ns),
			    .ops_at_limit = (double)pario_progress_ops_at(m, m->limit_ns),
			    .without_wait = without_wait(m) };
	bool limited = m->limit_ns > 0 && of[DONE_LAST] >= m->limit_ns;

	for (int i = 0; i < PARTS; i++)
		sum.part[i] = spread_of(part_ns(m, i), of[OPEN_LEAST + i], of[OPEN + i]);
	MPI_Allreduce(MPI_IN_PLACE, &sum, sizeof(sum) / sizeof(double), MPI_DOUBLE, MPI_SUM,
		      comm->mpi);
	r->between_clients.mean_s = mean_of(&sum.total, of[TOTAL_LEAST], of[TOTAL], n);
	r->between_clients.variance = variance_of(&sum.total, n);
	if (limited)
		pario_result_metric(r, "rate_at_limit_ops_s", "ops/s",
				    sum.ops_at_limit / pario_clock_s(m->limit_ns));
	if (r->bytes == 0)
		return;
	for (int i = 0; i < PARTS && comm->clients > 1; i++)
		tell_part(parts[i], &sum.part[i], of[OPEN_LEAST + i], of[OPEN + i], n, r);
	if (!isnan(sum.without_wait))
		pario_result_metric(r, "transfer_without_wait_s", "s", sum.without_wait / n);
	r->rate_first_done_mib_s = rate(sum.at_first_done, pario_clock_s(first));
	if (limited)
		pario_result_metric(r, "rate_at_limit_mib_s", "MiB/s",
				    rate(sum.at_limit, pario_clock_s(m->limit_ns)));
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
			struct pario_result *result, struct pario_histogram *latency)
{
	int64_t of[LARGEST];

	find_largest(meter, comm, of);
	set_times(result, of, meter->took_s);
	reduce_counts(meter, comm, of, result, latency);
	rates(result, pario_clock_s(of[STOP_BARE] + of[START_FIRST]));
	reduce_sums(meter, comm, of, result);
	if (comm->nodes > 1)
		pario_result_metric(result, "clock_skew_s", "s", pario_clock_s(of[SKEW]));
}
