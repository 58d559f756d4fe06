/*
 * limit: when does a timed loop end?
 *
 * Independent transfers: each client watches its own clock, which the meter reads anyway, so a limit costs nothing
 * per transfer. When a client stops, the clients agree once on the largest number of transfers any of them made;
 * in write phases the slower ones may then catch up ("wear-out") for a bounded time, so that the file ends evenly.
 *
 * Collective transfers: all clients must make the same number of calls, so before every k-th transfer they
 * agree whether to continue, with k chosen so that this happens a few times a second.
 */
#include "engine/engine.h"
#include "engine/ticks.h"
#include "engine/watch.h"

/* Collective loops agree this often; one agreement takes microseconds, so its cost stays far below 1 %. */
#define AGREE_EVERY_S 0.1

/* Do the clients go step by step together? Then they also leave together. */
static bool together(const struct pario_engine *engine)
{
	return engine->bound->access.collective ||
	       (engine->bound->point.test->needs & PARIO_NEED_TOGETHER);
}

void pario_limit_start(struct pario_engine *engine, bool limited)
{
	double limit = engine->bound->settings.time_limit;

	engine->run.until = 0;
	engine->reached = 0;
	engine->wearing = false;
	engine->stop_ns = engine->pull_ns = INT64_MAX;
	engine->meter.limit_ns = 0;
	if (limited && limit > 0) {
		engine->meter.limit_ns = (int64_t)(limit * 1e9);
		engine->stop_ns = engine->meter.start_ns + engine->meter.limit_ns;
	}
	/* A collective loop may only be left where all agree, so nothing pulls its limit. */
	if (!together(engine))
		engine->pull_ns = engine->stop_ns;
	pario_watch_loop(together(engine) ? NULL : &engine->run.until);
}

uint64_t pario_run_written(const struct pario_run *run, uint64_t client, uint64_t count)
{
	const struct pario_engine *engine = run->engine;

	return engine->uneven && engine->done[client] < count ? engine->done[client] : count;
}

/* Bounds a replayed or reading loop by what its target really wrote. */
static uint64_t written(const struct pario_engine *engine, uint64_t count)
{
	const struct pario_run *run = &engine->run;
	bool writes = run->phase->write && run->mode != PARIO_MODE_VERIFY;
	uint64_t pieces =
		run->mode == PARIO_MODE_TIMED && run->phase->pieces ? run->phase->pieces : 1;

	return writes ? count : pario_run_written(run, run->target, count / pieces) * pieces;
}

static bool past_limit(const struct pario_engine *engine)
{
	return engine->meter.last_ns >= engine->stop_ns;
}

/* All clients are here with the same i. */
static bool agree_collective(struct pario_engine *engine, uint64_t i, uint64_t count)
{
	struct pario_run *run = &engine->run;
	int64_t now = pario_ticks_ns();
	double own[2], worst[2], step;

	pario_disturbance_stop(engine);
	own[0] = pario_clock_s(now - engine->meter.start_ns);
	own[1] = pario_watch_interrupted() || engine->held.code || past_limit(engine);
	MPI_Allreduce(own, worst, 2, MPI_DOUBLE, MPI_MAX, run->comm);
	pario_disturbance_go(engine);
	/* The next transfer begins here: otherwise this time would be taken out twice. */
	engine->meter.last_ns = pario_ticks_ns();
	engine->meter.excluded_ns += engine->meter.last_ns - now;
	if (worst[1] > 0)
		return false;
	step = i == 0 ? 1 : (double)i / (worst[0] > 0 ? worst[0] : 1e-9) * AGREE_EVERY_S;
	if (step < 1)
		step = 1;
	if (step > (double)i + 1)
		step = (double)i + 1;
	run->until = i + (uint64_t)step;
	if (run->until > count)
		run->until = count;
	return true;
}

/* This client has stopped; may it catch up with the fastest? Called by all clients, each once per limited phase. */
static bool catch_up(struct pario_engine *engine, uint64_t i, uint64_t count)
{
	int64_t began = pario_ticks_ns(), now;
	uint64_t most[2] = { i, pario_watch_interrupted() };

	pario_disturbance_stop(engine);
	MPI_Allreduce(MPI_IN_PLACE, most, 2, MPI_UINT64_T, MPI_MAX, engine->run.comm);
	pario_disturbance_go(engine);
	now = pario_ticks_ns();
	engine->meter.excluded_ns += now - began;
	engine->meter.last_ns = now;
	engine->wearing = true;
	if (most[1] || !engine->run.phase->write || engine->bound->settings.wear_out <= 0)
		return false;
	engine->stop_ns =
		now + (int64_t)((double)engine->meter.limit_ns * engine->bound->settings.wear_out);
	engine->pull_ns = engine->stop_ns;
	engine->run.until = most[0] < count ? most[0] : count;
	return i < engine->run.until;
}

static bool ask_independent(struct pario_engine *engine, uint64_t i, uint64_t count)
{
	bool stop = i >= count || past_limit(engine) || pario_watch_interrupted();

	/* Caught up, out of time or interrupted: a second chance is not given. */
	if (engine->wearing)
		return false;
	if (!stop) {
		engine->run.until = count;
		return true;
	}
	return engine->meter.limit_ns ? catch_up(engine, i, count) : false;
}

/* The loop asks again before the next one. Who catches up does not compute: its time is over. */
static void compute(struct pario_engine *engine, uint64_t i)
{
	int64_t end = pario_ticks_ns() + (int64_t)(engine->bound->settings.gap * 1e3);

	if (engine->bound->settings.gap <= 0 || engine->wearing)
		return;
	if (!engine->busy.bytes)
		pario_busy_init(&engine->busy, PARIO_BUSY_BYTES);
	while (pario_ticks_ns() < end && !pario_watch_interrupted())
		pario_busy_some(&engine->busy);
	pario_run_pause(&engine->run);
	engine->run.until = i + 1;
}

bool pario_run_ask(struct pario_run *run, uint64_t i, uint64_t count)
{
	struct pario_engine *engine = run->engine;
	bool more;

	count = written(engine, count);
	if (run->mode != PARIO_MODE_TIMED) {
		more = i < count && !pario_watch_interrupted();
		/* A collective pass must not be left by one client alone; it ends with the count. */
		if (together(engine))
			more = i < count;
		run->until = more ? count : i;
	} else if (together(engine)) {
		more = i < count && agree_collective(engine, i, count);
	} else {
		more = ask_independent(engine, i, count);
	}
	if (!more) {
		engine->reached = i;
		run->until = 0; /* the next loop asks again */
	} else if (run->mode == PARIO_MODE_TIMED) {
		compute(engine, i);
	}
	return more;
}

void pario_limit_leave(struct pario_engine *engine)
{
	/* The others may be waiting for this client's count. */
	if (engine->meter.limit_ns && !engine->wearing && !together(engine))
		catch_up(engine, engine->reached, 0);
}

void pario_limit_share(struct pario_engine *engine)
{
	engine->uneven = true;
	MPI_Allgather(&engine->reached, 1, MPI_UINT64_T, engine->done, 1, MPI_UINT64_T,
		      engine->comm->mpi);
}
