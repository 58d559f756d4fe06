/*
 * test: how fast can memory go to disk and come back?
 *
 * NHT-1's disk peak benchmark (docs/nht1.md). Every node's clients together hold at least 80 % of the memory
 * that its processes may use. It is filled with random data, written to a file of each client and made durable
 * (T_PWRITE, from before the first file is made until after the last is closed), overwritten with other random data,
 * and read back in the same order from files of which nothing is cached any more (T_PREAD). What came back is compared.
 * Before that, a calibration finds the fastest way to write and to read (tests/nht1/peak/tuner.h); it is no part of
 * either time.
 *
 * R_PEAK = 2 (0.8 S_MEM) / (T_PREAD + T_PWRITE). With less than 80 % of memory the bytes that were moved take the place
 * of 0.8 S_MEM and the result is flagged as not conforming. Misleads where a disk's or server's own cache is larger
 * than the data: such caches cannot be seen from here.
 */
#include "engine/test.h"
#include "tests/nht1/model/formulae.h"
#include "tests/nht1/peak/memory_dataset.h"
#include "tests/nht1/peak/tuner.h"

#include <stdlib.h>
#include <string.h>

/* Numbers of data: what is written, and what stands in memory before it is read. */
enum { WRITTEN, OVERWRITTEN };

struct params {
	double fraction, calibration;
	struct pario_tuner_choice choice;
};

static const char *const methods[] = { "auto", "uring", "threads", NULL };
static const char *const directs[] = { "auto", "0", "1", NULL };

static const struct pario_option options[] = {
	PARIO_OPTION(
		struct params, fraction, .def = "0.8", .min = "0.000001", .max = "0.95",
		.help = "share of the node's memory that is written and read; below 0.8 does not conform to NHT-1"),
	PARIO_OPTION(struct params, calibration, .def = "10", .min = "0.1", .max = "1000",
		     .unit = "seconds", .help = "how long to try ways of writing and reading"),
	PARIO_OPTION_NAMED(struct params, choice.method, "method", .def = "auto",
			   .choices = methods,
			   .help = "how requests are made; auto = the faster one"),
	PARIO_OPTION_NAMED(struct params, choice.direct, "direct", .def = "auto",
			   .choices = directs,
			   .help = "bypass the page cache; auto = when that is faster"),
	PARIO_OPTION_NAMED(struct params, choice.request, "request_size", .def = "0", .max = "1g",
			   .unit = "bytes",
			   .help = "bytes of one request, whole pages; 0 = the fastest"),
	PARIO_OPTION_NAMED(struct params, choice.depth, "queue_depth", .def = "0", .max = "256",
			   .unit = "requests",
			   .help = "requests under way per client; 0 = the fastest"),
	{ 0 },
};

static const struct pario_metric_info metrics[] = {
	{ "R_PEAK", "B/s", "peak I/O rate: 2 (0.8 S_MEM) / (T_PREAD + T_PWRITE)", 1 },
	{ "T_PWRITE", "s", "time to write the data durably, with open and close", -1 },
	{ "T_PREAD", "s", "time to read the data back, with open and close", -1 },
	{ "S_MEM", "B", "memory that the processes of all nodes may use", 0 },
	{ "nodes", "", "nodes whose memory S_MEM is", 0 },
	{ "nodes_left_out", "", "nodes of the run without a client here; NHT-1 wants all", 0 },
	{ "fraction", "", "bytes moved, as a share of S_MEM", 0 },
	{ "request_bytes", "B", "size of a request", 0 },
	{ "queue_depth", "requests", "requests under way per client", 0 },
	{ "direct", "", "1 when the page cache was bypassed", 0 },
	{ "uring", "", "1 when io_uring made the requests, 0 when threads did", 0 },
	{ NULL, NULL, NULL, 0 },
};

struct work {
	struct pario_memory_dataset dataset;
	struct pario_tuner tuner;
	double write_s;
};

static bool calibrates(const struct params *p)
{
	const struct pario_tuner_choice *c = &p->choice;

	return !(c->method && c->direct && c->request && c->depth);
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;

	(void)client;
	if (p->choice.request % 4096)
		return pario_err_set(err, PARIO_USAGE,
				     "--request_size %llu is not a multiple of 4096 bytes.",
				     (unsigned long long)p->choice.request);
	layout->memory_bytes = pario_memory_dataset_expect(point, p->fraction);
	layout->extra_files = point->clients + 1;
	layout->extra_bytes = layout->memory_bytes * point->clients;
	layout->moved_bytes = 2 * layout->extra_bytes;
	layout->seconds = calibrates(p) ? 2 * p->calibration : 0;
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	unsigned n = 0;

	if (calibrates(point->params))
		list[n++] = (struct pario_phase){ .name = "calibrate", .whole = true };
	list[n++] = (struct pario_phase){ .name = "write", .write = true, .whole = true };
	list[n++] = (struct pario_phase){ .name = "read", .whole = true };
	return n;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = calloc(1, sizeof(*w));

	run->scratch = w;
	if (!w)
		return pario_err_set(err, PARIO_SYSTEM, "no memory for the test.");
	/* Every client takes its part, also when another has no way: that is agreed on afterwards. */
	if (pario_memory_dataset_init(&w->dataset, run, "peak", p->fraction, err) < 0)
		return -1;
	return pario_tuner_init(&w->tuner, &p->choice, err);
}

static void teardown(struct pario_run *run)
{
	struct work *w = run->scratch;

	if (w)
		pario_memory_dataset_release(&w->dataset);
	free(w);
	run->scratch = NULL;
}

/* Fills the memory anew, and makes sure that nothing of what is to be read is left in the page cache. */
static int before(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	bool reads = strcmp(run->phase->name, "read") == 0;

	if (pario_memory_dataset_fill(&w->dataset, run, reads ? OVERWRITTEN : WRITTEN, err) < 0)
		return -1;
	if (!reads)
		return 0;
	if (pario_run_drop_caches(run, err) < 0)
		return -1;
	return pario_run_evict(run, w->dataset.move.dirfd, w->dataset.name, err);
}

static int body(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;
	bool writes = run->phase->write;

	if (strcmp(run->phase->name, "calibrate") == 0)
		return pario_tuner_try(&w->tuner, run, &w->dataset.move, p->calibration, err);
	pario_tuner_say(&w->tuner, run, writes);
	pario_memory_reservation_judge(run, &w->dataset.amount, PARIO_NHT1_SHARE);
	if (writes)
		pario_run_durable(run, true);
	pario_run_pause(run);
	w->dataset.move.write = writes;
	return pario_peak_io_move(run, pario_tuner_best(&w->tuner, writes), &w->dataset.move, err);
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	struct work *w = run->scratch;
	const struct pario_memory_dataset *s = &w->dataset;
	const struct pario_memory_reservation_amount *all = &s->amount;
	double seconds = pario_run_seconds(run);

	if (strcmp(run->phase->name, "calibrate") == 0)
		return 0;
	pario_memory_reservation_say(run, all);
	pario_run_metric(run, "fraction", "", (double)all->bytes / (double)all->memory);
	if (run->phase->write) {
		w->write_s = seconds;
		pario_run_metric(run, "T_PWRITE", "s", seconds);
		return pario_memory_dataset_check_file(s, err);
	}
	pario_run_metric(run, "T_PREAD", "s", seconds);
	pario_run_metric(
		run, "R_PEAK", "B/s",
		pario_nht1_peak(pario_nht1_counted(all->memory, all->bytes), seconds, w->write_s));
	return pario_memory_dataset_check_memory(s, run, WRITTEN, err);
}

const struct pario_test pario_test_nht1_peak = {
	.name = "nht1_peak",
	.summary = "NHT-1: most of the memory to disk and back, as fast as it goes",
	.question = "How fast can the memory of a system go to disk and come back?",
	.misleads =
		"where a cache of the storage that cannot be seen from here is larger than the data",
	.options = options,
	.params_size = sizeof(struct params),
	.metrics = metrics,
	.headline = "R_PEAK,T_PWRITE",
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
