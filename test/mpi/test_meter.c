/*
 * test_meter: planted times and bytes, known rates. Client c moves (c + 1) MiB in (c + 1) planted seconds.
 *
 * run:
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "comm/comm.h"
#include "engine/meter.h"

static int failures;

static void near(const char *what, double is, double should)
{
	if (!(fabs(is - should) <= 1e-9 * fabs(should) + 1e-12)) {
		printf("test_meter: %s is %.12g and should be %.12g\n", what, is, should);
		failures++;
	}
}

enum { SECOND = 1000000000, MIB = 1048576 };

/* Ten operations of equal length that fill the client's time; open and close take a tenth of a second each. */
static void plant(struct pario_meter *m, uint64_t client)
{
	int64_t whole = (int64_t)(client + 1) * SECOND, at = SECOND / 10;

	pario_meter_clear(m);
	m->open_ns = SECOND / 10;
	for (int i = 0; i < 10; i++, at += whole / 10)
		pario_meter_op(m, at, at + whole / 10, (client + 1) * MIB / 10);
	m->transfer_ns = whole;
	m->waited_s = 0.25;
	m->body_done_ns = m->open_ns + whole;
	m->close_ns = SECOND / 10;
	m->total_ns = m->body_done_ns + m->close_ns;
}

static const struct pario_metric *metric(const struct pario_result *r, const char *name)
{
	static const struct pario_metric none = { .value = NAN };
	const struct pario_metric *m = pario_result_find(r, name);

	return m ? m : &none;
}

static struct pario_histogram latency;

static void test_reduce(const struct pario_comm *comm)
{
	static struct pario_meter m;
	struct pario_result r;
	double n = (double)comm->clients, mib, first;

	plant(&m, comm->client);
	pario_result_init(&r);
	pario_meter_reduce(&m, comm, &r, &latency);
	mib = (double)((uint64_t)MIB / 10 * 10);
	mib = n * (n + 1) / 2 * (mib / MIB);
	near("ops", (double)r.ops, 10 * n);
	near("latencies", (double)latency.count, (double)r.latency_ns.count);
	near("open", r.seconds.open, 0.1);
	near("transfer", r.seconds.transfer, n);
	near("without the waits for a processor", metric(&r, "transfer_without_wait_s")->value,
	     (n + 1) / 2 - 0.25);
	near("total", r.seconds.total, n + 0.2);
	near("slowest client", r.between_clients.max_s, n + 0.2);
	near("minimum between clients", r.between_clients.min_s, 1.2);
	near("mean between clients", r.between_clients.mean_s, (n + 1) / 2 + 0.2);
	/* Variance of 1..n, divided by n. */
	near("variance", r.between_clients.variance, (n * n - 1) / 12);
	if (fabs(r.rate_mib_s - mib / (n + 0.2)) > 1e-4) {
		printf("test_meter: rate %.9g, should be %.9g\n", r.rate_mib_s, mib / (n + 0.2));
		failures++;
	}
	/* After 1.1 s the first client is done and every client has moved 1 MiB: all at the same speed. */
	first = r.rate_first_done_mib_s * 1.1;
	if (fabs(first - n) > 0.02 * n) {
		printf("test_meter: %.6g MiB when the first was done, should be %g\n", first, n);
		failures++;
	}
	near("latency minimum", r.latency_ns.min, SECOND / 10);
	near("latency maximum", r.latency_ns.max, n * SECOND / 10);
	near("latency count", (double)r.latency_ns.count, 10 * n);
	if (isfinite(metric(&r, "rate_at_limit_mib_s")->value)) {
		printf("test_meter: a rate at the limit although there is none\n");
		failures++;
	}
}

/* Client c starts c seconds late by a clock that is 100 c seconds ahead, and makes data for half a second. */
static void test_interval(const struct pario_comm *world)
{
	static struct pario_meter m;
	struct pario_comm comm = *world;
	struct pario_result r;
	double n = (double)comm.clients, mib;

	plant(&m, comm.client);
	comm.clock_offset_ns = -(int64_t)comm.client * 100 * SECOND;
	m.start_ns = (int64_t)comm.client * 101 * SECOND + 7 * (int64_t)SECOND;
	m.fill_ns = SECOND / 2;
	pario_result_init(&r);
	r.clients = comm.clients;
	pario_meter_reduce(&m, &comm, &r, &latency);
	mib = (double)r.bytes / MIB;
	near("earliest start to latest stop", r.seconds.total, n - 1 + n + 0.2);
	near("own time of the slowest", r.between_clients.max_s, n + 0.2);
	near("making data", metric(&r, "fill_s")->value, 0.5);
	near("rate", r.rate_mib_s * r.seconds.total / mib, 1);
	near("rate without making data",
	     metric(&r, "rate_without_fill_mib_s")->value * (2 * n - 1.3) / mib, 1);
	if (comm.clients > 1)
		near("rate of the slowest",
		     metric(&r, "rate_slowest_mib_s")->value * (n + 0.2) / mib, 1);
}

/* Half a second after the open, each client has moved half a MiB, in five operations divided by its number. */
static void test_limit(const struct pario_comm *comm)
{
	static struct pario_meter m;
	struct pario_result r;
	double n = (double)comm->clients, ops = 0, mib_s, ops_s;

	plant(&m, comm->client);
	m.limit_ns = (int64_t)SECOND * 6 / 10;
	pario_result_init(&r);
	r.clients = comm->clients;
	pario_meter_reduce(&m, comm, &r, &latency);
	for (uint64_t i = 1; i <= comm->clients; i++)
		ops += 5.0 / (double)i;
	mib_s = metric(&r, "rate_at_limit_mib_s")->value;
	ops_s = metric(&r, "rate_at_limit_ops_s")->value;
	/* operations are whole ones on every client */
	if (!(fabs(mib_s * 0.6 - n / 2) < 0.01 * n) || !(fabs(ops_s * 0.6 - ops) <= n)) {
		printf("test_meter: at the limit %g MiB and %g operations, should be %g and %g\n",
		       mib_s * 0.6, ops_s * 0.6, n / 2, ops);
		failures++;
	}
}

/* A long phase: the record halves itself again and again and still knows every moment. */
static void test_progress(void)
{
	static struct pario_meter m;

	pario_meter_clear(&m);
	for (int64_t i = 0; i < 200000; i++)
		pario_meter_op(&m, i * 1000000, (i + 1) * 1000000, 1000);
	m.body_done_ns = (int64_t)200000 * 1000000;
	for (int64_t at = 0; at < 200; at += 3) {
		double is = (double)pario_progress_at(&m, at * SECOND);
		double should = (double)at * 1e6;

		if (fabs(is - should) > 2e5) {
			printf("test_meter: after %lld s %g bytes, should be %g\n", (long long)at,
			       is, should);
			failures++;
		}
	}
}

int main(int argc, char **argv)
{
	struct pario_comm world;
	struct pario_err err = { 0 };

	if (pario_comm_init(&world, &argc, &argv, &err) < 0) {
		printf("test_meter: %s\n", err.text);
		return 1;
	}
	test_reduce(&world);
	test_interval(&world);
	test_limit(&world);
	test_progress();
	MPI_Finalize();
	return failures ? 1 : 0;
}
