/*
 * routine_null: moves nothing and costs what was planted, so that the method itself can be judged.
 *
 * A transfer is there `delay` after it was begun (plus so much per MiB): delivered asynchronously, by a deadline.
 * Before `issue` returns, `cpu` (plus so much per MiB) is spent computing, within the delay. The first pair must come
 * out as time per operation, the second as overhead.
 *
 * A planted disk turns since its file was opened. Who asks for the next sectors as soon as the last are there finds
 * them in time; who waits is woken LATE after the end, when they have gone by, and misses a revolution, as in the
 * study.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/units.h"
#include "engine/test.h"
#include "tests/overlap/measure/routine.h"
#include "tests/overlap/model/revolution.h"

#define LATE (2 * PARIO_SECTOR_GAP)

struct state {
	int64_t due_ns, delay_ns, cpu_ns;
	int64_t opened_ns, late_ns; /* of the planted disk */
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
	s->opened_ns = pario_run_now();
	if (c->plant->track > 0)
		s->late_ns = (int64_t)(1e9 * LATE / (c->plant->track * c->plant->turns_per_s));
	return 0;
}

/* How long the disk will take for what is asked for now. */
static int64_t turning_ns(const struct pario_channel *c, uint64_t offset, int64_t now_ns)
{
	const struct state *s = c->state;
	const struct pario_plant *p = c->plant;
	double turn_ns = 1e9 / p->turns_per_s, now = (double)(now_ns - s->opened_ns) / turn_ns,
	       first = (double)offset / p->sector, b = (double)c->size / p->sector;

	return (int64_t)(turn_ns * (pario_revolution_done(p->track, now, first, b) - now));
}

static int issue(struct pario_channel *c, uint64_t offset, struct pario_err *err)
{
	struct state *s = c->state;
	int64_t begun_ns = pario_run_now();

	(void)err;
	s->due_ns = begun_ns + s->delay_ns;
	if (c->plant->track > 0)
		s->due_ns += turning_ns(c, offset, begun_ns);
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

static int wait(struct pario_channel *c, struct pario_err *err)
{
	struct state *s = c->state;

	s->due_ns += s->late_ns;
	return pario_routine_spin(c, err);
}

static int forget(struct pario_channel *c, struct pario_err *err)
{
	(void)err;
	free(c->state);
	c->state = NULL;
	return 0;
}

const struct pario_routine pario_routine_null = {
	.name = "null",
	.summary = "moves nothing, costs what was planted",
	.bits = PARIO_ROUTINE_NO_DATA,
	.open = plant,
	.issue = issue,
	.test = test,
	.wait = wait,
	.close = forget,
};
