/*
 * darshan_sums: one table says which counter counts for what.
 *
 * The number of a result is the time that all processes together spent in such calls, which is what Darshan records; a
 * rate would need to know how they overlapped. The span from the first to the last call is the result's total time.
 */
#include "import/darshan_sums.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { READ, WRITE, META };
static const char *const phases[PARIO_DARSHAN_PHASES] = { "read", "write", "metadata" };

enum field { BYTES, OPS, SECONDS, BEGIN, END };

/* The ends of counter names, after the module's. */
static const struct {
	const char *name;
	int phase;
	enum field field;
} counters[] = {
	{ "BYTES_READ", READ, BYTES },
	{ "BYTES_WRITTEN", WRITE, BYTES },
	{ "READS", READ, OPS },
	{ "INDEP_READS", READ, OPS },
	{ "COLL_READS", READ, OPS },
	{ "SPLIT_READS", READ, OPS },
	{ "NB_READS", READ, OPS },
	{ "WRITES", WRITE, OPS },
	{ "INDEP_WRITES", WRITE, OPS },
	{ "COLL_WRITES", WRITE, OPS },
	{ "SPLIT_WRITES", WRITE, OPS },
	{ "NB_WRITES", WRITE, OPS },
	{ "OPENS", META, OPS },
	{ "INDEP_OPENS", META, OPS },
	{ "COLL_OPENS", META, OPS },
	{ "STATS", META, OPS },
	{ "SEEKS", META, OPS },
	{ "FSYNCS", META, OPS },
	{ "FDSYNCS", META, OPS },
	{ "SYNCS", META, OPS },
	{ "FLUSHES", META, OPS },
	{ "F_READ_TIME", READ, SECONDS },
	{ "F_WRITE_TIME", WRITE, SECONDS },
	{ "F_META_TIME", META, SECONDS },
	{ "F_READ_START_TIMESTAMP", READ, BEGIN },
	{ "F_WRITE_START_TIMESTAMP", WRITE, BEGIN },
	{ "F_OPEN_START_TIMESTAMP", META, BEGIN },
	{ "F_READ_END_TIMESTAMP", READ, END },
	{ "F_WRITE_END_TIMESTAMP", WRITE, END },
	{ "F_CLOSE_END_TIMESTAMP", META, END },
};

struct pario_darshan_of *pario_darshan_sums_of(struct pario_darshan_sums *sums, const char *module)
{
	struct pario_darshan_of *m;

	for (size_t i = 0; i < sums->modules; i++) {
		if (strcmp(sums->module[i].name, module) == 0)
			return &sums->module[i];
	}
	if (sums->modules == PARIO_DARSHAN_SUMS || strlen(module) >= PARIO_DARSHAN_NAME)
		return NULL;
	m = &sums->module[sums->modules++];
	snprintf(m->name, PARIO_DARSHAN_NAME, "%s", module);
	for (size_t i = 0; i < PARIO_DARSHAN_PHASES; i++)
		m->sum[i].begin = m->sum[i].end = NAN;
	return m;
}

/* Timestamps of 0 mean that there was no such call; counters of -1 that they are not kept. */
static void add(struct pario_darshan_sum *sum, enum field field, double value)
{
	if (!(value > 0))
		return;
	switch (field) {
	case BYTES:
		sum->bytes += value;
		break;
	case OPS:
		sum->ops += value;
		break;
	case SECONDS:
		sum->seconds += value;
		break;
	case BEGIN:
		sum->begin = fmin(sum->begin, value);
		break;
	case END:
		sum->end = fmax(sum->end, value);
		break;
	}
}

/* The row of the table; -1: none. MPI-IO's module and its counters are spelled differently. */
static int row_of(const struct pario_darshan_of *m, const char *counter)
{
	size_t length = strlen(strcmp(m->name, "MPI-IO") == 0 ? "MPIIO" : m->name);

	if (strlen(counter) <= length + 1)
		return -1;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		if (strcmp(counter + length + 1, counters[i].name) == 0)
			return (int)i;
	}
	return -1;
}

void pario_darshan_sums_counter(struct pario_darshan_of *m, const char *counter, unsigned place,
				double value)
{
	int row;

	if (place < PARIO_DARSHAN_KNOWN && m->known[place])
		row = m->known[place] - 2;
	else
		row = row_of(m, counter);
	if (place < PARIO_DARSHAN_KNOWN)
		m->known[place] = (signed char)(row + 2);
	if (row >= 0)
		add(&m->sum[counters[row].phase], counters[row].field, value);
}

void pario_darshan_sums_call(struct pario_darshan_sums *sums, const char *module, bool write,
			     double bytes, double begin, double end)
{
	struct pario_darshan_of *m = pario_darshan_sums_of(sums, module);
	struct pario_darshan_sum *sum = m ? &m->sum[write ? WRITE : READ] : NULL;

	if (!sum || !(bytes >= 0) || !(end >= begin) || !(end <= 1e9) || !(begin >= -1e9))
		return;
	if (!sum->times)
		sum->times = calloc(1, sizeof(*sum->times));
	sums->no_memory |= !sum->times;
	sum->bytes += bytes;
	sum->ops++;
	sum->seconds += end - begin;
	sum->begin = fmin(sum->begin, begin);
	sum->end = fmax(sum->end, end);
	if (sum->times)
		pario_histogram_add(sum->times, (int64_t)((end - begin) * 1e9));
}

static uint64_t counted(double value)
{
	return value < 0x1p62 ? (uint64_t)value : PARIO_UNTOLD;
}

static void add_latency(const struct pario_histogram *times, struct pario_result *result)
{
	result->latency_ns = (struct pario_latency){
		.count = times->count,
		.min = (double)times->min_ns,
		.p50 = pario_histogram_quantile(times, 0.5),
		.p90 = pario_histogram_quantile(times, 0.9),
		.p99 = pario_histogram_quantile(times, 0.99),
		.p999 = pario_histogram_quantile(times, 0.999),
		.max = (double)times->max_ns,
	};
}

static int harvest_phase(const struct pario_darshan_of *m, int phase, struct pario_harvest *harvest,
			 const struct pario_darshan_job *job, struct pario_err *err)
{
	const struct pario_darshan_sum *sum = &m->sum[phase];
	struct pario_result *result;

	if (!(sum->ops > 0) && !(sum->bytes > 0) && !(sum->seconds > 0))
		return 0;
	result = pario_harvest_result(harvest, phases[phase], job->nprocs, err);
	if (!result)
		return -1;
	result->bytes = counted(sum->bytes);
	result->ops = counted(sum->ops);
	result->seconds.total = sum->end - sum->begin;
	if (sum->times)
		add_latency(sum->times, result);
	else
		pario_result_metric(result, "records", "files", m->records);
	pario_darshan_finish(job, sum->seconds, result);
	return 0;
}

int pario_darshan_sums_harvest(const struct pario_darshan_sums *sums, struct pario_harvest *harvest,
			       const struct pario_darshan_job *job, struct pario_err *err)
{
	if (sums->no_memory)
		return pario_err_memory(err, NULL);
	for (size_t i = 0; i < sums->modules; i++) {
		if (pario_darshan_module(harvest, i, sums->module[i].name, err) < 0)
			return -1;
		for (int phase = 0; phase < PARIO_DARSHAN_PHASES; phase++) {
			if (harvest_phase(&sums->module[i], phase, harvest, job, err) < 0)
				return -1;
		}
	}
	return 0;
}

void pario_darshan_sums_release(struct pario_darshan_sums *sums)
{
	for (size_t i = 0; i < sums->modules; i++) {
		for (int phase = 0; phase < PARIO_DARSHAN_PHASES; phase++)
			free(sums->module[i].sum[phase].times);
	}
}
