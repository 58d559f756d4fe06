/*
 * engine: runs one point. Everything that is not up to the test happens here, in this order, on all
 * clients alike: names, setup, cache state, barrier, open, body, sync, close, agreement, verification, result.
 */
#include "engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "engine/claim.h"
#include "engine/ticks.h"
#include "engine/watch.h"

static int agree(struct pario_engine *e, int status, struct pario_err *err)
{
	return pario_comm_agree(e->comm->mpi, status, NULL, err);
}

static int name_files(struct pario_engine *e, struct pario_err *err)
{
	char name[64];
	int status = 0;

	if (pario_engine_named(e) || !pario_engine_has_files(e) || !pario_engine_stores(e))
		return 0;
	if (e->comm->client == 0) {
		pario_access_set(e, name);
		status = e->layout.per_client ? pario_workspace_name_set(e->workspace, name,
									 e->comm->clients, err)
					      : pario_workspace_name(e->workspace, name, err);
	}
	return agree(e, status, err);
}

/*
 * Makes the file that the user named, empty; the creating phase opens it. Other nodes may go on knowing one of the same
 * name that is gone, so that there is only one in a run.
 */
static int claim_file(struct pario_engine *e, struct pario_err *err)
{
	struct pario_borrowed *file = &e->borrowed;
	struct stat st;
	int status = 0;

	if (!pario_engine_named(e) || e->borrows)
		return 0;
	if (e->comm->client == 0)
		status =
			e->workspace->apart && e->workspace->claimed
				? pario_err_set(
					  err, PARIO_USAGE,
					  "--filename %s can be made only once where clients look at it from "
					  "several nodes. Measure one point, with --repetitions 1.",
					  e->layout.filename)
				: pario_claim_make(e->workspace->manifest, file->dirfd, file->name,
						   err);
	e->workspace->claimed = true;
	if (agree(e, status, err) < 0)
		return -1;
	if (fstatat(file->dirfd, file->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		status = pario_err_sys(
			err, errno, "Name a file in a directory that every node sees.",
			"--filename %s, made by client 0, is not seen", e->layout.filename);
	else
		file->inode = st.st_ino;
	return agree(e, status, err);
}

/* Each client removes its own file, or client 0 the shared one and what the test named; all are in the manifest. */
static int remove_files(struct pario_engine *e, struct pario_err *err)
{
	char name[64];
	int status = 0;

	if (pario_engine_has_files(e) && !pario_engine_named(e) &&
	    (e->layout.per_client || e->comm->client == 0)) {
		pario_access_name(e, e->comm->client, name);
		status = pario_workspace_drop(e->workspace, name, err);
	}
	for (size_t i = 0; e->comm->client == 0 && i < e->named_count && status == 0; i++)
		status = pario_workspace_drop(e->workspace, e->named[i], err);
	if (e->comm->client == 0 && e->borrowed.inode && status == 0)
		status = pario_workspace_unclaim(e->workspace, err);
	e->borrowed.inode = 0;
	return agree(e, status, err);
}

uint64_t pario_engine_read_target(const struct pario_engine *e)
{
	const char *shift = e->bound->access.read_shift;

	if (strcmp(shift, "auto") == 0)
		return e->comm->partner;
	return (e->comm->client + strtoull(shift, NULL, 10) % e->comm->clients) % e->comm->clients;
}

void pario_engine_say_hints(struct pario_engine *e, const struct pario_hints *effective,
			    bool confirmed)
{
	char key[128], value[512], given[512], text[1024];
	struct pario_text out = { 0 };
	size_t cursor = 0;

	e->effective_said = true;
	if (e->comm->client != 0)
		return;
	while (pario_hints_next(&e->bound->access.hints, &cursor, key, value)) {
		bool there = pario_hints_get(effective, key, given, sizeof(given)) != NULL;

		pario_text_add(&out, "%s%s=%s (%s)", out.length ? ", " : "", key,
			       there && confirmed ? given : value,
			       there && confirmed ? "effective" : "requested, not confirmed");
	}
	for (cursor = 0; confirmed && pario_hints_next(effective, &cursor, key, value);) {
		if (!pario_hints_get(&e->bound->access.hints, key, given, sizeof(given)))
			pario_text_add(&out, "%s%s=%s (effective)", out.length ? ", " : "", key,
				       value);
	}
	snprintf(text, sizeof(text), "MPI-IO hints: %s", pario_text_string(&out));
	if (out.length)
		e->sink->note(e->sink, "info", text, "");
	pario_text_release(&out);
}

static void ask_hints(struct pario_engine *e)
{
	void (*ask)(struct pario_file *, struct pario_hints *, bool *) = NULL;
	struct pario_hints effective = { { 0 } };
	bool confirmed = false;

	if (e->open)
		ask = e->extent ? e->extent->hints : e->bound->point.backend->array->hints;
	if (e->effective_said || !ask)
		return;
	/* Some libraries answer only when all clients ask. */
	ask(&e->file, &effective, &confirmed);
	pario_engine_say_hints(e, &effective, confirmed);
}

/* Sync and close are reached by every client, also after an error: libraries make them collective. */
static int end_access(struct pario_engine *e, int status, int64_t ended, struct pario_err *err)
{
	struct pario_err later = { 0 };
	int64_t now, began = pario_ticks_ns();
	int step;

	ask_hints(e);
	now = pario_ticks_ns();
	e->meter.excluded_ns += now - began + (began - ended);
	if (e->open && e->run.phase->write && pario_engine_sustained(e)) {
		pario_disturbance_go(e);
		began = pario_ticks_ns();
		e->meter.excluded_ns += began - now;
		step = pario_access_sync(e, status == 0 ? err : &later);
		status = status == 0 ? step : status;
		e->meter.sync_ns = pario_ticks_ns() - began;
		pario_disturbance_stop(e);
		now = pario_ticks_ns();
		e->meter.excluded_ns += now - began - e->meter.sync_ns;
	}
	if (e->open) {
		step = pario_access_close(e, status == 0 ? err : &later);
		status = status == 0 ? step : status;
		e->meter.close_ns = pario_ticks_ns() - now;
		now += e->meter.close_ns;
	}
	e->meter.total_ns = now - e->meter.start_ns - e->meter.excluded_ns;
	return status;
}

static int run_body(struct pario_engine *e, struct pario_err *err)
{
	struct pario_err later = { 0 };
	int status = e->bound->point.test->body(&e->run, err), drained;

	/* Wrong data among the last requests of a queue outweigh the failed one that ended the loop. */
	if (pario_engine_has_files(e)) {
		drained = pario_access_drain(e, &later);
		if (drained < 0 && (status == 0 || later.code > err->code))
			*err = later;
		status = status == 0 ? drained : status;
	}
	if (status == 0 && e->held.code) {
		*err = e->held;
		status = -1;
	}
	if (status == 0 && e->meter.failed) {
		*err = e->failure;
		status = -1;
	}
	pario_limit_leave(e);
	pario_watch_loop(NULL);
	return status;
}

/* The timed part, from the barrier to the close. */
static int timed(struct pario_engine *e, bool create, struct pario_err *err)
{
	struct pario_meter *m = &e->meter;
	int64_t opened, ended;
	int status = 0;

	pario_meter_clear(m);
	memset(&e->held, 0, sizeof(e->held));
	e->skipped[0] = e->doubt[0] = '\0';
	pario_access_prepare(e);
	if (e->run.mode == PARIO_MODE_TIMED && e->bound->settings.rest > 0)
		pario_watch_nap(e->bound->settings.rest);
	pario_disturbance_look(e, &e->before);
	MPI_Barrier(e->comm->mpi);
	m->start_ns = m->last_ns = pario_ticks_ns();
	pario_limit_start(e, e->run.mode == PARIO_MODE_TIMED && !e->run.phase->whole);
	if (pario_engine_has_files(e))
		status = pario_access_open(e, create, err);
	/* A collective body is entered by all or none. */
	if (e->bound->access.collective)
		status = agree(e, status, err);
	opened = pario_ticks_ns();
	m->open_ns = pario_engine_has_files(e) ? opened - m->start_ns : 0;
	pario_disturbance_go(e);
	m->last_ns = pario_ticks_ns();
	m->excluded_ns += m->last_ns - opened;
	if (status == 0)
		status = run_body(e, err);
	else
		pario_limit_leave(e);
	ended = m->ops ? m->last_ns : pario_ticks_ns();
	pario_disturbance_stop(e);
	m->body_done_ns = ended - m->start_ns - m->excluded_ns;
	if (m->step_ns == 0)
		m->transfer_ns =
			ended > opened + m->excluded_ns ? ended - opened - m->excluded_ns : 0;
	status = end_access(e, status, ended, err);
	status = agree(e, status, err);
	pario_disturbance_look(e, &e->after);
	if (status == 0 && e->run.phase->write && m->limit_ns && e->done)
		pario_limit_share(e);
	return status;
}

/* With a time limit the clients may have moved different amounts; the rate counts what was moved. */
static void note_imbalance(struct pario_engine *e, struct pario_result *r)
{
	uint64_t own[2] = { e->meter.ops, UINT64_MAX - e->meter.ops }, worst[2];

	MPI_Allreduce(own, worst, 2, MPI_UINT64_T, MPI_MAX, e->comm->mpi);
	pario_result_metric(r, "transfers_most", "transfers", (double)worst[0]);
	pario_result_metric(r, "transfers_least", "transfers", (double)(UINT64_MAX - worst[1]));
}

/* A time limit ends a phase between two calls, and not one of long calls: who waited learns why. */
static void note_overrun(struct pario_engine *e, const struct pario_result *r)
{
	double limit = e->bound->settings.time_limit * (1 + e->bound->settings.wear_out);
	char text[200];

	if (e->overrun_said || e->bound->settings.again || e->comm->client != 0 ||
	    r->seconds.transfer < 2 * limit)
		return;
	e->overrun_said = true;
	snprintf(
		text, sizeof(text),
		"%s took %.3g s with a time limit of %.3g s: a call that has begun is not interrupted",
		r->phase, r->seconds.transfer, e->bound->settings.time_limit);
	e->sink->note(
		e->sink, "warning", text,
		"use smaller calls (--transfer_size, --buffer_size), between which a phase ends");
}

static void judge(struct pario_engine *e, struct pario_result *r)
{
	pario_cache_state_judge(e, r);
	if (e->meter.limit_ns) {
		note_imbalance(e, r);
		note_overrun(e, r);
	}
	if (e->comm->world_nodes > 1)
		pario_result_metric(r, "nodes_used", "nodes", (double)e->comm->nodes);
	pario_engine_judge_brief(e, r);
	/* Who interrupted reads that, not what followed from it. */
	if (pario_engine_file_data(e) && r->ops == 0 && !pario_watch_interrupted())
		pario_engine_suspect(r, "the time limit was over before the first transfer");
	if (e->doubt[0])
		pario_engine_suspect(r, e->doubt);
	if (pario_watch_interrupted())
		pario_engine_suspect(r, pario_watch_cause() == PARIO_WATCH_TIME
						? PARIO_RESULT_TIME_OVER
						: PARIO_RESULT_INTERRUPTED);
}

/*
 * The first metric of the test's list that the result has becomes its number. Where a test touches no storage, bytes
 * over time stand for nothing: without the metric there is no number.
 */
static void choose_headline(const struct pario_test *test, struct pario_result *r)
{
	const struct pario_metric_info *info = test->metrics;
	char list[256];

	snprintf(list, sizeof(list), "%s", test->headline ? test->headline : "");
	for (char *rest = list, *name; (name = pario_text_word(&rest, ","));) {
		const struct pario_metric *m = pario_result_find(r, name);

		if (!m || !isfinite(m->value))
			continue;
		while (info && info->name && strcmp(info->name, name) != 0)
			info++;
		pario_result_headline(r, name, info && info->name ? info->better : 1);
		return;
	}
	if (test->headline && (test->needs & PARIO_NEED_NO_DIR))
		pario_result_headline(r, list, 1);
}

static int emit(struct pario_engine *e, struct pario_err *err)
{
	int status = 0;

	choose_headline(e->bound->point.test, e->result);
	if (e->comm->client == 0)
		status = e->sink->result(e->sink, e->bound, e->result, err);
	return agree(e, status, err);
}

static void aim(struct pario_engine *e, const struct pario_phase *phase, enum pario_run_mode mode)
{
	e->run.phase = phase;
	e->run.mode = mode;
	e->run.target = phase->write ? e->comm->client : pario_engine_read_target(e);
	if (phase->write)
		e->generation++;
	e->owner.salt = pario_data_salt(&e->data, e->file_id, e->generation);
	e->owner.older_salt =
		e->generation > 1 ? pario_data_salt(&e->data, e->file_id, e->generation - 1) : 0;
	e->owner.client = e->run.target;
}

static void start_result(struct pario_engine *e, const struct pario_phase *phase,
			 struct pario_result *result)
{
	const struct pario_bound *b = e->bound;

	pario_result_init(result);
	snprintf(result->test, sizeof(result->test), "%s", b->point.test->name);
	snprintf(result->point, sizeof(result->point), "%s", b->name);
	snprintf(result->phase, sizeof(result->phase), "%s", phase->name);
	result->point_index = b->point.index;
	result->clients = b->point.clients;
	result->repetition = e->run.repetition;
	result->tables = &e->tables;
	if (b->point.test->needs & PARIO_NEED_NO_DIR)
		snprintf(result->cache.wanted, sizeof(result->cache.wanted), "none");
	e->result = result;
}

static void end_result(struct pario_engine *e)
{
	pario_result_tables_release(&e->tables);
	e->result = NULL;
}

/* Untimed: what the test itself wants to be there, and the cache state. */
static int before(struct pario_engine *e, const struct pario_phase *phase, struct pario_err *err)
{
	const struct pario_test *test = e->bound->point.test;
	enum pario_run_mode mode = e->run.mode;
	int status = 0;

	memset(&e->evicted, 0, sizeof(e->evicted));
	if (test->before) {
		e->run.mode = PARIO_MODE_FILL;
		e->run.until = 0;
		status = agree(e, test->before(&e->run, err), err);
		e->run.mode = mode;
	}
	if (status < 0 || pario_cache_state_prepare(e, phase->creates, err) < 0)
		return -1;
	return phase->creates ? 0 : pario_fresh_files(e, false, err);
}

/* What any client has seen while the phase ran. */
struct signs {
	int skipped; /* clients behind the first one that found that the phase cannot run here, and it; 0 = none */
	int evicted, interrupted; /* enum pario_watch_cause */
};

static void look_around(struct pario_engine *e, struct signs *signs)
{
	*signs =
		(struct signs){ .skipped = e->skipped[0] ? (int)(e->comm->clients - e->comm->client)
							 : 0,
				.evicted = e->evicted.wanted[0] != '\0',
				.interrupted = (int)pario_watch_cause() };
	MPI_Allreduce(MPI_IN_PLACE, signs, sizeof(*signs) / sizeof(int), MPI_INT, MPI_MAX,
		      e->comm->mpi);
	pario_watch_heard((enum pario_watch_cause)signs->interrupted);
}

/* The words of the first client that found it become the result's reason. */
static void skip(struct pario_engine *e, const struct signs *signs, struct pario_result *r)
{
	int first = (int)e->comm->clients - signs->skipped;

	MPI_Bcast(e->skipped, sizeof(e->skipped), MPI_CHAR, first, e->comm->mpi);
	r->outcome = PARIO_SKIP;
	snprintf(r->reason, sizeof(r->reason), "%s", e->skipped);
}

/* A failed phase has no rate, but it says how many operations were done and how many failed. */
static void record_failure(struct pario_engine *e, const struct pario_phase *phase,
			   struct pario_result *r, const struct pario_err *err)
{
	uint64_t own[2] = { e->meter.ops, e->meter.failed }, sum[2];

	start_result(e, phase, r);
	r->outcome = PARIO_FAIL;
	snprintf(r->reason, sizeof(r->reason), "%s", err->text);
	MPI_Allreduce(own, sum, 2, MPI_UINT64_T, MPI_SUM, e->comm->mpi);
	if (sum[1] == 0)
		return;
	r->ops = sum[0];
	pario_result_metric(r, "failed_ops", "operations", (double)sum[1]);
}

/* A signal reaches clients at different times, and their clocks differ. */
static bool interrupted_anywhere(const struct pario_engine *e)
{
	int own = (int)pario_watch_cause(), any;

	MPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, e->comm->mpi);
	pario_watch_heard((enum pario_watch_cause)any);
	return any != PARIO_WATCH_NONE;
}

/* The error is one that all clients have agreed on, so that they also agree on what follows from it. */
static void note_code(struct pario_engine *e, const struct pario_err *err)
{
	e->code = (int)err->code > e->code ? (int)err->code : e->code;
}

/* What happened within the phase, and whether somebody lagged behind. */
static void detail(struct pario_engine *e, const struct pario_histogram *latency,
		   struct pario_result *r)
{
	const struct pario_detail *d = &e->detail;

	if (!pario_rate_history_reduce(&e->meter, e->comm, latency, &e->detail))
		return;
	r->detail = d;
	if (d->stragglers) {
		pario_result_metric(r, "stragglers", "clients", (double)d->stragglers);
		pario_result_metric(r, "slowest_client", "client", (double)d->row[0].client);
	}
}

/* One phase with everything around it. *failed is set when it produced no number; -1 only when the run must end. */
static int phase(struct pario_engine *e, const struct pario_phase *phase, bool verify_due,
		 bool *failed, struct pario_err *err)
{
	struct pario_histogram latency;
	struct pario_result result;
	struct signs signs = { 0 };
	int status;

	start_result(e, phase, &result);
	aim(e, phase, PARIO_MODE_TIMED);
	if (e->comm->client == 0)
		e->sink->progress(e->sink, e->bound, phase, e->run.repetition, &e->meter);
	pario_watch_step(e->bound->settings.deadline, phase->name);
	status = before(e, phase, err);
	if (status == 0)
		status = timed(e, phase->creates, err);
	if (status == 0)
		look_around(e, &signs);
	if (signs.skipped)
		skip(e, &signs, &result);
	if (status == 0 && !signs.skipped) {
		pario_meter_reduce(&e->meter, e->comm, &result, &latency);
		detail(e, &latency, &result);
		pario_disturbance_judge(e, &result);
		if (signs.evicted)
			pario_cache_state_collect(e);
		judge(e, &result);
		if (pario_engine_by_itself(e))
			pario_result_metric(&result, "failed_ops", "operations", 0);
	}
	if (status == 0 && !signs.skipped && !signs.interrupted)
		status = pario_prove(e, verify_due, err);
	*failed = status < 0;
	if (status < 0) {
		pario_prove_stale(e, err);
		record_failure(e, phase, &result, err);
		note_code(e, err);
	}
	status = emit(e, err);
	end_result(e);
	return status;
}

/* Makes the data that a first reading phase needs; recorded only in its result's cache state. */
static int fill_files(struct pario_engine *e, struct pario_err *err)
{
	static const struct pario_phase making = { .name = "fill", .write = true, .creates = true };
	struct pario_result unused;
	int status;

	start_result(e, &making, &unused);
	aim(e, &making, PARIO_MODE_FILL);
	pario_watch_step(e->bound->settings.deadline, "making the data to read");
	status = before(e, &making, err);
	if (status == 0)
		status = timed(e, true, err);
	end_result(e);
	return status;
}

/* A failure while making data is recorded as the failure of the phase that needed them. */
static int fail_phase(struct pario_engine *e, const struct pario_phase *phase,
		      struct pario_err *err)
{
	struct pario_result result;
	int status;

	start_result(e, phase, &result);
	result.outcome = PARIO_FAIL;
	snprintf(result.reason, sizeof(result.reason), "%s", err->text);
	note_code(e, err);
	status = emit(e, err);
	end_result(e);
	return status;
}

/* Tests that reach storage by themselves check every phase; data of the engine are checked once after each write. */
static bool checks(const struct pario_engine *e)
{
	const struct pario_test *test = e->bound->point.test;

	if (pario_engine_borrows(e))
		return false;
	if (test->needs & (PARIO_NEED_FILES | PARIO_NEED_MPI_FILES))
		return e->bound->access.verify && test->verify && pario_engine_stores(e);
	return test->verify != NULL;
}

/* The phases from `first` to before `end`; those before it were made in earlier visits. */
static int phases(struct pario_engine *e, unsigned first, unsigned end, struct pario_err *err)
{
	struct pario_phase list[PARIO_PHASES];
	unsigned count = pario_bound_phases(e->bound, list);
	bool there = pario_engine_borrows(e) || first > 0, failed = false;
	bool due = checks(e), always = pario_engine_by_itself(e), verified = first > 0 && due;

	if (first == 0)
		e->uneven = false;
	for (unsigned i = first; i < count && i < end && !failed; i++) {
		if (!there && !list[i].creates && pario_engine_stores(e) &&
		    pario_engine_file_data(e) && fill_files(e, err) < 0)
			return fail_phase(e, &list[i], err);
		there = true;
		verified = verified && !list[i].write;
		if (phase(e, &list[i], due && (always || !verified), &failed, err) < 0)
			return -1;
		verified = due;
		if (interrupted_anywhere(e))
			break;
	}
	return 0;
}

static int begin_repetition(struct pario_engine *e, struct pario_err *err)
{
	const struct pario_test *test = e->bound->point.test;

	e->file_id = pario_random_join(e->bound->point.index * 1048576 + e->bound->point.clients,
				       e->run.repetition);
	e->generation = 0;
	pario_watch_step(e->bound->settings.deadline, "setting up");
	if (e->workspace->apart) {
		e->turn = e->workspace->turns++;
		MPI_Bcast(&e->turn, 1, MPI_UINT64_T, 0, e->comm->mpi);
		if (name_files(e, err) < 0)
			return -1;
	}
	if (claim_file(e, err) < 0)
		return -1;
	return test->setup ? agree(e, test->setup(&e->run, err), err) : 0;
}

static int end_repetition(struct pario_engine *e, bool last, int status, struct pario_err *err)
{
	const struct pario_test *test = e->bound->point.test;

	pario_watch_step(e->bound->settings.deadline, "removing the files");
	if (test->teardown)
		test->teardown(&e->run);
	if (!(last && e->bound->settings.keep_files)) {
		struct pario_err later = { 0 };

		if (remove_files(e, status == 0 ? err : &later) < 0)
			status = -1;
	}
	e->named_count = 0; /* the next repetition has names of its own */
	return status;
}

static int repetition(struct pario_engine *e, bool last, struct pario_err *err)
{
	int status = 0;

	status = begin_repetition(e, err);
	if (status == 0)
		status = phases(e, 0, PARIO_PHASES, err);
	if (status < 0 && e->comm->client == 0)
		e->sink->failure(e->sink, err);
	return end_repetition(e, last, status, err);
}

/*
 * Where one node has more than half of the clients, some of them must read what their own node wrote. That is said, as
 * their reads may be served by a cache that nobody else has.
 */
static int say_partners(struct pario_engine *e, struct pario_err *err)
{
	const struct pario_comm *comm = e->comm;
	uint32_t own = (uint32_t)comm->node, *nodes;
	uint64_t same = 0;
	char text[300];

	if (comm->nodes < 2 || comm->partner_apart || !pario_engine_file_data(e) ||
	    strcmp(e->bound->access.read_shift, "auto") != 0)
		return 0;
	nodes = calloc(comm->clients, sizeof(*nodes));
	if (agree(e, nodes ? 0 : pario_err_memory(err, "the engine"), err) < 0) {
		free(nodes);
		return -1;
	}
	MPI_Allgather(&own, 1, MPI_UINT32_T, nodes, 1, MPI_UINT32_T, comm->mpi);
	same = nodes[comm->partner] == own;
	free(nodes);
	MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_UINT64_T, MPI_SUM, comm->mpi);
	snprintf(text, sizeof(text),
		 "%llu of %llu clients read data that their own node wrote: one node has more than "
		 "half of the clients",
		 (unsigned long long)same, (unsigned long long)comm->clients);
	if (comm->client == 0 && !e->bound->settings.again)
		e->sink->note(e->sink, "warning", text,
			      "start the same number of clients on every node");
	return 0;
}

static int prepare(struct pario_engine *e, const struct pario_comm *comm,
		   struct pario_workspace *workspace, struct pario_sink *sink,
		   const struct pario_bound *bound, struct pario_err *err)
{
	int status = 0;

	e->comm = comm;
	e->borrowed.dirfd = -1;
	e->workspace = workspace;
	e->sink = sink;
	e->bound = bound;
	e->effective_said = bound->settings.again;
	e->run = (struct pario_run){ .point = &bound->point,
				     .params = bound->point.params,
				     .client = comm->client,
				     .clients = comm->clients,
				     .target = comm->client,
				     .seed = bound->settings.seed,
				     .comm = comm->mpi,
				     .engine = e };
	pario_data_init(&e->data, bound->settings.seed);
	status = pario_mpiio_impl_in_force(bound->access.mpiio_impl, err);
	if (status == 0 && bound->point.test->plan)
		status = bound->point.test->plan(&bound->point, comm->client, &e->layout, err);
	e->borrows = e->layout.filename && pario_bound_only_reads(bound);
	if (status == 0 && pario_engine_file_data(e) &&
	    !(e->done = calloc(comm->clients, sizeof(*e->done))))
		status = pario_err_memory(err, "the engine");
	if (status == 0 && (bound->point.test->needs & PARIO_NEED_FILES))
		status = pario_access_init(e, err);
	if (status == 0 && pario_engine_named(e))
		status = pario_borrow_open(&e->borrowed, e->layout.filename, !e->borrows, err);
	status = agree(e, status, err);
	if (status == 0)
		status = pario_fresh_begin(e, err);
	if (status == 0)
		status = say_partners(e, err);
	if (status == 0 && pario_engine_borrows(e) && comm->client == 0 && !bound->settings.again)
		sink->note(sink, "warning",
			   "what was read is the user's own file: whether it was right could not "
			   "be verified",
			   "");
	if (status == 0 && !workspace->apart)
		status = name_files(e, err);
	return status;
}

static void free_engine(struct pario_engine *e)
{
	pario_access_release(e);
	pario_borrow_close(&e->borrowed);
	pario_busy_release(&e->busy);
	pario_bound_release(&e->own);
	free(e);
}

int pario_engine_run(const struct pario_comm *comm, struct pario_workspace *workspace,
		     struct pario_sink *sink, const struct pario_bound *bound, int *code,
		     struct pario_err *err)
{
	struct pario_engine *e = calloc(1, sizeof(*e));
	uint64_t count = bound->settings.repetitions, end = bound->settings.end_repetition;
	int status = e ? 0 : pario_err_memory(err, "the engine");

	if (pario_comm_agree(comm->mpi, status, NULL, err) < 0) {
		free(e);
		return -1;
	}
	pario_watch_end(bound->settings.ends_s);
	status = prepare(e, comm, workspace, sink, bound, err);
	end = end ? end : count;
	for (uint64_t i = bound->settings.first_repetition; status == 0 && i < end; i++) {
		bool stop;

		e->run.repetition = i;
		status = repetition(e, i + 1 >= count, err);
		stop = status == 0 && interrupted_anywhere(e);
		/* Storage that returns wrong data is not measured again; later points are points of their own. */
		if (stop || e->code == PARIO_VERIFY)
			break;
	}
	*code = e->code > *code ? e->code : *code;
	pario_watch_step(bound->settings.deadline, "the end of a point");
	free_engine(e);
	return status;
}

void pario_engine_drop(struct pario_engine **slot)
{
	struct pario_engine *e = *slot;

	if (e && e->bound->point.test->teardown)
		e->bound->point.test->teardown(&e->run);
	if (e)
		free_engine(e);
	*slot = NULL;
}

/* A new engine with a copy of the point, set up for its only repetition. */
static int fill_slot(struct pario_engine **slot, const struct pario_comm *comm,
		     struct pario_workspace *workspace, struct pario_sink *sink,
		     const struct pario_bound *bound, struct pario_err *err)
{
	struct pario_engine *e = calloc(1, sizeof(*e));
	uint64_t bytes = bound->params_bytes + bound->backend_bytes;
	char *tail = malloc(bytes + 1);
	int status = e && tail ? 0 : pario_err_memory(err, "the engine");

	if (pario_comm_agree(comm->mpi, status, NULL, err) < 0) {
		free(tail);
		free(e);
		return -1;
	}
	memcpy(tail, bound->tail, bytes);
	e->own = *bound;
	e->own.tail = tail;
	pario_bound_link(&e->own, bound->point.test);
	if (prepare(e, comm, workspace, sink, &e->own, err) < 0 || begin_repetition(e, err) < 0) {
		free_engine(e);
		return -1;
	}
	*slot = e;
	return 0;
}

int pario_engine_slice(struct pario_engine **slot, const struct pario_comm *comm,
		       struct pario_workspace *workspace, struct pario_sink *sink,
		       const struct pario_bound *bound, int *code, struct pario_err *err)
{
	struct pario_phase list[PARIO_PHASES];
	unsigned end = bound->settings.end_phase;
	struct pario_engine *e;
	int status;

	if (!*slot && fill_slot(slot, comm, workspace, sink, bound, err) < 0)
		return -1;
	e = *slot;
	e->own.settings = bound->settings; /* limits may differ from visit to visit */
	status = phases(e, bound->settings.first_phase, end, err);
	if (status < 0 && comm->client == 0)
		sink->failure(sink, err);
	*code = e->code > *code ? e->code : *code;
	pario_watch_step(bound->settings.deadline, "the end of a visit");
	if (status == 0 && end < pario_bound_phases(&e->own, list))
		return 0;
	status = end_repetition(e, true, status, err);
	free_engine(e);
	*slot = NULL;
	return status;
}
