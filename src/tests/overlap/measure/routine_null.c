/*
 * routine_null: moves nothing and costs what was planted, so that the method itself can be judged.
 *
 * A transfer is there `delay` after it was begun (plus so much per MiB): delivered asynchronously, by a deadline.
 * Before `issue` returns, `cpu` (plus so much per MiB) is spent computing, within the delay. The first pair must come
 * out as time per operation, the second as overhead.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/units.h"
#include "engine/test.h"
#include "tests/overlap/measure/routine.h"

struct state {
	int64_t due_ns, delay_ns, cpu_ns;
};

static int plant(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = calloc(1, sizeof(*s));
	double mib = (double)c->size / PARIO_MIB;

	c->state = s;
	if (!s)
		return pario_routine_error(c, "planting", 0, ENOMEM, err);
	s->delay_ns = (int64_t)(1e3 * (c->plant->delay_us + c->plant->delay_us_per_mib * mib));
	s->cpu_ns = (int64_t)(1e3 * (c->plant->cpu_us + c->plant->cpu_us_per_mib * mib));
	return 0;
}

static int issue(struct pario_channel *c, uint64_t offset, struct pario_err *err)
{
	struct state *s = c->state;
	int64_t begun_ns = pario_run_now();

	(void)offset;
	(void)err;
	s->due_ns = begun_ns + s->delay_ns;
	while (s->cpu_ns && pario_run_now() - begun_ns < s->cpu_ns)
		;
	return 0;
}

static int test(struct pario_channel *c, struct pario_err *err)
{
	const struct state *s = c->state;

	(void)err;
	return pario_run_now() >= s->due_ns;
}

static void forget(struct pario_channel *c)
{
	free(c->state);
	c->state = NULL;
}

const struct pario_routine pario_routine_null = {
	.name = "null",
	.summary = "moves nothing, costs what was planted",
	.bits = PARIO_ROUTINE_NO_DATA,
	.open = plant,
	.issue = issue,
	.test = test,
	.wait = pario_routine_spin,
	.close = forget,
};
