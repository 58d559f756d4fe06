/*
 * test: how fast can memory go to disk and come back?
 *
 * NHT-1's disk peak benchmark (docs/nht1.md). Every node's clients together hold at least 80 % of the memory that
 * its processes may use; where that is not all of the node's, the result does not conform. It is filled with
 * random data, written to a file of each client and made durable (T_PWRITE, from before the first file is made
 * until after the last is closed), overwritten with other random data, and read back in the same order from files
 * of which nothing is cached any more (T_PREAD). What came back is compared. Before that, a calibration finds the
 * fastest way to write and to read (tests/nht1/peak/tuner.h); it is no part of either time.
 *
 * R_PEAK = 2 (0.8 S_MEM) / (T_PREAD + T_PWRITE). With less than 80 % of memory the bytes that were moved take the
 * place of 0.8 S_MEM and the result is flagged as not conforming. Misleads where a disk's or server's own cache is
 * larger than the data: such caches cannot be seen from here.
 */
#include "tests/nht1/peak/peak.h"

#include <stdlib.h>

struct params {
	struct pario_peak_choice peak;
};

static const struct pario_option options[] = {
	PARIO_PEAK_OPTIONS(struct params, peak),
	{ 0 },
};

static const struct pario_metric_info metrics[] = {
	PARIO_PEAK_METRICS,
	PARIO_MEMORY_RESERVATION_METRICS,
	{ NULL, NULL, NULL, 0 },
};

static int plan(const struct pario_point *point, uint64_t client, struct pario_layout *layout,
		struct pario_err *err)
{
	const struct params *p = point->params;

	(void)client;
	return pario_peak_plan(point, &p->peak, 1, layout, err);
}

static unsigned phases(const struct pario_point *point, struct pario_phase *list)
{
	const struct params *p = point->params;

	return pario_peak_phases(&p->peak, list);
}

static int setup(struct pario_run *run, struct pario_err *err)
{
	const struct params *p = run->params;

	run->scratch = calloc(1, sizeof(struct pario_peak));
	if (!run->scratch)
		return pario_err_memory(err, "the test");
	return pario_peak_init(run->scratch, run, &p->peak, 1, err);
}

static void teardown(struct pario_run *run)
{
	if (run->scratch)
		pario_peak_release(run->scratch);
	free(run->scratch);
	run->scratch = NULL;
}

static int before(struct pario_run *run, struct pario_err *err)
{
	return pario_peak_before(run->scratch, run, err);
}

static int body(struct pario_run *run, struct pario_err *err)
{
	return pario_peak_body(run->scratch, run, err);
}

static int verify(struct pario_run *run, struct pario_err *err)
{
	return pario_peak_verify(run->scratch, run, err);
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
