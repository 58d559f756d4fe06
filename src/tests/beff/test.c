/*
 * test: how much do all processes together communicate, on average over short and long messages?
 *
 * b_eff (docs/beff.md): messages of 21 lengths between neighbours in six kinds of rings and in random orders, by three
 * methods, three times; the best method and repetition count, the lengths are averaged, the patterns logarithmically.
 * model/ decides what is measured next and what follows from it; here messages are sent. Client 0 decides, the others
 * follow.
 *
 * Misleads when only a part of a machine runs it, and when nodes are placed so that neighbours share one.
 */
#include <math.h>
#include <stdlib.h>

#include <mpi.h>

#include "engine/test.h"
#include "tests/beff/measure/hpcc_rings.h"
#include "tests/beff/measure/network.h"
#include "tests/beff/measure/protocol.h"
#include "tests/beff/model/lengths.h"
#include "tests/beff/model/publish.h"
#include "tests/beff/model/schedule.h"

struct params {
	uint64_t memory_per_process, order_seed, spoil;
	int release;
	uint32_t phases;
	bool brief, tiny;
	double rmax, budget;
};

enum { HPCC = 2 }; /* bit of parts[1] */

static const char *const releases[] = { "paper", "3.6", NULL };
static const char *const parts[] = { "exchange", "hpcc", NULL };

#define OPTION(field, ...) PARIO_OPTION(struct params, field, __VA_ARGS__)

static const struct pario_option options[] = {
	OPTION(phases, .def = "exchange", .choices = parts,
	       .help = "b_eff itself; the rings of hpcc's latency and bandwidth test"),
	OPTION(memory_per_process, .def = "0", .unit = "bytes",
	       .help = "the longest message is 1/128 of it; 0 = the node's memory shared by its clients"),
	OPTION(release, .def = "paper", .choices = releases,
	       .help = "rules of the paper, or of the published program where they differ"),
	PARIO_OPTION_NAMED(struct params, brief, "short", .def = "0",
			   .help = "a fraction of the time; the result is labelled short"),
	PARIO_OPTION_NAMED(struct params, tiny, "tiny", .def = "0", .flags = PARIO_OPTION_HIDDEN,
			   .help = "the original's test run"),
	OPTION(rmax, .def = "0", .min = "0", .unit = "Gflop/s",
	       .help = "Linpack performance of these processes, for the balance factor"),
	OPTION(order_seed, .def = "0", .max = "4294967295",
	       .help = "seed of the random patterns; 0 = drawn from --seed"),
	OPTION(budget, .def = "0", .min = "0", .max = "1e6", .unit = "seconds",
	       .help = "what does not fit is left out and named; 0 = 240, with --short 60"),
	OPTION(spoil, .def = "0", .flags = PARIO_OPTION_HIDDEN,
	       .help = "client 1 spoils its messages in this measurement"),
	{ 0 },
};

static const struct pario_metric_info metrics[] = {
#define METRIC(name, unit, better, help, value) { #name, unit, help, better },
	PARIO_BEFF_METRICS(METRIC)
#undef METRIC
	/* compare() counts from here */
	{ "hpcc_ring_latency_us", "us", "phase hpcc: a message of 8 bytes, neighbours by rank",
	  -1 },
	{ "hpcc_random_latency_us", "us", "the same with random neighbours", -1 },
	{ "hpcc_ring_mb_s", "MB/s", "phase hpcc: 2 000 000 bytes, per process", 1 },
	{ "hpcc_random_mb_s", "MB/s", "the same with random neighbours", 1 },
	{ "official", "", "1 when nothing was shortened", 0 },
	{ NULL, NULL, NULL, 0 },
};

struct work {
	struct pario_beff_context context;
	const struct pario_beff_scale *scale;
	struct pario_beff_pattern *patterns;
	uint64_t seed;
	struct pario_network network;
	struct pario_beff_schedule schedule; /* client 0 */
	int64_t begun_ns;		     /* the budget counts from here */
};

static const struct pario_beff_scale *scale_of(const struct params *p)
{
	return &pario_beff_scales[p->tiny    ? PARIO_BEFF_TEST
				  : p->brief ? PARIO_BEFF_SHORT
					     : PARIO_BEFF_NORMAL];
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;
	uint64_t node = pario_run_capacity(NULL).total_bytes, own = p->memory_per_process;
	char a[PARIO_UNITS_CAPACITY], b[PARIO_UNITS_CAPACITY];

	(void)client;
	if (!p->phases)
		return pario_err_set(err, PARIO_USAGE,
				     "--phases is empty. Use exchange, hpcc or both.");
	if (own > node)
		return pario_err_set(
			err, PARIO_USAGE,
			"--memory_per_process %s is more than the %s of this node. Give what one "
			"process has.",
			pario_units_size(a, own), pario_units_size(b, node));
	if (own > 0 && own < 1 << 20)
		return pario_err_set(err, PARIO_USAGE,
				     "--memory_per_process %s is too little. Use at least 1m.",
				     pario_units_size(a, own));
	own = own ? own : node / point->clients;
	layout->seconds = p->budget > 0 ? p->budget : p->brief ? 60 : 240;
	layout->memory_bytes =
		pario_plus(pario_times(2, pario_beff_buffer_bytes(pario_beff_lmax(own))),
			   p->phases & HPCC ? pario_hpcc_rings_memory() : 0);
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	const struct params *p = point->params;
	unsigned n = 0;

	for (unsigned i = 0; parts[i]; i++)
		if (p->phases & 1u << i)
			list[n++] = (struct pario_phase){ .name = parts[i] };
	return n;
}

/* The same on all clients: the least memory decides. */
static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch = calloc(1, sizeof(*w));
	enum pario_beff_release release = (enum pario_beff_release)p->release;
	int64_t begun_ns = pario_run_now();
	uint64_t own = p->memory_per_process, least;
	unsigned count = 0;
	int status = 0;

	own = own ? own : pario_run_capacity(run).share_bytes >> 20 << 20;
	if (w)
		w->patterns = calloc(PARIO_BEFF_RINGS + PARIO_BEFF_EXTRAS + scale_of(p)->randoms,
				     sizeof(*w->patterns));
	own = w && w->patterns ? own : 0;
	MPI_Allreduce(&own, &least, 1, MPI_UINT64_T, MPI_MIN, run->comm);
	if (!w || least == 0)
		return pario_err_memory(err, "the test");
	w->begun_ns = begun_ns;
	w->scale = scale_of(p);
	w->seed = p->order_seed ? p->order_seed : run->seed & UINT32_MAX;
	w->context = (struct pario_beff_context){ .n = (unsigned)run->clients,
						  .memory_bytes = least,
						  .lmax = pario_beff_lmax(least),
						  .rmax = p->rmax };
	count = (unsigned)pario_beff_patterns(w->context.n, w->scale->randoms, release,
					      w->patterns);
	status = pario_network_init(&w->network, run, w->patterns, count, w->context.lmax, w->seed,
				    err);
	if (status == 0 && run->client == 0)
		status = pario_beff_schedule_init(&w->schedule, release, w->scale, w->context.lmax,
						  p->budget, w->patterns, count, err);
	return status;
}

static void teardown(struct pario_run *run)
{
	struct work *w = run->scratch;

	if (w) {
		pario_beff_schedule_release(&w->schedule);
		pario_network_release(&w->network);
		free(w->patterns);
	}
	free(w);
	run->scratch = NULL;
}

static int compare(struct pario_run *run, struct pario_err *err)
{
	struct pario_hpcc_rings c;
	bool complete;

	if (pario_hpcc_rings_run(&c, run, ((struct work *)run->scratch)->seed, &complete, err) < 0)
		return -1;
	if (!complete)
		pario_run_suspect(run, "incomplete: it ended before all rings were measured");
	for (unsigned i = 0; complete && i < PARIO_HPCC_RINGS_VALUES; i++)
		pario_run_metric(run, metrics[PARIO_BEFF_METRIC_COUNT + i].name,
				 metrics[PARIO_BEFF_METRIC_COUNT + i].unit, c.values[i]);
	return 0;
}

static int body(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	struct work *w = run->scratch;
	struct pario_beff_step step = { 0 };
	struct pario_beff_outcome outcome;
	bool wrong = false;
	int status = 0;

	if (run->phase->name == parts[1])
		return compare(run, err);
	w->schedule.spent_s = (double)(pario_run_now() - w->begun_ns) * 1e-9;
	for (uint64_t i = 0; pario_run_more(run, i, UINT64_MAX); i++) {
		if (run->client == 0)
			pario_beff_schedule_next(&w->schedule, &step);
		step.end |= wrong;
		MPI_Bcast(&step, (int)sizeof(step), MPI_BYTE, 0, run->comm);
		if (step.end)
			break;
		pario_network_measure(&w->network, run, &step,
				      run->client == 1 && p->spoil == i + 1, &outcome, &wrong);
		if (run->client == 0)
			pario_beff_schedule_take(&w->schedule, &step, &outcome);
	}
	if (w->network.exchange.wrong)
		status = pario_err_set(err, PARIO_VERIFY,
				       "%s. The network or the MPI library changes data.",
				       w->network.exchange.finding);
	pario_exchange_release(&w->network.exchange); /* the result needs memory now */
	if (run->client == 0)
		pario_protocol_keep(run, &w->network, &w->schedule, &w->context, w->seed, step.end);
	return status;
}

/* First and last byte of every message were looked at while it was measured. */
static int verify(struct pario_run *run, struct pario_err *err)
{
	const struct work *w = run->scratch;

	(void)err;
	pario_run_count(run, run->phase->name == parts[0] ? 2 * w->network.checked : 0);
	return 0;
}

const struct pario_test pario_test_beff = {
	.name = "beff",
	.summary = "effective communication bandwidth (b_eff): rings and random neighbours",
	.question =
		"How much do all processes together communicate, on average over short and long messages?",
	.misleads =
		"when it runs on a part of a machine whose rest is busy, and where neighbours by rank share a node",
	.needs = PARIO_NEED_TWO | PARIO_NEED_TOGETHER | PARIO_NEED_NO_DIR,
	.options = options,
	.params_size = sizeof(struct params),
	.repetitions = "1",
	.metrics = metrics,
	.headline = "b_eff,hpcc_ring_mb_s",
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
