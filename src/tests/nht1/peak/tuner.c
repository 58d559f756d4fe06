/*
 * tuner: every method in turn, several rounds; the first trial only tells how large the others may be.
 */
#include "tests/nht1/peak/tuner.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "engine/test.h"

enum { ROUNDS = 2, TRIAL_MIN = 16 << 20, TRIAL_MAX = 1 << 30, UNIT = 1 << 20 };

/* Sizes and depths at which disks and arrays stop getting faster (fio's usual range for sequential access). */
static const uint64_t requests[] = { 1 << 20, 4 << 20 };
static const uint64_t depths[] = { 1, 4, 8, 16, 32 };

/* What a way has shown so far: over all clients, the time of the slowest. */
struct score {
	double bytes, write_s, read_s;
	bool failed;
};

static bool wants(uint64_t chosen, uint64_t value)
{
	return chosen == 0 || chosen == value;
}

static void add(struct pario_tuner *w, enum pario_method method, bool direct, uint64_t request,
		uint64_t depth)
{
	if (w->count < PARIO_TUNER)
		w->way[w->count++] = (struct pario_io_method){ .method = method,
							       .direct = direct,
							       .request = request,
							       .depth = (unsigned)depth };
}

/* Through the page cache a queue changes little, so one way stands for all. */
static void add_method(struct pario_tuner *w, const struct pario_tuner_choice *c,
		       enum pario_method m)
{
	uint64_t request = c->request ? c->request : requests[0], depth = c->depth ? c->depth : 4;

	for (size_t r = 0; r < sizeof(requests) / sizeof(requests[0]); r++) {
		for (size_t d = 0; d < sizeof(depths) / sizeof(depths[0]); d++) {
			bool first = (c->request == 0 || r == 0) && (c->depth == 0 || d == 0);

			if (first && c->direct != 1)
				add(w, m, true, c->request ? c->request : requests[r],
				    c->depth ? c->depth : depths[d]);
		}
	}
	if (c->direct != 2)
		add(w, m, false, request, depth);
}

int pario_tuner_init(struct pario_tuner *tuner, const struct pario_tuner_choice *choice,
		     struct pario_err *err)
{
	memset(tuner, 0, sizeof(*tuner));
	for (int m = 0; m < PARIO_PEAK_IO_METHODS; m++) {
		const char *reason = pario_peak_io_unavailable((enum pario_method)m);

		if (!wants((uint64_t)choice->method, (uint64_t)m + 1))
			continue;
		if (reason && choice->method)
			return pario_err_set(err, PARIO_SYSTEM, "--method %s cannot be used: %s.",
					     pario_peak_io_methods[m], reason);
		if (!reason)
			add_method(tuner, choice, (enum pario_method)m);
	}
	return 0;
}

static double slowest(struct pario_run *run, double seconds, bool failed)
{
	double worst;

	seconds = failed ? 1e30 : seconds;
	MPI_Allreduce(&seconds, &worst, 1, MPI_DOUBLE, MPI_MAX, run->comm);
	return worst;
}

static double all_bytes(struct pario_run *run, uint64_t bytes)
{
	uint64_t sum;

	MPI_Allreduce(&bytes, &sum, 1, MPI_UINT64_T, MPI_SUM, run->comm);
	return (double)sum;
}

static double mib_s(double bytes, double seconds)
{
	return seconds > 0 ? bytes / PARIO_MIB / seconds : 0;
}

static void tell(struct pario_run *run, const struct pario_io_method *way, double bytes,
		 double write_s, double read_s, const char *failure)
{
	const struct pario_datum cells[] = {
		PARIO_TEXT(pario_peak_io_methods[way->method]),
		PARIO_NUMBER(way->direct),
		PARIO_NUMBER(way->request),
		PARIO_NUMBER(way->depth),
		PARIO_NUMBER(bytes),
		PARIO_NUMBER(*failure ? NAN : mib_s(bytes, write_s)),
		PARIO_NUMBER(*failure ? NAN : mib_s(bytes, read_s)),
		PARIO_TEXT(failure),
	};

	pario_run_row(
		run, "trials",
		"method direct request_bytes queue_depth bytes write_mib_s read_mib_s failure",
		cells);
}

/* What some storage cannot do, such as direct I/O: no fault. */
static bool is_lacking(int sys)
{
	return sys == EINVAL || sys == EOPNOTSUPP || sys == ENOSYS;
}

/* Writes and reads; the time between the two, and of what comes before and after, does not count. */
static int trial(struct pario_run *run, const struct pario_io_method *way, struct pario_move move,
		 struct score *score, struct pario_err *err)
{
	double seconds[2] = { 0, 0 }, bytes = all_bytes(run, move.bytes);
	struct pario_err stays = { 0 };
	bool failed = false;
	int own = 0;

	for (int i = 0; i < 2; i++) {
		int status;

		move.write = i == 0;
		MPI_Barrier(run->comm);
		pario_run_pause(run);
		if (!failed)
			own = pario_peak_io_move(run, way, &move, err);
		status = failed ? -1 : own;
		seconds[i] = status < 0 ? 0 : (double)pario_run_count(run, move.bytes) * 1e-9;
		seconds[i] = slowest(run, seconds[i], status < 0);
		failed = seconds[i] >= 1e30;
		if (!failed && i == 0)
			failed = (own = pario_run_evict(run, move.dirfd, move.name, err)) < 0;
	}
	if (own < 0 && is_lacking(err->sys))
		own = 0;
	if (pario_comm_agree(run->comm, own, NULL, err) < 0)
		pario_run_suspect(run, "a trial failed: %s", err->text);
	tell(run, way, bytes, seconds[0], seconds[1],
	     !failed	 ? ""
	     : err->code ? err->text
			 : "it failed on another client");
	score->failed |= failed;
	score->bytes += bytes;
	score->write_s += seconds[0];
	score->read_s += seconds[1];
	own = pario_run_wipe(move.dirfd, move.name, &stays);
	pario_run_pause(run);
	if (pario_comm_agree(run->comm, own, NULL, &stays) == 0)
		return 0;
	*err = stays; /* in the way of the next one */
	return -1;
}

static void choose(struct pario_tuner *w, const struct score *scores)
{
	for (unsigned i = 0; i < w->count; i++) {
		double write = mib_s(scores[i].bytes, scores[i].write_s);
		double read = mib_s(scores[i].bytes, scores[i].read_s);

		if (scores[i].failed)
			continue;
		if (write > w->write_mib_s) {
			w->write_mib_s = write;
			w->best_write = i;
		}
		if (read > w->read_mib_s) {
			w->read_mib_s = read;
			w->best_read = i;
		}
	}
}

/* So much that the trials that are left take their share of the time; the same on all clients. */
static uint64_t amount(struct pario_run *run, const struct score *seen, double seconds,
		       uint64_t most)
{
	double rate = seen->bytes / (seen->write_s + seen->read_s) / (double)run->clients;
	double bytes = rate > 0 ? rate * seconds : 0;

	if (bytes < TRIAL_MIN)
		bytes = TRIAL_MIN;
	if (bytes > TRIAL_MAX)
		bytes = TRIAL_MAX;
	return bytes < (double)most ? (uint64_t)bytes / UNIT * UNIT : most;
}

/* Trials are made together, so all go on or none does. */
static bool all_go_on(struct pario_run *run, uint64_t i, uint64_t count)
{
	int own = pario_run_more(run, i, count), all;

	MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, run->comm);
	return all;
}

int pario_tuner_try(struct pario_tuner *tuner, struct pario_run *run, const struct pario_move *move,
		    double seconds, struct pario_err *err)
{
	struct score scores[PARIO_TUNER] = { { 0 } }, first = { 0 };
	struct pario_move part = *move;
	uint64_t least;

	MPI_Allreduce(&move->bytes, &least, 1, MPI_UINT64_T, MPI_MIN, run->comm);
	part.whole = true;
	part.bytes = least < TRIAL_MIN ? least : TRIAL_MIN;
	/* The first trial only shows how large the others may be. */
	for (unsigned i = 0; i < tuner->count && first.bytes == 0; i++) {
		if (trial(run, &tuner->way[i], part, &first, err) < 0)
			return -1;
		if (first.failed)
			first = (struct score){ 0 };
	}
	if (first.bytes == 0)
		return -1;
	part.bytes = amount(run, &first, seconds / (ROUNDS * tuner->count), least);
	for (uint64_t i = 0; i < ROUNDS * tuner->count; i++) {
		struct score *s = &scores[i % tuner->count];

		if (!all_go_on(run, i, ROUNDS * tuner->count))
			return 0; /* interrupted: there will be no other phase */
		if (!s->failed && trial(run, &tuner->way[i % tuner->count], part, s, err) < 0)
			return -1;
	}
	choose(tuner, scores);
	return tuner->write_mib_s > 0 && tuner->read_mib_s > 0 ? 0 : -1;
}

const struct pario_io_method *pario_tuner_best(const struct pario_tuner *tuner, bool write)
{
	return &tuner->way[write ? tuner->best_write : tuner->best_read];
}

void pario_tuner_say(const struct pario_tuner *tuner, struct pario_run *run, bool write)
{
	const struct pario_io_method *way = pario_tuner_best(tuner, write);
	const struct pario_datum cells[] = {
		PARIO_TEXT(write ? "write" : "read"),
		PARIO_TEXT(pario_peak_io_methods[way->method]),
		PARIO_NUMBER(way->direct),
		PARIO_NUMBER(way->request),
		PARIO_NUMBER(way->depth),
		PARIO_NUMBER(write ? tuner->write_mib_s : tuner->read_mib_s),
	};

	pario_run_row(run, "way", "move method direct request_bytes queue_depth calibrated_mib_s",
		      cells);
	pario_run_metric(run, "request_bytes", "B", (double)way->request);
	pario_run_metric(run, "queue_depth", "requests", way->depth);
	pario_run_metric(run, "direct", "", way->direct);
	pario_run_metric(run, "uring", "", way->method == PARIO_PEAK_IO_URING);
}
