/*
 * test: what does an application that must write its solution every few steps lose to I/O?
 *
 * NHT-1's first test (docs/nht1.md): the NAS BT solver (src/tests/nht1/bt) writes its solution vector every
 * `write_interval` steps. T_C is the best verified time without writing, T_T that with it, from the same start to the
 * later of computation and transfers complete and durable; zeta = T_T / T_C - 1 and R_IO = 5 w N^3 Ns / (Iw T_T).
 * All vectors are read back: every byte must be that of another run, or every line have the checksum it was handed over
 * with, and the error norms must be those BT-IO publishes, where it does.
 *
 * Misleads when the clients' cores are busy with other work in one of the two phases: zeta is a small difference.
 */
#include <string.h>

#include "engine/test.h"
#include "tests/nht1/application/application.h"
#include "tests/nht1/bt/bt.h"
#include "tests/nht1/peak/memory_reservation.h"
#include "tests/nht1/report/compute_time.h"

struct params {
	int class, mode, layout, api;
	bool collective, recompute;
	uint64_t write_interval, best_of;
	char t_c[1024];
};

static const char *const classes[] = { "S", "W", "A", "B", "C", "D", "E", "F", NULL };
static const char *const modes[] = { "sync", "async", NULL };
static const char *const layouts[] = { "full", "simple", "epio", NULL };
static const char *const apis[] = { "posix", "uring", "mpiio", NULL };

#define OPTION(field, ...) PARIO_OPTION(struct params, field, __VA_ARGS__)

static const struct pario_option options[] = {
	OPTION(class, .def = "B", .choices = classes, .help = "size of the problem; NHT-1 is B"),
	OPTION(mode, .def = "async", .choices = modes,
	       .help = "sync: the solver waits for each write; async: it computes meanwhile"),
	OPTION(layout, .def = "full", .choices = layouts,
	       .help = "one write per client and vector, one per line, or a file per client"),
	OPTION(api, .def = "posix", .choices = apis, .letter = 'a',
	       .help = "how vectors are written"),
	OPTION(collective, .def = "0", .letter = 'c', .letter_value = "1",
	       .help = "all clients write together (mpiio, layout full)"),
	OPTION(write_interval, .def = "5", .min = "1", .unit = "steps", .help = "steps per vector"),
	OPTION(best_of, .def = "2", .min = "1", .max = "1000", .unit = "runs",
	       .help = "runs without writing, of which the best one is T_C"),
	OPTION(t_c, .def = "", .flags = PARIO_OPTION_NO_SWEEP, .unit = "seconds or journal",
	       .help = "a time without writing to compare with where it is better than this run's: seconds, or the "
		       "journal of an earlier run of the same class on as many clients"),
	OPTION(recompute, .def = "1",
	       .help = "compare every byte written with another, untimed run of the solver; 0 = with "
		       "checksums, taken within T_T"),
	{ 0 },
};

static const struct pario_metric_info metrics[] = {
	{ "T_C", "s",
	  "best verified time without writing: compute has this repetition's, application the best so far in the run, or what --t_c gives where that is better",
	  -1 },
	{ "T_C_given", "s", "T_C, where it is that of --t_c", 0 },
	{ "T_T", "s", "time with writing, until everything is durable", -1 },
	{ "zeta", "", "T_T / T_C - 1", -1 },
	{ "R_IO", "B/s", "bytes of all solution vectors over T_T", +1 },
	{ "mop_s", "Mop/s", "speed of the solver without writing", +1 },
	{ "waited_s", "s", "time the solver of client 0 waited for transfers", -1 },
	{ "checksums_s", "s", "time client 0 took for checksums of its vectors, within T_T", -1 },
	{ "recomputed", "", "1 = every byte read back is that of another run, 0 = by checksums",
	  0 },
	{ "norms_checked", "",
	  "published norms that agree: of the last vector, and the mean of a vector every 5 steps",
	  0 },
	PARIO_NODES_METRICS,
	{ "conforms", "", "1 = the size and the file that NHT-1 asks for", 0 },
	{ 0 },
};

static const struct pario_bt_problem *problem_of(const struct params *p)
{
	return pario_bt_problem(*classes[p->class]);
}

static uint64_t vectors_of(const struct params *p)
{
	return (uint64_t)problem_of(p)->steps / p->write_interval;
}

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;
	const struct pario_bt_problem *bt = problem_of(p);
	uint64_t n = (uint64_t)bt->n, vector = 40 * n * n * n;

	(void)client;
	if (p->collective &&
	    (strcmp(apis[p->api], "mpiio") != 0 || p->layout != PARIO_VECTORS_FULL))
		return pario_err_set(err, PARIO_USAGE,
				     "--collective needs --api mpiio and --layout full: the other "
				     "layouts are made of each client's own writes.");
	if (p->write_interval > (uint64_t)bt->steps)
		return pario_err_set(
			err, PARIO_USAGE,
			"--write_interval %llu is more than the %d steps of class %c, so "
			"nothing would be written.",
			(unsigned long long)p->write_interval, bt->steps, bt->class);
	if (point->clients > (n - 2) * (n - 2) / 8)
		return pario_err_set(
			err, PARIO_USAGE,
			"%llu clients are more than the grid of class %c can feed: it has %llu x "
			"%llu inner lines, and every client needs eight. Use fewer clients or a larger "
			"class.",
			(unsigned long long)point->clients, bt->class, (unsigned long long)n - 2,
			(unsigned long long)n - 2);
	if (*p->t_c && pario_nht1_given(p->t_c, bt->class, point->clients, &(double){ 0 }, err) < 0)
		return -1;
	layout->extra_files = p->layout == PARIO_VECTORS_EPIO ? point->clients : 1;
	layout->extra_bytes = layout->moved_bytes = vector * vectors_of(p);
	layout->memory_bytes = (uint64_t)(pario_bt_memory_bytes(bt->class, (int)point->clients, 1) /
					  (double)point->clients) +
			       2 * (vector / point->clients + 40 * n * n);
	if (!p->recompute)
		layout->memory_bytes +=
			sizeof(uint64_t) * vectors_of(p) * n * (n / point->clients + 1);
	return 0;
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	(void)point;
	list[0] = (struct pario_phase){ .name = "compute", .whole = true };
	list[1] = (struct pario_phase){ .name = "application", .write = true, .whole = true };
	return 2;
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;
	const struct pario_application_shape shape = {
		.class = *classes[p->class],
		.api = apis[p->api],
		.collective = p->collective,
		.async = p->mode == 1,
		.layout = (enum pario_vectors_layout)p->layout,
		.write_interval = p->write_interval,
		.best_of = p->best_of,
		.t_c = p->t_c,
		.recompute = p->recompute,
	};

	run->scratch = pario_application_new(run, &shape, err);
	return run->scratch ? 0 : -1;
}

static int before(struct pario_run *run, struct pario_err *err)
{
	return pario_application_before(run, run->scratch, err);
}

static int body(struct pario_run *run, struct pario_err *err)
{
	return run->phase->write ? pario_application_write(run, run->scratch, err)
				 : pario_application_compute(run, run->scratch, err);
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	return pario_application_check(run, run->scratch, err);
}

static void teardown(struct pario_run *run)
{
	pario_application_free(run->scratch);
	run->scratch = NULL;
}

const struct pario_test pario_test_nht1_application = {
	.name = "nht1_application",
	.summary = "NHT-1: the NAS BT solver writes its solution every few steps",
	.question = "What does an application that must write its solution lose to I/O?",
	.misleads = "when the cores have other work in one of its two phases",
	.needs = PARIO_NEED_TOGETHER | PARIO_NEED_HINTS | PARIO_NEED_ROW,
	.options = options,
	.params_size = sizeof(struct params),
	.metrics = metrics,
	.headline = "R_IO,T_C",
	.plan = plan,
	.phases = phases,
	.setup = setup,
	.before = before,
	.body = body,
	.verify = verify,
	.teardown = teardown,
};
