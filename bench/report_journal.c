/*
 * report_journal DIRECTORY RESULTS: a journal of a large sweep, for measuring how fast reports are made and shown.
 *
 * Sizes, patterns, layouts, interfaces, client counts, directions and six repetitions, with made-up but plausible rates
 * and now and then a suspect one, until there are as many results as asked for.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "bench_journal.h"

static const char *const patterns[] = { "segmented", "strided", "random", "general" };
static const char *const layouts[] = { "shared", "per_client" };
static const char *const apis[] = { "posix", "mpiio", "uring", "mmap", "hdf5" };

enum { SIZES = 20, CLIENTS = 10, REPETITIONS = 6 };

static void fill(struct pario_result *r, unsigned long i)
{
	unsigned long n = i / REPETITIONS;
	bool read = n % 2;
	unsigned size = (unsigned)(n / 2 % SIZES), clients = 1u << (n / 2 / SIZES % CLIENTS);
	unsigned long rest = n / 2 / SIZES / CLIENTS;
	uint64_t bytes = UINT64_C(1024) << size;
	double noise = (double)(pario_random_mix(i + 1) >> 40) / (double)(1 << 24);

	pario_result_init(r);
	snprintf(r->test, sizeof(r->test), "transfer");
	snprintf(r->phase, sizeof(r->phase), read ? "read" : "write");
	snprintf(r->point, sizeof(r->point),
		 "api=%s pattern=%s layout=%s transfer_size=%llu run=%lu", apis[rest % 5],
		 patterns[rest / 5 % 4], layouts[rest / 20 % 2], (unsigned long long)bytes,
		 rest / 40);
	r->point_index = n;
	r->clients = clients;
	r->repetition = i % REPETITIONS;
	r->outcome = i % 997 == 0 ? PARIO_SUSPECT : PARIO_PASS;
	if (r->outcome == PARIO_SUSPECT)
		snprintf(r->reason, sizeof(r->reason), "too short: made up for a measurement");
	r->bytes = bytes * 64 * clients;
	r->ops = 64u * clients;
	r->rate_mib_s =
		(read ? 2100 : 1400) * sqrt(clients) * (double)size / SIZES * (0.9 + 0.2 * noise) +
		5;
	r->seconds.total = (double)r->bytes / 1048576.0 / r->rate_mib_s;
	r->seconds.transfer = r->seconds.total * 0.9;
	r->latency_ns = (struct pario_latency){ r->ops, 900 + 10 * noise, 2000 * noise + 1500, 9000,
						40000,	900000,		  1e7 * noise + 1e6 };
	pario_result_metric(r, "rate_ops_s", "ops/s", (double)r->ops / r->seconds.total);
	pario_result_metric(r, "fill_s", "s", noise * 0.01);
	pario_result_metric(r, "barrier_exit_spread_s", "s", noise * 1e-5);
	pario_result_metric(r, "verified_bytes", "B", (double)r->bytes);
}

int main(int argc, char **argv)
{
	static struct pario_result result;
	struct pario_json json = { 0 };
	unsigned long count = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	char path[4096];
	FILE *file;
	bool fine;

	if (!count) {
		fprintf(stderr, "usage: report_journal DIRECTORY RESULTS\n");
		return 2;
	}
	file = bench_open(argv[1], path, sizeof(path));
	fine = file != NULL;
	if (fine) {
		bench_begin(&json, "00000000", "large", "transfer", "2026-01-01T00:00:00Z",
			    "made up");
		fine = bench_put(file, &json);
	}
	for (unsigned long i = 0; i < count && fine; i++) {
		fill(&result, i);
		pario_journal_line(&json, "result");
		pario_result_write(&json, &result);
		fine = bench_put(file, &json);
	}
	if (file && fclose(file) != 0)
		fine = false;
	if (!fine) {
		perror(path);
		return 3;
	}
	return 0;
}
